# SPDX-License-Identifier: BSD-3-Clause
"""Every command does what its help says."""

import json

import numpy as np
import pytest

from conftest import METHODS, SMALL, read_safetensors
from experiment_data import write_cifar


def test_train_prints_what_it_did(model):
    path, summary = model
    assert summary["test"]["accuracy"] > 0.6
    assert summary["options"]["components"] == 32
    assert summary["options"]["gamma"] > 0
    assert not path.with_name("small.krica.checkpoint").exists()


def test_model_file_is_safetensors(model):
    metadata, tensors = read_safetensors(model[0])
    assert metadata["kind"] == "krica-model"
    assert json.loads(metadata["options"])["method"] == "krica"
    assert len(metadata["sha256"]) == 64
    assert tensors["atoms"].shape == (32, 36)
    assert np.isfinite(tensors["svm.weights"]).all()
    assert tensors["svm.weights"].shape == (10, 4 * 32 + 1)


def test_evaluate_agrees_with_train(krica, model):
    path, summary = model
    result = krica.json("evaluate", path, "embedded")
    assert result["accuracy"] == summary["test"]["accuracy"]
    confusion = np.array(result["confusion"])
    assert confusion.sum() == 1000
    assert np.trace(confusion) / 1000 == result["accuracy"]
    assert np.isclose(np.mean(result["per_class"]), result["mean_per_class"])
    assert "confusion" in krica("evaluate", path, "embedded")


def test_encode_predict_show_info(krica, model):
    path, _ = model
    krica("encode", path, "embedded", "-o", "features.npy", "--split", "test")
    features = np.load(krica.directory / "features.npy")
    assert features.shape == (1000, 128) and features.dtype == np.float32 and np.isfinite(features).all()

    krica("data", "convert", "embedded", "clothes", "--to", "folder")
    images = sorted((krica.directory / "clothes" / "test" / "Bag").iterdir())[:3]
    predicted = krica.json("predict", path, *images, "--top", 2)["images"]
    assert len(predicted) == 3 and all(len(entry["predictions"]) == 2 for entry in predicted)
    scores = [entry["predictions"][0]["score"] for entry in predicted]
    assert all(entry["predictions"][0]["score"] >= entry["predictions"][1]["score"] for entry in predicted), scores

    krica("show", path, "-o", "atoms.png")
    assert (krica.directory / "atoms.png").read_bytes().startswith(b"\x89PNG")
    assert "▀" in krica("show", path, "--terminal")
    assert krica.json("info", path)["options"]["receptive-field"] == 6
    assert krica.json("info", "embedded")["train"]["images"] == 2000


def test_tune_reports_every_combination(krica):
    result = krica.json("tune", "embedded", "--grid", "gamma=0.5,3", "--folds", 2, *SMALL, "--method", "random-patches")
    assert [row["options"]["gamma"] for row in result["rows"]] == [0.5, 3]
    assert result["best"]["accuracy"] == max(row["accuracy"] for row in result["rows"])


def test_tune_separates_values_with_commas_by_semicolons(krica):
    def pools(grid):
        result = krica.json("tune", "embedded", "--grid", grid, "--folds", 2, *SMALL, "--method", "random-patches")
        return [row["options"]["pool"] for row in result["rows"]]

    assert pools("pool=1x1,2x2") == ["1x1", "2x2"]
    assert pools("pool=2x2;1x1,2x2") == ["2x2", "1x1,2x2"]
    assert pools("pool=1x1,2x2;") == ["1x1,2x2"]


def test_tune_trains_the_best_and_leaves_out_what_is_settled(krica):
    small = ["--components", 20, "--patches", 1000, "--images", 100, "--svm-c", 0.05, "--folds", 2]
    result = krica.json("tune", "embedded", "--method", "omp-1", "-o", "best.krica", *small)
    assert [row["options"]["threshold"] for row in result["rows"]] == [0.1, 0.25, 0.5, 1]
    stored = krica.json("info", "best.krica")["options"]
    assert stored["threshold"] == result["best"]["options"]["threshold"]
    # What the command line settles is not searched.
    settled = krica.json("tune", "embedded", "--method", "omp-1", "--threshold", 0.3, *small)
    assert [row["options"] for row in settled["rows"]] == [{}]


