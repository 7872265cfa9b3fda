# SPDX-License-Identifier: BSD-3-Clause
"""Compares the time that `krica train` estimates with the time that it takes, as the table of docs/performance.md:

    python3 benchmarks/estimates.py embedded=embedded CIFAR-10=DIR Fashion-MNIST=DIR STL-10=DIR

Data sets that are not named are left out. KRICA is the command, build/release/bin/krica unless set."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KRICA = os.environ.get("KRICA", "build/release/bin/krica")

# Data set, method, threads, options.
CASES = """
embedded omp-1 1
embedded omp-1 2
embedded max-margin-krica 1 --components 200
embedded max-margin-krica 2
embedded kica 2 --components 100 --patches 40000
embedded krica 1 --patches 40000 --iterations 40
CIFAR-10 random-patches 1 --images 3000
CIFAR-10 random-patches 2 --images 5000 --components 1600
CIFAR-10 omp-1 2 --images 5000 --patches 100000
CIFAR-10 kmeans-triangle 1 --images 3000 --patches 100000
CIFAR-10 krica 2 --images 3000 --patches 40000 --iterations 40
CIFAR-10 rica 1 --images 3000 --patches 40000
CIFAR-10 d-krica 2 --images 3000 --patches 40000
CIFAR-10 max-margin-krica 2 --images 2000 --components 200
Fashion-MNIST random-patches 2 --images 10000 --components 400
Fashion-MNIST omp-1 1 --images 10000 --components 200 --patches 100000
Fashion-MNIST max-margin-krica 2 --images 5000 --components 100
Fashion-MNIST ksr 2 --images 500 --components 50 --patches 10000 --iterations 50
Fashion-MNIST d-krica 1 --images 5000 --patches 40000
Fashion-MNIST rica 2 --images 10000 --patches 40000
STL-10 random-patches 2 --images 1000 --stride 2
STL-10 omp-1 1 --images 500 --patches 40000 --stride 4
STL-10 kmeans-triangle 2 --stride 4 --patches 40000
STL-10 krica 2 --images 500 --patches 20000 --iterations 30 --stride 4
"""


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measured(path, method, threads, options):
    """Estimated, real and processor seconds of the whole command."""
    with tempfile.TemporaryDirectory() as directory:
        command = [KRICA, "train", path, "-o", Path(directory, "m.krica"), "--method", method, "--threads", threads, *options]
        before, start = processor_seconds(), time.monotonic()
        run = subprocess.run([*command, "--control", "no", "--json"], check=True, capture_output=True, text=True)
        took = time.monotonic() - start
    return sum(json.loads(run.stdout)["estimated_seconds"].values()), took, processor_seconds() - before


def main():
    places = dict(argument.split("=", 1) for argument in sys.argv[1:])
    print("| data | method and options | threads | estimate | time | estimate / time | processor time |")
    print("|---|---|---|---|---|---|---|")
    for line in CASES.split("\n"):
        name, method, threads, *options = line.split() or ["", "", ""]
        if name not in places:
            continue
        estimate, took, processor = measured(places[name], method, threads, options)
        times = f"{estimate:.0f} s | {took:.0f} s | {estimate / took:.2f} | {processor:.0f} s"
        print(f"| {name} | `{' '.join([method, *options])}` | {threads} | {times} |", flush=True)


if __name__ == "__main__":
    main()
