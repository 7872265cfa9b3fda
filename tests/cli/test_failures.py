# SPDX-License-Identifier: BSD-3-Clause
"""Wrong options, bad data and refusing file systems: the exit code, one clear line, nothing lost."""

import gzip
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import struct
import subprocess
import time

import numpy as np
import pytest

from conftest import SMALL, read_safetensors, skip_under_address_sanitizer, write_safetensors


@pytest.mark.parametrize(
    "arguments, word",
    [
        (["train", "embedded"], "--output"),
        (["train", "embedded", "-o", "m", "--components", "none"], "components"),
        (["train", "embedded", "-o", "m", "--components", "0"], "components"),
        (["train", "embedded", "-o", "m", "--method", "magic"], "random-patches"),
        (["train", "embedded", "-o", "m", "--pool", "2by2"], "2by2"),
        (["train", "embedded", "-o", "m", "--pool", "2x2,"], "2x2,"),
        (["train", "embedded", "-o", "m", "--pool", "2x2,2x2"], "is given twice"),
        (["train", "embedded", "-o", "m", "--pool", "1x1,999x999"], "more than 16384 cells"),
        (["train", "embedded", "-o", "m", "--pool-function", "median"], "sum, mean, max"),
        (
            ["train", "embedded", "-o", "m", "--method", "max-margin-krica", "--pool-function", "max"],
            "use pool-function sum or mean",
        ),
        (["train", "embedded", "-o", "m", "--gamma", "wide"], "gamma"),
        (["train", "embedded", "-o", "m", "--memory", ""], "--memory"),
        *[(["train", "embedded", "-o", "m", f"--memory={size}"], f"--memory must be a size such as 512M or 4G, with k, M, G or T, got '{size}'")
          for size in ("lots", "4X", "four.5G", "1e400", "inf", "-inf", "nan", "4GB", "4 G")],
        *[(["train", "embedded", "-o", "m", f"--memory={size}"], f"--memory must be at least 1M, got {size}")
          for size in ("-4G", "-1", "0", "512k", "1048575")],
        *[(["train", "embedded", "-o", "m", f"--memory={size}"], f"--memory must be at most 1024T, got {size}") for size in ("1025T", "1e300")],
        (["train", "embedded", "-o", "m", "--format", "jpeg2000"], "jpeg2000"),
        (["train", "embedded", "-o", "m", "--solver", "newton"], "lbfgs"),
        (["train", "embedded", "-o", "m", "--init", "kmean"], "class-kmeans"),
        (["train", "embedded", "-o", "m", "--landmark-choice", "best"], "random"),
        (["tune", "embedded", "--grid", "colour=1"], "colour"),
        (["tune", "embedded", "--grid", "sparsity=a"], 'sparsity cannot be "a"'),
        (["tune", "embedded", "--grid", "pool=;"], "pool"),
        (["tune", "embedded", "--grid", "gamma=1,2", "--grid", "gamma=3"], "--grid names 'gamma' twice"),
        (["tune", "embedded", "--method", "ica", "--grid", "init=random,kmeans"], "init"),
        (["train", "embedded", "-o", "m", "--method", "random-patches", "--init", "random"], "random-patches"),
        (["train", "embedded", "-o", "m", "--method", "omp-1", "--solver", "adam"], "leave solver auto"),
        (["frobnicate"], ""),
    ],
)
def test_usage(krica, arguments, word):
    assert word in krica(*arguments, code=2)


def test_memory_is_a_number_with_a_unit(krica):
    """A compressed file that does not fit tells the budget."""
    pixels = b"\0\0\x08\x03" + struct.pack(">3I", 5, 1000, 1000) + bytes(5_000_000)
    (krica.directory / "images.gz").write_bytes(gzip.compress(pixels))
    (krica.directory / "options.toml").write_text('memory = "1.5M"')
    for arguments, budget in [(["--memory", "1.5M"], 1.5 * 2**20), (["--memory", "2048k"], 2**21), (["--memory", "3000000"], 3e6),
                              (["--config", "options.toml"], 1.5 * 2**20)]:  # fmt: skip
        told = krica("train", "images.gz", "-o", "m", *arguments, code=3)
        assert float(re.search(r"memory budget of (\d+) bytes", told).group(1)) == pytest.approx(budget, rel=1e-5)


