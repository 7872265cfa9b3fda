# SPDX-License-Identifier: BSD-3-Clause
"""Long work is announced with an estimate of its time. The jobs here are so long or so short that the estimate is clear on any
machine; how long anything takes is not looked at."""

import re
import signal
import time

import pytest

SHORT = ["--method", "raw-pixels", "--images", "40", "--svm-c", "0.05", "--control", "no"]
LONG = ["--method", "krica", "--components", "1600", "--epochs", "100000", "--solver", "adam", "--init", "random"]
STAGES = {"read", "patches", "whitening", "basis", "features", "svm", "test"}


def first_line_of(krica, *arguments):
    """Of standard error; the command is interrupted then."""
    process = krica.start(*arguments)
    line = process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=120)
    assert process.returncode == 130
    return line


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_long_training_is_announced(krica, flags):
    line = first_line_of(krica, "train", "embedded", "-o", "m.krica", *LONG, *flags)
    assert re.fullmatch(r"learning 1,600 atoms from 2,000 images: about \d+ (hour|day)s?( \d+ minutes)?\n", line)


def test_long_fit_is_announced(krica):
    line = first_line_of(krica, "fit", "embedded", "-o", "m.krica", *LONG)
    assert line.startswith("learning 1,600 atoms from 2,000 images: about ")


def test_long_search_is_announced(krica):
    line = first_line_of(krica, "tune", "embedded", "--grid", "gamma=1,2", "--folds", "3", *LONG)
    assert line.startswith("trying 2 settings in 3 folds each on 2,000 images: about ")


def test_quiet_training_is_not_announced(krica):
    process = krica.start("train", "embedded", "-o", "m.krica", "--quiet", *LONG)
    time.sleep(1)  # it must hold whenever the signal arrives
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=120)
    assert "about" not in err


def test_resumed_training_is_not_announced(krica):
    (krica.directory / "m.krica.checkpoint").write_bytes(b"not a checkpoint, but looked at as one")
    assert "about" not in krica("train", "embedded", "-o", "m.krica", *LONG, code=3)


def test_short_training_is_not_announced(krica):
    process = krica.start("train", "embedded", "-o", "m.krica", *SHORT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0 and "about" not in err


def test_estimates_are_in_the_summary(model):
    _, summary = model
    assert set(summary["estimated_seconds"]) == STAGES
    assert set(summary["seconds"]) == STAGES - {"test"}
    assert all(seconds > 0 for seconds in summary["estimated_seconds"].values())
