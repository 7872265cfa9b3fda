# SPDX-License-Identifier: BSD-3-Clause
# Written by scripts/make_stubs.py.
import os
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from typing_extensions import Self

from ._base import ModelEstimator

class SampleEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ModelEstimator):
    components_: NDArray[Any]
    n_features_in_: int
    def fit(self, X: ArrayLike, y: ArrayLike | None = ...) -> Self: ...
    def transform(self, X: ArrayLike) -> NDArray[Any]: ...

class StreamingMixin:
    def partial_fit(self, X: ArrayLike, y: ArrayLike | None = ...) -> Self: ...

class InvertibleMixin:
    def inverse_transform(self, X: ArrayLike) -> NDArray[Any]: ...

class RICA(InvertibleMixin, StreamingMixin, SampleEstimator):
    def __init__(
        self,
        n_components: int | None = ...,
        *,
        kernel: str = ...,
        gamma: float | Literal["auto"] = ...,
        degree: int = ...,
        kernel_scale: float = ...,
        sparsity: float | Literal["auto"] = ...,
        epsilon: float = ...,
        encoder: str = ...,
        threshold: float = ...,
        convention: str = ...,
        pooling_groups: int | str = ...,
        contrast: bool | Literal["auto"] = ...,
        contrast_epsilon: float = ...,
        whitening: str = ...,
        whitening_epsilon: float | Literal["auto"] = ...,
        whitening_components: int = ...,
        unit_norm: bool | Literal["auto"] = ...,
        init: str = ...,
        solver: str = ...,
        iterations: int = ...,
        epochs: int = ...,
        batch: int | Literal["auto"] = ...,
        rate: float | Literal["auto"] = ...,
        patches: int = ...,
        random_state: int | np.random.RandomState | None = ...,
        n_jobs: int | None = ...,
        memory: int | str = ...,
        verbose: bool = ...,
        callback: Callable[[dict[str, Any]], object] | None = ...,
    ) -> None: ...

class KernelRICA(InvertibleMixin, StreamingMixin, SampleEstimator):
    def __init__(
        self,
        n_components: int | None = ...,
        *,
        kernel: str = ...,
        gamma: float | Literal["auto"] = ...,
        degree: int = ...,
        kernel_scale: float = ...,
        sparsity: float | Literal["auto"] = ...,
        epsilon: float = ...,
        discrimination: float = ...,
        discrimination_reading: str = ...,
        elastic: float | Literal["auto"] = ...,
        encoder: str = ...,
        threshold: float = ...,
        pooling_groups: int | str = ...,
        contrast: bool | Literal["auto"] = ...,
        contrast_epsilon: float = ...,
        whitening: str = ...,
        whitening_epsilon: float | Literal["auto"] = ...,
        whitening_components: int = ...,
        unit_norm: bool | Literal["auto"] = ...,
        init: str = ...,
        solver: str = ...,
        iterations: int = ...,
        epochs: int = ...,
        batch: int | Literal["auto"] = ...,
        rate: float | Literal["auto"] = ...,
        patches: int = ...,
        random_state: int | np.random.RandomState | None = ...,
        n_jobs: int | None = ...,
        memory: int | str = ...,
        verbose: bool = ...,
        callback: Callable[[dict[str, Any]], object] | None = ...,
    ) -> None: ...
    classes_: NDArray[Any]
    atom_class_: NDArray[np.int64]

class ICA(InvertibleMixin, SampleEstimator):
    def __init__(
        self,
        n_components: int | None = ...,
        *,
        kernel: str = ...,
        gamma: float | Literal["auto"] = ...,
        degree: int = ...,
        kernel_scale: float = ...,
        encoder: str = ...,
        threshold: float = ...,
        contrast: bool | Literal["auto"] = ...,
        contrast_epsilon: float = ...,
        whitening: str = ...,
        whitening_epsilon: float | Literal["auto"] = ...,
        whitening_components: int = ...,
        unit_norm: bool | Literal["auto"] = ...,
        iterations: int = ...,
        patches: int = ...,
        random_state: int | np.random.RandomState | None = ...,
        n_jobs: int | None = ...,
        memory: int | str = ...,
        verbose: bool = ...,
        callback: Callable[[dict[str, Any]], object] | None = ...,
    ) -> None: ...

