"""The P-SVM and the LP machine against general solvers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from similearn.numerics.machines.lp_machine import lp_machine_path, solve_lp_machine
from similearn.numerics.machines.potential_svc import GramProblem, potential_svm
from tests.reference.machines import lp_objective, potential_objective


def signed_problem(n, kind="indefinite", seed=0):
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((n, 3))
    y = np.where(points[:, 0] + 0.4 * rng.standard_normal(n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    S = {
        "indefinite": lambda: 1 - np.abs(points[:, None] - points).max(axis=2) / 6,
        "asymmetric": lambda: rng.standard_normal((n, n)),
        "low rank": lambda: points @ points.T,
        "duplicated": lambda: np.repeat(rng.standard_normal((n, (n + 1) // 2)), 2, axis=1)[:, :n],
        "zero": lambda: np.zeros((n, n)),
        "large": lambda: 1e5 * points @ points.T,
    }[kind]()
    return S, y


KINDS = ("indefinite", "asymmetric", "low rank", "duplicated", "zero", "large")
CORNERS = [(1e-4, 1.0), (1e-4, 1e4), (0.1, 1.0), (1.0, 0.05), (10.0, 100.0)]


def by_parts(S, y, epsilon, C):
    """Equation 6 over α = p - q with bounds, by a quasi-Newton method."""
    n = len(y)

    def value(parts):
        r = y - S @ (parts[:n] - parts[n:])
        slope = -S.T @ r
        gradient = np.concatenate([slope + epsilon, -slope + epsilon])
        return 0.5 * r @ r + epsilon * parts.sum(), gradient

    options = {"ftol": 1e-15, "gtol": 1e-12, "maxiter": 50_000, "maxfun": 200_000, "maxcor": 50}
    start = np.full(2 * n, min(C, 1.0) / 2)
    return minimize(value, start, jac=True, bounds=[(0, C)] * 2 * n, options=options).fun


@pytest.mark.parametrize(("epsilon", "C"), CORNERS)
@pytest.mark.parametrize("kind", KINDS)
def test_psvm_is_optimal(kind, epsilon, C):
    S, y = signed_problem(18, kind)
    solution = potential_svm(GramProblem.of(S, y), epsilon, C, 1e-7)
    assert np.abs(solution.alpha).max() <= C
    value = potential_objective(solution.alpha, S, y, epsilon)
    assert_allclose(solution.objective, value, rtol=1e-8, atol=1e-9)
    assert solution.gap <= 1e-5 * value
    assert value <= by_parts(S, y, epsilon, C) * (1 + 1e-6) + 1e-9


@pytest.mark.parametrize("epsilon", [1e-2, 1.0])
def test_a_guess_is_taken_only_if_it_is_optimal(epsilon):
    problem = GramProblem.of(*signed_problem(18))
    free = potential_svm(problem, epsilon, 1e3, 1e-7)
    larger = potential_svm(problem, epsilon, 1e4, 1e-7, guess=free.alpha)
    assert np.abs(free.alpha).max() < 1e3 and larger.gap <= 1e-7 * larger.objective
    assert_allclose(larger.objective, potential_svm(problem, epsilon, 1e4, 1e-7).objective)
    wrong = potential_svm(problem, epsilon, 1e4, 1e-7, guess=np.zeros(18))
    assert_allclose(wrong.objective, larger.objective, rtol=1e-6)


@pytest.mark.parametrize(("epsilon", "C"), CORNERS)
def test_psvm_satisfies_the_optimality_conditions(epsilon, C):
    S, y = signed_problem(30, "asymmetric")
    alpha = potential_svm(GramProblem.of(S, y), epsilon, C, 1e-10).alpha
    pull = S.T @ (y - S @ alpha)
    free = (alpha != 0) & (np.abs(alpha) < C)
    assert (np.abs(pull[alpha == 0]) <= epsilon * (1 + 1e-5)).all()
    assert_allclose(pull[free], epsilon * np.sign(alpha[free]), rtol=1e-4, atol=1e-8)
    assert (pull * alpha >= epsilon * np.abs(alpha) * (1 - 1e-4) - 1e-9).all()


def test_screening_never_drops_what_is_needed():
    S, y = signed_problem(40, "asymmetric")
    loose = potential_svm(GramProblem.of(S, y), 8.0, 1.0, 1e-2)
    tight = potential_svm(GramProblem.of(S, y), 8.0, 1.0, 1e-12)
    assert np.count_nonzero(~tight.active) > 0
    assert_array_equal(tight.alpha[~tight.active], 0.0)
    assert tight.objective <= loose.objective * (1 + 1e-12)
    for dropped in np.flatnonzero(~tight.active):
        assert abs(S[:, dropped] @ (y - S @ tight.alpha)) < 8.0


def test_with_a_wide_box_it_is_the_lasso():
    from sklearn.linear_model import Lasso

    S, y = signed_problem(25, "asymmetric")
    lasso = Lasso(alpha=2.0 / 25, fit_intercept=False, tol=1e-12, max_iter=10**6).fit(S, y)
    alpha = potential_svm(GramProblem.of(S, y), 2.0, 1e4, 1e-10).alpha
    assert_allclose(alpha, lasso.coef_, atol=1e-6)


def test_psvm_against_cvxpy():
    cp = pytest.importorskip("cvxpy")
    S, y = signed_problem(30)
    for epsilon, C in CORNERS:
        a = cp.Variable(30)
        loss = 0.5 * cp.sum_squares(y - S @ a) + epsilon * cp.norm1(a)
        expected = cp.Problem(cp.Minimize(loss), [cp.norm_inf(a) <= C]).solve(solver="CLARABEL")
        found = potential_svm(GramProblem.of(S, y), epsilon, C, 1e-8)
        assert_allclose(found.objective, expected, rtol=1e-6)


@pytest.mark.parametrize("C", [1e-3, 0.5, 10.0, 1e5])
@pytest.mark.parametrize("kind", KINDS)
def test_lp_machine_is_optimal_by_duality(kind, C):
    """The dual of (5): maximize 1ᵀa with abs(Sᵀ(y a)) <= 1, yᵀa = 0, 0 <= a <= C."""
    from scipy.optimize import linprog

    S, y = signed_problem(20, kind)
    scale = np.abs(S).max() or 1.0
    found = solve_lp_machine(S, y, C)
    value = lp_objective(found.weights, found.intercept, S, y, C)
    assert found.solved
    assert_allclose(found.objective, value, rtol=1e-5, atol=1e-7 * C)
    rows = (y[:, None] * S).T / scale
    dual = linprog(  # over scale · a
        -np.ones(20),
        A_ub=np.vstack([rows, -rows]),
        b_ub=np.ones(40),
        A_eq=y[None],
        b_eq=[0.0],
        bounds=[(0, C * scale)] * 20,
    )
    assert_allclose(value, -dual.fun / scale, rtol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_lp_machines_of_a_path_are_as_good_as_those_solved_by_themselves(kind, monkeypatch):
    S, y = signed_problem(20, kind)
    costs = [1e5, 0.5, 1e-3, 10.0, 0.5, 1e3]
    alone = [solve_lp_machine(S, y, C) for C in costs]
    solved = []

    def counted(S, y, C, weights):
        solved.append(C)
        return solve_lp_machine(S, y, C, weights)

    monkeypatch.setattr("similearn.numerics.machines.lp_machine.solve_lp_machine", counted)
    path = lp_machine_path(S, y, costs)
    for C, found, expected in zip(costs, path, alone, strict=True):
        value = lp_objective(found.weights, found.intercept, S, y, C)
        assert_allclose(value, expected.objective, rtol=1e-7, atol=1e-7 * C)
    errorless = [C for C, found in zip(costs, alone, strict=True) if found.errorless]
    assert solved == sorted(set(costs) - set(errorless)) + sorted(errorless)[:1]
    assert bool(errorless) == (kind not in ("duplicated", "zero"))


def test_lp_machine_against_cvxpy():
    cp = pytest.importorskip("cvxpy")
    S, y = signed_problem(25)
    for C in (0.1, 5.0):
        w, b = cp.Variable(25), cp.Variable()
        loss = cp.norm1(w) + C * cp.sum(cp.pos(1 - cp.multiply(y, S @ w + b)))
        expected = cp.Problem(cp.Minimize(loss)).solve(solver="CLARABEL")
        assert_allclose(solve_lp_machine(S, y, C).objective, expected, rtol=1e-6)


def test_one_prototype():
    y = np.array([1.0, 1.0, -1.0, -1.0])
    s = np.array([[0.9], [0.8], [0.2], [0.1]])
    found = solve_lp_machine(s, y, 100.0)
    assert_allclose([found.weights[0], found.intercept], [2 / 0.6, -5 / 3], rtol=1e-6)
