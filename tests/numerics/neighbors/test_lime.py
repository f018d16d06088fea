import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from similearn.errors import InputError
from similearn.numerics.neighbors.lime import SPECTRA, lime_weights, lime_weights_and_gaps
from tests.numerics.local_problems import KINDS, local_problems
from tests.reference import weights as reference
from tests.thinning import drawn

RIDGES = (1e-6, 1e-3, 0.1, 1.0, 10.0, 1e6)


@pytest.mark.thinned
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spectrum", SPECTRA)
@pytest.mark.parametrize("k", [1, 2, 7, 32])
def test_every_problem_is_optimal(kind, spectrum, k):
    S, s = local_problems(kind, 4, k)
    for ridge in RIDGES:
        w, gaps = lime_weights_and_gaps(S, s, ridge, spectrum)
        assert (w >= 0).all()
        assert_allclose(w.sum(axis=1), 1.0, rtol=1e-12)
        assert gaps.max() <= 1e-8
        for i in range(4):
            if w[i].min() > 1e-300:
                assert reference.lime_gap(S[i], s[i], ridge, spectrum, w[i]) <= 1e-8


@pytest.mark.parametrize("kind", ["psd", "indefinite", "singular"])
@pytest.mark.parametrize("spectrum", SPECTRA)
def test_equation_10_by_a_general_solver(kind, spectrum):
    S, s = local_problems(kind, 3, 6)
    for i in range(3):
        w = lime_weights(S[i], s[i], 0.5, spectrum)
        general = minimize(
            lambda v, i=i: reference.lime_objective(S[i], s[i], 0.5, spectrum, v),
            np.full(6, 1 / 6),
            method="SLSQP",
            bounds=[(1e-9, 1)] * 6,
            constraints={"type": "eq", "fun": lambda v: v.sum() - 1},
            options={"ftol": 1e-13, "maxiter": 500},
        )
        assert reference.lime_objective(S[i], s[i], 0.5, spectrum, w) <= general.fun + 1e-9
        assert_allclose(w, general.x, atol=1e-4)


def test_without_similarities_between_neighbours_it_is_a_softmax():
    # S = 0: log w = 2 s / ridge + constant, which also fixes where the factor 2 sits.
    s = np.array([0.3, -0.2, 1.1])
    expected = np.exp(2 * s / 0.7)
    assert_allclose(lime_weights(np.zeros((3, 3)), s, 0.7), expected / expected.sum())


def test_underflow_is_zero_and_never_nan():
    w, gap = lime_weights_and_gaps(np.eye(3), np.array([3.0, 0.0, -5.0]), 1e-6)
    assert_array_equal(w, [1.0, 0.0, 0.0])
    assert gap <= 1e-8


def test_duplicates_share_and_a_large_ridge_is_uniform():
    S, s = local_problems("duplicated", 3, 6)
    w = lime_weights(S, s, 0.3)
    assert_allclose(w[:, :3], w[:, [0, 0, 0]], rtol=1e-9)
    assert_allclose(lime_weights(S, s, 1e9), np.full((3, 6), 1 / 6), rtol=1e-6)


def test_gathered_equals_blocks():
    rng = np.random.default_rng(3)
    A = rng.standard_normal((40, 40))
    full, near = A + A.T, np.argsort(rng.random((9, 40)), axis=1)[:, :12]
    s = rng.standard_normal((9, 12))
    blocks = full[near[:, :, None], near[:, None, :]]
    expected = lime_weights(blocks, s, 0.5)
    assert_array_equal(lime_weights(full, s, 0.5, near=near), expected)
    assert_array_equal(lime_weights(blocks[4], s[4], 0.5), expected[4])


problem = arrays(float, (5, 5), elements=st.floats(-3, 3))
vector = arrays(float, 5, elements=st.floats(-3, 3))


@given(problem, vector, st.integers(0, 4), st.floats(0.01, 5), st.sampled_from(SPECTRA))
@drawn(60)
def test_design_goal_1_raising_affinity_never_lowers_the_weight(A, s, i, rise, spectrum):
    raised = s.copy()
    raised[i] += rise
    before, after = (lime_weights(A + A.T, t, 0.5, spectrum) for t in (s, raised))
    assert after[i] >= before[i] - 1e-12


@pytest.mark.parametrize(("ridge", "spectrum"), [(0.0, "clip"), (1.0, "pinv")])
def test_what_has_no_unique_answer_is_refused(ridge, spectrum):
    with pytest.raises(InputError):
        lime_weights(np.eye(2), np.ones(2), ridge, spectrum)


@pytest.mark.parametrize("ridge", [1e-14, 1e-16, 1e-18])
def test_ridges_below_the_rounding_of_the_similarities_converge(ridge):
    rng = np.random.default_rng(0)
    A = rng.normal(size=(30, 9, 9))
    gaps = lime_weights_and_gaps(A @ A.swapaxes(1, 2), rng.random((30, 9)), ridge)[1]
    assert gaps.max() < 1e-12
