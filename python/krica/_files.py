# SPDX-License-Identifier: BSD-3-Clause
"""Model files, the same as the command's."""

import os

from . import _core, _dictionaries, _images, _samples

_SAMPLE_ESTIMATORS = {
    "rica": _samples.RICA,
    "krica": _samples.KernelRICA,
    "d-krica": _samples.KernelRICA,
    "ica": _samples.ICA,
    "kica": _samples.KICA,
    "ksr": _samples.KSR,
    "ksvd": _dictionaries.KSVD,
    "sparse-coding": _dictionaries.SparseCoding,
    "sparse-filtering": _samples.SparseFiltering,
    "kmeans-triangle": _samples.KMeansFeatures,
    "kmeans-hard": _samples.KMeansFeatures,
    "llc": _samples.LLC,
    "improved-lcc": _samples.LLC,
}


def _estimator_for(model):
    of_samples = model.shape[:2] == (1, 1)
    if model.has_classifier:
        dictionary = of_samples and model.options["method"] in ("d-ksvd", "lc-ksvd")
        return _dictionaries.LCKSVD if dictionary else _images.MaxMarginKRICA
    return _SAMPLE_ESTIMATORS.get(model.options["method"], _images.PatchFeatures) if of_samples else _images.PatchFeatures


def load(path):
    """Read a model file, written by an estimator's `save` or by the command `krica`.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    estimator : object
        Fitted. The estimator of the model's method for models of samples, `PatchFeatures` for those of images, and
        `MaxMarginKRICA` for any model with a classifier. The last two also serve samples whose method has no estimator
        of its own; then they take arrays (m, n).

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import krica
    >>> X = np.random.default_rng(0).normal(size=(100, 4)).astype(np.float32)
    >>> learned = krica.RICA(n_components=6).fit(X)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = os.path.join(directory, "signals.krica")
    ...     learned.save(path)
    ...     again = krica.load(path)
    >>> bool((again.transform(X) == learned.transform(X)).all())
    True
    """
    model = _core.Model.load(os.fspath(path))
    return _estimator_for(model)._from_model(model)
