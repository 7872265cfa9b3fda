# SPDX-License-Identifier: BSD-3-Clause
"""What a column of a table shows of the rows that belong to one of its cells. results/README.md lists the kinds."""

import statistics

from .rows import BadRow


def per_cent(rows, statistic="accuracy"):
    """One number per row."""
    return [100 * row[statistic] for row in rows if statistic in row]


def mean_per_cent(rows, statistic="accuracy"):
    """The mean over the rows, in per cent, or None. Rows that were copied from rounded figures may state the mean itself."""
    stated = {row["mean_of_seeds"] for row in rows if "mean_of_seeds" in row}
    if len(stated) == 1 and statistic == "accuracy" and all("mean_of_seeds" in row for row in rows):
        return 100 * stated.pop()
    values = per_cent(rows, statistic)
    return statistics.fmean(values) if values else None


def fixed(value, digits, signed=False):
    # Half of the last digit goes up, as a reader would round; 1e-9 for what binary fractions lose.
    text = f"{value + (1e-9 if value >= 0 else -1e-9):{'+' if signed else ''}.{digits}f}"
    return text.replace("-", "−")


def accuracy(rows, column):
    digits, statistic = column.get("digits", 1), column.get("statistic", "accuracy")
    mean = mean_per_cent(rows, statistic)
    if mean is None:
        return ""
    values = per_cent(rows, statistic)
    text = fixed(mean, digits)
    stated = rows[0].get("figures", {}).get("deviation_per_cent")
    if column.get("spread") and len(values) > 1:
        text += f" ± {fixed(statistics.stdev(values), digits)}"
    elif column.get("spread") and stated is not None:
        text += f" ± {fixed(stated, digits)}"
    text += column.get("unit", "")
    return text, (f" ({', '.join(fixed(value, digits) for value in values)})" if column.get("each") and len(values) > 1 else "")


def paired(rows, column):
    """The label `of` less the label `over`, run by run: the mean of the differences and their standard deviation."""
    runs = {label: {(row.get("seed"), row.get("split")): 100 * row["accuracy"] for row in rows if row["label"] == label}
            for label in (column["of"], column["over"])}
    differences = [value - runs[column["over"]][run] for run, value in runs[column["of"]].items() if run in runs[column["over"]]]
    if not differences:
        return ""
    digits = column.get("digits", 1)
    mean = statistics.fmean(differences)
    text = fixed(mean if abs(mean) >= 0.5 * 10**-digits else 0, digits, signed=True)  # no −0.0
    return f"{text} ± {fixed(statistics.stdev(differences), digits)}" if len(differences) > 1 else text


def total_seconds(row, stage):
    if "seconds" not in row or (stage != "total" and stage not in row["seconds"]):
        return None
    if stage in row["seconds"]:
        return row["seconds"][stage]
    return sum(row["seconds"].values())


def seconds(rows, column):
    """The shortest of the rows, which other work on the machine disturbed least."""
    times = [time for row in rows if (time := total_seconds(row, column.get("stage", "total"))) is not None]
    if not times:
        return ""
    if column.get("clock"):
        whole = round(min(times))
        return f"{whole // 60}:{whole % 60:02d}"
    return f"{fixed(min(times), column.get('digits', 0))} s"


def memory(rows, column):
    peaks = [row["peak_memory_bytes"] for row in rows if "peak_memory_bytes" in row]
    if not peaks:
        return ""
    gibibytes = max(peaks) / 2**30
    return f"{fixed(gibibytes, 1)} GiB" if gibibytes >= 1 else f"{fixed(max(peaks) / 2**20, 0)} MiB"


def chosen(rows, column):
    texts = list(dict.fromkeys(row["chosen"] for row in rows if "chosen" in row))
    return "; ".join(texts)


def svm_cost(rows, column):
    """C times the number of training images."""
    costs = {round(row["options"]["svm-c"] * row["train_images"], 6) for row in rows
             if "svm-c" in row.get("options", {}) and "train_images" in row}
    return ", ".join(f"{cost:g}" for cost in sorted(costs))


def figure(rows, column):
    values = [row["figures"][column["figure"]] for row in rows if column["figure"] in row.get("figures", {})]
    return fixed(statistics.fmean(values), column.get("digits", 1), column.get("signed", False)) if values else ""


def option(rows, column):
    values = dict.fromkeys(row["options"][column["option"]] for row in rows if column["option"] in row.get("options", {}))
    return ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values)


def by_value(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row.get("value"), []).append(row)
    return groups


def values(rows, column):
    """Accuracy by the value of a swept option; without values, the accuracy alone."""
    parts = []
    for value, group in by_value(rows).items():
        text, _ = accuracy(group, column | {"spread": True}) or ("", "")
        parts.append(text if value is None else f"{value:g}: {text}")
    return ", ".join(parts)


def best_value(rows, column):
    """The value with the highest mean accuracy, if there are several."""
    groups = {value: mean_per_cent(group) for value, group in by_value(rows).items() if value is not None}
    return f"{max(groups, key=groups.get):g}" if len(groups) > 1 else ""


KINDS = {
    "accuracy": accuracy,
    "paired": paired,
    "seconds": seconds,
    "memory": memory,
    "chosen": chosen,
    "svm_cost": svm_cost,
    "figure": figure,
    "option": option,
    "values": values,
    "best_value": best_value,
}


def cell(rows, column):
    """(text, what follows the text and is never bold)."""
    kind = column["show"]
    if kind not in KINDS:
        raise BadRow(f"column {column['title']!r}: unknown kind {kind!r}; there are line, gain, published, {', '.join(KINDS)}")
    shown = KINDS[kind](rows, column) if rows else ""
    return shown if isinstance(shown, tuple) else (shown, "")
