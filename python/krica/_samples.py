# SPDX-License-Identifier: BSD-3-Clause
"""Estimators for samples: an array (m, n), one sample a row."""

import numbers

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _core
from ._base import ModelEstimator, model_options, thread_count
from ._options import SAMPLE_NAMES, with_parameters

# The parameters by what they are about; an estimator takes those that its method uses.
_PREPARING = ("contrast", "contrast_epsilon", "whitening", "whitening_epsilon", "whitening_components", "unit_norm")
_KERNEL_PCA = ("whitening_epsilon", "whitening_components", "whitening_gamma", "landmarks", "landmark_choice")
_CODING = ("encoder", "threshold")
_KERNEL = ("kernel", "gamma", "degree", "kernel_scale")
_SOLVING = ("init", "solver", "iterations", "epochs", "batch", "rate")
_ALWAYS = ("patches", "random_state", "n_jobs", "memory", "verbose", "callback")


def _as_float32(X):
    """X itself where it is float32."""
    with np.errstate(over="ignore"):
        samples = X.astype(np.float32, order="C", copy=False)
    return samples


def _is_stochastic(estimator):
    if estimator.solver in ("auto", "adam"):
        return True
    raise AttributeError(f"partial_fit needs a stochastic solver: solver must be 'adam' or 'auto', got {estimator.solver!r}")


def _has_linear_codes(estimator):
    if estimator.encoder == "kernel" and estimator.kernel == "linear":
        return True
    raise AttributeError(
        "inverse_transform is defined for linear codes alone: use encoder='kernel', kernel='linear', which gives "
        "w·x instead of its absolute value"
    )


class SampleEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ModelEstimator):
    """fit, transform and what belongs to them."""

    def _method(self):
        """The library's name of the method."""
        raise NotImplementedError

    def _options(self):
        return {
            **model_options(self, SAMPLE_NAMES),
            "method": self._method(),
            "components": self._n_components,
            "seed": self._seed,
        }

    def _threads(self):
        return thread_count(self.n_jobs)

    def _settle(self, X):
        """What the data and the random state leave to be chosen."""
        self._n_components = min(X.shape) if self.n_components is None else self.n_components
        integer = isinstance(self.random_state, numbers.Integral)
        self._seed = int(self.random_state) if integer else check_random_state(self.random_state).randint(2**31 - 1)
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
            The samples. They are computed with as float32; an array of that type, C-contiguous, is not copied.
        y : array-like of shape (n_samples,), default=None
            Classes, for methods that are told them by a positive `discrimination`; else ignored.

        Returns
        -------
        self : object
            The fitted estimator. After Ctrl-C it holds the best atoms so far.
        """
        X = self._validated(X, reset=True)
        self._settle(X)
        self._learn(_as_float32(X), *self._labels(X, y))
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
        return self._model.transform(_as_float32(X), self._run_options()).astype(X.dtype, copy=False)

    def _keep(self, model):
        super()._keep(model)
        self.components_ = model.atoms().astype(self._dtype, copy=False)

    def _more_tags(self):
        return {"preserves_dtype": [np.float64, np.float32]}

    @classmethod
    def _from_model(cls, model):
        options = model.options
        names = {SAMPLE_NAMES.get(name, name): name for name in cls._get_param_names()}
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
        self._learn(_as_float32(X), *self._labels(X, y), start=start, stream=self._stream)
        return self

    def _settle(self, X):
        super()._settle(X)
        self._stream = _core.Stream()


class InvertibleMixin:
    """Samples from linear codes."""

    @available_if(_has_linear_codes)
    def inverse_transform(self, X):
        """Samples from codes, by least squares; defined for `encoder="kernel", kernel="linear"`.

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


@with_parameters(
    "n_components", *_KERNEL, "sparsity", "epsilon", *_CODING, "convention", "pooling_groups", *_PREPARING, *_SOLVING, *_ALWAYS,
    positional=1,
)  # fmt: skip
class RICA(InvertibleMixin, StreamingMixin, SampleEstimator):
    """Reconstruction ICA: over-complete linear filters with sparse outputs.

    Minimises the mean of ``||W'Wx - x||^2 + sparsity * sum(sqrt((Wx)^2 + epsilon))`` over the atoms W, on whitened
    samples (`convention` names other forms of it). Codes are ``|Wx|``, as on the command line; with
    ``encoder="kernel", kernel="linear"`` they are ``Wx``, and `inverse_transform` is defined.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The atoms, in the space of whitened samples.
    n_iter_ : int
        Iterations of L-BFGS or the fixed point, epochs of Adam, or passes of `partial_fit`.
    history_ : structured ndarray
        iteration, evaluations, value, gradient_norm and step; a row an iteration.
    status_ : str
        Why the solver stopped: "converged", "iteration-limit", ..., "cancelled".
    n_features_in_ : int
        Features of the samples.

    References
    ----------
    Q. V. Le et al., "ICA with Reconstruction Cost for Efficient Overcomplete Feature Learning", NIPS 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from krica import RICA
    >>> X = np.random.default_rng(0).laplace(size=(500, 8))
    >>> rica = RICA(n_components=16, encoder="kernel", kernel="linear")
    >>> codes = rica.fit_transform(X)
    >>> codes.shape
    (500, 16)
    >>> bool(np.allclose(rica.inverse_transform(codes), X, atol=1e-4))
    True
    """

    def _method(self):
        return "rica"


