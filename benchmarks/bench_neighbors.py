"""Nearest neighbours against scikit-learn's, on one precomputed block."""

import subprocess
import sys
import time

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.harness import Result, benchmark, best_of, peak_memory
from similearn import NeighborsClassifier

N, QUERIES, CLASSES, K = 5000, 2000, 10, 32


def distances(seed=0):
    """Training and query distances, labels; distances of points in ten dimensions."""
    rng = np.random.default_rng(seed)
    A, B = rng.standard_normal((N, 10)), rng.standard_normal((QUERIES, 10))
    squares = (A**2).sum(1)
    D = np.sqrt(np.maximum(squares[:, None] + squares - 2 * A @ A.T, 0))
    E = np.sqrt(np.maximum((B**2).sum(1)[:, None] + squares - 2 * B @ A.T, 0))
    np.fill_diagonal(D, 0)
    return (D + D.T) / 2, E, rng.integers(CLASSES, size=N)


def fitted(n_jobs=2):
    D, E, y = distances()
    ours = NeighborsClassifier(K, kind="dissimilarity", calibration="none", n_jobs=n_jobs).fit(D, y)
    rival = KNeighborsClassifier(K, metric="precomputed", n_jobs=n_jobs).fit(D, y)
    return ours, rival, E


@benchmark
def neighbors_predict():
    ours, rival, E = fitted()
    assert np.allclose(ours.predict_proba(E), rival.predict_proba(E), atol=1e-9)
    times = best_of({"ours": lambda: ours.predict(E), "rival": lambda: rival.predict(E)})
    name = f"k-NN predict, n={N}, {QUERIES} queries, k={K}"
    return [Result(name, times["ours"], times["rival"], 4, rival_name="KNeighborsClassifier")]


@benchmark
def neighbors_memory():
    ours, _, E = fitted()
    name = "k-NN predict: block and peak memory / block"
    used = E.nbytes + peak_memory(lambda: ours.predict(E))
    return [Result(name, used, E.nbytes, 1.2, higher=False, unit="bytes", rival_name="the block")]


@benchmark
def neighbors_one_query():
    """One query at a time: at most 0.3 ms beyond the search and the votes themselves."""
    ours, _, E = fitted(n_jobs=1)
    queries, codes = [E[i : i + 1] for i in range(200)], ours.codes_

    def bare(query):
        near = np.argpartition(query[0], K)[:K]
        return np.bincount(codes[near], minlength=CLASSES).argmax()

    times = best_of(
        {
            "ours": lambda: [ours.predict(query) for query in queries],
            "bare": lambda: [bare(query) for query in queries],
        }
    )
    whole, bare_time = (times[name] / len(queries) for name in ("ours", "bare"))
    name = f"k-NN predict of one query, n={N}, beyond NumPy's own search and votes"
    notes = {"whole": whole, "bare": bare_time}
    return [Result(name, whole - bare_time, 3e-4, 1, False, rival_name="0.3 ms", notes=notes)]


@benchmark
def import_time():
    """Two processes: the first warms the caches. The bar is one second."""
    fresh = "import time; t = time.perf_counter(); import similearn; print(time.perf_counter() - t)"
    seconds = min(float(_python(fresh)) for _ in range(5))
    return [Result("import similearn, against one second", seconds, 1.0, 1, rival_name="1 s")]


@benchmark
def compiled_once():
    """A second process must not compile again: its first predict against its second."""
    code = (
        "import time, numpy as np; from similearn import NeighborsClassifier as N;"
        "S = np.eye(60); m = N(3).fit(S, [0, 1, 2] * 20);"
        "t = time.perf_counter(); m.predict(S); print(time.perf_counter() - t)"
    )
    _python(code)
    seconds = min(float(_python(code)) for _ in range(3))
    name = "first predict of a second process, against one second"
    return [Result(name, seconds, 1.0, 1, rival_name="1 s, less than any compilation")]


def _python(code):
    start = time.perf_counter()
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert time.perf_counter() - start < 120
    return run.stdout
