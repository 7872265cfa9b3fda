# SPDX-License-Identifier: BSD-3-Clause
"""Data formats under mpirun, and ranks that see different files."""

import gzip
import shutil
import struct

import numpy as np
import pytest

OPTIONS = ["--method", "random-patches", "--components", 8, "--patches", 500, "--control", "no", "--test-fraction", 0.2, "--quiet"]


def striped(shape, labels):
    """Noise, darker in the upper part the higher the label."""
    pixels = np.random.default_rng(3).integers(0, 256, shape, np.uint8)
    dark = (slice(None),) * (len(shape) - 2) + (slice(0, shape[-2] // 3),)
    pixels[dark] //= (labels + 1).astype(np.uint8).reshape(-1, *[1] * (len(shape) - 1))
    return pixels


def write_cifar(root):
    root.mkdir()
    labels = np.arange(30) % 3
    for name in ("data_batch_1.bin", "test_batch.bin"):
        pixels = striped((30, 3, 32, 32), labels).reshape(30, -1)
        (root / name).write_bytes(np.hstack([labels[:, None].astype(np.uint8), pixels]).tobytes())


def write_stl(root):
    root.mkdir()
    labels = np.arange(20) % 2
    for part in ("train", "test"):
        striped((20, 3, 96, 96), labels).tofile(root / f"{part}_X.bin")
        (labels + 1).astype(np.uint8).tofile(root / f"{part}_y.bin")


def write_idx(root, packed=False):
    root.mkdir()
    labels = np.arange(60) % 4
    for part in ("train", "t10k"):
        images = struct.pack(">IIII", 2051, 60, 28, 28) + striped((60, 28, 28), labels).tobytes()
        classes = struct.pack(">II", 2049, 60) + labels.astype(np.uint8).tobytes()
        for name, content in ((f"{part}-images-idx3-ubyte", images), (f"{part}-labels-idx1-ubyte", classes)):
            path = root / (name + ".gz" if packed else name)
            path.write_bytes(gzip.compress(content) if packed else content)


def write_large_gzip(root):
    """Above 4 MiB the unpacked images are in a temporary file."""
    write_idx(root, packed=True)
    labels = np.arange(6000) % 4
    content = struct.pack(">IIII", 2051, 6000, 28, 28) + striped((6000, 28, 28), labels).tobytes()
    (root / "train-images-idx3-ubyte.gz").write_bytes(gzip.compress(content, 1))
    content = struct.pack(">II", 2049, 6000) + labels.astype(np.uint8).tobytes()
    (root / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(content))


FORMATS = {
    "cifar10": write_cifar,
    "stl10": write_stl,
    "idx": write_idx,
    "idx.gz": lambda root: write_idx(root, packed=True),
    "large idx.gz": write_large_gzip,
}


@pytest.mark.parametrize("name", FORMATS)
def test_three_ranks_give_the_same_bytes(krica, name):
    FORMATS[name](krica.directory / "set")
    options = OPTIONS + (["--image-size", 24] if name == "stl10" else [])
    for ranks, directory in ((0, "alone"), (3, "together")):
        (krica.directory / directory).mkdir()
        krica.run(ranks, "train", "set", "-o", f"{directory}/m.krica", *options)
        krica.run(ranks, "encode", f"{directory}/m.krica", "set", "-o", f"{directory}/f.npy", "--quiet")
    for file in ("m.krica", "f.npy"):
        assert (krica.directory / "together" / file).read_bytes() == (krica.directory / "alone" / file).read_bytes()


def write_folder(root):
    numbers = np.random.default_rng(1)
    for label in ("cats", "dogs"):
        (root / label).mkdir(parents=True)
        for i in range(20):
            pixels = numbers.integers(0, 256, 256, np.uint8).tobytes()
            (root / label / f"{i:02}.pgm").write_bytes(b"P5 16 16 255\n" + pixels)


def apart(krica, ranks, write):
    """Gives every rank a directory of its own with the same data."""
    krica.own_directories = [krica.directory / str(rank) for rank in range(ranks)]
    for directory in krica.own_directories:
        directory.mkdir()
        write(directory / "d")
    return krica.own_directories


def refused(krica, *arguments, code=3):
    """The only message. No rank may write a model."""
    process = krica.run(len(krica.own_directories), *arguments, *OPTIONS, code=code)
    lines = [line for line in process.errors.splitlines() if line.startswith("krica:")]
    assert len(lines) == 1, process.errors
    assert not list(krica.directory.glob("*/m.krica*"))
    return lines[0]


def test_ranks_with_the_same_files_of_their_own(krica):
    first, second = apart(krica, 2, write_folder)
    krica.run(2, "train", "d", "-o", first / "m.krica", *OPTIONS)
    krica.own_directories = None
    krica.run(0, "train", "0/d", "-o", "alone.krica", *OPTIONS)
    assert (first / "m.krica").read_bytes() == (krica.directory / "alone.krica").read_bytes()
    assert not (second / "m.krica").exists()


@pytest.mark.parametrize("victim", ["cats/05.pgm", "dogs/19.pgm"])
@pytest.mark.parametrize("place", [0, 1])
def test_a_file_that_one_rank_does_not_see(krica, place, victim):
    directories = apart(krica, 3, write_folder)
    (directories[place] / "d" / victim).unlink()
    counts = {0: "process 1 found 40 files, process 0 found 39 files", 1: "process 1 found 39 files, process 0 found 40 files"}
    said = refused(krica, "train", "d", "-o", "m.krica")
    assert counts[place] in said
    assert f"{victim} is missing on process {place}" in said


def test_a_file_of_another_size(krica):
    directories = apart(krica, 2, write_folder)
    with open(directories[1] / "d/dogs/07.pgm", "ab") as file:
        file.write(b"more")
    assert "dogs/07.pgm has 273 bytes on process 1 and 269 on process 0" in refused(krica, "train", "d", "-o", "m.krica")


def test_other_labels_and_sizes(krica):
    directories = apart(krica, 2, write_idx)
    labels = directories[1] / "d/train-labels-idx1-ubyte"
    content = labels.read_bytes()
    labels.write_bytes(content[:8] + content[9:] + content[8:9])
    assert "process 1 found other labels of training data than process 0" in refused(krica, "train", "d", "-o", "m.krica")
    shutil.rmtree(directories[1] / "d")
    write_large_gzip(directories[1] / "d")
    said = refused(krica, "train", "d", "-o", "m.krica")
    assert "process 1 found 6000 training images of 28 x 28 x 1, process 0 found 60" in said


def test_a_rank_without_the_data(krica):
    directories = apart(krica, 3, write_folder)
    shutil.rmtree(directories[2] / "d")
    assert "d: cannot open: No such file or directory" in refused(krica, "train", "d", "-o", "m.krica", code=4)
    write_idx(directories[2] / "d")
    said = refused(krica, "train", "d", "-o", "m.krica")
    assert "process 2 found data of format idx, process 0 found data of format folder" in said


@pytest.mark.parametrize("command", [["encode", "-o", "f.npy"], ["evaluate"]])
def test_another_model(krica, command):
    directories = apart(krica, 2, write_folder)
    krica.own_directories = None
    for rank, components in ((0, 8), (1, 10)):
        options = [components if option == 8 else option for option in OPTIONS]
        krica.run(0, "train", "0/d", "-o", directories[rank] / "m.krica", *options)
    krica.own_directories = directories
    process = krica.run(2, command[0], "m.krica", "d", *command[1:], "--quiet", code=3)
    lines = [line for line in process.errors.splitlines() if line.startswith("krica:")]
    assert len(lines) == 1, process.errors
    assert "m.krica: process 1 found" in lines[0]