@with_parameters(
    "n_components", *_KERNEL, "sparsity", "epsilon", "discrimination", "discrimination_reading", "elastic", *_CODING,
    "pooling_groups", *_PREPARING, *_SOLVING, *_ALWAYS,
    positional=1, discrimination=0.0,
)  # fmt: skip
class KernelRICA(InvertibleMixin, StreamingMixin, SampleEstimator):
    """Kernel reconstruction ICA (kRICA), and d-kRICA where `discrimination` is positive.

    Samples are reconstructed in the kernel's feature space from their codes ``kappa(w_u, x)``, which are to be sparse.
    With a positive `discrimination` the atoms are divided among the classes in `y`, and codes of other classes' atoms
    are to be small; then `n_components` must be a multiple of the number of classes.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The atoms, in the space of whitened samples of unit length.
    classes_ : ndarray of shape (n_classes,)
        With a positive `discrimination`: the classes in `y`.
    atom_class_ : ndarray of shape (n_components,)
        With a positive `discrimination`: to which of `classes_` each atom belongs, as an index.
    n_iter_ : int
        Iterations of L-BFGS or the fixed point, epochs of Adam, or passes of `partial_fit`.
    history_ : structured ndarray
        iteration, evaluations, value, gradient_norm and step; a row an iteration.
    status_ : str
        Why the solver stopped: "converged", "iteration-limit", ..., "cancelled".
    n_features_in_ : int
        Features of the samples.

    References
    ----------
    Y. Xiao, Z. Zhu, Y. Zhao, "Kernel Reconstruction ICA for Sparse Representation".

    Examples
    --------
    >>> import numpy as np
    >>> from krica import KernelRICA
    >>> X = np.random.default_rng(0).normal(size=(300, 6))
    >>> KernelRICA(n_components=12, gamma=2.0).fit(X).transform(X).shape
    (300, 12)
    """

    def _method(self):
        return "d-krica" if self.discrimination > 0 else "krica"

    def _options(self):
        options = super()._options()
        if not self.discrimination > 0:
            del options["discrimination"]  # the model file holds the library's default, which krica does not use
        return options

    @classmethod
    def _from_model(cls, model):
        estimator = super()._from_model(model)
        if model.options["method"] == "krica":
            estimator.discrimination = 0.0
        return estimator

    def _labels(self, X, y):
        if not self.discrimination > 0 or y is None:
            return (), ()
        y = column_or_1d(y)
        if len(y) != len(X):
            raise ValueError(f"y has {len(y)} labels for the {len(X)} samples of X")
        self.classes_, labels = np.unique(y, return_inverse=True)
        return labels.tolist(), [str(name) for name in self.classes_]

    def _keep(self, model):
        super()._keep(model)
        if model.atom_class:
            self.atom_class_ = np.array(model.atom_class)


@with_parameters("n_components", *_KERNEL, *_CODING, *_PREPARING, "iterations", *_ALWAYS, positional=1)
class ICA(InvertibleMixin, SampleEstimator):
    """Independent component analysis by symmetric FastICA; at most as many components as features.

    Codes are ``|w.x|`` of unit variance, as on the command line; with ``encoder="kernel", kernel="linear"`` they keep
    their sign, and `inverse_transform` is defined.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The unmixing matrix, in the space of whitened samples.
    n_iter_ : int
        Iterations.
    history_ : structured ndarray
        iteration, evaluations, value, gradient_norm (how far the components still turned) and step.
    status_ : str
        Why the solver stopped: "converged", "iteration-limit" or "cancelled".
    n_features_in_ : int
        Features of the samples.

    References
    ----------
    A. Hyvarinen, "Fast and Robust Fixed-Point Algorithms for Independent Component Analysis", 1999.

    Examples
    --------
    Two mixed sources come apart:

    >>> import numpy as np
    >>> from krica import ICA
    >>> sources = np.random.default_rng(0).laplace(size=(2000, 2))
    >>> mixed = sources @ np.array([[1.0, 0.5], [0.3, 1.0]])
    >>> codes = ICA(encoder="kernel", kernel="linear", whitening_epsilon=0.0).fit_transform(mixed)
    >>> together = np.abs(np.corrcoef(codes.T, sources.T)[:2, 2:])
    >>> bool((together.max(axis=1) > 0.99).all())
    True
    """

    def _method(self):
        return "ica"


