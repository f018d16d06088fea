"""Similarity discriminant analysis: rates, local SDA against plain k-NN, memory, paths."""

import time

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from benchmarks.harness import Result, benchmark, best_of, peak_memory
from similearn import LocalSDAClassifier, Pairwise, PathSearchCV
from similearn.numerics.sda.maxent import exact_rates, log_pmf, rate_table
from similearn.numerics.sda.support import Support

N, QUERIES, CLASSES, K = 5000, 2000, 10, 32


def dissimilarities(n=N, m=QUERIES, seed=0):
    """Distances of points around ten centres, training block, queries and labels."""
    rng = np.random.default_rng(seed)
    centres = 1.2 * rng.normal(size=(CLASSES, 8))
    y = rng.integers(CLASSES, size=n + m)
    points = centres[y] + rng.normal(size=(n + m, 8))
    return pairwise_distances(points[:n]), pairwise_distances(points[n:], points[:n]), y[:n]


def nelder_mead_rate(levels, mean):
    """The rate as the papers find it: minimize the dual by Nelder and Mead's method."""

    def dual(rate):
        exponents = rate[0] * (levels - mean)
        top = exponents.max()
        return top + np.log(np.exp(exponents - top).sum())

    options = {"xatol": 1e-8, "fatol": 1e-12}
    return minimize(dual, [0.0], method="Nelder-Mead", options=options).x[0]


@benchmark
def sda_rates():
    """100,000 rates over 101 levels, table included, against Nelder-Mead for each."""
    levels = np.linspace(0, 1, 101)
    support = Support(0.0, 1.0, 1.0, levels, np.zeros(101), False)
    means = np.random.default_rng(0).uniform(0.02, 0.98, 100_000)
    few = means[:100]
    times = best_of(
        {
            "ours": lambda: exact_rates(support, rate_table(support), means),
            "rival": lambda: [nelder_mead_rate(levels, mean) for mean in few],
        },
        repeats=3,
    )
    rates, log_norms = exact_rates(support, rate_table(support), few)
    ours = np.exp(log_pmf(rates[:, None], log_norms[:, None], levels))
    theirs = np.exp(np.outer([nelder_mead_rate(levels, mean) for mean in few], levels))
    np.testing.assert_allclose(ours, theirs / theirs.sum(axis=1, keepdims=True), atol=1e-8)
    return [
        Result(
            "a rate over 101 levels",
            times["ours"] / len(means),
            times["rival"] / len(few),
            1000,
            rival_name="SciPy's Nelder-Mead",
        )
    ]


@benchmark
def local_sda():
    """Regularized local SDA with all distinct distances as Ω, against plain k-NN."""
    D, T, y = dissimilarities()
    training, queries = Pairwise(D, "dissimilarity"), Pairwise(T, "dissimilarity")
    rival = KNeighborsClassifier(K, metric="precomputed", n_jobs=2).fit(D, y)
    model = LocalSDAClassifier(K, regularization="joint", kind="dissimilarity", n_jobs=2)
    model.fit(training, y)

    def fit():
        LocalSDAClassifier(K, regularization="joint", kind="dissimilarity", n_jobs=2).fit(
            Pairwise(D, "dissimilarity"), y
        )

    calls = {
        "predict": lambda: model.predict(queries),
        "fit": fit,
        "rival": lambda: rival.predict(T),
    }
    times = best_of(calls)
    where = f"n={N}, {CLASSES} classes, k={K}"
    return [
        Result(
            f"local SDA predict, {where}, {QUERIES} queries",
            times["predict"],
            times["rival"],
            3,
            False,
            rival_name="plain k-NN predict",
        ),
        Result(
            f"local SDA fit, {where}",
            times["fit"],
            times["rival"],
            9,
            False,
            rival_name="plain k-NN predict",
        ),
        Result(
            f"local SDA fit, {where}, extra memory against the block",
            peak_memory(fit),
            D.nbytes,
            None,
            False,
            unit="bytes",
        ),
    ]


@benchmark
def local_sda_path():
    """The papers' grid of k and α by 10-fold cross-validation."""
    D, _, y = dissimilarities(500, 1)
    grid = {
        "n_neighbors": [*range(1, 17), 32, 64, 128],
        "alpha": [1e-6, 1e-3, 0.01, 0.1, 0.5, 0.9],
    }
    model = LocalSDAClassifier(regularization="joint", kind="dissimilarity")
    block = Pairwise(D, "dissimilarity")
    times = {}
    for name, search in (("ours", PathSearchCV), ("rival", GridSearchCV)):
        start = time.perf_counter()
        search(model, grid, cv=10, refit=False).fit(block, y)
        times[name] = time.perf_counter() - start
    return [
        Result(
            "local SDA, 114 candidates, 10 folds, n=500",
            times["ours"],
            times["rival"],
            rival_name="GridSearchCV of the same",
        )
    ]
