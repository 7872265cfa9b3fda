# SPDX-License-Identifier: BSD-3-Clause
from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from typing_extensions import Self

from ._base import ModelEstimator

class SampleEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ModelEstimator):
    components_: NDArray[Any]
    input_components_: NDArray[Any]
    mean_: NDArray[Any]
    n_features_in_: int
    def fit(self, X: ArrayLike, y: ArrayLike | None = ...) -> Self: ...
    def transform(self, X: ArrayLike) -> NDArray[Any]: ...

class StreamingMixin:
    def partial_fit(self, X: ArrayLike, y: ArrayLike | None = ...) -> Self: ...

class InvertibleMixin:
    def inverse_transform(self, X: ArrayLike) -> NDArray[Any]: ...
