# SPDX-License-Identifier: BSD-3-Clause
"""Data to try things on."""

from typing import NamedTuple

import numpy as np

__all__ = ["Images", "load_embedded"]


class Images(NamedTuple):
    """Labelled images in two parts: to learn from, and to test on."""

    data: np.ndarray  #: (N, H, W) bytes
    target: np.ndarray  #: (N,) classes, 0 ... c-1
    test_data: np.ndarray
    test_target: np.ndarray
    target_names: list  #: of the c classes
    DESCR: str


def load_embedded():
    """The built-in part of Fashion-MNIST: 28 x 28 grey images of clothing, 10 classes.

    Returns
    -------
    images : Images
        With data, target, test_data, test_target, target_names and DESCR.

    Examples
    --------
    >>> from krica.datasets import load_embedded
    >>> images = load_embedded()
    >>> images.data.shape, images.test_data.shape, images.target_names[0]
    ((2000, 28, 28), (1000, 28, 28), 'T-shirt/top')
    """
    from . import _datasets

    (data, target), (test_data, test_target), names, description = _datasets.load_embedded()
    return Images(data, target, test_data, test_target, names, description)
