# SPDX-License-Identifier: BSD-3-Clause
"""C++, the command and Python: the same options and seed give the same bytes."""

import json
import os
import subprocess

import krica
import numpy as np
import pytest
from conftest import clouds

METHODS = {
    "RICA": "rica",
    "KernelRICA": "krica",
    "ICA": "ica",
    "KICA": "kica",
    "KSR": "ksr",
    "SparseFiltering": "sparse-filtering",
    "KMeansFeatures": "kmeans-triangle",
    "LLC": "llc",
    "SparseCoding": "sparse-coding",
    "KSVD": "ksvd",
}


def by_cpp(directory, data, labels, options, model):
    names = {name.replace("_", "-"): value for name, value in options.items()}
    (directory / "options.json").write_text(json.dumps(names))
    program = [os.environ["KRICA_TRAIN_MODEL"], data, labels, "options.json", model]
    subprocess.run(program, cwd=directory, check=True, timeout=300)


def as_arguments(options):
    return [word for name, value in options.items() for word in ("--" + name.replace("_", "-"), value)]


@pytest.mark.parametrize("name", METHODS)
def test_samples(name, command, tmp_path):
    X, _ = clouds(dtype=np.float32)
    np.save(tmp_path / "x.npy", X)
    options = {"method": METHODS[name], "components": 6, "seed": 3, "iterations": 10}
    command("fit", "x.npy", "-o", "command.krica", *as_arguments(options))
    command("encode", "command.krica", "x.npy", "-o", "codes.npy")
    by_cpp(tmp_path, "x.npy", "-", options, "cpp.krica")
    estimator = getattr(krica, name)(n_components=6, random_state=3)
    if "iterations" in estimator.get_params():
        estimator.set_params(iterations=10)
    else:
        options.pop("iterations")
        command("fit", "x.npy", "-o", "command.krica", *as_arguments(options))
        by_cpp(tmp_path, "x.npy", "-", options, "cpp.krica")
    codes = estimator.fit_transform(X)
    estimator.save(tmp_path / "python.krica")
    expected = (tmp_path / "command.krica").read_bytes()
    assert (tmp_path / "cpp.krica").read_bytes() == expected
    assert (tmp_path / "python.krica").read_bytes() == expected
    np.testing.assert_array_equal(np.load(tmp_path / "codes.npy"), codes)
    # Samples of double precision are computed with in single precision, here as there.
    np.testing.assert_array_equal(estimator.fit(X.astype(np.float64)).components_, estimator.fit(X).components_)


def test_d_krica(command, tmp_path):
    X, y = clouds(dtype=np.float32)
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", y)
    options = {"method": "d-krica", "components": 6, "seed": 3, "iterations": 10, "discrimination": 0.5}
    command("fit", "x.npy", "--labels", "y.npy", "-o", "command.krica", *as_arguments(options))
    krica.KernelRICA(6, random_state=3, iterations=10, discrimination=0.5).fit(X, y).save(tmp_path / "python.krica")
    assert (tmp_path / "python.krica").read_bytes() == (tmp_path / "command.krica").read_bytes()


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("method", ["max-margin-krica", "random-patches"])
def test_classifiers_of_images(method, dtype, images, command, tmp_path):
    X = np.stack([images.data[:200], images.data[200:400], images.data[400:600]], axis=3).astype(dtype)
    y = images.target[:200]
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", y)
    options = {"method": method, "components": 12, "patches": 500, "stride": 3, "epochs": 2, "svm_c": 0.05, "seed": 2}
    command("train", "x.npy", "--labels", "y.npy", "-o", "command.krica", "--test-fraction", 0, *as_arguments(options))
    by_cpp(tmp_path, "x.npy", "y.npy", options, "cpp.krica")
    names = {"components": "n_components", "seed": "random_state"}
    classifier = krica.MaxMarginKRICA(**{names.get(name, name): value for name, value in options.items()})
    classifier.fit(X, y).save(tmp_path / "python.krica")
    expected = (tmp_path / "command.krica").read_bytes()
    assert (tmp_path / "cpp.krica").read_bytes() == expected
    assert (tmp_path / "python.krica").read_bytes() == expected


def test_the_command_reads_pythons_files(images, command, tmp_path):
    X, y = clouds()
    np.save(tmp_path / "x.npy", X)
    estimator = krica.RICA(6).fit(X)
    estimator.save(tmp_path / "m.krica")
    command("encode", "m.krica", "x.npy", "-o", "codes.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "codes.npy"), estimator.transform(X).astype(np.float32))


def test_python_reads_the_commands_files(command, tmp_path):
    """Also those of methods that have no estimator of their own."""
    X, y = clouds(dtype=np.float32)
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", y)
    command("fit", "x.npy", "-o", "m.krica", "--method", "omp-1", "--components", 5)
    command("encode", "m.krica", "x.npy", "-o", "codes.npy")
    estimator = krica.load(tmp_path / "m.krica")
    np.testing.assert_array_equal(estimator.transform(X), np.load(tmp_path / "codes.npy"))
    command("train", "x.npy", "--labels", "y.npy", "-o", "t.krica", "--method", "krica", "--components", 6, "--svm-c", 0.1)
    classifier = krica.load(tmp_path / "t.krica")
    assert (classifier.predict(X) == y).mean() > 0.9
