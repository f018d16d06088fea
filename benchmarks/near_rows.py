"""Rows of the benchmark of scale for what is not exact, and for forests; see `bench_near`."""

import numpy as np

from benchmarks.names import make_names
from benchmarks.scale_rows import row, timed

NEAR, DIMENSIONS = 10, 64


@row
def descent(n):
    """NN-descent of names: pairs compared of each, recall of the ten nearest."""
    from similearn import neighbor_table

    names, _ = make_names(n)
    found = []

    def work():
        found.append(neighbor_table(names, NEAR, "levenshtein", method="descent", random_state=0))

    told = timed(work)
    return told | {"compared": found[0].n_compared / n, "recall": found[0].recall_}


@row
def index(n):
    """A table of vectors by an index, compared exactly on its candidates."""
    from similearn import neighbor_table

    X, found = _vectors(n), []
    told = timed(lambda: found.append(neighbor_table(X, NEAR, method="index")))
    return told | {"recall": found[0].recall_}


@row
def index_alone(n):
    """What usearch takes alone for the same candidates, with the same settings."""
    from similearn.data.graphs.vector_index import CANDIDATES_BEYOND, candidates_of

    X = np.ascontiguousarray(_vectors(n), dtype=np.float32)
    return timed(lambda: candidates_of(X, "l2sq", NEAR + CANDIDATES_BEYOND, 1))


@row
def forest(n):
    """A forest of ten trees on a similarity whose comparisons are counted, and 50 queries."""
    from similearn import PairwiseSimilarity, ProximityForestClassifier

    rng, compared = np.random.default_rng(0), [0]
    y = rng.integers(2, size=n + 50)
    points = (y + rng.normal(scale=0.4, size=n + 50)).tolist()

    def gap(a, b):
        compared[0] += 1
        return abs(a - b)

    compare = PairwiseSimilarity(gap, kind="dissimilarity", symmetric=True, lazy=True)
    model = ProximityForestClassifier(10, n_candidates=3, split_samples=100, min_samples_leaf=5,
                                      calibration="none", random_state=0)  # fmt: skip
    told = timed(lambda: model.fit(compare.fit_transform(points[:n]), y[:n]))
    trained, compared[0] = compared[0], 0
    wrong = model.predict(compare.transform(points[n:])) != y[n:]
    counted = {"compared": trained, "of a query": compared[0] / 50}
    return told | counted | {"error": float(wrong.mean())}


def _vectors(n):
    """Vectors of 64 dimensions around 100 centres, with ten directions that matter most."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(100, DIMENSIONS))
    spread = 1.0 / np.sqrt(1.0 + np.arange(DIMENSIONS))
    return centres[rng.integers(100, size=n)] + rng.normal(size=(n, DIMENSIONS)) * spread
