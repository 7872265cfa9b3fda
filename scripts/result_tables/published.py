# SPDX-License-Identifier: BSD-3-Clause
"""Figures of others: the kRICA paper's, from the library's own list of them, and results/published.json."""

import json
import re
from pathlib import Path

from .rows import BadRow, is_number, is_text

PAPER = "src/experiments/paper.cpp"
NAMES = "src/experiments/names.hpp"
FIGURE = re.compile(r'\{"([^"]*)", (?:"([^"]*)"|(k\w+)), "([^"]*)", ([0-9.]+)\}')
CONSTANT = re.compile(r'std::string_view (k\w+) = "([^"]*)"')


def paper_figures(root):
    """{(experiment, group, system): per cent}, as the sources of `krica reproduce` list them."""
    constants = dict(CONSTANT.findall((Path(root) / NAMES).read_text(encoding="utf-8")))
    figures = {}
    for experiment, group, constant, system, value in FIGURE.findall((Path(root) / PAPER).read_text(encoding="utf-8")):
        figures[experiment, constants[constant] if constant else group, system] = float(value)
    if not figures:
        raise BadRow(f"{PAPER}: no figures of the paper found")
    return figures


class Published:
    """figure(key) in per cent. Keys are those of published.json, and "paper: EXPERIMENT, SYSTEM" or "paper: EXPERIMENT, GROUP,
    SYSTEM" of the paper's tables."""

    def __init__(self, root):
        self.paper = paper_figures(root)
        self.file = Path(root) / "results" / "published.json"
        self.entries = json.loads(self.file.read_text(encoding="utf-8")) if self.file.exists() else {}
        for key, entry in self.entries.items():
            self._check(key, entry)

    def _check(self, key, entry):
        for field in ("what", "data", "source"):
            if not is_text(entry.get(field)):
                raise BadRow(f"{self.file}: {key} has no {field}")
        if is_number(entry.get("per_cent")) == is_text(entry.get("same_as")):
            raise BadRow(f"{self.file}: {key} needs either per_cent, a number, or same_as, a figure of the paper's tables")
        if "same_as" in entry:
            self.figure(entry["same_as"])

    def figure(self, key):
        if key in self.entries:
            entry = self.entries[key]
            return self.figure(entry["same_as"]) if "same_as" in entry else entry["per_cent"]
        name = key.removeprefix("paper: ")
        for (experiment, group, system), value in self.paper.items():
            if name in (f"{experiment}, {system}" if not group else "", f"{experiment}, {group}, {system}"):
                return value
        raise BadRow(f"no published figure named {key!r}: it is neither in {self.file.name} nor in {PAPER}")

    def has(self, key):
        try:
            self.figure(key)
        except BadRow:
            return False
        return True

    def text(self, key):
        """With as many digits as it was published with."""
        return f"{self.figure(key)}"
