# SPDX-License-Identifier: BSD-3-Clause
"""Wrong input: the exception that users of scikit-learn expect, with the library's text."""

import os

import krica
import numpy as np
import pytest
from conftest import clouds, small
from krica._sample_base import _as_float32
from sklearn.exceptions import NotFittedError


def test_unfitted(sample_estimator, tmp_path):
    for use in (sample_estimator.transform, lambda _: sample_estimator.save(tmp_path / "m")):
        with pytest.raises(NotFittedError):
            use(np.ones((3, 2)))


@pytest.mark.parametrize(
    "X, message",
    [
        (np.ones(5), "Expected 2D array"),
        (np.ones((5, 2, 2)), "dim 3"),
        (np.ones((0, 3)), "0 sample"),
        (np.ones((5, 0)), "0 feature"),
        (np.ones((1, 3)), "1 sample"),
        (np.full((5, 3), np.nan), "NaN"),
        (np.full((5, 3), np.inf), "infinity"),
        (np.diag([1e300, 1, 1, 1]), "beyond float32"),
        (np.array([["a", "b"], ["c", "d"]]), "could not convert|numeric"),
        (np.ones((5, 3)) * 1j, "Complex data not supported"),
        (np.zeros((5, 3)), "nothing to learn"),
    ],
)
def test_wrong_arrays(sample_estimator, X, message):
    with pytest.raises(ValueError, match=message):
        sample_estimator.fit(X)


def test_other_features_than_learned(sample_estimator):
    X, _ = clouds()
    with pytest.raises(ValueError, match="3 features, but .* is expecting 6"):
        sample_estimator.fit(X).transform(X[:, :3])
    with pytest.raises(ValueError, match="beyond float32"):
        sample_estimator.transform(X * 1e300)


def test_memory_orders_and_read_only(sample_estimator):
    X, _ = clouds()
    codes = sample_estimator.fit_transform(X)
    X.setflags(write=False)
    for other in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X.tolist()):
        np.testing.assert_array_equal(sample_estimator.fit_transform(other), codes)


def test_what_is_not_copied(images):
    X, _ = clouds(dtype=np.float32)
    estimator = small("RICA")
    assert np.shares_memory(_as_float32(estimator._validated(X, reset=True)), X)
    for pictures in (images.data, images.data[:5].astype(np.float32)):
        assert np.shares_memory(krica.PatchFeatures()._validated(pictures), pictures)


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"n_components": 0}, "components must be > 0, got 0"),
        ({"n_components": 2.5}, "components must be a whole number, got 2.5"),
        ({"sparsity": -1.0}, "sparsity must be auto or >= 0, got -1"),
        ({"sparsity": "much"}, "sparsity must be a number, got 'much'"),
        ({"solver": "newton"}, "unknown solver 'newton'; known: lbfgs, adam, fixed-point"),
        ({"kernel": "cosine"}, "cosine"),
        ({"encoder": "zip"}, "zip"),
        ({"whitening": 3.5}, "whitening must be a string, got 3.5"),
        ({"pooling_groups": 4}, "4"),
        ({"random_state": "yes"}, "RandomState"),
        ({"memory": "a lot"}, "memory must be a size such as 512M or 4G"),
        ({"memory": "inf"}, "for no limit, use the maximum of 1024T"),
        ({"memory": "100K"}, "memory must be 1M to 1024T"),
        ({"memory": "1025T"}, "memory must be 1M to 1024T"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_wrong_parameters(parameters, message):
    X, _ = clouds()
    with pytest.raises(ValueError, match=message):
        small("RICA").set_params(**parameters).fit(X)


def test_unknown_parameters():
    with pytest.raises(TypeError, match="gama"):
        krica.KernelRICA(gama=1.0)
    with pytest.raises(ValueError, match="Invalid parameter 'gama'"):
        krica.KernelRICA().set_params(gama=1.0)


def test_files(tmp_path):
    X, _ = clouds()
    with pytest.raises(FileNotFoundError, match="nowhere.krica"):
        krica.load(tmp_path / "nowhere.krica")
    with pytest.raises(FileNotFoundError, match="no_directory"):
        small("RICA").fit(X).save(tmp_path / "no_directory" / "m.krica")
    with pytest.raises(OSError, match="directory"):
        krica.load(tmp_path)
    (tmp_path / "text.krica").write_text("not a model at all")
    with pytest.raises(ValueError, match="text.krica"):
        krica.load(tmp_path / "text.krica")


def test_beyond_the_memory_budget():
    with pytest.raises(ValueError, match="needs a memory budget"):
        krica.RICA(n_components=2**37).fit([[1, 1, 1], [2, 2, 2]])


@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="AddressSanitizer ends a process that asks for so much")
def test_out_of_memory():
    with pytest.raises(MemoryError):  # a budget that the machine does not have
        krica.RICA(n_components=2**37, memory="1024T").fit([[1, 1, 1], [2, 2, 2]])
