"""The robust machine: its parts against their definitions, the whole against other solvers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import LinearConstraint, minimize

from similearn.numerics.machines.robust_svc import RobustProblem, _linear_gap, project, robust_svm
from tests.numerics.machines.test_potential_svc import signed_problem
from tests.reference.machines import robust_objective


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
    assert_allclose(value, robust_objective(alpha, S, y, rho), rtol=1e-8, atol=1e-9)
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


def test_robust_against_cvxpy():
    """The dual of (2): min over K of ρ‖K - S‖² plus the optimum of the machine with K."""
    cp = pytest.importorskip("cvxpy")
    S, y = symmetric_problem(10, "asymmetric")
    C, rho = 1.0, 0.5
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


def test_projection_is_the_nearest_feasible_point():
    rng = np.random.default_rng(0)
    for C in (0.1, 1.0, 50.0):
        y = np.where(rng.random(9) < 0.5, 1.0, -1.0)
        y[:2] = 1.0, -1.0
        v = 2 * rng.standard_normal(9)
        found = project(v, y, C)
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
