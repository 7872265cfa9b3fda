# SPDX-License-Identifier: BSD-3-Clause
"""--memory bounds the memory that a command takes, and shapes no result."""

import os
import re
import struct
import subprocess
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
from conftest import skip_under_address_sanitizer

MEBIBYTE = 1 << 20


def peak_of(*arguments):
    """The most memory that the command held."""
    skip_under_address_sanitizer()
    process = subprocess.Popen([os.environ["KRICA"], *arguments, "--threads", "2", "--quiet"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)  # fmt: skip
    peak = 0  # as the system keeps it; that of wait4() would include what this process took before it started the other
    while process.poll() is None:
        found = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{process.pid}/status").read_text())
        peak = max(peak, int(found.group(1)) * 1024) if found else peak
        time.sleep(0.01)
    assert process.returncode == 0, process.stderr.read()
    return peak


def blank_png(side, white):
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    row = b"\0" + (b"\xff" if white else b"\0") * (side // 8)
    rows = zlib.compress(row * side, 9)
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def trained(krica, method, budget):
    """The model's bytes and the peak of the process that made it."""
    file = krica.directory / f"{method}-{budget}.krica"
    peak = peak_of("train", "embedded", "-o", file, "--method", method, "--components", "30", "--patches", "400000",
                   "--receptive-field", "9", "--epochs", "1", "--iterations", "3", "--svm-c", "0.05", "--memory", budget)  # fmt: skip
    return file.read_bytes(), peak


@pytest.mark.parametrize("method", ["random-patches", "omp-1", "krica", "ica", "d-rica"])
def test_the_budget_bounds_memory_and_changes_nothing(krica, method):
    """The patches alone, 400,000 of 81 values, take 124 MiB. krica starts from K-means, ica whitens a copy of them, and d-rica
    clusters the patches of one class at a time."""
    within, peak = trained(krica, method, "32M")
    beyond, most = trained(krica, method, "4G")
    assert within == beyond
    assert peak <= (32 + 64) * MEBIBYTE
    assert most > peak + 40 * MEBIBYTE


def test_dictionaries_of_samples_keep_to_the_budget(krica):
    """All codes of the fifth of the samples that calibrates probabilities would take 153 MiB."""
    labels = np.arange(200000) % 4
    random = np.random.default_rng(0)
    samples = random.normal(size=(4, 8))[labels] + random.normal(size=(200000, 8))
    np.save(krica.directory / "x.npy", samples.astype(np.float32))
    np.save(krica.directory / "y.npy", labels)
    peak = peak_of("train", krica.directory / "x.npy", "--labels", krica.directory / "y.npy", "-o", krica.directory / "m.krica", "--method",
                   "d-ksvd", "--components", "1000", "--nonzeros", "1", "--iterations", "1", "--test-fraction", "0", "--memory", "128M")  # fmt: skip
    assert peak <= (128 + 64) * MEBIBYTE


def test_evaluation_keeps_to_the_budget(krica):
    """All scores, 100,000 samples by 500 classes, would take 191 MiB."""
    labels = np.arange(100000) % 500
    samples = np.random.default_rng(0).normal(size=(500, 8))[labels]
    for name, rows in {"few": 1000, "many": 100000}.items():
        np.save(krica.directory / f"{name}.npy", samples[:rows].astype(np.float32))
        np.save(krica.directory / f"{name}-labels.npy", labels[:rows])
    krica("train", "few.npy", "--labels", "few-labels.npy", "-o", "m.krica", "--method", "random-patches", "--components", 8,
          "--svm-c", 1, "--test-fraction", 0)  # fmt: skip
    peak = peak_of("evaluate", krica.directory / "m.krica", krica.directory / "many.npy", "--labels", krica.directory / "many-labels.npy",
                   "--split", "train", "--memory", "64M")  # fmt: skip
    assert peak <= (64 + 64) * MEBIBYTE


def test_images_that_take_too_much_to_decode_are_refused(krica):
    """One bit per pixel: a few kilobytes, and 80 MiB decoded."""
    for name in ("cats", "dogs"):
        (krica.directory / "photos" / name).mkdir(parents=True)
        (krica.directory / "photos" / name / "1.png").write_bytes(blank_png(4096, white=name == "dogs"))
    train = ["train", "photos", "-o", "m.krica", "--method", "raw-pixels", "--image-size", 8, "--test-fraction", 0, "--svm-c", 1]
    told = krica(*train, "--memory", "64M", code=3)
    assert "cats/1.png: decoding 4096 x 4096 pixels needs a memory budget (--memory, memory) of at least 161M, got 64M" in told
    krica(*train, "--memory", "161M")
    told = krica("predict", "m.krica", "photos/cats/1.png", "--memory", "64M", code=3)
    assert "of at least 161M, got 64M" in told
    krica("predict", "m.krica", "photos", "--memory", "161M")


def test_features_need_not_fit(krica):
    """Those of 1,000 images of 48 x 48 pixels take 26 MiB."""
    images = np.random.default_rng(0).integers(0, 256, (1000, 48, 48, 3), np.uint8)
    np.save(krica.directory / "images.npy", images)
    np.save(krica.directory / "labels.npy", np.arange(1000) % 2)
    models = {}
    for budget in ("32M", "1T"):
        krica("train", "images.npy", "--labels", "labels.npy", "-o", budget, "--method", "raw-pixels", "--memory", budget, "--svm-c", 0.01)
        models[budget] = (krica.directory / budget).read_bytes()
    assert models["32M"] == models["1T"]


def test_too_small_a_budget_is_refused_with_the_least_that_suffices(krica):
    def refusal(budget, code=3):
        return krica("train", "embedded", "-o", "m", "--method", "kpca-rica", "--landmarks", 800, "--components", 16, "--patches", 3000,
                     "--images", 200, "--iterations", 1, "--svm-c", 0.05, "--threads", 1, "--memory", budget, code=code)  # fmt: skip

    told = refusal("1M")
    least = int(re.search(r"a kernel PCA with 800 landmarks needs a memory budget \(--memory, memory\) of at least (\d+)M, got 1M",
                          told).group(1))  # fmt: skip
    assert not (krica.directory / "m").exists()
    assert f"at least {least}M" in refusal(f"{least - 1}M")
    refusal(f"{least}M", code=0)
