# SPDX-License-Identifier: BSD-3-Clause
"""Data sets of strangers: names that would write on the terminal, that are not text, images that would fill the memory."""


import os

import numpy as np
import pytest

JOB = ["--components", "8", "--patches", "200", "--svm-c", "0.1", "--method", "omp-1", "--quiet"]
RED = "a\x1b[31mred\n\x9b"  # what a terminal would act on


def write_pgm(path, seed=0):
    path.parent.mkdir(parents=True, exist_ok=True)
    image = np.random.default_rng(seed).integers(0, 256, (12, 12), dtype=np.uint8)
    path.write_bytes(b"P5\n12 12\n255\n" + image.tobytes())


def classes(root, *names):
    for number, name in enumerate(names):
        for i in range(6):
            write_pgm(root / name / f"{i}.pgm", seed=10 * number + i)


def is_harmless(text):
    return not any(ord(c) < 32 and c != "\n" or 127 <= ord(c) < 160 for c in text)


def test_names_that_are_not_utf8_are_refused_before_the_work(krica):
    classes(krica.directory / "set", os.fsdecode(b"caf\xe9"), "tea")
    for command in (["train", "set", "-o", "m.krica", *JOB], ["info", "set"], ["info", "set", "--json"]):
        message = krica(*command, code=3)
        assert "the class name 'caf\\xe9' is not UTF-8; rename the class" in message
    np.save(krica.directory / "x.npy", np.zeros((4, 12, 12), np.uint8))
    (krica.directory / "y.csv").write_bytes(b"caf\xe9\ntea\ntea\ncaf\xe9\n")
    assert "'caf\\xe9' is not UTF-8" in krica("train", "x.npy", "--labels", "y.csv", "-o", "m.krica", *JOB, code=3)


def test_names_with_a_zero_byte_are_refused(krica):
    (krica.directory / "set").mkdir()
    np.save(krica.directory / "set" / "train_x.npy", np.zeros((4, 12, 12), np.uint8))
    np.save(krica.directory / "set" / "train_y.npy", np.arange(4) % 2)
    (krica.directory / "set" / "class_names.txt").write_bytes(b"cat\0\ndog\n")
    assert "'cat\\x00' holds a zero byte" in krica("data", "convert", "set", "out", "--to", "folder", code=3)
    assert not (krica.directory / "out").exists()


@pytest.mark.parametrize("method, words", [("raw-pixels", "scale the data"), ("kmeans-triangle", "too small for float32")])
def test_tiny_values(krica, method, words):
    np.save(krica.directory / "x.npy", (np.random.default_rng(0).random((20, 12, 12)) * 1e-38).astype(np.float32))
    np.save(krica.directory / "y.npy", np.arange(20) % 2)
    job = [word if word != "omp-1" else method for word in JOB]
    assert words in krica("train", "x.npy", "--labels", "y.npy", "-o", "m.krica", *job, code=3)


@pytest.mark.parametrize("shape", [(20, 12, 12), (20, 30)], ids=["images", "samples"])
@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1e-42])
@pytest.mark.parametrize("method, options, words", [
    ("raw-pixels", [], "differ too little for float32: then scale the data"),
    ("raw-pixels", ["--feature-scaling", "none"], "differ too little for float32: then scale the data"),
    ("kmeans-triangle", ["--receptive-field", "3"], "too small for float32"),
])  # fmt: skip
def test_tiny_values_of_float64(krica, shape, scale, method, options, words):
    np.save(krica.directory / "x.npy", np.random.default_rng(0).random(shape) * scale)
    np.save(krica.directory / "y.npy", np.arange(20) % 2)
    job = [word if word != "omp-1" else method for word in JOB]
    if method == "kmeans-triangle" and len(shape) == 2:
        if scale == 1e-42:
            return  # samples are taken in their own unit, which 1e-42 still allows
        options = []
    assert words in krica("train", "x.npy", "--labels", "y.npy", "-o", "m.krica", *job, *options, code=3)


