# SPDX-License-Identifier: BSD-3-Clause
"""Outputs that cannot be written are found before the work; progress keeps to its line."""

import os
import pty
import re
import shutil
import subprocess
import time

import numpy as np
import pytest

from conftest import SMALL

ENDLESS = ["--components", "400", "--iterations", "1000000"]


def commands(target):
    """Every command that writes, with a job that would never end, or data that is not there, where it has any."""
    return {
        "train": ["train", "embedded", "-o", target, *ENDLESS],
        "train report": ["train", "embedded", "-o", "m.krica", "--report", target, *ENDLESS],
        "train checkpoint": ["train", "embedded", "-o", "m.krica", "--checkpoint", target, *ENDLESS],
        "fit": ["fit", "embedded", "-o", target, *ENDLESS],
        "tune": ["tune", "embedded", "-o", target, *ENDLESS],
        "tune report": ["tune", "embedded", "--report", target, *ENDLESS],
        "tune checkpoint": ["tune", "embedded", "--checkpoint", target, *ENDLESS],
        "demo": ["demo", "-o", target],
        "encode": ["encode", "missing.krica", "missing", "-o", target],
        "show": ["show", "missing.krica", "-o", target],
        "predict": ["predict", "missing.krica", "missing", "-o", target],
        "explain": ["predict", "missing.krica", "missing", "--explain", target],
        "reproduce": ["reproduce", "all", "--size", "quick", "-o", target],
        "convert": ["data", "convert", "embedded", target],
        "get": ["data", "get", "cifar10", target, "--mirror", "file:///missing"],
    }


@pytest.mark.parametrize("command", commands(""))
def test_a_path_through_a_file(krica, command):
    (krica.directory / "file").write_text("")
    message = krica(*commands("file/inside/x")[command], code=4)
    assert "file/inside" in message or "file is not a directory" in message
    assert message.startswith("krica: [output]")
    assert os.listdir(krica.directory) == ["file"]


@pytest.mark.parametrize("command", [name for name in commands("") if name not in ("reproduce", "convert", "get")])
def test_write_protected_files(krica, command):
    if os.geteuid() == 0:
        pytest.skip("root may write everything")
    target = krica.directory / "protected"
    target.write_text("precious")
    target.chmod(0o444)
    assert "protected" in krica(*commands(target)[command], code=4)
    assert target.read_text() == "precious"


def test_results_that_are_a_directory(krica):
    (krica.directory / "out" / "results.jsonl").mkdir(parents=True)
    assert "results.jsonl is a directory" in krica("reproduce", "all", "--size", "quick", "-o", "out", code=4)


def on_a_terminal(krica, *arguments):
    """What the command writes to standard error when that is a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [os.environ["KRICA"], *map(str, arguments)], cwd=krica.directory, stdout=subprocess.DEVNULL, stderr=theirs
    )
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    os.close(ours)
    assert process.wait() == 0, text
    return text.decode()


def test_progress_stays_on_one_line(krica):
    text = on_a_terminal(krica, "train", "embedded", "-o", "m.krica", "--method", "omp-1", "--components", 100, "--patches", 20000, "--iterations", 40)
    text = re.sub(r"\Alearning 100 atoms .*: about .*\n", "", text)  # a slow machine announces the wait
    assert "\n" not in text, "nothing scrolls by"
    assert text.endswith("\r\033[K") or text == "", "the line is cleared at the end"
    for line in re.split("\r", text):
        assert len(line.replace("\033[K", "")) < 80


def test_few_lines_of_progress_in_a_file(krica):
    start = time.monotonic()
    process = krica.start("tune", "embedded", "--grid", "gamma=1,3", "--folds", "2", "--method", "random-patches", *SMALL)
    _, err = process.communicate()
    assert process.returncode == 0
    lines = [line for line in err.splitlines() if not line.startswith("trying ")]  # a slow machine announces the wait
    assert len(lines) <= (time.monotonic() - start) / 10, "a line every ten seconds at most"


def test_encode_leaves_nothing_when_refused(krica, model):
    np.save(krica.directory / "x.npy", np.zeros((4, 9)))
    krica("encode", model[0], "x.npy", "-o", "codes.npy", code=3)
    assert os.listdir(krica.directory) == ["x.npy"]


def test_a_killed_conversion_is_not_in_the_way(krica):
    for _ in range(20):
        process = krica.start("data", "convert", "embedded", "set", "--to", "folder")
        while process.poll() is None and not (krica.directory / "set.krica-part" / "set").exists():
            time.sleep(0.001)
        process.kill()
        process.communicate()
        if not (krica.directory / "set").exists():
            break
        shutil.rmtree(krica.directory / "set")  # it was done before
    assert (krica.directory / "set.krica-part").exists()
    krica("data", "convert", "embedded", "set", "--to", "folder")
    assert sorted(os.listdir(krica.directory)) == ["set"]
    assert sorted(os.listdir(krica.directory / "set")) == ["test", "train"]
