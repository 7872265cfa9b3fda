# SPDX-License-Identifier: BSD-3-Clause
"""The package as such: what importing brings, documentation, types, installing, the example."""

import doctest
import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path

import krica
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = ["krica", "krica._samples", "krica._images", "krica._objectives", "krica._files", "krica._plot", "krica.datasets"]


def python(*arguments, **options):
    result = subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True, timeout=500, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_importing_brings_numpy_alone():
    allowed = {"krica", "numpy"} | set(sys.stdlib_module_names)
    shown = python("-S", "-c", "import sys; sys.path += " + repr(sys.path) + "; import krica; print(*sys.modules)")
    brought = {name.split(".")[0] for name in shown.split()}
    assert {name for name in brought if not name.startswith("_")} <= allowed
    shown = python("-c", "import sys, krica; krica.objective([[1.0]], [[1.0], [2.0]]); print('sklearn' in sys.modules)")
    assert shown.strip() == "False"


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0 and result.failed == 0


def public_things():
    for name in krica.__all__:
        thing = getattr(krica, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            yield name, thing


@pytest.mark.parametrize("name, thing", public_things())
def test_documented(name, thing):
    assert "Examples\n--------\n" in inspect.getdoc(thing) and ">>> " in thing.__doc__
    documented = inspect.getdoc(thing)
    for parameter in inspect.signature(thing).parameters:
        assert f"\n{parameter} : " in documented, parameter
    if inspect.isclass(thing):
        for method in ("fit", "transform", "predict", "partial_fit", "inverse_transform", "explain", "save"):
            if method in dir(thing):
                assert "Parameters\n----------\n" in inspect.getdoc(getattr(thing, method)), method


def test_dir_and_unknown_names():
    assert set(dir(krica)) == set(krica.__all__)
    with pytest.raises(AttributeError, match="no attribute 'PCA'"):
        krica.PCA


def test_stubs_fit_the_built_package(tmp_path):
    configuration = tmp_path / "mypy.ini"
    configuration.write_text("[mypy]\nignore_missing_imports = True\n")
    # pybind11's classes have a metaclass of their own, and Model a constructor that only refuses.
    (tmp_path / "allowed").write_text("krica._core.Model\nkrica._core.Model.__init__\nkrica._core.Stream\n")
    options = ["--mypy-config-file", configuration, "--allowlist", "allowed"]
    python("-m", "mypy.stubtest", "krica", *options, cwd=tmp_path)


def test_wheel(tmp_path):
    """pip makes a wheel without a network; what it holds works without the build."""
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    options = ["--no-build-isolation", "--no-deps", "--no-index", "--quiet", "--no-cache-dir"]
    copy = tmp_path / "source"  # pip leaves files where it builds
    copy.mkdir()
    for name in ("pyproject.toml", "setup.py", "CMakeLists.txt", "README.md"):
        (copy / name).write_bytes((ROOT / name).read_bytes())
    python("-m", "pip", "install", *options, "--target", tmp_path / "site", copy, env=environment, cwd=tmp_path)
    files = {path.name for path in (tmp_path / "site" / "krica").iterdir()}
    assert {"__init__.py", "py.typed", "libkrica.so.0.1", "libkrica_data.so.0.1"} <= files
    environment["PYTHONPATH"] = str(tmp_path / "site")
    program = "import krica; print(krica.__file__); krica.datasets.load_embedded(); print(open('/proc/self/maps').read())"
    shown = python("-c", program, env=environment, cwd=tmp_path)
    libraries = {line.split()[-1] for line in shown.splitlines() if "libkrica" in line}
    assert libraries and all(path.startswith(str(tmp_path)) for path in libraries), libraries


def test_example(tmp_path):
    python(ROOT / "examples" / "learn_features.py", tmp_path, cwd=tmp_path, env={**os.environ, "MPLCONFIGDIR": str(tmp_path)})
    pictures = sorted(path.name for path in tmp_path.glob("*.png"))
    assert pictures == ["krica_atoms.png", "max_margin_atoms.png", "rica_atoms.png", "rica_history.png", "votes.png"]
    assert all((tmp_path / name).stat().st_size > 2000 for name in pictures)


def test_plotted(images):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")

    def sheet(*arguments, **options):
        return krica.plot_components(*arguments, **options).get_images()[0].get_array()

    samples = images.data[:200].reshape(200, -1) / 255.0
    learned = krica.RICA(9, iterations=3).fit(samples)
    assert sheet(learned, shape=(28, 28)).shape == (86, 86)
    assert sheet(learned).shape == (17, 784)
    assert sheet(learned, shape=(28, 28), limit=4).shape == (57, 57)
    with pytest.raises(ValueError, match="does not fit"):
        krica.plot_components(learned, shape=(20, 20))
    colours = np.repeat(images.data[:50, :, :, None], 3, axis=3)
    features = krica.PatchFeatures(method="random-patches", n_components=5, patches=100).fit(colours)
    drawn = sheet(features)
    assert drawn.shape == (13, 20, 3) and 0 <= drawn.min() and drawn.max() <= 1
