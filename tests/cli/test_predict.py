# SPDX-License-Identifier: BSD-3-Clause
"""krica predict: files, folders and data sets; text, CSV and JSON; what cannot be read."""

import csv
import io
import json
import os
import pathlib
import shutil
import struct

import numpy as np
import pytest

from conftest import SMALL, Krica, read_safetensors


@pytest.fixture(scope="module")
def clothes(tmp_path_factory):
    """The built-in images as a folder."""
    directory = tmp_path_factory.mktemp("clothes")
    Krica(directory)("data", "convert", "embedded", "clothes", "--to", "folder")
    return directory / "clothes"


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """A model of samples of three clouds."""
    directory = tmp_path_factory.mktemp("samples")
    random = np.random.default_rng(0)
    labels = np.arange(300) % 3
    values = random.standard_normal((300, 8))
    values[np.arange(300), labels] += 4
    np.save(directory / "x.npy", values)
    np.save(directory / "y.npy", labels)
    Krica(directory)("train", "x.npy", "--labels", "y.npy", "-o", "m.krica", "--components", 12, "--iterations", 10)
    return directory


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def png_size(path):
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG")
    return struct.unpack(">II", data[16:24])


def test_many_files_have_a_line_each(krica, model, clothes):
    files = sorted((clothes / "test" / "Bag").iterdir())[:12]
    lines = krica("predict", model[0], *files).splitlines()
    assert len(lines) == 12
    for file, line in zip(files, lines):
        assert line.startswith(str(file)) and " % " in line
    few = krica("predict", model[0], *files[:2], "--top", 2).splitlines()
    assert [line.split("  ")[0] for line in (few[0], few[3])] == [str(file) for file in files[:2]] and len(few) == 6


def test_probabilities_belong_to_the_scores(krica, model, clothes):
    files = sorted((clothes / "test" / "Coat").iterdir())[:20]
    items = krica.json("predict", model[0], *files, "--top", 10)["images"]
    temperature = read_safetensors(model[0])[1]["temperature"][0]
    for item in items:
        scores = np.array([choice["score"] for choice in item["predictions"]])
        found = np.array([choice["probability"] for choice in item["predictions"]])
        expected = np.exp((scores - scores.max()) / temperature)
        np.testing.assert_allclose(found, expected / expected.sum(), atol=1e-5)
        assert item["unsure"] == (found[0] < 0.5 or found[0] - found[1] < 0.1)
    assert any(item["unsure"] for item in items) and not all(item["unsure"] for item in items)


def test_folders_flat_and_nested(krica, model, clothes):
    flat = krica.json("predict", model[0], clothes / "test" / "Bag")["images"]
    assert [item["item"] for item in flat] == sorted(str(path) for path in (clothes / "test" / "Bag").iterdir())
    (krica.directory / "deep" / "a" / "b").mkdir(parents=True)
    shutil.copy(flat[0]["item"], krica.directory / "deep" / "a" / "b" / "one.png")
    shutil.copy(flat[1]["item"], krica.directory / "deep" / "two.PNG")
    (krica.directory / "deep" / "notes.txt").write_text("no image")
    deep = krica.json("predict", model[0], "deep")
    assert [item["item"] for item in deep["images"]] == ["deep/a/b/one.png", "deep/two.PNG"] and deep["failed"] == []
    (krica.directory / "none").mkdir()
    (krica.directory / "none" / "notes.txt").write_text("no image")
    assert "no image files" in krica("predict", model[0], "none", code=3)


def test_data_sets(krica, model):
    embedded = rows_of(krica("predict", model[0], "embedded", "--csv"))
    assert [row["item"] for row in embedded] == [str(i) for i in range(1000)]
    truth = krica.json("evaluate", model[0], "embedded")
    assert len(rows_of(krica("predict", model[0], "embedded", "--split", "train", "--csv"))) == 2000
    for kind in ("npy", "idx"):
        krica("data", "convert", "embedded", kind, "--to", kind)
        assert rows_of(krica("predict", model[0], kind, "--csv")) == embedded
    assert rows_of(krica("predict", model[0], "npy/test_x.npy", "--csv")) == embedded, "without labels"
    labels = np.load(krica.directory / "npy" / "test_y.npy")
    names = json.loads(read_safetensors(model[0])[0]["class_names"])
    right = np.mean([row["class"] == names[label] for row, label in zip(embedded, labels)])
    assert right == truth["accuracy"]


