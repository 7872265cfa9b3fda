# SPDX-License-Identifier: BSD-3-Clause
"""The command `krica` while memory runs out, the disk is full, or the power is cut. Whatever happens, it says so in words, with a
documented exit code, and a file that it writes is the old one or the new one. shim.cpp makes it happen.

KRICA_FAULTS_LONG=1: many more places (scripts/faults)."""

import os
import pathlib
import random
import runpy
import shutil
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONG = os.environ.get("KRICA_FAULTS_LONG") == "1"
ERRORS = {2, 3, 4}  # wrong usage, bad data, the system refused; 1 would be an internal error
SECONDS = 120  # more is a hang

TINY = ["--quiet", "--threads", "2", "--method", "krica", "--components", "4", "--receptive-field", "3", "--patches", "60"]
TINY += ["--images", "40", "--iterations", "3", "--svm-c", "0.1"]


def run(directory, arguments, fault=None, count=None):
    environment = {**os.environ, "LD_PRELOAD": os.environ["KRICA_FAULTS"], "TMPDIR": str(directory)}
    environment |= {"KRICA_FAULT": fault} if fault else {}
    environment |= {"KRICA_FAULT_COUNT": str(count)} if count else {}
    command = [os.environ["KRICA"], *map(str, arguments)]
    return subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False)


def places(directory, arguments, kind):
    """How many calls of this kind the command makes."""
    count = directory / "count"
    assert run(directory, arguments, f"{kind}:0", count).returncode == 0
    return int(count.read_text())


def chosen(number, first, others, in_long=(1000, 300)):
    """The first places, and others at random."""
    if LONG:
        first, others = in_long
    rest = range(first + 1, number + 1)
    return [*range(1, min(first, number) + 1), *sorted(random.Random(0).sample(rest, min(others, len(rest))))]


@pytest.fixture
def say(capsys):
    """What long runs did, for docs/reliability.md."""

    def print_line(line):
        with capsys.disabled():
            print(line if LONG else "", end="\n" if LONG else "")

    return print_line


def check_words(result, fault):
    said = result.stderr.strip()
    assert result.returncode == 0 or (result.returncode in ERRORS and "krica: " in said), (
        f"{fault}: exit code {result.returncode}\n{said}"
    )


