# SPDX-License-Identifier: BSD-3-Clause
"""The arrays that are measured on: CIFAR-10 where it is given, else made-up images; Fashion-MNIST for the SVM."""
import gzip
import pathlib

import numpy as np

FASHION = pathlib.Path("/usr/share/datasets/fashion-mnist")  # Debian: dataset-fashion-mnist


def colour_images(cifar, count):
    """uint8, count x 3 x 32 x 32."""
    if cifar is not None:
        files = sorted(pathlib.Path(cifar).glob("data_batch_*.bin"))
        if not files:
            raise SystemExit(f"{cifar}: there is no data_batch_1.bin; give a directory of CIFAR-10's binary version")
        records = np.concatenate([np.fromfile(file, np.uint8).reshape(-1, 3073) for file in files])
        if len(records) < count:
            raise SystemExit(f"{cifar}: {len(records)} images, {count} are needed")
        return np.ascontiguousarray(records[:count, 1:].reshape(-1, 3, 32, 32))
    # Noise whose amplitude falls as 1/f, as that of photographs does.
    rng = np.random.default_rng(0)
    frequency = np.hypot(np.fft.fftfreq(32)[:, None], np.fft.rfftfreq(32)[None, :])
    images = np.empty((count, 3, 32, 32), np.uint8)
    for i in range(count):
        spectrum = np.fft.rfft2(rng.standard_normal((3, 32, 32))) / np.maximum(frequency, 1 / 32)
        image = np.fft.irfft2(spectrum, s=(32, 32))
        images[i] = np.clip(127 + 50 * image / image.std(), 0, 255)
    return images


def fashion(count):
    """Images, count x 1 x 28 x 28, and labels; None where the package is not installed."""
    images, labels = FASHION / "train-images-idx3-ubyte.gz", FASHION / "train-labels-idx1-ubyte.gz"
    if not images.exists():
        return None
    with gzip.open(images) as file:
        pixels = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 1, 28, 28)[:count]
    with gzip.open(labels) as file:
        classes = np.frombuffer(file.read(), np.uint8, offset=8).astype(np.int32)[:count]
    return np.ascontiguousarray(pixels), np.ascontiguousarray(classes)
