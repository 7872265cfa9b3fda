# SPDX-License-Identifier: BSD-3-Clause
"""Samples: an .npy of shape (m, n), every row one of them."""

import json
import time

import numpy as np
import pytest

from conftest import SAMPLE_METHODS, read_safetensors

SMALL = ["--components", "12", "--iterations", "10"]


def clouds(rows, columns=6, seed=0):
    """Three classes, each of two opposite clouds, and their labels."""
    random = np.random.default_rng(seed)
    labels = np.arange(rows) % 3
    samples = 0.5 * random.standard_normal((rows, columns))
    samples[np.arange(rows), labels] += 3 * random.choice([-1, 1], rows)
    return samples, labels


@pytest.fixture
def data(krica):
    samples, labels = clouds(300)
    np.save(krica.directory / "x.npy", samples)
    np.save(krica.directory / "y.npy", labels)
    return samples, labels


def gaussian_codes(path, samples):
    """The codes from what the model file holds, by NumPy alone."""
    metadata, tensors = read_safetensors(path)
    options = json.loads(metadata["options"])
    assert options["whitening"] == "none" and not options["unit-norm"] and not options["contrast"]
    samples = (samples - tensors.get("units.centre", 0)) * tensors["units.scale"]
    differences = samples[:, None, :] - tensors["atoms"][None, :, :]
    return np.exp(-options["gamma"] * (differences**2).sum(2))


def test_fit_and_encode(krica, data):
    summary = krica.json("fit", "x.npy", "-o", "m.krica", "--method", "krica", *SMALL, "--whitening", "none", "--unit-norm", "no")
    assert summary["features"] == 12
    assert krica.json("encode", "m.krica", "x.npy", "-o", "codes.npy")["shape"] == [300, 12]
    codes = np.load(krica.directory / "codes.npy")
    assert codes.dtype == np.float32
    np.testing.assert_allclose(codes, gaussian_codes(krica.directory / "m.krica", data[0]), atol=1e-4)


def test_info_and_show(krica, data):
    krica("fit", "x.npy", "-o", "m.krica", *SMALL)
    described = krica.json("info", "m.krica")
    assert described["sample_values"] == 6 and "image_shape" not in described
    assert "12 atoms of 6 values" in krica("show", "m.krica", "-o", "atoms.png")


def test_train_evaluate_and_tune(krica, data):
    summary = krica.json("train", "x.npy", "--labels", "y.npy", "-o", "m.krica", "--method", "krica", *SMALL, "--test-fraction", 0.3)
    assert summary["test"]["accuracy"] > 0.9
    result = krica.json("evaluate", "m.krica", "x.npy", "--labels", "y.npy", "--split", "train")
    assert result["samples"] == 300 and result["accuracy"] > 0.9
    assert "300 samples" in krica("evaluate", "m.krica", "x.npy", "--labels", "y.npy", "--split", "train")
    tuned = krica.json("tune", "x.npy", "--labels", "y.npy", "--grid", "sparsity=0.01,0.1", "--folds", 2,
                       "--method", "krica", *SMALL)
    assert len(tuned["rows"]) == 2 and tuned["best"]["accuracy"] > 0.9


TUNING = ["--labels", "y.npy", "--folds", 2, "--components", 3, "--iterations", 3, "--epochs", 1, "--landmarks", 30,
          "--svm-c", 0.05]  # fmt: skip


@pytest.mark.parametrize("method", SAMPLE_METHODS)
def test_tune_has_a_grid_for_each_method(krica, data, method):
    rows = krica.json("tune", "x.npy", "--method", method, *TUNING)["rows"]
    settings = [row["options"] for row in rows]
    # Samples keep their contrast, so there is nothing that ica's grid could change.
    assert (settings == [{}]) == (method in ("ica", "raw-pixels"))
    for name in settings[0]:
        assert len({setting[name] for setting in settings}) > 1, name


