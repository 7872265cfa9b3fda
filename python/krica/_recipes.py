# SPDX-License-Identifier: BSD-3-Clause
"""Parameters that were found together for one purpose."""

import json

from . import _core
from ._options import SKLEARN_NAMES


def recipe(name):
    """The parameters of a recipe, for `MaxMarginKRICA`, to be changed where wanted.

    Parameters
    ----------
    name : str
        "accurate": found on CIFAR-10, for an accurate classifier of small photographs in colour. Meant for a GPU.

    Returns
    -------
    dict

    Examples
    --------
    >>> import krica
    >>> classifier = krica.MaxMarginKRICA(**{**krica.recipe("accurate"), "n_components": 100, "epochs": 2})
    >>> classifier.receptive_field
    5
    """
    names = {library: parameter for parameter, library in SKLEARN_NAMES.items()}
    values = json.loads(_core.recipe(name))
    del values["method"]
    return {names.get(key.replace("-", "_"), key.replace("-", "_")): value for key, value in values.items()}
