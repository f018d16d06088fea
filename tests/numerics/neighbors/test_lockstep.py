"""Queries in lockstep: their company, their certificates, and what is left to others."""

import numpy as np
import pytest

from similearn.numerics.linalg.vectors import LANES
from similearn.numerics.neighbors.kri import kri_weights, kri_weights_and_gaps
from similearn.numerics.neighbors.lockstep import LARGEST, make_lanes, solve_lanes
from tests.numerics.local_problems import KINDS, local_problems


def in_lanes(S, s, ridge):
    m, k = s.shape
    weights, gaps, done = np.zeros((m, k)), np.zeros(m), np.zeros(LANES, dtype=bool)
    solve_lanes(S, s, ridge, make_lanes(k), weights, gaps, done)
    return weights, gaps, done[:m]


def with_lowest_eigenvalue(lowest, m, k, seed=0):
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.standard_normal((m, k, k)))[0]
    values = rng.uniform(0.5, 2.0, (m, 1, k))
    values[:, :, 0] = lowest
    S = (Q * values) @ Q.swapaxes(1, 2)
    return (S + S.swapaxes(1, 2)) / 2, rng.standard_normal((m, k))


@pytest.mark.parametrize("k", [3, 16, LARGEST])
def test_weights_do_not_depend_on_the_company(k):
    problems = [local_problems(kind, 5, k, seed) for seed, kind in enumerate(KINDS)]
    order = np.random.default_rng(0).permutation(5 * len(KINDS))
    S = np.concatenate([S for S, _ in problems])[order]
    s = np.concatenate([s for _, s in problems])[order]
    together = kri_weights(S, s, 0.3)
    np.testing.assert_array_equal(together, [kri_weights(S[i], s[i], 0.3) for i in range(len(s))])


@pytest.mark.parametrize("ridge", [1e-6, 0.1, 10.0, 1e6])
@pytest.mark.parametrize("k", [1, 2, 7, 21, LARGEST])
def test_sound_problems_are_solved_here(k, ridge):
    S, s = with_lowest_eigenvalue(0.2, LANES, k)
    weights, gaps, done = in_lanes(S, s, ridge)
    assert done.all() and gaps.max() < 1e-12 and (weights >= 0).all()
    np.testing.assert_allclose(weights.sum(1), 1.0, rtol=1e-15)
    careful = np.array([kri_weights(S[i] * 1e60, s[i] * 1e60, ridge * 1e60) for i in range(LANES)])
    np.testing.assert_allclose(weights, careful, atol=1e-11)


@pytest.mark.parametrize("lowest", [-1e-2, -1e-4, -1e-6, -1e-9, 0.0])
@pytest.mark.parametrize("k", [2, 12, LARGEST])
def test_no_block_is_certified_that_might_be_indefinite(k, lowest):
    S, s = with_lowest_eigenvalue(lowest, LANES, k)
    assert not in_lanes(S, s, 0.1)[2].any()


@pytest.mark.parametrize("scale", [1e-250, 1e-60, 1e-30, 1e30, 1e60, 1e250])
def test_scales_beyond_single_precision(scale):
    S, s = with_lowest_eigenvalue(0.1, 40, 24)
    expected = kri_weights(S, s, 0.1)
    weights, gaps = kri_weights_and_gaps(S * scale, s * scale, 0.1 * scale)
    np.testing.assert_allclose(weights, expected, atol=1e-11)
    assert gaps.max() < 1e-8


@pytest.mark.parametrize("far", [1e10, 1e45])
def test_queries_far_more_similar_than_neighbours_among_themselves(far):
    S, s = with_lowest_eigenvalue(0.1, 20, 24)
    weights, gaps = kri_weights_and_gaps(S, s * far, 0.1)
    assert gaps.max() < 1e-8
    np.testing.assert_array_equal(weights.argmax(1), s.argmax(1))