@pytest.mark.parametrize(
    "options, searched",
    [
        (["--method", "krica", "--sparsity", 0.01], {"gamma"}),
        (["--method", "krica", "--kernel", "polynomial", "--sparsity", 0.01], {"degree"}),
        (["--method", "krica", "--kernel", "histogram-intersection", "--sparsity", 0.01], {"kernel-scale"}),
        (["--method", "krica", "--kernel", "linear"], {"sparsity"}),
        (["--method", "random-patches", "--encoder", "abs"], set()),
        (["--method", "kmeans-triangle"], {"whitening-epsilon"}),
        (["--method", "kmeans-triangle", "--whitening", "none"], set()),
        (["--method", "ica", "--contrast", "yes"], {"contrast-epsilon"}),
    ],
)
def test_tune_searches_only_what_has_an_effect(krica, data, options, searched):
    rows = krica.json("tune", "x.npy", *TUNING, *options)["rows"]
    assert set(rows[0]["options"]) == searched
    assert len(rows) == 1 or searched


def test_tune_goes_on_after_a_setting_that_is_refused(krica, data):
    options = ["tune", "x.npy", "--labels", "y.npy", "--method", "ica", "--folds", "2"]
    result = krica.json(*options, "--grid", "components=500,2", "--report", "page.html")
    refused, tried = result["rows"]
    assert "directions" in refused["error"] and "accuracy" not in refused
    assert result["best"] == tried and tried["options"] == {"components": 2}
    assert "failed: [ica]" in (krica.directory / "page.html").read_text()
    assert "components=500" in krica(*options, "--grid", "components=500,2")
    assert "directions" in krica(*options, "--grid", "components=500,501", code=3)


def test_tune_says_that_it_needs_labels(krica, data):
    assert "needs labels" in krica("tune", "x.npy", code=3)


def test_the_summary_speaks_of_what_there_is(krica, data):
    text = krica("train", "x.npy", "--labels", "y.npy", "-o", "m.krica", "--method", "raw-pixels")
    assert "atoms" not in text.split("\n")[0] and "basis" not in text.split("\n")[0]
    text = krica("train", "x.npy", "--labels", "y.npy", "-o", "m.krica", "--method", "random-patches", *SMALL)
    assert "240 samples of 6 values" in text and "60 held out" in text and "images" not in text


def test_a_folder_of_arrays(krica):
    for part, seed in [("train", 1), ("test", 2)]:
        samples, labels = clouds(200, seed=seed)
        (krica.directory / "set").mkdir(exist_ok=True)
        np.save(krica.directory / "set" / f"{part}_x.npy", samples.astype(np.float32))
        np.save(krica.directory / "set" / f"{part}_y.npy", labels)
    assert "on 200 samples" in krica("train", "set", "-o", "m.krica", *SMALL)
    krica("encode", "m.krica", "set", "--split", "test", "-o", "codes.npy")
    assert np.load(krica.directory / "codes.npy").shape == (200, 12)


@pytest.mark.parametrize("method", ["krica", "random-patches", "rica", "kmeans-triangle", "kmeans-hard"])
def test_same_bytes_for_any_threads(krica, data, method):
    for threads in (1, 3):
        krica("fit", "x.npy", "-o", f"{threads}.krica", *SMALL, "--method", method, "--threads", threads)
        krica("encode", f"{threads}.krica", "x.npy", "-o", f"{threads}.npy", "--threads", threads)
    for ending in ("krica", "npy"):
        assert (krica.directory / f"1.{ending}").read_bytes() == (krica.directory / f"3.{ending}").read_bytes()


def test_at_most_as_many_samples_as_patches(krica, data):
    assert "40 atoms" in krica("fit", "x.npy", "-o", "m", "--components", 40, "--patches", 30, "--method", "random-patches", code=3)
    krica("fit", "x.npy", "-o", "m", "--components", 30, "--patches", 30, "--method", "random-patches")


