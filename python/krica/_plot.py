# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of what was learned, by matplotlib."""

import numpy as np
from sklearn.utils.validation import check_is_fitted


def _pictures(estimator, shape):
    """The atoms un-whitened: (K, H, W) or (K, H, W, 3), each stretched to its own largest value, 0 in the middle."""
    atoms = estimator._model.atom_images()
    if shape is None:
        side = estimator._model.options["receptive_field"]
        channels = estimator._model.shape[2]
        shape = (channels, side, side) if side > 1 else (1, 1, atoms.shape[1])
    else:
        shape = (1, *shape)
    if np.prod(shape) != atoms.shape[1]:
        raise ValueError(f"shape {shape[1:]} does not fit atoms of {atoms.shape[1]} values")
    atoms = atoms / np.maximum(np.abs(atoms).max(axis=1, keepdims=True), 1e-30)
    return np.squeeze(atoms.reshape(-1, *shape).transpose(0, 2, 3, 1), axis=3) if shape[0] == 1 else (
        (atoms.reshape(-1, *shape).transpose(0, 2, 3, 1) + 1) / 2
    )


def plot_components(estimator, *, shape=None, limit=100, axes=None):
    """Draw the atoms of a fitted estimator, one a tile.

    Parameters
    ----------
    estimator : object
        Any fitted estimator of krica, but for those after kernel PCA, whose atoms have no picture.
    shape : tuple of (int, int), default=None
        Height and width of an atom of samples; None for the patch of images, or a row for samples.
    limit : int, default=100
        Atoms to draw at most.
    axes : matplotlib Axes, default=None
        Where to draw; None for a new figure.

    Returns
    -------
    axes : matplotlib Axes
        The sheet of tiles.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import krica
    >>> images = krica.datasets.load_embedded().data[:100]
    >>> features = krica.PatchFeatures(method="random-patches", components=16, patches=1000).fit(images)
    >>> krica.plot_components(features).get_title()
    '16 atoms'
    """
    import matplotlib.pyplot as plt

    check_is_fitted(estimator)
    tiles = _pictures(estimator, shape)[:limit]
    columns = int(np.ceil(np.sqrt(len(tiles) * max(1, tiles.shape[1] / tiles.shape[2]))))
    rows = -(-len(tiles) // columns)
    blank = 0.5 if tiles.ndim == 4 else 0.0
    sheet = np.full((rows * (tiles.shape[1] + 1) - 1, columns * (tiles.shape[2] + 1) - 1, *tiles.shape[3:]), blank)
    for place, tile in enumerate(tiles):
        top, left = (place // columns) * (tile.shape[0] + 1), (place % columns) * (tile.shape[1] + 1)
        sheet[top : top + tile.shape[0], left : left + tile.shape[1]] = tile
    if axes is None:
        axes = plt.subplots()[1]
    axes.imshow(sheet, cmap="gray", vmin=-1, vmax=1, interpolation="nearest", aspect="auto" if tiles.shape[1] == 1 else "equal")
    axes.set_axis_off()
    axes.set_title(f"{len(tiles)} atoms")
    return axes
