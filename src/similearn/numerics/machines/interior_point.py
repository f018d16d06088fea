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
from scipy.linalg import LinAlgError, cho_factor, cho_solve

Floats = NDArray[np.float64]

MOST_STEPS, PATIENCE = 100, 8
TO_THE_WALL = 0.995


class Point(NamedTuple):
    """A point inside: both parts, their distance to C, and a multiplier for each bound."""

    parts: Floats  # (2, n), p and q
    room: Floats  # (2, n), C - p and C - q
    below: Floats  # (2, n), multipliers of parts >= 0
    above: Floats  # (2, n), multipliers of room >= 0

    @property
    def alpha(self) -> Floats:
        """P - q."""
        return self.parts[0] - self.parts[1]

    @property
    def mean_product(self) -> float:
        """Mean of the products that are zero at the solution."""
        total = np.vdot(self.parts, self.below) + np.vdot(self.room, self.above)
        return float(total) / (2 * self.parts.size)

    def moved(self, step: "Point", length: float) -> "Point":
        """The point after a share of a step."""
        return Point(*(here + length * there for here, there in zip(self, step, strict=True)))

    def longest(self, step: "Point") -> float:
        """Share of the step, at most one, after which everything is still positive."""
        longest = 1.0
        for here, there in zip(self, step, strict=True):
            falling = there < 0
            if falling.any():
                with np.errstate(over="ignore"):  # of what hardly falls
                    shares = -here[falling] / there[falling]
                longest = min(longest, TO_THE_WALL * float(shares.min()))
        return longest


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
    return Point(inside, C - inside, np.full(shape, push), push * inside / (C - inside))


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
        along = cho_solve(self.factor, push, check_finite=False)
        force = self.weights * (right[0] / self.stiffness[0] - right[1] / self.stiffness[1] - along)
        parts = np.stack([right[0] - force, right[1] + force]) / self.stiffness
        below = -(low_products + point.below * parts) / point.parts
        above = -(high_products - point.above * parts) / point.room
        return Point(parts, -parts, below, above)


def cholesky(system: Floats) -> tuple[Floats, bool]:
    """Factorize, with as small a ridge as rounding asks for."""
    ridge = 0.0
    while True:
        try:
            return cho_factor(system, lower=True, check_finite=False)
        except LinAlgError:
            least = max(float(system.diagonal().max()), 1e-300) * np.finfo(float).eps
            ridge = max(10.0 * ridge, len(system) * least)
            system = system + ridge * np.eye(len(system))
