"""Solvers of CDNN: certified bounds, the same answer from SciPy and cvxpy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linprog, minimize

from similearn.numerics.combine.cdnn import (
    Bundle,
    minimize_by_cuts,
    minimize_by_samples,
    objective,
    scaled_identity,
)
from similearn.numerics.combine.cones import (
    Diagonal,
    Polyhedral,
    Semidefinite,
    SemidefinitePlusNonnegative,
)
from similearn.numerics.combine.cutting_qp import solve_master
from similearn.numerics.combine.triples import make_triples, pair_vectors
from tests.reference.cdnn import all_triples, reference_delta, reference_loss

RIDGE = 0.05


def problem(seed=0, n=16, M=3):
    rng = np.random.default_rng(seed)
    codes = np.sort(np.arange(n) % 2)
    points = rng.standard_normal((M, n)) + np.outer(rng.random(M), codes)
    blocks = np.abs(points[:, :, None] - points[:, None])
    triples = make_triples(pair_vectors(blocks), codes, reference_delta(blocks, np.eye(M)), 2)
    return blocks, codes, triples


def cones(triples):
    M = len(triples.pairs)
    return [
        Diagonal(M),
        Semidefinite(M),
        SemidefinitePlusNonnegative(M),
        Polyhedral(M, triples.pairs),
    ]


@pytest.mark.parametrize("seed", range(3))
def test_objective_is_never_below_its_bound(seed):
    *_, triples = problem(seed)
    for cone in cones(triples):
        found = minimize_by_cuts(Bundle(triples, cone), RIDGE, tol=1e-5)
        assert found.converged
        objectives, bounds = np.array(found.history).T
        assert (objectives >= bounds - 1e-10).all()
        assert (np.diff(objectives) <= 1e-12).all()
        assert (np.diff(bounds) >= 0).all()
        assert_allclose(objective(triples, found.matrix, RIDGE), objectives[-1], rtol=1e-9)
        assert len(cone.normals(cone.pack(found.matrix))) == 0


def test_larger_sets_have_smaller_minima():
    *_, triples = problem(1)
    values = [
        minimize_by_cuts(Bundle(triples, cone), RIDGE, tol=1e-6).objective
        for cone in cones(triples)
    ]
    pythagorean = objective(triples, scaled_identity(triples, RIDGE), RIDGE)
    assert pythagorean >= values[0] >= values[1] - 1e-6
    assert values[1] >= values[2] - 1e-6 and values[2] >= values[3] - 1e-6


def test_weights_against_scipy():
    blocks, codes, triples = problem(2)
    listed = all_triples(blocks, codes, 2, np.eye(3))
    found = minimize_by_cuts(Bundle(triples, Diagonal(3)), RIDGE, tol=1e-7)

    def value(w):
        return reference_loss(blocks, listed, np.diag(np.abs(w))) + RIDGE / 2 * (w**2).sum()

    theirs = minimize(
        value, np.ones(3), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}
    )
    assert_allclose(found.objective, theirs.fun, rtol=1e-5)
    assert_allclose(found.matrix.diagonal(), np.abs(theirs.x), atol=1e-3)


@pytest.mark.parametrize("position", range(4))
def test_minimum_against_cvxpy(position):
    cvxpy = pytest.importorskip("cvxpy")
    blocks, codes, triples = problem(3)
    A = cvxpy.Variable((3, 3), symmetric=True)

    def delta(i, j):
        return cvxpy.sum(cvxpy.multiply(np.outer(blocks[:, i, j], blocks[:, i, j]), A))

    listed = all_triples(blocks, codes, 2, np.eye(3))
    rows = [
        np.outer(blocks[:, i, j], blocks[:, i, j]) - np.outer(blocks[:, i, k], blocks[:, i, k])
        for i, j, k in listed
    ]
    margins = np.reshape(rows, (len(rows), 9)) @ cvxpy.vec(A, order="C") + 1
    N = cvxpy.Variable((3, 3), symmetric=True)
    pairs = [(i, j) for i in range(len(codes)) for j in range(i)]
    constraints = [
        [A == cvxpy.diag(cvxpy.diag(A)), cvxpy.diag(A) >= 0],
        [A >> 0],
        [A - N >> 0, N >= 0],
        [delta(i, j) >= 0 for i, j in pairs],
    ][position]
    loss = cvxpy.sum(cvxpy.pos(margins)) / len(rows) + RIDGE / 2 * cvxpy.sum_squares(A)
    theirs = cvxpy.Problem(cvxpy.Minimize(loss), constraints)
    theirs.solve(solver="CLARABEL")
    cone = cones(triples)[position]
    found = minimize_by_cuts(Bundle(triples, cone), RIDGE, tol=1e-7)
    assert_allclose(found.objective, theirs.value, rtol=1e-5)
    assert_allclose(found.matrix, A.value, atol=2e-3)


def test_a_bundle_serves_a_path_of_ridges():
    *_, triples = problem(4)
    bundle = Bundle(triples, Semidefinite(3))
    for ridge in (1.0, 0.1, 0.01):
        shared = minimize_by_cuts(bundle, ridge, tol=1e-6)
        alone = minimize_by_cuts(Bundle(triples, Semidefinite(3)), ridge, tol=1e-6)
        assert_allclose(shared.objective, alone.objective, rtol=2e-6)


def test_samples_come_near_the_certified_minimum():
    *_, triples = problem(5)
    for cone in cones(triples):
        exact = minimize_by_cuts(Bundle(triples, cone), RIDGE, tol=1e-5)
        rng = np.random.default_rng(0)
        found = minimize_by_samples(
            Bundle(triples, cone), RIDGE, rng=rng, n_steps=600, batch_size=200
        )
        assert exact.bound <= found.objective <= 1.02 * exact.objective
        assert all(record.objective >= record.bound - 1e-10 for record in found.history)
        assert found.bound <= exact.objective


def test_giving_up_early_is_told():
    *_, triples = problem(6)
    found = minimize_by_cuts(Bundle(triples, Polyhedral(3, triples.pairs)), 1e-4, max_iter=2)
    assert not found.converged
    assert len(found.history) == 2
    assert found.objective > found.bound


def test_rounds_that_change_nothing_are_given_up():
    """A ridge that rounding cannot tell from none leaves the bound at zero for ever."""
    blocks, codes, _ = problem(6, n=10)
    blocks[0] = 1.0
    triples = make_triples(pair_vectors(blocks), codes, reference_delta(blocks, np.eye(3)), 2)
    found = minimize_by_cuts(Bundle(triples, Polyhedral(3, triples.pairs)), 1e-300)
    assert not found.converged
    assert len(found.history) < 300


def test_master_program_against_its_vertices():
    """Without curvature to speak of, the program is linear."""
    rng = np.random.default_rng(0)
    slopes, offsets = rng.standard_normal((6, 2)), rng.standard_normal(6)
    slopes = np.vstack([slopes, -slopes.sum(axis=0)])  # bounded below
    offsets = np.append(offsets, 0.0)
    normals = np.array([[1.0, 0.5]])
    answer = solve_master(slopes, offsets, normals, ridge=1e-7)
    linear = linprog(
        [0, 0, 1],
        np.vstack([np.hstack([slopes, -np.ones((7, 1))]), np.append(-normals, [[0.0]], axis=1)]),
        np.append(-offsets, 0.0),
        bounds=[(None, None)] * 3,
    )
    assert_allclose((slopes @ answer.point + offsets).max(), linear.fun, atol=1e-5)
    assert answer.bound <= linear.fun + 1e-5
    assert_allclose(answer.shares.sum(), 1.0)
