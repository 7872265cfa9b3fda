# SPDX-License-Identifier: BSD-3-Clause
from typing import Any, Literal

from numpy.typing import ArrayLike, NDArray

_Pooling = Literal["topographic"] | int | ArrayLike | None

def objective(
    W: ArrayLike,
    X: ArrayLike,
    *,
    kernel: str = ...,
    gamma: float | Literal["auto"] = ...,
    degree: int = ...,
    kernel_scale: float = ...,
    sparsity: float = ...,
    epsilon: float = ...,
    pooling: _Pooling = ...,
    labels: ArrayLike | None = ...,
    atom_class: ArrayLike | None = ...,
    discrimination: float = ...,
    elastic: float | Literal["auto"] = ...,
    reading: Literal["sum", "select"] = ...,
    homogeneous: bool = ...,
) -> tuple[float, NDArray[Any]]: ...
def rica_objective(
    W: ArrayLike,
    X: ArrayLike,
    *,
    contrast: Literal["smooth-l1", "logcosh", "matlab-logcosh", "exp", "l2-pooling"] = ...,
    weight: float = ...,
    weight_on: Literal["sparsity", "reconstruction"] = ...,
    reduce: Literal["mean", "sum"] = ...,
    row_norm: Literal["none", "soft", "exact"] = ...,
    epsilon: float = ...,
    pooling: _Pooling = ...,
    sign: ArrayLike | None = ...,
) -> tuple[float, NDArray[Any]]: ...
