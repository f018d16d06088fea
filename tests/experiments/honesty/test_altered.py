"""Problems that are made harder are so by as much as is said, and in nothing else."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from similearn import Pairwise, datasets
from similearn.experiments.comparisons.problems import BlockProblem
from similearn.experiments.honesty.altered import (
    VotesWithWrongLabels,
    flipped,
    treated,
    with_rare_class,
    with_wrong_labels,
)


@pytest.fixture(scope="module")
def problem():
    bunch = datasets.make_similarities(100, n_classes=2, random_state=0)
    return BlockProblem("made", bunch.data, bunch.target)


def test_labels_are_exchanged_for_others(problem):
    y = np.repeat(["a", "b", "c"], 20)
    changed = flipped(y, 0.1, np.random.default_rng(0))
    assert np.count_nonzero(changed != y) == 6
    spoiled = with_wrong_labels(problem, 0.05)
    assert spoiled.name == "made, 5 % wrong" and spoiled.fingerprint != problem.fingerprint
    whole, split = problem.split(0, 1), spoiled.split(0, 1)
    assert np.count_nonzero(split.y_train != split.truth) == 4
    assert_array_equal(split.truth, whole.y_train)
    assert_array_equal(split.y_test, whole.y_test)
    assert_array_equal(split.y_train, spoiled.split(0, 1).y_train)


def test_the_metric_of_the_votes_sees_the_wrong_labels():
    split = VotesWithWrongLabels(0.1).split(0, 0)
    assert np.count_nonzero(split.y_train != split.truth) == round(0.1 * len(split.truth))
    assert split.train.kind == "dissimilarity" and split.test.shape[1] == len(split.truth)
    other = VotesWithWrongLabels(0.02).split(0, 0)
    assert not np.allclose(split.train.values, other.train.values)


def test_a_class_is_made_rare_in_training_alone(problem):
    whole, split = problem.split(0, 0), with_rare_class(problem, 0.04).split(0, 0)
    _, counts = np.unique(split.y_train, return_counts=True)
    assert abs(counts.min() / counts.sum() - 0.04) < 0.01
    assert_array_equal(split.y_test, whole.y_test)
    assert split.train.shape == (counts.sum(), counts.sum())
    assert split.test.shape == (len(whole.y_test), counts.sum())


def test_holes_are_the_same_for_every_way():
    S = datasets.make_similarities(30, random_state=0).data.values + 1.0
    block = Pairwise(S, "similarity")
    unknown = treated(block, 0.3, "unknown")
    zero, fill = (treated(block, 0.3, way).values for way in ("zero", "fill"))
    holes = zero != S
    assert 0.2 < holes.mean() < 0.4 and not holes.diagonal().any()
    assert_array_equal(holes, holes.T)
    assert_array_equal(fill[~holes], S[~holes])
    assert unknown.kind == "dissimilarity" and unknown.values.nnz == np.count_nonzero(~holes)
