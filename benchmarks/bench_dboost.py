"""DBoost against literal NumPy and against scikit-learn's boosted stumps on similarities."""

import time

import numpy as np
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from benchmarks.harness import Result, benchmark, best_of
from similearn import DBoostClassifier
from similearn.numerics.pairs.boosting import draw_pairs
from tests.reference import dboost as reference

N, ROUNDS, PAIRS = 1000, 200, 100
LITERAL_ROUNDS = 1


def problem(n=N, seed=0):
    """Two classes in ten dimensions, told apart by a product: no single pair suffices."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 10))
    y = (X[:, 0] * X[:, 1] + 0.5 * rng.standard_normal(n) > 0).astype(np.intp)
    squares = (X**2).sum(axis=1)
    D = np.sqrt(np.maximum(squares[:, None] + squares - 2 * X @ X.T, 0))
    np.fill_diagonal(D, 0)
    return (D + D.T) / 2, y


def generator(seed=0):
    """The generator that ``random_state=seed`` means to DBoostClassifier."""
    return np.random.default_rng(np.random.RandomState(seed).randint(2**31 - 1))


def ours(D, y, n_rounds=ROUNDS, n_jobs=1):
    return DBoostClassifier(n_rounds, PAIRS, random_state=0, n_jobs=n_jobs).fit(D, y)


def numpy_loop(D, y, n_rounds, search):
    return reference.boost(D, y, n_rounds, PAIRS, generator(), search=search, draw=draw_pairs)


def same_model(model, literal, n_rounds):
    pairs, thresholds, votes, _ = literal
    assert np.array_equal(model.pairs_[:n_rounds, 0], pairs)
    assert np.array_equal(model.cuts_[:n_rounds, 0], thresholds)
    assert np.allclose(model.votes_[:n_rounds], votes, rtol=1e-9)


@benchmark
def dboost_literal():
    """Every threshold of every pair by masks; a full run takes long, so one round is timed."""
    D, y = problem()
    seconds = best_of({"ours": lambda: ours(D, y)}, repeats=3)["ours"] / ROUNDS * LITERAL_ROUNDS
    start = time.perf_counter()
    literal = numpy_loop(D, y, LITERAL_ROUNDS, reference.best_cut)
    rival = time.perf_counter() - start
    same_model(ours(D, y), literal, LITERAL_ROUNDS)
    name = f"DBoost, n={N}, {PAIRS} pairs, each round"
    told = "NumPy loop over pairs and thresholds"
    return [Result(name, seconds, rival, 20, rival_name=told)]


@benchmark
def dboost_sorted():
    """One argsort and running sums per pair: what NumPy does best."""
    D, y = problem()
    same_model(ours(D, y), numpy_loop(D, y, ROUNDS, reference.best_cut_sorted), ROUNDS)
    times = best_of(
        {
            "ours": lambda: ours(D, y),
            "rival": lambda: numpy_loop(D, y, ROUNDS, reference.best_cut_sorted),
        },
        repeats=3,
    )
    name = f"DBoost fit, n={N}, {ROUNDS} rounds, {PAIRS} pairs"
    told = "NumPy sorting each pair"
    return [Result(name, times["ours"], times["rival"], rival_name=told)]


@benchmark
def dboost_scikit_learn():
    D, y = problem()
    start = time.perf_counter()
    stumps = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=ROUNDS)
    stumps.fit(D, y)
    rival = time.perf_counter() - start
    seconds = best_of({"ours": lambda: ours(D, y)}, repeats=3)["ours"]
    name = f"DBoost fit, n={N}, {ROUNDS} rounds, against boosted trees"
    told = "AdaBoostClassifier of depth-1 trees on n distances"
    return [Result(name, seconds, rival, 1, rival_name=told)]
