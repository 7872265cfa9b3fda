# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command `krica` (its path is in the environment variable KRICA) and looks at what it leaves."""

import json
import os
import subprocess

import pytest


class Krica:
    def __init__(self, directory):
        self.directory = directory

    def start(self, *arguments):
        command = [os.environ["KRICA"], *map(str, arguments)]
        return subprocess.Popen(command, cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def __call__(self, *arguments, code=0):
        process = self.start(*arguments)
        out, err = process.communicate(timeout=600)
        assert process.returncode == code, f"exit code {process.returncode}\n{out}\n{err}"
        return out if code == 0 else err

    def json(self, *arguments):
        return json.loads(self(*arguments, "--json"))


# A job of about a second on the built-in images.
SMALL = ["--components", "32", "--patches", "2000", "--images", "400", "--iterations", "10", "--svm-c", "0.05"]


@pytest.fixture
def krica(tmp_path):
    return Krica(tmp_path)


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """A small trained model and the summary that training printed."""
    directory = tmp_path_factory.mktemp("model")
    summary = Krica(directory).json("train", "embedded", "-o", "small.krica", *SMALL)
    return directory / "small.krica", summary