def test_data_sets_of_other_sizes_are_resized(krica, model):
    images = np.random.default_rng(0).integers(0, 255, (5, 40, 30, 3), dtype=np.uint8)
    np.save(krica.directory / "large.npy", images)
    assert krica.json("predict", model[0], "large.npy")["count"] == 5


def test_several_inputs_say_where_a_row_is_from(krica, model, clothes):
    np.save(krica.directory / "a.npy", np.zeros((2, 28, 28), np.uint8) + np.arange(28, dtype=np.uint8))
    file = sorted((clothes / "test" / "Bag").iterdir())[0]
    items = krica.json("predict", model[0], "a.npy", file)["images"]
    assert [item["item"] for item in items] == ["a.npy:0", "a.npy:1", str(file)]


def test_csv(krica, model, clothes):
    file = sorted((clothes / "test" / "Bag").iterdir())[0]
    odd = krica.directory / 'a, "b".png'
    shutil.copy(file, odd)
    text = krica("predict", model[0], odd.name, "--csv")
    assert text.splitlines()[0] == "item,class,probability,score,unsure"
    (row,) = rows_of(text)
    assert row["item"] == odd.name and 0 <= float(row["probability"]) <= 1 and row["unsure"] in ("yes", "no")
    (row,) = rows_of(krica("predict", model[0], odd.name, "--csv", "--top", 3))
    assert float(row["probability"]) >= float(row["probability_2"]) >= float(row["probability_3"])
    assert len({row["class"], row["class_2"], row["class_3"]}) == 3
    assert "out.csv: 1 images" in krica("predict", model[0], odd.name, "-o", "out.csv")
    assert (krica.directory / "out.csv").read_bytes().decode() == text
    assert krica.json("predict", model[0], odd.name, "-o", "out.csv")["output"] == "out.csv"
    assert "--csv" in krica("predict", model[0], odd.name, "--csv", "--json", code=2)
    assert not list(krica.directory.glob("*.tmp*"))


def test_unreadable_files_do_not_stop_the_others(krica, model, clothes):
    good = sorted((clothes / "test" / "Bag").iterdir())[:2]
    (krica.directory / "text.jpg").write_text("not an image")
    (krica.directory / "cut.png").write_bytes(good[0].read_bytes()[:60])
    process = krica.start("predict", model[0], good[0], "text.jpg", "cut.png", "missing.png", good[1], "--json")
    out, err = process.communicate()
    assert process.returncode == 3
    result = json.loads(out)
    assert [item["item"] for item in result["images"]] == [str(path) for path in good]
    assert [entry["item"] for entry in result["failed"]] == ["text.jpg", "cut.png", "missing.png"]
    lines = err.splitlines()
    assert [line.split(": ")[:2] for line in lines[:3]] == [["krica", name] for name in ("text.jpg", "cut.png", "missing.png")]
    assert "3 of 5" in lines[3] and len(lines) == 4
    assert "missing.png" in krica("predict", model[0], "missing.png", code=4)


def test_old_models_have_scores_only(krica, clothes):
    old = pathlib.Path(__file__).parents[1] / "compatibility" / "files" / "0.1" / "krica.krica"
    process = krica.start("predict", old, clothes / "test" / "Bag")
    out, err = process.communicate()
    assert process.returncode == 0 and len(out.splitlines()) == 100 and "%" not in out and "no probabilities" in err


