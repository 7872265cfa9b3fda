# SPDX-License-Identifier: BSD-3-Clause
"""SIFT on photographs that differ in size: training, prediction, evaluation, features, and what is refused."""

import json

import numpy as np
import pytest

from conftest import Krica, read_safetensors

SIZES = [(40, 60), (64, 44), (36, 36), (52, 30)]
SIFT = ["--descriptor", "sift", "--pool", "1x1,2x2,4x4", "--components", 16, "--patches", 400, "--svm-c", 1, "--quiet"]


def write_pgm(path, image):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"P5\n%d %d\n255\n" % image.shape[::-1] + image.astype(np.uint8).tobytes())


def grating(kind, shape, random):
    y, x = np.mgrid[: shape[0], : shape[1]]
    return 128 + 80 * np.sin(0.6 * (y if kind == "lying" else x) + 6 * random.random()) + random.normal(0, 6, shape)


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    """Gratings that lie or stand, and a model of them."""
    directory = tmp_path_factory.mktemp("photos")
    random = np.random.default_rng(0)
    for part, count in (("train", 16), ("test", 8)):
        for kind in ("lying", "standing"):
            for i in range(count):
                image = np.clip(grating(kind, SIZES[i % 4], random), 0, 255)
                write_pgm(directory / "photos" / part / kind / f"{i:02}.pgm", image)
    Krica(directory)("train", "photos", "-o", "m.krica", "--method", "kmeans-triangle", *SIFT)
    return directory


def test_says_what_it_reads(krica, photos):
    printed = krica("train", photos / "photos", "-o", "m.krica", "--method", "kmeans-hard", *SIFT)
    assert "32 images of up to 64 x 60 x 1 to learn from" in printed
    assert "receptive-field 16" in printed
    described = krica.json("info", photos / "photos", "--image-size-rule", "within")
    assert described["train"]["sizes_differ"] and described["train"]["shape"] == [64, 60, 1]
    model = krica.json("info", "m.krica")
    assert model["any_size"] and model["options"]["stride"] == 6 and model["options"]["whitening"] == "none"
    assert json.loads(read_safetensors(krica.directory / "m.krica")[0]["preparation"])["image-size"] == 300


def test_same_bits_for_any_threads(krica, photos):
    for threads in (1, 3):
        krica("train", photos / "photos", "-o", f"{threads}.krica", "--method", "kmeans-triangle", *SIFT, "--threads", threads)
    assert (krica.directory / "1.krica").read_bytes() == (krica.directory / "3.krica").read_bytes()
    assert (krica.directory / "1.krica").read_bytes() == (photos / "m.krica").read_bytes()


def test_predicts_files_folders_and_sets(krica, photos):
    model = photos / "m.krica"
    assert krica.json("evaluate", model, photos / "photos")["accuracy"] > 0.9
    folder = krica.json("predict", model, photos / "photos" / "test" / "lying")
    assert folder["count"] == 8 and sum(item["predictions"][0]["class"] == "lying" for item in folder["images"]) >= 7
    random = np.random.default_rng(5)
    write_pgm(krica.directory / "large.pgm", np.clip(grating("standing", (400, 700), random), 0, 255))
    write_pgm(krica.directory / "small.pgm", np.clip(grating("standing", (16, 16), random), 0, 255))
    both = krica.json("predict", model, "large.pgm", "small.pgm")
    assert both["count"] == 2
    alone = krica.json("predict", model, "small.pgm")
    assert alone["images"][0]["predictions"] == both["images"][1]["predictions"]
    krica("predict", model, "large.pgm", "--explain", "why.png")
    assert (krica.directory / "why.png").read_bytes().startswith(b"\x89PNG")


def test_features_of_length_one(krica, photos):
    krica("train", photos / "photos", "-o", "m.krica", "--method", "kmeans-triangle", *SIFT, "--feature-scaling", "l2")
    krica("encode", "m.krica", photos / "photos", "-o", "f.npy", "--quiet")
    features = np.load(krica.directory / "f.npy")
    assert features.shape == (32, 21 * 16)
    assert np.allclose(np.linalg.norm(features, axis=1), 1, atol=1e-5)
    assert krica.json("evaluate", "m.krica", photos / "photos")["accuracy"] > 0.9


def test_too_small_images_are_named(krica, photos):
    write_pgm(krica.directory / "flat.pgm", np.full((12, 50), 90))
    said = krica("predict", photos / "m.krica", "flat.pgm", code=3)
    assert "flat.pgm" in said and "50 x 12 pixels are smaller than the window of 16 x 16" in said
    for kind in ("a", "b"):
        write_pgm(krica.directory / "mixed" / kind / "1.pgm", np.full((40, 50), 90))
    write_pgm(krica.directory / "mixed" / "b" / "2.pgm", np.full((12, 50), 90))
    write_pgm(krica.directory / "mixed" / "a" / "2.pgm", np.full((30, 20), 90))
    said = krica("train", "mixed", "-o", "x.krica", "--method", "kmeans-hard", *SIFT, "--test-fraction", 0, code=3)
    assert "b/2.pgm: 50 x 12 pixels" in said


def test_others_need_one_size(krica, photos):
    data = photos / "photos"
    within = ["--image-size-rule", "within", "--quiet"]
    said = krica("train", data, "-o", "x.krica", "--method", "omp-1", *within, code=3)
    assert "differ in size" in said and "--descriptor sift" in said
    said = krica("data", "convert", data, "out", "--to", "npy", "--image-size-rule", "within", code=3)
    assert "differ in size" in said
    krica("data", "convert", data, "out", "--to", "folder", "--image-size-rule", "within")
    assert krica.json("evaluate", photos / "m.krica", "out") == krica.json("evaluate", photos / "m.krica", data)
    said = krica("train", data, "-o", "x.krica", "--method", "omp-1", "--descriptor", "sift", "--receptive-field", 10, code=2)
    assert "multiple of 4" in said


def test_scspm(krica, photos):
    small = ["--components", 16, "--patches", 300, "--iterations", 3, "--quiet"]
    krica("train", photos / "photos", "-o", "m.krica", "--method", "scspm", *small)
    options = krica.json("info", "m.krica")["options"]
    chosen = {name: options[name] for name in ("descriptor", "pool", "pool-function", "feature-scaling", "sparsity")}
    assert chosen == {"descriptor": "sift", "pool": "1x1,2x2,4x4", "pool-function": "max", "feature-scaling": "l2",
                      "sparsity": 0.15}
    assert krica.json("evaluate", "m.krica", photos / "photos")["accuracy"] > 0.9


def test_dictionaries_on_sift(krica, photos):
    small = ["--components", 8, "--words", 12, "--feature-components", 20, "--nonzeros", 4, "--patches", 300, "--quiet"]
    krica("train", photos / "photos", "-o", "m.krica", "--method", "lc-ksvd", "--descriptor", "sift", *small)
    assert krica.json("evaluate", "m.krica", photos / "photos")["accuracy"] > 0.8
