# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command `krica` (its path is in the environment variable KRICA) under mpirun, more ranks than cores."""

import os
import shutil
import subprocess

import pytest

LIMIT = 600  # seconds; only a job whose ranks wait for each other forever comes near it


class Ranks:
    def __init__(self, directory):
        self.directory = directory

    def start(self, ranks, *arguments):
        launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)] if ranks > 0 else []
        return subprocess.Popen(
            [*launcher, os.environ["KRICA"], *map(str, arguments)],
            cwd=self.directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, ranks, *arguments, code=0):
        """With 0 ranks: without mpirun."""
        process = self.start(ranks, *arguments)
        try:
            process.output, process.errors = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        assert process.returncode == code, process.output + process.errors
        return process


@pytest.fixture
def krica(tmp_path):
    if shutil.which("mpirun") is None:
        pytest.skip("no mpirun")
    library = os.path.join(os.path.dirname(os.environ["KRICA"]), "..", "lib", "libkrica_mpi.so")
    if not os.path.exists(library):
        pytest.skip("built without MPI")
    return Ranks(tmp_path)
