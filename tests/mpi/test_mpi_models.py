# SPDX-License-Identifier: BSD-3-Clause
"""Any number of ranks gives the model, the features and the report of one process, byte for byte."""

import json

import numpy as np
import pytest

SMALL = ["--images", 300, "--patches", 3000, "--components", 24, "--control", "no", "--quiet"]
METHODS = {
    "random-patches": [],
    "kmeans-triangle": [],
    "omp-1": [],
    "krica": ["--iterations", 5],
    "max-margin-krica": ["--epochs", 2, "--refit=no"],
    "rica": ["--iterations", 5],
    "d-krica": ["--iterations", 4, "--components", 20],
    "raw-pixels": [],
}
# Fewer numbers of ranks: mostly the same code.
OTHERS = {
    "K-means from k-means++": ["--method", "kmeans-triangle", "--init", "kmeans"],
    "krica in batches": ["--method", "krica", "--solver", "adam", "--epochs", 2, "--batch", 1024],
    "sparse-filtering": ["--method", "sparse-filtering", "--iterations", 4],
    "sparse-rbm": ["--method", "sparse-rbm", "--epochs", 2],
    "ksr": ["--method", "ksr", "--iterations", 3, "--patches", 600, "--components", 12],  # on every rank
    "reconstruction": ["--method", "max-margin-krica", "--encoder", "kernel", "--reconstruction", 0.1, "--epochs", 1, "--refit=no"],
    "trials": ["--method", "max-margin-krica", "--epochs", 1],
    "trials with flips": ["--method", "max-margin-krica", "--epochs", 1, "--flips"],
    "flips": ["--method", "random-patches", "--flips"],
    "llc": ["--method", "llc"],
    "improved-lcc": ["--method", "improved-lcc", "--components", 12],
    "lc-ksvd": ["--method", "lc-ksvd", "--iterations", 3, "--components", 20, "--feature-components", 20],
    "conv-dbn": ["--method", "conv-dbn", "--epochs", 1, "--components", 8, "--second-components", 6],
}
NOT_OF_RAW_PIXELS = ["--patches", "--components"]


def with_small(options):
    """Adds the common options that are not among these."""
    common = []
    for name, value in zip(SMALL[:-1:2], SMALL[1::2]):
        common += [] if name in options else [name, value]
    return [*common, "--quiet", *options]


def options_of(method):
    options = with_small(["--method", method, *METHODS[method]])
    if method == "raw-pixels":
        for name in NOT_OF_RAW_PIXELS:
            place = options.index(name)
            del options[place : place + 2]
    return options


@pytest.mark.parametrize("method", METHODS)
def test_models_have_the_same_bytes(krica, method):
    krica.run(0, "train", "embedded", "-o", "alone.krica", *options_of(method))
    expected = (krica.directory / "alone.krica").read_bytes()
    for ranks in (1, 2, 3, 4):
        krica.run(ranks, "train", "embedded", "-o", "together.krica", *options_of(method))
        assert (krica.directory / "together.krica").read_bytes() == expected, ranks
    assert not list(krica.directory.glob("*.checkpoint*"))


@pytest.mark.parametrize("name", OTHERS)
def test_two_ranks_give_the_same_bytes(krica, name):
    options = with_small(OTHERS[name])
    krica.run(0, "train", "embedded", "-o", "alone.krica", *options)
    krica.run(2, "train", "embedded", "-o", "together.krica", *options)
    assert (krica.directory / "together.krica").read_bytes() == (krica.directory / "alone.krica").read_bytes()


def test_more_images_than_features(krica):
    """The SVM then learns from features that stay on their ranks, with and without a search for C."""
    options = ["--method", "random-patches", "--components", 12, "--patches", 6000, "--control", "no", "--quiet"]
    for more in ([], ["--svm-c", 0.01, "--feature-scaling", "none"]):
        krica.run(0, "train", "embedded", "-o", "alone.krica", *options, *more)
        for ranks in (2, 3):
            krica.run(ranks, "train", "embedded", "-o", "together.krica", *options, *more)
            assert (krica.directory / "together.krica").read_bytes() == (krica.directory / "alone.krica").read_bytes()


def test_samples(krica):
    numbers = np.random.default_rng(7)
    np.save(krica.directory / "samples.npy", numbers.normal(size=(5000, 12)) * 1e-6)
    options = ["--method", "kmeans-triangle", "--components", 10, "--quiet"]
    krica.run(0, "fit", "samples.npy", "-o", "alone.krica", *options)
    krica.run(3, "fit", "samples.npy", "-o", "together.krica", *options)
    assert (krica.directory / "together.krica").read_bytes() == (krica.directory / "alone.krica").read_bytes()
    krica.run(0, "encode", "alone.krica", "samples.npy", "-o", "alone.npy", "--quiet")
    krica.run(3, "encode", "alone.krica", "samples.npy", "-o", "together.npy", "--quiet")
    assert (krica.directory / "together.npy").read_bytes() == (krica.directory / "alone.npy").read_bytes()


def test_encoding_and_evaluating(krica):
    krica.run(0, "train", "embedded", "-o", "model.krica", *options_of("random-patches"))
    krica.run(0, "encode", "model.krica", "embedded", "-o", "alone.npy", "--quiet")
    accuracy = json.loads(krica.run(0, "evaluate", "model.krica", "embedded", "--quiet", "--json").output)
    for ranks in (2, 3):
        krica.run(ranks, "encode", "model.krica", "embedded", "-o", "together.npy", "--quiet", "--memory", "8M")
        assert (krica.directory / "together.npy").read_bytes() == (krica.directory / "alone.npy").read_bytes()
        evaluated = krica.run(ranks, "evaluate", "model.krica", "embedded", "--quiet", "--json")
        assert json.loads(evaluated.output) == accuracy  # one rank prints


def test_reports_are_written_once(krica):
    for ranks in (0, 2):
        krica.run(ranks, "train", "embedded", "-o", "m.krica", "--report", f"{ranks}.html", *options_of("random-patches"))
    assert (krica.directory / "2.html").exists()
