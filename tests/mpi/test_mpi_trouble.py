# SPDX-License-Identifier: BSD-3-Clause
"""Errors and interruptions of one rank end all of them, with one message and a checkpoint to resume from."""

import contextlib
import os
import pathlib
import signal
import struct
import time
import zlib

import numpy as np
import pytest

from conftest import LIMIT


def training(size):
    """A command that takes about twice as long for twice the size."""
    options = ["--method", "krica", "--solver", "lbfgs", "--iterations", 500, "--components", 60, "--patches", 12000 * size]
    return ["train", "embedded", "-o", "model.krica", "--images", 200, "--control", "no", *options]


def messages(process):
    return [line for line in process.errors.splitlines() if line.startswith("krica:")]


def write_folder(root, damaged):
    numbers = np.random.default_rng(1)
    for label in ("cats", "dogs"):
        (root / label).mkdir(parents=True)
        for i in range(40):
            header = b"P5 16 16 255\n"
            (root / label / f"{i:02}.pgm").write_bytes(header + numbers.integers(0, 256, 256, np.uint8).tobytes())
    victim = root / "dogs" / "39.pgm"  # in the last rank's share
    if damaged:
        victim.write_bytes(victim.read_bytes()[:100])
    return victim


def test_bad_data_on_one_rank(krica):
    write_folder(krica.directory / "images", damaged=True)
    process = krica.run(3, "encode", "model.krica", "images", "-o", "f.npy", code=4)  # no such model
    assert len(messages(process)) == 1
    write_folder(krica.directory / "whole", damaged=False)
    options = ["--method", "random-patches", "--components", 8, "--patches", 500, "--test-fraction", 0, "--quiet"]
    krica.run(0, "train", "whole", "-o", "model.krica", *options)
    process = krica.run(3, "encode", "model.krica", "images", "-o", "f.npy", "--quiet", code=3)
    assert len(messages(process)) == 1
    assert "39.pgm" in messages(process)[0]
    assert not (krica.directory / "f.npy").exists()


def png(pixels):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 0, 0, 0, 0)
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@pytest.mark.parametrize("command", ["encode", "train"])
def test_an_image_that_one_rank_cannot_decode(krica, command):
    options = ["--method", "random-patches", "--components", 8, "--patches", 500, "--test-fraction", 0, "--quiet"]
    victim = write_folder(krica.directory / "images", damaged=False)
    krica.run(0, "train", "images", "-o", "model.krica", *options)
    # Cut within the pixels: the header is sound, so that the file fails only when the last rank reads it.
    victim.write_bytes(png(np.random.default_rng(2).integers(0, 256, (16, 16), np.uint8))[:150])
    victim.rename(victim.with_suffix(".png"))
    if command == "encode":
        process = krica.run(3, "encode", "model.krica", "images", "-o", "f.npy", "--quiet", code=3)
    else:
        process = krica.run(3, "train", "images", "-o", "m.krica", *options, code=3)
    assert len(messages(process)) == 1
    assert "dogs/39.png" in messages(process)[0]
    assert sorted(path.name for path in krica.directory.iterdir()) == ["images", "model.krica"]


def test_usage_errors_are_printed_once(krica):
    process = krica.run(3, "train", "embedded", "-o", "m.krica", "--components", -5, code=2)
    assert process.errors.count("components") == 1
    process = krica.run(2, "train", "embedded", "-o", "m.krica", "--no-such-option", code=2)
    assert process.errors.count("--no-such-option") == 1


def test_commands_for_one_process_are_refused(krica):
    process = krica.run(2, "demo", code=2)
    assert len(messages(process)) == 1
    assert "start one" in messages(process)[0]


@pytest.mark.skipif("KRICA_LATE_SIGNAL" not in os.environ, reason="a sanitizer needs terabytes of address space")
@pytest.mark.parametrize("kilobytes", [150000, 300000])
def test_a_rank_without_memory_ends_all(krica, kilobytes):
    """With less, it cannot start; with more, it has none left for what it learns."""
    limited = krica.directory / "limited"
    limited.write_text(f'#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" = 2 ] && ulimit -v {kilobytes}\nexec {krica.program} "$@"\n')
    limited.chmod(0o755)
    krica.program = limited
    options = ["--method", "random-patches", "--components", 800, "--patches", 20000, "--control", "no", "--svm-c", 0.01, "--threads", 1]
    process = krica.run(3, "train", "embedded", "-o", "m.krica", *options, "--quiet", code=4)
    assert len(messages(process)) == 1
    assert "process 2: " in messages(process)[0]


def test_a_signal_while_ranks_end_changes_nothing(krica):
    krica.preloaded = os.environ.get("KRICA_LATE_SIGNAL")
    if krica.preloaded is None:
        pytest.skip("not built under a sanitizer")
    process = krica.run(2, "demo", code=2)
    assert len(messages(process)) == 1
    process = krica.run(3, "train", "embedded", "-o", "m.krica", "--components", -5, code=2)
    assert len(messages(process)) == 1
    options = ["--method", "random-patches", "--components", 8, "--patches", 500, "--images", 100, "--quiet"]
    process = krica.run(2, "train", "embedded", "-o", "m.krica", *options)
    assert messages(process) == []
    assert (krica.directory / "m.krica").exists()


def test_other_commands_run_once(krica):
    assert krica.run(3, "--version").output.count("krica") == 1
    assert krica.run(2, "methods").output == krica.run(0, "methods").output


def ranks_of(process):
    """The process ids of mpirun's children."""
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [int(child) for child in children]


def ended_early(process, checkpoint, number):
    """Whether a rank got this signal after the first checkpoint and before the model was saved."""
    end = time.monotonic() + LIMIT
    while not checkpoint.exists():
        if process.poll() is not None:
            process.output, process.errors = process.communicate()
            assert process.returncode == 0, process.errors
            return False
        if time.monotonic() > end:
            process.kill()
            pytest.fail("the job hangs")
        time.sleep(0.05)
    with contextlib.suppress(ProcessLookupError):  # it may be done in this moment
        for rank in ranks_of(process)[-1:]:
            os.kill(rank, number)
    process.output, process.errors = process.communicate(timeout=LIMIT)
    return checkpoint.exists()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_rank_that_ends_can_be_resumed_by_fewer(krica, number):
    model = krica.directory / "model.krica"
    checkpoint = krica.directory / "model.krica.checkpoint"
    # Checkpoints are written every two seconds and when the atoms are learned: on a fast machine, a smaller job is done
    # before the signal arrives, or has just saved its model.
    for size in (1, 2, 4, 8, 16, 32):
        model.unlink(missing_ok=True)
        process = krica.start(3, *training(size), "--quiet")
        if ended_early(process, checkpoint, number):
            break
        assert model.exists()
    else:
        pytest.fail("every job was done before the signal")
    assert process.returncode != 0
    if number == signal.SIGTERM:
        assert process.errors.count("rerun the same command to resume") == 1
    resumed = krica.run(2, *training(size), "--json")
    assert '"resumed": true' in resumed.output
    interrupted = model.read_bytes()
    krica.run(0, *training(size), "--quiet")
    assert model.read_bytes() == interrupted
