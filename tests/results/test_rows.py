# SPDX-License-Identifier: BSD-3-Clause
"""Rows: what is refused, and how runs become rows."""

import json
import sys

import pytest
from conftest import ROW

TRAIN = {"options": {"method": "omp-1", "components": 400, "seed": 2, "gamma": "auto"}, "seconds": {"basis": 1.234},
         "test": {"accuracy": 0.76, "mean_per_class": 0.75, "confusion": [[70, 30], [20, 80]]}, "control": {"accuracy": 0.7}}
COMMAND = "krica train data/cifar10 -o m --method omp-1 --seed 2"


@pytest.mark.parametrize(
    ("change", "message"),
    [({"accuracy": 75.27}, "accuracy is 75.27, but must be a fraction from 0 to 1"),
     ({"accuracy": True}, "accuracy is true"),
     ({"seed": -1}, "seed is -1, but must be a whole number"),
     ({"label": ""}, "label is \"\""),
     ({"label": "a; b"}, "label is \"a; b\", but must be a name without semicolons"),
     ({"colour": "blue"}, "unknown field colour"),
     ({"seconds": {"basis": "fast"}}, "seconds is"),
     ({"version": None}, "version is null"),
     ({"seeds": [0, 1]}, "the row has both seed and seeds"),
     ({"mean_of_seeds": 0.5}, "mean_of_seeds is for rows with a source")])
def test_bad_values_are_named_with_file_and_line(project, change, message):
    project.write([ROW, ROW | {"seed": 1} | change])
    done = project.run("--check")
    assert done.returncode == 1
    assert "rows.jsonl:2: " in done.stderr and message in done.stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [("{", "rows.jsonl:2: not JSON"),
     ("[1]", "rows.jsonl:2: a row must be a JSON object"),
     ('{"table": "small"}', "rows.jsonl:2: the row has no label"),
     (json.dumps({k: v for k, v in ROW.items() if k != "accuracy"}), "rows.jsonl:2: the row has no accuracy"),
     (json.dumps(ROW), "rows.jsonl:2: the same row as line 1")])
def test_bad_lines(project, line, message):
    project.write([ROW])
    project.rows.write_text(project.rows.read_text() + line + "\n")
    done = project.run("--check")
    assert done.returncode == 1 and message in done.stderr


def test_same_row_in_two_files(project):
    (project.root / "results" / "more.jsonl").write_text(json.dumps(ROW) + "\n")
    assert "is also in" in project.run("--check").stderr


def test_add(project):
    done = project.run("add", "rows.jsonl", "--table", "small", "--label", "omp-1", "--command", COMMAND, "--version", "0.2.0",
                       stdin=json.dumps(TRAIN))
    assert done.returncode == 0, done.stderr
    row = project.read()[-1]
    assert row["accuracy"] == 0.76 and row["mean_per_class"] == 0.75 and row["seed"] == 2 and row["test_images"] == 200
    assert row["options"] == {"method": "omp-1", "components": 400, "seed": 2}  # auto had no effect
    assert row["data"] == "CIFAR-10" and row["version"] == "0.2.0" and row["seconds"] == {"basis": 1.23}
    assert row["figures"] == {"control_per_cent": 70.0}


def test_commands_name_no_directories_of_a_machine(project):
    command = "/opt/bin/krica train /mnt/x/cifar10 -o /tmp/out/m.krica --pool 1x1,2x2 --init=/tmp/a.npy"
    project.run("add", "rows.jsonl", "--table", "small", "--label", "omp-1", "--command", command, "--version", "1", stdin=json.dumps(TRAIN))
    assert project.read()[-1]["command"] == "krica train data/cifar10 -o m.krica --pool 1x1,2x2 --init=a.npy"


def test_add_replaces_the_same_run_in_place(project):
    again = TRAIN | {"options": {"method": "omp-1", "seed": 0}}
    done = project.run("add", "rows.jsonl", "--table", "small", "--label", "omp-1", "--command", COMMAND, "--version", "1", stdin=json.dumps(again))
    assert "1 rows, in place of 1" in done.stdout
    assert [row["accuracy"] for row in project.read()] == [0.76, 0.7495, 0.711]


