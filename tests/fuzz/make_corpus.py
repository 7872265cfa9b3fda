#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""make_corpus.py KRICA CHECKPOINT_SEEDS: writes the seed corpora, tests/fuzz/corpus/<target>/seed-*, with the command krica and the
program fuzz_checkpoint_seeds. Regression inputs (anything not called seed-*) are left alone. Needs NumPy and Pillow."""

import gzip
import io
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import numpy as np
from PIL import Image

CORPUS = pathlib.Path(__file__).parent / "corpus"
RANDOM = np.random.default_rng(0)


def put(target, name, content, choice=None):
    """`choice` is the first byte, by which most targets choose what to do with the rest."""
    directory = CORPUS / target
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"seed-{name}").write_bytes((b"" if choice is None else bytes([choice])) + content)


def saved(image, kind, **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def images():
    grey = Image.fromarray(RANDOM.integers(0, 256, (7, 9), dtype=np.uint8))
    colour = Image.fromarray(RANDOM.integers(0, 256, (6, 8, 3), dtype=np.uint8))
    seen_through = Image.fromarray(RANDOM.integers(0, 256, (5, 4, 4), dtype=np.uint8), "RGBA")
    deep = Image.fromarray(RANDOM.integers(0, 65536, (5, 4), dtype=np.uint16).astype(np.int32)).convert("I")
    turned = Image.Exif()
    turned[0x0112] = 6
    files = {
        "grey.jpg": saved(grey, "JPEG"),
        "colour.jpg": saved(colour, "JPEG", exif=turned),
        "progressive.jpg": saved(colour, "JPEG", progressive=True),
        "cmyk.jpg": saved(colour.convert("CMYK"), "JPEG"),
        "grey.png": saved(grey, "PNG"),
        "alpha.png": saved(seen_through, "PNG"),
        "palette.png": saved(colour.quantize(7), "PNG"),
        "deep.png": saved(deep, "PNG"),
        "bit.png": saved(grey.convert("1"), "PNG"),
        "colour.bmp": saved(colour, "BMP"),
        "palette.bmp": saved(colour.quantize(7), "BMP"),
        "grey.pgm": saved(grey, "PPM"),
        "colour.ppm": saved(colour, "PPM"),
        "text.pbm": b"P1\n# a comment\n3 2\n1 0 1\n0 1 0\n",
        "text.pgm": b"P2\n3 2\n200\n1 2 3\n100 150 200\n",
        "bits.pbm": saved(grey.convert("1"), "PPM"),
        "colour.webp": saved(colour, "WEBP"),
        "lossless.webp": saved(seen_through, "WEBP", lossless=True),
        "grey.tiff": saved(grey, "TIFF"),
        "lzw.tiff": saved(colour, "TIFF", compression="tiff_lzw"),
        "deflate.tiff": saved(seen_through, "TIFF", compression="tiff_deflate"),
        "palette.tiff": saved(colour.quantize(7), "TIFF"),
    }
    for name, content in files.items():
        put("image", name, content, 1)
    return files


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def idx(array):
    header = bytes([0, 0, 8, array.ndim]) + b"".join(size.to_bytes(4, "big") for size in array.shape)
    return header + array.astype(np.uint8).tobytes()


def arrays():
    bytes_of_images = RANDOM.integers(0, 256, (3, 4, 5), dtype=np.uint8)
    numbers = RANDOM.normal(size=(4, 3))
    put("npy", "images", npy(bytes_of_images), 0)
    put("npy", "colour", npy(RANDOM.integers(0, 256, (2, 4, 4, 3), dtype=np.uint8)), 0)
    put("npy", "samples", npy(numbers), 0)
    put("npy", "float32", npy(np.asfortranarray(numbers.astype(np.float32))), 0)
    put("npy", "big-endian", npy(numbers.astype(">f8")), 0)
    put("npy", "signals", npy(RANDOM.normal(size=(3, 20, 2))), 1)
    put("npy", "labels", npy(np.arange(4) % 2), 2)
    put("npy", "names", npy(np.array(["cat", "dog", "cät"])), 2)
    put("idx", "images", idx(bytes_of_images), 0)
    put("idx", "images-gzip", gzip.compress(idx(bytes_of_images), mtime=0), 0)
    put("idx", "labels", idx(np.arange(5) % 3), 1)
    put("idx", "labels-gzip", gzip.compress(idx(np.arange(5) % 3), mtime=0), 1)
    put("idx", "labels-text", b"cat\ndog\n", 1)


def records():
    put("cifar", "ten", bytes([1]) + bytes(3072) + bytes([7]) + bytes(3072), 0)
    put("cifar", "hundred", bytes([1, 20]) + bytes(3072) + bytes([7, 99]) + bytes(3072), 1)
    put("cifar", "coarse", bytes([1, 20]) + bytes(3072) + bytes([7, 99]) + bytes(3072), 3)
    put("stl10", "labels", bytes([1, 10]), 2)
    put("stl10", "folds", b"0 1\n1\n0\n", 3)
    put("stl10", "names", b"\n".join(b"class%d" % i for i in range(10)), 1)


TABLES = {
    "plain": b"1,2,3\n4,5,6\n",
    "header": b"a,b,label\n1,2.5,cat\n-3,4e-2,dog\n",
    "quoted": b'"a","b ""c""",label\r\n"1","2","x,y"\r\n3,4,z\r\n',
    "semicolons": b"1;2;cat\n3;4;dog\n",
    "blanks": b"# comment\n1 2\t3\n4   5 6\n",
    "bom": b"\xef\xbb\xbfa,b\n1,2\n3,4\n",
    "odd": b"nan,inf\n1,2\n",
}


