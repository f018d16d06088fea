"""The first call on a new machine: processor seconds of compiling, with an empty cache.

Each estimator runs in a process of its own: ``python -m benchmarks.bench_cold LABEL`` is one
such process, and prints what it measured.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.metrics import pairwise_distances

import similearn
from benchmarks.harness import Result, benchmark, with_bytecode

N, QUERIES, CLASSES, REPEATS = 200, 50, 3, 2
UNIFORM_BUDGET, BUDGET, ALL_BUDGET, DEMO_BUDGET = 3.0, 10.0, 60.0, 45.0


@dataclass(frozen=True)
class Data:
    """Training data and queries of every form, made of the same points."""

    features: Any
    similarity: Any
    dissimilarity: Any
    blocks: Any  # Sources of two dissimilarities
    kernels: Any  # Sources of two similarities
    mixed: Any  # Sources of a similarity and features


@dataclass(frozen=True)
class Cold:
    """How an estimator is called for the first time: `form` names its data."""

    name: str
    form: str
    parameters: Callable[[], dict[str, Any]] = dict
    budget: float = BUDGET

    def build(self) -> Any:
        """Make the estimator, not fitted."""
        return getattr(similearn, self.name)(**self.parameters())


def _fused() -> dict[str, Any]:
    parts = [
        ("votes", similearn.NeighborsClassifier(5), "pairs"),
        ("sizes", similearn.LocalBDAClassifier(5), "features"),
    ]
    return {"components": parts}


def _searched() -> dict[str, Any]:
    model = similearn.NeighborsClassifier(kind="dissimilarity")
    return {"estimator": model, "param_grid": {"n_neighbors": [1, 2, 4, 8]}}


def _compared() -> dict[str, Any]:
    return {"functions": ["euclidean", "rbf"]}


def _neighbors(weights: str, budget: float = BUDGET) -> Cold:
    return Cold("NeighborsClassifier", "similarity", lambda: {"weights": weights}, budget)


def _of_kind(name: str, kind: str = "dissimilarity", **parameters: Any) -> Cold:
    return Cold(name, kind, lambda: {"kind": kind, **parameters})


# Every public estimator; a test compares this list with `similearn.__all__`.
COLD = {
    "k-NN, uniform": _neighbors("uniform", UNIFORM_BUDGET),
    "k-NN, affinity": _neighbors("affinity"),
    "k-NN, KRR": _neighbors("krr"),
    "k-NN, KRI": _neighbors("kri"),
    "k-NN, LIME": _neighbors("lime"),
    "SDA": _of_kind("SDAClassifier"),
    "local SDA": _of_kind("LocalSDAClassifier"),
    "local SDA, regularized": _of_kind("LocalSDAClassifier", regularization="joint"),
    "mixture SDA": _of_kind("MixtureSDAClassifier"),
    "BDA": Cold("BDAClassifier", "features"),
    "local BDA": Cold("LocalBDAClassifier", "features"),
    "local nearest means": Cold("LocalNearestMeansClassifier", "features"),
    "normal densities": Cold("NormalClassifier", "features"),
    "indefinite Fisher": Cold("IndefiniteFisherClassifier", "similarity"),
    "the default": Cold("SimilarityClassifier", "similarity"),
    "SVM": Cold("SimilaritySVC", "similarity"),
    "local SVM": Cold("LocalSVC", "similarity"),
    "robust SVM": Cold("RobustSVC", "similarity"),
    "potential SVM": Cold("PotentialSVC", "similarity"),
    "LP machine": Cold("LPMachineClassifier", "similarity"),
    "DBoost": _of_kind("DBoostClassifier", n_estimators=50, n_pairs=50, random_state=0),
    "votes of pairs": _of_kind("DissimilarityVoteClassifier"),
    "proximity forest": _of_kind("ProximityForestClassifier", n_estimators=5),
    "CDNN": Cold("CDNNClassifier", "blocks"),
    "combiner of dissimilarities": Cold("DissimilarityCombiner", "blocks"),
    "combiner of kernels": Cold("KernelCombiner", "kernels"),
    "fused neighbours": Cold("FusedNeighborsClassifier", "mixed"),
    "fusion": Cold("FusionClassifier", "mixed", _fused),
    "search of paths": Cold("PathSearchCV", "dissimilarity", _searched),
    "dissimilarity to similarity": Cold("DissimilarityToSimilarity", "dissimilarity"),
    "similarity of objects": Cold("PairwiseSimilarity", "features"),
    "several similarities": Cold("SimilaritySources", "features", _compared),
    "prototypes": Cold("PrototypeFeatures", "similarity"),
    "Nyström": Cold("NystromFeatures", "similarity"),
    "pseudo-Euclidean": _of_kind("PseudoEuclideanEmbedding"),
    "RBF of rows": Cold("RowRBFSimilarity", "similarity"),
    "Gaussian": Cold("GaussianSimilarity", "similarity"),
    "spectrum": Cold("SpectrumTransformer", "similarity"),
}


def public_estimators() -> set[str]:
    """Names of all public classes that are fitted."""
    named = {name: getattr(similearn, name) for name in similearn.__all__}
    return {n for n, c in named.items() if isinstance(c, type) and issubclass(c, BaseEstimator)}


def make_data(seed: int = 0, n: int = N) -> tuple[Data, Data, np.ndarray]:
    """Return training data, queries, and n labels: points around centres, in all forms."""
    rng = np.random.default_rng(seed)
    y = rng.integers(CLASSES, size=n + QUERIES)
    points = 1.5 * rng.normal(size=(CLASSES, 6))[y] + rng.normal(size=(n + QUERIES, 6))
    return _forms(points[:n], points[:n]), _forms(points[n:], points[:n]), y[:n]


def _forms(rows: np.ndarray, references: np.ndarray) -> Data:
    D = pairwise_distances(rows, references)
    blocks = {
        "euclidean": similearn.Pairwise(D, "dissimilarity"),
        "cityblock": similearn.Pairwise(
            pairwise_distances(rows, references, metric="cityblock"), "dissimilarity"
        ),
    }
    similarity = similearn.Pairwise(np.exp(-0.3 * D), "similarity")
    wide = similearn.Pairwise(np.exp(-0.1 * D), "similarity")
    return Data(
        features=rows,
        similarity=similarity,
        dissimilarity=blocks["euclidean"],
        blocks=similearn.Sources(blocks),
        kernels=similearn.Sources({"narrow": similarity, "wide": wide}),
        mixed=similearn.Sources({"pairs": similarity, "features": rows}),
    )


def first_and_second_call(label: str, n: int = N) -> tuple[float, float]:
    """Processor seconds of the first and of the second fit and predict (or transform)."""
    cold = COLD[label]
    training, queries, y = make_data(n=n)
    import_module("numba")  # takes its time, too, but compiles nothing
    seconds = []
    for _ in range(2):
        model = cold.build()
        start = time.process_time()
        model.fit(getattr(training, cold.form), y)
        use = model.predict if hasattr(model, "predict") else model.transform
        use(getattr(queries, cold.form))
        seconds.append(time.process_time() - start)
    return seconds[0], seconds[1]


def compiling(label: str) -> dict[str, float]:
    """Best of few processes, each with an empty cache: the first call less the second.

    Returns
    -------
    notes : "compiling" and "call" in processor seconds, "functions" kept in the cache
    """
    runs = []
    for _ in range(REPEATS):
        with TemporaryDirectory() as cache:
            command = [sys.executable, "-m", "benchmarks.bench_cold", label]
            done = subprocess.run(
                command, env=_environment(cache), check=True, capture_output=True, text=True
            )
            first, second = json.loads(done.stdout.splitlines()[-1])
            functions = len(list(Path(cache).rglob("*.nbc")))
        runs.append({"compiling": first - second, "call": second, "functions": functions})
    return min(runs, key=lambda run: run["compiling"])


def _environment(cache: str) -> dict[str, str]:
    """An empty cache; one thread of linear algebra, for waiting threads use the processor."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return with_bytecode() | threads | {"NUMBA_CACHE_DIR": cache}


def _result(name: str, seconds: float, budget: float, notes: dict[str, Any]) -> Result:
    return Result(name, seconds, budget, 1, False, rival_name="the budget", notes=notes)


@benchmark
def cold_estimators():
    """Every public estimator, and all of them together."""
    measured = {label: compiling(label) for label in COLD}
    results = [
        _result(
            f"cold {label}, {notes['functions']} compiled",
            max(notes["compiling"], 1e-3),
            COLD[label].budget,
            notes,
        )
        for label, notes in measured.items()
    ]
    total = sum(result.ours for result in results)
    return [*results, _result("cold, all of them", total, ALL_BUDGET, {})]


@benchmark
def cold_demo():
    """``similearn demo`` with an empty cache: seconds on the clock, all in."""
    with TemporaryDirectory() as cache, TemporaryDirectory() as folder:
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "similearn.cli", "demo"],
            env=os.environ | {"NUMBA_CACHE_DIR": cache},
            cwd=folder,
            check=True,
            capture_output=True,
        )
        seconds = time.perf_counter() - start
    return [_result("cold `similearn demo`, wall", seconds, DEMO_BUDGET, {})]


if __name__ == "__main__":
    print(json.dumps(first_and_second_call(sys.argv[1])))
