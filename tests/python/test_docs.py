# SPDX-License-Identifier: BSD-3-Clause
"""The Python examples of the docs run as they are printed."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits

DOCS = Path(__file__).resolve().parents[2] / "docs"


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", ["python.md", "porting.md"])
def test_the_examples_run(page, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    X, y = load_digits(return_X_y=True)
    X, y = X[:300], y[:300]
    names = {"X": X, "y": y, "W": np.random.default_rng(0).normal(size=(5, X.shape[1]))}
    found = blocks(page)
    assert found
    for block in found:
        exec(compile(small(block), page, "exec"), names)


def small(block):
    """Images in the examples are the built-in set, which a test need not learn from in full."""
    return block.replace("components=400", "components=20, patches=2000, epochs=1").replace(
        "images = krica.datasets.load_embedded()",
        "images = krica.datasets.load_embedded()\nimages = images._replace(data=images.data[:200], target=images.target[:200])",
    )
