# SPDX-License-Identifier: BSD-3-Clause
"""Completion in real shells, and the manual page: both say what --help says."""

import re
import shutil
import subprocess

import pytest


@pytest.fixture
def complete(krica, tmp_path):
    """What bash offers after these words; the last one is being typed."""
    script = tmp_path / "krica.bash"
    script.write_text(krica("completion", "bash"))
    (tmp_path / "photo one.jpg").touch()

    def offers(*words):
        typed = " ".join(f"'{word}'" for word in ("krica", *words))
        lines = [
            f"source {script}",
            f"COMP_WORDS=({typed}); COMP_CWORD={len(words)}",
            "_krica",
            "printf '%s\\n' \"${COMPREPLY[@]}\"",
        ]
        bash = ["bash", "--norc", "-u", "-c", "\n".join(lines)]
        done = subprocess.run(bash, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return [line for line in done.stdout.split("\n") if line]

    return offers


def test_commands(complete):
    assert complete("") == "demo train fit encode evaluate predict tune show info reproduce data methods completion man".split()
    assert complete("t") == ["train", "tune"]
    assert complete("data", "") == ["list", "get", "convert"]


def test_options(complete):
    assert complete("train", "--comp") == ["--components"]
    assert "--terminal" in complete("show", "-") and "--terminal" not in complete("train", "-")
    assert "--mirror" in complete("data", "get", "--")
    assert complete("--ver") == ["--version"]


def test_values(complete):
    methods = complete("train", "data", "--method", "")
    assert "krica" in methods and "random-patches" in methods and "photo one.jpg" not in methods
    assert complete("fit", "x", "--kernel", "inverse") == ["inverse-distance", "inverse-square-distance"]
    assert complete("train", "--encoder", "a") == ["auto", "abs"]
    assert complete("train", "--unit-norm", "") == ["auto", "yes", "no"]
    assert complete("train", "--gamma", "") == ["auto"]
    assert complete("train", "--loss", "") == ["squared-hinge", "cross-entropy"]
    assert sorted(complete("evaluate", "m", "d", "--split", "")) == ["test", "train"]
    assert complete("data", "convert", "--to", "") == ["cifar10", "idx", "npy", "folder"]
    assert "stl10" in complete("info", "--format", "")
    assert complete("train", "--components", "") == ["auto"]
    assert complete("train", "--images", "") == [], "a number"
    assert complete("train", "--method", "=", "random") == ["random-patches"], "--method=random"
    assert complete("train", "--whitening", "=") == complete("train", "--whitening", "")


def test_positionals(complete):
    assert complete("data", "get", "c") == ["cifar10", "caltech101"]
    assert complete("completion", "") == ["bash", "zsh", "fish"]
    assert complete("train", "emb") == ["embedded"]
    assert complete("predict", "model", "ph") == ["photo one.jpg"]
    assert complete("train", "embedded", "-o", "ph") == ["photo one.jpg"]
    assert complete("info", "data", "--for") == ["--format"], "a directory named as a command"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_sound(krica, tmp_path, shell):
    script = krica("completion", shell)
    for word in ("--receptive-field", "random-patches", "/data/get") if shell != "fish" else ("receptive-field", "stl10"):
        assert word in script
    if shutil.which(shell):
        (tmp_path / "script").write_text(script)
        subprocess.run([shell, "-n", "script"], cwd=tmp_path, check=True)


def test_fish(krica, tmp_path):
    if not shutil.which("fish"):
        pytest.skip("fish is not installed")
    (tmp_path / "krica.fish").write_text(krica("completion", "fish"))

    def offers(line):
        command = ["fish", "--no-config", "-c", f"source krica.fish; complete -C '{line}'"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        return [offer.split("\t")[0] for offer in done.stdout.split("\n") if offer]

    assert offers("krica t") == ["train", "tune"]
    assert offers("krica data get c") == ["caltech101", "cifar10"]
    assert offers("krica train x --method random") == ["random-patches"]
    assert "--terminal" in offers("krica show -") and "--terminal" not in offers("krica train -")


def test_unknown_shell(krica):
    assert "zsh" in krica("completion", "tcsh", code=2)


def test_manual_has_every_option_of_help(krica):
    page = krica("man")
    assert page.startswith(".TH KRICA 1") and page.isascii()
    shown = page.replace("\\-", "-").replace("\\&", "")
    shared = shown.split(".SH SHARED OPTIONS")[1]
    for command in ("demo", "train", "fit", "encode", "evaluate", "predict", "tune", "show", "info", "reproduce", "data get"):
        text = krica(*command.split(), "--help")
        assert f".SS krica {command}\n" in shown
        assert text.split("\n")[0] in shown, "the summary"
        own = shown.split(f".SS krica {command}\n")[1].split(".SS")[0]
        for option in re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text, re.MULTILINE):
            assert option.startswith("--help") or f"\\fB{option}\\fR" in own + shared, option
    for code in (0, 1, 2, 3, 4, 130):
        assert f".B {code}\n" in page
    assert "KRICA_DATA_MIRROR" in shown


def test_manual_is_good_roff(krica, tmp_path):
    if not shutil.which("groff"):
        pytest.skip("groff is not installed")
    (tmp_path / "krica.1").write_text(krica("man"))
    command = ["groff", "-man", "-Tutf8", "-ww", "krica.1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr == "" and "krica train" in done.stdout


def test_every_help_has_an_example(krica):
    names = [line.split()[0] for line in krica("--help").split("Subcommands:")[1].strip().split("\n") if line]
    assert "completion" in names and "man" in names
    for name in names:
        if name != "data":
            assert re.search(rf"Example: .*krica {name}\b", krica(name, "--help")), name