def test_methods_are_listed_by_purpose(krica):
    text = krica("methods")
    for method in METHODS:
        lines = [line for line in text.splitlines() if line.startswith(f"  {method} ")]
        assert len(lines) == 1 and len(lines[0]) > 40, method
    assert {entry["name"] for entry in krica.json("methods")["methods"]} == set(METHODS)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_described(krica, method):
    text = krica("methods", method)
    assert text.startswith(f"{method}: ") and "Minimises" in text and f"--method {method}" in text
    described = krica.json("methods", method)
    assert described["minimises"] and described["purpose"]
    options = krica("train", "--help-all")
    for name, value in described["options"].items():
        assert f"--{name} " in options and value is not None, name
        assert f"--{name} " in text


@pytest.mark.parametrize("command", ["train", "fit", "tune"])
def test_help_fits_on_a_screen(krica, command):
    text = krica(command, "--help")
    assert len(text.splitlines()) <= 60 and max(map(len, text.splitlines())) <= 100
    assert "--method" in text and "--components" in text and f"krica {command} --help-all" in text
    every = krica(command, "--help-all")
    assert "--discrimination-reading" in every and "--discrimination-reading" not in text


@pytest.mark.parametrize(
    "words, meant",
    [
        (["trian", "embedded"], "train"),
        (["train", "embedded", "-o", "m", "--componets", "3"], "--components"),
        (["train", "embedded", "-o", "m", "--methd=omp-1"], "--method"),
        (["methods", "max-margin"], None),
        (["methods", "omp1"], "omp-1"),
        (["train", "embedded", "-o", "m", "--method", "k-rica"], "krica"),
        (["train", "embedded", "-o", "m", "--kernel", "gausian"], "did you mean 'gaussian'?"),
        (["train", "embedded", "-o", "m", "--init", "kmean"], "did you mean 'kmeans'?"),
        (["train", "embedded", "-o", "m", "--solver", "newton"], None),
        (["data", "get", "cifar1O"], "did you mean 'cifar10'?"),
        (["train", "set", "-o", "m", "--format", "foldr"], "did you mean 'folder'?"),
        (["reproduce", "gama"], "did you mean 'gamma'?"),
    ],
)
def test_a_mistyped_word_is_guessed(krica, words, meant):
    error = krica(*words, code=2)
    assert ("id you mean" in error) == (meant is not None)
    assert meant is None or meant in error


def test_a_mistyped_file_is_guessed(krica):
    (krica.directory / "photos").mkdir()
    assert "did you mean 'photos'?" in krica("train", "phtoos", "-o", "m.krica", code=4)
    assert "did you mean 'embedded'?" in krica("train", "embedde", "-o", "m.krica", code=4)
    (krica.directory / "clothes.krica").touch()
    (krica.directory / "image.pgm").touch()
    (krica.directory / "options.toml").touch()
    for command in (["evaluate", "cloths.krica", "embedded"], ["info", "cloths.krica"], ["predict", "cloths.krica", "image.pgm"],
                    ["show", "cloths.krica", "-o", "atoms.png"]):  # fmt: skip
        assert "did you mean 'clothes.krica'?" in krica(*command, code=4)
    assert "did you mean 'options.toml'?" in krica("train", "embedded", "-o", "m", "--config", "option.toml", code=4)


def test_a_mistyped_class_is_guessed(krica, model):
    images = np.random.default_rng(0).integers(0, 255, (4, 28, 28), np.uint8)
    np.save(krica.directory / "x.npy", images)
    (krica.directory / "y.txt").write_text("Bag\nSandals\nBag\nSandals\n")
    message = krica("evaluate", model[0], "x.npy", "--labels", "y.txt", "--split", "train", code=3)
    assert "does not know: Sandals (did you mean 'Sandal'?); it knows T-shirt/top" in message
    for part, names in (("train", ("cat", "horse")), ("test", ("cat", "hors"))):
        for name in names:
            (krica.directory / "set" / part / name).mkdir(parents=True)
            (krica.directory / "set" / part / name / "1.pgm").write_bytes(b"P5\n28 28\n255\n" + images[0].tobytes())
    assert "no class 'hors'; did you mean 'horse'?" in krica("train", "set", "-o", "m", code=3)


def test_codes_that_are_all_zero_are_told(krica):
    small = ["--components", 20, "--images", 100, "--patches", 500, "--iterations", 3, "--stride", 3, "--control", "no"]
    command = ["train", "embedded", "-o", "m.krica", "--method", "sparse-coding", *small]
    assert "a smaller sparsity (now 100)" in krica.json(*command, "--sparsity", 100)["warning"]
    assert "a smaller sparsity" not in krica.json(*command, "--sparsity", 0.1).get("warning", "")


