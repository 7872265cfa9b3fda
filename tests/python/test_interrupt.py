# SPDX-License-Identifier: BSD-3-Clause
"""Callbacks, progress, and stopping on the way."""

import contextlib
import io
import os
import signal
import threading

import krica
import numpy as np
import pytest
from conftest import clouds, small
from krica import _core
from krica._progress import ProgressBar
from sklearn.exceptions import NotFittedError

def at_step(step, action, stage=None):
    """A callback that acts once, from the given step on."""
    acted = []

    def callback(report):
        if report["step"] >= step and not acted and stage in (None, report["stage"]):
            acted.append(report)
            action()

    return callback


@pytest.fixture
def press_ctrl_c():
    """Sends the signal, and waits until Python has seen it: a short fit would end before."""
    seen = threading.Event()

    def see(*_):
        seen.set()
        raise KeyboardInterrupt

    def press():
        os.kill(os.getpid(), signal.SIGINT)
        assert seen.wait(60)

    before = signal.signal(signal.SIGINT, see)
    yield press
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("solver", ["lbfgs", "adam", "fixed-point"])
def test_ctrl_c_keeps_the_best_so_far(solver, press_ctrl_c):
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 30)).astype(np.float32)
    options = dict(solver=solver, iterations=10**6, epochs=10**6, init="random-patches", batch=100, rate=1e-4)
    stage = solver.replace("-", "_")
    estimator = krica.KernelRICA(n_components=60, **options, callback=at_step(2, press_ctrl_c, stage))
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(X)
    assert estimator.status_ == "cancelled" and estimator.n_iter_ >= 2
    assert estimator.transform(X[:10]).shape == (10, 60)


def test_an_exception_in_a_callback_stops():
    def fail():
        raise RuntimeError("enough")

    X, _ = clouds()
    estimator = small("RICA").set_params(callback=at_step(3, fail), iterations=10**6)
    with pytest.raises(RuntimeError, match="enough"):
        estimator.fit(X)
    assert estimator.status_ == "cancelled" and 3 <= estimator.n_iter_ < 10**6
    # Whoever looks at the best so far may go on from there, or begin anew.
    assert estimator.set_params(callback=None, iterations=5).fit(X).n_iter_ == 5


def test_ctrl_c_in_ica(press_ctrl_c):
    X = np.random.default_rng(0).normal(size=(3000, 30)).astype(np.float32)
    estimator = krica.ICA(30, callback=at_step(2, press_ctrl_c, "ica"), iterations=10**6)
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(X)
    assert estimator.status_ == "cancelled" and estimator.components_.shape == (30, 30)


def test_ctrl_c_before_there_are_atoms(press_ctrl_c):
    X = np.random.default_rng(0).normal(size=(20000, 30)).astype(np.float32)
    estimator = krica.KernelRICA(200, callback=at_step(1, press_ctrl_c, "kmeans"), iterations=10**6)
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(X)
    with pytest.raises(NotFittedError):
        estimator.transform(X)


def test_classifier_of_the_best_epoch(images):
    def stop():
        raise RuntimeError("enough")

    options = dict(n_components=16, patches=1000, stride=2, batch=50, epochs=1000, patience=1000, held_out=0.1)
    X, y = images.data[:300], images.target[:300]
    steps = 270 // 50  # an epoch, without the images that are held out
    classifier = krica.MaxMarginKRICA(**options, callback=at_step(3 * steps + 1, stop, "max-margin"))
    with pytest.raises(RuntimeError):
        classifier.fit(X, y)
    assert classifier.status_ == "cancelled" and len(classifier.history_) == 3
    assert classifier.score(X, y) > 0.3
    in_folds = krica.MaxMarginKRICA(**{**options, "held_out": "auto"}, callback=at_step(3 * steps + 1, stop, "max-margin"))
    with pytest.raises(RuntimeError):
        in_folds.fit(X, y)
    assert in_folds.status_ == "cancelled" and in_folds.score(X, y) > 0.3
    early = krica.MaxMarginKRICA(**options, callback=at_step(1, stop, "max-margin"))
    with pytest.raises(RuntimeError):
        early.fit(X, y)
    assert not hasattr(early, "components_")


def test_a_checkpoint_goes_on(images, tmp_path):
    def stop():
        raise RuntimeError("power cut")

    options = dict(method="krica", n_components=16, patches=1000, iterations=20)
    X = images.data[:200]
    whole = krica.PatchFeatures(**options).fit(X)
    path = tmp_path / "progress"
    interrupted = krica.PatchFeatures(**options, checkpoint=path, callback=at_step(5, stop, "lbfgs"))
    with pytest.raises(RuntimeError):
        interrupted.fit(X)
    assert interrupted.status_ == "cancelled" and path.exists()
    interrupted.set_params(callback=None).fit(X)
    assert not path.exists()
    np.testing.assert_array_equal(interrupted.components_, whole.components_)
    assert interrupted.history_.tobytes() == whole.history_.tobytes()


def test_reports():
    X, _ = clouds()
    reports = []
    small("RICA").set_params(callback=reports.append).fit(X)
    steps = [report for report in reports if report["stage"] == "lbfgs"]
    assert [report["step"] for report in steps] == list(range(11)) and steps[0]["total"] == 10
    assert steps[-1]["value"] < steps[0]["value"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_wait_is_announced():
    X, _ = clouds()
    options = {"method": "rica", "components": 5}
    text = _core.training_wait(options, X, 0, {"threads": 1}, 0.0)
    assert text.startswith(f"learning 5 atoms from {len(X)} samples: about ")
    assert _core.training_wait(options, X, 0, {"threads": 1}, float("inf")) == ""


def test_announcing_the_wait_does_not_draw_another_seed(monkeypatch, capsys):
    X, _ = clouds()
    quiet = small("RICA").set_params(random_state=np.random.RandomState(5)).fit(X)
    monkeypatch.setattr(_core, "training_wait", lambda *arguments: "learning: about 2 minutes")
    told = small("RICA").set_params(random_state=np.random.RandomState(5), verbose=True).fit(X)
    assert capsys.readouterr().err.startswith("learning: about 2 minutes\n")
    assert np.array_equal(quiet.transform(X), told.transform(X))


def test_progress_that_cannot_be_written_does_not_end_the_work(monkeypatch):
    X = clouds()[0]
    seen = small("RICA").set_params(verbose=True).fit(X)
    with open("/dev/full", "w") as full:
        closed = io.StringIO()
        closed.close()
        for stream in (full, None, closed):
            monkeypatch.setattr("sys.stderr", stream)
            np.testing.assert_array_equal(small("RICA").set_params(verbose=True).fit(X).components_, seen.components_)
        monkeypatch.undo()
        with contextlib.suppress(OSError):
            full.close()


def test_progress_bar(capsys):
    X, _ = clouds()
    small("RICA").set_params(verbose=True).fit(X)
    assert "lbfgs" in capsys.readouterr().err
    terminal = Terminal()
    bar = ProgressBar(terminal)
    for step in (0, 5, 10):
        bar({"stage": "adam", "step": step, "total": 10, "value": 1.5, "note": "epoch 1"})
        bar.drawn_at = 0.0
    bar.close()
    lines = terminal.getvalue().split("\r")
    assert "[############............] 5/10" in lines[2] and "left" in lines[2] and "epoch 1" in lines[2]
    assert lines[-1].endswith("\n") and "[########################] 10/10" in lines[-1]
