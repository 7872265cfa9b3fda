# SPDX-License-Identifier: BSD-3-Clause
# Written by scripts/make_stubs.py.
import os
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from ._sample_base import InvertibleMixin, SampleEstimator

class SparseCoding(InvertibleMixin, SampleEstimator):
    def __init__(
        self,
        n_components: int | None = ...,
        *,
        sparsity: float | Literal["auto"] = ...,
        encoder: str = ...,
        nonzeros: int | Literal["auto"] = ...,
        contrast: bool | Literal["auto"] = ...,
        contrast_epsilon: float | Literal["auto"] = ...,
        whitening: str = ...,
        whitening_epsilon: float | Literal["auto"] = ...,
        whitening_components: int = ...,
        unit_norm: bool | Literal["auto"] = ...,
        init: str | ArrayLike | Literal["auto"] = ...,
        iterations: int | Literal["auto"] = ...,
        patches: int | Literal["auto"] = ...,
        random_state: int | np.random.RandomState | None = ...,
        n_jobs: int | None = ...,
        memory: int | str = ...,
        device: str = ...,
        precision: str = ...,
        device_memory: int | str | None = ...,
        verbose: bool = ...,
        callback: Callable[[dict[str, Any]], object] | None = ...,
    ) -> None: ...

class KSVD(InvertibleMixin, SampleEstimator):
    def __init__(
        self,
        n_components: int | None = ...,
        *,
        nonzeros: int | Literal["auto"] = ...,
        encoder: str = ...,
        sparsity: float | Literal["auto"] = ...,
        contrast: bool | Literal["auto"] = ...,
        contrast_epsilon: float | Literal["auto"] = ...,
        whitening: str = ...,
        whitening_epsilon: float | Literal["auto"] = ...,
        whitening_components: int = ...,
        unit_norm: bool | Literal["auto"] = ...,
        init: str | ArrayLike | Literal["auto"] = ...,
        iterations: int | Literal["auto"] = ...,
        patches: int | Literal["auto"] = ...,
        random_state: int | np.random.RandomState | None = ...,
        n_jobs: int | None = ...,
        memory: int | str = ...,
        device: str = ...,
        precision: str = ...,
        device_memory: int | str | None = ...,
        verbose: bool = ...,
        callback: Callable[[dict[str, Any]], object] | None = ...,
    ) -> None: ...

class LCKSVD(ClassifierMixin, SampleEstimator):
    def __init__(
        self,
        n_components: int | None = ...,
        *,
        nonzeros: int | Literal["auto"] = ...,
        consistency: float = ...,
        label_weight: float = ...,
        lc_version: int = ...,
        contrast: bool | Literal["auto"] = ...,
        contrast_epsilon: float | Literal["auto"] = ...,
        whitening: str = ...,
        whitening_epsilon: float | Literal["auto"] = ...,
        whitening_components: int = ...,
        unit_norm: bool | Literal["auto"] = ...,
        iterations: int | Literal["auto"] = ...,
        patches: int | Literal["auto"] = ...,
        random_state: int | np.random.RandomState | None = ...,
        n_jobs: int | None = ...,
        memory: int | str = ...,
        device: str = ...,
        precision: str = ...,
        device_memory: int | str | None = ...,
        verbose: bool = ...,
        callback: Callable[[dict[str, Any]], object] | None = ...,
    ) -> None: ...
    classes_: NDArray[Any]
    atom_class_: NDArray[np.int64]
    def decision_function(self, X: ArrayLike) -> NDArray[np.float32]: ...
    def predict(self, X: ArrayLike) -> NDArray[Any]: ...
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float32]: ...
