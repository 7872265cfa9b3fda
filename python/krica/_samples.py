# SPDX-License-Identifier: BSD-3-Clause
"""Estimators for samples: an array (m, n), one sample a row."""

import numpy as np
from sklearn.utils.validation import column_or_1d

from ._options import with_parameters
from ._sample_base import InvertibleMixin, SampleEstimator, StreamingMixin

# The parameters by what they are about; an estimator takes those that its method uses.
_PREPARING = ("contrast", "contrast_epsilon", "whitening", "whitening_epsilon", "whitening_components", "unit_norm")
_KERNEL_PCA = ("whitening_epsilon", "whitening_components", "whitening_gamma", "landmarks", "landmark_choice")
_CODING = ("encoder", "threshold")
_KERNEL = ("kernel", "gamma", "degree", "kernel_scale")
_SOLVING = ("init", "solver", "iterations", "epochs", "batch", "rate")
_ALWAYS = ("patches", "random_state", "n_jobs", "memory", "device", "precision", "device_memory", "verbose", "callback")


@with_parameters(
    "n_components", *_KERNEL, "sparsity", "epsilon", *_CODING, "convention", "rica_contrast", "reconstruction_weight",
    "non_gaussianity", "pooling_groups", *_PREPARING, *_SOLVING, *_ALWAYS, positional=1,
)  # fmt: skip
class RICA(InvertibleMixin, StreamingMixin, SampleEstimator):
    """Reconstruction ICA: over-complete linear filters with sparse outputs.

    Minimises the mean of ``||W'Wx - x||^2 + sparsity * sum(sqrt((Wx)^2 + epsilon))`` over the atoms W, on whitened
    samples. Codes are ``Wx``, and `inverse_transform` is defined; ``encoder="abs"`` gives ``|Wx|``.

    ``convention="matlab"`` is the objective of MATLAB's ``rica``, with its defaults: `reconstruction_weight` (Lambda) 1,
    `rica_contrast` "logcosh", no whitening. The atoms have length 1 then.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The atoms, in the space of whitened samples.
    input_components_ : ndarray of shape (n_components, n_features)
        The filters, in the space of the samples: codes are ``(X - mean_) @ input_components_.T``. The transpose of
        MATLAB's ``TransformWeights``. Missing where contrast or length are normalised, which is not linear.
    mean_ : ndarray of shape (n_features,)
        What is subtracted from samples; zeros without whitening.
    {attributes}

    References
    ----------
    Q. V. Le et al., "ICA with Reconstruction Cost for Efficient Overcomplete Feature Learning", NIPS 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from krica import RICA
    >>> X = np.random.default_rng(0).laplace(size=(500, 8))
    >>> rica = RICA(n_components=16)
    >>> codes = rica.fit_transform(X)
    >>> codes.shape
    (500, 16)
    >>> bool(np.allclose(codes, (X - rica.mean_) @ rica.input_components_.T, atol=1e-4))
    True
    >>> bool(np.allclose(rica.inverse_transform(codes), X, atol=1e-4))
    True
    """

    _default_encoder = "linear"

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
    {attributes}

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

    Codes are ``w.x`` of unit variance, and `inverse_transform` is defined; ``encoder="abs"`` gives ``|w.x|``.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The unmixing matrix, in the space of whitened samples.
    input_components_ : ndarray of shape (n_components, n_features)
        The unmixing matrix in the space of the samples: codes are ``(X - mean_) @ input_components_.T``.
    mean_ : ndarray of shape (n_features,)
        The mean of the samples.
    {attributes}

    References
    ----------
    A. Hyvarinen, "Fast and Robust Fixed-Point Algorithms for Independent Component Analysis", 1999.

    Examples
    --------
    Two mixed sources are separated:

    >>> import numpy as np
    >>> from krica import ICA
    >>> sources = np.random.default_rng(0).laplace(size=(2000, 2))
    >>> mixed = sources @ np.array([[1.0, 0.5], [0.3, 1.0]])
    >>> codes = ICA().fit_transform(mixed)
    >>> together = np.abs(np.corrcoef(codes.T, sources.T)[:2, 2:])
    >>> bool((together.max(axis=1) > 0.99).all())
    True
    """

    _default_encoder = "linear"

    def _method(self):
        return "ica"


@with_parameters(
    "n_components", *_KERNEL, *_CODING, "contrast", "contrast_epsilon", *_KERNEL_PCA, "iterations", *_ALWAYS,
    positional=1,
)  # fmt: skip
class KICA(SampleEstimator):
    """Kernel ICA: kernel PCA to `n_components` directions, then ICA.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_components)
        The unmixing matrix of the kernel principal components.
    {attributes}

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
    {attributes}

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
    {attributes}

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


@with_parameters(
    "n_components", "encoder", "neighbours", "tangents", "tangent_scale", *_PREPARING, *_ALWAYS, positional=1
)
class LLC(SampleEstimator):
    """Locality-constrained linear coding: K-means centres, of which the nearest few make up a sample.

    The codes are the weights of ``neighbours`` centres, which sum to 1 and nearly reconstruct the sample; those of the
    others are 0. ``encoder="tangents"`` is improved local coordinate coding: the weights, times `tangent_scale`, and for
    each centre the coordinates of the sample around it, along `tangents` directions and times the weight:
    ``n_components * (1 + tangents)`` values.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The centres, in the space of whitened samples.
    {attributes}

    References
    ----------
    J. Wang et al., "Locality-constrained Linear Coding for Image Classification", CVPR 2010.
    K. Yu, T. Zhang, "Improved Local Coordinate Coding using Local Tangents", ICML 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from krica import LLC
    >>> X = np.random.default_rng(0).normal(size=(300, 6))
    >>> codes = LLC(n_components=20, neighbours=4).fit_transform(X)
    >>> bool(((codes != 0).sum(axis=1) == 4).all() and np.allclose(codes.sum(axis=1), 1, atol=1e-5))
    True
    >>> LLC(n_components=20, encoder="tangents", tangents=2).fit_transform(X).shape
    (300, 60)
    """

    def _method(self):
        return "improved-lcc" if self.encoder == "tangents" else "llc"


@with_parameters("n_components", *_KERNEL, *_CODING, *_PREPARING, "init", *_ALWAYS, positional=1)
class KMeansFeatures(SampleEstimator):
    """K-means centres as atoms, with the triangle code ``max(0, mean_v z_v - z_u)`` of the distances z.

    ``encoder="hard"`` gives one-hot codes of the nearest centre. The centres start as random directions; ``init="kmeans"`` is k-means++.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The centres, in the space of whitened samples.
    {attributes}

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
