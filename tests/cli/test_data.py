# SPDX-License-Identifier: BSD-3-Clause
"""krica data list and get, with mirrors in the file system instead of a network."""

import hashlib
import pathlib
import signal
import struct

import pytest

SETS = ["fashion-mnist", "mnist", "cifar10", "stl10", "caltech101"]

# Debian's package holds the authors' files without the name and the time in their gzip headers.
DEBIAN = pathlib.Path("/usr/share/datasets/fashion-mnist")
TIMES = {
    "train-images-idx3-ubyte": 1504176606,
    "train-labels-idx1-ubyte": 1504176606,
    "t10k-images-idx3-ubyte": 1504176627,
    "t10k-labels-idx1-ubyte": 1504176627,
}


@pytest.fixture(scope="session")
def mirror(tmp_path_factory):
    """A mirror with the authors' files of Fashion-MNIST."""
    if not DEBIAN.is_dir():
        pytest.skip("the package dataset-fashion-mnist is not installed")
    directory = tmp_path_factory.mktemp("mirror")
    (directory / "fashion-mnist").mkdir()
    for name, time in TIMES.items():
        packed = (DEBIAN / f"{name}.gz").read_bytes()
        head = b"\x1f\x8b\x08\x08" + struct.pack("<I", time) + packed[8:10] + name.encode() + b"\0"
        (directory / "fashion-mnist" / f"{name}.gz").write_bytes(head + packed[10:])
    return directory


def test_list(krica):
    text = krica("data", "list")
    sets = krica.json("data", "list")["sets"]
    assert [entry["name"] for entry in sets] == SETS
    for entry in sets:
        assert entry["directory"] == f"data/{entry['name']}" and entry["images"] > 0
        for key in ("name", "licence", "citation", "description", "directory"):
            assert entry[key] and entry[key] in text
        assert all(address.startswith("http") and address in text for address in entry["addresses"])


def test_get_and_use(krica, mirror):
    krica.environment["KRICA_DATA_MIRROR"] = mirror.as_uri()
    result = krica.json("data", "get", "fashion-mnist")
    assert result["path"] == "data/fashion-mnist" and result["licence"] == "MIT"
    fetched = krica.directory / "data" / "fashion-mnist"
    assert sorted(file.name for file in fetched.iterdir()) == sorted(f"{name}.gz" for name in TIMES)
    data = krica.json("info", "data/fashion-mnist")
    assert data["format"] == "idx" and data["train"]["images"] == 60000 and data["test"]["images"] == 10000
    # What is there and sound needs no address.
    krica.environment["KRICA_DATA_MIRROR"] = "file:///nowhere"
    assert "MIT" in krica("data", "get", "fashion-mnist")


def test_get_goes_on_with_a_part(krica, mirror):
    (krica.directory / "here").mkdir()
    whole = (mirror / "fashion-mnist" / "train-images-idx3-ubyte.gz").read_bytes()
    (krica.directory / "here" / "train-images-idx3-ubyte.gz.part").write_bytes(whole[:20000000])
    assert "unfinished" in krica("info", "here", code=3)
    krica("data", "get", "fashion-mnist", "here", "--mirror", mirror.as_uri())
    assert (krica.directory / "here" / "train-images-idx3-ubyte.gz").read_bytes() == whole
    assert not list((krica.directory / "here").glob("*.part"))


def test_no_network_names_address_and_remedy(krica, mirror):
    krica.environment["KRICA_DATA_MIRROR"] = "http://127.0.0.1:9/mirror"
    message = krica("data", "get", "fashion-mnist", "here", code=4)
    assert "http://127.0.0.1:9/mirror/fashion-mnist/train-images-idx3-ubyte.gz" in message
    assert "put it at here/train-images-idx3-ubyte.gz" in message and message.count("\n") == 1
    assert not (krica.directory / "here" / "train-images-idx3-ubyte.gz").exists()
    # The remedy works.
    for file in (mirror / "fashion-mnist").iterdir():
        (krica.directory / "here" / file.name).write_bytes(file.read_bytes())
    krica("data", "get", "fashion-mnist", "here")
    assert krica.json("info", "here")["train"]["images"] == 60000


@pytest.mark.parametrize("name, file", [("cifar10", "cifar-10-binary.tar.gz"), ("caltech101", "caltech-101.zip")])
def test_wrong_checksum(krica, name, file):
    source = krica.directory / "mirror" / name
    source.mkdir(parents=True)
    (source / file).write_bytes(b"something else")
    found = hashlib.md5(b"something else").hexdigest()
    krica.environment["KRICA_DATA_MIRROR"] = (krica.directory / "mirror").as_uri()
    assert found in krica("data", "get", name, code=3)
    assert list((krica.directory / "data" / name).iterdir()) == [], "nothing is kept"
    # A file that was there before is refused as well, and left alone.
    (krica.directory / "data" / name / file).write_bytes(b"something else")
    assert "remove it" in krica("data", "get", name, code=3)
    assert (krica.directory / "data" / name / file).read_bytes() == b"something else"


def test_usage(krica):
    message = krica("data", "get", "imagenet", code=2)
    assert all(name in message for name in SETS)
    krica("data", "get", code=2)
    krica("data", code=2)


def test_a_file_in_the_way(krica):
    (krica.directory / "here").write_text("a file")
    krica.environment["KRICA_DATA_MIRROR"] = krica.directory.as_uri()
    assert "here" in krica("data", "get", "mnist", "here", code=4)
    assert (krica.directory / "here").read_text() == "a file"


def test_interrupted_at_any_moment_and_continued(krica, mirror):
    """Killed as soon as the first part appears: no file has its name before it is whole."""
    process = krica.start("data", "get", "fashion-mnist", "here", "--mirror", mirror.as_uri())
    while process.poll() is None and not list(krica.directory.glob("here/*")):
        pass
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL, "it was done before"
    for file in (krica.directory / "here").glob("*.gz"):
        assert file.read_bytes() == (mirror / "fashion-mnist" / file.name).read_bytes()
    krica("data", "get", "fashion-mnist", "here", "--mirror", mirror.as_uri())
    assert krica.json("info", "here")["test"]["images"] == 10000
