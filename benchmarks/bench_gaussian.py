"""Local Bayesian discriminant analysis against the formula as it is printed."""

import math

import numpy as np

from benchmarks.harness import Result, benchmark, best_of
from similearn import LocalBDAClassifier
from similearn.numerics.gaussian.bda import local_log_likelihoods
from similearn.numerics.neighbors.row_search import nearest_rows, row_table

QUERIES = 2000


def literal(x, samples):
    """Fusing eq. 1, the two d×d determinants, with the constant of a density."""
    k, d = samples.shape
    mean = samples.mean(axis=0)
    Z = samples - mean
    scatter = Z.T @ Z
    A = scatter + np.diag(0.95 * (d + 3) * np.diag(scatter) / k + 0.05)
    away = k / (k + 1) * np.outer(x - mean, x - mean)
    constant = d / 2 * math.log(k / (k + 1) / math.pi)
    constant += math.lgamma((k + d + 4) / 2) - math.lgamma((k + 4) / 2)
    one, other = np.linalg.slogdet(A)[1], np.linalg.slogdet(A + away)[1]
    return constant + (k + d + 3) / 2 * one - (k + d + 4) / 2 * other


@benchmark
def local_bda():
    """Log-likelihoods of one class, neighbours given; then all of predict, two classes."""
    results = []
    for n, d, k, few, bar in ((2500, 16, 32, QUERIES, 20), (750, 1500, 16, 4, 50)):
        rng = np.random.default_rng(0)
        rows, queries = rng.normal(size=(n, d)), rng.normal(size=(QUERIES, d))
        near, _ = nearest_rows(queries, row_table(rows), k)
        ks = np.array([k])
        found = local_log_likelihoods(queries, rows, near, ks)[:, 0]
        expected = [literal(queries[i], rows[near[i]]) for i in range(few)]
        np.testing.assert_allclose(found[:few], expected, rtol=1e-8)
        X, y = np.vstack([rows, rows[::-1] + 0.1]), np.repeat([0, 1], n)
        model = LocalBDAClassifier(k, n_jobs=2).fit(X, y)
        calls = {
            "ours": lambda q=queries, r=rows, p=near, ks=ks: local_log_likelihoods(q, r, p, ks),
            "predict": lambda model=model, q=queries: model.predict(q),
            "rival": lambda q=queries, r=rows, p=near, few=few: [
                literal(q[i], r[p[i]]) for i in range(few)
            ],
        }
        times = best_of(calls, repeats=9 if few == QUERIES else 3)
        rival = times["rival"] / few * QUERIES
        name = f"d={d}, k={k}, {QUERIES} queries"
        told = {"rival_name": "d×d determinants", "notes": {"rival measured on": few}}
        results += [
            Result(f"local BDA, {name}, per class", times["ours"], rival, bar, **told),
            Result(f"local BDA predict, {name}, 2 classes", times["predict"], 2 * rival, **told),
        ]
    return results