def test_bad_data(krica, model):
    (krica.directory / "empty").mkdir()
    assert "empty" in krica("train", "empty", "-o", "m", code=3)
    assert "receptive" in krica("train", "embedded", "-o", "m", "--receptive-field", 29, code=3)
    (krica.directory / "text.jpg").write_text("not an image")
    assert "text.jpg" in krica("predict", model[0], "text.jpg", code=3)
    np.save(krica.directory / "constant.npy", np.full((20, 12, 12), 7, np.uint8))
    np.save(krica.directory / "labels.npy", np.arange(20) % 2)
    assert "contrast" in krica("train", "constant.npy", "--labels", "labels.npy", "-o", "m", *SMALL, code=3)
    bad = np.zeros((20, 12, 12), np.float32)
    bad[3, 4, 5] = np.nan
    np.save(krica.directory / "nan.npy", bad)
    assert "NaN" in krica("train", "nan.npy", "--labels", "labels.npy", "-o", "m", code=3)
    assert not (krica.directory / "m").exists()


def test_damaged_models(krica, model):
    whole = model[0].read_bytes()
    damaged = {
        "cut": whole[: len(whole) // 2],
        "flipped": whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:],
        "foreign": b"PK\x03\x04" + bytes(100),
        "huge": b"\xff" * 8 + whole[8:],
        "empty": b"",
    }
    for name, content in damaged.items():
        (krica.directory / name).write_bytes(content)
        message = krica("evaluate", name, "embedded", code=3)
        assert name in message and message.count("\n") == 1, message


OLD_FILES = pathlib.Path(__file__).parents[1] / "compatibility" / "files" / "0.1"


@pytest.mark.parametrize("name", ["d-krica", "kpca-rica", "samples-rica"])
def test_models_with_empty_or_senseless_tensors(krica, name):
    texts, tensors = read_safetensors(OLD_FILES / f"{name}.krica")
    refused = set()
    for tensor, values in tensors.items():
        for wrong in (values[:0], np.full_like(values, 10**9), np.full_like(values, -1), np.concatenate([values, values])):
            write_safetensors(krica.directory / "wrong.krica", texts, {**tensors, tensor: wrong})
            process = krica.start("show", "wrong.krica", "-o", "atoms.png")
            _, err = process.communicate(timeout=60)
            assert process.returncode in (0, 3), f"{tensor}: {err}"
            if process.returncode == 3 and wrong.size == 0:
                refused.add(tensor)
                assert tensor in err or values.size > 3, err
    assert {"image_shape", "preprocessing", "whitening.inputs"} <= refused, "a single value cannot be missing"


def test_file_system(krica, model):
    assert "nowhere" in krica("train", "embedded", "-o", "nowhere/m.krica", code=4)
    assert "missing.krica" in krica("evaluate", "missing.krica", "embedded", code=4)
    krica("show", model[0], "-o", "nowhere/atoms.png", code=4)
    krica("train", "embedded", "-o", krica.directory, *SMALL, code=4)
    for option in ("-o", "--report"):
        assert "nowhere" in krica("tune", "embedded", option, "nowhere/file", code=4), "before the search"


def mounted(directory, options):
    """Whether a small file system of its own could be mounted there; otherwise the test is skipped."""
    directory.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(directory)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True).returncode != 0:
        pytest.skip("this needs the right to mount")
    return directory


@pytest.fixture
def small_disk(krica):
    directory = mounted(krica.directory / "disk", "size=256k")
    yield directory
    subprocess.run(["umount", str(directory)], check=True)


def test_full_disk(krica, model, small_disk):
    old = small_disk / "m.krica"
    old.write_bytes(model[0].read_bytes()[:1000])
    filler = small_disk / "filler"
    filler.write_bytes(bytes(200 * 1024))
    message = krica("train", "embedded", "-o", old, "--quiet", "--method", "krica", *SMALL, code=4)
    assert str(small_disk) in message and message.count("\n") == 1, message
    assert "space" in message
    assert old.read_bytes() == model[0].read_bytes()[:1000]
    filler.unlink()
    elsewhere = krica.directory / "elsewhere"
    filler.write_bytes(bytes(230 * 1024))
    krica("train", "embedded", "-o", old, "--checkpoint", elsewhere, "--method", "krica", *SMALL, code=4)
    assert old.read_bytes() == model[0].read_bytes()[:1000]
    assert elsewhere.exists(), "what was computed is kept"
    filler.unlink()
    old.unlink()
    assert krica.json("train", "embedded", "-o", old, "--checkpoint", elsewhere, "--method", "krica", *SMALL)["resumed"]
    assert old.read_bytes() == model[0].read_bytes()


