# SPDX-License-Identifier: BSD-3-Clause
"""The paper's experiments at smoke size: rows, tables, resuming, data that do not fit."""

import html.parser
import json
import re
import signal
import time

import numpy as np
import pytest

from conftest import SMOKE, Krica
from experiment_data import write_caltech, write_cifar, write_stl

EXPERIMENTS = ["caltech101", "cifar10", "stl10", "kernels", "lambda", "alpha", "gamma", "basis-size", "similarity"]


def read_rows(directory):
    return [json.loads(line) for line in (directory / "results.jsonl").read_text().splitlines()]


def without_costs(row):
    """What must not depend on when and where the row was computed."""
    return {name: value for name, value in row.items() if name not in ("seconds", "stages", "peak_memory_bytes", "resumed")}


class Tables(html.parser.HTMLParser):
    """The tables of a page, each as rows of cells, with the texts of the page's elements beside them."""

    def __init__(self, page):
        super().__init__()
        self.tables, self.kinds, self.cell, self.texts = [], [], None, []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        if tag == "table":
            self.tables.append([])
            self.kinds.append(dict(attributes).get("class", ""))
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[-1][-1].append(self.cell)
            self.cell = None

    def handle_data(self, data):
        self.texts.append(data)
        if self.cell is not None:
            self.cell += data


def test_every_experiment_has_its_rows(smoke):
    rows = read_rows(smoke[0])
    assert list(dict.fromkeys(row["experiment"] for row in rows)) == EXPERIMENTS
    assert len({row["key"] for row in rows}) == len(rows)
    for row in rows:
        assert "error" not in row, row
        assert row["options"]["seed"] == row["seed"] and row["version"]
        assert row["seconds"] and row["peak_memory_bytes"] > 0
        assert 0 <= row["accuracy"] <= 1
    assert not list((smoke[0] / "checkpoints").glob("*")), "checkpoints are gone once the rows are there"


def test_systems_and_curves_are_those_of_the_paper(smoke):
    rows = read_rows(smoke[0])
    systems = lambda name: {row["system"] for row in rows if row["experiment"] == name}
    for name in ("caltech101", "cifar10", "stl10"):
        assert {"RICA", "KICA", "KSR", "DRICA", "d-RICA", "kRICA", "d-kRICA", "Random patches (control)"} <= systems(name)
    assert {"Gaussian", "Inverse distance", "Exponential histogram intersection"} <= systems("kernels")
    assert {"RICA", "kRICA"} <= systems("lambda") and {"DRICA", "d-RICA", "d-kRICA"} <= systems("alpha")
    values = {row["value"] for row in rows if row["experiment"] == "basis-size"}
    assert {row["options"]["components"] for row in rows if row["experiment"] == "basis-size"} == values == {20, 40}
    assert {row["options"]["gamma"] for row in rows if row["experiment"] == "gamma"} == {0.3, 3}


def test_accuracy_follows_from_the_stored_predictions(smoke):
    for row in read_rows(smoke[0]):
        labels, predictions = np.array(row["labels"]), np.array(row["predictions"])
        assert row["accuracy"] == pytest.approx(np.mean(labels == predictions), abs=1e-12)
        by_class = [np.mean(predictions[labels == c] == c) for c in np.unique(labels)]
        assert row["mean_per_class"] == pytest.approx(np.mean(by_class), abs=1e-12)
        for mistake in row["mistakes"]:
            assert labels[mistake["image"]] == mistake["truth"] != mistake["predicted"] == predictions[mistake["image"]]


def expected_cell(rows, figure):
    accuracies = [100 * row[figure] for row in rows]
    text = f"{np.mean(accuracies):.2f}"
    return text if len(rows) == 1 else f"{text} ± {np.std(accuracies, ddof=1):.2f}"


