# SPDX-License-Identifier: BSD-3-Clause
"""scripts/results --check: every table and figure is what its rows say."""

import subprocess
import sys

import pytest
from conftest import ROOT, ROW


def test_documentation_agrees_with_its_rows():
    done = subprocess.run([sys.executable, ROOT / "scripts" / "results", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_written_table(project):
    text = project.page.read_text()
    assert "| `omp-1` | **75.11** (75.27, 74.95) | 7 s |" in text
    assert "| `random-patches` | 71.10 | 7 s |" in text
    assert "krica train data/cifar10 -o m --method omp-1   # --seed 0" in text
    assert project.run("--check").returncode == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [("75.11", "75.12", "the table is not what its rows say"),
     ("| 7 s |", "| 6 s |", "the table is not what its rows say"),
     ("reaches 75.1 %", "reaches 75.2 %", "the page says 75.2, the rows say 75.1"),
     (", 4.0<", ", 4.1<", "the page says 4.1, the rows say 4.0"),
     ("; omp-1; CIFAR-10 -->,", "; omp-2; CIFAR-10 -->,", "no row at 'small; omp-2; CIFAR-10'"),
     ("more.", "more, and 80.2 % elsewhere.", "80.2 % names no row"),
     ("<!-- end -->", "", "a table has no <!-- end -->"),
     ("results: small", "results: other", "has no table other")])
def test_changed_page_fails(project, old, new, message):
    text = project.page.read_text()
    assert old in text
    project.page.write_text(text.replace(old, new, 1))
    done = project.run("--check")
    assert done.returncode == 1
    assert message in done.stderr and "page.md" in done.stderr
    assert project.page.read_text() == text.replace(old, new, 1)  # nothing is written


def test_changed_row_fails(project):
    rows = project.read()
    rows[0]["accuracy"] = 0.7528
    project.write(rows)
    done = project.run("--check")
    assert done.returncode == 1
    assert "page.md:6: the table is not what its rows say; run scripts/results" in done.stderr
    project.run()
    assert "| `omp-1` | **75.12** (75.28, 74.95) |" in project.page.read_text()


def test_figures_of_others(project):
    text = project.page.read_text()
    project.page.write_text(text + "The paper: 83.4 %<!--= paper: cifar10, kRICA -->, and 93.8 %<!--~ atoms recovered --> of the atoms.\n")
    assert project.run("--check").returncode == 0
    project.page.write_text(text + "The paper: 83.5 %<!--= paper: cifar10, kRICA -->.\n")
    done = project.run("--check")
    assert "the page says 83.5, the rows say 83.4" in done.stderr
    project.page.write_text(text + "Others: 83.5 %<!--= published nobody -->.\n")
    assert "no published figure named 'nobody'" in project.run("--check").stderr


def test_lines_of_others(project):
    tables = project.root / "results" / "tables.toml"
    text = tables.read_text()
    line = 'others = [{ name = "kRICA in its paper", figures = { "%s" = "paper: cifar10, kRICA" } }]\ncolumns'
    tables.write_text(text.replace("columns", line % "accuracy"))
    assert project.run().returncode == 0
    assert "| *kRICA in its paper* | 83.4 |  |" in project.page.read_text()
    tables.write_text(text.replace("columns", line % "precision"))
    assert "table small has no column 'precision'" in project.run().stderr


def test_marked_figures_of_other_pages_are_checked(project):
    (project.root / "docs" / "deep").mkdir(parents=True)
    page = project.root / "docs" / "deep" / "other.md"
    page.write_text("It reaches 75.1 %<!--= small; omp-1; CIFAR-10 --> and 12.3 % of something.\n")
    assert project.run("--check").returncode == 0
    page.write_text("It reaches 75.9 %<!--= small; omp-1; CIFAR-10 -->.\n")
    assert "docs/deep/other.md:1: the page says 75.9, the rows say 75.1" in project.run("--check").stderr


def test_figure_in_a_block_of_code(project):
    text = project.page.read_text()
    project.page.write_text(text + "```\ntest accuracy 75.27 %\n```\n<!--= 75.27: small; omp-1; CIFAR-10; seed=0 -->\n")
    assert project.run("--check").returncode == 0
    project.page.write_text(text + "```\ntest accuracy 75.00 %\n```\n<!--= 75.27: small; omp-1; CIFAR-10; seed=0 -->\n")
    assert "75.27 does not occur above" in project.run("--check").stderr


def test_copied_figures_are_marked(project):
    rows = project.read()
    project.write([row | {"source": "docs before rows were kept"} if row["label"] == "omp-1" else row for row in rows])
    project.run()
    assert "Not from kept runs but from an earlier edition of this page: `omp-1`." in project.page.read_text()
    project.write([row | {"source": "docs before rows were kept"} for row in rows])
    project.run()
    assert "The runs behind this table were not kept" in project.page.read_text()


def test_copied_means_keep_their_deviation(project):
    tables = project.root / "results" / "tables.toml"
    tables.write_text(tables.read_text().replace("each = true", "spread = true"))
    copied = {key: value for key, value in ROW.items() if key != "seed"} | {"seeds": [0, 1], "source": "docs before rows were kept"}
    project.write([copied | {"figures": {"deviation_per_cent": 0.25}}, *project.read()[2:]])
    project.run()
    assert "| **75.27 ± 0.25** |" in project.page.read_text()


def test_level_methods_have_no_winner(project):
    project.write([ROW, ROW | {"label": "random-patches"}])
    project.run()
    assert "**" not in project.page.read_text()


def test_table_without_rows(project):
    tables = project.root / "results" / "tables.toml"
    tables.write_text(tables.read_text().replace('code = true', 'code = true\nwhere = { data = "STL-10" }'))
    assert "table small has no rows" in project.run("--check").stderr
    tables.write_text(tables.read_text().replace('code = true', 'code = true\nmay_be_empty = true'))
    project.run()
    assert "Not run yet." in project.page.read_text()
    tables.write_text("[[table]\n")
    assert "tables.toml: " in project.run("--check").stderr


def test_cells_without_rows_say_so(project):
    tables = project.root / "results" / "tables.toml"
    column = '{ title = "seed 1", show = "accuracy", where = { seed = 1 } },\n  { title = "time"'
    changed = tables.read_text().replace('code = true', 'code = true\nempty = "not run"').replace('{ title = "time"', column)
    tables.write_text(changed)
    project.run()
    assert "| `omp-1` | **75.11** (75.27, 74.95) | 75.0 | 7 s |" in project.page.read_text()
    assert "| `random-patches` | 71.10 | not run | 7 s |" in project.page.read_text()
    assert project.run("--check").returncode == 0
    tables.write_text(changed.replace('empty = "not run"\n', ''))
    project.run()
    assert "| `random-patches` | 71.10 |  | 7 s |" in project.page.read_text()


def test_columns(project):
    tables = project.root / "results" / "tables.toml"
    tables.write_text(tables.read_text().replace('"accuracy", digits = 2, each = true', '"accuracy", digits = 1, spread = true').replace(
        '{ title = "time", show = "seconds" },',
        """{ title = "clock", show = "seconds", clock = true },
  { title = "basis", show = "seconds", stage = "basis", digits = 1 },
  { title = "paper", show = "published", keys = { "omp-1" = "paper: cifar10, RICA" } },
  { title = "cost", show = "svm_cost" },
  { title = "memory", show = "memory" },"""))
    rows = project.read()
    rows[0] |= {"options": {"svm-c": 0.002}, "train_images": 50000, "peak_memory_bytes": 3 << 29}
    project.write(rows)
    project.run()
    assert "| `omp-1` | **75.1 ± 0.2** | 0:07 | 3.0 s | 81.4 | 100 | 1.5 GiB |" in project.page.read_text()
    tables.write_text(tables.read_text().replace('show = "memory"', 'show = "colour"'))
    assert "unknown kind 'colour'" in project.run("--check").stderr


def test_paired_differences(project):
    tables = project.root / "results" / "tables.toml"
    paired = 'lines = "data, train_images"\ncolumns = [\n  { title = "gain", show = "paired", of = "omp-1", over = "random-patches", digits = 2 },'
    tables.write_text(tables.read_text().replace("columns = [", paired))
    rows = [row | {"train_images": 50000} for row in project.read()]
    project.write(rows)
    project.run()
    assert "| +4.17 |" in project.page.read_text()  # seed 0 alone has both
    assert "| `CIFAR-10`, 50000 |" in project.page.read_text()
    project.write([*rows, rows[2] | {"seed": 1, "accuracy": 0.709}])
    project.run()
    assert "| +4.11 ± 0.08 |" in project.page.read_text()
    project.write(rows[:2])
    project.run()
    assert "|  | `CIFAR-10`, 50000 |" in project.page.read_text()
    assert "krica train data/cifar10" in project.page.read_text()
    tables.write_text(tables.read_text().replace("code = true", "code = true\ncommands = false"))
    project.run()
    assert "krica train data/cifar10" not in project.page.read_text()


def test_best_of_several_values(project):
    tables = project.root / "results" / "tables.toml"
    tables.write_text(tables.read_text().replace('{ title = "time", show = "seconds" }', '{ title = "best", show = "best_value" }'))
    rows = project.read()
    for row, value in zip(rows, (0.1, 1, 0.1)):
        row["value"] = value
    project.write(rows)
    project.run()
    assert "| `omp-1` | **75.11** (75.27, 74.95) | 0.1 |" in project.page.read_text()
    assert "| `random-patches` | 71.10 |  |" in project.page.read_text()  # one value was tried


def test_rows_without_a_table(project):
    project.write([*project.read(), ROW | {"table": "lost"}])
    assert "no table in results/tables.toml shows the rows of lost" in project.run("--check").stderr


def test_table_without_a_place(project):
    project.page.write_text("# Page\n")
    assert "page.md: no place for the table small" in project.run("--check").stderr
