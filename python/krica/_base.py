# SPDX-License-Identifier: BSD-3-Clause
"""What all estimators have in common: running the library, keeping the model it gives, and files."""

import numbers
import os
import re
import warnings

import joblib
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._options import OPTIONS
from ._progress import ProgressBar

_HISTORY_TYPE = np.dtype(
    [("iteration", "i8"), ("evaluations", "i8")]
    + [(name, "f8") for name in ("value", "training_value", "gradient_norm", "change", "step")]
)
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def memory_bytes(memory, name="memory"):
    """512M or 4G, as on the command line, or a number of bytes."""
    match = re.fullmatch(r"(\d+(?:\.\d*)?)([KMGT]?)", str(memory).upper())
    if match is None:
        raise ValueError(
            f"{name} must be a size such as 512M or 4G, with K, M, G or T, got {memory!r}; "
            "for no limit, use the maximum of 1024T"
        )
    size = float(match[1]) * _UNITS[match[2]]
    if not 2**20 <= size <= 2**50:
        raise ValueError(f"{name} must be 1M to 1024T, got {memory!r}")
    return int(size)


def thread_count(n_jobs):
    """scikit-learn's n_jobs as a number of threads, 0 for all cores."""
    if n_jobs is None:
        return int(os.environ.get("OMP_NUM_THREADS", "0").split(",")[0])
    return joblib.effective_n_jobs(n_jobs)


def seed_of(random_state):
    """An int as it is, so that it is the command line's seed; else one that is drawn."""
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return check_random_state(random_state).randint(2**31 - 1)


def _as_parameter_names(message):
    """A message of the library in Python's spelling: no "[train]" in front, option_name for option-name."""
    message = re.sub(r"^\[\w+\] ", "", message)
    for name in OPTIONS:
        message = message.replace(name.replace("_", "-"), name)
    return message


class ModelEstimator(BaseEstimator):
    """An estimator whose fitted state is a model of the library, in `_model`."""

    _classifier = False

    def _options(self):
        """The model's options by the library's names."""
        raise NotImplementedError

    def _threads(self):
        raise NotImplementedError

    def _run_options(self, callback=None):
        return {
            "threads": self._threads(),
            "memory": memory_bytes(self.memory),
            "device": self.device,
            "precision": self.precision,
            "device_memory": 0 if self.device_memory in (None, "auto") else memory_bytes(self.device_memory, "device_memory"),
            "callback": callback,
        }

    def _learn(self, X, labels=(), class_names=(), label_type="text", **more):
        """Trains a model and keeps it; where that is interrupted, keeps the best so far and raises."""
        bar = ProgressBar() if self.verbose else None

        def report(progress):
            if bar is not None:
                bar(progress)
            if self.callback is not None:
                self.callback(progress)

        options = self._options()  # once: it may draw a seed
        if bar is not None and "stream" not in more:
            bar.announce(self._wait(options, X, class_names))
        try:
            model, told, error = _core.train(
                options,
                X,
                labels,
                class_names,
                label_type,
                self._classifier,
                getattr(self, "checkpoint", None) or "",
                self._run_options(report if bar is not None or self.callback is not None else None),
                **more,
            )
        finally:
            if bar is not None:
                bar.close()
        if model is not None and model.has_classifier >= self._classifier:
            self._keep(model)
        if error is not None:
            raise error
        if told["warning"]:
            warnings.warn(_as_parameter_names(told["warning"]), ConvergenceWarning, stacklevel=3)
        return told

    def _wait(self, options, X, class_names):
        """What is about to be learned and about how long it will take. Nothing where a checkpoint is resumed or a GPU computes."""
        if self.device != "cpu" or os.path.exists(getattr(self, "checkpoint", None) or ""):
            return ""
        classes = len(class_names) if self._classifier else 0
        return _core.training_wait(options, X, classes, self._run_options())

    def _keep(self, model):
        """The fitted attributes that follow from the model alone."""
        self._model = model
        self.status_ = model.status
        self.history_ = np.array(model.history, dtype=_HISTORY_TYPE)
        self.n_iter_ = int(self.history_["iteration"][-1]) if len(self.history_) else 0

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_model")

    @property
    def _n_features_out(self):
        return self._model.n_features

    def save(self, path):
        """Write the model file that `krica.load` and the command `krica` read.

        Parameters
        ----------
        path : str or path-like
            The file; a model that is there is replaced.
        """
        check_is_fitted(self)
        self._model.save(os.fspath(path))

    @classmethod
    def _from_model(cls, model):
        """An estimator with the model's options that has learned the model."""
        raise NotImplementedError


def model_options(estimator, names=None):
    """The options among the estimator's parameters, by the library's names."""
    given = estimator.get_params(deep=False)
    names = names or {}
    values = {names.get(name, name): value for name, value in given.items()}
    return {name: value for name, value in values.items() if name in OPTIONS}
