# SPDX-License-Identifier: BSD-3-Clause
"""Wrong options, bad data, refusing file systems and interruptions: the exit code, one clear line, nothing lost."""

import signal
import time

import numpy as np
import pytest

from conftest import SMALL


@pytest.mark.parametrize(
    "arguments, word",
    [
        (["train", "embedded"], "--output"),
        (["train", "embedded", "-o", "m", "--components", "none"], "components"),
        (["train", "embedded", "-o", "m", "--components", "0"], "components"),
        (["train", "embedded", "-o", "m", "--method", "magic"], "random-patches"),
        (["train", "embedded", "-o", "m", "--pool", "2by2"], "2by2"),
        (["train", "embedded", "-o", "m", "--gamma", "wide"], "gamma"),
        (["train", "embedded", "-o", "m", "--memory", "lots"], "lots"),
        (["train", "embedded", "-o", "m", "--format", "jpeg2000"], "jpeg2000"),
        (["tune", "embedded", "--grid", "colour=1"], "colour"),
        (["frobnicate"], ""),
    ],
)
def test_usage(krica, arguments, word):
    assert word in krica(*arguments, code=2)


def test_bad_data(krica, model):
    (krica.directory / "empty").mkdir()
    assert "empty" in krica("train", "empty", "-o", "m", code=3)
    assert "receptive" in krica("train", "embedded", "-o", "m", "--receptive-field", 29, code=3)
    (krica.directory / "text.jpg").write_text("not an image")
    assert "text.jpg" in krica("predict", model[0], "text.jpg", code=3)
    np.save(krica.directory / "constant.npy", np.full((20, 12, 12), 7, np.uint8))
    np.save(krica.directory / "labels.npy", np.arange(20) % 2)
    assert "contrast" in krica("train", "constant.npy", "--labels", "labels.npy", "-o", "m", *SMALL, code=3)
    bad = np.zeros((20, 12, 12), np.float32)
    bad[3, 4, 5] = np.nan
    np.save(krica.directory / "nan.npy", bad)
    assert "NaN" in krica("train", "nan.npy", "--labels", "labels.npy", "-o", "m", code=3)
    assert not (krica.directory / "m").exists()


def test_damaged_models(krica, model):
    whole = model[0].read_bytes()
    damaged = {
        "cut": whole[: len(whole) // 2],
        "flipped": whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:],
        "foreign": b"PK\x03\x04" + bytes(100),
        "huge": b"\xff" * 8 + whole[8:],
        "empty": b"",
    }
    for name, content in damaged.items():
        (krica.directory / name).write_bytes(content)
        message = krica("evaluate", name, "embedded", code=3)
        assert name in message and message.count("\n") == 1, message


def test_file_system(krica, model):
    assert "nowhere" in krica("train", "embedded", "-o", "nowhere/m.krica", code=4)
    assert "missing.krica" in krica("evaluate", "missing.krica", "embedded", code=4)
    krica("show", model[0], "-o", "nowhere/atoms.png", code=4)
    krica("train", "embedded", "-o", krica.directory, *SMALL, code=4)


LONGER = ["--components", "64", "--patches", "20000", "--images", "1000", "--iterations", "60", "--quiet"]


@pytest.mark.parametrize("after", [0.3, 1.5, 3.0])
def test_killed_and_resumed(krica, after):
    process = krica.start("train", "embedded", "-o", "killed.krica", *LONGER)
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (krica.directory / "killed.krica").exists() or process.returncode == 0
    krica("train", "embedded", "-o", "killed.krica", *LONGER)
    krica("train", "embedded", "-o", "whole.krica", *LONGER)
    assert (krica.directory / "killed.krica").read_bytes() == (krica.directory / "whole.krica").read_bytes()


def test_interrupted_says_how_to_go_on(krica):
    process = krica.start("train", "embedded", "-o", "m.krica", *LONGER)
    time.sleep(2.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    if process.returncode == 0:
        pytest.skip("it was done before the signal")
    assert process.returncode == 130
    assert "m.krica.checkpoint" in err