def check_tables(directory, heading):
    """The tables of systems on the page hold what the rows say. Returns how many there are."""
    rows = read_rows(directory)
    tables = Tables((directory / "report.html").read_text())
    groups = {}
    for row in rows:
        if row["experiment"] in ("caltech101", "cifar10", "stl10", "kernels"):
            groups.setdefault((row["experiment"], row["group"]), {}).setdefault(row["system"], []).append(row)
    compared = [table for table in tables.tables if table[0] == heading]
    assert len(compared) == len(groups)
    for ((experiment, _), systems), table in zip(groups.items(), compared):
        figure = "mean_per_class" if experiment == "caltech101" else "accuracy"
        lines = {line[0]: line for line in table[1:]}
        assert set(systems) == set(lines)
        for system, line in lines.items():
            ours = heading.index("ours (%)") if "ours (%)" in heading else 1
            assert line[ours] == expected_cell(systems[system], figure), system
            if "difference" in heading and line[1] != "–":
                difference = float(line[3].replace("−", "-"))
                mean = 100 * np.mean([row[figure] for row in systems[system]])
                assert difference == pytest.approx(mean - float(line[1]), abs=0.0051)
    return len(compared)


def test_tables_of_built_in_images_do_not_compare_with_the_paper(smoke):
    assert check_tables(smoke[0], ["system", "accuracy (%)"]) == 5
    page = (smoke[0] / "report.html").read_text()
    assert "paper (%)" not in page


def test_page_opens_with_the_best_result(smoke):
    page = (smoke[0] / "report.html").read_text()
    rows = [row for row in read_rows(smoke[0]) if row["experiment"] in ("caltech101", "cifar10", "stl10", "kernels")]
    groups = {}
    for row in rows:
        figure = "mean_per_class" if row["experiment"] == "caltech101" else "accuracy"
        groups.setdefault((row["experiment"], row["group"], row["system"]), []).append(100 * row[figure])
    best, accuracies = max(groups.items(), key=lambda item: np.mean(item[1]))
    opening = page[page.index('<p class="result">') : page.index("<nav")]
    assert best[2] in opening and f"{np.mean(accuracies):.2f}" in opening
    assert "data:image/png" in opening and "atoms, un-whitened" in opening


def test_winners_are_marked_and_the_control_is_named(smoke):
    page = (smoke[0] / "report.html").read_text()
    marked = re.findall(r'<tr class="marked"><th scope="row">(.*?)</th><td class="number">([\d.]+)', page)
    tables = [table for table in Tables(page).tables if table[0] == ["system", "accuracy (%)"]]
    assert tables
    for table in tables:
        accuracies = [(line[0], line[1].split()[0]) for line in table[1:]]
        highest = max(float(accuracy) for _, accuracy in accuracies)
        best = [line for line in accuracies if float(line[1]) == highest]
        assert set(best) & set(marked)  # of equals, either
        assert sum("(control)" in line[0] for line in table) == 1


def test_confusion_matrices_of_the_page_equal_the_predictions(smoke):
    tables = Tables((smoke[0] / "report.html").read_text())
    shown = [np.array([[int(cell) for cell in line[1:]] for line in table[1:]])
             for table, kind in zip(tables.tables, tables.kinds) if "confusion" in kind]
    wanted = []
    for row in read_rows(smoke[0]):
        confusion = np.zeros((10, 10), int)
        np.add.at(confusion, (row["labels"], row["predictions"]), 1)
        wanted.append(confusion.tolist())
    assert len(shown) > 40
    for confusion in shown:
        assert confusion.tolist() in wanted


def test_similarity_scores_follow_from_the_distances(smoke):
    rows = [row for row in read_rows(smoke[0]) if row["experiment"] == "similarity"]
    page = (smoke[0] / "report.html").read_text()
    for row in rows:
        distances = np.array(row["distances"])
        assert distances.shape == (15, 15) and np.allclose(distances, distances.T) and np.all(np.diag(distances) == 0)
        classes = np.repeat([0, 1, 2], 5)
        same = classes[:, None] == classes[None, :]
        off = ~np.eye(15, dtype=bool)
        score = distances[~same].mean() / distances[same & off].mean()
        assert row["block_score"] == pytest.approx(score, rel=1e-3)
        assert f"{row['system']}: block score {row['block_score']:.3f}" in page


def test_printed_tables_of_built_in_images(smoke):
    printed = smoke[1]
    for word in ("accuracy (%)", "built-in images", "Not the official folds"):
        assert word in printed
    assert "difference" not in printed