def check_end(result, fault):
    """After a power cut, no message is expected."""
    if fault.startswith(("cut", "kept")):
        assert result.returncode in (0, 137), f"{fault}: {result.stderr}"
    else:
        check_words(result, fault)


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A small data set, and a model and features of it from before."""
    directory = tmp_path_factory.mktemp("faults")
    images = np.random.default_rng(0).integers(0, 256, (60, 8, 8), dtype=np.uint8)
    np.save(directory / "x.npy", images)
    np.save(directory / "y.npy", np.arange(60) % 3)
    np.save(directory / "few.npy", images[:9])
    np.save(directory / "few-labels.npy", np.arange(9) % 3)
    parts = ["data", "convert", "few.npy", "--labels", "few-labels.npy", "part", "--to", "folder", "--quiet"]
    assert run(directory, parts).returncode == 0
    for part in ("train", "test"):
        shutil.copytree(directory / "part", directory / "two-parts" / part)
    assert run(directory, [*TRAIN, "--seed", "1"]).returncode == 0
    assert run(directory, ["encode", "m.krica", "x.npy", "-o", "features.npy"]).returncode == 0
    return directory


DATA = ["x.npy", "--labels", "y.npy"]
TRAIN = ["train", *DATA, "-o", "m.krica", *TINY]
COMMANDS = {
    "info": ["info", "m.krica"],
    "predict": ["predict", "m.krica", "x.npy", "--quiet", "--threads", "2"],
    "evaluate": ["evaluate", "m.krica", *DATA, "--quiet", "--threads", "2"],
    "train": [*TRAIN, "--seed", "2"],
    "fit": ["fit", "x.npy", "-o", "m.krica", *(o for o in TINY if o not in ("--svm-c", "0.1")), "--seed", "2"],
    "tune": ["tune", *DATA, "-o", "m.krica", "--grid", "stride=1,2", "--folds", "2", *TINY, "--seed", "2"],
    # The patches are more than fits in the memory, and lie in a file.
    "large": ["train", *DATA, "-o", "m.krica", "--quiet", "--threads", "2", "--method", "kmeans-triangle", "--components", "4",
              "--receptive-field", "3", "--patches", "16000", "--iterations", "2", "--svm-c", "0.1", "--memory", "1M"],
}  # fmt: skip


def copy_of(workplace, directory):
    shutil.copytree(workplace, directory, dirs_exist_ok=True)
    return directory


@pytest.mark.parametrize("name, kind", [*((name, "alloc") for name in COMMANDS), ("train", "buffer"), ("large", "buffer")])
def test_an_allocation_fails(workplace, tmp_path, name, kind, say):
    arguments = COMMANDS[name]
    number = places(copy_of(workplace, tmp_path), arguments, kind)
    new = (tmp_path / "m.krica").read_bytes()
    old = (workplace / "m.krica").read_bytes()
    tried = chosen(number, 8, 8)
    say(f"{name}: {kind}, {len(tried)} of {number} places")
    for place in tried:
        shutil.copy(workplace / "m.krica", tmp_path)
        result = run(tmp_path, arguments, f"{kind}:{place}")
        check_words(result, f"{kind}:{place} of {number}")
        left = (tmp_path / "m.krica").read_bytes()
        assert left == new or (left == old and (result.returncode != 0 or old == new))


@pytest.mark.skipif(LONG, reason="once is enough")
def test_no_memory_and_a_log_on_a_full_disk(workplace, tmp_path):
    """Nothing can be said, but the exit code stays."""
    arguments = COMMANDS["info"]
    number = places(copy_of(workplace, tmp_path), arguments, "alloc")
    environment = {**os.environ, "LD_PRELOAD": os.environ["KRICA_FAULTS"]}
    for place in chosen(number, 4, 40):
        for path in (os.devnull, "/dev/full"):
            with open(path, "w") as log:
                command = [os.environ["KRICA"], *map(str, arguments)]
                faulty = environment | {"KRICA_FAULT": f"alloc:{place}"}
                process = subprocess.run(command, cwd=tmp_path, env=faulty, stdout=subprocess.DEVNULL, stderr=log)
            assert process.returncode in (0, 4), place


# What writes a file, and the file. Training also keeps checkpoints, experiments keep rows.
WRITERS = {
    "model": (COMMANDS["train"], "m.krica"),
    "basis": (COMMANDS["fit"], "m.krica"),
    "npy": (["encode", "m.krica", "x.npy", "-o", "features.npy", "--quiet"], "features.npy"),
    "checkpoint": ([*COMMANDS["train"], "--checkpoint", "job.checkpoint"], "m.krica"),
    "tune": ([*COMMANDS["tune"], "--report", "page.html"], "m.krica"),
    "large": (COMMANDS["large"], "m.krica"),
    "results": (["reproduce", "kernels", "--size", "smoke", "--quiet", "--threads", "2", "-o", "out"], "out/results.jsonl"),
}


def content(path):
    return path.read_bytes() if path.exists() else b""


def rows_in(results):
    return results.split(b"\n")[:-1]


def is_sound(name, left, old, new):
    """A file of rows grows by whole rows, but for the last; other files are replaced as a whole."""
    if name != "results":
        return left in (old, new)
    return all(row.startswith(b"{") and row.endswith(b"}") for row in rows_in(left))


@pytest.mark.parametrize("kind", ["io", "cut", "kept"])
@pytest.mark.parametrize("name", [n for n in WRITERS if LONG or n != "results"])
def test_a_write_fails_or_the_power_is_cut(workplace, tmp_path, name, kind, say):
    arguments, written = WRITERS[name]
    number = places(copy_of(workplace, tmp_path), arguments, kind)
    new, old = content(tmp_path / written), content(workplace / written)
    tried = chosen(number, 6, 4)
    say(f"{name}: {kind}, {len(tried)} of {number} places")
    for place in tried:
        directory = tmp_path / f"{place}"
        result = run(copy_of(workplace, directory), arguments, f"{kind}:{place}")
        check_end(result, f"{kind}:{place} of {number}")
        assert is_sound(name, content(directory / written), old, new), f"{kind}:{place} of {number}: {written} is damaged"
        if name == "results" and kind == "cut":  # rows that were synced are there, whatever is lost of directories
            other = copy_of(workplace, tmp_path / "other")
            run(other, arguments, f"kept:{place}")
            assert len(rows_in(content(directory / written))) == len(rows_in(content(other / written))), f"{kind}:{place} of {number}"
            shutil.rmtree(other)
        again = run(directory, arguments)
        assert again.returncode == 0, f"after {kind}:{place}: {again.stderr}"
        assert name == "results" or content(directory / written) == new
        remains = {path.name for path in directory.glob("*.tmp*")} if kind == "io" else set()
        assert not remains, f"{kind}:{place} of {number} left {remains}"
        shutil.rmtree(directory)


def files_in(directory):
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


CONVERSIONS = {
    "npy": (["few.npy", "--labels", "few-labels.npy"], "npy"),
    "folder": (["few.npy", "--labels", "few-labels.npy"], "folder"),
    "train-and-test": (["two-parts"], "folder"),  # a folder in which there are folders
}


@pytest.mark.parametrize("kind", ["io", "cut", "kept"])
@pytest.mark.parametrize("name", CONVERSIONS)
def test_a_conversion_is_whole_or_not_there(workplace, tmp_path, name, kind, say):
    data, form = CONVERSIONS[name]
    arguments = ["data", "convert", *data, "set", "--to", form, "--quiet"]
    number = places(copy_of(workplace, tmp_path), arguments, kind)
    whole = files_in(tmp_path / "set")
    assert whole
    tried = chosen(number, 6, 6)
    say(f"convert to {name}: {kind}, {len(tried)} of {number} places")
    for place in tried:
        directory = copy_of(workplace, tmp_path / f"{place}")
        result = run(directory, arguments, f"{kind}:{place}")
        check_end(result, f"{kind}:{place} of {number}")
        assert not (directory / "set").exists() or files_in(directory / "set") in ({}, whole), f"{kind}:{place} of {number}"
        if files_in(directory / "set") != whole:
            again = run(directory, arguments)
            assert again.returncode == 0, f"after {kind}:{place}: {again.stderr}"
        assert files_in(directory / "set") == whole
        shutil.rmtree(directory)


@pytest.fixture(scope="module")
def mirror(tmp_path_factory):
    """The address of Fashion-MNIST in a directory."""
    made = runpy.run_path(str(ROOT / "scripts" / "kill-and-resume"))["make_mirror"](tmp_path_factory.mktemp("mirror"))
    if made is None:
        pytest.skip("Debian's dataset-fashion-mnist is not installed")
    return made.as_uri()


@pytest.mark.parametrize("kind", ["alloc", "io", "cut", "kept"])
def test_a_download_is_whole_or_resumed(mirror, tmp_path, kind, say):
    arguments = ["data", "get", "fashion-mnist", "set", "--mirror", mirror, "--quiet"]
    number = places(tmp_path, arguments, kind)
    whole = files_in(tmp_path / "set")
    assert len(whole) == 4
    tried = chosen(number, 3, 2, in_long=(60, 60))
    say(f"get: {kind}, {len(tried)} of {number} places")
    for place in tried:
        directory = tmp_path / f"{place}"
        directory.mkdir()
        check_end(run(directory, arguments, f"{kind}:{place}"), f"{kind}:{place} of {number}")
        left = {name: content for name, content in files_in(directory).items() if not name.endswith(".part")}
        assert all(whole[pathlib.Path(name).name] == content for name, content in left.items()), f"{kind}:{place} of {number}"
        again = run(directory, arguments)
        assert again.returncode == 0, f"after {kind}:{place}: {again.stderr}"
        assert files_in(directory / "set") == whole
        shutil.rmtree(directory)


def test_the_shim_is_there(workplace):
    """Without it every test above would pass."""
    assert pathlib.Path(os.environ["KRICA_FAULTS"]).exists()
    assert run(workplace, ["info", "m.krica"], "alloc:5").returncode != 0
