# SPDX-License-Identifier: BSD-3-Clause
"""skips.py REPORT...: fails and names the tests that these JUnit files of ctest and pytest show as skipped, unless
allowed_skips.txt lists them."""

import fnmatch
import pathlib
import sys
import xml.etree.ElementTree


def skipped(report):
    """The names and reasons of a file's skipped tests."""
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        skip = case.find("skipped")
        if skip is not None:
            file = case.get("classname", "").split(".")[-1]
            pytest_wrote_it = file.startswith("test_") and "/" not in case.get("name")
            name = f"{file}.py::{case.get('name')}" if pytest_wrote_it else case.get("name")
            yield name, skip.get("message", "")


def main():
    lines = (pathlib.Path(__file__).parent / "allowed_skips.txt").read_text().splitlines()
    allowed = [line.rsplit(": ", 1)[0] for line in lines if line and not line.startswith("#")]
    wrong = [
        f"  {name} ({reason})"
        for report in sys.argv[1:]
        for name, reason in skipped(report)
        if not any(fnmatch.fnmatchcase(name, pattern) for pattern in allowed)
    ]
    if wrong:
        sys.exit("Skipped, but not listed in tests/allowed_skips.txt:\n" + "\n".join(wrong))


if __name__ == "__main__":
    main()
