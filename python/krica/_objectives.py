# SPDX-License-Identifier: BSD-3-Clause
"""Values and gradients of what the estimators minimise."""

import numpy as np

from . import _core

_KRICA = _core.krica_defaults()
_RICA = _core.rica_defaults()


def _matrices(W, X):
    """Both C-contiguous and of one type: float32 where both are, else float64."""
    W, X = np.asarray(W), np.asarray(X)
    for name, matrix in (("W", W), ("X", X)):
        if matrix.dtype.kind == "c":
            raise ValueError(f"Complex data not supported: {name} has the type {matrix.dtype}")
        if matrix.ndim != 2:
            raise ValueError(f"Expected 2D array, got {matrix.ndim}D array instead: {name} has the shape {matrix.shape}")
    kind = np.float32 if W.dtype == X.dtype == np.float32 else np.float64
    return np.ascontiguousarray(W, dtype=kind), np.ascontiguousarray(X, dtype=kind)


def _integers(name, values):
    """A list of whole numbers; None is an empty one."""
    values = np.asarray([] if values is None else values)
    if values.ndim != 1 or not np.array_equal(values, values.astype(np.int32)):
        raise ValueError(f"{name} must be a list of whole numbers")
    return values.astype(np.int32).tolist()


def objective(
    W,
    X,
    *,
    kernel=_KRICA["kernel"],
    gamma=_KRICA["gamma"],
    degree=_KRICA["degree"],
    kernel_scale=_KRICA["kernel_scale"],
    sparsity=_KRICA["sparsity"],
    epsilon=_KRICA["epsilon"],
    pooling=None,
    labels=None,
    atom_class=None,
    discrimination=0.0,
    elastic="auto",
    reading="sum",
    homogeneous=True,
):
    """Value and gradient of kRICA's objective, and of d-kRICA's with a positive `discrimination`.

    The mean over samples of ``k(x,x) + s G s' - 2 s s' + sparsity * sum_j sqrt(epsilon + sum_u H_ju s_u^2)
    + discrimination * d(s)`` with ``s_u = k(w_u, x)`` and ``G_uv = k(w_u, w_v)``.

    Parameters
    ----------
    W : array-like of shape (K, n)
        The atoms.
    X : array-like of shape (m, n)
        The samples.
    kernel : str
        "linear", "gaussian", "polynomial", "inverse-distance", "inverse-square-distance" or "histogram-intersection".
    gamma : float or "auto"
        Width of the Gaussian; "auto" is 6 over the median squared distance of samples.
    degree : int
        Of the polynomial kernel.
    kernel_scale : float
        b of the inverse distances and the histogram intersection.
    sparsity : float
        Weight of the sparsity term.
    epsilon : float
        Its smoothing.
    pooling : None, "topographic", int or array-like of shape (K, K)
        H: none, 3 x 3 neighbourhoods on a torus, groups of so many atoms, or the weights themselves.
    labels : array-like of shape (m,)
        Classes 0 ... c-1 of the samples; for a positive `discrimination`.
    atom_class : array-like of shape (K,)
        Classes of the atoms; None for K/c consecutive ones each.
    discrimination : float
        Weight of the class-aware term d.
    elastic : float or "auto"
        Weight of the squared codes in d; "auto" is atoms a class + 1 (sum), 2 (select), 0 (not homogeneous).
    reading : "sum" or "select"
        Whether d squares sums of codes or sums squared codes.
    homogeneous : bool
        False drops d's term of a sample's own class, as DRICA does.

    Returns
    -------
    value : float
        The objective.
    gradient : ndarray of shape (K, n)
        Its derivative in W; float32 where W and X are, else float64.

    Examples
    --------
    >>> import numpy as np
    >>> import krica
    >>> random = np.random.default_rng(0)
    >>> W, X = random.normal(size=(3, 4)), random.normal(size=(50, 4))
    >>> value, gradient = krica.objective(W, X, gamma=0.5)
    >>> step = np.zeros_like(W)
    >>> step[1, 2] = 1e-6
    >>> slope = (krica.objective(W + step, X, gamma=0.5)[0] - krica.objective(W - step, X, gamma=0.5)[0]) / 2e-6
    >>> bool(np.isclose(slope, gradient[1, 2]))
    True
    """
    W, X = _matrices(W, X)
    options = {
        "kernel": kernel,
        "gamma": gamma,
        "degree": degree,
        "kernel_scale": kernel_scale,
        "sparsity": sparsity,
        "epsilon": epsilon,
        "pooling": pooling,
        "labels": _integers("labels", labels),
        "atom_class": _integers("atom_class", atom_class),
        "discrimination": discrimination,
        "elastic": None if isinstance(elastic, str) and elastic == "auto" else elastic,
        "reading": reading,
        "homogeneous": homogeneous,
    }
    return _core.krica_value_and_gradient(W, X, options)


def rica_objective(
    W,
    X,
    *,
    contrast="smooth-l1",
    weight=_RICA["weight"],
    weight_on="sparsity",
    reduce="mean",
    row_norm="none",
    epsilon=_RICA["epsilon"],
    pooling=None,
    sign=None,
):
    """Value and gradient of RICA's objective in the conventions of its implementations.

    ``a * sum_i ||V'V x_i - x_i||^2 + b * sum_i sum_j sign_j g_j(V x_i)`` with V the atoms W after `row_norm`.

    Parameters
    ----------
    W : array-like of shape (K, n)
        The atoms.
    X : array-like of shape (m, n)
        The samples.
    contrast : str
        g: "smooth-l1", "logcosh", "matlab-logcosh", "exp" or "l2-pooling".
    weight : float
        Of the sparsity (b) or of the reconstruction (a); the other one is 1.
    weight_on : "sparsity" or "reconstruction"
        Which of them.
    reduce : "mean" or "sum"
        Over samples.
    row_norm : "none", "soft" or "exact"
        Rows as they are, over ``sqrt(||w||^2 + 1e-5)``, or over ``||w||``.
    epsilon : float
        Smoothing of "smooth-l1" and "l2-pooling".
    pooling : None, "topographic", int or array-like of shape (K, K)
        H of "l2-pooling", as in `krica.objective`.
    sign : array-like of shape (K,)
        1 for atoms that seek sparse sources, -1 for the opposite; None for 1.

    Returns
    -------
    value : float
        The objective.
    gradient : ndarray of shape (K, n)
        Its derivative in W; float32 where W and X are, else float64.

    Examples
    --------
    >>> import numpy as np
    >>> import krica
    >>> value, gradient = krica.rica_objective(np.eye(2), [[3.0, 4.0], [0.0, 1.0]], weight=0.0)
    >>> value, gradient.tolist()
    (0.0, [[0.0, 0.0], [0.0, 0.0]])
    """
    W, X = _matrices(W, X)
    options = {
        "contrast": contrast,
        "weight": weight,
        "weight_on": weight_on,
        "reduce": reduce,
        "row_norm": row_norm,
        "epsilon": epsilon,
        "pooling": pooling,
        "sign": _integers("sign", sign),
    }
    return _core.rica_value_and_gradient(W, X, options)
