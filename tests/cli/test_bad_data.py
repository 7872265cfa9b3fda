# SPDX-License-Identifier: BSD-3-Clause
"""Every kind of bad data has its own message, naming the file, and exit code 3; odd but valid data are read."""

import pathlib

import numpy as np
import pytest

from conftest import read_safetensors

JOB = ["--components", "8", "--patches", "200", "--svm-c", "0.1", "--quiet", "-o", "m.krica"]


def pixels(height, width, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (height, width), dtype=np.uint8)


def write_pgm(path, image):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"P5\n%d %d\n255\n" % image.shape[::-1] + image.tobytes())


def class_folders(root, sizes, each=6):
    """One directory a class: cat, dog, ... of images of (height, width)."""
    for name, (height, width) in zip(["cat", "dog", "owl"], sizes):
        for i in range(each):
            write_pgm(root / name / f"{i}.pgm", pixels(height, width, seed=i))
    return root


def arrays(root, images, labels):
    np.save(root / "x.npy", images)
    np.save(root / "y.npy", labels)
    return ["x.npy", "--labels", "y.npy"]


def images(count=40, dtype=np.uint8):
    return np.random.default_rng(1).integers(0, 256, (count, 12, 12)).astype(dtype)


def cifar(root, first_batch):
    (root / "c").mkdir()
    (root / "c" / "data_batch_1.bin").write_bytes(first_batch)
    (root / "c" / "test_batch.bin").write_bytes(bytes(3073))
    return ["c"]


def not_an_image(root):
    (class_folders(root / "set", [(12, 12), (12, 12)]) / "dog" / "9.jpg").write_text("hello")
    return ["set"]


def empty(root):
    (root / "set").mkdir()
    return ["set"]


def folders(sizes):
    return lambda root: [class_folders(root / "set", sizes).name]


def with_nan(root):
    x = images(dtype=np.float32)
    x[3, 2, 1] = np.nan
    return arrays(root, x, np.arange(40) % 2)


BAD = {
    "empty directory": (empty, ["set", "empty"]),
    "one class only": (folders([(12, 12)]), ["one class only", "'cat'"]),
    "mixed sizes": (lambda root: [*folders([(12, 12), (12, 14)])(root), "--image-size", 0],
                    ["dog/0.pgm", "14 x 12", "--image-size"]),
    "text named .jpg": (not_an_image, ["dog/9.jpg", "not an image"]),
    "1 x 1 images": (folders([(1, 1), (1, 1)]), ["set", "1 x 1", ".npy"]),
    "smaller than the receptive field": (
        lambda root: [*folders([(5, 5), (5, 5)])(root), "--receptive-field", 6], ["5 x 5", "receptive field"]),
    "truncated records": (lambda root: cifar(root, bytes(3073 * 3 + 5)), ["data_batch_1.bin", "9224", "3073"]),
    "label beyond range": (lambda root: cifar(root, b"\xc8" + bytes(3072)), ["data_batch_1.bin", "200", "9"]),
    "label with a fraction": (lambda root: arrays(root, images(), np.arange(40) % 2 / 2), ["y.npy", "position 1"]),
    "too few labels": (lambda root: arrays(root, images(), np.arange(10) % 2), ["y.npy", "10", "40"]),
    "labels of one class": (lambda root: arrays(root, images(), np.zeros(40, int)), ["x.npy", "one class"]),
    "constant images": (lambda root: arrays(root, images() * 0, np.arange(40) % 2), ["contrast", "constant"]),
    "NaN": (with_nan, ["x.npy", "NaN", "[3, 2, 1]"]),
    "complex numbers": (lambda root: arrays(root, images(dtype=complex), np.arange(40) % 2), ["x.npy", "c16"]),
    "no labels": (lambda root: arrays(root, images(), np.arange(40) % 2)[:1], ["labels"]),
}


@pytest.mark.parametrize("name", BAD)
def test_refused(krica, name):
    make, words = BAD[name]
    message = krica("train", *make(krica.directory), *JOB, code=3)
    assert message.startswith("krica: [") and message.count("\n") == 1, message
    assert all(word in message for word in words), message
    assert not (krica.directory / "m.krica").exists()


def test_the_messages_differ(krica, tmp_path_factory):
    messages = set()
    for make, _ in BAD.values():
        krica.directory = tmp_path_factory.mktemp("bad")
        messages.add(krica("train", *make(krica.directory), *JOB, code=3))
    assert len(messages) == len(BAD)


def test_array_orders_are_read_alike(krica):
    models = []
    for x in [images(), np.asfortranarray(images()), images(dtype=">f4"), images(dtype=">i2")]:
        krica("train", *arrays(krica.directory, x, np.arange(40) % 2), *JOB)
        models.append(read_safetensors(krica.directory / "m.krica")[1])
    for model in models[1:]:
        for name, tensor in models[0].items():
            np.testing.assert_array_equal(model[name], tensor)


def test_paths_with_spaces_and_other_letters(krica):
    root = krica.directory / "mes photos d'été 猫"
    class_folders(root, [(12, 12), (12, 12)])
    krica("train", root.name, *JOB)
    (krica.directory / "m.krica").rename(krica.directory / "modèle №1")
    image = pathlib.Path(root.name, "cat", "0.pgm")
    assert str(image) in krica("predict", "modèle №1", image)