def test_folders_hold_every_format_that_training_reads(krica, clothes):
    """A grey TIFF beside a PNG, where the program was built with libtiff."""
    krica("train", clothes, "-o", "m.krica", "--method", "random-patches", *SMALL)
    folder = krica.directory / "mixed"
    folder.mkdir()
    (folder / "a.png").write_bytes(sorted((clothes / "test" / "Bag").iterdir())[0].read_bytes())
    tags = [(256, 28), (257, 28), (258, 8), (259, 1), (262, 1), (273, 122), (277, 1), (278, 28), (279, 784)]
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    header = struct.pack("<2sHIH", b"II", 42, 8, len(tags)) + entries + bytes(4)
    (folder / "b.tiff").write_bytes(header + bytes(range(196)) * 4)
    if krica.json("info", folder)["train"]["images"] == 1:
        pytest.skip("built without libtiff")
    assert len(krica.json("predict", "m.krica", folder)["images"]) == 2


def test_models_without_probabilities(krica, clothes):
    krica("train", "embedded", "-o", "m.krica", "--method", "max-margin-krica", *SMALL, "--stride", 3, "--epochs", 1, "--held-out", 0,
          "--refit=no")
    file = sorted((clothes / "test" / "Bag").iterdir())[0]
    process = krica.start("predict", "m.krica", file)
    out, err = process.communicate()
    assert process.returncode == 0 and "%" not in out and "score" in out
    assert "no probabilities" in err
    (row,) = rows_of(krica("predict", "m.krica", file, "--csv"))
    assert row["probability"] == "" and row["unsure"] == ""
    assert "probability" not in krica.json("predict", "m.krica", file)["images"][0]["predictions"][0]


def test_samples(krica, samples):
    values, labels = np.load(samples / "x.npy"), np.load(samples / "y.npy")
    np.save(krica.directory / "new.npy", values[:50])
    items = krica.json("predict", samples / "m.krica", "new.npy")["samples"]
    assert [item["item"] for item in items] == [str(i) for i in range(50)]
    assert np.mean([item["predictions"][0]["label"] == label for item, label in zip(items, labels)]) > 0.9
    krica("predict", samples / "m.krica", "new.npy", "-o", "classes.csv")
    assert len(rows_of((krica.directory / "classes.csv").read_text())) == 50
    np.save(krica.directory / "one.npy", values[:1])
    krica("predict", samples / "m.krica", "one.npy", "--explain", "why.png")
    assert png_size(krica.directory / "why.png")[0] > 100
    np.save(krica.directory / "wide.npy", np.zeros((3, 9)))
    assert "samples of 9 values" in krica("predict", samples / "m.krica", "wide.npy", code=3)


def test_explanations_are_large_enough_to_see(krica, model, clothes):
    file = sorted((clothes / "test" / "Bag").iterdir())[0]
    krica("predict", model[0], file, "--explain", "why.png")
    width, height = png_size(krica.directory / "why.png")
    assert height >= 256 and width >= 2 * 256


def test_atoms_of_samples_are_drawn_as_curves(krica, samples):
    shown = krica.json("show", samples / "m.krica", "-o", "atoms.png")
    assert shown["atoms"] == 12 and shown["values"] == 8 and len(shown["classes"]) == 3
    assert png_size(krica.directory / "atoms.png")[0] > 200
    lines = krica("show", samples / "m.krica", "--terminal", "--arrange", "plain").splitlines()
    assert len(lines) == 12 and all(any(block in line for block in "▁▂▃▄▅▆▇█") for line in lines)
    assert "--terminal" in krica("show", samples / "m.krica", "--terminal", "--json", code=2)


def test_explain_needs_atoms(krica, clothes):
    krica("train", "embedded", "-o", "raw.krica", *SMALL, "--method", "raw-pixels")
    file = sorted((clothes / "test" / "Bag").iterdir())[0]
    assert "no atoms" in krica("predict", "raw.krica", file, "--explain", "why.png", code=3)
    krica("train", "embedded", "-o", "net.krica", "--images", 60, "--method", "conv-dbn", "--components", 4, "--epochs", 1)
    refusal = krica("predict", "net.krica", file, "--explain", "why.png", code=3)
    assert "network (conv-dbn)" in refusal and "omp-1" in refusal and "no atoms" not in refusal


@pytest.mark.parametrize("option", ["-o", "--explain"])
def test_unwritable_outputs_are_found_first(krica, model, option):
    assert "nowhere" in krica("predict", model[0], "missing.png", option, "nowhere/x", code=4)
    assert os.listdir(krica.directory) == []
