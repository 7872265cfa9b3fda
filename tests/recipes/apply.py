# SPDX-License-Identifier: BSD-3-Clause
"""Applies the recipes of CONTRIBUTING.md to copies of the sources that they change: apply.py SOURCE_DIR OUTPUT_DIR."""
import pathlib
import re
import sys
import textwrap

BLOCK = re.compile(r"^( *)```cpp recipe:(\S+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)


def blocks(text):
    return {name: textwrap.dedent(body) for _, name, body in BLOCK.findall(text)}


def inserted(text, before, addition):
    assert text.count(before) == 1, f"{before!r} occurs {text.count(before)} times"
    return text.replace(before, addition + before)


def main(source, output):
    recipe = blocks((source / "CONTRIBUTING.md").read_text())
    registry = (source / "src/bases/registry.cpp").read_text()
    registry = inserted(registry, "LearnBasis learn_krica;\n", recipe["declaration"])
    registry = inserted(registry, '    {.name = "raw-pixels",\n', recipe["entry"])
    options = (source / "include/krica/models/options.hpp").read_text()
    options = inserted(options, "  bool test_flips = false;\n", "  double shininess = 0.5;\n")
    option_list = (source / "src/models/option_list.hpp").read_text()
    option_list = inserted(option_list, '  visit("seed",', recipe["option"])
    written = {"registry.cpp": registry, "mean_patches.cpp": recipe["src/bases/mean_patches.cpp"],
               "include/krica/models/options.hpp": options, "src/models/option_list.hpp": option_list}
    for name, text in written.items():
        path = output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
