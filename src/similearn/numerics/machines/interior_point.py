r"""Interior points for a quadratic with a lasso penalty and bounded coefficients.

.. math:: \min_\alpha \tfrac12\alpha^T Q\alpha - c^T\alpha + \epsilon\|\alpha\|_1
          \quad\text{subject to}\quad \|\alpha\|_\infty \le C

With α = p - q and 0 <= p, q <= C it is a quadratic program; what Mehrotra's method solves in
each step comes down to one positive definite n x n system, however ill-conditioned Q may be.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpotrf, dpotrs

Floats = NDArray[np.float64]

MOST_STEPS, PATIENCE = 100, 8
TO_THE_WALL = 0.995


class Point(NamedTuple):
    """A point inside, or a step.

    Parameters
    ----------
    values : (4, 2, n), `parts` p and q, their `room` C - p and C - q, and a multiplier for each
        bound: `below` of parts >= 0 and `above` of room >= 0. In one array, as operations on a few
        numbers take longer to call than to do.
    """

    values: Floats

    @property
    def parts(self) -> Floats:
        """(2, n)."""
        return self.values[0]

    @property
    def room(self) -> Floats:
        """(2, n)."""
        return self.values[1]

    @property
    def below(self) -> Floats:
        """(2, n)."""
        return self.values[2]

    @property
    def above(self) -> Floats:
        """(2, n)."""
        return self.values[3]

    @property
    def alpha(self) -> Floats:
        """P - q."""
        return self.parts[0] - self.parts[1]

    @property
    def mean_product(self) -> float:
        """Mean of the products that are zero at the solution."""
        return float(np.vdot(self.values[:2], self.values[2:])) / (2 * self.parts.size)

    def moved(self, step: "Point", length: float) -> "Point":
        """The point after a share of a step."""
        return Point(self.values + length * step.values)

    def longest(self, step: "Point") -> float:
        """Share of the step, at most one, after which everything is still positive."""
        falling = step.values < 0
        if not falling.any():
            return 1.0
        with np.errstate(over="ignore"):  # of what hardly falls
            shares = -self.values[falling] / step.values[falling]
        return min(1.0, TO_THE_WALL * float(shares.min()))


def box_lasso(
    Q: Floats, c: Floats, epsilon: float, C: float, proved_gap: Callable[[Floats, Floats], float]
) -> tuple[Point, int]:
    """The interior point of least duality gap, and the steps it took.

    Parameters
    ----------
    Q : (n, n), positive semidefinite
    c : (n,)
    epsilon, C : positive
    proved_gap : called with α and c - Qα, in units of what is asked for; the search ends
        where it returns zero, or where rounding lets it fall no more, soon if it is below one

    Notes
    -----
    One Cholesky factorization a step, some 15 to 30 steps: O(n³) each.
    Assumes checked input.
    """
    point = best = _start(Q, c, epsilon, C)
    least, since, done = np.inf, 0, 0
    while since < (PATIENCE if least > 1.0 else 1) and done < MOST_STEPS:
        pull = c - Q @ point.alpha
        gap = proved_gap(point.alpha, pull)
        best, least, since = (point, gap, 0) if gap < least else (best, least, since + 1)
        if least == 0.0:
            break
        residual = np.stack([epsilon - pull, epsilon + pull]) - point.below + point.above
        point = _stepped(Q, point, residual)
        done += 1
    return best, done


def _stepped(Q: Floats, point: Point, residual: Floats) -> Point:
    """One step of Mehrotra's predictor and corrector."""
    system = _System(Q, point)
    low, high = point.parts * point.below, point.room * point.above
    affine = system.step(residual, low, high)
    now = point.mean_product
    shrunk = point.moved(affine, point.longest(affine)).mean_product
    centre = now * (shrunk / now) ** 3
    step = system.step(
        residual,
        low + affine.parts * affine.below - centre,
        high + affine.room * affine.above - centre,
    )
    return point.moved(step, point.longest(step))


def _start(Q: Floats, c: Floats, epsilon: float, C: float) -> Point:
    """A point well inside, of the size that the data suggest, all products equal."""
    shape = (2, len(c))
    push = max(epsilon, float(np.abs(c).max(initial=0.0)))
    typical = push / max(float(Q.diagonal().max(initial=0.0)), 1e-300)
    inside = np.full(shape, min(C / 2.0, typical))
    push_back = push * inside / (C - inside)
    return Point(np.stack([inside, C - inside, np.full(shape, push), push_back]))


class _System:
    """Newton's equations at a point, reduced to α and factorized."""

    def __init__(self, Q: Floats, point: Point):
        self.point = point
        self.stiffness = point.below / point.parts + point.above / point.room
        self.weights = 1.0 / (1.0 / self.stiffness).sum(axis=0)
        self.Q = Q
        system = Q.copy()
        system.flat[:: len(Q) + 1] += self.weights
        self.factor = cholesky(system)

    def step(self, residual: Floats, low_products: Floats, high_products: Floats) -> Point:
        """The step that removes the residual and the products, to first order."""
        point = self.point
        right = -residual - low_products / point.parts + high_products / point.room
        push = (right[0] / self.stiffness[0] - right[1] / self.stiffness[1]) * self.weights
        along = solved(self.factor, push)
        force = self.weights * (right[0] / self.stiffness[0] - right[1] / self.stiffness[1] - along)
        parts = np.stack([right[0] - force, right[1] + force]) / self.stiffness
        below = -(low_products + point.below * parts) / point.parts
        above = -(high_products - point.above * parts) / point.room
        return Point(np.stack([parts, -parts, below, above]))


def cholesky(system: Floats) -> Floats:
    """The lower factor, with as small a ridge as rounding asks for.

    By LAPACK itself: of twenty columns, SciPy's checks take longer than what is checked.
    """
    ridge = 0.0
    while True:
        factor: Floats
        factor, failed = dpotrf(system, lower=True, clean=False)
        if not failed:
            return factor
        least = max(float(system.diagonal().max()), 1e-300) * np.finfo(float).eps
        ridge = max(10.0 * ridge, len(system) * least)
        system = system + ridge * np.eye(len(system))


def solved(factor: Floats, right: Floats) -> Floats:
    """Solve with the factor of `cholesky`."""
    found: Floats = dpotrs(factor, right, lower=True)[0]
    return found