def test_what_does_not_fit_is_refused(krica, data, model):
    krica("train", "x.npy", "--labels", "y.npy", "-o", "m.krica", *SMALL)
    np.save(krica.directory / "wide.npy", np.zeros((5, 9)))
    message = krica("encode", "m.krica", "wide.npy", "-o", "codes.npy", code=3)
    assert "samples of 9 values" in message and "samples of 6 values" in message
    message = krica("encode", "m.krica", "embedded", "-o", "codes.npy", code=3)
    assert "images of 28 x 28 x 1" in message and "samples of 6 values" in message
    message = krica("encode", model[0], "x.npy", "-o", "codes.npy", code=3)
    assert "samples of 6 values" in message and "images of 28 x 28 x 1" in message
    assert "images of 28 x 28 x 1" in krica("evaluate", "m.krica", "embedded", code=3)
    assert "samples of 6 values" in krica("predict", "m.krica", "photo.jpg", code=3)
    assert not (krica.directory / "codes.npy").exists()


def test_bad_samples(krica):
    def fit(array, *options):
        np.save(krica.directory / "bad.npy", array)
        return krica("fit", "bad.npy", "-o", "m", *SMALL, *options, code=3)

    good, _ = clouds(30)
    assert "NaN" in fit(np.where(np.arange(6) == 2, np.nan, good))
    assert "float32" in fit(np.where(np.arange(6) == 2, 1e300, good))
    assert "every number is 0" in fit(np.zeros((30, 6)))
    assert "at least 2" in fit(good[:1])
    assert "bad.npy" in fit(good[:, 0])
    assert "bad.npy" in fit(good[:0])
    assert "bad.npy" in fit(good[:, :0])
    krica("fit", "bad.npy", "-o", "m", "--contrast", "perhaps", code=2)
    np.save(krica.directory / "bad.npy", good)
    assert "labels" in krica("train", "bad.npy", "-o", "m", *SMALL, code=3)
    assert not (krica.directory / "m").exists()


def test_resumed_from_a_checkpoint(krica):
    samples, _ = clouds(20000, 40)
    np.save(krica.directory / "x.npy", samples)
    options = ["--components", 100, "--iterations", 60, "--quiet"]
    krica("fit", "x.npy", "-o", "whole.krica", *options)
    process = krica.start("fit", "x.npy", "-o", "m.krica", *options)
    while process.poll() is None and not (krica.directory / "m.krica.checkpoint").exists():
        time.sleep(0.01)
    process.kill()
    process.communicate()
    krica("fit", "x.npy", "-o", "m.krica", *options)
    assert (krica.directory / "m.krica").read_bytes() == (krica.directory / "whole.krica").read_bytes()


@pytest.mark.parametrize("scale", [1e-9, 1e9])
@pytest.mark.parametrize("method", SAMPLE_METHODS)
def test_the_unit_of_samples_does_not_matter(krica, data, method, scale):
    """With default preprocessing every method gives the same codes and the same accuracy in any unit."""
    samples, _ = data
    np.save(krica.directory / "scaled.npy", samples * scale)
    atoms = 6 if method in ("ica", "kica") else 12
    options = ["--labels", "y.npy", "--method", method, "--components", atoms, "--iterations", 20, "--epochs", 2,
               "--landmarks", 60, "--batch", 32, "--receptive-field", 1]  # fmt: skip
    accuracies, codes = [], []
    for name in ("x.npy", "scaled.npy"):
        accuracies.append(krica.json("train", name, "-o", "m.krica", *options)["test"]["accuracy"])
        krica("encode", "m.krica", name, "-o", "codes.npy")
        codes.append(np.load(krica.directory / "codes.npy").astype(float))
    assert accuracies[0] == accuracies[1]
    if method == "raw-pixels":  # the values themselves, in their unit
        codes[1] = codes[1] / scale
    assert np.abs(codes[0] - codes[1]).max() <= 1e-4 * np.abs(codes[0]).max()
