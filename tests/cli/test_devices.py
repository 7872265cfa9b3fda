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
        assert device["usable"] == (device["compute_capability"] == "9.0")
        assert device["usable"] or device["reason"] in line


def test_data_is_required_otherwise(krica):
    assert "DATA is required" in krica("info", code=2)
    assert "excludes" in krica("info", "embedded", "--devices", code=2)
