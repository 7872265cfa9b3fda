# SPDX-License-Identifier: BSD-3-Clause
"""--memory bounds the memory that a command takes, and shapes no result."""

import os
import re
import subprocess
import time
from pathlib import Path

import pytest

MEBIBYTE = 1 << 20


def trained(krica, method, budget):
    """The model's bytes and the peak of the process that made it."""
    file = krica.directory / f"{method}-{budget}.krica"
    process = subprocess.Popen([os.environ["KRICA"], "train", "embedded", "-o", file, "--method", method, "--components", "32",
                                "--patches", "400000", "--receptive-field", "9", "--epochs", "1", "--svm-c", "0.05", "--threads", "2",
                                "--memory", budget, "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peak = 0  # as the system keeps it; that of wait4() would include what this process took before it started the other
    while process.poll() is None:
        found = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{process.pid}/status").read_text())
        peak = max(peak, int(found.group(1)) * 1024) if found else peak
        time.sleep(0.01)
    assert process.returncode == 0, process.stderr.read()
    return file.read_bytes(), peak


@pytest.mark.parametrize("method", ["random-patches", "kmeans-triangle", "krica"])
def test_the_budget_bounds_memory_and_changes_nothing(krica, method):
    """The patches alone, 400,000 of 81 values, take 124 MiB."""
    within, peak = trained(krica, method, "32M")
    beyond, most = trained(krica, method, "4G")
    assert within == beyond
    assert peak <= (32 + 64) * MEBIBYTE
    assert most > peak + 40 * MEBIBYTE
