# SPDX-License-Identifier: BSD-3-Clause
"""The small sets that docs/methods.md measures on: random draws from larger ones, with training and test images of their own.

    python3 benchmarks/small_sets.py measure WORK STL-10=DIR CIFAR-10=DIR Fashion-MNIST=DIR Caltech-101=DIR
    python3 benchmarks/small_sets.py ten DIR OUT --seed 0

`measure` draws ten sets from each and trains max-margin-krica, omp-1 and the control on them. Its rows, and their summary, go into
results/max-margin.jsonl; where it was interrupted, it goes on. `ten` writes one set: the ten largest classes of Caltech-101, 30 training
images each, and at most 200 others of each class for testing. KRICA is the command, build/release/bin/krica unless set."""

import argparse
import gzip
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from result_tables import rows, sources  # noqa: E402

KRICA = os.environ.get("KRICA", str(ROOT / "build/release/bin/krica"))
RESULTS = ROOT / "results" / "max-margin.jsonl"
METHODS = ("random-patches", "omp-1", "max-margin-krica")
OPTIONS = ("--components", "200", "--stride", "2", "--flips=no")
SETS = 10  # from each source
LARGEST = 10  # classes of Caltech-101
# Images per class and sides of images that are drawn from, both inclusive.
RANGES = {"STL-10": ((10, 300), (16, 32)), "CIFAR-10": ((10, 300), (16, 32)), "Fashion-MNIST": ((10, 300), (16, 28)), "Caltech-101": ((10, 40), (24, 48))}


def records(directory, pattern):
    return np.concatenate([np.fromfile(file, np.uint8) for file in sorted(directory.glob(pattern))])


def idx(file, header):
    with gzip.open(file) as stream:
        return np.frombuffer(stream.read(), np.uint8, offset=header)


