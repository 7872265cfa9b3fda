# SPDX-License-Identifier: BSD-3-Clause
"""From what krica writes (train --json, evaluate --json, reproduce's results.jsonl) to rows."""

import json
import re
from pathlib import PurePosixPath

from .rows import BadRow

# The first that occurs in what a run calls its data gives the data set its name.
DATA_NAMES = (
    ("fashion-mnist subset", "built-in"),
    ("embedded", "built-in"),
    ("fashion", "Fashion-MNIST"),
    ("cifar100", "CIFAR-100"),
    ("cifar-100", "CIFAR-100"),
    ("cifar", "CIFAR-10"),
    ("stl", "STL-10"),
    ("caltech", "Caltech-101"),
)
ABSOLUTE = re.compile(r"(?<![^\s='\"])/[^\s'\"]+")


def data_name(text):
    """The short name of a data set, or None."""
    lower = text.lower()
    return next((name for part, name in DATA_NAMES if part in lower), None)


def portable(command):
    """The command without the directories of the machine that it ran on: the last part of absolute paths, data sets in data/."""
    def shortened(match):
        name = PurePosixPath(match[0]).name
        return f"data/{name}" if data_name(name) else name

    return ABSOLUTE.sub(shortened, command)


def without_auto(options):
    """Options that stayed auto had no effect."""
    return {name: value for name, value in options.items() if value != "auto"}


def known(row):
    return {field: value for field, value in row.items() if value not in (None, "", {})}


def from_command(result, facts):
    """A row from the object that `train --json` or `evaluate --json` printed. `facts`: the fields that it does not state (table,
    label, data, command, version ...), which take precedence."""
    test = result.get("test", result)
    if "accuracy" not in test:
        raise BadRow("the JSON has no test accuracy: it must come from krica train DATA --json, with test images, or krica evaluate --json")
    options = result.get("options", {})
    row = {
        "method": options.get("method"),
        "options": without_auto(options),
        "train_images": result.get("train_images"),
        "test_images": sum(map(sum, test["confusion"])) if "confusion" in test else None,
        "seed": options.get("seed"),
        "accuracy": test["accuracy"],
        "mean_per_class": test.get("mean_per_class"),
        "figures": {"control_per_cent": round(100 * result["control"]["accuracy"], 6)} if "control" in result else None,
        "seconds": {stage: round(seconds, 2) for stage, seconds in result.get("seconds", {}).items()},
        "peak_memory_bytes": result.get("peak_memory_bytes"),
        "version": result.get("version"),
    }
    return known(row | facts | {"command": portable(facts["command"])})


def from_experiment(line, prefix, facts):
    """A row from a line of reproduce's results.jsonl; None if that configuration failed. The table is `prefix` and the experiment."""
    result = json.loads(line)
    if "error" in result:
        return None
    row = {
        "table": prefix + result["experiment"],
        "label": result["system"],
        "data": data_name(result["data"]),
        "data_detail": result["data"],
        "group": result["group"],
        "value": result["value"],
        "split": result["split"],
        "seed": result["seed"],
        "method": result["options"]["method"],
        "options": without_auto(result["options"]),
        "train_images": result["train_images"],
        "test_images": result["test_images"],
        "accuracy": result["accuracy"],
        "mean_per_class": round(result["mean_per_class"], 6),
        "figures": {"block_score": result["block_score"]} if "block_score" in result else None,
        "seconds": {stage: round(seconds, 2) for stage, seconds in result["seconds"].items()},
        "peak_memory_bytes": result["peak_memory_bytes"],
        "device": result.get("device"),
        "version": result["version"],
    }
    return known(row | facts | {"command": portable(facts["command"])})
