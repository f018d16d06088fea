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
from contextlib import contextmanager
from typing import Any

import numpy as np

from benchmarks import harness
from benchmarks.harness import Result, benchmark
from benchmarks.names import make_names

K, SMALL, SMALLEST = 32, 2000, 200
TABLE_BAR, TABLE_PEAK = 1.15, 1.5e9
ROWS: dict[str, Callable[[int], Any]] = {}
ON_A_CLUSTER = {"table_slowly", "table_by_two", "table_by_four", "table_of_killed"}


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


@row
def table_slowly(n):
    """One worker of a cluster, and what two are compared with."""
    return _table_on_a_cluster(n, 1)


@row
def table_by_two(n):
    return _table_on_a_cluster(n, 2)


@row
def table_of_killed(n):
    """Four workers, one of which is killed half-way."""
    return _table_on_a_cluster(n, 4, kill_after=_seconds_of("table_by_four", n) / 2)


@row
def table_by_four(n):
    return _table_on_a_cluster(n, 4)


@row
def kri(n):
    return _fitted_and_asked(n, "NeighborsClassifier", n_neighbors=K, weights="kri")


@row
def krr(n):
    return _fitted_and_asked(n, "NeighborsClassifier", n_neighbors=K, weights="krr")


@row
def local_sda(n):
    return _fitted_and_asked(n, "LocalSDAClassifier", n_neighbors=K, regularization="joint")


@row
def local_svm(n):
    return _fitted_and_asked(n, "LocalSVC", n_neighbors=K)


@row
def loo_path(n):
    from similearn import NeighborsClassifier, PathSearchCV

    block, y = _lazy_names(n)
    grid = {"n_neighbors": _SIZES, "ridge": [1e-3, 1e-2, 0.1, 1.0, 10.0]}
    search = PathSearchCV(NeighborsClassifier(weights="krr"), grid, cv="loo", refit=False)
    return timed(lambda: search.fit(block, y))


