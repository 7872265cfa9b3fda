# SPDX-License-Identifier: BSD-3-Clause
"""Sets krica's loops beside their peers: time, ratio, fraction of the SGEMM rate, memory and the quality that was reached."""
import argparse
import json
import math
import sys

import numpy as np

import cases
import measure

GEMM_SIDE = 4096


def sgemm_rate(side, repeats):
    """Operations a second of NumPy's SGEMM (OpenBLAS), with the threads that it has now."""
    a = np.random.default_rng(0).standard_normal((side, side), dtype=np.float32)
    results = measure.in_turns({"sgemm": lambda: a @ a}, lambda _: 0, repeats)
    return 2 * side**3 / measure.median(results[0])


def rows_of(case, threads, rate, repeats):
    with measure.threads_of_peers(threads):
        results = measure.in_turns(case.candidates(threads), case.quality, min(repeats, case.most_repeats))
    ours = measure.median(results[0])
    for result in results:
        seconds = measure.median(result)
        yield {"case": case.name, "threads": threads, "by": result.name, "seconds": seconds, "runs": result.seconds,
               "times_ours": seconds / ours,
               "of_sgemm": case.operations / seconds / rate if case.operations and result is results[0] else None,
               "peak_mib": result.peak_mib, "quality": result.quality, "quality_name": case.quality_name,
               "agrees": bool(case.agrees(result.quality))}


def print_row(row):
    share = f"{row['of_sgemm']:.2f}" if row["of_sgemm"] else ""
    print(f"{row['case']:<16} {row['threads']:>7} {row['by']:<27} {row['seconds']:>9.4f} s {row['times_ours']:>8.2f} "
          f"{share:>9} {row['peak_mib']:>8.0f} MiB  {row['quality_name']} {row['quality']:.3g}"
          f"{'' if row['agrees'] else '   DISAGREES'}", flush=True)


def growth_rows(size, chosen, cifar, repeats):
    """The exponent p of seconds ~ size^p over four sizes, the largest being the usual one, on two threads."""
    for name, what, wanted in cases.GROWTH:
        if name not in chosen:
            continue
        points = []
        for halvings in (3, 2, 1, 0):
            part = dict(size)
            part[what] = max(1, size[what] >> halvings)
            case = cases.CASES[name](part, cifar)
            results = measure.in_turns({"krica": case.candidates(2)["krica"]}, case.quality, repeats)
            points.append((math.log(part[what]), math.log(measure.median(results[0]))))
        exponent = float(np.polyfit(*zip(*points), 1)[0])
        yield {"case": cases.CASES[name].name, "grows_with": what, "exponent": exponent, "exponent_of_operations": wanted}


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
    rates = {}
    for threads in options.threads or [1, 2]:
        with measure.threads_of_peers(threads):
            rates[threads] = sgemm_rate(512 if options.quick else GEMM_SIDE, options.repeats)
        print(f"SGEMM with {threads} thread(s): {rates[threads] / 1e9:.1f} GF")
    print(f"{'loop':<16} {'threads':>7} {'by':<27} {'time':>11} {'x ours':>8} {'of SGEMM':>9} {'memory':>12}  quality")
    for name in chosen:
        case = cases.CASES[name](size, options.cifar)
        for threads, rate in rates.items():
            for row in rows_of(case, threads, rate, options.repeats):
                rows.append(row | {"sgemm_gf": rate / 1e9})
                print_row(rows[-1])
    if not options.no_growth:
        print("how cost grows (exponent of time; in brackets that of the operations)")
        for row in growth_rows(size, chosen, options.cifar, min(3, options.repeats)):
            rows.append(row)
            print(f"{row['case']:<16} with {row['grows_with']:<8} {row['exponent']:.2f} ({row['exponent_of_operations']})")
    if options.jsonl:
        with open(options.jsonl, "w") as file:
            for row in rows:
                file.write(json.dumps(row | {"machine": origin, "sizes": size}) + "\n")
    if any(row.get("agrees") is False for row in rows):
        sys.exit("some results disagree")


if __name__ == "__main__":
    main()
