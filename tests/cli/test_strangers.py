# SPDX-License-Identifier: BSD-3-Clause
"""Data sets of strangers: names that would write on the terminal, that are not text, images that would fill the memory."""


import numpy as np

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
