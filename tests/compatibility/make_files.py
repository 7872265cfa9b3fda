# SPDX-License-Identifier: BSD-3-Clause
"""Makes the model and checkpoint files that later versions must read: python3 make_files.py KRICA VERSION.

Run with the program of a version whose files are to be kept; the files go into files/VERSION beside this script, and those
that are there stay as they are. `expected.json` lists them with the options that made them and the test accuracy at that time.
"""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

FAMILIES = [
    "krica", "max-margin-krica", "d-krica", "random-patches", "rica", "drica", "d-rica", "ica", "kica", "kpca-rica",
    "ksr", "kmeans-triangle", "omp-1", "kmeans-hard", "sparse-filtering", "sparse-autoencoder", "sparse-rbm",
    "raw-pixels", "sparse-coding", "scspm", "ksvd", "d-ksvd", "lc-ksvd", "llc", "improved-lcc", "conv-dbn",
]  # fmt: skip
SMALL = "--components 10 --images 200 --patches 2000 --stride 3 --iterations 5 --epochs 2 --landmarks 100"
# Methods that would need more than 40 kB with these, or do not accept them.
OWN = {
    "d-ksvd": f"{SMALL} --words 11 --feature-components 20 --nonzeros 5",
    "lc-ksvd": f"{SMALL} --words 11 --feature-components 20 --nonzeros 5",
    "improved-lcc": SMALL.replace("--components 10", "--components 6"),
    "conv-dbn": "--components 6 --second-components 6 --images 200 --epochs 2",
}
# Interrupted while the solver, the joint training, K-means or the classifier was at work.
INTERRUPTED = {
    "krica-solver": "--method krica --components 40 --images 400 --patches 8000 --stride 3 --iterations 200",
    "max-margin": "--method max-margin-krica --components 16 --images 1500 --patches 2000 --stride 2 --epochs 40 --patience 40",
    "omp-1": "--method omp-1 --components 100 --images 400 --patches 20000 --stride 3 --iterations 200",
    "classifier": "--method random-patches --components 16 --images 300 --patches 2000 --stride 3",
}


def krica(program, *arguments):
    done = subprocess.run([program, *arguments, "--json", "--quiet"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def make_models(program, folder):
    rows = []
    for method in FAMILIES:
        file = folder / f"{method}.krica"
        if file.exists():
            continue
        options = ["--method", method, *OWN.get(method, SMALL).split()]
        result = krica(program, "train", "embedded", "-o", str(file), *options)
        rows.append({"file": file.name, "options": options, "accuracy": result["test"]["accuracy"]})
    return rows


def make_sample_models(program, folder):
    """Two classes of noisy waves; the test makes the same ones."""
    rows = []
    with tempfile.TemporaryDirectory() as place:
        samples, labels = sample_data()
        np.save(f"{place}/x.npy", samples)
        np.save(f"{place}/y.npy", labels)
        for method in ("rica", "krica", "kmeans-triangle"):
            options = ["--method", method, "--components", "8", "--iterations", "20", "--test-fraction", "0.5"]
            name = f"samples-{method}.krica"
            if (folder / name).exists():
                continue
            arguments = ["train", f"{place}/x.npy", "--labels", f"{place}/y.npy", "-o", str(folder / name), *options]
            result = krica(program, *arguments)
            rows.append({"file": name, "options": options, "accuracy": result["test"]["accuracy"]})
    return rows


def sample_data():
    random = np.random.default_rng(0)
    time_axis = np.linspace(0, 1, 24)
    labels = np.arange(200) % 2
    waves = np.sin(2 * np.pi * (2 + 2 * labels[:, None]) * (time_axis + random.uniform(size=(200, 1))))
    return (waves + 0.2 * random.normal(size=waves.shape)).astype(np.float32), labels


def make_checkpoint(program, folder, name, options):
    """Interrupts a training as soon as it has a checkpoint; an uninterrupted one gives the accuracy."""
    checkpoint = folder / f"{name}.checkpoint"
    if checkpoint.exists():
        return None
    with tempfile.TemporaryDirectory() as place:
        whole = krica(program, "train", "embedded", "-o", f"{place}/whole.krica", *options)
        for delay in (0.1, 0.2, 0.4, 0.8, 1.2, 1.6, 2.4, 3.2, 5.0, 8.0):
            command = [program, "train", "embedded", "-o", f"{place}/part.krica", "--checkpoint", str(checkpoint), *options]
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            process.wait()
            if checkpoint.exists() and process.returncode == 130:
                return {"file": checkpoint.name, "options": options, "accuracy": whole["test"]["accuracy"]}
            checkpoint.unlink(missing_ok=True)
    print(f"{name}: no checkpoint; try again")
    return None


def main():
    program, version = sys.argv[1:]
    folder = pathlib.Path(__file__).parent / "files" / version
    folder.mkdir(parents=True, exist_ok=True)
    listing = folder / "expected.json"
    expected = json.loads(listing.read_text()) if listing.exists() else {"models": [], "checkpoints": []}
    expected["models"] += make_models(program, folder) + make_sample_models(program, folder)
    checkpoints = [make_checkpoint(program, folder, name, text.split()) for name, text in INTERRUPTED.items()]
    expected["checkpoints"] += [row for row in checkpoints if row]
    listing.write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
