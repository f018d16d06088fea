"""Weights of a mixture against the literal objective, and what they promise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from similearn.numerics.scores.ensemble import mixture_weights
from tests.reference.ensemble import log_posterior


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("prior_samples", [0.5, 3.0, 20.0])
def test_nothing_is_better_by_the_literal_objective(seed, prior_samples):
    own = np.random.default_rng(seed).uniform(0.01, 1.0, size=(4, 30))

    def loss(logits):
        weights = np.exp(logits - logits.max())
        return -log_posterior(weights / weights.sum(), own, prior_samples)

    weights = mixture_weights(own, prior_samples)
    assert weights.sum() == pytest.approx(1.0)
    best = minimize(loss, np.zeros(4), options={"gtol": 1e-8})
    assert -log_posterior(weights, own, prior_samples) <= best.fun + 1e-4


def test_one_that_is_always_right_takes_nearly_all():
    own = np.vstack([np.full((5, 200), 0.3), np.full((1, 200), 0.999)])
    assert mixture_weights(own)[5] > 0.95


def test_few_samples_leave_the_weights_near_the_mean():
    own = np.array([[0.9, 0.9], [0.1, 0.1]])
    few = mixture_weights(own, prior_samples=10.0)
    many = mixture_weights(np.tile(own, 50), prior_samples=10.0)
    assert 0.5 < few[0] < 0.65 < many[0]


def test_equal_members_have_equal_weights():
    assert_allclose(mixture_weights(np.full((3, 10), 0.5)), np.full(3, 1 / 3))


def test_the_order_of_members_does_not_matter():
    own = np.random.default_rng(0).uniform(0.01, 1.0, size=(5, 25))
    assert_allclose(mixture_weights(own)[::-1], mixture_weights(own[::-1]), atol=1e-12)


def test_one_member_and_tiny_probabilities():
    assert_allclose(mixture_weights(np.full((1, 4), 0.2)), [1.0])
    assert_allclose(mixture_weights(np.full((2, 4), 1e-300)), [0.5, 0.5])
