"""What the processes of the benchmark of scale do; see `benchmarks.bench_scale`."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.names import make_names

K, SMALLEST = 32, 200
SHARE_OF_RIVAL = float(os.environ.get("SIMILEARN_SHARE_OF_RIVAL", "1"))
SHARE = float(os.environ.get("SIMILEARN_SHARE", "0.1"))  # of the tiles of a table cut short
ROWS: dict[str, Callable[[int], Any]] = {}
IN_PROCESSES = {
    "table_slowly", "table_by_two", "table_by_four", "table_of_killed", "killed_table",
}  # fmt: skip
_SIZES = [*range(1, 17), 20, 24, K]


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


@row
def table(n):
    from similearn import neighbor_table

    names, _ = make_names(n)
    neighbor_table(names[:100], 5, "levenshtein")  # compiles
    found = []
    told = timed(lambda: found.append(neighbor_table(names, K, "levenshtein", method="exact")))
    found[0].save(_table_file(n))  # for the rows that begin with a table
    return told


@row
def part_of_a_table(n):
    """A share of the tiles, in a file that a process before this one may have begun."""
    import math

    import similearn
    from similearn.data.lazy import table_building

    names, enter, seen = _names(n), table_building._Work.enter, [0, math.inf]

    def entering(work, *found):
        seen[1] = min(seen[1], work.done.sum())
        seen[0] += (pairs := enter(work, *found))
        if work.done.mean() >= SHARE:
            raise KeyboardInterrupt  # keeps what is done
        return pairs

    similearn.neighbor_table(names[:100], 5, "levenshtein")  # compiles

    def work():
        table_building._Work.enter = entering
        try:
            # "auto" would not compare a million names with each other.
            similearn.neighbor_table(names, K, "levenshtein", method="exact", path=_table_file(n))
        except KeyboardInterrupt:
            pass
        finally:
            table_building._Work.enter = enter

    return timed(work) | {"pairs": int(seen[0]), "tiles before": int(seen[1])}


@row
def killed_table(n):
    """The same, killed as soon as something is kept, then taken up: notes of the second process."""
    import signal

    kept = _table_file(n).with_name(_table_file(n).name + ".part")
    for file in (kept, _table_file(n)):
        file.unlink(missing_ok=True)
    _names(n)
    command = [sys.executable, "-m", "benchmarks.bench_scale", "part_of_a_table", str(n)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as first:
        while not kept.exists() and first.poll() is None:
            time.sleep(0.5)
        first.send_signal(signal.SIGKILL)
    found = measured("part_of_a_table", n)
    kept.unlink(missing_ok=True)
    return found


@row
def table_by_cdist(n):
    from rapidfuzz import distance, process

    names, _ = make_names(n)
    rows = int(np.ceil(SHARE_OF_RIVAL * n))  # rows are alike: a share of them tells the rest

    def nearest():
        found = np.empty((n, K), dtype=np.intp)
        for start in range(0, rows, 512):
            part = slice(start, start + 512)
            D = process.cdist(
                names[part], names, scorer=distance.Levenshtein.distance, dtype=np.uint8, workers=1
            )
            found[part] = np.argpartition(D, K, axis=1)[:, :K]

    return {name: seconds / SHARE_OF_RIVAL for name, seconds in timed(nearest).items()}


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
    return _table_on_a_cluster(n, 4, kills=True)


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
    """Nyström clip and a linear machine, p = n / 40 prototypes; the error on n / 10 queries.

    The machine is a least-squares SVM whose ridge leave-one-out chooses: as good here as
    liblinear's, which takes ten times as long.
    """
    return _nystrom(n, n)


def _nystrom(n, few):
    """The same of the first few names."""
    from sklearn.linear_model import RidgeClassifierCV
    from sklearn.pipeline import make_pipeline

    from similearn import NystromFeatures, PairwiseSimilarity

    names, y, queries, truth = _names_and_queries(n)
    compare = PairwiseSimilarity("jaro_winkler", lazy=True, n_jobs=-1, progress=False)
    features = NystromFeatures(max(n // 40, 10), random_state=0)
    model = make_pipeline(compare, features, RidgeClassifierCV())
    told = timed(lambda: model.fit(names[:few], y[:few]))
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
    """The same prototypes on as many names as the SVM on the clipped block has, for the errors."""
    return _nystrom(n, max(n // 4, 20))


def _names(n):
    """Names, kept in a file: making a million takes two minutes."""
    file = Path(tempfile.gettempdir()) / f"similearn-{n}-names.txt"
    if not file.exists():
        part = file.with_suffix(".part")
        part.write_text("\n".join(make_names(n)[0]), encoding="utf-8")
        part.replace(file)
    return file.read_text(encoding="utf-8").split("\n")


def _names_and_queries(n):
    names, y = make_names(n + max(n // 10, 10))
    return names[:n], y[:n], names[n:], y[n:]


def _lazy_names(n):
    """A lazy block of n names that knows its neighbours, and labels."""
    from similearn import NeighborTable, PairwiseSimilarity, neighbor_table

    names, y, *_ = _names_and_queries(n)
    compare = PairwiseSimilarity("levenshtein", lazy=True, n_jobs=-1, progress=False)
    block = compare.fit_transform(names)
    file = _table_file(n)
    if not file.exists():
        neighbor_table(block, K, n_jobs=-1).save(file)
    return block.with_table(NeighborTable.load(file)), y


def _table_file(n):
    """Where the table of n names is kept, so that each row need not begin with it."""
    return Path(tempfile.gettempdir()) / f"similearn-table-of-{n}-names.npz"


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


def _table_on_a_cluster(n, n_workers, *, kills=False):
    import hashlib

    import similearn
    from similearn import neighbor_table

    names, _ = make_names(n)
    found = []
    with similearn.on(f"local:{n_workers}") as client:
        pids = list(client.run(os.getpid).values())
        neighbor_table(names[:300], 5, "levenshtein")  # every worker imports and compiles
        if kills:
            _kill_half_way(pids[0])
        told = timed(lambda: found.append(neighbor_table(names, K, "levenshtein", method="exact")))
    parts = found[0].neighbors.tobytes() + found[0].values.tobytes()
    return told | {"digest": hashlib.sha256(parts).hexdigest()}


def _kill_half_way(pid):
    """End a process as soon as half of the tiles are there."""
    import signal

    from similearn.data.lazy.table_building import _Work

    enter, left = _Work.enter, [pid]

    def entering(work, *found):
        pairs = enter(work, *found)
        if left and work.done.mean() >= 0.5:
            os.kill(left.pop(), signal.SIGKILL)
        return pairs

    _Work.enter = entering


def timed(call) -> dict[str, float]:
    """Processor and clock seconds of a call."""
    cpu, clock = time.process_time(), time.perf_counter()
    call()
    return {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - clock}