class KICA(SampleEstimator):
    def __init__(
        self,
        n_components: int | None = ...,
        *,
        kernel: str = ...,
        gamma: float | Literal["auto"] = ...,
        degree: int = ...,
        kernel_scale: float = ...,
        encoder: str = ...,
        threshold: float = ...,
        contrast: bool | Literal["auto"] = ...,
        contrast_epsilon: float = ...,
        whitening_epsilon: float | Literal["auto"] = ...,
        whitening_components: int = ...,
        whitening_gamma: float | Literal["auto"] = ...,
        landmarks: int = ...,
        landmark_choice: str = ...,
        iterations: int = ...,
        patches: int = ...,
        random_state: int | np.random.RandomState | None = ...,
        n_jobs: int | None = ...,
        memory: int | str = ...,
        verbose: bool = ...,
        callback: Callable[[dict[str, Any]], object] | None = ...,
    ) -> None: ...

class KSR(StreamingMixin, SampleEstimator):
    def __init__(
        self,
        n_components: int | None = ...,
        *,
        kernel: str = ...,
        gamma: float | Literal["auto"] = ...,
        degree: int = ...,
        kernel_scale: float = ...,
        sparsity: float | Literal["auto"] = ...,
        encoder: str = ...,
        threshold: float = ...,
        contrast: bool | Literal["auto"] = ...,
        contrast_epsilon: float = ...,
        whitening: str = ...,
        whitening_epsilon: float | Literal["auto"] = ...,
        whitening_components: int = ...,
        unit_norm: bool | Literal["auto"] = ...,
        init: str = ...,
        solver: str = ...,
        iterations: int = ...,
        epochs: int = ...,
        batch: int | Literal["auto"] = ...,
        rate: float | Literal["auto"] = ...,
        patches: int = ...,
        random_state: int | np.random.RandomState | None = ...,
        n_jobs: int | None = ...,
        memory: int | str = ...,
        verbose: bool = ...,
        callback: Callable[[dict[str, Any]], object] | None = ...,
    ) -> None: ...

class SparseFiltering(InvertibleMixin, StreamingMixin, SampleEstimator):
    def __init__(
        self,
        n_components: int | None = ...,
        *,
        kernel: str = ...,
        gamma: float | Literal["auto"] = ...,
        degree: int = ...,
        kernel_scale: float = ...,
        encoder: str = ...,
        threshold: float = ...,
        contrast: bool | Literal["auto"] = ...,
        contrast_epsilon: float = ...,
        whitening: str = ...,
        whitening_epsilon: float | Literal["auto"] = ...,
        whitening_components: int = ...,
        unit_norm: bool | Literal["auto"] = ...,
        init: str = ...,
        solver: str = ...,
        iterations: int = ...,
        epochs: int = ...,
        batch: int | Literal["auto"] = ...,
        rate: float | Literal["auto"] = ...,
        patches: int = ...,
        random_state: int | np.random.RandomState | None = ...,
        n_jobs: int | None = ...,
        memory: int | str = ...,
        verbose: bool = ...,
        callback: Callable[[dict[str, Any]], object] | None = ...,
    ) -> None: ...

class KMeansFeatures(SampleEstimator):
    def __init__(
        self,
        n_components: int | None = ...,
        *,
        kernel: str = ...,
        gamma: float | Literal["auto"] = ...,
        degree: int = ...,
        kernel_scale: float = ...,
        encoder: str = ...,
        threshold: float = ...,
        contrast: bool | Literal["auto"] = ...,
        contrast_epsilon: float = ...,
        whitening: str = ...,
        whitening_epsilon: float | Literal["auto"] = ...,
        whitening_components: int = ...,
        unit_norm: bool | Literal["auto"] = ...,
        patches: int = ...,
        random_state: int | np.random.RandomState | None = ...,
        n_jobs: int | None = ...,
        memory: int | str = ...,
        verbose: bool = ...,
        callback: Callable[[dict[str, Any]], object] | None = ...,
    ) -> None: ...
