"""Votes of pairs of classes, and temperatures."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize_scalar

from similearn.numerics.scores.decide import softmax
from similearn.numerics.scores.one_vs_one import class_pairs, coupled_scores, vote_scores
from similearn.numerics.scores.temperature import inverse_temperature
from tests.reference.machines import votes


def test_two_classes_keep_the_decision():
    scores = vote_scores(np.array([[3.0], [-1.0], [0.0]]), 2)
    assert_array_equal(scores[:, 1] - scores[:, 0], [3.0, -1.0, 0.0])
    assert scores[2].argmax() == 0


@pytest.mark.parametrize("n_classes", [3, 4, 7])
def test_votes_first_then_sums(n_classes):
    rng = np.random.default_rng(n_classes)
    decisions = rng.integers(-2, 3, (50, len(class_pairs(n_classes)))).astype(float)
    for row, scores in zip(decisions, vote_scores(decisions, n_classes), strict=True):
        won, sums = votes(row, n_classes)
        assert_array_equal(np.round(scores), won)
        for g in np.flatnonzero(won == won.max()):
            assert_array_equal(scores[g] <= scores.max(), True)
        assert scores.argmax() == max(range(n_classes), key=lambda g: (won[g], sums[g]))


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_coupled_scores_are_products_of_logistic_functions(n_classes):
    rng = np.random.default_rng(n_classes)
    decisions = rng.normal(size=(20, len(class_pairs(n_classes))))
    expected = np.ones((20, n_classes))
    for p, (g, h) in enumerate(class_pairs(n_classes)):
        says_h = 1 / (1 + np.exp(-2 * decisions[:, p]))
        expected[:, h] *= says_h
        expected[:, g] *= 1 - says_h
    assert_allclose(np.exp(coupled_scores(decisions, n_classes)), expected)


def test_coupled_scores_of_two_classes_and_of_extremes():
    decisions = np.array([[3.0], [-1.0], [0.0], [1e300], [-1e300]])
    scores = coupled_scores(decisions, 2)
    assert_array_equal(scores.argmax(axis=1), [1, 0, 0, 1, 0])
    assert np.isfinite(scores).all()


def test_pairs_come_in_order():
    assert_array_equal(class_pairs(3), [[0, 1], [0, 2], [1, 2]])


def smoothed_likelihood(a, scores, codes):
    n, n_classes = scores.shape
    targets = np.full_like(scores, 1 / (n + n_classes))
    targets[np.arange(n), codes] += 1 - n_classes / (n + n_classes)
    return -(targets * np.log(softmax(a * scores))).sum()


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_inverse_temperature_maximizes_the_likelihood(scale):
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=200)
    scores = scale * (2 * np.eye(3)[codes] + rng.standard_normal((200, 3)))
    found = inverse_temperature(scores, codes)
    best = minimize_scalar(
        lambda log_a: smoothed_likelihood(np.exp(log_a) / scale, scores, codes),
        bounds=(-6, 6),
        method="bounded",
        options={"xatol": 1e-9},
    )
    assert_allclose(found * scale, np.exp(best.x), rtol=1e-4)


def test_degenerate_scores_have_a_temperature():
    codes = np.array([0, 1, 0, 1])
    assert inverse_temperature(np.zeros((4, 2)), codes) == 1.0
    perfect = inverse_temperature(np.eye(2)[codes], codes)
    assert 0 < perfect < 100
    reversed_ = inverse_temperature(-np.eye(2)[codes], codes)
    assert 0 < reversed_ < 1e-3
    assert inverse_temperature(np.empty((0, 2)), np.empty(0, dtype=int)) == 1.0


def test_the_temperature_of_scores_near_the_largest_number_is_that_in_their_unit():
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=200)
    scores = np.eye(3)[codes] + rng.standard_normal((200, 3))
    usual = inverse_temperature(scores, codes)
    with np.errstate(all="raise"):
        assert inverse_temperature(scores * 2.0**990, codes) * 2.0**990 == usual
        assert inverse_temperature(scores * 2.0**1020, codes) == 1e-300  # the least there is


def test_unseen_classes_do_not_count():
    codes = np.array([0, 1, 0, 1, 2])
    scores = np.array([[2, 1, 0.5], [1, 2, 0.1], [1, 2, 0.0], [0, 3, 1.0], [1, 0, -np.inf]])
    seen = inverse_temperature(scores, codes)
    assert np.isfinite(seen) and seen == inverse_temperature(scores[:4], codes[:4])
