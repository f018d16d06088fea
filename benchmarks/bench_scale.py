"""Beyond the memory: tables of neighbours and lazy blocks, each in a process of its own.

``python -m benchmarks scale --size 100000`` runs every row at that size; without it, rows are
small. ``python -m benchmarks.bench_scale ROW SIZE`` is one such process, and prints processor
seconds, seconds on the clock and its peak memory.
"""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import harness
from benchmarks.harness import Result, benchmark
from benchmarks.names import make_names

K, SMALL, SMALLEST = 32, 2000, 200
TABLE_BAR, TABLE_PEAK = 1.15, 1.5e9
ROWS: dict[str, Callable[[int], Any]] = {}


def row(function):
    """Register what one process does; it returns notes, or nothing."""
    ROWS[function.__name__] = function
    return function


def measured(name: str, size: int) -> dict[str, Any]:
    """Run one row in a process of its own: seconds, bytes at the peak, notes."""
    command = [sys.executable, "-m", "benchmarks.bench_scale", name, str(size)]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=os.environ | threads
    )
    return json.loads(done.stdout.splitlines()[-1])


def _size() -> int:
    return harness.SIZE or SMALL


@row
def table(n):
    from similearn import neighbor_table

    names, _ = make_names(n)
    neighbor_table(names[:100], 5, "levenshtein")  # compiles
    return timed(lambda: neighbor_table(names, K, "levenshtein"))


@row
def table_by_cdist(n):
    from rapidfuzz import distance, process

    names, _ = make_names(n)

    def nearest():
        found = np.empty((n, K), dtype=np.intp)
        for start in range(0, n, 512):
            part = slice(start, start + 512)
            D = process.cdist(
                names[part], names, scorer=distance.Levenshtein.distance, dtype=np.uint8, workers=1
            )
            found[part] = np.argpartition(D, K, axis=1)[:, :K]

    return timed(nearest)


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


def timed(call) -> dict[str, float]:
    """Processor and clock seconds of a call."""
    cpu, clock = time.process_time(), time.perf_counter()
    call()
    return {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - clock}


if __name__ == "__main__":
    notes = ROWS[sys.argv[1]](int(sys.argv[2]))
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps(notes | {"peak": peak}))
