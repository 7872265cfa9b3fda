# SPDX-License-Identifier: BSD-3-Clause
"""Tiny data sets in the layouts of CIFAR-10, STL-10 and Caltech-101: every class is a grating of its own direction."""

import numpy as np


def grating(label, classes, side, channels, random):
    """One image, (side, side, channels) bytes."""
    angle = np.pi * label / classes
    y, x = np.mgrid[0:side, 0:side]
    wave = np.sin(1.2 * (x * np.cos(angle) + y * np.sin(angle)) + random.uniform(0, 2 * np.pi))
    image = 128 + 70 * wave[:, :, None] * np.linspace(1, 0.5, channels) + 15 * random.standard_normal((side, side, channels))
    return np.clip(image, 0, 255).astype(np.uint8)


def write_cifar(directory, images=20):
    directory.mkdir()
    random = np.random.default_rng(0)
    for name in [f"data_batch_{i}" for i in range(1, 6)] + ["test_batch"]:
        records = [
            bytes([i % 10]) + grating(i % 10, 10, 32, 3, random).transpose(2, 0, 1).tobytes() for i in range(images)
        ]
        (directory / f"{name}.bin").write_bytes(b"".join(records))


def write_stl(directory, a_class=6, folds=0, unlabelled=0):
    directory.mkdir()
    random = np.random.default_rng(1)

    def images(count):
        return b"".join(grating(i % 10, 10, 96, 3, random).transpose(2, 1, 0).tobytes() for i in range(count))

    for part, count in (("train", 10 * a_class), ("test", 20)):
        (directory / f"{part}_X.bin").write_bytes(images(count))
        (directory / f"{part}_y.bin").write_bytes(bytes(1 + i % 10 for i in range(count)))
    if unlabelled:
        (directory / "unlabeled_X.bin").write_bytes(images(unlabelled))
    if folds:
        lines = [" ".join(str(i) for i in random.permutation(10 * a_class)[: 5 * a_class]) for _ in range(folds)]
        (directory / "fold_indices.txt").write_text("\n".join(lines) + "\n")


def write_caltech(directory, classes=3, images=31):
    """Grey and colour images of several sizes, as PNM."""
    random = np.random.default_rng(2)
    for label in range(classes):
        folder = directory / f"class_{label}"
        folder.mkdir(parents=True)
        for i in range(images + label):
            channels = 1 if i % 4 == 0 else 3
            side = 20 + i % 3
            kind = b"P5" if channels == 1 else b"P6"
            header = kind + f"\n{side} {side}\n255\n".encode()
            (folder / f"image_{i:04}.pnm").write_bytes(header + grating(label, classes, side, channels, random).tobytes())