def tables():
    for i, (name, content) in enumerate(TABLES.items()):
        put("csv", name, content, 3 * i)


def datasets(pictures):
    for name, content in TABLES.items():
        put("dataset", f"{name}.csv", content, 2 * 8)
    put("dataset", "photo", pictures["grey.jpg"], 2 * 15 + 1)
    put("dataset", "class", pictures["grey.png"], 2 * 16 + 1)
    put("dataset", "npy", npy(RANDOM.integers(0, 256, (3, 4, 5), dtype=np.uint8)), 0)
    put("dataset", "train-npy", npy(RANDOM.normal(size=(4, 3))), 3)
    put("dataset", "gzip", gzip.compress(idx(RANDOM.integers(0, 256, (3, 4, 5))), mtime=0), 14)
    put("dataset", "cifar", bytes([1]) + bytes(3072), 4)
    put("dataset", "strips", b"[1, 2, 3]", 2 * 14 + 1)


def archives():
    for kind, mode in (("tar", "w"), ("tar.gz", "w:gz"), ("tar.xz", "w:xz")):
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode=mode) as tar:
            for name in ("a.txt", "inside/b.txt"):
                entry = tarfile.TarInfo(name)
                entry.size = 5
                tar.addfile(entry, io.BytesIO(b"hello"))
            link = tarfile.TarInfo("link")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc"
            tar.addfile(link)
        put("unpack", kind, file.getvalue())
    for name in ("inside/a.txt", "../outside.txt", "/outside.txt"):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as pack:
            pack.writestr(name, "hello")
        put("unpack", "zip-" + name.replace("/", "-"), file.getvalue())


def archive(tensors, texts):
    """An archive as krica writes it, but for the checksum, which the target computes. `tensors`: name to array."""
    types = {"float32": "F32", "float64": "F64", "int64": "I64", "uint8": "U8"}
    header, data = {"__metadata__": {**texts, "sha256": "0" * 64}}, b""
    for name, array in tensors.items():
        header[name] = {"dtype": types[array.dtype.name], "shape": list(array.shape), "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data


def containers():
    """Small ones: what is in a container is the business of the targets model and checkpoint."""
    numbers = RANDOM.normal(size=(2, 3))
    put("archive", "matrix", archive({"a": numbers.astype(np.float32)}, {"kind": "krica-model"}))
    types = {"a": numbers, "b": np.arange(3), "c": np.arange(5, dtype=np.uint8)}
    put("archive", "types", archive(types, {"kind": "x", "text": "\u00e4\n"}))
    put("archive", "empty", archive({"a": np.zeros((0, 3), np.float32)}, {"options": '{"rate":0.1}'}))


MODELS = ("krica", "rica", "kmeans-triangle", "kpca-rica", "ksr", "d-krica", "sparse-autoencoder", "raw-pixels", "omp-1",
          "scspm", "ksvd", "lc-ksvd", "llc", "improved-lcc", "conv-dbn")  # fmt: skip


def texts(krica, directory):
    plain = ["--quiet", "--patches", "200", "--images", "60", "--iterations", "2", "--svm-c", "0.1", "--pool", "1x1"]
    for method in MODELS:
        components = "10" if method in ("d-krica", "lc-ksvd") else "4"  # atoms belong to ten classes
        image, field = ("8", "4") if method == "scspm" else ("6", "3")  # SIFT has 4 x 4 cells
        sizes = ["--components", components, "--landmarks", "8", "--image-size", image, "--receptive-field", field]
        subprocess.run(
            [krica, "train", "embedded", "-o", "m.krica", "--method", method, *plain, *sizes],
            cwd=directory, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        content = (directory / "m.krica").read_bytes()
        put("model", method, content)
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        put("options", method, header["__metadata__"]["options"].encode())
    subprocess.run([krica, "reproduce", "kernels", "--size", "smoke", "--quiet", "-o", "out"], cwd=directory, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    rows = next(directory.glob("out/**/results.jsonl")).read_bytes().splitlines()
    put("results", "row", rows[0], 1)
    put("results", "file", b"\n".join(rows[:2]) + b"\n", 0)
    put("results", "search", b'{"{\\"gamma\\":1}":{"accuracies":[0.5,1]},"{\\"gamma\\":2}":{"accuracies":[null,0.25],"error":"no"}}', 2)
    put("config", "train", b'components = 20\nmethod = "rica"\nmemory = "1G"\nquiet = true\n# comment\n')
    put("config", "list", b'gamma = "auto"\npool = "2x2"\ninit = [1, 2]\n[section]\nseed = 3\n')


def main():
    krica, checkpoint_seeds = map(pathlib.Path, sys.argv[1:3])
    for old in CORPUS.glob("*/seed-*"):
        old.unlink()
    datasets(images())
    arrays()
    records()
    tables()
    archives()
    containers()
    with tempfile.TemporaryDirectory() as directory:
        texts(krica.resolve(), pathlib.Path(directory))
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([checkpoint_seeds.resolve(), directory], check=True)
        for file in pathlib.Path(directory).iterdir():
            put("checkpoint", file.name, file.read_bytes())


if __name__ == "__main__":
    main()
