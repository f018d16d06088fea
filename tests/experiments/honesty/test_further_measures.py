"""What is measured besides errors, against counting by hand."""

import numpy as np
from numpy.testing import assert_allclose

from similearn import NeighborsClassifier, Pairwise, datasets
from similearn.experiments.comparisons.problems import BlockProblem, Split
from similearn.experiments.comparisons.reliability_bins import reliability
from similearn.experiments.honesty.altered import with_wrong_labels
from similearn.experiments.honesty.further_measures import (
    expected_hits,
    sets_of_labels,
    wrong_labels,
)


def made(seed=0, n=120):
    bunch = datasets.make_similarities(n, n_classes=3, bayes_error=0.1, random_state=seed)
    return BlockProblem("made", bunch.data, bunch.target)


def test_ties_at_the_border_count_by_their_share():
    trust = np.array([0.1, 0.5, 0.5, 0.5, 0.9])
    wrong = np.array([True, True, False, True, False])
    assert expected_hits(trust, wrong, 1) == 1.0
    assert_allclose(expected_hits(trust, wrong, 2), 1.0 + 2 / 3)
    assert_allclose(expected_hits(trust, wrong, 4), 3.0)


def test_bins_hold_all_probabilities_and_shares_are_of_training():
    split = made().split(0, 0)
    model = NeighborsClassifier(5).fit(split.train, split.y_train)
    found = reliability(model, split)
    bins = {name: np.array(part) for name, part in found["reliability"].items()}
    assert bins["count"].sum() == 3 * len(split.y_test)
    assert bins["true"].sum() == len(split.y_test)
    assert_allclose(bins["said"].sum(), len(split.y_test), atol=1e-2)
    assert (bins["said"] <= bins["count"] * np.arange(0.1, 1.01, 0.1) + 1e-3).all()
    shares = np.bincount(split.y_train) / len(split.y_train)
    assert_allclose(found["frequencies_log_loss"], -np.log(shares[split.y_test]).mean())


def test_sets_are_those_of_the_model():
    split = made(1).split(0, 0)
    model = NeighborsClassifier(5).fit(split.train, split.y_train)
    found = sets_of_labels(model, split)
    for row in found["sets"]:
        sets = model.predict_set(split.test, coverage=row["coverage"])
        assert row["whole_size"] == sets.sum()
        assert sum(row["whole"]) == sets[np.arange(len(split.y_test)), split.y_test].sum()
        assert all(s <= w for s, w in zip(row["smoothed"], row["whole"], strict=True))
    assert sum(found["tested"]) == len(split.y_test)


def test_a_class_that_a_half_lacks_is_never_ruled_out():
    S = np.kron(np.eye(2), np.ones((6, 6))) + 0.1
    y = np.array(["a"] * 6 + ["b"] * 5 + ["c"])
    split = Split(Pairwise(S, "similarity"), y, Pairwise(S[:4], "similarity"), y[:4])
    model = NeighborsClassifier(3).fit(split.train, y)
    row = sets_of_labels(model, split)["sets"][0]
    assert row["split_size"] >= row["split"][0] and row["split_size"] >= 4  # c is in every set


def test_wrong_labels_are_found():
    split = with_wrong_labels(made(2, 200), 0.05).split(0, 0)
    model = NeighborsClassifier(5)
    found = wrong_labels(model, split)
    assert found["n_wrong"] == 8
    for first, twice in found["found"].values():
        assert 3 <= first <= twice <= 8
