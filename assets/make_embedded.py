#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes fashion_mnist_subset.gz: the first 200 training and 100 test images of each class.

    assets/make_embedded.py [DIRECTORY]

DIRECTORY holds the official IDX files (Debian: dataset-fashion-mnist). The order is that of the
files. The result is four IDX files one after the other, in one gzip stream without a time or name,
so that the same input gives the same bytes.
"""
import gzip
import pathlib
import struct
import sys
import zlib

PER_CLASS = {"train": 200, "t10k": 100}
SIDE = 28
CLASSES = 10


def read(path):
    with gzip.open(path, "rb") as file:
        return file.read()


def choose(labels, per_class):
    counts = [0] * CLASSES
    for index, label in enumerate(labels):
        if counts[label] < per_class:
            counts[label] += 1
            yield index


def subset(directory, part):
    images = read(directory / f"{part}-images-idx3-ubyte.gz")[16:]
    labels = read(directory / f"{part}-labels-idx1-ubyte.gz")[8:]
    chosen = list(choose(labels, PER_CLASS[part]))
    size = SIDE * SIDE
    return (
        struct.pack(">IIII", 0x803, len(chosen), SIDE, SIDE)
        + b"".join(images[i * size : (i + 1) * size] for i in chosen)
        + struct.pack(">II", 0x801, len(chosen))
        + bytes(labels[i] for i in chosen)
    )


def main():
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/datasets/fashion-mnist")
    content = subset(directory, "train") + subset(directory, "t10k")
    packer = zlib.compressobj(9, zlib.DEFLATED, 31, 9)
    packed = packer.compress(content) + packer.flush()
    target = pathlib.Path(__file__).resolve().parent / "fashion_mnist_subset.gz"
    target.write_bytes(packed)
    print(f"{target.name}: {len(packed)} bytes")


main()