def test_page_is_small_and_stands_alone(smoke):
    page = (smoke[0] / "report.html").read_text()
    assert len(page) < 5_000_000
    for outside in ("http:", "https:", "<script", "@import", "url("):
        assert outside not in page
    assert 'krica reproduce all <span class="option">--size</span> smoke' in page


def test_running_again_computes_nothing(smoke):
    before = (smoke[0] / "results.jsonl").read_bytes()
    krica = Krica(smoke[0].parent)
    start = time.monotonic()
    krica("reproduce", "kernels", *SMOKE, "-o", "out")
    assert (smoke[0] / "results.jsonl").read_bytes() == before, f"{time.monotonic() - start}"


@pytest.mark.parametrize("rows_before_kill", [0, 3, 9])
def test_killed_and_run_again_gives_the_same_rows(krica, smoke, rows_before_kill):
    whole = [row for row in read_rows(smoke[0]) if row["experiment"] == "kernels"]
    results = krica.directory / "out" / "results.jsonl"
    process = krica.start("reproduce", "kernels", *SMOKE, "-o", "out")
    while process.poll() is None and not (results.exists() and results.read_text().count("\n") >= rows_before_kill):
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if results.exists():
        with results.open("a") as file:
            file.write('{"key": "torn')
    krica("reproduce", "kernels", *SMOKE, "-o", "out")
    assert [without_costs(row) for row in read_rows(krica.directory / "out")] == [without_costs(row) for row in whole]


def test_interrupted_says_how_to_go_on(krica):
    process = krica.start("reproduce", "cifar10", "--quick", "-o", "out", "--components", 400)
    results = krica.directory / "out" / "results.jsonl"
    while process.poll() is None and not results.exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "the same command" in err


def test_failed_configuration_is_recorded_and_the_rest_goes_on(krica):
    # 12 pixels are too few for 10 × 10 patches at smoke size, whose positions are 4 pixels apart.
    arguments = ["reproduce", "stl10", *SMOKE, "-o", "out", "--image-size", 12]
    printed = krica(*arguments)
    rows = read_rows(krica.directory / "out")
    failed = [row for row in rows if "error" in row]
    assert {row["system"] for row in failed} == {"RICA, 10 × 10 patches"} and len(rows) == 24
    assert "failed" in printed and failed[0]["error"] in printed
    assert "failed" in (krica.directory / "out" / "report.html").read_text()
    krica(*arguments)
    assert read_rows(krica.directory / "out") == rows
    krica(*arguments, "--retry-failed")
    assert {row["key"] for row in read_rows(krica.directory / "out")} == {row["key"] for row in rows}


def test_rows_of_other_options_are_others(krica):
    for components in (20, 30):
        krica("reproduce", "similarity", *SMOKE, "-o", "out", "--components", components)
    rows = read_rows(krica.directory / "out")
    assert [row["options"]["components"] for row in rows] == 5 * [20] + 5 * [30]


def test_stl10_with_and_without_folds(krica):
    write_stl(krica.directory / "plain")
    write_stl(krica.directory / "official", folds=10, unlabelled=12)
    plain = krica("reproduce", "stl10", *SMOKE, "--data", "plain", "-o", "a")
    assert "Not the official folds" in plain and "no unlabelled images" in plain
    official = krica("reproduce", "stl10", *SMOKE, "--data", "official", "-o", "b")
    assert "Not the official folds" not in official and "no unlabelled images" not in official
    rows = {row["system"]: row for row in read_rows(krica.directory / "b")}
    assert rows["kRICA"]["train_images"] == 30 and rows["kRICA"]["fingerprint"] != rows["d-kRICA"]["fingerprint"]


def test_caltech_with_grey_and_colour_images(krica):
    write_caltech(krica.directory / "101_ObjectCategories")
    arguments = ["--quick", "--quiet", "--rounds", 1, "--components", 21, "--image-size", 16]
    printed = krica("reproduce", "caltech101", *arguments, "--data", ".", "-o", "out")
    assert "30 training images per class: 1 class has a single test image" in printed
    rows = read_rows(krica.directory / "out")
    assert {row["group"]: row["train_images"] for row in rows} == {
        "15 training images per class": 45,
        "30 training images per class": 90,
    }
    assert all("error" not in row for row in rows)


