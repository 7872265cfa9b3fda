# SPDX-License-Identifier: BSD-3-Clause
"""partial_fit: learning from one part of the data after another."""

import pickle

import krica
import numpy as np
import pytest
from conftest import STREAMING_ESTIMATORS, clouds, small
from sklearn.base import clone


def streamed(estimator, X, y=None, parts=4):
    for rows in np.array_split(np.arange(len(X)), parts):
        estimator.partial_fit(X[rows], None if y is None else y[rows])
    return estimator


@pytest.mark.parametrize("name", STREAMING_ESTIMATORS)
def test_the_objective_falls(name):
    X, _ = clouds(2000)
    estimator = streamed(small(name, batch=32, init="random"), X, parts=10)
    assert estimator.n_iter_ == len(estimator.history_) == 10
    assert estimator.history_["value"][-1] < estimator.history_["value"][0]
    assert estimator.transform(X).shape == (2000, 6)


@pytest.mark.parametrize("name", STREAMING_ESTIMATORS)
def test_goes_on_after_pickling(name):
    X, _ = clouds()
    whole = streamed(small(name, batch=16), X)
    half = streamed(small(name, batch=16), X[:120], parts=2)
    again = streamed(pickle.loads(pickle.dumps(half)), X[120:], parts=2)
    np.testing.assert_array_equal(again.components_, whole.components_)
    assert again.history_.tobytes() == whole.history_.tobytes()


def test_goes_on_from_a_fit_and_is_forgotten_by_the_next():
    X, _ = clouds()
    estimator = small("RICA").fit(X)
    fitted = estimator.components_
    estimator.partial_fit(X[:100])
    moved = np.abs(estimator.components_ - fitted).max()
    assert 0 < moved < 0.1
    np.testing.assert_array_equal(estimator.fit(X).components_, fitted)
    np.testing.assert_array_equal(
        estimator.partial_fit(X).components_, clone(estimator).fit(X).partial_fit(X).components_
    )


def test_classes_in_every_part():
    X, y = clouds()
    estimator = streamed(small("KernelRICA", discrimination=0.1, batch=32), X, y)
    assert list(estimator.atom_class_) == [0, 0, 1, 1, 2, 2]
    with pytest.raises(ValueError, match="one class|multiple of|classes"):
        estimator.partial_fit(X[y == 0], y[y == 0])


def test_only_where_the_solver_is_stochastic():
    assert hasattr(krica.RICA(solver="adam"), "partial_fit")
    assert not hasattr(krica.RICA(solver="lbfgs"), "partial_fit")
    assert not hasattr(krica.ICA(), "partial_fit") and not hasattr(krica.KMeansFeatures(), "partial_fit")
    with pytest.raises(AttributeError, match="solver must be 'adam' or 'auto', got 'lbfgs'"):
        krica.RICA(solver="lbfgs").partial_fit(np.ones((5, 2)))


def test_other_features_are_refused():
    X, _ = clouds()
    estimator = small("RICA").partial_fit(X)
    with pytest.raises(ValueError, match="features"):
        estimator.partial_fit(X[:, :3])
