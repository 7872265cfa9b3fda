# SPDX-License-Identifier: BSD-3-Clause
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Images", "load_embedded"]

class Images(NamedTuple):
    data: NDArray[np.uint8]
    target: NDArray[np.int64]
    test_data: NDArray[np.uint8]
    test_target: NDArray[np.int64]
    target_names: list[str]
    DESCR: str

def load_embedded() -> Images: ...
