# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command `krica` (its path is in the environment variable KRICA) and looks at what it leaves."""

import hashlib
import json
import os
import struct
import subprocess
import time

import numpy as np
import pytest


def skip_under_address_sanitizer():
    """For what limits or measures memory: the sanitizer takes far more than the command."""
    with open(os.environ["KRICA"], "rb") as program:
        if b"__asan_init" in program.read():
            pytest.skip("AddressSanitizer takes memory of its own")


def read_safetensors(path):
    """With NumPy alone, as the format's description has it."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    types = {"F32": np.float32, "F64": np.float64, "I64": np.int64, "U8": np.uint8}
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            tensors[name] = np.frombuffer(data[begin:end], types[entry["dtype"]]).reshape(entry["shape"])
    return header["__metadata__"], tensors


def write_safetensors(path, texts, tensors):
    """With the checksum that krica wants, see docs/model-format.md."""
    types = {"float32": "F32", "float64": "F64", "int64": "I64", "uint8": "U8"}
    header = {"__metadata__": {**texts, "sha256": "0" * 64}}
    data = b""
    for name, tensor in sorted(tensors.items()):
        place = [len(data), len(data) + tensor.nbytes]
        header[name] = {"dtype": types[str(tensor.dtype)], "shape": tensor.shape, "data_offsets": place}
        data += tensor.tobytes()
    text = json.dumps(header, separators=(",", ":")).encode()
    file = struct.pack("<Q", len(text)) + text + data
    path.write_bytes(file.replace(b"0" * 64, hashlib.sha256(file).hexdigest().encode(), 1))


class Krica:
    def __init__(self, directory):
        self.directory = directory
        self.environment = {}

    def start(self, *arguments):
        command = [os.environ["KRICA"], *map(str, arguments)]
        return subprocess.Popen(
            command,
            cwd=self.directory,
            env={**os.environ, **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_for_checkpoint(self, process, path, reached):
        """Until the checkpoint at `path` is there and reached(its metadata, its tensors) holds. False where the process
        ended before."""
        while process.poll() is None:
            try:
                if reached(*read_safetensors(path)):
                    return True
            except FileNotFoundError:
                pass
            time.sleep(0.01)
        return False

    def __call__(self, *arguments, code=0):
        process = self.start(*arguments)
        out, err = process.communicate(timeout=600)
        assert process.returncode == code, f"exit code {process.returncode}\n{out}\n{err}"
        return out if code == 0 else err

    def json(self, *arguments):
        return json.loads(self(*arguments, "--json"))


# A job of about a second on the built-in images.
SMALL = ["--components", "32", "--patches", "2000", "--images", "400", "--iterations", "10", "--svm-c", "0.05"]


METHODS = [
    "krica", "max-margin-krica", "d-krica", "random-patches", "rica", "drica", "d-rica", "ica", "kica", "kpca-rica", "ksr", "scspm",
    "sparse-coding", "ksvd", "d-ksvd", "lc-ksvd", "kmeans-triangle", "omp-1", "kmeans-hard", "llc", "improved-lcc",
    "sparse-filtering", "sparse-autoencoder", "sparse-rbm", "conv-dbn", "raw-pixels",
]  # fmt: skip
SAMPLE_METHODS = [method for method in METHODS if method != "conv-dbn"]  # that one learns from images


# Every experiment of the paper in a moment.
SMOKE = ["--size", "smoke", "--quiet"]


@pytest.fixture
def krica(tmp_path):
    return Krica(tmp_path)


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """A small trained model and the summary that training printed."""
    directory = tmp_path_factory.mktemp("model")
    summary = Krica(directory).json("train", "embedded", "-o", "small.krica", "--method", "krica", *SMALL)
    return directory / "small.krica", summary


@pytest.fixture(scope="session")
def smoke(tmp_path_factory):
    """The directory of all experiments on the built-in images, and what was printed."""
    directory = tmp_path_factory.mktemp("smoke")
    printed = Krica(directory)("reproduce", "all", *SMOKE, "-o", "out")
    return directory / "out", printed