def test_cifar10(krica):
    write_cifar(krica.directory / "cifar10")
    printed = krica("reproduce", "cifar10", *SMOKE, "--data", ".", "-o", "out")
    for word in ("paper", "ours", "difference", "Improved local coordinate coding", "Convolutional deep belief net"):
        assert word in printed
    assert "not implemented" not in printed  # every system of the table is
    assert all(row["train_images"] == 100 for row in read_rows(krica.directory / "out"))
    assert check_tables(krica.directory / "out", ["system", "paper (%)", "ours (%)", "difference"]) == 1


def test_wrong_and_partial_data(krica):
    write_cifar(krica.directory / "cifar", images=2)
    write_stl(krica.directory / "stl", a_class=2)
    write_caltech(krica.directory / "caltech", images=12)
    (krica.directory / "empty").mkdir()

    def refused(name, data, size=SMOKE):
        return krica("reproduce", name, *size, "--data", data, "-o", "out", code=3)

    assert "needs STL-10" in refused("stl10", "cifar") and "cifar10" in refused("stl10", "cifar")
    assert "needs CIFAR-10" in refused("cifar10", "empty") and "empty" in refused("cifar10", "empty")
    (krica.directory / "cifar" / "data_batch_3.bin").unlink()
    assert "no data_batch_3.bin" in refused("cifar10", "cifar")
    (krica.directory / "stl" / "test_X.bin").unlink()
    assert "no test_X.bin" in refused("kernels", "stl")
    assert "3 classes, the smallest with 12 images" in refused("caltech101", "caltech", ["--quick"])
    assert not (krica.directory / "out").exists(), "nothing is begun"
    assert "missing" in krica("reproduce", "stl10", *SMOKE, "--data", "missing", "-o", "out", code=4)


def test_chosen_systems_only(krica):
    krica("reproduce", "kernels", *SMOKE, "--systems", "random-patches", "-o", "out")
    rows = read_rows(krica.directory / "out")
    assert rows and {row["options"]["method"] for row in rows} == {"random-patches"}
    printed = krica("reproduce", "kernels", *SMOKE, "--systems", "gaussian,random-patches", "-o", "out")
    assert len(read_rows(krica.directory / "out")) == 2 * len(rows)
    assert re.search(r"^Polynomial.*not run yet$", printed, re.MULTILINE)
    krica("reproduce", "kernels", *SMOKE, "--systems", "Polynomial, degree 3, gaussian", "-o", "comma")
    assert {row["system"] for row in read_rows(krica.directory / "comma")} == {"Polynomial, degree 3", "Gaussian"}
    message = krica("reproduce", "kernels", *SMOKE, "--systems", "gaussian,random-patch", "-o", "out", code=2)
    assert "did you mean 'random-patches'?" in message


def test_as_printed(krica):
    write_cifar(krica.directory / "cifar10")
    systems = "krica,d-krica,ksr,random-patches"
    arguments = ["reproduce", "cifar10", *SMOKE, "--data", ".", "--as-printed", "--systems", systems, "-o", "out"]
    printed = krica(*arguments)
    assert "CIFAR-10: accuracy, as printed" in printed and "L2 pooling" in printed
    assert re.search(r"^kRICA, fixed point +83\.4 .*as printed: λ = 0\.01, γ = 0\.1, fixed point", printed, re.MULTILINE)
    assert re.search(r"^d-kRICA, kernel PCA +84\.5 .*kernel PCA$", printed, re.MULTILINE)
    rows = {row["system"]: row for row in read_rows(krica.directory / "out")}
    assert all("error" not in row for row in rows.values())
    options = rows["d-kRICA"]["options"]
    assert (options["sparsity"], options["discrimination"], options["gamma"]) == (0.01, 0.1, 0.1)
    assert options["pooling-groups"] == "topographic" and options["solver"] == "lbfgs"
    page = (krica.directory / "out" / "report.html").read_text()
    assert "as printed" in page
    cap = "20 atoms instead of 50; more would take too long"  # of KSR: never silent
    assert cap in printed and cap in page
    before = (krica.directory / "out" / "results.jsonl").read_bytes()
    krica(*arguments)
    assert (krica.directory / "out" / "results.jsonl").read_bytes() == before


