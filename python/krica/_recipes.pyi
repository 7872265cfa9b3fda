# SPDX-License-Identifier: BSD-3-Clause
from typing import Any

def recipe(name: str) -> dict[str, Any]: ...
