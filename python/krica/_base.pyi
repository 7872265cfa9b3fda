# SPDX-License-Identifier: BSD-3-Clause
import os
from typing import Any

from numpy.typing import NDArray
from sklearn.base import BaseEstimator

def memory_bytes(memory: int | str) -> int: ...
def thread_count(n_jobs: int | None) -> int: ...
def model_options(estimator: ModelEstimator, names: dict[str, str] | None = ...) -> dict[str, Any]: ...

class ModelEstimator(BaseEstimator):
    status_: str
    history_: NDArray[Any]
    n_iter_: int
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def __sklearn_is_fitted__(self) -> bool: ...
