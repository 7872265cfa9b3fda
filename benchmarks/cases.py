# SPDX-License-Identifier: BSD-3-Clause
"""What is compared: each case makes its arrays once, and gives the ways to compute on them for a number of threads."""
import contextlib
import importlib

import numpy as np

import data
import loops
import peers

GAMMA, SPARSITY, EPSILON = 3.0, 0.01, 1e-4


def installed(name):
    """Whether there is such a module; imports it, so that neither its time nor its memory is measured."""
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
        return True
    return False


def relative_error(value, wanted):
    return float(np.linalg.norm(value - wanted) / np.linalg.norm(wanted))


def _unit(rng, rows, cols):
    matrix = rng.standard_normal((rows, cols), dtype=np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


class Case:
    name = ""
    quality_name = ""  # what quality() returns
    agrees = None  # quality -> bool; judged against ours where None
    operations = None  # counted for the rate; None where there is no such figure
    most_repeats = 100  # fewer for those that take minutes

    def candidates(self, threads):
        """{name: function}, ours first."""
        raise NotImplementedError

    def facts(self, _result):
        """Further figures of a result, by name."""
        return {}


class Encode(Case):
    name = "encode and pool"
    quality_name = "relative error"

    def __init__(self, size, cifar):
        self.images = data.colour_images(cifar, size["images"])
        K = size["atoms"]
        self.extractor = loops.Extractor(data.colour_images(cifar, max(64, size["images"])), 6, K, GAMMA)
        self.wanted = peers.encode_numpy(self.images, self.extractor)
        n = 108
        self.operations = 2 * len(self.images) * 27 * 27 * n * (K + n)

    def quality(self, features):
        return relative_error(features, self.wanted)

    def agrees(self, quality):
        return quality < 1e-4

    def candidates(self, threads):
        ways = {"krica": lambda: self.extractor.encode(self.images, threads)}
        ways["NumPy"] = lambda: peers.encode_numpy(self.images, self.extractor)
        if installed("torch"):
            ways["PyTorch"] = lambda: peers.encode_torch(self.images, self.extractor)
        if installed("sklearn.metrics.pairwise"):
            ways["scikit-learn"] = lambda: peers.encode_sklearn(self.images, self.extractor)
        return ways


class _Gradient(Case):
    quality_name = "relative error"

    def __init__(self, size):
        rng = np.random.default_rng(1)
        self.m, self.K, self.n = size["samples"], size["atoms"], 108
        self.X = _unit(rng, self.m, self.n)
        self.W = _unit(rng, self.K, self.n)
        self.value, self.gradient = self._formula(self.X.astype(np.float64), self.W.astype(np.float64))

    def quality(self, result):
        """Of the value or of the gradient, whichever is worse, against the formula in float64."""
        return max(abs(result[0] / self.value - 1), relative_error(result[1], self.gradient))

    def agrees(self, quality):
        return quality < 1e-4

    def candidates(self, threads):
        objective = self._ours(threads)
        ways = {"krica": lambda: objective.value_and_gradient(self.W)}
        if installed("torch"):
            ways |= self._torch()
        return ways


class Krica(_Gradient):
    name = "kRICA gradient"

    def __init__(self, size, _cifar):
        super().__init__(size)
        self.operations = 3 * self.m * self.K**2 + 4 * self.m * self.K * self.n

    def _formula(self, X, W):
        return peers.krica_numpy(X, W, GAMMA, SPARSITY, EPSILON)

    def _ours(self, threads):
        return loops.Objective(self.X, self.K, SPARSITY, EPSILON, threads, gamma=GAMMA)

    def _torch(self):
        arguments = (self.X, self.W, GAMMA, SPARSITY, EPSILON)
        return {"PyTorch, autograd": lambda: peers.krica_torch_autograd(*arguments),
                "PyTorch, gradient by hand": lambda: peers.krica_torch(*arguments)}


class Rica(_Gradient):
    name = "RICA gradient"

    def __init__(self, size, _cifar):
        super().__init__(size)
        self.operations = 4 * self.m * self.K * self.n

    def _formula(self, X, W):
        return peers.rica_numpy(X, W, SPARSITY, EPSILON)

    def _ours(self, threads):
        return loops.Objective(self.X, self.K, SPARSITY, EPSILON, threads)

    def _torch(self):
        products = self.X.T @ self.X  # once, as ours
        return {"PyTorch, sample by sample": lambda: peers.rica_torch(self.X, self.W, SPARSITY, EPSILON),
                "PyTorch, through X'X": lambda: peers.rica_torch_products(self.X, products, self.W, SPARSITY, EPSILON)}


class Kmeans(Case):
    name = "K-means"
    most_repeats = 1
    quality_name = "inertia / ours"

    def __init__(self, size, cifar):
        m, K, self.iterations = size["vectors"], size["atoms"], size["iterations"]
        images = data.colour_images(cifar, min(10000, max(64, m // 20)))
        self.X = loops.patches(images, 6, m)
        self.start = np.ascontiguousarray(self.X[:: m // K][:K])
        self.wanted = loops.kmeans(self.X, self.start, self.iterations, 2)
        # One more assignment than updates: the last tells the inertia.
        self.operations = 2 * (self.iterations + 1) * m * K * self.X.shape[1]

    def quality(self, inertia):
        return inertia / self.wanted

    def agrees(self, quality):
        return abs(quality - 1) < 1e-3

    def candidates(self, threads):
        ways = {"krica": lambda: loops.kmeans(self.X, self.start, self.iterations, threads)}
        if installed("sklearn.cluster"):
            ways["scikit-learn"] = lambda: peers.kmeans_sklearn(self.X, self.start, self.iterations)
        if installed("faiss"):
            ways["faiss"] = lambda: peers.kmeans_faiss(self.X, self.start, self.iterations)
        return ways


class _Codes(Case):
    """Whitened patches of length 1 over a dictionary of some of them."""

    most_repeats = 3

    def __init__(self, size, cifar):
        m, K = size["coded"], size["words"]
        images = data.colour_images(cifar, max(64, (m + K) // 20))
        patches = loops.patches(images, 6, m + K)
        patches /= np.maximum(np.linalg.norm(patches, axis=1, keepdims=True), 1e-6)
        self.X, self.atoms = np.ascontiguousarray(patches[K:]), np.ascontiguousarray(patches[:K])
        self.operations = 2 * m * K * self.X.shape[1]  # the products with the atoms alone: no code has fewer


class Omp(_Codes):
    name = "batch OMP"
    quality_name = "residual / ours"

    def __init__(self, size, cifar):
        super().__init__(size, cifar)
        self.wanted = self._residual(loops.omp(self.X, self.atoms, 10, 2))

    def _residual(self, codes):
        return float(((self.X - codes @ self.atoms).astype(np.float64) ** 2).sum())

    def quality(self, codes):
        return self._residual(codes) / self.wanted

    def agrees(self, quality):
        return abs(quality - 1) < 1e-3

    def candidates(self, threads):
        ways = {"krica": lambda: loops.omp(self.X, self.atoms, 10, threads)}
        if installed("sklearn.linear_model"):
            ways["scikit-learn"] = lambda: peers.omp_sklearn(self.X, self.atoms, 10)
        return ways


class Lasso(_Codes):
    name = "l1 codes"
    quality_name = "objective / ours"
    sparsity = 0.15

    def __init__(self, size, cifar):
        super().__init__(size, cifar)
        self.wanted = self._objective(loops.lasso(self.X, self.atoms, self.sparsity, 2))

    def _objective(self, codes):
        errors = (self.X - codes @ self.atoms).astype(np.float64)
        return float(0.5 * (errors**2).sum() + self.sparsity * np.abs(codes.astype(np.float64)).sum())

    def quality(self, codes):
        return self._objective(codes) / self.wanted

    def facts(self, codes):
        return {"atoms per code": float((codes != 0).sum(axis=1).mean())}

    def agrees(self, quality):
        return 0.99 < quality < 1.01

    def candidates(self, threads):
        ways = {"krica": lambda: loops.lasso(self.X, self.atoms, self.sparsity, threads)}
        if installed("sklearn.decomposition"):
            for algorithm in ("lasso_lars", "lasso_cd"):
                ways[f"SparseCoder, {algorithm}"] = lambda a=algorithm: peers.lasso_sklearn(
                    self.X, self.atoms, self.sparsity, a, threads
                )
        return ways


class Ksvd(_Codes):
    """Two iterations; the plain loop has one thread."""

    name = "K-SVD"
    most_repeats = 1
    quality_name = "cost / ours"

    def __init__(self, size, cifar):
        super().__init__(size, cifar)
        self.X, self.atoms = self.X[: size["ksvd_samples"]].copy(), self.atoms[: size["ksvd_atoms"]].copy()
        self.operations = 3 * 2 * len(self.X) * len(self.atoms) * self.X.shape[1]
        self.wanted = self._run(2, False)

    def _run(self, threads, plain):
        return loops.ksvd(self.X, self.atoms, 5, 2, threads, plain)

    def quality(self, cost):
        return cost / self.wanted

    def agrees(self, quality):
        return abs(quality - 1) < 0.1  # a singular vector against one step towards it

    def candidates(self, threads):
        ways = {"krica": lambda: self._run(threads, False)}
        if threads == 1:
            ways["plain loop"] = lambda: self._run(1, True)
        return ways


class Svm(Case):
    """Pooled features of Fashion-MNIST, standardised, at C m = 100. The peers' tolerances are those that come near our
    objective; the rows say how near, and the accuracy on images that were held out. The primal solvers of LIBLINEAR and
    LinearSVC are the same, and so are the dual ones: LIBLINEAR's own times leave out the copy into its sparse form."""

    name = "L2-SVM"
    most_repeats = 3
    quality_name = "objective / ours"
    sizes = ("svm_images", "svm_atoms")
    with_primal = True

    def __init__(self, size, _cifar):
        count, atoms = (size[name] for name in self.sizes)
        loaded = data.fashion(count + size["svm_held_out"])
        if loaded is None:
            raise RuntimeError("Debian's package dataset-fashion-mnist is not installed")
        images, labels = loaded
        extractor = loops.Extractor(images[:count], 6, atoms, GAMMA)
        features = extractor.encode(images, 2)
        features -= features[:count].mean(axis=0)
        features /= features[:count].std(axis=0) + 1e-6
        self.features, self.held_out = np.ascontiguousarray(features[:count]), features[count:]
        self.labels, self.held_out_labels = np.ascontiguousarray(labels[:count]), labels[count:]
        self.name = f"L2-SVM {count} x {4 * atoms}"
        self.C = 100 / count
        self.liblinear = loops.Liblinear(self.features, self.labels, 10)
        self.wanted = self._objective(loops.svm(self.features, self.labels, 10, self.C, 2))

    def _objective(self, weights):
        weights = weights.astype(np.float64)
        scores = self.features @ weights[:, :-1].T + weights[:, -1]
        signs = np.where(self.labels[:, None] == np.arange(10), 1.0, -1.0)
        return 0.5 * (weights**2).sum() + self.C * (np.maximum(0, 1 - signs * scores) ** 2).sum()

    def quality(self, result):
        """None for SVC, which minimises another objective."""
        return self._objective(result) / self.wanted if isinstance(result, np.ndarray) else None

    def facts(self, result):
        if not isinstance(result, np.ndarray):
            return {"held-out accuracy": result.score(self.held_out, self.held_out_labels)}
        best = (self.held_out @ result[:, :-1].T + result[:, -1]).argmax(axis=1)
        return {"objective": self._objective(result), "held-out accuracy": float((best == self.held_out_labels).mean())}

    def agrees(self, quality):
        return -1e-3 < quality - 1 < 2e-2  # the peers stop earlier

    def candidates(self, threads):
        ways = {"krica": lambda: loops.svm(self.features, self.labels, 10, self.C, threads)}
        if self.with_primal:
            ways["LIBLINEAR, primal, 0.01"] = lambda: self.liblinear.train(self.C, 1e-2, dual=False)
        ways["LIBLINEAR, dual, 0.1"] = lambda: self.liblinear.train(self.C, 1e-1, dual=True)
        if installed("sklearn.svm"):
            arguments = (self.features, self.labels, self.C)
            if self.with_primal:
                ways["LinearSVC, primal, 0.001"] = lambda: peers.svm_sklearn(*arguments, 1e-3, False)
            ways["LinearSVC, dual, 0.1"] = lambda: peers.svm_sklearn(*arguments, 1e-1, True)
            ways["SVC, hinge, one-vs-one"] = lambda: peers.svc_linear(*arguments)
        return ways


class SvmWide(Svm):
    """Fewer samples than features: a primal solver takes many minutes."""

    sizes = ("svm_images", "svm_wide_atoms")
    with_primal = False


class SvmTall(Svm):
    """Many samples."""

    sizes = ("svm_tall_images", "svm_atoms")


CASES = {"encode": Encode, "krica": Krica, "rica": Rica, "kmeans": Kmeans, "omp": Omp, "lasso": Lasso, "ksvd": Ksvd,
         "svm": Svm, "svm-wide": SvmWide, "svm-tall": SvmTall}

FULL = {"images": 256, "atoms": 1600, "samples": 16384, "vectors": 400000, "iterations": 10, "coded": 4000,
        "words": 1024, "ksvd_samples": 4000, "ksvd_atoms": 200, "svm_images": 2000,
        "svm_atoms": 400, "svm_wide_atoms": 1600, "svm_tall_images": 20000, "svm_held_out": 2000}
QUICK = {"images": 16, "atoms": 200, "samples": 1024, "vectors": 10000, "iterations": 3, "coded": 300, "words": 200,
         "ksvd_samples": 300, "ksvd_atoms": 50, "svm_images": 400,
         "svm_atoms": 50, "svm_wide_atoms": 200, "svm_tall_images": 800, "svm_held_out": 200}

# How cost grows: the case, and the size that doubles.
GROWTH = [("encode", "atoms"), ("encode", "images"), ("krica", "atoms"), ("krica", "samples"), ("kmeans", "atoms"),
          ("kmeans", "vectors")]
