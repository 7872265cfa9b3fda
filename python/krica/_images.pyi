# SPDX-License-Identifier: BSD-3-Clause
# Written by scripts/make_stubs.py.
import os
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from typing_extensions import Self

from ._base import ModelEstimator

class ImageEstimator(ModelEstimator):
    components_: NDArray[np.float32]
    classes_: NDArray[Any]
    image_shape_: tuple[int, int, int]


class PatchFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ImageEstimator):
    def __init__(
        self,
        *,
        method: str = ...,
        n_components: int | Literal["auto"] = ...,
        receptive_field: int | Literal["auto"] = ...,
        stride: int = ...,
        pool: str = ...,
        pool_function: str = ...,
        pool_overlap: bool = ...,
        pool_power: float | Literal["auto"] = ...,
        kernel: str = ...,
        gamma: float | Literal["auto"] = ...,
        degree: int = ...,
        kernel_scale: float = ...,
        encoder: str = ...,
        threshold: float = ...,
        unit_norm: bool | Literal["auto"] = ...,
        sparsity: float | Literal["auto"] = ...,
        epsilon: float = ...,
        init: str = ...,
        discrimination: float = ...,
        discrimination_reading: str = ...,
        elastic: float | Literal["auto"] = ...,
        sparsity_target: float = ...,
        weight_decay: float = ...,
        untied: bool = ...,
        convention: str = ...,
        rica_contrast: str = ...,
        reconstruction_weight: float | Literal["auto"] = ...,
        non_gaussianity: str = ...,
        pooling_groups: int | str = ...,
        whitening: str = ...,
        whitening_epsilon: float | Literal["auto"] = ...,
        whitening_components: int = ...,
        whitening_gamma: float | Literal["auto"] = ...,
        landmarks: int = ...,
        landmark_choice: str = ...,
        contrast: bool | Literal["auto"] = ...,
        contrast_epsilon: float | Literal["auto"] = ...,
        solver: str = ...,
        iterations: int | Literal["auto"] = ...,
        epochs: int | Literal["auto"] = ...,
        batch: int | Literal["auto"] = ...,
        rate: float | Literal["auto"] = ...,
        flips: bool | Literal["auto"] = ...,
        crops: int = ...,
        loss: str = ...,
        decay: float = ...,
        reconstruction: float = ...,
        learn_gamma: bool | Literal["auto"] = ...,
        held_out: float | Literal["auto"] = ...,
        patience: int | Literal["auto"] = ...,
        refit: bool | Literal["auto"] = ...,
        patches: int = ...,
        images: int = ...,
        svm_c: float | Literal["auto"] = ...,
        balanced: bool = ...,
        test_flips: bool = ...,
        random_state: int | np.random.RandomState | None = ...,
        n_jobs: int | None = ...,
        memory: int | str = ...,
        device: str = ...,
        precision: str = ...,
        device_memory: int | str | None = ...,
        checkpoint: str | os.PathLike[str] | None = ...,
        verbose: bool = ...,
        callback: Callable[[dict[str, Any]], object] | None = ...,
        components: int | Literal["deprecated"] = ...,
        seed: int | Literal["deprecated"] = ...,
        threads: int | Literal["deprecated"] = ...,
    ) -> None: ...
    def fit(self, X: ArrayLike, y: ArrayLike | None = ...) -> Self: ...
    def transform(self, X: ArrayLike) -> NDArray[np.float32]: ...

class MaxMarginKRICA(ClassifierMixin, ImageEstimator):
    def __init__(
        self,
        *,
        method: str = ...,
        n_components: int | Literal["auto"] = ...,
        receptive_field: int | Literal["auto"] = ...,
        stride: int = ...,
        pool: str = ...,
        pool_function: str = ...,
        pool_overlap: bool = ...,
        pool_power: float | Literal["auto"] = ...,
        kernel: str = ...,
        gamma: float | Literal["auto"] = ...,
        degree: int = ...,
        kernel_scale: float = ...,
        encoder: str = ...,
        threshold: float = ...,
        unit_norm: bool | Literal["auto"] = ...,
        sparsity: float | Literal["auto"] = ...,
        epsilon: float = ...,
        init: str = ...,
        discrimination: float = ...,
        discrimination_reading: str = ...,
        elastic: float | Literal["auto"] = ...,
        sparsity_target: float = ...,
        weight_decay: float = ...,
        untied: bool = ...,
        convention: str = ...,
        rica_contrast: str = ...,
        reconstruction_weight: float | Literal["auto"] = ...,
        non_gaussianity: str = ...,
        pooling_groups: int | str = ...,
        whitening: str = ...,
        whitening_epsilon: float | Literal["auto"] = ...,
        whitening_components: int = ...,
        whitening_gamma: float | Literal["auto"] = ...,
        landmarks: int = ...,
        landmark_choice: str = ...,
        contrast: bool | Literal["auto"] = ...,
        contrast_epsilon: float | Literal["auto"] = ...,
        solver: str = ...,
        iterations: int | Literal["auto"] = ...,
        epochs: int | Literal["auto"] = ...,
        batch: int | Literal["auto"] = ...,
        rate: float | Literal["auto"] = ...,
        flips: bool | Literal["auto"] = ...,
        crops: int = ...,
        loss: str = ...,
        decay: float = ...,
        reconstruction: float = ...,
        learn_gamma: bool | Literal["auto"] = ...,
        held_out: float | Literal["auto"] = ...,
        patience: int | Literal["auto"] = ...,
        refit: bool | Literal["auto"] = ...,
        patches: int = ...,
        images: int = ...,
        svm_c: float | Literal["auto"] = ...,
        balanced: bool = ...,
        test_flips: bool = ...,
        random_state: int | np.random.RandomState | None = ...,
        n_jobs: int | None = ...,
        memory: int | str = ...,
        device: str = ...,
        precision: str = ...,
        device_memory: int | str | None = ...,
        checkpoint: str | os.PathLike[str] | None = ...,
        verbose: bool = ...,
        callback: Callable[[dict[str, Any]], object] | None = ...,
        components: int | Literal["deprecated"] = ...,
        seed: int | Literal["deprecated"] = ...,
        threads: int | Literal["deprecated"] = ...,
    ) -> None: ...
    held_out_accuracy_: list[float]
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self: ...
    def decision_function(self, X: ArrayLike) -> NDArray[np.float32]: ...
    def predict(self, X: ArrayLike) -> NDArray[Any]: ...
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float32]: ...
    def explain(self, X: ArrayLike, y: ArrayLike | None = ...) -> NDArray[np.float32]: ...
