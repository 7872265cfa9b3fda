# SPDX-License-Identifier: BSD-3-Clause
"""Model and checkpoint files of earlier versions stay readable (make_files.py made them)."""

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
# What a resumed training does after the checkpoint may have been improved since.
RESUMED_TOLERANCE = 0.03


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
def test_checkpoints_are_resumed(file, row, tmp_path):
    for part in file.parent.glob(file.name + "*"):
        shutil.copy(part, tmp_path)
    result = krica(
        "train", "embedded", "-o", tmp_path / "model.krica", "--checkpoint", tmp_path / file.name, *row["options"]
    )
    assert result["resumed"]
    assert result["test"]["accuracy"] == pytest.approx(row["accuracy"], abs=RESUMED_TOLERANCE)