def arrays_of(name, directory, part):
    """Images, count x height x width (x 3), and labels from 0."""
    if name == "CIFAR-10":
        table = records(directory, "data_batch_*.bin" if part == "train" else "test_batch.bin").reshape(-1, 3073)
        return table[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1), table[:, 0]
    if name == "STL-10":
        # Stored column by column.
        images = records(directory, f"{part}_X.bin").reshape(-1, 3, 96, 96).transpose(0, 3, 2, 1)
        return images, records(directory, f"{part}_y.bin") - 1
    stem = directory / ("train" if part == "train" else "t10k")
    return idx(f"{stem}-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28), idx(f"{stem}-labels-idx1-ubyte.gz", 8)


def largest_classes(directory):
    folders = [folder for folder in (directory / "101_ObjectCategories").iterdir() if folder.is_dir() and folder.name != "BACKGROUND_Google"]
    if len(folders) < LARGEST:
        raise SystemExit(f"{directory}: 101_ObjectCategories has {len(folders)} classes, {LARGEST} are needed")
    return sorted(folders, key=lambda folder: (-len(list(folder.glob("*.jpg"))), folder.name))[:LARGEST]


def write_files(folders, per_class, random, target):
    """Links to `per_class` training images of each class and to at most 200 others for testing."""
    for folder in folders:
        files = sorted(folder.glob("*.jpg"))
        order = random.permutation(len(files))
        for part, chosen in (("train", order[:per_class]), ("test", order[per_class : per_class + 200])):
            (target / part / folder.name).mkdir(parents=True)
            for i in chosen:
                (target / part / folder.name / files[i].name).symlink_to(files[i].resolve())


def write_arrays(source, classes, per_class, tests, random, target):
    target.mkdir(parents=True)
    for part, count in (("train", per_class), ("test", tests)):
        images, labels = source[part]
        chosen = [random.choice(np.flatnonzero(labels == c), count, replace=False) for c in classes]
        np.save(target / f"{part}_x.npy", np.ascontiguousarray(images[np.concatenate(chosen)]))
        np.save(target / f"{part}_y.npy", np.repeat(np.arange(len(classes)), count))


def draw(name, source, number, target):
    """Writes set `number` of this source and returns what it is."""
    random = np.random.default_rng([number, sorted(RANGES).index(name)])
    per_class, side = (int(random.integers(*limits, endpoint=True)) for limits in RANGES[name])
    if name == "Caltech-101":
        count = int(random.integers(LARGEST - 1, LARGEST, endpoint=True))
        folders = [source[i] for i in sorted(random.choice(LARGEST, count, replace=False))]
        write_files(folders, per_class, random, target)
    else:
        count = int(random.integers(2, 10, endpoint=True))
        tests = min(int(random.integers(1000, 2000, endpoint=True)) // count, 800)  # STL-10 has 800 of each class
        write_arrays(source, random.choice(10, count, replace=False), per_class, tests, random, target)
    return {"classes": count, "per_class": per_class, "side": side}


def source_of(name, directory):
    if name == "Caltech-101":
        return largest_classes(directory)
    return {part: arrays_of(name, directory, part) for part in ("train", "test")}


def correct(model, data):
    """For every test image, whether the model is right."""
    arrays = (data / "test_y.npy").exists()
    words = [KRICA, "predict", model, data if arrays else data / "test", "--json", "--top", "1", "--quiet"]
    images = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)["images"]
    truth = np.load(data / "test_y.npy").astype(str) if arrays else [Path(image["item"]).parent.name for image in images]
    return np.array([image["predictions"][0]["class"] == label for image, label in zip(images, truth, strict=True)])


def version():
    return subprocess.run([KRICA, "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]


def train(name, number, method, facts, data, work):
    """One row, for every test image whether the model is right, and how the basis came to be."""
    model = work / "model.krica"
    words = [KRICA, "train", data, "-o", model, "--method", method, *OPTIONS, "--image-size", str(facts["side"]), "--seed", str(number)]
    printed = subprocess.run([*words, "--json", "--quiet"], check=True, capture_output=True, text=True)
    result = json.loads(printed.stdout)
    options = " ".join(map(str, words[5:]))
    given = {
        "table": ".forty-sets", "label": f"set {number}", "data": name, "group": method,
        "command": f"krica train SET -o model.krica {options}", "version": version(), "train_images": facts["classes"] * facts["per_class"],
        "note": f"{facts['classes']} classes, {facts['per_class']} training images each; benchmarks/small_sets.py",
    }  # fmt: skip
    row = sources.from_command(result, given)
    row["figures"] = {key: facts[key] for key in ("classes", "per_class", "side")}
    right = correct(model, data)
    assert abs(right.mean() - row["accuracy"]) < 1e-6, f"{name}, set {number}, {method}: predict and train differ"
    return row, right, result.get("basis_status")


def standard_errors(right, other):
    """How many standard errors of the paired difference separate two models on the same images."""
    difference = right.astype(float) - other
    error = difference.std(ddof=1) / math.sqrt(len(difference))
    return difference.mean() / error if error > 0 else 0.0


def measured(name, number, source, work):
    """The three rows of one set; that of max-margin-krica also says how far it is from the others."""
    data = work / "set"
    shutil.rmtree(data, ignore_errors=True)
    facts = draw(name, source, number, data)
    made, right = [], {}
    for method in METHODS:
        row, right[method], status = train(name, number, method, facts, data, work)
        made.append(row)
    made[-1]["figures"] |= {
        "over_control_se": standard_errors(right["max-margin-krica"], right["random-patches"]),
        "over_omp_se": standard_errors(right["max-margin-krica"], right["omp-1"]),
        "start_kept": int(status == "start-kept"),
    }
    print(f"{name}, set {number}: {facts['classes']} x {facts['per_class']} images of {facts['side']} pixels: ", end="")
    print(", ".join(f"{row['group']} {100 * row['accuracy']:.1f}" for row in made), flush=True)
    return made


def summary_of(label, data, made):
    """What the table shows of the sets in `made`, by set and method."""
    gains, over_omp, errors, kept = [], [], [], []
    for methods in made.values():
        joint = methods["max-margin-krica"]
        gains.append(100 * (joint["accuracy"] - methods["random-patches"]["accuracy"]))
        over_omp.append(100 * (joint["accuracy"] - methods["omp-1"]["accuracy"]))
        errors.append(joint["figures"]["over_control_se"])
        kept.append(joint["figures"]["start_kept"])
    figures = {
        "mean": statistics.fmean(gains), "worst": min(gains), "best": max(gains), "worst_se": min(errors), "over_omp": statistics.fmean(over_omp),
        "sets": len(gains), "above_control": sum(gain > 0 for gain in gains), "above_omp": sum(gain > 0 for gain in over_omp), "start_kept": sum(kept),
    }  # fmt: skip
    first = next(iter(made.values()))["max-margin-krica"]
    return {
        "table": "forty-sets", "label": label, "data": data, "version": first["version"], "method": "max-margin-krica", "figures": figures,
        "command": "python3 benchmarks/small_sets.py measure WORK STL-10=data/stl10 CIFAR-10=data/cifar10 Fashion-MNIST=data/fashion-mnist Caltech-101=data/caltech101",
    }  # fmt: skip


def summary(kept):
    by_source = {}
    for row in kept:
        if row["table"] == ".forty-sets":
            by_source.setdefault(row["data"], {}).setdefault((row["data"], row["label"]), {})[row["group"]] = row
    everything = {key: methods for sets in by_source.values() for key, methods in sets.items()}
    made = [summary_of(name, name, by_source[name]) for name in RANGES if name in by_source]
    return [summary_of(f"all {len(everything)}", "small sets", everything), *made]


def measure(arguments):
    arguments.work.mkdir(parents=True, exist_ok=True)
    done = {(row["data"], row["label"]) for row in rows.read_file(RESULTS) if row["table"] == ".forty-sets"}
    for text in arguments.sources:
        name, _, directory = text.partition("=")
        if name not in RANGES or not Path(directory).is_dir():
            raise SystemExit(f"{text}: give NAME=DIR with an existing directory; the names are {', '.join(RANGES)}")
        source = source_of(name, Path(directory))
        for number in range(SETS):
            if (name, f"set {number}") not in done:
                rows.merge(RESULTS, measured(name, number, source, arguments.work))
    rows.merge(RESULTS, summary(rows.read_file(RESULTS)))


def ten(arguments):
    if arguments.out.exists():
        raise SystemExit(f"{arguments.out} exists; give a new directory")
    write_files(largest_classes(arguments.source), 30, np.random.default_rng(arguments.seed), arguments.out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("measure")
    command.add_argument("work", type=Path)
    command.add_argument("sources", nargs="+", metavar="NAME=DIR")
    command.set_defaults(do=measure)
    command = commands.add_parser("ten")
    command.add_argument("source", type=Path)
    command.add_argument("out", type=Path)
    command.add_argument("--seed", type=int, default=0)
    command.set_defaults(do=ten)
    arguments = parser.parse_args()
    arguments.do(arguments)


if __name__ == "__main__":
    main()
