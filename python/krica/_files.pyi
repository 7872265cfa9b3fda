# SPDX-License-Identifier: BSD-3-Clause
import os
from typing import Any

def load(path: str | os.PathLike[str]) -> Any: ...
