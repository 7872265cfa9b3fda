# SPDX-License-Identifier: BSD-3-Clause
"""krica info --devices. Hidden devices stand for a machine without one; a build without CUDA has none anyway."""

import pytest


@pytest.fixture
def without_devices(krica):
    krica.environment["CUDA_VISIBLE_DEVICES"] = ""
    return krica


def test_without_a_device(without_devices):
    text = without_devices("info", "--devices")
    first, second = text.splitlines()
    assert first in ("built with CUDA: yes", "built with CUDA: no")
    assert second.startswith("devices: none (") and second.endswith(")")
    if first.endswith("no"):
        assert "docs/gpu.md" in second


def test_without_a_device_as_json(without_devices):
    described = without_devices.json("info", "--devices")
    assert described["kind"] == "devices" and described["devices"] == [] and described["reason"]
    assert isinstance(described["built_with_cuda"], bool)


def test_devices_of_this_machine(krica):
    described = krica.json("info", "--devices")
    lines = krica("info", "--devices").splitlines()
    assert len(lines) == 1 + max(1, len(described["devices"]))
    for line, device in zip(lines[1:], described["devices"]):
        assert device["name"] in line and device["memory_bytes"] > 0
        assert f"compute capability {device['compute_capability']}" in line
        assert device["usable"] == (float(device["compute_capability"]) >= 8)
        assert device["usable"] or device["reason"] in line


def test_data_is_required_otherwise(krica):
    assert "DATA is required" in krica("info", code=2)
    assert "excludes" in krica("info", "embedded", "--devices", code=2)


def test_a_missing_device_is_told_before_the_work(without_devices, tmp_path):
    model = tmp_path / "model.krica"
    small = ["--method", "random-patches", "--components", "8", "--images", "100", "--patches", "1000"]
    message = without_devices("train", "embedded", "-o", model, *small, "--device", "cuda", code=2)
    assert "[device]" in message and "--device cpu" in message
    assert not model.exists() and not list(tmp_path.iterdir())
    without_devices("train", "embedded", "-o", model, *small)
    for command in (["encode", model, "embedded", "-o", tmp_path / "f.npy"], ["evaluate", model, "embedded"]):
        assert "[device]" in without_devices(*command, "--device", "cuda:1", code=2)


@pytest.mark.parametrize(
    "option, value, words",
    [
        ("--device", "gpu", "device must be cpu, cuda or cuda:N, got 'gpu'"),
        ("--device", "cuda:", "got 'cuda:'"),
        ("--device", "cuda:-1", "got 'cuda:-1'"),
        ("--precision", "fp16", "float32"),
        ("--device-memory", "lots", "--device-memory must be a size"),
    ],
)
def test_bad_values(krica, tmp_path, option, value, words):
    assert words in krica("train", "embedded", "-o", tmp_path / "model.krica", option, value, code=2)


def test_precision_means_nothing_to_the_cpu(krica, tmp_path):
    models = [tmp_path / name for name in ("tf32.krica", "float32.krica")]
    for model in models:
        krica("train", "embedded", "-o", model, "--method", "random-patches", "--components", "8", "--images", "100",
              "--patches", "1000", "--precision", model.stem)  # fmt: skip
    assert models[0].read_bytes() == models[1].read_bytes()


def test_recipe(krica, tmp_path):
    model = tmp_path / "model.krica"
    small = ["--images", "60", "--components", "8", "--epochs", "1", "--batch", "16", "--patches", "500"]
    krica("train", "embedded", "-o", model, "--recipe", "accurate", *small, "--pool", "2x2")
    options = krica.json("info", model)["options"]
    assert options["receptive-field"] == 5 and options["pool-overlap"] is True  # the recipe's
    assert options["components"] == 8 and options["pool"] == "2x2"  # as given
    assert "accurate" in krica("train", "embedded", "-o", model, "--recipe", "acurate", code=2)
