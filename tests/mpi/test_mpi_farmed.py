# SPDX-License-Identifier: BSD-3-Clause
"""Searches and experiments farmed out to ranks: the rows of one process, in its order."""

import json

GRID = ["--grid", "threshold=0.1,0.5", "--folds", 3, "--method", "omp-1", "--images", 200, "--patches", 1500, "--components", 8,
        "--iterations", 3, "--svm-c", 0.05, "--quiet"]  # fmt: skip
MEASURED = ("seconds", "stages", "peak_memory_bytes")


def rows(path):
    """Without what was measured."""
    result = []
    for line in path.read_text().splitlines():
        row = json.loads(line)
        result.append({name: value for name, value in row.items() if name not in MEASURED})
    return result


def test_searching(krica):
    alone = json.loads(krica.run(0, "tune", "embedded", *GRID, "-o", "alone.krica", "--json").output)
    for ranks in (2, 4):
        output = krica.run(ranks, "tune", "embedded", *GRID, "-o", "together.krica", "--json").output
        together = json.loads(output)
        assert together["rows"] == alone["rows"]
        assert together["best"] == alone["best"]
        assert (krica.directory / "together.krica").read_bytes() == (krica.directory / "alone.krica").read_bytes()
    assert not list(krica.directory.glob("*checkpoint*"))


def test_a_setting_that_the_method_rejects(krica):
    grid = ["--grid", "components=8,2000", "--folds", 2, "--init", "random-patches", *GRID[4:]]  # of 1,500 patches
    place = grid.index("--components")
    del grid[place : place + 2]
    alone = json.loads(krica.run(0, "tune", "embedded", *grid, "--json").output)
    assert "error" in alone["rows"][1]
    assert json.loads(krica.run(3, "tune", "embedded", *grid, "--json").output)["rows"] == alone["rows"]


def test_reproducing(krica):
    options = ["kernels", "--size", "smoke", "--components", 8, "--quiet"]
    krica.run(0, "reproduce", *options, "-o", "alone")
    expected = rows(krica.directory / "alone" / "results.jsonl")
    krica.run(3, "reproduce", *options, "-o", "together")
    place = krica.directory / "together" / "results.jsonl"
    assert rows(place) == expected
    assert (krica.directory / "together" / "report.html").exists()
    # A job that ended after some rows goes on with what is missing.
    place.write_text("".join(place.read_text().splitlines(keepends=True)[:2]))
    krica.run(2, "reproduce", *options, "-o", "together")
    assert rows(place) == expected
