# SPDX-License-Identifier: BSD-3-Clause
"""Pages: tables between <!-- results: NAME --> and <!-- end -->, and single figures with the rows that they come from.

    75.1 %<!--= systems-400; omp-1; CIFAR-10 -->             the mean of these rows, as many digits as shown
    4.3<!--= systems-400; omp-1; CIFAR-10 minus systems-400; random-patches; CIFAR-10 -->
    <!--= 86.20: readme; auto; built-in; seed=0 -->         a figure in a block of code above
    77.9 %<!--= published coates-triangle-1600 -->             a figure of others
    93.8 %<!--~ atoms recovered, not an accuracy -->           a figure that no row can have, and what it is
"""

import re
from pathlib import Path

from . import cells, tables
from .rows import BadRow

TABLE = re.compile(r"(<!-- results: (\S+) -->\n)(.*?)(\n<!-- end -->)", re.DOTALL)
OPENING = re.compile(r"<!-- results: (\S+) -->")
NUMBER = r"[+−-]?\d+(?:\.\d+)?"
TRACE = re.compile(rf"(?:({NUMBER})(?:\s?%|\spoints)?)?\*{{0,2}}<!--=\s*(?:({NUMBER}):\s)?(.*?)\s*-->", re.DOTALL)
UNTRACED = re.compile(r"(?<![\d.])\d+\.\d+ %(?!\*{0,2}<!--[=~])")
CODE = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)


def regenerate(page, text, definitions, rows, published):
    """The page with its tables made anew. Raises BadRow for marks without a table."""
    shown = [name for name in OPENING.findall(text)]
    for name in shown:
        if name not in definitions or definitions[name]["page"] != page:
            raise BadRow(f"{page}: results/tables.toml has no table {name} on this page")
        if shown.count(name) > 1:
            raise BadRow(f"{page}: table {name} is there twice")

    def made(match):
        return match[1] + tables.render(definitions[match[2]], rows, published) + match[4]

    if len(TABLE.findall(text)) != len(shown):
        raise BadRow(f"{page}: a table has no <!-- end --> on a line of its own")
    return TABLE.sub(made, text)


def agrees(value, text):
    return value == float(text) if isinstance(value, (int, float)) else value == text


def address(text, rows, where):
    """The mean per cent of the rows at TABLE; LABEL; DATA [; field=value ...]. (A | would end a cell of a Markdown table.)"""
    parts = [part.strip() for part in text.split(";")]
    if len(parts) < 3:
        raise BadRow(f"{where}: {text!r} is not TABLE; LABEL; DATA")
    conditions = dict(zip(("table", "label", "data"), parts[:3]))
    statistic = "accuracy"
    for part in parts[3:]:
        field, equals, value = part.partition("=")
        if not equals:
            statistic = part
        else:
            conditions[field.strip()] = value.strip()
    found = [row for row in rows if all(agrees(row.get(field), value) for field, value in conditions.items())]
    if statistic.startswith("figure "):
        values = [row["figures"][statistic.split()[1]] for row in found]
        return sum(values) / len(values) if values else None
    return cells.mean_per_cent(found, statistic)


def term_value(term, rows, published, where):
    if term.startswith("published "):
        return published.figure(term.removeprefix("published "))
    if term.startswith("paper: "):
        return published.figure(term)
    return address(term, rows, where)


def traced_value(text, rows, published, where):
    terms = [term_value(" ".join(term.split()), rows, published, where) for term in re.split(r"\sminus\s", text)]
    if None in terms:
        raise BadRow(f"{where}: no row at {' '.join(text.split())!r}")
    return terms[0] - sum(terms[1:])


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def untabled(text):
    """The page without the tables' content, line numbers kept."""
    return TABLE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def check_traces(page, text, rows, published):
    """Sentences about figures that differ from their rows."""
    problems = []
    text = untabled(text)
    for match in TRACE.finditer(text):
        where = f"{page}:{line_of(text, match.start(3))}"
        shown = match[2] or match[1]
        if shown is None:
            problems.append(f"{where}: no figure stands before {match[0]!r}")
            continue
        if match[2] and match[2] not in text[: match.start()]:
            problems.append(f"{where}: {match[2]} does not occur above")
        try:
            value = traced_value(match[3], rows, published, where)
        except BadRow as error:
            problems.append(str(error))
            continue
        digits = len(shown.partition(".")[2])
        signed = shown[0] in "+−-"
        expected = cells.fixed(value if signed else abs(value), digits, signed=shown[0] == "+")
        if shown.replace("-", "−") != expected:
            problems.append(f"{where}: the page says {shown}, the rows say {expected} ({' '.join(match[3].split())})")
    return problems


def check_untraced(page, text):
    """Percentages with a decimal that name no row."""
    text = CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), untabled(text))
    return [f"{page}:{line_of(text, match.start())}: {match[0]} names no row; add <!--= TABLE; LABEL; DATA --> or, if it is no accuracy, <!--~ what it is -->"
            for match in UNTRACED.finditer(text)]


def pages_of(root, definitions, traced):
    """The pages with tables or traces, as paths below `root`."""
    marked = [path for path in [*Path(root).glob("*.md"), *Path(root).glob("docs/**/*.md")] if "<!--=" in path.read_text(encoding="utf-8")]
    return sorted({table["page"] for table in definitions.values()} | set(traced) | {path.relative_to(root).as_posix() for path in marked})


def check_orphans(definitions, rows):
    """Rows that no table shows; tables whose name starts with a dot hold single figures of the text."""
    shown = {name for table in definitions.values() for name in tables.row_tables(table)}
    return [f"results: no table in results/tables.toml shows the rows of {name}" for name in sorted({row["table"] for row in rows} - shown)
            if not name.startswith(".")]


def check_places(root, definitions):
    problems = []
    for name, table in definitions.items():
        path = Path(root) / table["page"]
        if not path.exists() or f"<!-- results: {name} -->" not in path.read_text(encoding="utf-8"):
            problems.append(f"{table['page']}: no place for the table {name}; add <!-- results: {name} --> and <!-- end -->")
    return problems