def test_comparison_on_any_images(krica):
    printed = krica("reproduce", "comparison", *SMOKE, "-o", "grey")
    assert "no mirror images" in printed and "paper" not in printed
    assert all(row["options"]["flips"] is False for row in read_rows(krica.directory / "grey"))
    write_cifar(krica.directory / "cifar10")
    krica("reproduce", "comparison", *SMOKE, "--data", "cifar10", "--rounds", 2, "--components", 12, "-o", "cifar")
    rows = read_rows(krica.directory / "cifar")
    assert len(rows) == 14 and {row["seed"] for row in rows} == {0, 1}
    for row in rows:
        assert "error" not in row, row
        assert row["options"]["flips"] is True and row["options"]["test-flips"] is True
        assert row["options"]["components"] == 12 and row["options"]["stride"] == 4
    write_stl(krica.directory / "stl10", folds=10)
    krica("reproduce", "comparison", *SMOKE, "--data", "stl10", "--systems", "omp-1", "-o", "stl")
    assert len({row["group"] for row in read_rows(krica.directory / "stl")}) == 2
    write_caltech(krica.directory / "caltech")
    krica("reproduce", "comparison", *SMOKE, "--data", "caltech", "--systems", "random-patches", "-o", "caltech-out")
    assert {row["group"] for row in read_rows(krica.directory / "caltech-out")} == {"15 training images per class"}
    downloaded = krica.directory / "data" / "caltech101" / "101_ObjectCategories"  # as by krica data get
    downloaded.parent.mkdir(parents=True)
    (krica.directory / "caltech").rename(downloaded)
    for place in (downloaded, downloaded.parent, downloaded.parent.parent):
        krica("reproduce", "comparison", *SMOKE, "--data", place, "--systems", "random-patches", "-o", "downloaded")
        krica("reproduce", "caltech101", *SMOKE, "--data", place, "--systems", "random-patches", "-o", "downloaded")
    assert len(read_rows(krica.directory / "downloaded")) == 3, "one comparison, two groups of the table"
    (krica.directory / "cifar10").rename(krica.directory / "data" / "cifar10")
    refusal = krica("reproduce", "comparison", *SMOKE, "--data", "data", "-o", "no", code=3)
    assert "several data sets: caltech101, cifar10; give the directory of one" in refusal
    (krica.directory / "table.csv").write_text("a,b,label\n1,2,x\n3,4,y\n")
    assert "found samples" in krica("reproduce", "comparison", *SMOKE, "--data", "table.csv", "-o", "no", code=3)
    assert "--as-printed" in krica("reproduce", "comparison", *SMOKE, "--as-printed", "-o", "no", code=2)


def test_as_printed_needs_a_grid_of_atoms(krica):
    refusal = krica("reproduce", "cifar10", *SMOKE, "--as-printed", "--components", 13, "-o", "no", code=2)
    assert "--components must not be prime, got 13; use 14" in refusal
    assert "got 3; use 4" in krica("reproduce", "cifar10", *SMOKE, "--as-printed", "--components", 3, "-o", "no", code=2)
    assert not (krica.directory / "no").exists()


def test_usage(krica):
    assert "--data" in krica("reproduce", "stl10", "-o", "out", code=2)
    krica("reproduce", "imagenet", "--quick", "-o", "out", code=2)
    krica("reproduce", "stl10", "--size", "tiny", "-o", "out", code=2)
    (krica.directory / "file").touch()
    assert "file" in krica("reproduce", "stl10", *SMOKE, "-o", "file", code=4)
    (krica.directory / "out").mkdir()
    (krica.directory / "out" / "results.jsonl").write_text('{"something": "else"}\n')
    assert "line 1" in krica("reproduce", "stl10", *SMOKE, "-o", "out", code=3)
