"""The robust machine: its parts against their definitions, the whole against other solvers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import LinearConstraint, minimize

from similearn.numerics.machines.robust_ascent import project
from similearn.numerics.machines.robust_svc import (
    RobustProblem,
    _linear_gap,
    certificate,
    robust_svm,
)
from tests.numerics.machines.test_potential_svc import signed_problem
from tests.reference.machines import robust_objective, robust_primal


def symmetric_problem(n, kind, seed=0):
    S, y = signed_problem(n, kind, seed)
    return (S + S.T) / 2, y


@pytest.mark.parametrize("rho", [1e-2, 1.0, 1e3])
@pytest.mark.parametrize("kind", ["indefinite", "asymmetric", "low rank", "zero"])
def test_objective_and_gradient(kind, rho):
    S, y = symmetric_problem(15, kind)
    problem = RobustProblem(S, y, rho)
    alpha = np.random.default_rng(1).random(15)
    value, gradient = problem.value(y * alpha)
    expected = robust_objective(alpha, S, y, rho)
    assert_allclose(value + rho * problem.squares, expected, rtol=1e-8, atol=1e-9)
    step = 1e-5
    for i in range(15):
        nudge = step * np.eye(15)[i]
        rise = problem.value(y * alpha + nudge)[0] - problem.value(y * alpha - nudge)[0]
        assert_allclose(gradient[i], rise / (2 * step), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("C", "rho"), [(0.5, 0.1), (1.0, 10.0), (5.0, 1.0)])
@pytest.mark.parametrize("kind", ["indefinite", "asymmetric", "low rank"])
def test_optimum_of_a_general_solver(kind, C, rho):
    S, y = symmetric_problem(12, kind)
    found = robust_svm(RobustProblem(S, y, rho), C, 1e-7, 50_000)
    alpha = y * found.v
    assert (alpha >= 0).all() and (alpha <= C).all()
    assert_allclose(found.v.sum(), 0.0, atol=1e-9 * C)
    assert found.relative_gap <= 1e-7
    assert_allclose(found.objective, robust_objective(alpha, S, y, rho), rtol=1e-8)
    reference = minimize(
        lambda a: -robust_objective(a, S, y, rho),
        np.full(12, 0.1 * C),
        bounds=[(0, C)] * 12,
        constraints=LinearConstraint(y, 0, 0),
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    )
    assert found.objective >= -reference.fun * (1 - 1e-6) - 1e-9


@pytest.mark.parametrize("rho", [1e-4, 0.5, 1e3])
@pytest.mark.parametrize("kind", ["asymmetric", "indefinite"])
def test_robust_against_cvxpy(kind, rho):
    """The dual of (2): min over K of ρ‖K - S‖² plus the optimum of the machine with K."""
    cp = pytest.importorskip("cvxpy")
    S, y = symmetric_problem(10, kind)
    C = 1.0
    K, low, high, b = (
        cp.Variable((10, 10), PSD=True),
        cp.Variable(10),
        cp.Variable(10),
        cp.Variable(),
    )
    # The machine's optimum is min ½ uᵀK⁻¹u over multipliers, u = y(1 + low - high) + b.
    u = cp.multiply(y, 1 + low - high) + b
    loss = 0.5 * cp.matrix_frac(u, K) + C * cp.sum(high) + rho * cp.sum_squares(K - S)
    expected = cp.Problem(cp.Minimize(loss), [low >= 0, high >= 0]).solve(solver="CLARABEL")
    found = robust_svm(RobustProblem(S, y, rho), C, 1e-8, 50_000)
    assert_allclose(found.objective, expected, rtol=1e-5)


@pytest.mark.parametrize("rho", [1e-12, 1e-3, 1.0, 1e14, 1e30])
@pytest.mark.parametrize("kind", ["indefinite", "low rank", "zero"])
def test_units_change_nothing(kind, rho):
    """S in units of c is C in units of 1 / c and ρ in units of 1 / c³: (2) times c."""
    S, y = symmetric_problem(20, kind)
    one = robust_svm(RobustProblem(S, y, rho), 2.0, 1e-6, 5000)
    for c in (1e-8, 1e-3, 1e5, 1e8):
        found = robust_svm(RobustProblem(c * S, y, rho / c**3), 2.0 / c, 1e-6, 5000)
        assert found.relative_gap <= 1e-6
        fitted = c * S @ found.projected + found.intercept
        assert_allclose(fitted, S @ one.projected + one.intercept, atol=1e-3)


@pytest.mark.parametrize("rho", [1e9, 1e14, 1e20, 1e60])
def test_tends_to_the_machine_with_the_clipped_kernel(rho):
    from sklearn.svm import SVC

    S, y = symmetric_problem(20, "indefinite")
    found = robust_svm(RobustProblem(S, y, rho), 1.0, 1e-9, 50_000)
    values, vectors = np.linalg.eigh(S)
    K = (vectors * np.maximum(values, 0.0)) @ vectors.T
    svc = SVC(C=1.0, kernel="precomputed", tol=1e-10).fit(K, y)
    fitted = S @ found.projected + found.intercept
    assert_allclose(fitted, svc.decision_function(K), atol=1e-3)


@pytest.mark.parametrize("rho", [1e-6, 1.0, 1e6])
def test_certificate_is_the_gap_of_the_stated_problem(rho):
    """Between (2) at α and its upper bound by a kernel, far from the optimum and at it."""
    S, y = symmetric_problem(12, "indefinite")
    solved = robust_svm(RobustProblem(S, y, rho), 1.0, 1e-8, 50_000).v
    start = np.zeros(12)
    for v in (start, 0.5 * solved, solved):
        _, _, gap, share = certificate(S, y, 1.0, rho, v)
        bound = robust_primal(v, S, y, 1.0, rho)
        assert_allclose(bound - robust_objective(y * v, S, y, rho), gap, atol=1e-9 * bound)
        assert (share <= 1e-8) == (v is solved)


def test_certificate_sees_a_wrong_solution():
    """Steps of another problem (here ρ) prove nothing: the gap must not come from them."""
    S, y = symmetric_problem(12, "indefinite")
    other = robust_svm(RobustProblem(S, y, 1e-4), 1.0, 1e-8, 50_000)
    assert other.relative_gap <= 1e-8
    assert certificate(S, y, 1.0, 1e4, other.v)[3] > 1e-2


def test_projection_is_the_nearest_feasible_point():
    rng = np.random.default_rng(0)
    for C in (0.1, 1.0, 50.0):
        y = np.where(rng.random(9) < 0.5, 1.0, -1.0)
        y[:2] = 1.0, -1.0
        v = 2 * rng.standard_normal(9)
        found = v.copy()
        project(found, np.minimum(0.0, C * y), np.maximum(0.0, C * y))
        assert_allclose(found.sum(), 0.0, atol=1e-12 * max(C, 1))
        assert (y * found >= 0).all() and (y * found <= C).all()
        reference = minimize(
            lambda p, v=v: np.sum((p - v) ** 2),
            np.zeros(9),
            bounds=[(min(0, C * s), max(0, C * s)) for s in y],
            constraints=LinearConstraint(np.ones(9), 0, 0),
            method="SLSQP",
            options={"ftol": 1e-14},
        )
        assert_allclose(found, reference.x, atol=1e-5)


def test_linear_gap_is_the_maximum_over_the_constraints():
    from scipy.optimize import linprog

    rng = np.random.default_rng(2)
    y = np.where(np.arange(11) % 3 == 0, 1.0, -1.0)
    gradient, v = rng.standard_normal(11), np.zeros(11)
    bounds = [(min(0, 2.0 * s), max(0, 2.0 * s)) for s in y]
    best = linprog(-gradient, A_eq=np.ones((1, 11)), b_eq=[0.0], bounds=bounds)
    assert_allclose(_linear_gap(gradient, v, y, 2.0), -best.fun, rtol=1e-9)


def test_a_vanishing_rho_ends_as_a_small_one_does():
    S, y = symmetric_problem(12, "indefinite")
    small, none = (robust_svm(RobustProblem(S, y, rho), 1.0, 1e-3, 5000) for rho in (1e-28, 5e-324))
    assert none.n_iter < 100 and none.relative_gap <= 1e-3
    assert_allclose(none.v / none.v.max(), small.v / small.v.max(), atol=1e-6)


def test_rho_of_a_matrix_that_is_nearly_zero():
    S, y = symmetric_problem(12, "indefinite")
    assert np.isfinite(robust_svm(RobustProblem(5e-324 * S, y, 1.0), 1.0, 1e-3, 100).v).all()
