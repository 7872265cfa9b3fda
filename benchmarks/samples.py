# SPDX-License-Identifier: BSD-3-Clause
"""Classifies samples with linear models of their values, of Nystroem's features and of KernelRICA's codes, as the table of docs/python.md:

    PYTHONPATH=build/release/python python3 benchmarks/samples.py

Five outer folds; C, and Nystroem's gamma, are chosen by three inner ones. A row per outer fold goes into results/samples.jsonl."""

import sys
import tempfile
from pathlib import Path

import krica
import numpy as np
from sklearn import datasets
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from result_tables import rows  # noqa: E402

RESULTS = ROOT / "results" / "samples.jsonl"
COSTS = [10.0**power for power in range(-3, 4)]
WIDTHS = [0.03, 0.1, 0.3, 1, 3]  # over the number of values of a sample
# About three eighths of the training samples, at most 200; the same for both.
COMPONENTS = {"iris": 45, "wine": 53, "breast cancer": 170, "rings": 180, "digits": 200, "clothes": 200}


def samples_of(name):
    if name == "rings":
        return datasets.make_gaussian_quantiles(n_samples=600, n_features=10, n_classes=3, random_state=0)
    if name == "clothes":
        images = krica.datasets.load_embedded()
        return images.data[:1000].reshape(1000, -1).astype(np.float32), images.target[:1000]
    return getattr(datasets, f"load_{name.replace(' ', '_')}")(return_X_y=True)


def pipelines(name, values):
    """(label, steps, grid) of each."""
    count = COMPONENTS[name]
    classifier = ("classifier", LogisticRegression(max_iter=10000))
    costs = {"classifier__C": COSTS}
    widths = {"features__gamma": [width / values for width in WIDTHS]}
    first, last = ("first", StandardScaler()), ("standardised", StandardScaler())
    nystroem = ("features", Nystroem(n_components=count, random_state=0))
    codes = ("features", krica.KernelRICA(n_components=count))
    yield "LogisticRegression", [first, classifier], costs
    yield "Nystroem, StandardScaler, LogisticRegression", [first, nystroem, last, classifier], costs | widths
    yield "KernelRICA, StandardScaler, LogisticRegression", [codes, last, classifier], costs
    if name == "digits":
        yield "KernelRICA, LogisticRegression", [codes, classifier], {}


def measured(name):
    X, y = samples_of(name)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for label, steps, grid in pipelines(name, X.shape[1]):
        scores = []
        for number, (train, test) in enumerate(folds.split(X, y)):
            with tempfile.TemporaryDirectory() as cache:
                search = GridSearchCV(Pipeline(steps, memory=cache), grid, cv=3).fit(X[train], y[train])
            scores.append(search.score(X[test], y[test]))
            table = "samples" if grid else ".samples"
            yield {"table": table, "label": label, "data": name, "version": krica.__version__, "command": "python3 benchmarks/samples.py",
                   "train_images": len(train), "test_images": len(test), "split": f"fold {number}", "accuracy": scores[-1]}  # fmt: skip
        print(f"{name}, {label}: {100 * np.mean(scores):.1f} +- {100 * np.std(scores, ddof=1):.1f}", flush=True)


def main():
    rows.merge(RESULTS, [row for name in COMPONENTS for row in measured(name)])


if __name__ == "__main__":
    main()