def test_show_draws_atoms_class_by_class(krica):
    small = ["--patches", 2000, "--images", 400, "--iterations", 5, "--svm-c", 0.05]
    krica("train", "embedded", "-o", "classes.krica", "--method", "d-krica", "--components", 30, *small)
    assert "they were learned for" in krica("show", "classes.krica", "-o", "atoms.png")
    groups = krica.json("show", "classes.krica", "-o", "atoms.png")["classes"]
    assert [group["atoms"] for group in groups] == [[3 * c, 3 * c + 1, 3 * c + 2] for c in range(10)]
    error = krica("train", "embedded", "-o", "x.krica", "--method", "d-rica", "--components", 31, *small, code=3)
    assert "30 or 40" in error


def test_config_file_and_command_line(krica):
    (krica.directory / "options.toml").write_text('components = 16\nmethod = "random-patches"\npatches = 900\n')
    summary = krica.json(
        "train", "embedded", "-o", "m.krica", "--config", "options.toml", "--patches", 1000, "--images", 100, "--svm-c", 0.1
    )
    assert summary["options"]["components"] == 16 and summary["options"]["patches"] == 1000


def test_same_seed_same_bytes(krica):
    arguments = ["train", "embedded", *SMALL, "--quiet", "-o"]
    krica(*arguments, "one.krica", "--threads", 1)
    krica(*arguments, "three.krica", "--threads", 3)
    assert (krica.directory / "one.krica").read_bytes() == (krica.directory / "three.krica").read_bytes()


def test_max_margin_shows_and_explains(krica):
    summary = krica.json("train", "embedded", "-o", "joint.krica", "--method", "max-margin-krica", "--flips", *SMALL,
                         "--stride", 2, "--epochs", 3, "--held-out", 0.1)
    assert len(summary["held_out_accuracy"]) == 3
    assert summary["compared"]["images"] == 40
    assert summary["test"]["accuracy"] > 0.5

    shown = krica.json("show", "joint.krica", "-o", "atoms.png")
    assert sorted(atom for entry in shown["classes"] for atom in entry["atoms"]) == list(range(32))
    assert "vote for" in krica("show", "joint.krica", "-o", "atoms.png")
    assert "--arrange" in krica("show", "joint.krica", "-o", "atoms.png", "--arrange", "size", code=2)

    krica("data", "convert", "embedded", "clothes", "--to", "folder")
    images = sorted((krica.directory / "clothes" / "test" / "Bag").iterdir())[:2]
    krica("predict", "joint.krica", images[0], "--explain", "heat.png")
    assert (krica.directory / "heat.png").read_bytes().startswith(b"\x89PNG")
    result = krica.json("predict", "joint.krica", *images, "--explain", "heat.png")
    assert [entry["explanation"] for entry in result["images"]] == ["heat-1.png", "heat-2.png"]

    again = krica.json("train", "embedded", "-o", "more.krica", "--method", "max-margin-krica", *SMALL, "--stride", 2,
                       "--epochs", 1, "--init", "joint.krica")
    assert again["options"]["init"].startswith("model ")


def test_train_says_what_it_would_have_chosen(krica, model):
    assert "--method auto would choose" in model[1]["suggestion"]
    chosen = krica.json("train", "embedded", "-o", "auto.krica", "--components", 16, "--patches", 1000, "--images", 200,
                        "--stride", 3, "--svm-c", 0.05)
    assert "suggestion" not in chosen
    assert chosen["chosen"][0]["option"] == "method"
    assert chosen["options"]["method"] == chosen["chosen"][0]["value"] != "auto"
    assert chosen["options"]["components"] == 16, "what is given is kept"


def test_train_mentions_mirror_images_for_photographs(krica, model):
    write_cifar(krica.directory / "colours")
    # With so few images, auto would choose omp-1, too: this is the only suggestion.
    arguments = ("train", "colours", "-o", "m.krica", "--method", "omp-1", "--components", 8, "--patches", 500, "--images", 20,
                 "--stride", 4, "--svm-c", 1e-6)
    assert krica.json(*arguments)["suggestion"].startswith("if mirror images")
    for choice in ("--flips=no", "--flips"):
        assert "suggestion" not in krica.json(*arguments, choice), "the user has chosen"
    assert "--flips" not in model[1]["suggestion"], "grey images"



def test_the_control_stands_beside_a_method_that_is_asked_for_it(krica):
    job = ["train", "embedded", "-o", "m.krica", "--method", "omp-1", "--components", 16, "--patches", 1000, "--images", 200,
           "--stride", 3, "--svm-c", 0.05]  # fmt: skip
    assert "control" not in krica.json(*job)
    summary = krica.json(*job, "--control", "yes")
    assert summary["control"]["method"] == "random-patches" and summary["control"]["accuracy"] > 0.5
    assert "as many random patches" in krica(*job, "--control", "yes")
