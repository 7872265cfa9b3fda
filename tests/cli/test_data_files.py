# SPDX-License-Identifier: BSD-3-Clause
"""Data as users have them: tables, signals, folders with broken and foreign files, labels of all kinds."""

import numpy as np
import pytest

from test_bad_data import JOB, class_folders

SMALL = ["--components", "4", "--iterations", "5"]


def run_with_notes(krica, *arguments):
    """Standard output and the notes on standard error."""
    process = krica.start(*arguments)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return out, [line for line in err.splitlines() if line.startswith("krica: note: ")]


@pytest.fixture
def folder(krica):
    return class_folders(krica.directory / "set", [(12, 12), (12, 12)])


def break_a_file(folder):
    whole = (folder / "dog" / "0.pgm").read_bytes()
    (folder / "dog" / "broken.jpg").write_text("hello")
    (folder / "dog" / "short.pgm").write_bytes(whole[:-20])


def test_skipped_files_are_noted(krica, folder):
    for name in ("1.heic", "2.heic", "3.gif", "notes.txt"):
        (folder / "cat" / name).write_text("not for us")
    note = "skipped 3 files that are not readable images: 2 .heic, 1 .gif"
    for command in (["info", "set"], ["train", "set", *JOB]):
        assert run_with_notes(krica, *command)[1] == ["krica: note: " + note]
    assert krica.json("info", "set")["notes"] == [note]
    assert krica.json("train", "set", *JOB)["notes"] == [note]


def test_bad_files(krica, folder):
    break_a_file(folder)
    message = krica("train", "set", *JOB, code=3)
    assert "dog/broken.jpg" in message and "--skip-bad" in message
    result = krica.json("train", "set", *JOB, "--skip-bad")
    assert "skipped 2 image files" in result["notes"][0] and "dog/short.pgm" in result["notes"][0]
    assert krica.json("info", "set", "--skip-bad")["train"]["images"] == 12


def test_table(krica):
    random = np.random.default_rng(0)
    rows = ["sepal,petal,width,species"]
    for i in range(60):
        name = ["setosa", "virginica"][i % 2]
        values = random.standard_normal(3) + 4 * (i % 2)
        rows.append(",".join(f"{value:.6f}" for value in values) + "," + name)
    (krica.directory / "iris.csv").write_text("\r\n".join(rows))
    data = krica.json("info", "iris.csv")
    assert data["format"] == "csv" and data["notes"] == []
    assert data["train"]["column_names"] == ["sepal", "petal", "width"]
    assert data["train"]["class_names"] == ["setosa", "virginica"]
    result = krica.json("train", "iris.csv", "-o", "m.krica", *SMALL, "--test-fraction", 0.3)
    assert result["test"]["accuracy"] > 0.7
    assert "column 'nothing'" in krica("train", "iris.csv", "--label-column", "nothing", "-o", "m", code=3)
    (krica.directory / "iris.csv").write_text("\n".join(rows + ["1,,3,setosa"]))
    assert "line 62, column 2 ('petal')" in krica("train", "iris.csv", "-o", "m", code=3)


def test_signals(krica):
    signals = np.random.default_rng(0).standard_normal((40, 50, 3))
    np.save(krica.directory / "x.npy", signals)
    data = krica.json("info", "x.npy")
    assert data["format"] == "signals" and "--format npy" in data["notes"][0]
    assert (data["train"]["values"], data["train"]["steps"], data["train"]["channels"]) == (150, 50, 3)
    assert krica.json("info", "x.npy", "--format", "npy")["train"]["shape"] == [50, 3, 1]


@pytest.mark.parametrize("labels", [np.arange(40) % 3 + 1, np.arange(40) % 2 * 2 - 1, np.array(["a", "b"] * 20)])
def test_label_values(krica, labels):
    np.save(krica.directory / "x.npy", np.random.default_rng(0).standard_normal((40, 6)))
    np.save(krica.directory / "y.npy", labels)
    data = krica.json("info", "x.npy", "--labels", "y.npy")["train"]
    assert data["class_names"] == [str(value) for value in np.unique(labels)]
    assert data["label_type"] == ("text" if labels.dtype.kind == "U" else "integer")
    krica("data", "convert", "x.npy", "out", "--labels", "y.npy", "--to", "npy")
    if labels.dtype.kind != "U":
        np.testing.assert_array_equal(np.load(krica.directory / "out" / "train_y.npy"), labels)
