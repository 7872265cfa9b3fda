# SPDX-License-Identifier: BSD-3-Clause
"""The package `krica` (on PYTHONPATH), and the command of the same build (in the environment variable KRICA)."""

import os
import subprocess

import krica
import numpy as np
import pytest

SAMPLE_ESTIMATORS = [
    "RICA", "KernelRICA", "ICA", "KICA", "KSR", "SparseFiltering", "KMeansFeatures", "LLC", "SparseCoding", "KSVD",
]  # fmt: skip
STREAMING_ESTIMATORS = ["RICA", "KernelRICA", "KSR", "SparseFiltering"]


def clouds(rows=240, columns=6, seed=0, dtype=np.float64):
    """Three classes, each of two opposite clouds, and their labels."""
    random = np.random.default_rng(seed)
    labels = np.arange(rows) % 3
    samples = 0.5 * random.standard_normal((rows, columns))
    samples[np.arange(rows), labels] += 3 * random.choice([-1, 1], rows)
    return samples.astype(dtype), labels


@pytest.fixture(params=SAMPLE_ESTIMATORS)
def sample_estimator(request):
    """One of the estimators of samples, small and quick."""
    return small(request.param)


def small(name, **parameters):
    estimator = getattr(krica, name)(n_components=6, random_state=1, **parameters)
    return estimator.set_params(iterations=10) if "iterations" in estimator.get_params() else estimator


@pytest.fixture(scope="session")
def images():
    return krica.datasets.load_embedded()


@pytest.fixture
def command(tmp_path):
    """Runs the command krica in an empty directory."""

    def run(*arguments):
        result = subprocess.run(
            [os.environ["KRICA"], *map(str, arguments)], cwd=tmp_path, capture_output=True, text=True, timeout=300
        )
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run
