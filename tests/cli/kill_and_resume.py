#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Trains on the built-in images, kills the job with SIGKILL at random moments, resumes it each time, and compares the
model with that of an uninterrupted run, byte by byte.

    tests/cli/kill_and_resume.py build/release/bin/krica --kills 20
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile
import time

JOB = ["--method", "krica", "--components", "200", "--patches", "50000", "--iterations", "100", "--quiet"]


def train(command, model, limit=None):
    """Whether the job ended by itself within the limit."""
    process = subprocess.Popen([command, "train", "embedded", "-o", model, *JOB], stdout=subprocess.DEVNULL)
    try:
        code = process.wait(limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False
    if code != 0:
        sys.exit(f"{command} ended with {code}")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("krica", help="the command")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    moments = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as directory:
        whole = pathlib.Path(directory, "whole.krica")
        killed = pathlib.Path(directory, "killed.krica")
        start = time.monotonic()
        train(arguments.krica, whole)
        length = time.monotonic() - start
        print(f"uninterrupted: {length:.1f} s")
        different = 0
        for number in range(arguments.kills):
            killed.unlink(missing_ok=True)
            moment = moments.uniform(0, length)
            ended = train(arguments.krica, killed, moment)
            start = time.monotonic()
            train(arguments.krica, killed)
            rest = time.monotonic() - start
            same = killed.read_bytes() == whole.read_bytes()
            different += not same
            what = "had ended" if ended else "killed"
            print(f"{number + 1:3}: {what} at {moment:5.1f} s, then {rest:5.1f} s more, {'same' if same else 'DIFFERENT'}")
    sys.exit(f"{different} of {arguments.kills} models differ" if different else 0)


if __name__ == "__main__":
    main()
