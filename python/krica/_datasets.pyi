# SPDX-License-Identifier: BSD-3-Clause
import numpy as np
from numpy.typing import NDArray

_Labelled = tuple[NDArray[np.uint8], NDArray[np.int64]]

def load_embedded() -> tuple[_Labelled, _Labelled, list[str], str]: ...
