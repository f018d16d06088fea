"""The default classifier: what it costs, in time and memory, against its own members."""

import time

import numpy as np

from benchmarks.harness import Result, benchmark, best_of, peak_memory
from similearn import PathSearchCV, SimilarityClassifier, datasets
from similearn.selection.auto.named_blocks import size_of_similarities
from similearn.selection.auto.portfolio import EFFORTS, stages_for
from similearn.selection.auto.trying import candidates_of
from similearn.selection.folds import dealt_folds

CLASSES, JOBS = 5, 2


def problem(n):
    """A training block, labels and 20 queries."""
    bunch = datasets.make_similarities(n + 20, n_classes=CLASSES, indefinite=0.2, random_state=0)
    train, test = np.arange(n), np.arange(n, n + 20)
    return bunch.data[np.ix_(train, train)], bunch.target[train], bunch.data[np.ix_(test, train)]


def seconds_of(function):
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


@benchmark
def auto_against_members():
    """At most three times the two slowest members' own searches, on as many folds."""
    S, y, _ = problem(1000)
    small, small_y, _ = problem(100)
    folds = dealt_folds(y, EFFORTS["normal"], np.random.default_rng(0))
    members = [member for stage in stages_for("normal") for member in stage]
    own = {}
    for member in members:
        grid = [
            {name: [value] for name, value in point.items()}
            for point in candidates_of(member, 800, size_of_similarities(S))
        ]
        search = PathSearchCV(member.build("similarity"), grid, cv=folds, n_jobs=JOBS)
        search.estimator.fit(small, small_y)  # compile
        own[member.name] = seconds_of(lambda search=search: search.fit(S, y))
    slowest = sorted(own.values())[-2:]
    SimilarityClassifier().fit(small, small_y)
    ours = seconds_of(lambda: SimilarityClassifier(n_jobs=JOBS).fit(S, y))
    name = "auto, n=1000, against its two slowest members' own searches"
    return [Result(name, ours, sum(slowest), 3, higher=False, notes=own)]


@benchmark
def auto_large():
    """The bars: 40 s at quick and 5 min at normal effort, four blocks of memory, 5 ms per query."""
    S, y, queries = problem(5000)
    SimilarityClassifier().fit(*problem(100)[:2])  # compile
    results = []
    for effort, bar in (("quick", 40.0), ("normal", 300.0)):
        model = SimilarityClassifier(effort=effort, n_jobs=JOBS)
        seconds = seconds_of(lambda model=model: model.fit(S, y))
        results.append(Result(f"auto, n=5000, effort={effort}, against {bar:g} s", seconds, bar, 1))
    one = [queries[[i]] for i in range(len(queries))]
    times = best_of({"ours": lambda: [model.predict_proba(query) for query in one]}, 3)
    results.append(
        Result("auto, n=5000, one query, against 5 ms", times["ours"] / len(one), 5e-3, 1)
    )
    return results


@benchmark
def auto_memory():
    """Peak memory of a fit beyond the block, at a size at which blocks are what counts."""
    S, y, _ = problem(2000)
    model = SimilarityClassifier(n_jobs=1)
    name = "auto, n=2000, peak memory of fit / block"
    used = S.nbytes + peak_memory(lambda: model.fit(S, y))
    return [Result(name, used, S.nbytes, 4, higher=False, unit="bytes", rival_name="the block")]
