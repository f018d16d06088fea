"""Triples against their list, gradients against differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from similearn.numerics.combine.triples import (
    delta_matrix,
    make_triples,
    mean_hinge,
    pair_vectors,
    sampled_slope,
    square,
    tangent,
)
from tests.reference.cdnn import all_triples, reference_delta, reference_loss


def problem(seed=0, n=14, M=3, n_classes=3, n_targets=2):
    """Blocks, sorted codes, and their triples by the Pythagorean sum."""
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((M, n, 2))
    blocks = np.linalg.norm(points[:, :, None] - points[:, None], axis=-1)
    codes = np.sort(np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n - 3)]))
    delta = reference_delta(blocks, np.eye(M))
    return blocks, codes, make_triples(pair_vectors(blocks), codes, delta, n_targets)


def random_matrix(M, seed=1):
    A = np.random.default_rng(seed).standard_normal((M, M))
    return (A + A.T) / 2


@pytest.mark.parametrize("n_targets", [1, 2, 30])
def test_triples_are_those_of_the_definition(n_targets):
    blocks, codes, triples = problem(n_targets=n_targets)
    listed = all_triples(blocks, codes, n_targets, np.eye(3))
    assert triples.n_triples == len(listed)
    targets = {(i, j) for i, j, _ in listed}
    ours = {(i, j) for i, row in enumerate(triples.targets) for j in row if j >= 0}
    assert ours == targets


def test_equally_near_targets_come_in_their_order():
    codes = np.zeros(5, dtype=np.intp)
    triples = make_triples(np.ones((1, 10)), codes, square(np.ones(10), 5), 2)
    assert_array_equal(triples.targets, [[1, 2], [0, 2], [0, 1], [0, 1], [0, 1]])


def test_lone_samples_have_no_targets():
    codes = np.array([0, 1, 1])
    triples = make_triples(np.ones((1, 3)), codes, square(np.ones(3), 3), 2)
    assert_array_equal(triples.targets, [[-1, -1], [2, -1], [1, -1]])
    assert triples.n_triples == 2


@pytest.mark.parametrize("seed", range(3))
def test_loss_is_the_mean_over_listed_triples(seed):
    blocks, codes, triples = problem(seed)
    listed = all_triples(blocks, codes, 2, np.eye(3))
    A = random_matrix(3, seed)
    delta = delta_matrix(triples, A)
    assert_allclose(delta, reference_delta(blocks, A), atol=1e-12)
    expected = reference_loss(blocks, listed, A)
    assert_allclose(mean_hinge(triples, delta), expected, rtol=1e-12)
    cut = tangent(triples, delta)
    assert_allclose(cut.loss, expected, rtol=1e-12)
    assert_allclose(cut.offset + np.vdot(cut.slope, A), expected, rtol=1e-12)


def test_gradient_by_finite_differences():
    *_, triples = problem(5)
    A, step = random_matrix(3), 1e-6
    slope = tangent(triples, delta_matrix(triples, A)).slope
    for a in range(3):
        for b in range(a, 3):
            E = np.zeros((3, 3))
            E[a, b] = E[b, a] = step
            ahead = mean_hinge(triples, delta_matrix(triples, A + E))
            behind = mean_hinge(triples, delta_matrix(triples, A - E))
            assert_allclose((ahead - behind) / 2, np.vdot(slope, E), rtol=1e-5, atol=1e-12)


def test_tangents_lie_below_the_loss():
    *_, triples = problem(2)
    cut = tangent(triples, delta_matrix(triples, random_matrix(3, 4)))
    for seed in range(20):
        A = random_matrix(3, seed)
        loss = mean_hinge(triples, delta_matrix(triples, A))
        assert loss >= cut.offset + np.vdot(cut.slope, A) - 1e-12


def test_sampled_slopes_average_to_the_gradient():
    *_, triples = problem(3)
    A = random_matrix(3)
    exact = tangent(triples, delta_matrix(triples, A)).slope
    draws = np.random.default_rng(0).random((200_000, 3))
    assert_allclose(sampled_slope(triples, A, draws), exact, atol=0.03 * np.abs(exact).max())
