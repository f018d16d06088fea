import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from similearn.experiments.comparisons.splitting import (
    random_split,
    smallest_training_fold,
    tuning_folds,
)
from tests.thinning import drawn

labels = st.lists(st.sampled_from("abcd"), min_size=12, max_size=80).filter(
    lambda y: len(set(y)) > 1
)


@drawn(60)
@given(labels, st.integers(0, 100))
def test_every_class_of_two_is_trained_on_and_none_is_lost(y, seed):
    y = np.array(y)
    train, test = random_split(y, seed, 3)
    assert sorted([*train, *test]) == list(range(len(y)))
    assert set(y[train]) == set(y)
    for label in set(y):
        members, held_out = (y == label).sum(), (y[test] == label).sum()
        assert held_out <= -(-members // 5)


@drawn(60)
@given(labels, st.integers(0, 100))
def test_folds_hold_out_everybody_once_except_single_members(y, seed):
    y = np.array(y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        folds = tuning_folds(y, seed, 0)
    held_out = np.sort(np.concatenate([out for _, out in folds]))
    single = [i for i in range(len(y)) if (y == y[i]).sum() == 1]
    assert sorted([*held_out, *single]) == list(range(len(y)))
    for train, out in folds:
        assert sorted([*train, *out]) == list(range(len(y)))
        assert set(y[train]) == set(y)
    sizes = [len(out) for _, out in folds]
    assert max(sizes) - min(sizes) <= 1
    assert smallest_training_fold(folds) == len(y) - max(sizes)


def test_a_fifth_is_held_out_in_proportion():
    y = np.repeat([0, 1], [300, 100])
    _, test = random_split(y, 0, 0)
    assert len(test) == 80
    assert np.bincount(y[test]).tolist() == [60, 20]


@pytest.mark.parametrize("draw", [random_split, lambda *a: tuning_folds(*a)[0]])
def test_seed_and_number_decide(draw):
    y = np.repeat([0, 1, 2], 30)
    same, other = draw(y, 1, 2), draw(y, 1, 3)
    assert np.array_equal(draw(y, 1, 2)[1], same[1])
    assert not np.array_equal(same[1], other[1])
    assert not np.array_equal(draw(y, 2, 2)[1], same[1])
