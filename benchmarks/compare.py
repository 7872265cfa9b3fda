# SPDX-License-Identifier: BSD-3-Clause
"""Sets krica's loops beside their peers: time, ratio, fraction of the SGEMM rate, memory and the quality that was reached."""
import argparse
import json
import sys

import numpy as np

import cases
import measure

GEMM_SIDE = 4096


def rows_of(case, threads, side, repeats):
    """One row for each way of computing, with the rate of NumPy's SGEMM (OpenBLAS) measured in turns with them."""
    a = np.random.default_rng(0).standard_normal((side, side), dtype=np.float32)
    with measure.threads_of_peers(threads):
        ways = {name: (run, lambda result: (case.quality(result), case.facts(result)))
                for name, run in case.candidates(threads).items()}
        ways["SGEMM"] = (lambda: a @ a, lambda _: None)
        *results, sgemm = measure.in_turns(ways, min(repeats, case.most_repeats))
    rate = 2 * side**3 / measure.median(sgemm)
    ours = measure.median(results[0])
    for result in results:
        seconds = measure.median(result)
        quality, facts = result.judged
        yield {"case": case.name, "threads": threads, "by": result.name, "seconds": seconds, "runs": result.seconds,
               "times_ours": seconds / ours, "sgemm_gf": rate / 1e9,
               "of_sgemm": case.operations / seconds / rate if case.operations and result is results[0] else None,
               "peak_mib": result.peak_mib, "quality": quality, "quality_name": case.quality_name, "facts": facts,
               "agrees": quality is None or bool(case.agrees(quality))}


def print_row(row):
    share = f"{row['of_sgemm']:.2f}" if row["of_sgemm"] else ""
    figures = {} if row["quality"] is None else {row["quality_name"]: row["quality"]}
    figures |= row["facts"]
    print(f"{row['case']:<16} {row['threads']:>7} {row['by']:<27} {row['seconds']:>9.4f} s {row['times_ours']:>8.2f} "
          f"{share:>9} {row['peak_mib']:>8.0f} MiB  {', '.join(f'{name} {value:.5g}' for name, value in figures.items())}"
          f"{'' if row['agrees'] else '   DISAGREES'}", flush=True)


def exponent(points):
    """p of y ~ x^p, fitted."""
    return float(np.polyfit(*np.log(np.array(points).T), 1)[0])


def growth_rows(size, chosen, cifar, repeats):
    """The exponents of time and of operations over four sizes, the largest being the usual one, on two threads."""
    for name, what in cases.GROWTH:
        if name not in chosen:
            continue
        times, operations = [], []
        for halvings in (3, 2, 1, 0):
            part = dict(size)
            part[what] = max(1, size[what] >> halvings)
            case = cases.CASES[name](part, cifar)
            results = measure.in_turns({"krica": (case.candidates(2)["krica"], case.quality)}, repeats)
            times.append((part[what], measure.median(results[0])))
            operations.append((part[what], case.operations))
        yield {"case": cases.CASES[name].name, "grows_with": what, "threads": 2, "exponent": exponent(times),
               "exponent_of_operations": exponent(operations), "times": times}


def parse():
    parser = argparse.ArgumentParser(prog="benchmarks/run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes: seconds instead of minutes, rates mean little")
    parser.add_argument("--only", action="append", choices=cases.CASES, help="this case; may be given again")
    parser.add_argument("--threads", action="append", type=int, help="default: 1, then 2")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each, of which the median counts")
    parser.add_argument("--cifar", help="directory of CIFAR-10's binary version; default: made-up images")
    parser.add_argument("--jsonl", help="also write one JSON object a row to this file")
    parser.add_argument("--no-growth", action="store_true", help="leave out how cost grows with the sizes")
    return parser.parse_args()


def main():
    options = parse()
    size = cases.QUICK if options.quick else cases.FULL
    chosen = options.only or list(cases.CASES)
    origin = measure.provenance()
    rows = []
    print(f"{origin['processor']}, {origin['cores']} cores, load {origin['load']:.1f}; medians of {options.repeats}, in turns")
    side = 512 if options.quick else GEMM_SIDE
    print(f"{'loop':<16} {'threads':>7} {'by':<27} {'time':>11} {'x ours':>8} {'of SGEMM':>9} {'memory':>12}  quality")
    for name in chosen:
        case = cases.CASES[name](size, options.cifar)
        for threads in options.threads or [1, 2]:
            for row in rows_of(case, threads, side, options.repeats):
                rows.append(row)
                print_row(row)
            print(f"{'':<16} {threads:>7} SGEMM meanwhile: {rows[-1]['sgemm_gf']:.1f} GF")
    if not options.no_growth:
        print("how cost grows (exponent of time; in brackets that of the operations)")
        for row in growth_rows(size, chosen, options.cifar, min(3, options.repeats)):
            rows.append(row)
            print(f"{row['case']:<16} with {row['grows_with']:<8} {row['exponent']:.2f} ({row['exponent_of_operations']:.2f})")
    if options.jsonl:
        with open(options.jsonl, "w") as file:
            for row in rows:
                file.write(json.dumps(row | {"provenance": origin, "sizes": size, "images": options.cifar and "CIFAR-10" or "made up"}) + "\n")
    if any(row.get("agrees") is False for row in rows):
        sys.exit("some results disagree")


if __name__ == "__main__":
    main()
