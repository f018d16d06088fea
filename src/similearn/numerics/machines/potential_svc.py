r"""The potential support vector machine: a lasso whose coefficients are bounded (JMLR eq. 6).

.. math:: \min_\alpha \tfrac12\|y - S\alpha\|^2 + \epsilon\|\alpha\|_1
          \quad\text{subject to}\quad \|\alpha\|_\infty \le C
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import compiled
from similearn.numerics.machines.interior_point import box_lasso, cholesky, solved

Floats = NDArray[np.float64]

ROUNDS = (10, 30, 100)
"""Sweeps of coordinate descent in each round. A hundred of them take less than interior points do,
and often are enough where a few samples' similarities are all alike."""
TIDYING = 10
"""Sweeps over the columns that interior points kept."""


class GramProblem(NamedTuple):
    """What (6) needs of S and y: the Gram matrix SᵀS, Sᵀy and ½‖y‖²."""

    gram: Floats
    target: Floats
    constant: float

    @classmethod
    def of(cls, S: Floats, y: Floats) -> "GramProblem":
        """Form them: O(n³), shared by all values of ε and C."""
        return cls(np.ascontiguousarray(S.T @ S), S.T @ y, 0.5 * float(y @ y))


class PotentialSolution(NamedTuple):
    """Coefficients (n,), the gap that proves them, steps, what screening left, and Sᵀθ (n,)."""

    alpha: Floats
    objective: float
    gap: float
    n_iter: int
    active: NDArray[np.bool_]
    dual_pull: Floats


def potential_svm(
    problem: GramProblem, epsilon: float, C: float, tol: float, guess: Floats | None = None
) -> PotentialSolution:
    """Solve (6) until the duality gap is below ``tol`` times the objective.

    Parameters
    ----------
    problem : Gram matrix and targets
    epsilon, C : positive
    tol : relative duality gap
    guess : (n,) coefficients within C, taken if their gap is small enough: those of a smaller C
        that none of them reached

    Notes
    -----
    Coordinate descent first. After each round a dual point θ proves a gap, and a
    column with abs(s_jᵀθ) + ‖s_j‖ √(2 gap) < ε has coefficient zero for certain and is left out
    from then on (screening). Where the similarities are too ill-conditioned for that to end
    soon, interior points solve for the columns that are left, and tell which
    coefficients are zero, which bounded and which free; the free ones then solve a linear
    system, so that zeros are exact. Cost: O(n²) for a sweep, O(f³) for each of some 20
    steps with f columns left. Assumes checked input.
    """
    if guess is not None:
        guessed = _proved(problem, guess, epsilon, C)
        if guessed.gap <= tol * guessed.objective:
            return guessed
    descent = _descend(problem, epsilon, C, tol)
    if descent.gap <= tol * descent.objective:
        return descent
    left = np.flatnonzero(descent.active)
    if not len(left):
        return descent
    smaller = GramProblem(
        np.ascontiguousarray(problem.gram[np.ix_(left, left)]),
        problem.target[left],
        problem.constant,
    )
    inner = _interior(smaller, epsilon, C, tol)
    alpha = np.zeros(len(problem.target))
    alpha[left] = inner.alpha
    best = _proved(problem, alpha, epsilon, C)
    found = best if best.objective < descent.objective else descent
    return found._replace(n_iter=descent.n_iter + inner.n_iter, active=descent.active)


def _descend(problem: GramProblem, epsilon: float, C: float, tol: float) -> PotentialSolution:
    """Rounds of coordinate descent, with screening after each."""
    alpha, pull = np.zeros(len(problem.target)), problem.target.copy()  # pull = Sᵀ(y - Sα)
    active = np.ones(len(alpha), dtype=np.bool_)
    lengths = np.sqrt(problem.gram.diagonal())
    for done, n_epochs in enumerate(ROUNDS, start=1):
        _epochs(problem.gram, alpha, pull, np.flatnonzero(active), epsilon, C, n_epochs)
        solution = _proved(problem, alpha, epsilon, C)._replace(n_iter=done, active=active)
        if solution.gap <= tol * solution.objective:
            break
        radius = np.sqrt(2.0 * solution.gap)
        active = active & (np.abs(solution.dual_pull) + lengths * radius >= epsilon)
        alpha = np.where(active, alpha, 0.0)
        pull = problem.target - problem.gram @ alpha
    return solution