def test_file_too_large(krica, model):
    """A limit on file sizes stands for a full disk where nothing may be mounted."""
    (krica.directory / "m.krica").write_bytes(b"old")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    command = [os.environ["KRICA"], "train", "embedded", "-o", "m.krica", "--quiet", *SMALL]
    process = subprocess.run(command, cwd=krica.directory, capture_output=True, text=True, preexec_fn=limit)
    assert process.returncode == 4, process.stderr
    assert "m.krica" in process.stderr and process.stderr.count("\n") == 1
    assert (krica.directory / "m.krica").read_bytes() == b"old"


def within_address_space(krica, bytes, *arguments):
    """What the command did under a limit such as that of ulimit -v."""
    skip_under_address_sanitizer()
    command = [os.environ["KRICA"], *map(str, arguments)]
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes, bytes))  # noqa: E731
    return subprocess.run(command, cwd=krica.directory, capture_output=True, text=True, preexec_fn=limit, timeout=300)


def test_little_address_space(krica):
    """OpenBLAS would ask for its buffers again and again, already when it is loaded."""
    assert within_address_space(krica, 200_000 * 1024, "--version").returncode == 0
    process = within_address_space(krica, 200_000 * 1024, "train", "embedded", "-o", "m.krica", "--quiet", "--threads", 1, *SMALL)
    assert process.returncode == 4, process.stderr
    assert process.stderr.startswith("krica: [blas] matrix products") and "ulimit -v" in process.stderr
    assert within_address_space(krica, 2 << 30, "train", "embedded", "-o", "m.krica", "--quiet", "--threads", 1, *SMALL).returncode == 0


@pytest.mark.parametrize("arguments", [["info", "embedded"], ["info", "embedded", "--json"], ["methods"], ["data", "list"], ["--help"],
                                       ["man"], ["completion", "bash"], ["--version"]])  # fmt: skip
