# SPDX-License-Identifier: BSD-3-Clause
"""Class labels: as the library wants them, and back from a model file."""

import numpy as np
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

# The types of class labels, by NumPy's kinds; anything else is text.
_TYPES = {"b": "boolean", "i": "integer", "u": "integer", "f": "float"}
_READERS = {"boolean": "True".__eq__, "integer": int, "float": float, "text": str}


def _name(label):
    """As the command writes numbers: 1, not 1.0."""
    return str(int(label)) if isinstance(label, np.floating) and label == int(label) else str(label)


def encoded_labels(X, y, noun):
    """The classes in y; the labels as numbers, the classes' names and their type. `noun` says what X holds."""
    y = column_or_1d(y, warn=True)
    check_classification_targets(y)
    if len(y) != len(X):
        raise ValueError(f"y has {len(y)} labels for {len(X)} {noun}")
    classes, labels = np.unique(y, return_inverse=True)
    label_type = _TYPES.get(classes.dtype.kind, "text")
    return classes, labels.tolist(), [_name(label) for label in classes], label_type


def classes_of(model):
    """The classes that a model was trained with."""
    read = _READERS[model.label_type]
    return np.array([read(name) for name in model.class_names])
