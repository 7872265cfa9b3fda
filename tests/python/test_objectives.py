# SPDX-License-Identifier: BSD-3-Clause
"""The objectives beside NumPy and central differences."""

import itertools

import krica
import numpy as np
import pytest

KERNELS = ["linear", "gaussian", "polynomial", "inverse-distance", "inverse-square-distance", "histogram-intersection"]
CONTRASTS = ["smooth-l1", "logcosh", "matlab-logcosh", "exp", "l2-pooling"]
LABELS = np.arange(30) % 2


@pytest.fixture
def problem():
    random = np.random.default_rng(3)
    return 0.5 * random.normal(size=(4, 5)), 0.5 * random.normal(size=(30, 5))


def assert_gradient(function, W, step=1e-6):
    value, gradient = function(W)
    assert isinstance(value, float) and gradient.shape == W.shape
    for place in itertools.product(*map(range, W.shape)):
        change = np.zeros_like(W)
        change[place] = step
        slope = (function(W + change)[0] - function(W - change)[0]) / (2 * step)
        assert gradient[place] == pytest.approx(slope, rel=1e-5, abs=1e-7 * np.abs(gradient).max() + 1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("pooling", [None, "topographic", 2, np.int64(4), np.arange(16).reshape(4, 4)])
def test_krica_gradient(problem, kernel, pooling):
    W, X = problem
    assert_gradient(lambda at: krica.objective(at, X, kernel=kernel, gamma=0.7, pooling=pooling, sparsity=0.3), W)


@pytest.mark.parametrize("reading", ["sum", "select"])
@pytest.mark.parametrize("homogeneous", [True, False])
@pytest.mark.parametrize("elastic", ["auto", 0.4])
def test_discrimination_gradient(problem, reading, homogeneous, elastic):
    W, X = problem
    options = dict(labels=LABELS, discrimination=0.8, reading=reading, homogeneous=homogeneous, elastic=elastic)
    assert_gradient(lambda at: krica.objective(at, X, gamma=0.7, **options), W)
    assert_gradient(lambda at: krica.objective(at, X, gamma=0.7, atom_class=[1, 0, 0, 1], **options), W)


@pytest.mark.parametrize("contrast", CONTRASTS)
@pytest.mark.parametrize("row_norm", ["none", "soft", "exact"])
def test_rica_gradient(problem, contrast, row_norm):
    W, X = problem
    for weight_on, reduce in itertools.product(["sparsity", "reconstruction"], ["mean", "sum"]):
        options = dict(contrast=contrast, row_norm=row_norm, weight_on=weight_on, reduce=reduce, weight=0.6)
        assert_gradient(lambda at: krica.rica_objective(at, X, sign=[1, -1, 1, 1], **options), W)


def test_value_of_d_krica(problem):
    W, X = problem
    gamma, sparsity, epsilon, alpha = 0.7, 0.3, 1e-3, 0.8

    def gaussian(a, b):
        return np.exp(-gamma * ((a[:, None] - b[None]) ** 2).sum(2))

    S, G = gaussian(X, W), gaussian(W, W)
    own = LABELS[:, None] == np.array([0, 0, 1, 1])
    d = (S * ~own).sum(1) ** 2 - (S * own).sum(1) ** 2 + 3 * (S**2).sum(1)  # elastic: 2 atoms a class, and 1
    each = 1 + ((S @ G) * S).sum(1) - 2 * (S**2).sum(1) + sparsity * np.sqrt(epsilon + S**2).sum(1) + alpha * d
    value, _ = krica.objective(W, X, gamma=gamma, sparsity=sparsity, epsilon=epsilon, labels=LABELS, discrimination=alpha)
    assert value == pytest.approx(each.mean(), rel=1e-12)


def test_value_of_rica(problem):
    W, X = problem
    V = W / np.linalg.norm(W, axis=1, keepdims=True)
    S = X @ V.T
    expected = 0.6 * ((S @ V - X) ** 2).sum() + 0.5 * np.log(np.cosh(2 * S)).sum()
    options = dict(contrast="matlab-logcosh", weight=0.6, weight_on="reconstruction", reduce="sum", row_norm="exact")
    assert krica.rica_objective(W, X, **options)[0] == pytest.approx(expected, rel=1e-12)


def test_linear_kernel_is_rica(problem):
    W, X = problem
    linear = krica.objective(W, X, kernel="linear", sparsity=0.2)
    rica = krica.rica_objective(W, X, weight=0.2)
    assert linear[0] == pytest.approx(rica[0], rel=1e-12)
    np.testing.assert_allclose(linear[1], rica[1], rtol=1e-9, atol=1e-12)


def test_auto_gamma_fits_the_samples(problem):
    W, X = problem
    pairs = ((X[:, None] - X[None]) ** 2).sum(2)[np.triu_indices(30, 1)]
    by_hand = krica.objective(W, X, gamma=6 / np.median(pairs))[0]
    assert krica.objective(W, X, gamma="auto")[0] == pytest.approx(by_hand, rel=0.1)


def test_types_and_memory_orders(problem):
    W, X = problem
    value, gradient = krica.objective(W, X)
    narrow = krica.objective(W.astype(np.float32), X.astype(np.float32))
    assert gradient.dtype == np.float64 and narrow[1].dtype == np.float32
    assert narrow[0] == pytest.approx(value, rel=1e-5)
    X.setflags(write=False)
    for other in (np.asfortranarray(X), X.tolist(), np.repeat(X, 2, axis=1)[:, ::2]):
        np.testing.assert_array_equal(krica.objective(W, other)[1], gradient)
    assert krica.objective(W.astype(np.float32), X)[1].dtype == np.float64


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"W": np.ones(5)}, "Expected 2D array"),
        ({"W": np.ones((4, 3))}, "3 columns"),
        ({"W": np.full((4, 5), np.nan)}, "NaN"),
        ({"W": np.ones((0, 5))}, "n_components|components"),
        ({"X": np.full((30, 5), np.inf)}, "X|samples"),
        ({"X": np.ones((0, 5))}, "samples|empty"),
        ({"X": np.ones((30, 5)) * 1j}, "Complex data not supported"),
        ({"X": [["a", "b"]]}, "could not convert"),
        ({"kernel": "cosine"}, "unknown kernel|cosine"),
        ({"gamma": -1.0}, "gamma"),
        ({"gamma": "wide"}, "gamma cannot be 'wide'"),
        ({"degree": 2.5}, "degree cannot be 2.5"),
        ({"elastic": "loose"}, "elastic cannot be 'loose'"),
        ({"sparsity": -1.0}, "sparsity"),
        ({"pooling": "rings"}, "rings"),
        ({"pooling": 3}, "3"),
        ({"pooling": np.ones((2, 3))}, "K x K"),
        ({"discrimination": 1.0}, "labels"),
        ({"discrimination": 1.0, "labels": [0, 1]}, "labels"),
        ({"discrimination": 1.0, "labels": LABELS, "reading": "loud"}, "loud"),
        ({"discrimination": 1.0, "labels": LABELS + 0.5}, "whole numbers"),
    ],
)
def test_wrong_arguments(problem, arguments, message):
    given = {"W": problem[0], "X": problem[1], **arguments}
    with pytest.raises(ValueError, match=message):
        krica.objective(given.pop("W"), given.pop("X"), **given)


def test_wrong_arguments_of_rica(problem):
    W, X = problem
    with pytest.raises(ValueError, match="cubic"):
        krica.rica_objective(W, X, contrast="cubic")
    with pytest.raises(ValueError, match="sign"):
        krica.rica_objective(W, X, sign=[1, 2, 1, 1])
    with pytest.raises(TypeError):
        krica.rica_objective(W, X, gamma=1.0)
