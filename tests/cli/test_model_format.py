# SPDX-License-Identifier: BSD-3-Clause
"""docs/model-format.md: its example computes what the program computes, and it describes what the files contain."""

import pathlib
import re

import numpy as np
import pytest

from conftest import SMALL, read_safetensors

PAGE = (pathlib.Path(__file__).parents[2] / "docs" / "model-format.md").read_text()


@pytest.fixture(scope="module")
def example():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names = {}
    exec(compile(code, "model-format.md", "exec"), names)  # pylint: disable=exec-used
    return names


@pytest.fixture(scope="module")
def image():
    """A grey image with some structure, of the built-in images' size."""
    y, x = np.mgrid[0:28, 0:28]
    noise = np.random.default_rng(0).integers(0, 40, (28, 28))
    return (100 + 60 * np.sin(x / 3 + y / 5) + noise).astype(np.uint8)


@pytest.mark.parametrize(
    "options",
    [
        ["--method", "krica"],
        ["--method", "rica"],
        ["--method", "kmeans-triangle", "--pool", "3x2"],
        ["--method", "omp-1", "--pool", "1x1,2x3", "--pool-function", "max"],
        ["--method", "random-patches", "--pool", "1x1,3x3", "--pool-function", "mean"],
        ["--method", "max-margin-krica", "--epochs", 2, "--stride", 2],
        ["--method", "random-patches", "--whitening", "none", "--pool-power", 0.5],
    ],
    ids=lambda options: options[1],
)
def test_example_reproduces_predict(krica, example, image, options):
    krica("train", "embedded", "-o", "m.krica", *SMALL, *options)
    (krica.directory / "image.pgm").write_bytes(b"P5\n28 28\n255\n" + image.tobytes())
    (predicted,) = krica.json("predict", "m.krica", "image.pgm", "--top", 10)["images"]
    scores = example["scores"](krica.directory / "m.krica", image[:, :, None])
    for entry in predicted["predictions"]:
        assert scores[entry["label"]] == pytest.approx(entry["score"], rel=1e-3, abs=1e-3)


@pytest.mark.parametrize("method", ["krica", "max-margin-krica", "d-krica", "kica", "sparse-autoencoder", "raw-pixels"])
def test_page_names_everything_in_a_file(krica, method):
    options = ["--components", 30, *SMALL[2:], "--epochs", 1]
    krica("train", "embedded", "-o", "m.krica", *options, "--method", method)
    texts, tensors = read_safetensors(krica.directory / "m.krica")
    described = set(re.findall(r"^\| `([\w.]+)` \|", PAGE, re.MULTILINE))
    assert set(texts) | set(tensors) <= described
