# SPDX-License-Identifier: BSD-3-Clause
"""krica's loops on NumPy arrays, through libkrica_loops.so of the release build, or the one that KRICA_LOOPS names."""
import ctypes as c
import os
import pathlib

import numpy as np

RELEASE = pathlib.Path(__file__).resolve().parent.parent / "build/release/lib/libkrica_loops.so"
LIBRARY = os.environ.get("KRICA_LOOPS", RELEASE)
i64, pointer = c.c_int64, c.c_void_p


def _load():
    library = c.CDLL(str(LIBRARY))
    signatures = {
        "krica_extractor": (pointer, [pointer, i64, i64, i64, i64, i64, c.c_double]),
        "krica_extractor_free": (None, [pointer]),
        "krica_extractor_parts": (None, [pointer] * 4),
        "krica_encode": (c.c_int, [pointer, pointer, i64, c.c_int, pointer]),
        "krica_patches": (c.c_int, [pointer, i64, i64, i64, i64, i64, pointer]),
        "krica_objective": (pointer, [pointer, i64, i64, i64, c.c_double, c.c_double, c.c_double, c.c_int]),
        "krica_rica_objective": (pointer, [pointer, i64, i64, i64, c.c_double, c.c_double, c.c_int]),
        "krica_objective_free": (None, [pointer]),
        "krica_value_and_gradient": (c.c_int, [pointer] * 4),
        "krica_kmeans": (c.c_int, [pointer, i64, i64, pointer, i64, i64, c.c_int, pointer]),
        "krica_omp": (c.c_int, [pointer, i64, i64, pointer, i64, i64, c.c_int, pointer]),
        "krica_lasso": (c.c_int, [pointer, i64, i64, pointer, i64, c.c_double, c.c_int, pointer]),
        "krica_ksvd": (c.c_int, [pointer, i64, i64, pointer, i64, i64, i64, c.c_int, c.c_int, pointer]),
        "krica_svm": (c.c_int, [pointer, i64, i64, pointer, i64, c.c_double, c.c_int, pointer]),
        "krica_liblinear": (pointer, [pointer, i64, i64, pointer]),
        "krica_liblinear_free": (None, [pointer]),
        "krica_liblinear_train": (c.c_int, [pointer, i64, c.c_double, c.c_double, c.c_int, pointer]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()


def _call(name, *arguments):
    """Arrays go as their addresses; a failure, which was printed, becomes an exception."""
    for array in arguments:
        assert not isinstance(array, np.ndarray) or array.flags.c_contiguous
    result = getattr(_library, name)(*(a.ctypes.data if isinstance(a, np.ndarray) else a for a in arguments))
    if result == -1 or (result is None and getattr(_library, name).restype is pointer):
        raise RuntimeError(f"{name} failed")
    return result


class Extractor:
    """Gaussian code of every patch, summed over 2 x 2 quadrants. images: uint8, count x channels x side x side."""

    def __init__(self, images, field, K, gamma):
        count, channels, side, _ = images.shape
        n = field * field * channels
        self._handle = _call("krica_extractor", images, count, side, channels, field, K, gamma)
        self.field, self.K, self.gamma = field, K, gamma
        self.transform = np.empty((n, n), np.float32)
        self.offset = np.empty(n, np.float32)
        self.atoms = np.empty((K, n), np.float32)
        _call("krica_extractor_parts", self._handle, self.transform, self.offset, self.atoms)

    def __del__(self):
        _library.krica_extractor_free(self._handle)

    def encode(self, images, threads):
        features = np.empty((len(images), 4 * self.K), np.float32)
        _call("krica_encode", self._handle, images, len(images), threads, features)
        return features


def patches(images, field, count):
    """Contrast-normalised, whitened patches, count x n."""
    total, channels, side, _ = images.shape
    result = np.empty((count, field * field * channels), np.float32)
    _call("krica_patches", images, total, side, channels, field, count, result)
    return result


class Objective:
    """value_and_gradient of kRICA (with a gamma) or RICA (without) on samples X."""

    def __init__(self, X, K, sparsity, epsilon, threads, gamma=None):
        self._X = X
        m, n = X.shape
        if gamma is None:
            self._handle = _call("krica_rica_objective", X, m, n, K, sparsity, epsilon, threads)
        else:
            self._handle = _call("krica_objective", X, m, n, K, gamma, sparsity, epsilon, threads)

    def __del__(self):
        _library.krica_objective_free(self._handle)

    def value_and_gradient(self, W):
        value = np.zeros(1)
        gradient = np.empty_like(W)
        _call("krica_value_and_gradient", self._handle, W, value, gradient)
        return value[0], gradient


def kmeans(X, centers, iterations, threads):
    centers = centers.copy()
    inertia = np.zeros(1)
    _call("krica_kmeans", X, *X.shape, centers, len(centers), iterations, threads, inertia)
    return inertia[0]


def omp(X, atoms, nonzeros, threads):
    codes = np.empty((len(X), len(atoms)), np.float32)
    _call("krica_omp", X, *X.shape, atoms, len(atoms), nonzeros, threads, codes)
    return codes


def lasso(X, atoms, sparsity, threads):
    codes = np.empty((len(X), len(atoms)), np.float32)
    _call("krica_lasso", X, *X.shape, atoms, len(atoms), sparsity, threads, codes)
    return codes


def ksvd(X, atoms, nonzeros, iterations, threads, plain=False):
    cost = np.zeros(1)
    _call("krica_ksvd", X, *X.shape, atoms, len(atoms), nonzeros, iterations, plain, threads, cost)
    return cost[0]


def svm(features, labels, classes, C, threads):
    weights = np.empty((classes, features.shape[1] + 1), np.float32)
    _call("krica_svm", features, *features.shape, labels, classes, C, threads, weights)
    return weights


class Liblinear:
    """LIBLINEAR's L2-loss SVM (-s 2 -B 1, or -s 1 for the dual) on the same problem."""

    def __init__(self, features, labels, classes):
        self._shape = (classes, features.shape[1] + 1)
        self._handle = _call("krica_liblinear", features, *features.shape, labels)

    def __del__(self):
        _library.krica_liblinear_free(self._handle)

    def train(self, C, tolerance, dual):
        weights = np.empty(self._shape, np.float32)
        _call("krica_liblinear_train", self._handle, self._shape[0], C, tolerance, dual, weights)
        return weights
