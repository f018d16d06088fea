"""Proximity forests: trees as in the paper, few comparisons, the same for any form of block."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline

import similearn
from benchmarks.names import make_names
from similearn import Pairwise, PairwiseSimilarity, ProximityForestClassifier, Sources
from similearn.errors import FileError, InputError, InputTypeError
from similearn.numerics.pairs.proximity_trees import Growth, grow, route, weighted_gini
from tests.reference.forest import gini, reference_tree

X, Y = load_iris(return_X_y=True)
NAMES, PEOPLES = make_names(120)
NAMES = [f"{name}{'aeiou'[g] * 4}" for name, g in zip(NAMES, PEOPLES, strict=True)]


def forest(n_estimators=5, **parameters):
    return ProximityForestClassifier(
        n_estimators, **({"random_state": 0, "calibration": "none"} | parameters)
    )


def nested(tree, node=0):
    """A tree of `grow` as the twin has it: class counts, and branches by exemplar."""
    branches = range(tree.starts[node], tree.starts[node + 1])
    return tree.counts[node].tolist(), {
        int(tree.exemplars[b]): nested(tree, int(tree.children[b])) for b in branches
    }


def nested_twin(node, codes, n_classes):
    counts = np.bincount(codes[node["members"]], minlength=n_classes).astype(float)
    children = node.get("children", {})
    return counts.tolist(), {e: nested_twin(c, codes, n_classes) for e, c in children.items()}


@pytest.mark.parametrize(
    "changes",
    [{}, {"n_sources": 2}, {"n_judged": 9}, {"max_depth": 2}, {"min_samples_leaf": 4}],
    ids=str,
)
def test_tree_equals_its_twin(changes):
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=40)
    keys = [np.round(rng.normal(size=(40, 40)) + (codes[:, None] == codes), 1) for _ in range(2)]
    told = {"n_classes": 3, "n_sources": 1, "n_candidates": 3, "max_depth": None,
            "min_samples_leaf": 1, "n_judged": 1000}  # fmt: skip
    growth = Growth(**told | changes)
    tree = grow(lambda s, i, j: keys[s][np.ix_(i, j)], codes, growth, np.random.default_rng(1))
    twin = reference_tree(keys, codes, growth, np.random.default_rng(1))
    assert nested(tree) == nested_twin(twin, codes, 3)
    leaves = route(tree, lambda s, i, j: keys[s][np.ix_(i, j)], np.arange(40))[0]
    assert_array_equal(
        np.bincount(leaves, minlength=len(tree.sources)) > 0, np.diff(tree.starts) == 0
    )


def test_gini():
    branches, codes = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 0])
    expected = 2 / 5 * gini([0, 1]) + 3 / 5 * gini([1, 1, 0])
    assert weighted_gini(branches, codes, 3, 2) == pytest.approx(expected)


def test_comparisons_are_of_the_order_of_n_log_n():
    def gap(a, b):
        compared[0] += 1
        return abs(a - b)

    for n in (100, 400, 1600):
        compared, rng = [0], np.random.default_rng(0)
        y = rng.integers(2, size=n)
        points = (y + rng.normal(scale=0.3, size=n)).tolist()
        compare = PairwiseSimilarity(gap, kind="dissimilarity", symmetric=True, lazy=True)
        forest(3, split_samples=50).fit(compare.fit_transform(points), y)
        assert compared[0] / 3 < 5 * n * np.log2(n)
    assert compared[0] / 3 < 0.05 * n * n


def test_every_form_of_block_gives_the_same():
    D = PairwiseSimilarity("euclidean", lazy=False).fit_transform(X)
    lazy = PairwiseSimilarity("euclidean", lazy=True)
    S = Pairwise(np.exp(-D.values), "similarity")
    csr = Pairwise(sparse.csr_array(S.values), "similarity")
    expected = forest().fit(D, Y).predict_proba(D[:20])
    assert_array_equal(
        forest().fit(lazy.fit_transform(X), Y).predict_proba(lazy.transform(X[:20])), expected
    )
    assert_array_equal(forest().fit(S, Y).predict_proba(S[:20]), expected)
    assert_array_equal(forest().fit(csr, Y).predict_proba(csr[:20]), expected)
    assert_array_equal(
        forest(kind="dissimilarity").fit(D.values, Y).predict_proba(D.values[:20]), expected
    )


def counted_gap(a, b):
    return abs(len(a) - len(b)) + 2 * len(set(a) ^ set(b)) + 0.5 * (a < b)


@pytest.mark.parametrize("function", ["levenshtein", counted_gap], ids=["threads", "processes"])
def test_workers_do_not_matter(function):
    told = {} if isinstance(function, str) else {"kind": "dissimilarity", "symmetric": False}
    compare = PairwiseSimilarity(function, lazy=True, **told)
    block = compare.fit_transform(NAMES[:90])
    found = [
        forest(4, n_jobs=n_jobs)
        .fit(block, PEOPLES[:90])
        .predict_proba(compare.transform(NAMES[90:]))
        for n_jobs in (1, 2)
    ]
    assert_array_equal(*found)


def test_learns_and_its_probabilities_are_calibrated():
    model = make_pipeline(PairwiseSimilarity("levenshtein", lazy=True),
                          ProximityForestClassifier(20, random_state=0))  # fmt: skip
    model.fit(NAMES[:90], PEOPLES[:90])
    found = model.predict_proba(NAMES[90:])
    assert np.allclose(found.sum(axis=1), 1) and (found > 0).all()
    assert model.score(NAMES[90:], PEOPLES[90:]) > 0.8
    raw = forest(20).fit(model[0].fit_transform(NAMES[:90]), PEOPLES[:90])
    shares = raw.predict_proba(model[0].transform(NAMES[90:]))
    assert log_loss(PEOPLES[90:], found) < log_loss(PEOPLES[90:], shares)


def test_sources_are_drawn_for_each_split():
    good = PairwiseSimilarity("euclidean").fit_transform(X)
    noise = np.random.default_rng(0).random(good.shape)
    bad = Pairwise(noise + noise.T, "similarity")
    both = Sources({"bad": bad, "good": good})
    model = forest(10).fit(both, Y)
    assert {int(s) for tree in model.trees_ for s in tree.sources} == {0, 1}
    assert model.score(both, Y) > 0.9
    assert forest(sources=["good"]).fit(both, Y).sources_ == ["good"]
    with pytest.raises(InputError, match="is a table of features"):
        forest().fit(Sources({"table": X}), Y)
    with pytest.raises(InputTypeError, match="must be a list"):
        forest(sources="good").fit(both, Y)


def test_fewer_trees_are_the_first_ones():
    D = PairwiseSimilarity("euclidean").fit_transform(X)
    candidates = [{"n_estimators": n} for n in (5, 2, 3)]
    scores = forest().fit_path(D, Y, candidates).path_scores(D[:30])
    for candidate, found in zip(candidates, scores, strict=True):
        assert_array_equal(forest(**candidate).fit(D, Y).decision_function(D[:30]), found)


def test_a_constant_block_gives_class_shares():
    model = forest().fit(Pairwise(np.ones((6, 6)), "similarity"), [0, 0, 0, 0, 1, 1])
    assert model.predict_proba(np.ones((1, 6)))[0].round(6).tolist() == [0.666667, 0.333333]
    assert model.explain(np.ones((1, 6))).neighbors is None


def test_limits_of_trees():
    D = PairwiseSimilarity("euclidean").fit_transform(X)
    assert len(forest(1, max_depth=1).fit(D, Y).trees_[0].sources) <= 4
    leaves = forest(1, min_samples_leaf=10).fit(D, Y).trees_[0].counts.sum(axis=1)
    assert leaves.min() >= 10
    for name in ("n_estimators", "n_candidates", "max_depth", "min_samples_leaf", "split_samples"):
        with pytest.raises(InputError, match=name):
            forest(**{name: 0}).fit(D, Y)


def test_explains_by_exemplars():
    D = PairwiseSimilarity("euclidean").fit_transform(X)
    model = forest(30).fit(D, Y)
    told = model.explain(D[:3])
    assert (
        told.neighbors.shape == told.values.shape
        and np.isin(told.neighbors, model.prototypes_).all()
    )
    assert_array_equal(told.values, np.take_along_axis(D.values[:3], told.neighbors, axis=1))
    assert (np.diff(told.weights, axis=1) <= 0).all()
    assert "neighbour" in str(told)


def test_model_files_are_checked(tmp_path):
    D = PairwiseSimilarity("euclidean").fit_transform(X)
    model = forest(3).fit(D, Y)
    similearn.save(model, tmp_path / "forest.simi")
    assert_array_equal(similearn.load(tmp_path / "forest.simi").predict(D), model.predict(D))
    tree = model.trees_[0]
    for part, wrong in (("children", 0), ("exemplars", 150), ("sources", 1), ("starts", 3)):
        kept = getattr(tree, part).copy()
        getattr(tree, part)[0] = wrong
        similearn.save(model, tmp_path / "wrong.simi")
        with pytest.raises(FileError):
            similearn.load(tmp_path / "wrong.simi")
        getattr(tree, part)[:] = kept