@row
def csr_methods(n):
    """k-NN, KRR and KRI on 30 stored entries per row: seconds of the slowest."""
    from similearn import NeighborsClassifier

    block, y = _ring(n)
    found = {
        weights: timed(lambda weights=weights: NeighborsClassifier(10, weights=weights)
                       .fit(block, y).predict(block[: n // 10]))
        for weights in ("uniform", "krr", "kri")
    }  # fmt: skip
    return {name: max(part[name] for part in found.values()) for name in ("cpu", "wall")} | {
        "each": found
    }


@row
def csr_loo(n):
    from similearn import NeighborsClassifier, PathSearchCV

    block, y = _ring(n)
    search = PathSearchCV(NeighborsClassifier(), {"n_neighbors": _SIZES}, cv="loo", refit=False)
    return timed(lambda: search.fit(block, y))


@row
def csr_diagnosis(n):
    from similearn import diagnose

    block, y = _ring(n)
    return timed(lambda: diagnose(block, y))


@row
def memory_map(n):
    """k-NN on a float32 memory map: fit, leave-one-out, 1,000 queries; and one reading of it."""
    import tempfile

    from similearn import NeighborsClassifier, PathSearchCV, stored_pairwise

    with tempfile.TemporaryDirectory() as folder:
        path, y = f"{folder}/S.npy", _written_map(f"{folder}/S.npy", n)
        reading = timed(lambda: np.load(path, mmap_mode="r").sum(dtype=np.float64))
        search = PathSearchCV(NeighborsClassifier(), {"n_neighbors": _SIZES}, cv="loo", n_jobs=-1)

        def work():
            block = stored_pairwise(path, "similarity", symmetric=True)
            search.fit(block, y).predict(block[: min(n, 1000)])

        with _private_peak() as private:
            told = timed(work)
    return told | {"reading": reading, "private": max(private)}


@row
def nystrom(n):
    """Nyström clip and a linear SVM, p = n / 40 prototypes; the error on n / 10 queries."""
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import LinearSVC

    from similearn import NystromFeatures, PairwiseSimilarity

    names, y, queries, truth = _names_and_queries(n)
    compare = PairwiseSimilarity("jaro_winkler", lazy=True, progress=False)
    features = NystromFeatures(max(n // 40, 10), random_state=0)
    model = make_pipeline(compare, features, LinearSVC())
    told = timed(lambda: model.fit(names, y))
    return told | {"error": float(np.mean(model.predict(queries) != truth)), "m": len(truth)}


@row
def clipped_svm(n):
    """SVM on the clipped block of a quarter of the names; the error on the same queries."""
    from similearn import PairwiseSimilarity, SimilaritySVC

    names, y, queries, truth = _names_and_queries(n)
    few = max(n // 4, 20)
    compare = PairwiseSimilarity("jaro_winkler", lazy=False, progress=False)
    machine = SimilaritySVC(spectrum="clip", calibration="none")
    told = timed(lambda: machine.fit(compare.fit_transform(names[:few]), y[:few]))
    wrong = machine.predict(compare.transform(queries)) != truth
    return told | {"error": float(wrong.mean()), "m": len(truth)}


@row
def nystrom_of_a_quarter(n):
    """Nyström on as many names as the SVM on the clipped block has, for the errors."""
    return nystrom(n // 4) if n >= 400 else nystrom(100)


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


_SIZES = [*range(1, 17), 20, 24, K]


def _names_and_queries(n):
    names, y = make_names(n + max(n // 10, 10))
    return names[:n], y[:n], names[n:], y[n:]


def _lazy_names(n):
    """A lazy block of n names that knows its neighbours, and labels."""
    from similearn import PairwiseSimilarity, neighbor_table

    names, y, *_ = _names_and_queries(n)
    compare = PairwiseSimilarity("levenshtein", lazy=True, n_jobs=-1, progress=False)
    block = compare.fit_transform(names)
    return block.with_table(neighbor_table(block, K, n_jobs=-1)), y


def _fitted_and_asked(n, name, **parameters):
    """Fit a method to a block whose table is known, and ask for n / 10 queries."""
    import similearn

    names, y, queries, truth = _names_and_queries(n)
    block, _ = _lazy_names(n)
    compare = similearn.PairwiseSimilarity("levenshtein", lazy=True, n_jobs=-1, progress=False)
    compare.fit(names)
    model, found = getattr(similearn, name)(n_jobs=-1, **parameters), []

    def work():
        found.append(model.fit(block, y).predict(compare.transform(queries)))

    return timed(work) | {"error": float(np.mean(found[-1] != truth))}


def _ring(n):
    """A symmetric CSR similarity of n samples on a ring, 30 neighbours each, in 20 classes."""
    from scipy import sparse

    from similearn import Pairwise

    steps = np.concatenate([np.arange(-15, 0), np.arange(1, 16)])
    rows = np.repeat(np.arange(n), len(steps))
    columns = (rows + np.tile(steps, n)) % n
    values = np.exp(-np.abs(np.tile(steps, n)) / 7) * (1 + ((rows + columns) % 11) / 50)
    block = sparse.coo_array((values, (rows, columns)), shape=(n, n)).tocsr()
    return Pairwise(block, "similarity"), np.arange(n) * 20 // n


def _written_map(path, n):
    """Write a symmetric float32 matrix of points on a line, row by row; return labels."""
    points = np.random.default_rng(0).normal(size=n).astype(np.float32)
    matrix = np.lib.format.open_memmap(path, "w+", np.float32, (n, n))
    for start in range(0, n, 512):
        part = slice(start, start + 512)
        matrix[part] = 1 / (1 + abs(points[part, None] - points))
    matrix.flush()
    return (points > 0).astype(int)


@contextmanager
def _private_peak():
    """Bytes of memory that is this process's own, looked at ten times a second."""
    import threading

    seen, over = [0], threading.Event()

    def look():
        while not over.wait(0.1):
            with open("/proc/self/status") as status:
                lines = [line for line in status if line.startswith("RssAnon")]
            seen.append(1024 * int(lines[0].split()[1]))

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    yield seen
    over.set()
    watcher.join()


def _table_on_a_cluster(n, n_workers, kill_after=None):
    import hashlib
    import signal
    import threading

    import similearn
    from similearn import neighbor_table

    names, _ = make_names(n)
    found = []
    with similearn.on(f"local:{n_workers}") as client:
        pids = list(client.run(os.getpid).values())
        neighbor_table(names[:300], 5, "levenshtein")  # every worker imports and compiles
        if kill_after is not None:
            threading.Timer(kill_after, os.kill, (pids[0], signal.SIGKILL)).start()
        told = timed(lambda: found.append(neighbor_table(names, K, "levenshtein")))
    parts = found[0].neighbors.tobytes() + found[0].values.tobytes()
    return told | {"digest": hashlib.sha256(parts).hexdigest()}


def _seconds_of(name, n):
    return measured(name, n)["wall"]


def timed(call) -> dict[str, float]:
    """Processor and clock seconds of a call."""
    cpu, clock = time.process_time(), time.perf_counter()
    call()
    return {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - clock}


if __name__ == "__main__":
    notes = ROWS[sys.argv[1]](int(sys.argv[2]))
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps(notes | {"peak": peak}))
