# SPDX-License-Identifier: BSD-3-Clause
"""Somebody with signals, and somebody who knows MATLAB's rica."""

import csv
import io

import numpy as np
import pytest
from conftest import signals


def test_a_table_with_class_names_is_all_it_takes(lab):
    assert "192 samples of 60 values" in lab.printed and "48 held out" in lab.printed
    accuracy = float(lab.printed.split("test accuracy ")[1].split(" %")[0])
    assert accuracy > 85
    assert lab.json("evaluate", "signals.krica", "signals.csv")["samples"] == 48


def test_predict_needs_no_labels(lab, krica):
    X, names = signals(30, np.random.default_rng(9))
    np.save(krica.directory / "new.npy", X)
    printed = krica("predict", lab.directory / "signals.krica", "new.npy", "--csv")
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert np.mean([row["class"] == name for row, name in zip(rows, names)]) > 0.8


@pytest.mark.parametrize("scale", [1e-9, 1e-6, 1e9])
def test_the_unit_does_not_matter(lab, krica, scale):
    X = np.load(lab.directory / "x.npy")
    np.save(krica.directory / "names.npy", np.load(lab.directory / "names.npy"))
    accuracies = []
    for name, factor in (("plain", 1.0), ("scaled", scale)):
        np.save(krica.directory / f"{name}.npy", X * factor)
        result = krica.json("train", f"{name}.npy", "--labels", "names.npy", "-o", f"{name}.krica", "--method", "rica",
                            "--components", 24, "--iterations", 50)
        krica("encode", f"{name}.krica", f"{name}.npy", "-o", f"codes-{name}.npy")
        accuracies.append(result["test"]["accuracy"])
    assert accuracies[0] == accuracies[1]
    plain, scaled = np.load(krica.directory / "codes-plain.npy"), np.load(krica.directory / "codes-scaled.npy")
    assert np.abs(plain - scaled).max() <= 1e-4 * np.abs(plain).max()


def test_mixed_sources_come_apart_with_default_options(krica):
    random = np.random.default_rng(0)
    sources = random.laplace(size=(4000, 8))
    np.save(krica.directory / "mixed.npy", sources @ random.normal(size=(8, 8)))
    krica("fit", "mixed.npy", "-o", "m.krica", "--method", "rica", "--components", 8)
    krica("encode", "m.krica", "mixed.npy", "-o", "codes.npy")
    codes = np.load(krica.directory / "codes.npy")
    together = np.abs(np.corrcoef(codes.T, sources.T)[:8, 8:])
    assert together.max(axis=1).min() >= 0.99 and sorted(together.argmax(axis=1)) == list(range(8))


def test_numeric_labels_keep_their_values(krica):
    X, names = signals(90, np.random.default_rng(4))
    np.save(krica.directory / "x.npy", X)
    np.save(krica.directory / "y.npy", 1 + np.unique(names, return_inverse=True)[1])
    krica("train", "x.npy", "--labels", "y.npy", "-o", "m.krica", "--components", 16)
    assert krica.json("info", "m.krica")["class_names"] == ["1", "2", "3"]


def test_atoms_of_signals_are_drawn(lab, krica):
    krica("show", lab.directory / "signals.krica", "-o", "atoms.png")
    assert (krica.directory / "atoms.png").read_bytes().startswith(b"\x89PNG")
    assert krica("show", lab.directory / "signals.krica", "--terminal")


def test_tune_ends_with_the_command_to_use(lab):
    printed = lab("tune", "signals.csv", "--grid", "components=8,16", "--folds", 2, "--iterations", 20)
    assert "krica train" in printed.strip().split("\n")[-1]
