#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records what SciPy's L-BFGS-B reaches on the problems of test_lbfgs_scipy.cpp.

Writes scipy_reference.hpp beside itself; run it again after a change of the problems:

    python3 tests/solvers/scipy_reference.py

The problems are made here and in portable_problems.hpp by the same arithmetic: splitmix64,
Laplacian numbers by the inverse of their distribution function, whitening by the Cholesky factor
of the covariance. All sums run in the order written, so both languages see the same numbers up to
the last digit or two of `log` and `sqrt`; the check sums recorded here are compared in the test.
"""
import math
import pathlib

import numpy as np
import scipy
from scipy.optimize import minimize, rosen, rosen_der

MASK = (1 << 64) - 1
OPTIONS = {"maxcor": 10, "ftol": 0.0, "gtol": 1e-9, "maxiter": 20000, "maxfun": 50000}
TARGET = 1e-6  # relative to |f*|; absolute where f* is 0
STARTS = 10


class SplitMix:
    """Steele, Lea and Flood, OOPSLA 2014."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def uniform(self):
        return ((self.next() >> 11) + 0.5) * 2.0**-53

    def symmetric(self):
        return 2 * self.uniform() - 1

    def laplacian(self):
        u = self.symmetric()
        return math.copysign(-math.log(1 - abs(u)), u)


