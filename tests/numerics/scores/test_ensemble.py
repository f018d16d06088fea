"""Greedy selection against its literal twin, and what it promises."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from similearn.numerics.scores.ensemble import greedy_weights
from tests.reference.ensemble import greedy_weights as literal


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_first", [1, 3, 9])
def test_the_same_as_the_literal_selection(seed, n_first):
    own = np.random.default_rng(seed).uniform(0.01, 1.0, size=(6, 40))
    assert_allclose(greedy_weights(own, n_first, 12), literal(own, n_first, 12))


def test_one_that_is_always_right_takes_it_all_in_the_end():
    own = np.vstack([np.full((5, 30), 0.3), np.full((1, 30), 0.999)])
    assert greedy_weights(own, n_first=1)[5] == 1.0
    assert greedy_weights(own)[5] > 0.7  # it begins with the mean of five


def test_never_worse_than_the_mean_of_the_first():
    own = np.random.default_rng(0).uniform(0.01, 1.0, size=(8, 25))
    best = np.argsort(-np.log(own).sum(axis=1))[:5]
    loss = -np.log(greedy_weights(own) @ own).mean()
    assert loss <= -np.log(own[best].mean(axis=0)).mean()


def test_equal_members_the_first_is_preferred():
    weights = greedy_weights(np.full((3, 10), 0.5), n_first=1)
    assert_allclose(weights, [1.0, 0.0, 0.0])


def test_one_member():
    assert_allclose(greedy_weights(np.full((1, 4), 0.2)), [1.0])
