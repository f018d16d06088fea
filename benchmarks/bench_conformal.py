"""Conformal sets by nearest neighbours against plain nearest neighbours."""

import numpy as np

from benchmarks.bench_neighbors import QUERIES, N, distances
from benchmarks.harness import Result, benchmark, best_of
from similearn import NeighborsClassifier


@benchmark
def conformal():
    """Exact full conformal prediction costs at most 1.5 times what `predict` does."""
    D, E, _ = distances()
    y = np.searchsorted(np.quantile(D[0], [0.2, 0.4, 0.6, 0.8]), D[0])  # shells around a sample
    results = []
    for k in (5, 32):
        model = NeighborsClassifier(k, kind="dissimilarity", n_jobs=1).fit(D, y)
        times = best_of(
            {"ours": lambda m=model: m.predict_set(E), "rival": lambda m=model: m.predict(E)}
        )
        name = f"conformal sets, n={N}, {QUERIES} queries, k={k}"
        size = float(model.predict_set(E).sum(axis=1).mean())
        results.append(
            Result(
                name, times["ours"], times["rival"], 1.5, higher=False, rival_name="k-NN predict",
                notes={"mean size at 90 %": round(size, 2)},
            )
        )  # fmt: skip
    return results