@pytest.mark.parametrize("shape, words", [((20, 12, 12), "2880 numbers are beyond float32"), ((20, 30), "column 0: the number is beyond float32")])
def test_huge_values_of_float64(krica, shape, words):
    np.save(krica.directory / "x.npy", np.random.default_rng(0).random(shape) * 1e300 + 1e200)
    np.save(krica.directory / "y.npy", np.arange(20) % 2)
    message = krica("train", "x.npy", "--labels", "y.npy", "-o", "m.krica", *JOB, code=3)
    assert words in message and "scale the data" in message and "NaN" not in message


def test_links_at_names_that_can_be_foreseen(krica):
    victim = krica.directory / "victim"
    victim.write_text("precious")
    for name, command in (
        ("m.krica.checkpoint.features", ["train", "embedded", "-o", "m.krica", "--images", "100", *JOB]),
        ("m.krica.lock", ["train", "embedded", "-o", "m.krica", "--images", "100", *JOB]),
        ("out/results.jsonl", ["reproduce", "lambda", "--size", "smoke", "-o", "out", "--quiet"]),
    ):
        link = krica.directory / name
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(victim)
        message = krica(*command, code=4)
        assert f"{name}: is a symbolic link" in message and "remove it or move it away" in message
        assert victim.read_text() == "precious" and link.is_symlink()
        assert not (krica.directory / "m.krica.checkpoint").exists(), "it is found before the work"
        link.unlink()


def test_files_of_the_user_with_similar_names(krica):
    (krica.directory / "m.krica.tmp-notes").write_text("own")
    krica("train", "embedded", "-o", "m.krica", "--images", "100", *JOB)
    assert (krica.directory / "m.krica.tmp-notes").read_text() == "own"
    (krica.directory / "m.krica.lock").write_text("own")
    message = krica("train", "embedded", "-o", "m.krica", "--images", "100", *JOB, code=4)
    assert "m.krica.lock: is not a lock of krica's" in message
    assert (krica.directory / "m.krica.lock").read_text() == "own"
    (krica.directory / "set.krica-part").mkdir()
    (krica.directory / "set.krica-part" / "notes").write_text("own")
    message = krica("data", "convert", "embedded", "set", code=4)
    assert "set.krica-part: is in the way" in message and "move it away" in message
    assert (krica.directory / "set.krica-part" / "notes").read_text() == "own"
    assert not (krica.directory / "set").exists()


def test_many_classes_are_told_in_few_lines(krica):
    count = 1001
    np.save(krica.directory / "x.npy", np.random.default_rng(0).integers(0, 256, (count, 4, 4), dtype=np.uint8))
    np.save(krica.directory / "y.npy", np.arange(count))
    krica("train", "x.npy", "--labels", "y.npy", "-o", "m.krica", "--method", "raw-pixels", "--svm-c", "0.1", "--test-fraction", "0", "--quiet")
    evaluate = ["evaluate", "m.krica", "x.npy", "--labels", "y.npy", "--split", "train"]
    text = krica(*evaluate)
    assert "the 20 worst of 1001 classes" in text and len(text.splitlines()) < 30
    result = krica.json(*evaluate)
    assert sum(pair["count"] for pair in result["confusion"]) == count
    right = sum(pair["count"] for pair in result["confusion"] if pair["true"] == pair["predicted"])
    assert right / count == result["accuracy"] and len(result["per_class"]) == count


def test_names_do_not_write_on_the_terminal(krica):
    classes(krica.directory / "set", RED, "b")
    (krica.directory / "set" / "b" / f"{RED}.jpg").write_text("no image")
    message = krica("train", "set", "-o", "m.krica", *JOB, code=3)
    assert is_harmless(message) and "a\\x1b[31mred\\n\\x9b.jpg" in message
    told = ""
    for command in (["train", "set", "--skip-bad", "-o", "m.krica", *JOB], ["info", "set", "--skip-bad"], ["info", "m.krica"],
                    ["evaluate", "m.krica", "set", "--skip-bad"], ["predict", "m.krica", "set"], ["show", "m.krica", "-o", "a.png"],
                    ["predict", "m.krica", "set", "--csv"], ["info", "m.krica", "--json"], ["evaluate", "m.krica", "set", "--skip-bad", "--json"]):  # fmt: skip
        process = krica.start(*command)
        told += "".join(process.communicate())
    assert is_harmless(told) and "\\x1b[31mred" in told and "\\u001b[31mred" in told
    assert RED in krica.json("info", "m.krica")["class_names"], "JSON says what the name is"
