"""Combined dissimilarities: the slides' two experiments, and the speed of learning.

The second experiment needs the folder of data that `similearn reproduce` takes; name it in the
environment variable SIMILEARN_DATA.
"""

import os
import time
from pathlib import Path

import numpy as np

from benchmarks.harness import Result, benchmark, best_of, peak_memory
from similearn.experiments.comparisons.runner import run_units
from similearn.experiments.reproduction.columns.folder import DataFolder
from similearn.experiments.reproduction.plan import Plan, loaded, units_of
from similearn.experiments.reproduction.plans.cdnn import PLANS
from similearn.numerics.combine.cdnn import Bundle, minimize_by_cuts
from similearn.numerics.combine.cones import Polyhedral
from similearn.numerics.combine.triples import combined, make_triples, pair_vectors, square

REPETITIONS = 20
SHOWN = ("pythagorean", "cdnn", "cdnn-once")  # besides single blocks; the others take longer


@benchmark
def combiner_cylinder():
    """Errors of Experiment 1, 20 repetitions; the bar for what is learned is the slides' error."""
    return _experiment(PLANS[0], None, (*SHOWN, "cdnn-spn"))


@benchmark
def combiner_proteins():
    """Errors of Experiment 2, 20 replications, if the data are there."""
    folder = os.environ.get("SIMILEARN_DATA")
    if folder is None:
        print("combiner_proteins needs the folder of data sets in SIMILEARN_DATA; skipped.")
        return []
    return _experiment(PLANS[1], DataFolder(Path(folder)), (*SHOWN, "pythagorean-scaled"))


def _experiment(plan: Plan, data, names):
    """Mean errors of single blocks and of the methods with these names, beside the slides'."""
    column = plan.columns[0]
    problems, missing = loaded(plan, data, [column.key])
    if missing:
        print(f"{missing[column.key]} Skipped.")
        return []
    rows = [r for r in plan.rows if r.method.name in names or _is_single(r)]
    wanted = [row.method.name for row in rows]
    units = units_of(plan, problems, n_splits=REPETITIONS, methods=wanted)
    records = run_units(units, n_jobs=2)
    results = []
    for row in rows:
        errors = [r["error"] for r in records if r["method"] == row.method.name]
        cell = plan.table.cells[column.printed, row.printed]
        slides = cell.mean / 100 if plan.table.measure == "error" else 1 - cell.mean
        label = f"{column.key}, 1-NN error: {row.method.name} (± {np.std(errors):.3f})"
        bar = 1.0 if row.method.name == "cdnn" else None
        mean = float(np.mean(errors))
        results.append(Result(label, mean, slides, bar, False, "", "the slides"))
    return results


def _is_single(row):
    return row.method.name.startswith("1nn-") and not row.reading


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
