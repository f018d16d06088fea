import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from similearn.numerics.scores.decide import (
    bounded,
    least_cost,
    normalized,
    running_class_sums,
    softmax,
    weighted_votes,
)
from tests.reference.neighbors import reference_least_cost, reference_vote
from tests.thinning import drawn

few_weights = arrays(float, (3, 8), elements=st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0]))
codes = arrays(np.intp, (3, 8), elements=st.integers(0, 3))


@drawn(200)
@given(few_weights, codes)
def test_votes_for_every_k_follow_equation_9(weights, codes):
    ks = np.array([8, 1, 3, 5])
    shares = weighted_votes(weights, codes, 4, ks)
    for i in range(3):
        for r, k in enumerate(ks):
            if weights[i, :k].sum() == 0:
                assert_array_equal(shares[i, r], 0)
                continue
            assert shares[i, r].argmax() == reference_vote(weights[i, :k], codes[i, :k], 4)
            expected = np.bincount(codes[i, :k], weights[i, :k], minlength=4)
            assert_allclose(shares[i, r], expected / expected.sum(), atol=1e-11)


def test_a_tie_goes_to_the_class_with_the_nearest_member():
    codes = np.array([[2, 0, 0, 2, 1]])
    shares = weighted_votes(np.ones((1, 5)), codes, 3, np.array([4, 5]))
    assert shares.argmax(axis=2).tolist() == [[2, 2]]


@settings(deadline=None)
@given(few_weights, codes)
def test_running_sums(weights, codes):
    sums = running_class_sums(weights, codes, 4, np.array([2, 8]))
    assert_allclose(sums[1, 1], np.bincount(codes[1], weights[1], minlength=4))
    assert_allclose(sums[1, 0], np.bincount(codes[1, :2], weights[1, :2], minlength=4))


def test_links_never_give_nan():
    assert_allclose(
        softmax(np.array([[-np.inf, -np.inf], [-np.inf, -1e308]])), [[0.5, 0.5], [0, 1]]
    )
    assert_allclose(softmax(np.array([[1e308, -1e308], [710.0, 709.0]])).sum(axis=1), 1)
    assert_allclose(normalized(np.array([[0.0, 0.0], [1.0, 3.0]])), [[0.5, 0.5], [0.25, 0.75]])


@settings(deadline=None)
@given(
    arrays(float, (5, 3), elements=st.floats(0.01, 1)),
    arrays(float, (3, 3), elements=st.floats(0, 9)),
)
def test_least_cost_is_equation_18(shares, costs):
    probabilities = normalized(shares)
    decided = least_cost(probabilities, costs, probabilities)
    expected = probabilities @ costs.T
    for i, f in enumerate(decided):
        assert expected[i, f] <= expected[i, reference_least_cost(probabilities[i], costs)] + 1e-9


def test_equal_costs_leave_the_decision_to_the_scores():
    probabilities = np.array([[0.2, 0.5, 0.3]])
    assert least_cost(probabilities, np.ones((3, 3)), probabilities).tolist() == [1]


def test_bounded_scores_can_be_subtracted():
    scores = bounded(np.array([[-np.inf, np.inf], [-np.inf, -np.inf], [-2.0, 3.0]]))
    assert np.isfinite(scores[:, 1] - scores[:, 0]).all()
    assert_array_equal(scores[2], [-2.0, 3.0])