def test_a_full_standard_output(krica, arguments):
    with open("/dev/full", "w") as full:
        process = subprocess.run([os.environ["KRICA"], *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
    assert process.returncode == 4
    assert process.stderr.startswith("krica: [output] cannot write standard output") and process.stderr.count("\n") == 1


def test_a_full_standard_output_of_results(krica, model):
    for arguments in (["evaluate", model[0], "embedded", "--json"], ["evaluate", model[0], "embedded"], ["predict", model[0], "embedded", "--csv"]):
        with open("/dev/full", "w") as full:
            process = subprocess.run([os.environ["KRICA"], *map(str, arguments), "--quiet"], stdout=full, stderr=subprocess.PIPE, text=True)
        assert process.returncode == 4, arguments
        assert "No space left on device" in process.stderr


@pytest.mark.parametrize("closed", ["2>/dev/full", "2>&-"])
def test_words_that_cannot_be_written_do_not_end_the_work(krica, closed):
    """A log on a full disk, or none: the same model, and the same exit code of an error."""
    train = [os.environ["KRICA"], "train", "embedded", *map(str, SMALL)]
    for model, ending in (("seen.krica", ""), ("unseen.krica", closed)):
        shell = f"{shlex.join([*train, '-o', model])} {ending} > out"
        assert subprocess.run(shell, shell=True, cwd=krica.directory, stderr=subprocess.PIPE).returncode == 0
    assert (krica.directory / "seen.krica").read_bytes() == (krica.directory / "unseen.krica").read_bytes()
    (krica.directory / "bad.krica").write_bytes(b"nothing known")
    assert subprocess.run(f"{os.environ['KRICA']} info bad.krica {closed}", shell=True, cwd=krica.directory).returncode == 3
    assert subprocess.run(f"{os.environ['KRICA']} info embedded >&-", shell=True, stderr=subprocess.PIPE).returncode == 4


def test_a_log_that_nobody_reads_ends_no_training(krica):
    reading, writing = os.pipe()
    os.close(reading)
    train = [os.environ["KRICA"], "train", "embedded", "-o", "m.krica", *map(str, SMALL)]
    for arguments, code in ((train, 0), ([os.environ["KRICA"], "info", "no.krica"], 4)):
        assert subprocess.run(arguments, cwd=krica.directory, stdout=subprocess.PIPE, stderr=writing).returncode == code
    os.close(writing)


def with_unread_output(krica, arguments, **options):
    """Runs the command with results that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [os.environ["KRICA"], *map(str, arguments)]
    ended = subprocess.run(command, cwd=krica.directory, stdout=writing, stderr=subprocess.PIPE, text=True, **options)
    os.close(writing)
    return ended


def test_results_that_nobody_reads(krica, model):
    """krica dies of SIGPIPE without a message, as other commands do, unless its caller ignores this signal."""
    few = ["--method", "random-patches", "--images", 100, "--patches", 500, "--stride", 3, "--folds", 2, "--grid", "components=4,6"]
    search = ["tune", "embedded", *few, "--quiet"]
    for arguments in (["methods"], ["--version"], ["--help"], ["predict", model[0], "embedded", "--quiet"], search):
        ended = with_unread_output(krica, arguments)
        assert ended.returncode == -signal.SIGPIPE and ended.stderr == "", (arguments, ended)
        ended = with_unread_output(krica, arguments, restore_signals=False)  # Python ignores it
        assert ended.returncode == 4 and "cannot write standard output: Broken pipe" in ended.stderr, (arguments, ended)


def test_files_do_not_take_the_place_of_closed_streams(krica):
    """Progress and errors would be written to the file that has their number."""
    train = shlex.join([os.environ["KRICA"], "train", "embedded", "-o", "m.krica", "--components", "400", "--iterations", "1000000"])
    process = subprocess.Popen(f"exec {train} <&- >&- 2>&-", shell=True, cwd=krica.directory)
    try:
        while not list(krica.directory.glob("*.lock")):
            assert process.poll() is None
            time.sleep(0.01)
        streams = [os.readlink(f"/proc/{process.pid}/fd/{stream}") for stream in range(3)]
    finally:
        process.kill()
        process.wait()
    assert streams == ["/dev/null"] * 3


def test_a_second_process_with_the_same_output(krica):
    endless = ["--components", "400", "--iterations", "1000000", "--quiet"]
    for first, second in ((["train", "embedded", "-o", "m.krica"], ["fit", "embedded", "-o", "m.krica"]),
                          (["train", "embedded", "-o", "n.krica", "--checkpoint", "c"], ["train", "embedded", "-o", "o.krica", "--checkpoint", "c"]),
                          (["tune", "embedded", "-o", "t.krica"], ["tune", "embedded", "-o", "t.krica"])):  # fmt: skip
        locks = set(krica.directory.glob("*.lock"))
        process = krica.start(*first, *endless)
        while not set(krica.directory.glob("*.lock")) - locks:
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(0.1)
        assert "another process is writing" in krica(*second, *endless, code=4)
        process.kill()
        process.communicate()
        again = krica.start(*second, *endless)
        time.sleep(1)
        again.send_signal(signal.SIGINT)
        _, err = again.communicate(timeout=120)
        assert again.returncode in (130, -signal.SIGINT), f"a killed process locks nothing: {err}"  # -SIGINT: it had hardly begun


def test_a_second_reproduction_in_the_same_directory(krica):
    process = krica.start("reproduce", "all", "--size", "quick", "-o", "out", "--quiet")
    while not (krica.directory / "out" / "results.jsonl.lock").exists():
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.1)
    assert "another process is writing" in krica("reproduce", "lambda", "--size", "smoke", "-o", "out", "--quiet", code=4)
    process.kill()
    process.communicate()
    krica("reproduce", "lambda", "--size", "smoke", "-o", "out", "--quiet")
    assert not list((krica.directory / "out").glob("*.lock"))


def test_rows_of_results_with_wrong_values(krica):
    krica("reproduce", "lambda", "--size", "smoke", "-o", "out", "--quiet")
    file = krica.directory / "out" / "results.jsonl"
    whole = file.read_text()
    for name, value in (("labels", [99]), ("predictions", [10**30]), ("labels", "many"), ("seed", -1), ("class_names", [])):
        rows = [json.loads(line) for line in whole.splitlines()]
        rows[1][name] = value
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        message = krica("reproduce", "lambda", "--size", "smoke", "-o", "out", "--quiet", code=3)
        assert "results.jsonl, line 2: not a row of results" in message, message


def test_read_only_target(krica):
    if os.geteuid() == 0:
        directory = mounted(krica.directory / "fixed", "ro")
    else:
        directory = krica.directory / "fixed"
        directory.mkdir(mode=0o555)
    try:
        assert str(directory) in krica("train", "embedded", "-o", directory / "m.krica", *SMALL, code=4)
    finally:
        if os.geteuid() == 0:
            subprocess.run(["umount", str(directory)], check=True)
