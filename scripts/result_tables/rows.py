# SPDX-License-Identifier: BSD-3-Clause
"""Rows of results: results/*.jsonl, one JSON object per line.

A row is one run: what was run (table, label, data, command, options, seed or split), on what (device, version), and what came of it
(accuracy as a fraction, seconds by stage, peak memory). A row with a `source` was not written by a run: it was copied from a page
that was written before rows were kept. Such a row may state `seeds` instead of `seed` if only the mean is known, and `figures`,
named numbers, where there is no accuracy. A stated `mean_of_seeds` is the mean before its parts were rounded.
"""

import json
import math
from pathlib import Path

COPIED = "docs before rows were kept"


class BadRow(Exception):
    """A row, table or page that is not as it should be; the message names the file."""


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_fraction(value):
    return is_number(value) and 0 <= value <= 1


def is_text(value):
    return isinstance(value, str) and value != ""


def is_name(value):
    # The text of a page separates names by semicolons (pages.py).
    return is_text(value) and ";" not in value


def is_numbers(value):
    return isinstance(value, dict) and bool(value) and all(is_number(number) for number in value.values())


def is_seeds(value):
    return isinstance(value, list) and bool(value) and all(is_count(seed) for seed in value)


# field: (test, what the value must be)
FIELDS = {
    "table": (is_name, "a name without semicolons"),
    "label": (is_name, "a name without semicolons"),
    "data": (is_name, "a name without semicolons"),
    "version": (is_text, "a text"),
    "command": (is_text, "a text"),
    "method": (is_text, "a text"),
    "options": (lambda value: isinstance(value, dict), "an object"),
    "data_detail": (is_text, "a text"),
    "train_images": (is_count, "a whole number"),
    "test_images": (is_count, "a whole number"),
    "seed": (is_count, "a whole number"),
    "seeds": (is_seeds, "a list of whole numbers"),
    "split": (is_text, "a text"),
    "group": (is_text, "a text"),
    "value": (is_number, "a number"),
    "accuracy": (is_fraction, "a fraction from 0 to 1"),
    "mean_per_class": (is_fraction, "a fraction from 0 to 1"),
    "mean_of_seeds": (is_fraction, "a fraction from 0 to 1"),
    "figures": (is_numbers, "an object of numbers"),
    "seconds": (is_numbers, "an object of numbers"),
    "peak_memory_bytes": (is_count, "a whole number"),
    "device": (is_text, "a text"),
    "chosen": (is_text, "a text"),
    "note": (is_text, "a text"),
    "source": (is_text, "a text"),
}
REQUIRED = ("table", "label", "data", "version", "command")
IDENTITY = ("table", "label", "data", "group", "value", "seed", "split", "device")


def validate(row, where):
    """Raises BadRow, with `where`, unless `row` is a row."""
    if not isinstance(row, dict):
        raise BadRow(f"{where}: a row must be a JSON object")
    for field in REQUIRED:
        if field not in row:
            raise BadRow(f"{where}: the row has no {field}")
    for field, value in row.items():
        if field not in FIELDS:
            raise BadRow(f"{where}: unknown field {field}; a row has {', '.join(FIELDS)}")
        test, meaning = FIELDS[field]
        if not test(value):
            raise BadRow(f"{where}: {field} is {json.dumps(value)}, but must be {meaning}")
    if not any(field in row for field in ("accuracy", "mean_per_class", "figures")):
        raise BadRow(f"{where}: the row has no accuracy, mean_per_class or figures")
    if "seed" in row and "seeds" in row:
        raise BadRow(f"{where}: the row has both seed and seeds")
    copied_only = [field for field in ("seeds", "mean_of_seeds") if field in row and "source" not in row]
    if copied_only:
        raise BadRow(f"{where}: {copied_only[0]} is for rows with a source; a run has a seed")


def identity(row):
    return tuple(row.get(field) for field in IDENTITY)


def read_file(path):
    """The rows of one file, each checked. Raises BadRow with file and line."""
    rows, seen = [], {}
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
        where = f"{path}:{number}"
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise BadRow(f"{where}: not JSON: {error.msg} (column {error.colno})") from None
        validate(row, where)
        if identity(row) in seen:
            raise BadRow(f"{where}: the same row as line {seen[identity(row)]}; remove one of them")
        seen[identity(row)] = number
        rows.append(row)
    return rows


def read_directory(directory):
    """All rows of results/*.jsonl, file by file in the order of their names."""
    rows, first = [], {}
    for path in sorted(Path(directory).glob("*.jsonl")):
        for row in read_file(path):
            other = first.setdefault(identity(row), path)
            if other != path:
                raise BadRow(f"{path}: {row['table']}, {row['label']}, {row['data']} is also in {other}; remove one of them")
            rows.append(row)
    return rows


def to_line(row):
    ordered = {field: row[field] for field in FIELDS if field in row}
    return json.dumps(ordered, ensure_ascii=False, allow_nan=False) + "\n"


def replaces(new, old):
    """Whether `new` takes the place of `old`: the same run, or a run of what was copied from a page."""
    if identity(new) == identity(old):
        return True
    same = all(new.get(field) == old.get(field) for field in IDENTITY if field not in ("seed", "split"))
    return same and "source" in old and "source" not in new and "seed" not in old and "split" not in old


def merge(path, rows):
    """Writes the rows into the file, each in place of those that it replaces. Returns how many it replaced."""
    path = Path(path)
    kept = read_file(path) if path.exists() else []
    replaced = 0
    for row in rows:
        validate(row, f"{path}: new row")
        places = [i for i, old in enumerate(kept) if replaces(row, old)]
        replaced += len(places)
        place = places[0] if places else len(kept)
        kept = [old for i, old in enumerate(kept) if i not in places]
        kept.insert(place, row)
    temporary = path.with_name(path.name + ".new")
    temporary.write_text("".join(to_line(row) for row in kept), encoding="utf-8")
    temporary.replace(path)
    return replaced
