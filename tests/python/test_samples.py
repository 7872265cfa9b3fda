# SPDX-License-Identifier: BSD-3-Clause
"""Estimators of samples: units, signed codes, MATLAB's convention, and warnings."""

import warnings

import krica
import numpy as np
import pytest
from conftest import SAMPLE_ESTIMATORS, clouds, small
from sklearn.exceptions import ConvergenceWarning


def sources(rows=4000, count=8, seed=0):
    random = np.random.default_rng(seed)
    independent = random.laplace(size=(rows, count))
    return independent, independent @ random.normal(size=(count, count))


def agreement(codes, independent):
    """For every source the highest |correlation| with a code."""
    count = codes.shape[1]
    return np.abs(np.corrcoef(codes.T, independent.T)[:count, count:]).max(axis=0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "name, options",
    [
        (name, options)
        for name in SAMPLE_ESTIMATORS
        for options in ({}, {"whitening": "none"}, {"whitening": "standardise"}, {"contrast": True})
        if name != "KICA" or "whitening" not in options  # it has a whitening of its own
    ],
)
def test_the_unit_of_the_samples_does_not_matter(name, options):
    X, _ = clouds()
    X = X @ np.random.default_rng(1).normal(size=(6, 6)) + 5
    estimator = small(name, **options).set_params(n_components=5)
    expected = estimator.fit_transform(X)
    for factor in (1e-9, 1e-6, 1e3, 1e9):
        codes = estimator.fit_transform(factor * X)
        assert np.abs(codes - expected).max() <= 1e-4 * np.abs(expected).max(), factor


def test_samples_far_from_zero_keep_their_digits():
    independent, mixed = sources(count=3)
    assert (agreement(krica.RICA(3).fit_transform(mixed + 1e8), independent) > 0.99).all()


@pytest.mark.parametrize("estimator", [krica.RICA(8), krica.ICA(8), krica.RICA(8, convention="matlab", whitening="zca")])
def test_sources_are_separated_by_default(estimator):
    independent, mixed = sources()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        codes = estimator.fit_transform(mixed)
    assert (agreement(codes, independent) > 0.99).all()
    assert estimator.status_ == "converged"
    np.testing.assert_allclose(estimator.inverse_transform(codes), mixed, atol=1e-3)


@pytest.mark.parametrize("name", ["RICA", "ICA", "SparseFiltering"])
@pytest.mark.parametrize("whitening", ["zca", "pca", "standardise", "none"])
def test_filters_in_the_space_of_the_samples(name, whitening):
    X, _ = clouds()
    X = 1e-6 * X + 3e-6
    estimator = small(name, encoder="linear", whitening=whitening)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        codes = estimator.fit_transform(X)
    np.testing.assert_allclose((X - estimator.mean_) @ estimator.input_components_.T, codes, atol=1e-4)


def test_nonlinear_preprocessing_has_no_filters():
    X, _ = clouds()
    learned = krica.RICA(5).fit(X)
    assert hasattr(learned, "input_components_")
    learned.set_params(contrast=True).fit(X)
    assert not hasattr(learned, "input_components_") and not hasattr(learned, "mean_")
    assert not hasattr(krica.KernelRICA(5, unit_norm=True).fit(X), "input_components_")


def test_matlabs_rica():
    """A stationary point of MATLAB's objective, with unit rows, on the data as they are."""
    X, _ = clouds(1000)
    learned = krica.RICA(8, convention="matlab").fit(X)
    assert learned.status_ == "converged"
    W = learned.components_
    np.testing.assert_allclose(np.linalg.norm(W, axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(learned.input_components_, W)
    np.testing.assert_array_equal(learned.mean_, np.zeros(6))
    np.testing.assert_allclose(learned.transform(X), X @ W.T, atol=1e-4)
    options = dict(contrast="matlab-logcosh", weight=1.0, weight_on="reconstruction", row_norm="exact")
    assert np.linalg.norm(krica.rica_objective(W, X, **options)[1]) < 1e-2


@pytest.mark.parametrize("contrast", ["logcosh", "exp", "sqrt"])
def test_matlabs_options(contrast):
    X, _ = clouds(500)
    start = np.random.default_rng(3).normal(size=(4, 6))
    options = dict(convention="matlab", rica_contrast=contrast, reconstruction_weight=3.0)
    learned = krica.RICA(4, init=start, non_gaussianity=[1, -1, 1, 1], **options).fit(X)
    assert learned.status_ == "converged"
    untouched = krica.RICA(4, init=start, iterations=0, **options)
    with pytest.warns(ConvergenceWarning, match="raise iterations"):
        untouched.fit(X)
    np.testing.assert_allclose(untouched.components_, start / np.linalg.norm(start, axis=1, keepdims=True), atol=1e-6)


@pytest.mark.parametrize(
    "options, message",
    [
        (dict(convention="matlab", sparsity=0.1), "reconstruction-weight instead of sparsity"),
        (dict(reconstruction_weight=2.0), "set sparsity instead"),
        (dict(init=np.zeros((3, 6))), "3 x 6"),
        (dict(init=np.zeros(6)), "init must be"),
        (dict(non_gaussianity=[1, 0, 1, 1]), "must be 1 or -1"),
    ],
)
def test_what_would_be_ignored_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        krica.RICA(4, **options).fit(clouds()[0])


def messages(estimator, X):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(X)
    return [str(warning.message) for warning in caught if warning.category is ConvergenceWarning]


def test_trouble_is_a_warning_that_fits_the_method():
    X, _ = clouds()
    (message,) = messages(krica.RICA(6, iterations=2), X)
    assert "not converged after 2 iterations; raise iterations" in message and "gamma" not in message
    (message,) = messages(krica.RICA(12, solver="adam", epochs=2), X)
    assert "raise epochs" in message
    (message,) = messages(krica.KernelRICA(6, gamma=1e5, init="random"), X)
    assert "diverged" in message and "a smaller gamma" in message
    (message,) = messages(krica.RICA(6, convention="matlab", init=np.ones((6, 6)), iterations=0), X)
    assert "collapsed" in message and "a larger reconstruction_weight" in message and "gamma" not in message
    assert messages(krica.RICA(6), X) == []


def test_pandas_in_and_out():
    pandas = pytest.importorskip("pandas")
    X, y = clouds()
    frame = pandas.DataFrame(X, columns=[f"lead {i}" for i in range(6)], index=np.arange(100, 340))
    for name in SAMPLE_ESTIMATORS:
        estimator = small(name).set_output(transform="pandas")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            codes = estimator.fit_transform(frame)
        assert list(codes.columns) == list(estimator.get_feature_names_out()) and codes.index.equals(frame.index)
        assert list(estimator.feature_names_in_) == list(frame.columns)
        with pytest.raises(ValueError, match="feature names"):
            estimator.transform(frame.rename(columns={"lead 0": "other"}))


@pytest.mark.parametrize("labels", [np.array([7, 3, 5]), np.array([0.5, 1.5, 2.5]), np.array([True, False, True]), list("abc")])
def test_labels_of_any_type(labels):
    X, y = clouds()
    names = np.asarray(labels)[y]
    learned = small("KernelRICA", discrimination=0.5, iterations=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learned.fit(X, names)
    np.testing.assert_array_equal(learned.classes_, np.unique(names))
    assert learned.classes_.dtype == names.dtype
