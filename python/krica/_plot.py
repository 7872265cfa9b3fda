# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of what was learned, by matplotlib."""

import numpy as np
from sklearn.utils.validation import check_is_fitted


def _tiles(estimator, shape):
    """The atoms un-whitened, each stretched to its own largest value: (K, H, W) from -1 to 1, colours (K, H, W, 3) from
    0 to 1."""
    atoms = estimator._model.atom_images()
    channels, side = estimator._model.shape[2], estimator._model.options["receptive_field"]
    if shape is not None or side == 1:
        channels, shape = 1, shape or (1, atoms.shape[1])
    else:
        shape = (side, side)
    if channels * np.prod(shape) != atoms.shape[1]:
        raise ValueError(f"shape {shape} does not fit atoms of {atoms.shape[1]} values")
    atoms = atoms / np.maximum(np.abs(atoms).max(axis=1, keepdims=True), 1e-30)
    tiles = np.moveaxis(atoms.reshape(-1, channels, *shape), 1, 3)
    return tiles[..., 0] if channels == 1 else (tiles + 1) / 2


def _sheet(tiles):
    """The tiles in rows, a pixel apart; single lines in one column."""
    count, height, width = tiles.shape[:3]
    columns = 1 if height == 1 else int(np.ceil(np.sqrt(count)))
    rows = -(-count // columns)
    middle = 0.5 if tiles.ndim == 4 else 0.0
    sheet = np.full((rows * (height + 1) - 1, columns * (width + 1) - 1, *tiles.shape[3:]), middle)
    for place, tile in enumerate(tiles):
        top, left = (place // columns) * (height + 1), (place % columns) * (width + 1)
        sheet[top : top + height, left : left + width] = tile
    return sheet


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
    >>> features = krica.PatchFeatures(method="random-patches", n_components=16, patches=1000).fit(images)
    >>> krica.plot_components(features).get_title()
    '16 atoms'
    """
    import matplotlib.pyplot as plt

    check_is_fitted(estimator)
    tiles = _tiles(estimator, shape)[:limit]
    if axes is None:
        axes = plt.subplots()[1]
    aspect = "auto" if tiles.shape[1] == 1 else "equal"
    axes.imshow(_sheet(tiles), cmap="gray", vmin=-1, vmax=1, interpolation="nearest", aspect=aspect)
    axes.set_axis_off()
    axes.set_title(f"{len(tiles)} atoms")
    return axes
