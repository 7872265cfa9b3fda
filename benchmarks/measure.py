# SPDX-License-Identifier: BSD-3-Clause
"""Times several ways of computing one thing, in turns, and keeps what they reached beside it."""
import contextlib
import ctypes
import dataclasses
import gc
import os
import statistics
import time


@dataclasses.dataclass
class Result:
    name: str
    seconds: list
    peak_mib: float  # above what was held before the call
    quality: float


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
    _forget_peak()
    before = _status("VmRSS")
    start = time.perf_counter()
    value = run()
    seconds = time.perf_counter() - start
    return value, seconds, _status("VmHWM") - before


def in_turns(candidates, quality, repeats):
    """candidates: {name: function}. Each is run once to warm up, then all in turns, `repeats` times.
    quality(value) says how good a result is. Results by name, in the order given."""
    results = {}
    for name, run in candidates.items():
        value, _, peak = _timed(run)
        results[name] = Result(name, [], peak, quality(value))
        del value
    for _ in range(repeats):
        for name, run in candidates.items():
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


def provenance():
    with open("/proc/cpuinfo") as info:
        model = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), "unknown")
    return {"processor": model, "cores": os.cpu_count(), "load": os.getloadavg()[0]}
