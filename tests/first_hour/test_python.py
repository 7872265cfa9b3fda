# SPDX-License-Identifier: BSD-3-Clause
"""Somebody with a scikit-learn pipeline."""

import warnings

import numpy as np
import pytest
from conftest import KINDS, photograph
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

krica = pytest.importorskip("krica")


@pytest.fixture(scope="module")
def photos():
    random = np.random.default_rng(0)
    labels = np.arange(150) % 3
    return np.stack([photograph(KINDS[label], random, 24, 24) for label in labels]), labels


@pytest.fixture(scope="module")
def classifier(photos):
    X, y = photos
    return krica.MaxMarginKRICA(method="random-patches", n_components=40, patches=3000).fit(X[:100], 10 * y[:100] + 1)


def test_predict_gives_back_what_fit_was_given(classifier, photos, tmp_path):
    X, y = photos
    assert classifier.predict(X[100:]).dtype.kind == "i" and set(classifier.predict(X[100:])) <= {1, 11, 21}
    classifier.save(tmp_path / "m.krica")
    loaded = krica.load(tmp_path / "m.krica")
    np.testing.assert_array_equal(loaded.classes_, classifier.classes_)
    np.testing.assert_array_equal(loaded.predict(X[100:]), classifier.predict(X[100:]))


def test_bytes_and_floats_in_0_to_1_are_the_same_images(classifier, photos):
    X = photos[0][100:]
    np.testing.assert_array_equal(classifier.predict((X / 255).astype(np.float32)), classifier.predict(X))
    with pytest.raises(ValueError, match="0 to 255"):
        classifier.predict(((X - 128.0) / 64).astype(np.float32))


def test_probabilities_keep_the_order(classifier, photos):
    X = photos[0][100:]
    probabilities = classifier.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(classifier.classes_[probabilities.argmax(axis=1)], classifier.predict(X))


def test_former_names_still_work(photos):
    X, y = photos
    with pytest.warns(FutureWarning, match="n_components"):
        former = krica.PatchFeatures(method="random-patches", components=8, seed=3, patches=500).fit(X)
    now = krica.PatchFeatures(method="random-patches", n_components=8, random_state=3, patches=500).fit(X)
    np.testing.assert_array_equal(former.components_, now.components_)


def test_features_as_a_data_frame(photos):
    pandas = pytest.importorskip("pandas")
    features = krica.PatchFeatures(method="random-patches", n_components=8, patches=500).set_output(transform="pandas")
    frame = features.fit_transform(photos[0])
    assert isinstance(frame, pandas.DataFrame) and frame.columns[0] == "patchfeatures0"


def test_trouble_is_a_convergence_warning():
    X = np.random.default_rng(0).normal(size=(200, 10))
    with pytest.warns(ConvergenceWarning):
        krica.RICA(20, iterations=1).fit(X)


def test_matlabs_convention_and_defaults_separate_sources():
    random = np.random.default_rng(1)
    sources = random.laplace(size=(4000, 8))
    mixed = sources @ random.normal(size=(8, 8))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        codes = krica.RICA(8).fit_transform(mixed)
    assert np.abs(np.corrcoef(codes.T, sources.T)[:8, 8:]).max(axis=1).min() >= 0.99
    matlab = krica.RICA(8, convention="matlab").fit(mixed)
    np.testing.assert_allclose(np.linalg.norm(matlab.components_, axis=1), 1, rtol=1e-4)
    assert matlab.status_ not in ("collapsed", "diverged")


def test_the_documented_pipeline_beats_the_raw_pixels():
    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    raw = LinearSVC(dual=True, max_iter=5000).fit(X, y).score(X_test, y_test)
    pipeline = make_pipeline(krica.KernelRICA(200), StandardScaler(), LogisticRegression(max_iter=1000))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert pipeline.fit(X, y).score(X_test, y_test) > raw
