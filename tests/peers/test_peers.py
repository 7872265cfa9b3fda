# SPDX-License-Identifier: BSD-3-Clause
"""The library beside scikit-learn, on the same numbers (the program's path is in KRICA_PEERS)."""

import os
import subprocess

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn", reason="scikit-learn is not installed")
from sklearn.cluster import KMeans  # noqa: E402
from sklearn.decomposition import FastICA, KernelPCA, SparseCoder, dict_learning  # noqa: E402
from sklearn.linear_model import Lasso, orthogonal_mp_gram  # noqa: E402


@pytest.fixture
def peers(tmp_path):
    """peers("ica", X, 6): arrays go as files; returns what was written and what was printed."""

    def run(command, *arguments):
        words = []
        for position, argument in enumerate(arguments):
            if isinstance(argument, np.ndarray):
                path = tmp_path / f"{position}.npy"
                np.save(path, argument)
                argument = path
            words.append(str(argument))
        out = tmp_path / "out.npy"
        done = subprocess.run([os.environ["KRICA_PEERS"], command, *words, out], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return np.load(out).astype(float), done.stdout

    return run


def amari_distance(unmixing, mixing):
    P = np.abs(unmixing @ mixing)
    n = len(P)
    by_rows = (P.sum(1) / P.max(1) - 1).sum()
    by_cols = (P.sum(0) / P.max(0) - 1).sum()
    return (by_rows + by_cols) / (2 * n * (n - 1))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_ica_finds_what_fastica_finds(peers, seed):
    random = np.random.default_rng(seed)
    mixing = random.normal(size=(8, 8))
    X = random.laplace(size=(5000, 8)) @ mixing.T
    theirs = FastICA(8, whiten="unit-variance", tol=1e-8, max_iter=1000, random_state=seed).fit(X)
    atoms, _ = peers("ica", X, 8)
    assert amari_distance(atoms, np.linalg.pinv(theirs.components_)) < 0.02
    assert amari_distance(atoms, mixing) < 0.05


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_kmeans_ends_where_theirs_does(peers, seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(3000, 6)) + 3 * random.integers(0, 2, size=(3000, 6))
    start = X[random.choice(3000, 20, replace=False)]
    theirs = KMeans(20, init=start, n_init=1, max_iter=300, tol=0, algorithm="lloyd").fit(X)
    _, inertia = peers("kmeans", X, start)
    assert float(inertia) == pytest.approx(theirs.inertia_, rel=0.01)


def test_kernel_pca_has_their_eigenvalues_and_projections(peers):
    X = np.random.default_rng(1).normal(size=(300, 5))
    theirs = KernelPCA(8, kernel="rbf", gamma=0.1, eigen_solver="dense")
    expected = theirs.fit_transform(X)
    projected, values = peers("kpca", X, 0.1, 8)
    eigenvalues = len(X) * np.array(values.split(), dtype=float)
    assert np.allclose(eigenvalues, theirs.eigenvalues_, rtol=1e-5, atol=0)
    signs = np.sign((projected * expected).sum(0))
    assert np.linalg.norm(projected * signs - expected) < 1e-5 * np.linalg.norm(expected)


def gaussian_problem(seed, samples=20, atoms=60):
    """G and the correlations of samples with atoms under a Gaussian kernel."""
    random = np.random.default_rng(seed)
    X, W = random.normal(size=(samples, 4)), random.normal(size=(atoms, 4))

    def gram(a, b):
        return np.exp(-0.5 * ((a[:, None] - b[None]) ** 2).sum(2))

    return gram(W, W), gram(X, W)


def costs(G, correlations, codes, sparsity):
    """κ(x,x) - 2 s·c + s G s + λ|s|, a row each, with κ(x,x) = 1."""
    quadratic = np.einsum("iu,uv,iv->i", codes, G, codes)
    return 1 - 2 * (codes * correlations).sum(1) + quadratic + sparsity * np.abs(codes).sum(1)


# Nearly exactly, as KSR learns, and as it encodes: there the worst code measured cost 1.6e-5 more than the best.
@pytest.mark.parametrize("tolerance, bound", [(1e-9, 1e-6), (1e-6, 1e-6), (1e-4, 3e-5)])
@pytest.mark.parametrize("sparsity", [0.3, 0.05])
def test_lasso_codes_cost_what_theirs_cost(peers, sparsity, tolerance, bound):
    G, correlations = gaussian_problem(1)
    codes, _ = peers("lasso", G, correlations, sparsity, tolerance)
    # Rows of the root of G are the atoms in coordinates: |A's - y|² has the same G and correlations.
    values, vectors = np.linalg.eigh(G)
    A = vectors * np.sqrt(values)
    ours = costs(G, correlations, codes, sparsity)
    for i, c in enumerate(correlations):
        y = vectors.T @ c / np.sqrt(values)
        lasso = Lasso(alpha=sparsity / (2 * len(y)), fit_intercept=False, tol=1e-14, max_iter=1000000)
        theirs = costs(G, c[None], lasso.fit(A.T, y).coef_[None], sparsity)[0]
        assert ours[i] == pytest.approx(theirs, rel=bound)
    assert (codes != 0).sum(1).max() < 60


def test_lasso_codes_cost_what_the_sparse_coder_gives(peers):
    random = np.random.default_rng(2)
    W, X = random.normal(size=(30, 12)), random.normal(size=(10, 12))
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    coder = SparseCoder(W, transform_algorithm="lasso_lars", transform_alpha=0.1, transform_max_iter=10000)
    theirs = costs(W @ W.T, X @ W.T, coder.transform(X), 0.2)
    codes, _ = peers("lasso", W @ W.T, X @ W.T, 0.2, 1e-9)
    assert costs(W @ W.T, X @ W.T, codes, 0.2) == pytest.approx(theirs, rel=1e-6)


def unit_rows(random, rows, columns):
    matrix = random.normal(size=(rows, columns))
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


@pytest.mark.parametrize("nonzeros", [1, 5, 12])
def test_pursuits_choose_the_atoms_that_theirs_choose(peers, nonzeros):
    random = np.random.default_rng(3)
    atoms, X = unit_rows(random, 120, 40), random.normal(size=(2000, 40))
    theirs = orthogonal_mp_gram(atoms @ atoms.T, atoms @ X.T, n_nonzero_coefs=nonzeros).reshape(120, -1).T
    ours, _ = peers("omp", atoms, X, nonzeros)
    same = ((ours != 0) == (theirs != 0)).all(axis=1)
    assert same.mean() >= 0.999
    assert np.abs(ours - theirs)[same].max() < 1e-5


@pytest.mark.parametrize("sparsity", [0.05, 0.15])
def test_sparse_coding_ends_no_higher_than_theirs(peers, sparsity):
    random = np.random.default_rng(4)
    X = unit_rows(random, 300, 12)
    start = X[:24].copy()
    first = SparseCoder(start, transform_algorithm="lasso_cd", transform_alpha=sparsity).transform(X)
    *_, errors = dict_learning(
        X, 24, alpha=sparsity, max_iter=15, tol=0, method="cd", dict_init=start, code_init=first, random_state=0
    )
    _, objective = peers("sparse-coding", X, start, sparsity, 15)
    assert float(objective) * len(X) <= 1.01 * errors[-1]