def _interior(problem: GramProblem, epsilon: float, C: float, tol: float) -> PotentialSolution:
    """Interior points, then exact zeros and bounds where they are as good."""

    def proved_gap(alpha: Floats, pull: Floats) -> float:
        value, gap, _ = _gap(problem, alpha, pull, epsilon, C)
        share = gap / max(tol * value, 1e-300)
        return share if share > 1e-3 else 0.0  # far enough to tell zeros

    point, steps = box_lasso(problem.gram, problem.target, epsilon, C, proved_gap)
    zero, bounded = _sides(problem, point.alpha, epsilon, C)
    tidied = np.where(zero, 0.0, point.alpha)
    pull = problem.target - problem.gram @ tidied
    _epochs(problem.gram, tidied, pull, np.flatnonzero(tidied), epsilon, C, TIDYING)
    sharp = _sharpened(problem, point.alpha, zero, bounded, epsilon, C)
    found = [_proved(problem, alpha, epsilon, C) for alpha in (sharp, tidied, point.alpha)]
    good = [solution for solution in found if solution.gap <= tol * solution.objective]
    best = good[0] if good else min(found, key=lambda solution: solution.gap)
    return best._replace(n_iter=steps)


def _sides(
    problem: GramProblem, alpha: Floats, epsilon: float, C: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which coefficients are about to be zero, and which to reach C.

    At the solution either a coefficient or the slack of its condition is zero; near it, the
    smaller of the two, each in units of its own, is the one that vanishes.
    """
    with np.errstate(over="ignore"):  # an epsilon below all that can be told from zero
        excess = np.abs(problem.target - problem.gram @ alpha) / epsilon
    slack = 1.0 - np.minimum(excess, 1e300)
    size = np.abs(alpha)
    zero = slack > size / max(float(size.max()), 1e-300)
    bounded = -slack / max(float((-slack).max()), 1.0) > 1.0 - size / C
    return zero, bounded & ~zero


def _sharpened(
    problem: GramProblem,
    near: Floats,
    zero: NDArray[np.bool_],
    bounded: NDArray[np.bool_],
    epsilon: float,
    C: float,
) -> Floats:
    """Exact zeros, exact bounds, and the coefficients between them solved for."""
    sign = np.sign(near)
    free = np.flatnonzero(~zero & ~bounded)
    alpha = np.where(bounded, C * sign, 0.0)
    if len(free):
        right = problem.target[free] - epsilon * sign[free] - problem.gram[free] @ alpha
        Q = problem.gram[np.ix_(free, free)]
        change = solved(cholesky(Q), right - Q @ near[free])
        alpha[free] = np.clip(sign[free] * (near[free] + change), 0.0, C) * sign[free]
    return alpha


def _proved(problem: GramProblem, alpha: Floats, epsilon: float, C: float) -> PotentialSolution:
    """A candidate with its objective and its duality gap."""
    pull = problem.target - problem.gram @ alpha
    value, gap, dual_pull = _gap(problem, alpha, pull, epsilon, C)
    return PotentialSolution(alpha, value, gap, 0, np.ones(len(alpha), dtype=np.bool_), dual_pull)


def _gap(
    problem: GramProblem, alpha: Floats, pull: Floats, epsilon: float, C: float
) -> tuple[float, float, Floats]:
    """Objective, duality gap, and Sᵀθ of the dual point that proves it."""
    fitted = float(alpha @ (problem.target - pull))  # ‖Sα‖²
    along = float(alpha @ problem.target)
    squares = 2.0 * problem.constant - 2.0 * along + fitted  # ‖r‖²
    value = 0.5 * squares + epsilon * float(np.abs(alpha).sum())
    with_target = 2.0 * problem.constant - along  # rᵀy
    highest = float(np.abs(pull).max(initial=0.0))
    best, factor = -np.inf, 1.0
    for tau in {1.0, min(1.0, epsilon / highest) if highest > 0 else 1.0}:
        excess = float(np.maximum(tau * np.abs(pull) - epsilon, 0.0).sum())
        dual = tau * with_target - 0.5 * tau**2 * squares - C * excess
        if dual > best:
            best, factor = dual, tau
    return value, max(value - best, 0.0), factor * pull


@compiled
def _epochs(gram, alpha, pull, coordinates, epsilon, C, n_epochs):  # type: ignore[no-untyped-def]
    """Sweeps over the coordinates, each set to its best value given the others; in place."""
    for _ in range(n_epochs):
        for j in coordinates:
            row = gram[j]
            curvature = row[j]
            if curvature <= 0.0:
                continue
            old = alpha[j]
            wanted = pull[j] + curvature * old
            size = max(abs(wanted) - epsilon, 0.0) / curvature
            new = np.sign(wanted) * min(size, C)
            if new != old:
                alpha[j] = new
                change = new - old
                for t in range(row.size):
                    pull[t] -= change * row[t]
