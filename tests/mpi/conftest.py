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
        self.program = os.environ["KRICA"]
        self.preloaded = None  # a library that stands before all others in every rank
        self.own_directories = None  # of the ranks, one each, instead of the same for all

    def start(self, ranks, *arguments):
        launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe"] if ranks > 0 else []
        if self.preloaded:
            launcher += ["-x", f"LD_PRELOAD={self.preloaded}"]
        command = [self.program, *map(str, arguments)]
        if self.own_directories and ranks > 0:
            for directory in self.own_directories:
                launcher += ["-n", "1", "-wdir", str(directory), *command, ":"]
            launcher.pop()
        elif ranks > 0:
            launcher += ["-n", str(ranks), *command]
        return subprocess.Popen(
            launcher or command,
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
