# SPDX-License-Identifier: BSD-3-Clause
"""Ctrl-C at any time: the message agrees with what is left, and what is left resumes. No test here depends on when the
signal arrives: whatever had happened by then, the two must agree."""

import shlex
import signal
import time

import pytest

from conftest import Krica

JOB = ["--components", "30", "--patches", "4000", "--images", "300", "--landmarks", "100", "--iterations", "200", "--epochs", "20"]
# One for each way of learning a basis: solvers, Adam with the classifier, fixed points, alternating steps, K-means, none.
METHODS = ["krica", "max-margin-krica", "ica", "ksr", "kmeans-triangle", "ksvd", "lc-ksvd", "raw-pixels"]
DELAYS = [0, 0.05, 0.1, 0.2, 0.4, 0.8]


def interrupted(krica, delay, sent, kept, *arguments):
    """Whether the command was interrupted with something to resume from. None where it was done before."""
    process = krica.start(*arguments)
    time.sleep(delay)
    process.send_signal(sent)
    _, err = process.communicate(timeout=120)
    if process.returncode == 0:
        return None
    there = [path for path in kept if path.exists()]
    if process.returncode == -sent:  # before the program had begun
        assert not there and err == ""
        return False
    assert process.returncode == 130, err
    last = err.splitlines()[-1]
    if last.endswith(" is saved"):  # while the finished model was being tested
        assert (krica.directory / last.split()[2]).exists() and not there
        return None
    if there:
        assert last == f"krica: interrupted; {there[0].name} is kept: rerun the same command to resume"
    else:
        assert last == "krica: interrupted; nothing was saved yet"
    return bool(there)


@pytest.mark.parametrize("method", METHODS)
def test_training_says_what_is_kept(krica, method):
    checkpoint = krica.directory / "m.krica.checkpoint"
    arguments = ["train", "embedded", "-o", "m.krica", "--method", method, *JOB, "--quiet"]
    for number, delay in enumerate(DELAYS):
        sent = [signal.SIGINT, signal.SIGTERM][number % 2]
        if interrupted(krica, delay, sent, [checkpoint], *arguments) is None:
            assert number > 0, "it was done before the first interruption"
            break
        assert not (krica.directory / "m.krica").exists()
    krica(*arguments)
    assert not checkpoint.exists()
    interrupted_model = (krica.directory / "m.krica").read_bytes()
    krica(*arguments)
    assert (krica.directory / "m.krica").read_bytes() == interrupted_model


def test_fit_says_what_is_kept(krica):
    checkpoint = krica.directory / "m.krica.checkpoint"
    seen = []
    for delay in DELAYS:
        seen.append(interrupted(krica, delay, signal.SIGINT, [checkpoint], "fit", "embedded", "-o", "m.krica", *JOB))
        (krica.directory / "m.krica").unlink(missing_ok=True)
    assert seen.count(None) < len(seen), "it was always done before the interruption"


def test_a_checkpoint_is_written_in_the_first_seconds_of_learning(krica):
    """Until one was: without the write at interruption a job's first checkpoint comes after two seconds at the earliest."""
    arguments = ["train", "embedded", "-o", "m.krica", "--components", "400", "--iterations", "1000000", "--quiet"]
    checkpoint = krica.directory / "m.krica.checkpoint"
    delay = 0.1
    while not interrupted(krica, delay, signal.SIGINT, [checkpoint], *arguments):
        delay *= 1.5
    assert "sparsity" in krica(*arguments, "--sparsity", "0.5", code=3)


def test_reproduce_says_what_is_kept(krica):
    out = krica.directory / "out"
    told = 0
    for delay in DELAYS:
        process = krica.start("reproduce", "lambda", "--size", "smoke", "-o", "out", "--quiet")
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
        if process.returncode in (0, -signal.SIGINT):
            continue
        assert process.returncode == 130, err
        kept = (out / "results.jsonl").exists() or ((out / "checkpoints").exists() and any((out / "checkpoints").iterdir()))
        assert kept == ("rerun the same command" in err) and kept != ("nothing was saved" in err), err
        told += 1
    assert told, "it was never interrupted"
    krica("reproduce", "lambda", "--size", "smoke", "-o", "out", "--quiet")


TUNE = ["tune", "embedded", "--grid", "gamma=0.5,3", "--grid", "stride=2,4", "--folds", "2", "--method", "random-patches",
        "--components", "20", "--patches", "1000", "--images", "200"]  # fmt: skip


@pytest.fixture(scope="module")
def whole_search(tmp_path_factory):
    directory = tmp_path_factory.mktemp("search")
    return Krica(directory).json(*TUNE)


def test_tune_resumes(krica, whole_search):
    kept = [krica.directory / "krica.tune-checkpoint", krica.directory / "krica.tune-checkpoint.fold"]
    seen = False
    for delay in [*DELAYS, 1.2]:
        result = interrupted(krica, delay, signal.SIGINT, kept, *TUNE, "--quiet")
        if result is None:
            break
        seen = seen or result
    resumed = krica.json(*TUNE)
    assert resumed["rows"] == whole_search["rows"] and resumed["best"] == whole_search["best"]
    assert not any(path.exists() for path in kept)


def killed_with_a_finished_fold(krica, *arguments):
    checkpoint = krica.directory / "search"
    process = krica.start(*arguments, "--checkpoint", "search")
    assert krica.wait_for_checkpoint(process, checkpoint, lambda *_: True)
    process.kill()
    process.communicate()
    return checkpoint


def test_tune_keeps_finished_folds(krica, whole_search):
    checkpoint = killed_with_a_finished_fold(krica, *TUNE)
    changed = [argument if argument != "1000" else "1100" for argument in TUNE]
    message = krica(*changed, "--checkpoint", "search", code=3)
    assert "patches (saved 1000, now 1100)" in message
    assert "folds (saved 2, now 3)" in krica(*[a if a != "2" else "3" for a in TUNE], "--checkpoint", "search", code=3)
    fewer = [argument if argument != "200" else "190" for argument in TUNE]
    assert "images" in krica(*fewer, "--checkpoint", "search", code=3)
    resumed = krica.json(*TUNE, "--checkpoint", "search")
    assert resumed["resumed"] and resumed["rows"] == whole_search["rows"]
    assert not checkpoint.exists()
    checkpoint.write_bytes(b"something else")
    krica(*TUNE, "--checkpoint", "search", code=3)


def test_tune_ends_with_the_command_to_train(krica):
    arguments = [*TUNE[:2], "--grid", "gamma=0.5,3", *TUNE[6:], "--test-fraction", "0", "-o", "my model.krica"]
    last = krica(*arguments).splitlines()[-1]
    assert last.startswith("best: gamma=")
    command = last.split("train with it: ")[1]
    assert command.startswith("krica train embedded -o 'my model.krica'") and "--method random-patches" in command
    assert "--grid" not in command and "--folds" not in command
    tuned = (krica.directory / "my model.krica").read_bytes()
    krica(*shlex.split(command)[1:])
    assert (krica.directory / "my model.krica").read_bytes() == tuned


def test_tune_page_has_everything(krica):
    krica(*TUNE[:4], *TUNE[6:], "--report", "page.html")
    page = (krica.directory / "page.html").read_text()
    for part in ("All settings", "The best setting", "Sparsity (Hoyer)", "Confusion matrix", "Most confident mistakes", "peak memory",
                 "un-whitened, one block per class that they vote for"):
        assert part in page, part
