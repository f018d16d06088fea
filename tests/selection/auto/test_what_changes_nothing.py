"""Units, output settings, lazy blocks, threads: what must not change the default's answers."""

import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from threadpoolctl import threadpool_info

from similearn import (
    Pairwise,
    PairwiseSimilarity,
    SimilarityClassifier,
    Sources,
    suspicious_labels,
)
from similearn.selection.auto import members, named_blocks
from similearn.selection.auto.members import refitted
from similearn.selection.auto.named_blocks import size_of_similarities

QUICK = {"effort": "quick", "progress": False}
N = 36
rng = np.random.default_rng(0)
Y = np.repeat(["a", "b", "c"], N // 3)
POINTS = rng.normal(size=(N, 2)) + 2.0 * (np.arange(N) // (N // 3))[:, None]
NEW = rng.normal(size=(8, 2)) + 2.0 * rng.integers(3, size=8)[:, None]


def distances(one, other=POINTS):
    return np.linalg.norm(one[:, None] - other, axis=2)


METRICS = ("euclidean", "manhattan", "chebyshev")


def similarities(one):
    return np.exp(-0.5 * distances(one) ** 2)


@pytest.mark.parametrize("unit", [1e-150, 1e-6, 2.718, 1e200])
def test_the_unit_of_similarities(unit):
    expected = SimilarityClassifier(progress=False).fit(similarities(POINTS), Y)
    model = SimilarityClassifier(progress=False).fit(unit * similarities(POINTS), Y)
    there, here = model.predict_proba(unit * similarities(NEW)), similarities(NEW)
    assert_allclose(there, expected.predict_proba(here), rtol=1e-3)
    ridge = dict(zip(model.leaderboard_["method"], model.leaderboard_["parameters"], strict=True))
    assert 0.9e-3 * unit <= ridge["krr-knn"]["ridge"] <= 11.0 * unit


def test_how_large_similarities_are():
    S = similarities(POINTS)
    assert size_of_similarities(Pairwise(S, "similarity")) == 1.0
    assert size_of_similarities(Pairwise(7.123e250 * S, "similarity")) == pytest.approx(7.123e250)
    assert size_of_similarities(Pairwise(-3.0 * (1 - np.eye(9)), "similarity")) == (
        pytest.approx(np.sqrt(8.0))
    )
    assert size_of_similarities(Pairwise(np.zeros((3, 3)), "similarity")) == 1.0


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_the_output_that_scikit_learn_is_set_to_give(output, tmp_path):
    pytest.importorskip(output)
    D, words = distances(POINTS), [f"{'xyz'[i % 3] * 4}{i}" for i in range(12)]
    expected = SimilarityClassifier(progress=False).fit(D, Y)
    with config_context(transform_output=output):
        model = SimilarityClassifier(progress=False).fit(D, Y)
        answers = model.predict_proba(distances(NEW))
        told = model.explain(distances(NEW)).tell(0)
        of_words = SimilarityClassifier(similarity="levenshtein", **QUICK)
        assert of_words.fit(words, [w[0] for w in words]).predict(["xxxx"]) == "x"
        suspicious = suspicious_labels(of_words, words, [w[0] for w in words], cv=2)
        of_words.report(words, [w[0] for w in words], tmp_path / "report.html")
    assert suspicious.n_samples == 12
    assert model.leaderboard_["failure"] == [None] * len(model.leaderboard_)
    assert_array_equal(answers, expected.predict_proba(distances(NEW)))
    assert told == expected.explain(distances(NEW)).tell(0)


class Counted:
    """A distance of points that counts how often it is asked."""

    def __init__(self):
        self.calls = 0

    def __call__(self, one, other):
        self.calls += 1
        return float(np.linalg.norm(np.subtract(one, other)))


def test_a_lazy_block_is_compared_once_for_all_members(monkeypatch):
    monkeypatch.setattr(named_blocks, "why_slow", lambda block: None)  # it times some pairs
    count = Counted()
    compare = PairwiseSimilarity(count, kind="dissimilarity", symmetric=True, lazy=True)
    points, new = list(map(tuple, POINTS)), list(map(tuple, NEW))
    model = SimilarityClassifier(progress=False).fit(compare.fit_transform(points), Y)
    assert count.calls <= N * N
    queries = compare.transform(new)
    count.calls = 0
    answers = model.predict_proba(queries)
    assert count.calls == len(new) * (N + 1)  # and with itself
    expected = SimilarityClassifier(progress=False).fit(distances(POINTS), Y)
    assert_allclose(answers, expected.predict_proba(distances(NEW)), rtol=1e-6)


@pytest.mark.parametrize(("room", "computed"), [(6.5, True), (5.5, False)])
def test_lazy_blocks_leave_room_for_what_is_made_of_them(monkeypatch, room, computed):
    blocks = named_blocks.Blocks(
        {name: PairwiseSimilarity(name, lazy=True).fit_transform(POINTS) for name in METRICS}
    )
    monkeypatch.setattr(named_blocks, "most_bytes", lambda: int(room * 8 * N * N))
    blocks.settle()
    assert [blocks[name].is_lazy for name in METRICS] == [not computed] * 3


def test_of_several_sources_only_the_slow_one_gets_a_forest(monkeypatch):
    lazy = PairwiseSimilarity("euclidean", lazy=True).fit_transform(POINTS)
    monkeypatch.setattr(named_blocks, "PATIENCE", 0.0)
    X = Sources({"quick": Pairwise(distances(POINTS), "dissimilarity"), "slow": lazy})
    board = SimilarityClassifier(**QUICK).fit(X, Y).leaderboard_
    done = {(row["source"], row["method"]) for row in board.rows if row["failure"] is None}
    assert {method for source, method in done if source == "slow"} == {"proximity-forest"}
    assert ("quick", "knn") in done and ("quick", "proximity-forest") not in done
    assert "comparing all pairs" in {row["source"]: row["failure"] for row in board.rows}["slow"]


def test_a_learned_similarity_is_learned_once_for_each_fold(monkeypatch):
    fits, original = [], PairwiseSimilarity.fit_transform

    def counted(self, X, y=None, **options):
        fits.append(len(X))
        return original(self, X, y, **options)

    monkeypatch.setattr(PairwiseSimilarity, "fit_transform", counted)
    table = [[str(i % 3), str(i % 2), "x"] for i in range(N)]
    model = SimilarityClassifier(similarity="value_difference", progress=False)
    expected = model.fit(table, Y).predict_proba(table)
    assert sorted(fits)[-1] == N and len(fits) == 5 + 1
    fits.clear()
    monkeypatch.setattr(named_blocks, "working_bytes", lambda: 4 * 8 * N * N)  # for one fold
    assert_array_equal(model.fit(table, Y).predict_proba(table), expected)
    assert len(fits) > 5 + 1


def test_members_are_fitted_in_one_thread_of_linear_algebra(monkeypatch):
    seen, original = [], members.FittedMember.of

    def spied(*arguments):
        seen.extend(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")
        return original(*arguments)

    monkeypatch.setattr(members.FittedMember, "of", spied)
    SimilarityClassifier(**QUICK).fit(distances(POINTS), Y)
    assert set(seen) == {1}


def test_queries_in_another_thread():
    model = SimilarityClassifier(progress=False).fit(distances(POINTS), Y)
    found = []
    thread = threading.Thread(target=lambda: found.append(model.predict_proba(distances(NEW))))
    thread.start()
    thread.join()
    assert_array_equal(found[0], model.predict_proba(distances(NEW)))


def test_a_model_fitted_again_converts_once(monkeypatch):
    model = SimilarityClassifier(progress=False).fit(distances(POINTS), Y)
    assert sum(member.conversion is not None for member in model.members_) > 1
    expected = model.predict_proba(distances(NEW))
    conversions, original = [], members.SharedInput._converted
    monkeypatch.setattr(
        members.SharedInput, "_converted", lambda self: (conversions.append(1), original(self))[1]
    )
    again = refitted(model, distances(POINTS), Y)
    assert len(conversions) == 1
    assert_allclose(again.predict_proba(distances(NEW)), expected, rtol=1e-9)


def test_samples_of_no_share_are_told_by_nearness():
    x = np.r_[np.arange(10.0), 100.0 + np.arange(10.0)]
    D, y = np.abs(x[:, None] - x), np.repeat([0, 1], 10)
    told = SimilarityClassifier(progress=False).fit(D, y).explain(D[[3]])
    shared = told.weights[0] > 0
    assert (np.diff(told.weights[0]) <= 0).all()
    assert set(told.neighbors[0]) <= set(range(10))  # none of the far cluster
    assert (np.diff(told.values[0][~shared]) >= 0).all()
