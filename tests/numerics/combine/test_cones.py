"""Projections: optimality, a literal solver of SciPy, and cvxpy where it is installed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from similearn.numerics.combine.cones import (
    Diagonal,
    Polyhedral,
    Semidefinite,
    SemidefinitePlusNonnegative,
    pack_symmetric,
    project_on_ball,
    project_on_simplex,
    unpack_symmetric,
)
from similearn.numerics.combine.spn import project_on_spn
from tests.reference.cdnn import is_copositive, reference_projection
from tests.thinning import drawn


def symmetric(seed, size):
    Z = np.random.default_rng(seed).standard_normal((size, size))
    return Z + Z.T


def dissimilarities(seed, size, n=60):
    rng = np.random.default_rng(seed)
    return np.abs(rng.standard_normal((size, n))) * (rng.random((size, n)) < 0.7) + 1e-3


def cones(size):
    return {
        "psd": Semidefinite(size),
        "spn": SemidefinitePlusNonnegative(size),
        "polyhedral": Polyhedral(size, dissimilarities(9, size)),
    }


def members(name, cone, seed):
    """Random elements of the cone."""
    rng = np.random.default_rng(seed)
    size = cone.size
    for _ in range(20):
        F = rng.standard_normal((size, size))
        A = F @ F.T
        if name != "psd":
            N = np.abs(symmetric(rng.integers(1000), size))
            A = rng.random() * A + rng.random() * N
        yield pack_symmetric(A)


@pytest.mark.thinned
@pytest.mark.parametrize("size", [1, 2, 5, 8])
@pytest.mark.parametrize("name", ["psd", "spn", "polyhedral"])
def test_projection_satisfies_moreau(name, size):
    """p = P(z) iff p in K, <z - p, p> = 0 and <z - p, a> ≤ 0 for all a in K."""
    cone = cones(size)[name]
    for seed in range(4):
        z = pack_symmetric(symmetric(seed, size))
        p = cone.project(z)
        assert len(cone.normals(p)) == 0
        assert abs((z - p) @ p) < 1e-7
        assert max((z - p) @ a / np.linalg.norm(a) for a in members(name, cone, seed)) < 1e-8
        again = 1e-6 if name == "spn" else 1e-8  # see project_on_spn on boundaries
        assert np.linalg.norm(cone.project(p) - p) <= again * np.linalg.norm(z)


@pytest.mark.parametrize("name", ["psd", "spn", "polyhedral"])
def test_normals_cut_off_the_point_and_no_member(name):
    cone = cones(4)[name]
    z = pack_symmetric(symmetric(3, 4) - np.eye(4))
    normals = cone.normals(z)
    assert len(normals)
    assert (normals @ z < 0).all()
    assert min((normals @ a).min() for a in members(name, cone, 0)) > -1e-9
    assert_allclose(np.linalg.norm(normals, axis=1), 1.0)


def test_polyhedral_projection_against_scipy():
    pairs = dissimilarities(1, 3, n=12)
    Z = symmetric(4, 3) - 2 * np.eye(3)
    ours = unpack_symmetric(Polyhedral(3, pairs).project(pack_symmetric(Z)))
    constraints = [lambda A, v=v: v @ A @ v for v in pairs.T]
    assert_allclose(ours, reference_projection(Z, constraints, np.eye(3)), atol=1e-6)


def test_semidefinite_projection_against_scipy():
    """Every semidefinite matrix is F Fᵀ, and F is free."""
    Z = symmetric(0, 3)
    ours = unpack_symmetric(Semidefinite(3).project(pack_symmetric(Z)))

    def squared(F):
        return ((F.reshape(3, 3) @ F.reshape(3, 3).T - Z) ** 2).sum()

    F = minimize(squared, np.eye(3).ravel(), options={"gtol": 1e-9}).x.reshape(3, 3)
    assert_allclose(ours, F @ F.T, atol=1e-5)


def test_spn_of_two_rows_is_the_copositive_cone():
    """For M = 2: a ≥ 0, c ≥ 0, b ≥ -√(ac)."""
    Z = np.array([[1.0, -3.0], [-3.0, 2.0]])
    ours = project_on_spn(Z).matrix
    floor = [
        lambda A: A[0, 0],
        lambda A: A[1, 1],
        lambda A: A[0, 1] + np.sqrt(max(A[0, 0] * A[1, 1], 0.0)),
    ]
    assert_allclose(ours, reference_projection(Z, floor, np.eye(2)), atol=1e-5)


def cvxpy_projection(Z, constrain):
    cvxpy = pytest.importorskip("cvxpy")
    A = cvxpy.Variable(Z.shape, symmetric=True)
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(Z - A)), constrain(cvxpy, A))
    problem.solve(solver="CLARABEL")
    return A.value


def semidefinite(cvxpy, A):
    return [A >> 0]


def sum_of_both(cvxpy, A):
    N = cvxpy.Variable(A.shape, symmetric=True)
    return [A - N >> 0, N >= 0]


def on_pairs(cvxpy, A):
    return [cvxpy.sum(cvxpy.multiply(np.outer(v, v), A)) >= 0 for v in dissimilarities(9, 5).T]


@pytest.mark.parametrize(
    "name, constrain",
    [("psd", semidefinite), ("spn", sum_of_both), ("polyhedral", on_pairs)],
)
def test_projection_against_cvxpy(name, constrain):
    for seed in range(2):
        Z = symmetric(seed, 5)
        ours = unpack_symmetric(cones(5)[name].project(pack_symmetric(Z)))
        theirs = cvxpy_projection(Z, constrain)
        assert_allclose(ours, theirs, atol=1e-4)  # as far as it is exact itself
        assert np.linalg.norm(ours - Z) <= np.linalg.norm(theirs - Z) + 1e-5


@pytest.mark.parametrize("seed", range(5))
def test_spn_is_copositive_and_the_polyhedral_cone_need_not_be(seed):
    assert is_copositive(project_on_spn(symmetric(seed, 5) - np.eye(5)).matrix)
    outside = np.array([[1.0, -2.0], [-2.0, 1.0]])
    assert not is_copositive(outside)
    seen = np.array([[1.0, 0.1], [0.1, 1.0]])  # pairs along the axes only
    z = pack_symmetric(outside)
    assert_allclose(Polyhedral(2, seen).project(z), z)


@pytest.mark.parametrize("name", ["psd", "spn", "polyhedral"])
def test_no_half_space_is_made_of_rounding(name):
    """Just outside the cone, and on it, a normal must be exact or none."""
    cone = cones(3)[name]
    for seed in range(10):
        p = cone.project(pack_symmetric(symmetric(seed, 3)))
        for push in (0.0, 1e-13, 1e-9, 1e-6):
            normals = cone.normals(p - push * pack_symmetric(np.eye(3)))
            lowest = [(normals @ a).min(initial=0.0) for a in members(name, cone, seed)]
            assert min(lowest) > -1e-6


def test_spn_reaches_what_is_not_semidefinite():
    Z = np.array([[1.0, 5.0], [5.0, 1.0]])
    assert_allclose(project_on_spn(Z).matrix, Z, atol=1e-9)


def test_horn_matrix_is_copositive_but_no_sum():
    """The best-known copositive matrix outside semidefinite + nonnegative."""
    H = np.ones((5, 5))
    for i in range(5):
        H[i, (i + 1) % 5] = H[i, (i - 1) % 5] = -1.0
    assert is_copositive(H)
    assert np.linalg.norm(project_on_spn(H).matrix - H) > 0.1


def test_zero_pairs_and_zero_matrices():
    assert_allclose(Polyhedral(2, np.zeros((2, 3))).project(-np.ones(3)), -np.ones(3))
    assert_allclose(project_on_spn(np.zeros((3, 3))).matrix, 0)


def test_ball_and_diagonal():
    assert_allclose(project_on_ball(np.array([3.0, 4.0]), 1.0), [0.6, 0.8])
    assert_allclose(project_on_ball(np.array([0.3, 0.4]), 1.0), [0.3, 0.4])
    assert_allclose(Diagonal(2).project(np.array([-1.0, 2.0])), [0, 2])


@drawn(40)
@given(st.lists(st.floats(-5, 5), min_size=1, max_size=6))
def test_simplex(values):
    v = np.array(values)
    w = project_on_simplex(v)
    assert w.min() >= 0
    assert_allclose(w.sum(), 1.0)
    # Optimal: v - w is constant on the support and no larger elsewhere.
    level = (v - w)[w > 0]
    assert_allclose(level, level[0], atol=1e-9)
    assert (v - w).max() <= level[0] + 1e-9
