# SPDX-License-Identifier: BSD-3-Clause
"""scikit-learn's own checks of the image estimators, behind a step that makes images of rows."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import check_is_fitted

import krica

SIDE = 8
# Rows have no contrast to normalise: their values are what they are.
SMALL = {
    "method": "random-patches", "n_components": 16, "receptive_field": 3, "stride": 3, "patches": 300, "contrast": False,
    "unit_norm": False,
}  # fmt: skip


def images_of(X):
    """Rows as images of 8 x 8, repeated or cut to that length."""
    return np.resize(X.astype(np.float32).T, (SIDE * SIDE, len(X))).T.reshape(len(X), SIDE, SIDE).copy()


class Rows(BaseEstimator):
    """What both wrappers do to their input."""

    def __init__(self, random_state=0, n_jobs=1):
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _inner(self, kind):
        return kind(**SMALL, random_state=self.random_state, n_jobs=self.n_jobs)


class RowFeatures(TransformerMixin, Rows):
    def fit(self, X, y=None):
        X = self._validate_data(X, ensure_min_samples=2, ensure_min_features=2)
        self.inner_ = self._inner(krica.PatchFeatures).fit(images_of(X))
        return self

    def transform(self, X):
        check_is_fitted(self)
        return self.inner_.transform(images_of(self._validate_data(X, reset=False))).astype(np.float64)


class RowClassifier(ClassifierMixin, Rows):
    def fit(self, X, y):
        X, y = self._validate_data(X, y, ensure_min_samples=2, ensure_min_features=2)
        self.inner_ = self._inner(krica.MaxMarginKRICA).fit(images_of(X), y)
        self.classes_ = self.inner_.classes_
        return self

    def predict(self, X):
        check_is_fitted(self)
        return self.inner_.predict(images_of(self._validate_data(X, reset=False)))

    def decision_function(self, X):
        check_is_fitted(self)
        return self.inner_.decision_function(images_of(self._validate_data(X, reset=False)))

    def predict_proba(self, X):
        check_is_fitted(self)
        return self.inner_.predict_proba(images_of(self._validate_data(X, reset=False)))


@pytest.mark.parametrize("estimator", [RowFeatures(), RowClassifier()], ids=lambda e: type(e).__name__)
def test_scikit_learns_checks(estimator):
    failed = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for each, check in check_estimator(estimator, generate_only=True):
            try:
                check(each)
            except Exception as error:  # all of them are wanted, not the first
                failed.append(f"{getattr(check, 'func', check).__name__}: {type(error).__name__}: {str(error)[:200]}")
    assert not failed, "\n".join(failed)
