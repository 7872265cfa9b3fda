# SPDX-License-Identifier: BSD-3-Clause
"""Builds the package with CMake. The variable KRICA_BUILD_DIR names the build to use, e.g. build/release where that is
there already; else one is made in build/wheel."""

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent


def version():
    return re.search(r"project\(krica VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


class CMakeBuild(build_ext):
    """Puts what CMake installs as its component `python` in the place where setuptools looks for the package."""

    def run(self):
        build = Path(os.environ.get("KRICA_BUILD_DIR", ROOT / "build" / "wheel"))
        if not (build / "CMakeCache.txt").exists():
            options = ["-DCMAKE_BUILD_TYPE=Release", "-DKRICA_BUILD_TESTS=OFF", f"-DKRICA_PYTHON={sys.executable}"]
            subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", *options], check=True)
        subprocess.run(["cmake", "--build", build, "--target", "krica_python"], check=True)
        target = Path(self.build_lib).resolve()
        subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", target], check=True)
        # A wheel cannot hold links: the libraries take the names under which they are looked for.
        for link in filter(Path.is_symlink, (target / "krica").iterdir()):
            link.resolve().rename(link)


setup(version=version(), ext_modules=[Extension("krica._core", [])], packages=[], cmdclass={"build_ext": CMakeBuild})
