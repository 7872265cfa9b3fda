# SPDX-License-Identifier: BSD-3-Clause
"""Sparse, over-complete, nonlinear and class-aware representations of samples and images.

Importing takes NumPy alone; scikit-learn comes with the first estimator, matplotlib with the first plot.

>>> import krica
>>> images = krica.datasets.load_embedded()
>>> images.data.shape
(2000, 28, 28)
"""

import importlib

from ._core import __version__

# Where each public name lives.
_HOMES = {
    "RICA": "_samples",
    "KernelRICA": "_samples",
    "ICA": "_samples",
    "KICA": "_samples",
    "KSR": "_samples",
    "KSVD": "_dictionaries",
    "LCKSVD": "_dictionaries",
    "SparseCoding": "_dictionaries",
    "SparseFiltering": "_samples",
    "KMeansFeatures": "_samples",
    "LLC": "_samples",
    "PatchFeatures": "_images",
    "MaxMarginKRICA": "_images",
    "objective": "_objectives",
    "rica_objective": "_objectives",
    "load": "_files",
    "recipe": "_recipes",
    "plot_components": "_plot",
}
__all__ = ["__version__", "datasets", *_HOMES]


def __getattr__(name):
    if name == "datasets":
        return importlib.import_module(".datasets", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module("." + _HOMES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(__all__)
