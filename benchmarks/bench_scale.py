"""Beyond the memory: tables of neighbours and lazy blocks, each in a process of its own.

``python -m benchmarks scale --size 100000`` runs every row at that size; without it, rows are
small. ``python -m benchmarks.bench_scale ROW SIZE`` is one such process, and prints processor
seconds, seconds on the clock and its peak memory.
"""

import json
import resource
import sys

import numpy as np

from benchmarks import harness, near_rows  # noqa: F401
from benchmarks.harness import Result, benchmark
from benchmarks.scale_rows import ROWS, K, measured

SMALL = 2000
TABLE_BAR, TABLE_PEAK = 1.15, 1.5e9


def _size() -> int:
    return harness.SIZE or SMALL


def _within(names, n, seconds, most_bytes):
    """Seconds and peak memory of rows, against fixed bars."""
    results = []
    for name in names:
        found = measured(name, n)
        results += [
            Result(f"{name}, {n}", found["wall"], seconds, 1, False, rival_name="the bar",
                   notes=found),
            Result(f"{name}, {n}: peak memory", found["peak"], most_bytes, 1, False, "bytes",
                   "the bar"),
        ]  # fmt: skip
    return results


@benchmark
def scale_table():
    """The exact table of 32 neighbours of distinct names, against rapidfuzz and argpartition."""
    n = _size()
    ours, rival = measured("table", n), measured("table_by_cdist", n)
    name = f"table of {K} neighbours, {n} names, processor"
    return [
        Result(name, ours["cpu"], rival["cpu"], TABLE_BAR, False, rival_name="cdist in tiles",
               notes={"ours": ours, "rival": rival}),
        Result(f"table of {n} names: peak memory", ours["peak"], TABLE_PEAK, 1, False, "bytes",
               "the bar"),
    ]  # fmt: skip


@benchmark
def scale_million():
    """A tenth of the tiles (SIMILEARN_SHARE), killed once and taken up; rate as of a tenth of n."""
    n = _size()
    few, many = measured("table", n // 10), measured("killed_table", n)
    m = n // 10
    ours, rival = 1e9 * many["cpu"] / many["pairs"], 1e9 * few["cpu"] / (m * (m - 1) / 2)
    return [
        Result(f"{n} names: time of a pair, killed once", ours, rival, 0.9, unit="ns",
               rival_name=f"the table of {m}", notes={"ours": many, "rival": few}),
        Result(f"{n} names: peak memory", many["peak"], 2e9, 1, False, "bytes", "the bar"),
    ]  # fmt: skip


@benchmark
def scale_local():
    """Local methods on a lazy block whose table is known: fitted, and asked n / 10 queries."""
    return _within(("kri", "krr", "local_sda", "local_svm"), _size(), 60.0, 2e9)


@benchmark
def scale_loo():
    """Leave-one-out of 19 k and 5 ridges of KRR on a lazy block whose table is known."""
    return _within(("loo_path",), _size(), 300.0, 2e9)


@benchmark
def scale_csr():
    """CSR of 30 entries per row; ``--size 1000000`` is the size of the bars."""
    return _within(("csr_methods", "csr_loo", "csr_diagnosis"), _size(), 60.0, 4e9)


@benchmark
def scale_map():
    """A float32 memory map; ``--size 50000`` is the size of the bars, and writes 10 GB."""
    n = _size()
    found = measured("memory_map", n)
    return [
        Result(f"k-NN on a float32 map of {n}: fit, LOO, predict", found["wall"],
               found["reading"]["wall"], 4, False, rival_name="one reading", notes=found),
        Result(f"float32 map of {n}: private memory", found["private"], 2e9, 1, False, "bytes",
               "the bar"),
    ]  # fmt: skip


@benchmark
def scale_nystrom():
    """Nyström clip of all names against the SVM on the clipped block of a quarter of them."""
    n = _size()
    ours, rival = measured("nystrom", n), measured("clipped_svm", n)
    same = measured("nystrom_of_a_quarter", n)
    error = rival["error"]
    spread = np.sqrt(max(error * (1 - error), 1e-9) / rival["m"])
    return [
        Result(f"Nyström clip, {n} names, p = {n // 40}: fit", ours["wall"], rival["wall"], 20,
               rival_name=f"SVC on the clipped block of {n // 4}",
               notes={"ours": ours, "rival": rival}),
        Result(f"Nyström clip of {n // 4}: error above SVC's", same["error"] - error, spread, 1,
               False, "share", "one standard error", {"same": same}),
    ]  # fmt: skip


@benchmark
def scale_cluster():
    """Two Dask workers of one thread against one, and one of four that is killed half-way."""
    n = _size()
    one, two = measured("table_slowly", n), measured("table_by_two", n)
    four, killed = measured("table_by_four", n), measured("table_of_killed", n)
    return [
        Result(f"table of {n} names by 2 workers", two["wall"], one["wall"], 1.7,
               rival_name="1 worker", notes={"one": one, "two": two}),
        Result(f"table of {n} names, one of 4 killed", killed["wall"], four["wall"], 1.3, False,
               rival_name="4 workers", notes={"same bits": killed["digest"] == four["digest"]}),
    ]  # fmt: skip


@benchmark
def scale_growth():
    """Exponents over n of time and memory, from n / 4 to n."""
    n, results = _size(), []
    for name, most in (("table", 2.0), ("krr", 2.0), ("loo_path", 2.0), ("nystrom", 1.2)):
        few, many = measured(name, n // 4), measured(name, n)
        for what, bar in (("cpu", most), ("peak", 1.0)):
            exponent = float(np.log(many[what] / few[what]) / np.log(4))
            told = f"{name}: exponent of {what} over n, {n // 4} to {n}"
            results.append(Result(told, exponent, bar, 1.1, False, "", "the bar"))
    return results


if __name__ == "__main__":
    notes = ROWS[sys.argv[1]](int(sys.argv[2]))
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"peak": peak} | notes))  # a row whose work is another process's has its peak