def test_a_run_replaces_a_copied_mean(project):
    copied = {key: value for key, value in ROW.items() if key != "seed"} | {"seeds": [0, 1, 2], "source": "docs before rows were kept"}
    project.write([copied])
    project.run("add", "rows.jsonl", "--table", "small", "--label", "omp-1", "--command", COMMAND, "--version", "1", stdin=json.dumps(TRAIN))
    assert [row["accuracy"] for row in project.read()] == [0.76]


def test_add_needs_an_accuracy_and_a_data_set(project):
    arguments = ["add", "rows.jsonl", "--table", "small", "--label", "x", "--version", "1"]
    assert "has no test accuracy" in project.run(*arguments, "--command", COMMAND, stdin="{}").stderr
    done = project.run(*arguments, "--command", "krica train photos -o m", stdin=json.dumps(TRAIN))
    assert done.returncode == 1 and "add --data NAME" in done.stderr


def test_run_keeps_the_row_of_a_command(project, tmp_path):
    program = tmp_path / "krica"
    program.write_text(f"#!{sys.executable}\nimport sys\nprint('krica 0.3.0' if '--version' in sys.argv else {json.dumps(TRAIN)!r})\n")
    program.chmod(0o755)
    done = project.run("run", "rows.jsonl", "--table", "small", "--label", "omp-1", "--", program, "train", "data/cifar10", "-o", "m")
    assert done.returncode == 0, done.stderr
    row = project.read()[-1]
    assert row["command"] == "krica train data/cifar10 -o m" and row["version"] == "0.3.0" and row["peak_memory_bytes"] > 0
    program.write_text(f"#!{sys.executable}\nraise SystemExit(3)\n")
    failed = project.run("run", "rows.jsonl", "--table", "small", "--label", "omp-1", "--", program, "train", "data/cifar10", "-o", "m")
    assert failed.returncode == 1 and "exit code 3; nothing was kept" in failed.stderr
    assert len(project.read()) == 4


def test_import(project, tmp_path):
    line = {"experiment": "cifar10", "group": "", "system": "RICA", "value": None, "split": "seed 0", "seed": 0, "version": "0.1.0",
            "data": "CIFAR-10 train: 2000 images (abc)", "options": {"method": "rica", "gamma": "auto"}, "train_images": 2000, "test_images": 1000,
            "accuracy": 0.495, "mean_per_class": 0.4951234567, "seconds": {"basis": 1.0}, "peak_memory_bytes": 100,
            "labels": [1, 2], "predictions": [1, 1], "distances": [[0.0]], "block_score": 1.5}
    failed = {"experiment": "cifar10", "system": "KSR", "error": "out of memory"}
    (tmp_path / "out.jsonl").write_text(json.dumps(line) + "\n" + json.dumps(failed) + "\n")
    done = project.run("import", "rows.jsonl", tmp_path / "out.jsonl", "--prefix", "quick-", "--command", "krica reproduce cifar10")
    assert done.returncode == 0, done.stderr
    assert "out.jsonl:2: failed, left out" in done.stdout
    row = project.read()[-1]
    assert row["table"] == "quick-cifar10" and row["label"] == "RICA" and row["data"] == "CIFAR-10" and row["figures"] == {"block_score": 1.5}
    assert not {"labels", "predictions", "distances", "group", "value"} & set(row)
    (tmp_path / "out.jsonl").write_text(json.dumps(line | {"options": {"method": "rica", "components": 1600}}) + "\n")
    imported = ("import", "rows.jsonl", tmp_path / "out.jsonl", "--command", "krica reproduce cifar10", "--value-of")
    assert project.run(*imported, "components").returncode == 0 and project.read()[-1]["value"] == 1600
    done = project.run(*imported, "method")
    assert done.returncode == 1 and "--value-of method: the row of RICA" in done.stderr
    (tmp_path / "out.jsonl").write_text("{}\n")
    done = project.run("import", "rows.jsonl", tmp_path / "out.jsonl", "--command", "krica reproduce cifar10")
    assert done.returncode == 1 and "out.jsonl:1: not a row of krica reproduce" in done.stderr