@with_parameters("n_components", *_KERNEL, *_CODING, "contrast", "contrast_epsilon", *_KERNEL_PCA, "iterations", *_ALWAYS, positional=1)
class KICA(SampleEstimator):
    """Kernel ICA: kernel PCA to `n_components` directions, then ICA.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_components)
        The unmixing matrix of the kernel principal components.
    n_iter_ : int
        Iterations.
    history_ : structured ndarray
        iteration, evaluations, value, gradient_norm (how far the components still turned) and step.
    status_ : str
        Why the solver stopped: "converged", "iteration-limit" or "cancelled".
    n_features_in_ : int
        Features of the samples.

    References
    ----------
    J. Yang et al., "Kernel ICA: An Alternative Formulation and its Application to Face Recognition", 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from krica import KICA
    >>> X = np.random.default_rng(0).normal(size=(300, 6))
    >>> KICA(n_components=10).fit(X).transform(X).shape
    (300, 10)
    """

    def _method(self):
        return "kica"


@with_parameters("n_components", *_KERNEL, "sparsity", *_CODING, *_PREPARING, *_SOLVING, *_ALWAYS, positional=1)
class KSR(StreamingMixin, SampleEstimator):
    """Kernel sparse representation: codes are lasso solutions in the kernel's feature space.

    Slow: every code is solved for. For small bases and distance kernels.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The atoms, in the space of whitened samples of unit length.
    n_iter_ : int
        Iterations of L-BFGS, epochs of Adam, or passes of `partial_fit`.
    history_ : structured ndarray
        iteration, evaluations, value, gradient_norm and step; a row an iteration.
    status_ : str
        Why the solver stopped: "converged", "iteration-limit", ..., "cancelled".
    n_features_in_ : int
        Features of the samples.

    References
    ----------
    S. Gao, I. Tsang, L.-T. Chia, "Kernel Sparse Representation for Image Classification and Face Recognition", 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from krica import KSR
    >>> X = np.random.default_rng(0).normal(size=(200, 4))
    >>> codes = KSR(n_components=8, gamma=2.0, iterations=5).fit_transform(X)
    >>> bool((codes == 0).mean() > 0.3)
    True
    """

    def _method(self):
        return "ksr"


@with_parameters("n_components", *_KERNEL, *_CODING, *_PREPARING, *_SOLVING, *_ALWAYS, positional=1)
class SparseFiltering(InvertibleMixin, StreamingMixin, SampleEstimator):
    """Sparse filtering: features that are normalised to be sparse, with no weight to tune.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The filters, of unit length, in the space of whitened samples.
    n_iter_ : int
        Iterations of L-BFGS, epochs of Adam, or passes of `partial_fit`.
    history_ : structured ndarray
        iteration, evaluations, value, gradient_norm and step; a row an iteration.
    status_ : str
        Why the solver stopped: "converged", "iteration-limit", ..., "cancelled".
    n_features_in_ : int
        Features of the samples.

    References
    ----------
    J. Ngiam et al., "Sparse Filtering", NIPS 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from krica import SparseFiltering
    >>> X = np.random.default_rng(0).laplace(size=(300, 6))
    >>> SparseFiltering(n_components=12).fit_transform(X).shape
    (300, 12)
    """

    def _method(self):
        return "sparse-filtering"


@with_parameters("n_components", *_KERNEL, *_CODING, *_PREPARING, *_ALWAYS, positional=1)
class KMeansFeatures(SampleEstimator):
    """K-means centres as atoms, with the triangle code ``max(0, mean_v z_v - z_u)`` of the distances z.

    ``encoder="hard"`` gives one-hot codes of the nearest centre.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The centres, in the space of whitened samples.
    n_iter_ : int
        Iterations of Lloyd's algorithm.
    history_ : structured ndarray
        One row; value is the sum of squared distances to the centres.
    status_ : str
        "converged" or "iteration-limit".
    n_features_in_ : int
        Features of the samples.

    References
    ----------
    A. Coates, H. Lee, A. Ng, "An Analysis of Single-Layer Networks in Unsupervised Feature Learning", AISTATS 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from krica import KMeansFeatures
    >>> X = np.random.default_rng(0).normal(size=(300, 6))
    >>> codes = KMeansFeatures(n_components=10, encoder="hard").fit_transform(X)
    >>> bool((codes.sum(axis=1) == 1).all())
    True
    """

    def _method(self):
        return "kmeans-triangle"
