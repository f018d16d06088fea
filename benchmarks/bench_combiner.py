"""Combined dissimilarities: the slides' first experiment, and the speed of learning."""

import time
import warnings

import numpy as np

from benchmarks.harness import Result, benchmark, best_of, peak_memory
from similearn import CDNNClassifier, DissimilarityCombiner, NeighborsClassifier, datasets
from similearn.errors import SimilearnWarning
from similearn.numerics.cdnn import Bundle, minimize_by_cuts
from similearn.numerics.cones import Polyhedral
from similearn.numerics.triples import combined, make_triples, pair_vectors, square

REPETITIONS, TRAINING, TEST = 20, 100, 100
SLIDES = {
    "x1": 0.256,
    "x2": 0.259,
    "x3": 0.391,
    "x4": 0.405,
    "x5": 0.402,
    "Pythagorean": 0.198,
    "CDNN": 0.125,
}


@benchmark
def combiner_cylinder():
    """Errors of Experiment 1, 20 repetitions; the bar for what is learned is the slides' error."""
    errors = {name: [] for name in [*SLIDES, "CDNN, spn cone"]}
    for seed in range(REPETITIONS):
        for name, error in _errors_on_cylinder(seed).items():
            errors[name].append(error)
    results = []
    for name, found in errors.items():
        slides = SLIDES.get(name, SLIDES["CDNN"])
        bar = 1.0 if name.startswith("CDNN") else None
        notes = {"deviation": float(np.std(found))}
        label = f"cylinder, 1-NN error: {name} (± {np.std(found):.3f})"
        mean = float(np.mean(found))
        results.append(Result(label, mean, slides, bar, False, "", "the slides", notes))
    return results


def _errors_on_cylinder(seed):
    X, y = datasets.make_cylinder(TRAINING + TEST, random_state=seed, return_X_y=True)
    train, test = np.arange(TRAINING), np.arange(TRAINING, TRAINING + TEST)
    X, y, queries, truth = X[np.ix_(train, train)], y[train], X[np.ix_(test, train)], y[test]
    nearest = NeighborsClassifier(1, kind="dissimilarity")
    errors = {name: 1 - nearest.fit(X[name], y).score(queries[name], truth) for name in X}
    combiners = {
        "Pythagorean": DissimilarityCombiner("pythagorean", scale=False),
        "CDNN": DissimilarityCombiner(n_jobs=2),
        "CDNN, spn cone": DissimilarityCombiner(cone="spn", n_jobs=2),
    }
    for name, combiner in combiners.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SimilearnWarning)  # of clipped values
            errors[name] = 1 - CDNNClassifier(combiner).fit(X, y).score(queries, truth)
    return errors


def _triples(n, n_blocks, n_classes, n_targets, seed=0):
    """Triples of samples in n_classes Gaussian clusters, seen through n_blocks features each."""
    rng = np.random.default_rng(seed)
    codes = np.sort(np.arange(n) % n_classes)
    points = rng.standard_normal((n_blocks, n, 5))
    points[: n_blocks // 2] += rng.standard_normal((n_classes, 5))[codes]
    blocks = np.linalg.norm(points[:, :, None] - points[:, None], axis=-1)
    pairs = pair_vectors(blocks)
    pairs /= np.sqrt((pairs**2).mean(axis=1))[:, None]
    delta = square(combined(pairs, np.eye(n_blocks)), n)
    return make_triples(pairs, codes, delta, n_targets)


def _fit(triples, tol=1e-3):
    bundle = Bundle(triples, Polyhedral(len(triples.pairs), triples.pairs))
    return minimize_by_cuts(bundle, 1e-2, tol=tol)


@benchmark
def combiner_training():
    """One λ with millions of triples, as in protein folds; the bars are 30 s and 2 GB."""
    triples = _triples(700, 12, 27, 10)
    best = best_of({"ours": lambda: _fit(triples)}, repeats=1)["ours"]
    used = peak_memory(lambda: _fit(triples))
    name = f"CDNN, one ridge, {triples.n_triples / 1e6:.1f} million triples of 12 blocks"
    return [
        Result(f"{name}, against 30 s", best, 30.0, 1, rival_name="30 s"),
        Result(f"{name}, against 2 GB", used, 2e9, 1, False, "bytes", "2 GB"),
    ]


@benchmark
def combiner_cvxpy():
    """The same program, every triple and pair a constraint, by cvxpy and Clarabel."""
    try:
        import cvxpy
    except ImportError:
        print("combiner_cvxpy needs cvxpy and clarabel; skipped.")
        return []
    triples = _triples(100, 12, 5, 3)
    ours = best_of({"ours": lambda: _fit(triples, tol=1e-5)}, repeats=3)["ours"]
    start = time.perf_counter()
    value = _by_cvxpy(cvxpy, triples, 1e-2)
    theirs = time.perf_counter() - start
    found = _fit(triples, tol=1e-5)
    assert abs(found.objective - value) < 1e-4 * value, (found.objective, value)
    name = f"CDNN, one ridge to 1e-5, {triples.n_triples} triples"
    return [Result(name, ours, theirs, 20, rival_name="cvxpy")]


def _by_cvxpy(cvxpy, triples, ridge):
    pack = Polyhedral(len(triples.pairs), triples.pairs).pack
    n = triples.n_samples
    outer = np.stack([pack(np.outer(v, v)) for v in triples.pairs.T])
    place = np.zeros((n, n), dtype=int)
    place[np.triu_indices(n, 1)] = np.arange(len(outer))
    place += place.T
    others = [np.r_[: triples.starts[i], triples.ends[i] : n] for i in range(n)]
    rows = [
        outer[place[i, j]] - outer[place[i, others[i]]]
        for i, targets in enumerate(triples.targets)
        for j in targets
        if j >= 0
    ]
    a = cvxpy.Variable(outer.shape[1])
    hinge = cvxpy.sum(cvxpy.pos(np.concatenate(rows) @ a + 1)) / triples.n_triples
    program = cvxpy.Minimize(hinge + ridge / 2 * cvxpy.sum_squares(a))
    return cvxpy.Problem(program, [outer @ a >= 0]).solve(solver="CLARABEL")
