# SPDX-License-Identifier: BSD-3-Clause
"""Tables in Markdown, made of rows as results/tables.toml says."""

import re
import tomllib
from pathlib import Path

from . import cells
from .rows import BadRow

SEED = re.compile(r" --seed (\d+)")


def definitions(root):
    """The tables of results/tables.toml, by name, and the pages on which every figure must have a source."""
    path = Path(root) / "results" / "tables.toml"
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BadRow(f"{path}: {error}") from None
    tables = {}
    for table in content["table"]:
        missing = [field for field in ("name", "page", "columns") if field not in table]
        if missing or table["name"] in tables:
            raise BadRow(f"{path}: table {table.get('name')!r} " + (f"has no {missing[0]}" if missing else "is defined twice"))
        tables[table["name"]] = table
    return tables, content.get("traced_pages", [])


def matches(row, conditions):
    return all(row.get(field) in (wanted if isinstance(wanted, list) else [wanted]) for field, wanted in conditions.items())


def row_tables(table):
    """The names in the field `table` of the rows that it shows."""
    return table.get("from", [table["name"]])


def rows_of(table, rows):
    return [row for row in rows if row["table"] in row_tables(table) and matches(row, table.get("where", {}))]


def named(table, value):
    return table.get("names", {}).get(value, value)


def lines_of(table, rows):
    """Line by line (name, rows), in the order that the table states, then in that of the rows."""
    groups = {name: [] for name in table.get("order", [])}
    fields = table.get("lines", "label").split(", ")
    for row in rows:
        values = [row.get(field, "") for field in fields]
        groups.setdefault(values[0] if len(values) == 1 else ", ".join(str(named(table, value)) for value in values), []).append(row)
    return [(name, group) for name, group in groups.items() if group]


def line_name(table, name):
    name = f"{name:g}" if isinstance(name, float) else str(name)
    if table.get("code"):
        method, comma, rest = name.partition(",")
        return f"`{method}`{comma}{rest}"
    return named(table, name)


def published_cell(name, column, published):
    key = column.get("keys", {}).get(name)
    if key is None and "paper" in column:
        key = f"paper: {column['paper']}, {name}"
        if not published.has(key):
            return ""
    return published.text(key) if key else ""


def gain_cell(columns, rows, column):
    """Of one column over another, both by id."""
    means = []
    for wanted in (column["of"], column["over"]):
        other = next(other for other in columns if other.get("id") == wanted)
        means.append(cells.mean_per_cent([row for row in rows if matches(row, other.get("where", {}))]))
    if None in means:
        return ""
    # Of the figures that the table shows, so that a reader gets the same difference.
    digits = column.get("digits", 1)
    shown = [float(cells.fixed(mean, digits)) for mean in means]
    return cells.fixed(shown[0] - shown[1], digits, signed=True)


def bold_in(entries):
    """The index of the one entry with the largest mean as shown, or None."""
    numbers = {index: float(text.split()[0]) for index, text in entries.items() if text}
    best = [index for index, number in numbers.items() if number == max(numbers.values())]
    return best[0] if len(best) == 1 and len(numbers) > 1 else None


def embolden(table, grid):
    """Marks the best accuracy of every line or column; grid[line][column] = (text, rest)."""
    marked = [i for i, column in enumerate(table["columns"]) if column["show"] == "accuracy" and not column.get("plain")]
    if table.get("bold") == "line":
        groups = [[(line, i) for i in marked] for line in range(len(grid))]
    elif table.get("bold") == "column":
        groups = [[(line, i) for line in range(len(grid))] for i in marked]
    else:
        return
    for group in groups:
        best = bold_in({place: grid[place[0]][place[1]][0] for place in group})
        if best:
            text, rest = grid[best[0]][best[1]]
            grid[best[0]][best[1]] = (f"**{text}**", rest)


def grid_of(table, lines, published):
    grid = []
    for name, rows in lines:
        line = []
        for column in table["columns"]:
            inside = [row for row in rows if matches(row, column.get("where", {}))]
            if column["show"] == "line":
                line.append((line_name(table, name), ""))
            elif column["show"] == "gain":
                line.append((gain_cell(table["columns"], rows, column), ""))
            elif column["show"] == "published":
                line.append((published_cell(name, column, published), ""))
            elif not inside and column["show"] == "accuracy":
                line.append(("", table.get("empty", "")))
            else:
                line.append(cells.cell(inside, column))
        grid.append(line)
    embolden(table, grid)
    return grid


def others_of(table, published):
    """Lines with figures of others, in italics, in the columns that they name."""
    titles = [column["title"] for column in table["columns"]]
    for line in table.get("others", []):
        unknown = [title for title in line["figures"] if title not in titles]
        if unknown:
            raise BadRow(f"results/tables.toml: table {table['name']} has no column {unknown[0]!r}")
        yield [f"*{line['name']}*" if column["show"] == "line" else
               published.text(line["figures"][column["title"]]) if column["title"] in line["figures"] else "" for column in table["columns"]]


def listed(words):
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def copied_note(table, lines):
    """Which lines are not from kept runs."""
    copied = [(name, sum("source" in row for row in rows), len(rows)) for name, rows in lines]
    if not any(count for _, count, _ in copied):
        return []
    if all(count == total for _, count, total in copied):
        return ["The runs behind this table were not kept: its figures are from an earlier edition of this page."]
    names = [line_name(table, name) + ("" if count == total else " (in part)") for name, count, total in copied if count]
    return [f"Not from kept runs but from an earlier edition of this page: {listed(names)}."]


def commands(rows):
    """Every command once, with its seeds."""
    seeds = {}
    for row in rows:
        command = row["command"]
        found = SEED.search(command)
        seeds.setdefault(SEED.sub("", command), []).append(found.group(1) if found else None)
    for command, used in seeds.items():
        numbers = list(dict.fromkeys(seed for seed in used if seed is not None))
        yield command + (f"   # --seed {listed(numbers)}" if numbers else "")


def render(table, rows, published):
    """The Markdown between a table's marks."""
    inside = rows_of(table, rows)
    if not inside and table.get("may_be_empty"):
        return "Not run yet."
    if not inside:
        raise BadRow(f"results/tables.toml: table {table['name']} has no rows")
    lines = lines_of(table, inside)
    head = [column["title"] for column in table["columns"]]
    text = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    text += ["| " + " | ".join(a + b for a, b in line) + " |" for line in grid_of(table, lines, published)]
    text += ["| " + " | ".join(line) + " |" for line in others_of(table, published)]
    for paragraph in copied_note(table, lines):
        text += ["", paragraph]
    if not table.get("commands", True):
        return "\n".join(text)
    used = list(commands(inside))
    if len(used) == 1:
        return "\n".join([*text, "", f"Command: `{used[0]}`"])
    said = "reconstructed from the text" if all("source" in row for row in inside) else "of every row"
    text += ["", f"<details><summary>Commands, {said}</summary>", "", "```sh", *used, "```", "", "</details>"]
    return "\n".join(text)
