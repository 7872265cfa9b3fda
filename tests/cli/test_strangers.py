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