def dot(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total += x * y
    return total


def cholesky(C):
    n = len(C)
    L = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = C[i][j] - dot(L[i][:j], L[j][:j])
            L[i][j] = math.sqrt(rest) if i == j else rest / L[j][j]
    return L


def whitened_mixtures(n, sources, m, seed):
    """m samples of n mixtures of Laplacian sources, mean 0 and covariance I."""
    random = SplitMix(seed)
    mixing = [[random.symmetric() for _ in range(sources)] for _ in range(n)]
    X = []
    for _ in range(m):
        s = [random.laplacian() for _ in range(sources)]
        X.append([dot(row, s) for row in mixing])
    columns = [list(column) for column in zip(*X)]
    for column in columns:
        mean = dot(column, [1.0] * m) / m
        column[:] = [x - mean for x in column]
    L = cholesky([[dot(a, b) / m for b in columns] for a in columns])
    for i, column in enumerate(columns):  # forward substitution, all samples at a time
        for k in range(i):
            column[:] = [x - L[i][k] * y for x, y in zip(column, columns[k])]
        column[:] = [x / L[i][i] for x in column]
    return np.array(columns).T.copy()


def random_start(size, seed):
    random = SplitMix(seed)
    return np.array([random.symmetric() for _ in range(size)])


def rica(X, K, weight, epsilon, unit_rows):
    """RICA with smooth L1, weight on sparsity, means; rows normalised exactly or not at all."""
    m, n = X.shape
    C = X.T @ X / m

    def value_and_gradient(w):
        W = w.reshape(K, n)
        norms = np.sqrt((W * W).sum(axis=1, keepdims=True)) if unit_rows else np.ones((K, 1))
        V = W / norms
        S = X @ V.T
        E = V.T @ V - np.eye(n)
        EC = E @ C
        roots = np.sqrt(S * S + epsilon)
        value = np.sum(E * EC) + weight * roots.sum() / m
        gradient = 2 * V @ (EC + EC.T) + weight * (S / roots).T @ X / m
        if unit_rows:
            gradient = (gradient - (gradient * V).sum(axis=1, keepdims=True) * V) / norms
        return value, gradient.ravel()

    return value_and_gradient


def run(function, start):
    """SciPy's result, and f of every evaluation."""
    values = []

    def counted(w):
        value, gradient = function(w)
        values.append(value)
        return value, gradient

    return minimize(counted, start, jac=True, method="L-BFGS-B", options=OPTIONS), values


def evaluations_to(values, best):
    target = best + TARGET * (abs(best) or 1.0)
    return 1 + next(i for i, value in enumerate(values) if value <= target)


def rosenbrock_row(n, start):
    result, values = run(lambda w: (rosen(w), rosen_der(w)), np.array(start))
    assert abs(result.fun) < TARGET, result
    return f"    {{{n}, {evaluations_to(values, 0.0)}, {result.nfev}, {result.fun!r}}},"


def complete_rows():
    X = whitened_mixtures(8, 8, 2000, 1)
    rows = []
    for seed in range(5):
        result, values = run(rica(X, 8, 0.1, 1e-4, False), random_start(64, 100 + seed))
        rows.append(f"    {{{100 + seed}, {evaluations_to(values, result.fun)}, {result.nfev}, "
                    f"{result.fun!r}}},")
    return X, rows


def atoms_that_met(w, K):
    """How many unit rows are within 1e-3 of another one or of its negative."""
    W = w.reshape(K, -1)
    V = W / np.sqrt((W * W).sum(axis=1, keepdims=True))
    distances = np.linalg.norm(V[:, None] - np.sign(V @ V.T)[:, :, None] * V[None], axis=2)
    return int(((distances < 1e-3).sum(axis=1) > 1).sum())  # each is near itself


def overcomplete_rows():
    X = whitened_mixtures(6, 12, 1000, 2)
    rows = []
    for K in (9, 24):
        runs = [run(rica(X, K, 0.5, 1e-4, True), random_start(6 * K, 200 + seed))[0]
                for seed in range(STARTS)]
        values = [r.fun for r in runs]
        print(K, [f"{v:.6f}" for v in values], [r.nfev for r in runs])
        rows.append(f"    {{{K}, {np.median(values)!r}, {max(values)!r}, "
                    f"{np.median([r.nfev for r in runs])!r}, "
                    f"{max(atoms_that_met(r.x, K) for r in runs)}}},")
    return X, rows


def check_sum(X):
    """Of entries weighted by their place, so that an exchange shows."""
    return math.fsum(x * (1 + i % 7) for i, x in enumerate(X.ravel()))


HEADER = """// SPDX-License-Identifier: BSD-3-Clause
//
// Made by scipy_reference.py with SciPy {version}; do not edit. Options of L-BFGS-B:
// {options}.
#pragma once

#include <array>

namespace krica::scipy {{

/// f <= f* + kTarget |f*| counts as the optimum; f <= kTarget where f* is 0.
inline constexpr double kTarget = {target};

struct Minimum {{
  long problem;           // n of Rosenbrock's function, or the seed of the start
  long evaluations;       // until the target
  long evaluations_done;  // until SciPy stopped
  double value;
}};

inline constexpr std::array<Minimum, 2> kRosenbrock = {{{{
{rosenbrock}
}}}};

/// RICA, n = K = 8, m = 2000, five starts.
inline constexpr double kCompleteCheckSum = {complete_sum!r};
inline constexpr std::array<Minimum, 5> kComplete = {{{{
{complete}
}}}};

struct Median {{
  long K;
  double value;
  double highest;  // of the values
  double evaluations;
  long met;  // the most atoms that coincide with another one
}};

/// RICA with unit rows, n = 6, m = 1000, {starts} starts.
inline constexpr double kOvercompleteCheckSum = {overcomplete_sum!r};
inline constexpr std::array<Median, 2> kOvercomplete = {{{{
{overcomplete}
}}}};

}}  // namespace krica::scipy
"""


def main():
    complete_X, complete = complete_rows()
    overcomplete_X, overcomplete = overcomplete_rows()
    text = HEADER.format(
        version=scipy.__version__, target=TARGET, starts=STARTS,
        options=" ".join(f"{k}={v}" for k, v in OPTIONS.items()),
        rosenbrock="\n".join([rosenbrock_row(2, [-1.2, 1.0]),
                              rosenbrock_row(100, [-1.2, 1.0] * 50)]),
        complete_sum=check_sum(complete_X), complete="\n".join(complete),
        overcomplete_sum=check_sum(overcomplete_X), overcomplete="\n".join(overcomplete))
    pathlib.Path(__file__).with_name("scipy_reference.hpp").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
