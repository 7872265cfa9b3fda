# SPDX-License-Identifier: BSD-3-Clause
"""Times several ways of computing one thing, in turns, and keeps what they reached beside it."""
import contextlib
import ctypes
import dataclasses
import gc
import importlib.metadata
import os
import statistics
import subprocess
import time


SLOW = 20  # seconds
REST = 0.1  # seconds before each run: OpenBLAS's threads go on spinning for some 20 ms after their work


@dataclasses.dataclass
class Result:
    name: str
    seconds: list
    peak_mib: float  # above what was held before the call
    judged: object  # what judge() made of its value


def _status(field):
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1]) / 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


def _forget_peak():
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")


def _timed(run):
    time.sleep(REST)
    _forget_peak()
    before = _status("VmRSS")
    start = time.perf_counter()
    value = run()
    seconds = time.perf_counter() - start
    return value, seconds, _status("VmHWM") - before


def in_turns(candidates, repeats):
    """candidates: {name: (function, judge)}. Each is run once to warm up, then all in turns, `repeats` times; one that took
    SLOW seconds is not run again, and that run counts. judge(value) says how good a result is. Results in the order given."""
    results = {}
    for name, (run, judge) in candidates.items():
        value, seconds, peak = _timed(run)
        results[name] = Result(name, [seconds] if seconds > SLOW else [], peak, judge(value))
        del value
    quick = {name: run for name, (run, _) in candidates.items() if not results[name].seconds}
    for _ in range(repeats):
        for name, run in quick.items():
            _, seconds, peak = _timed(run)
            results[name].seconds.append(seconds)
            results[name].peak_mib = max(results[name].peak_mib, peak)
    return list(results.values())


def median(result):
    return statistics.median(result.seconds)


@contextlib.contextmanager
def threads_of_peers(count):
    """Holds NumPy, scikit-learn, PyTorch and faiss to so many threads."""
    import threadpoolctl

    with threadpoolctl.threadpool_limits(count):
        with contextlib.suppress(ImportError):
            import torch

            torch.set_num_threads(count)
        with contextlib.suppress(ImportError):
            import faiss

            faiss.omp_set_num_threads(count)
        yield


def _commit():
    git = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True)
    return git.stdout.strip() if git.returncode == 0 else "unknown"


def _versions():
    found = {}
    for package in ("numpy", "torch", "scikit-learn", "faiss"):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            found[package] = importlib.metadata.version(package)
    return found


def provenance():
    import threadpoolctl

    with open("/proc/cpuinfo") as info:
        lines = [line.split(":", 1) for line in info if ":" in line]
    fields = {name.strip(): value.strip() for name, value in lines}
    vectors = [flag for flag in ("avx512f", "avx2", "sse4_2") if flag in fields.get("flags", "").split()]
    blas = [f"{pool['internal_api']} {pool['version']}" for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]
    return {"date": time.strftime("%Y-%m-%d %H:%M"), "commit": _commit(), "processor": fields.get("model name", "unknown"),
            "vectors": vectors, "cores": os.cpu_count(), "load": os.getloadavg()[0], "blas": blas, "packages": _versions()}
