# SPDX-License-Identifier: BSD-3-Clause
"""What the estimators of samples have in common: fit and transform, learning from parts, and the way back."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._base import ModelEstimator, model_options, seed_of, thread_count
from ._options import SKLEARN_NAMES


def _as_float32(X):
    """X itself where it is float32."""
    with np.errstate(over="ignore"):  # the library tells of what is beyond float32
        return X.astype(np.float32, order="C", copy=False)


def _is_stochastic(estimator):
    if estimator.solver in ("auto", "adam"):
        return True
    solver = estimator.solver
    raise AttributeError(f"partial_fit needs a stochastic solver: solver must be 'adam' or 'auto', got {solver!r}")


def _has_linear_codes(estimator):
    encoder = estimator._default_encoder if estimator.encoder == "auto" else estimator.encoder
    if encoder == "linear" or (encoder == "kernel" and estimator.kernel == "linear"):
        return True
    if encoder in ("signed-lasso", "signed-omp") and estimator._default_encoder in ("signed-lasso", "signed-omp"):
        return True
    usable = estimator._default_encoder or "linear"
    raise AttributeError(f"inverse_transform needs linear codes: use encoder={usable!r} instead of {encoder!r}")


def _as_words(values):
    """An array of +1 and -1 as the library spells it: "1,-1,1"."""
    if isinstance(values, str) or np.ndim(values) == 0:
        return str(values)
    return ",".join(f"{value:g}" for value in np.ravel(values))


class SampleEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ModelEstimator):
    """fit, transform and what belongs to them."""

    _default_encoder = None  # what encoder="auto" means, where samples can be had back from such codes

    def _method(self):
        """The library's name of the method."""
        raise NotImplementedError

    def _options(self):
        options = {
            **model_options(self, SKLEARN_NAMES),
            "method": self._method(),
            "components": self._n_components,
            "seed": self._seed,
        }
        if self._initial_atoms() is not None:
            options["init"] = "given"
        if "non_gaussianity" in options:
            options["non_gaussianity"] = _as_words(options["non_gaussianity"])
        return options

    def _initial_atoms(self):
        """The atoms that `init` holds; None where it is a word."""
        init = getattr(self, "init", "auto")
        if isinstance(init, str):
            return None
        atoms = np.ascontiguousarray(init, dtype=np.float32)
        if atoms.ndim != 2:
            raise ValueError(f"init must be a name or an array of shape (n_components, n_features), got {atoms.shape}")
        return atoms

    def _threads(self):
        return thread_count(self.n_jobs)

    def _settle(self, X):
        """What the data and the random state leave to be chosen."""
        self._n_components = min(X.shape) if self.n_components is None else self.n_components
        self._seed = seed_of(self.random_state)
        self._dtype = X.dtype

    def _labels(self, X, y):
        """Labels as the library wants them; none where the method does not look at them."""
        return (), ()

    def _validated(self, X, reset):
        return self._validate_data(
            X, reset=reset, dtype=[np.float64, np.float32], order="C", ensure_min_samples=2 if reset else 1
        )

    def fit(self, X, y=None):
        """Learn the atoms.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples. They are standardised in their own type and then computed with in float32; a C-contiguous array
            of float32 or float64 is not copied.
        y : array-like of shape (n_samples,), default=None
            Classes, used by methods with a positive `discrimination`; otherwise ignored.

        Returns
        -------
        self : object
            The fitted estimator. After Ctrl-C it holds the best atoms so far. A `ConvergenceWarning` reports a solver
            that did not converge, and atoms that collapsed or diverged.
        """
        X = self._validated(X, reset=True)
        self._settle(X)
        self._learn(X, *self._labels(X, y), initial_atoms=self._initial_atoms())
        return self

    def transform(self, X):
        """Codes of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        codes : ndarray of shape (n_samples, n_features_out)
            In the type of X, float32 or float64; computed in float32.
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        return self._model.transform(X, self._run_options()).astype(X.dtype, copy=False)

    def _keep(self, model):
        super()._keep(model)
        self.components_ = model.atoms().astype(self._dtype, copy=False)
        filters = model.input_filters()
        for name in ("input_components_", "mean_"):
            vars(self).pop(name, None)
        if filters is not None:
            self.input_components_, self.mean_ = (array.astype(self._dtype, copy=False) for array in filters)

    def _more_tags(self):
        return {"preserves_dtype": [np.float64, np.float32]}

    @classmethod
    def _from_model(cls, model):
        options = model.options
        names = {SKLEARN_NAMES.get(name, name): name for name in cls._get_param_names()}
        estimator = cls(**{name: options[option] for option, name in names.items() if option in options})
        estimator.n_features_in_ = model.shape[2]
        estimator._n_components, estimator._seed = options["components"], options["seed"]
        estimator._dtype = np.dtype(np.float32)
        estimator._keep(model)
        return estimator


class StreamingMixin:
    """Learning from one part of the data after another."""

    @available_if(_is_stochastic)
    def partial_fit(self, X, y=None):
        """Learn from some samples more: one pass of Adam, in steps of `batch` samples at the rate `rate`.

        The first call settles the whitening, the kernel's width and the first atoms, so its samples should be like
        those that follow.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.
        y : array-like of shape (n_samples,), default=None
            As in `fit`; every part must have samples of all classes.

        Returns
        -------
        self : object
            The estimator.
        """
        first = not hasattr(self, "_model")
        X = self._validated(X, reset=first)
        if first:
            self._settle(X)
        start = None if first else self._model
        self._learn(
            X, *self._labels(X, y), start=start, stream=self._stream, initial_atoms=self._initial_atoms()
        )
        return self

    def _settle(self, X):
        super()._settle(X)
        self._stream = _core.Stream()


class InvertibleMixin:
    """Samples from linear codes, or from those that say which sum of atoms a sample is near."""

    @available_if(_has_linear_codes)
    def inverse_transform(self, X):
        """Samples from codes: by least squares for `encoder="linear"`; the sum of atoms for a dictionary's signed codes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Codes, as from `transform`.

        Returns
        -------
        samples : ndarray of shape (n_samples, n_features_in_)
            In the type of X, float32 or float64.
        """
        check_is_fitted(self)
        codes = np.asarray(X)
        codes = codes.astype(np.result_type(codes.dtype, np.float32), copy=False)
        samples = self._model.samples_from_codes(np.ascontiguousarray(_as_float32(codes)))
        return samples.astype(codes.dtype, copy=False)
