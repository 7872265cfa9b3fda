# SPDX-License-Identifier: BSD-3-Clause
"""A job killed at any moment resumes where it stopped and ends with the same bytes. scripts/kill-and-resume does it at random
moments; here each kill comes when the checkpoint shows that a certain stage is reached."""

import signal

import pytest

from conftest import Krica

JOB = ["--method", "krica", "--components", "64", "--patches", "20000", "--images", "1000", "--iterations", "60"]
ENDLESS = ["--method", "krica", "--components", "400", "--iterations", "1000000"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    directory = tmp_path_factory.mktemp("whole")
    Krica(directory)("train", "embedded", "-o", "m.krica", *JOB)
    return (directory / "m.krica").read_bytes()


def killed_when(krica, reached):
    """Kills the job once its checkpoint shows that it reached a stage; tries again where it was done before the kill."""
    checkpoint = krica.directory / "m.krica.checkpoint"
    for _ in range(20):
        process = krica.start("train", "embedded", "-o", "m.krica", *JOB)
        seen = krica.wait_for_checkpoint(process, checkpoint, reached)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if seen and checkpoint.exists():
            return
        (krica.directory / "m.krica").unlink()
    pytest.fail("the job was always done before it could be killed")


def stages_after_kill(krica, whole, reached):
    """The stages that a resumed run still had to do."""
    killed_when(krica, reached)
    summary = krica.json("train", "embedded", "-o", "m.krica", *JOB)
    assert (krica.directory / "m.krica").read_bytes() == whole
    assert not (krica.directory / "m.krica.checkpoint").exists()
    return summary["seconds"]


def test_killed_after_the_basis(krica, whole):
    stages = stages_after_kill(krica, whole, lambda _, tensors: "basis" in tensors)
    assert "basis" not in stages and "patches" not in stages and "svm" in stages


def test_killed_after_the_features(krica, whole):
    done = lambda _, tensors: "features_done" in tensors and tensors["features_done"][0] == 1000
    stages = stages_after_kill(krica, whole, done)
    assert "basis" not in stages and "features" not in stages and "svm" in stages


def test_killed_at_the_very_start(krica, whole):
    process = krica.start("train", "embedded", "-o", "m.krica", *JOB)
    process.send_signal(signal.SIGKILL)
    process.wait()
    krica("train", "embedded", "-o", "m.krica", *JOB)
    assert (krica.directory / "m.krica").read_bytes() == whole


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_says_how_to_go_on(krica, sent):
    process = krica.start("train", "embedded", "-o", "m.krica", *ENDLESS)
    assert krica.wait_for_checkpoint(process, krica.directory / "m.krica.checkpoint", lambda *_: True)
    process.send_signal(sent)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "m.krica.checkpoint" in err and "the same command" in err
    assert not (krica.directory / "m.krica").exists()
    message = krica("train", "embedded", "-o", "m.krica", *ENDLESS, "--sparsity", 0.5, code=3)
    assert "sparsity" in message and "0.5" in message
