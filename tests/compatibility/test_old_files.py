# SPDX-License-Identifier: BSD-3-Clause
"""Model files of earlier versions stay readable; their checkpoints are refused in words (make_files.py made them)."""

import json
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

from make_files import sample_data

KRICA = os.environ["KRICA"]
FILES = pathlib.Path(__file__).parent / "files"
# Sums in another order may turn a close decision; more would be another model.
TOLERANCE = 0.003


def rows(kind):
    for expected in sorted(FILES.glob("*/expected.json")):
        for row in json.loads(expected.read_text())[kind]:
            yield pytest.param(expected.parent / row["file"], row, id=f"{expected.parent.name}-{row['file']}")


def krica(*arguments):
    done = subprocess.run([KRICA, *map(str, arguments), "--json", "--quiet"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("file, row", rows("models"))
def test_models_predict_as_they_did(file, row, tmp_path):
    data = ["embedded"]
    if row["file"].startswith("samples"):
        samples, labels = sample_data()
        np.save(tmp_path / "x.npy", samples)
        np.save(tmp_path / "y.npy", labels)
        data = [tmp_path / "x.npy", "--labels", tmp_path / "y.npy", "--test-fraction", "0.5"]
    assert krica("info", file)["kind"] == "model"
    assert krica("evaluate", file, *data)["accuracy"] == pytest.approx(row["accuracy"], abs=TOLERANCE)


@pytest.mark.parametrize("file, row", rows("checkpoints"))
def test_checkpoints_of_another_layout_are_refused(file, row, tmp_path):
    """The results would differ in their last bits, so the job is not resumed but started anew, by the user's hand."""
    for part in file.parent.glob(file.name + "*"):
        shutil.copy(part, tmp_path)
    checkpoint = tmp_path / file.name
    done = subprocess.run(
        [KRICA, "train", "embedded", "-o", tmp_path / "model.krica", "--checkpoint", checkpoint, *row["options"]],
        capture_output=True, text=True)
    assert done.returncode == 3
    assert str(checkpoint) in done.stderr and "remove it to start over" in done.stderr
    assert checkpoint.read_bytes() == file.read_bytes()
    assert not (tmp_path / "model.krica").exists()
