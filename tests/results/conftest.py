# SPDX-License-Identifier: BSD-3-Clause
"""A small project with one table, and scripts/results."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = {"table": "small", "label": "omp-1", "data": "CIFAR-10", "version": "0.1.0", "command": "krica train data/cifar10 -o m --method omp-1 --seed 0",
       "method": "omp-1", "seed": 0, "accuracy": 0.7527, "seconds": {"basis": 3.0, "svm": 4.2}}
TABLES = """
traced_pages = ["page.md"]
[[table]]
name = "small"
page = "page.md"
code = true
bold = "column"
columns = [
  { title = "method", show = "line" },
  { title = "accuracy", show = "accuracy", digits = 2, each = true },
  { title = "time", show = "seconds" },
]
"""
PAGE = """# Page

<!-- results: small -->
<!-- end -->

OMP-1 reaches 75.1 %<!--= small; omp-1; CIFAR-10 -->, 4.0<!--= small; omp-1; CIFAR-10 minus small; random-patches; CIFAR-10 --> more.
"""


class Project:
    def __init__(self, root):
        self.root = root
        self.page = root / "page.md"
        self.rows = root / "results" / "rows.jsonl"
        (root / "results").mkdir()
        (root / "src" / "experiments").mkdir(parents=True)
        for name in ("paper.cpp", "names.hpp"):
            (root / "src" / "experiments" / name).write_text((ROOT / "src" / "experiments" / name).read_text())
        (root / "results" / "tables.toml").write_text(TABLES)
        self.page.write_text(PAGE.replace("-->\n<!-- end", "-->\n\n<!-- end"))
        self.write([ROW, ROW | {"seed": 1, "accuracy": 0.7495}, ROW | {"label": "random-patches", "method": "random-patches", "accuracy": 0.711}])

    def write(self, rows):
        self.rows.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def read(self):
        return [json.loads(line) for line in self.rows.read_text().splitlines()]

    def run(self, *arguments, stdin=""):
        return subprocess.run([sys.executable, ROOT / "scripts" / "results", "--root", self.root, *arguments], input=stdin, capture_output=True,
                              text=True, check=False)


@pytest.fixture
def project(tmp_path):
    made = Project(tmp_path)
    done = made.run()
    assert done.returncode == 0, done.stderr
    return made
