# SPDX-License-Identifier: BSD-3-Clause
"""Estimators of samples that learn a dictionary: every sample is near a sum of a few atoms."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from ._labels import classes_of, encoded_labels
from ._options import with_parameters
from ._sample_base import InvertibleMixin, SampleEstimator
from ._samples import _ALWAYS, _PREPARING


@with_parameters(
    "n_components", "sparsity", "encoder", "nonzeros", *_PREPARING, "init", "iterations", *_ALWAYS, positional=1
)
class SparseCoding(InvertibleMixin, SampleEstimator):
    """Sparse coding: a dictionary for codes with a small l1 norm.

    Minimises the mean of ``0.5 * ||x - D's||^2 + sparsity * ||s||_1`` over codes s and atoms of length at most 1, on
    whitened samples of length 1; `sparsity` is scikit-learn's ``alpha``. Codes have signs; ``encoder="lasso"`` gives
    their magnitudes. `inverse_transform` is defined with ``unit_norm=False``.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The atoms, in the space of whitened samples.
    {attributes}

    References
    ----------
    H. Lee et al., "Efficient Sparse Coding Algorithms", NIPS 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from krica import SparseCoding
    >>> X = np.random.default_rng(0).laplace(size=(300, 6))
    >>> codes = SparseCoding(n_components=12, iterations=5).fit_transform(X)
    >>> bool((codes == 0).mean() > 0.3)
    True
    """

    _default_encoder = "signed-lasso"

    def _method(self):
        return "sparse-coding"


@with_parameters(
    "n_components", "nonzeros", "encoder", "sparsity", *_PREPARING, "init", "iterations", *_ALWAYS, positional=1
)
class KSVD(InvertibleMixin, SampleEstimator):
    """K-SVD: a dictionary for codes of a few atoms each, found by orthogonal matching pursuit.

    Minimises ``||x - D's||^2`` over atoms of length 1 and codes s with at most `nonzeros` atoms, on whitened samples.
    Codes have signs; ``encoder="omp"`` gives their magnitudes.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The atoms, of length 1, in the space of whitened samples.
    {attributes}

    References
    ----------
    M. Aharon, M. Elad, A. Bruckstein, "K-SVD", IEEE Transactions on Signal Processing 54(11), 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from krica import KSVD
    >>> random = np.random.default_rng(0)
    >>> made_of = np.eye(8)[random.integers(0, 8, (400, 2))].sum(axis=1) * random.normal(size=(400, 1))
    >>> learned = KSVD(n_components=12, nonzeros=2, iterations=10).fit(made_of)
    >>> int((learned.transform(made_of) != 0).sum(axis=1).max())
    2
    """

    _default_encoder = "signed-omp"

    def _method(self):
        return "ksvd"


@with_parameters(
    "n_components", "nonzeros", "consistency", "label_weight", "lc_version", *_PREPARING, "iterations", *_ALWAYS,
    positional=1,
)  # fmt: skip
class LCKSVD(ClassifierMixin, SampleEstimator):
    """Label-consistent K-SVD: a dictionary whose codes tell classes apart, with the linear classifier that does.

    The atoms are divided among the classes, as many for each (`n_components` is rounded up to that), and a sample's
    code is to use those of its own class. ``consistency=0`` is discriminative K-SVD (D-KSVD), without that term.
    `transform` gives the codes. They change their sign with the sample, and so do the scores; samples are therefore
    scaled to length 1 but not centred, unless `whitening` is given.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The atoms, of length 1, in the space of samples of length 1.
    classes_ : ndarray of shape (n_classes,)
        The classes in `y`.
    atom_class_ : ndarray of shape (n_components,)
        To which of `classes_` each atom belonged at the start, as an index.
    {attributes}

    References
    ----------
    Z. Jiang, Z. Lin, L. Davis, "Learning a Discriminative Dictionary for Sparse Coding via Label Consistent K-SVD",
    CVPR 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from krica import LCKSVD
    >>> random = np.random.default_rng(0)
    >>> y = np.arange(300) % 3
    >>> X = 4 * np.eye(6)[y] + random.normal(size=(300, 6))
    >>> bool(LCKSVD(n_components=9, nonzeros=2).fit(X, y).score(X, y) > 0.9)
    True
    """

    _classifier = True

    def _method(self):
        return "lc-ksvd" if self.consistency > 0 else "d-ksvd"

    def _options(self):
        options = super()._options()
        if not self.consistency > 0:
            del options["consistency"]  # the model file holds the library's default, which d-ksvd does not use
        return options

    def _settle(self, X):
        super()._settle(X)
        if self.n_components is None:
            self._n_components = "auto"  # a few per class

    def _labels(self, X, y):
        if y is None:
            raise ValueError("LCKSVD requires y to be passed, but the target y is None")
        self.classes_, *encoded = encoded_labels(X, y, "samples")
        if self._n_components != "auto":
            each = -(-self._n_components // len(self.classes_))
            self._n_components = each * len(self.classes_)
        return encoded

    def _keep(self, model):
        super()._keep(model)
        self.atom_class_ = np.array(model.atom_class)

    @classmethod
    def _from_model(cls, model):
        estimator = super()._from_model(model)
        estimator.classes_ = classes_of(model)
        if model.options["method"] == "d-ksvd":
            estimator.consistency = 0.0
        return estimator

    def _scores(self, X):
        check_is_fitted(self)
        return self._model.scores(self._validated(X, reset=False), self._run_options())

    def decision_function(self, X):
        """Scores of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        scores : ndarray of shape (n_samples, n_classes), or (n_samples,) for two classes
            The larger, the more likely; for two classes those of the second less those of the first.
        """
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def predict_proba(self, X):
        """Probabilities of the classes, calibrated on samples that a second dictionary had not seen.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Rows sum to 1; the largest is that of the predicted class.

        Raises
        ------
        ValueError
            If there were too few samples to hold some out.
        """
        check_is_fitted(self)
        return self._model.probabilities(self._validated(X, reset=False), self._run_options())

    def predict(self, X):
        """Classes of samples.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The samples.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Of `classes_`, the one with the largest score.
        """
        scores = self._scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def _more_tags(self):
        # Scores change their sign with the sample, so classes on opposite sides of the origin are hard to tell apart.
        return {"poor_score": True}
