# SPDX-License-Identifier: BSD-3-Clause
"""What a new user has: some photographs in folders, some signals, and the command."""

import json
import os
import struct
import subprocess
import zlib

import numpy as np
import pytest

KRICA = os.environ["KRICA"]


def write_png(path, pixels):
    """8 bits, grey (H, W) or RGB (H, W, 3)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    height, width = pixels.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(pixels, np.uint8))
    colour = 2 if pixels.ndim == 3 else 0

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)


def photograph(kind, random, height, width):
    """Stripes, rings or checks in random colours, phases and light."""
    y, x = np.mgrid[:height, :width] / min(height, width)
    phase, light = random.uniform(0, 2 * np.pi), random.uniform(0.5, 1)
    if kind == "stripes":
        pattern = np.sin(25 * x + phase)
    elif kind == "rings":
        pattern = np.sin(30 * np.hypot(x - 0.5, y - 0.5) + phase)
    else:
        pattern = np.sign(np.sin(18 * x + phase) * np.sin(18 * y + phase))
    colours = random.uniform(40, 215, size=(2, 3))
    share = (pattern[..., None] + 1) / 2
    picture = light * (share * colours[0] + (1 - share) * colours[1]) + 8 * random.normal(size=(height, width, 3))
    return picture.clip(0, 255).astype(np.uint8)


KINDS = ("stripes", "rings", "checks")


def signals(size, random, steps=60):
    """Three kinds of beats with random phase and noise, and their names."""
    time = np.linspace(0, 1, steps)
    names = np.array(["normal", "fast", "flat"])[np.arange(size) % 3]
    frequency = np.select([names == "normal", names == "fast"], [4, 9], 1)[:, None]
    beats = np.sin(2 * np.pi * frequency * (time + random.uniform(size=(size, 1)))) ** 3
    return beats + 0.1 * random.normal(size=beats.shape), names


class Krica:
    def __init__(self, directory):
        self.directory = directory

    def run(self, *arguments, code=0):
        done = subprocess.run([KRICA, *map(str, arguments)], cwd=self.directory, capture_output=True, text=True)
        assert done.returncode == code, f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "internal error" not in done.stderr
        return done

    def __call__(self, *arguments, code=0):
        return self.run(*arguments, code=code).stdout

    def error(self, *arguments, code):
        return self.run(*arguments, code=code).stderr

    def json(self, *arguments):
        return json.loads(self(*arguments, "--json"))


@pytest.fixture
def krica(tmp_path):
    return Krica(tmp_path)


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """photos/KIND/N.png of different sizes, a model of them, and what its training printed."""
    directory = tmp_path_factory.mktemp("home")
    random = np.random.default_rng(1)
    for kind in KINDS:
        for i in range(40):
            height, width = random.integers(50, 90, size=2)
            write_png(directory / "photos" / kind / f"{i:02}.png", photograph(kind, random, height, width))
    command = Krica(directory)
    command.printed = command("train", "photos", "-o", "photos.krica", "--components", 64, "--patches", 5000)
    return command


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """signals.csv with a column of class names, and a model of it."""
    directory = tmp_path_factory.mktemp("lab")
    X, names = signals(240, np.random.default_rng(2))
    header = ",".join(f"t{i}" for i in range(X.shape[1])) + ",class\n"
    lines = "".join(",".join(f"{value:.5f}" for value in row) + f",{name}\n" for row, name in zip(X, names))
    (directory / "signals.csv").write_text(header + lines)
    np.save(directory / "x.npy", X)
    np.save(directory / "names.npy", names)
    command = Krica(directory)
    command.printed = command("train", "signals.csv", "-o", "signals.krica")
    return command
