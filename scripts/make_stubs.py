# SPDX-License-Identifier: BSD-3-Clause
"""Writes the stubs of the estimators (python/krica/_samples.pyi and its relatives) from their constructors.

Run it after an option was added or an estimator changed; the tests tell when:
    PYTHONPATH=build/release/python python3 scripts/make_stubs.py
"""

import inspect
from pathlib import Path

import krica

HEAD = """# SPDX-License-Identifier: BSD-3-Clause
# Written by scripts/make_stubs.py.
import os
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
{imports}
"""

# Of the library's, numpydoc's and Python's types.
TYPES = {
    "int or None": "int | None",
    "int, RandomState or None": "int | np.random.RandomState | None",
    "int or str": "int | str",
    "int, str or None": "int | str | None",
    "str, path-like or None": "str | os.PathLike[str] | None",
    "str or array-like of shape (n_components, n_features)": "str | ArrayLike",
    "int or array-like of shape (n_components,)": "int | ArrayLike",
    "callable or None": "Callable[[dict[str, Any]], object] | None",
}

SAMPLES = """
from ._sample_base import InvertibleMixin, SampleEstimator, StreamingMixin
"""

IMAGES = """from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from typing_extensions import Self

from ._base import ModelEstimator

class ImageEstimator(ModelEstimator):
    components_: NDArray[np.float32]
    classes_: NDArray[Any]
    image_shape_: tuple[int, int, int]

"""

DICTIONARIES = """from sklearn.base import ClassifierMixin

from ._sample_base import InvertibleMixin, SampleEstimator
"""

METHODS = {
    "KernelRICA": """    classes_: NDArray[Any]
    atom_class_: NDArray[np.int64]
""",
    "LCKSVD": """    classes_: NDArray[Any]
    atom_class_: NDArray[np.int64]
    def decision_function(self, X: ArrayLike) -> NDArray[np.float32]: ...
    def predict(self, X: ArrayLike) -> NDArray[Any]: ...
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float32]: ...
""",
    "PatchFeatures": """    def fit(self, X: ArrayLike, y: ArrayLike | None = ...) -> Self: ...
    def transform(self, X: ArrayLike) -> NDArray[np.float32]: ...
""",
    "MaxMarginKRICA": """    held_out_accuracy_: list[float]
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self: ...
    def decision_function(self, X: ArrayLike) -> NDArray[np.float32]: ...
    def predict(self, X: ArrayLike) -> NDArray[Any]: ...
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float32]: ...
    def explain(self, X: ArrayLike, y: ArrayLike | None = ...) -> NDArray[np.float32]: ...
""",
}


def type_of(name, default, kind):
    if name == "pooling_groups":
        return "int | str"
    if default == "deprecated":
        return f'{TYPES.get(kind, kind)} | Literal["deprecated"]'
    if default == "auto" and kind != "str":
        return f'{TYPES.get(kind, kind)} | Literal["auto"]'
    return TYPES.get(kind, kind)


def class_stub(cls):
    bases = ", ".join(base.__name__ for base in cls.__bases__)
    lines = [f"class {cls.__name__}({bases}):", "    def __init__(", "        self,"]
    keyword_only = False
    for name, parameter in list(inspect.signature(cls.__init__).parameters.items())[1:]:
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            lines.append("        *,")
            keyword_only = True
        lines.append(f"        {name}: {type_of(name, parameter.default, cls._parameter_types[name])} = ...,")
    return "\n".join([*lines, "    ) -> None: ..."]) + "\n" + METHODS.get(cls.__name__, "")


def stubs():
    samples = [krica.RICA, krica.KernelRICA, krica.ICA, krica.KICA, krica.KSR, krica.SparseFiltering, krica.LLC, krica.KMeansFeatures]
    dictionaries = [krica.SparseCoding, krica.KSVD, krica.LCKSVD]
    images = [krica.PatchFeatures, krica.MaxMarginKRICA]
    return {
        "_samples.pyi": HEAD.format(imports=SAMPLES) + "\n".join(map(class_stub, samples)),
        "_dictionaries.pyi": HEAD.format(imports=DICTIONARIES) + "\n".join(map(class_stub, dictionaries)),
        "_images.pyi": HEAD.format(imports=IMAGES) + "\n".join(map(class_stub, images)),
    }


if __name__ == "__main__":
    for name, text in stubs().items():
        (Path(__file__).resolve().parents[1] / "python" / "krica" / name).write_text(text)
