r"""The robust support vector machine for indefinite similarities (JMLR eq. 2).

.. math:: \max_\alpha \min_{K \succeq 0} 1^T\alpha - \tfrac12\alpha^T Y K Y\alpha
          + \rho\|K - S\|_F^2
          \quad\text{subject to}\quad 0 \le \alpha_i \le C_i,\; y^T\alpha = 0

For v = Yα the inner minimum is at K = (S + v vᵀ / 4ρ)₊ and equals ρ(‖S‖² - ‖K‖²), so that the
outer problem is to maximize a smooth concave function of α.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import as_input
from similearn.numerics.linalg.spectrum import Spectrum, noise_floor
from similearn.numerics.linalg.units import LARGEST_COST
from similearn.numerics.machines.robust_ascent import ascend, objective_at

Floats = NDArray[np.float64]

PATIENCE = 500
CHEAPEST = 1e-30  # ρ of a matrix in units below which nothing changes any more but the scale


class RobustSolution(NamedTuple):
    """Coefficients v = Yα (n,), those of queries (n,), intercept, value of (2), gap and steps.

    ``relative_gap`` is the gap as a share of the primal value of the machine with the worst kernel.
    """

    v: Floats
    projected: Floats
    intercept: float
    objective: float
    gap: float
    relative_gap: float
    n_iter: int


class RobustProblem:
    """Equation (2) for a symmetric matrix, its signs and ρ; decomposes the matrix once."""

    def __init__(self, S: Floats, y: Floats, rho: float):
        self.spectrum = Spectrum.of(S)
        self.S, self.y = S, y
        values, vectors = self.spectrum
        self._parts = as_input(values), as_input(vectors), as_input(y)
        self.rho = rho
        self.squares = float(np.sum(np.minimum(self.spectrum.eigenvalues, 0.0) ** 2))

    @property
    def rho(self) -> float:
        """The ρ that counts, which may be larger than the one that was set, see `robust_svm`."""
        return self._rho

    @rho.setter
    def rho(self, rho: float) -> None:
        self._rho = max(rho, CHEAPEST / max(_largest(self.spectrum), 1.0) ** 3)

    def value(self, v: Floats) -> tuple[float, Floats]:
        """The objective to maximize less ρ‖S₋‖², and its gradient with respect to v: O(n²)."""
        gradient = np.empty(len(v))
        return objective_at(*self._parts, self.rho, v, gradient), gradient

    def ascended(
        self, start: Floats, low: Floats, high: Floats, length: float
    ) -> tuple[Floats, float, Floats, float, Floats]:
        """One projected step: the point, its value and gradient, the length, the slope before."""
        new, gradient, slope = np.empty((3, len(start)))
        bounds, found = (low, high), (new, gradient, slope)
        value, length = ascend(*self._parts, self.rho, *bounds, start, length, *found)
        return new, value, gradient, length, slope


def robust_svm(
    problem: RobustProblem, C: float | Floats, tol: float, max_iter: int
) -> RobustSolution:
    """Maximize (2) until the relative duality gap is below ``tol``; C may be (n,), one each.

    Notes
    -----
    Accelerated projected gradients with backtracking, started afresh whenever they overshoot. The
    gap in the loop is that of the linear upper bound at α, whose maximum over the constraints a
    sort finds. Each step costs O(n²) and O(n) for every negative eigenvalue, by the secular
    equation of the rank-one change. The gap that is returned shares no step with them: it comes
    from a fresh decomposition of the worst kernel (`certificate`), O(n³).

    The solution for c S, C / c and ρ / c³ is that for S, C and ρ, divided by c. C counts as 1e12
    over the largest eigenvalue where it is larger, ρ as 1e-30 where it is smaller, over the cube of
    that eigenvalue if it is above one. The search also ends after 500 steps that make the gap no
    smaller by one percent. Assumes checked input.
    """
    y, largest = problem.y, _largest(problem.spectrum)
    C = np.minimum(C, LARGEST_COST / largest) if largest > 0.0 else C
    low, high = np.minimum(0.0, C * y), np.maximum(0.0, C * y)
    v = ahead = np.zeros(len(y))
    momentum, length = 1.0, float(1.0 / (largest + np.cbrt(0.25 / problem.rho)))
    value, gradient = problem.value(v)
    done, share, least, since = 0, np.inf, np.inf, 0
    while done < max_iter and share > tol and since < PATIENCE:
        done, since = done + 1, since + 1
        new, value, gradient, length, slope = problem.ascended(ahead, low, high, length)
        later = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        overshot = slope @ (new - v) < 0.0
        ahead = new if overshot else new + (momentum - 1.0) / later * (new - v)
        v, momentum = new, 1.0 if overshot else later
        gap = _linear_gap(gradient, v, y, C)
        share = gap / (gap + 0.5 * float(v @ (y + gradient)))
        if share < 0.99 * least:
            least, since = share, 0
    objective = value + problem.rho * problem.squares
    product, projected, gap, share = certificate(problem.S, y, C, problem.rho, v)
    intercept = _intercept(y - product, v, y, C)
    return RobustSolution(v, projected, intercept, objective, gap, share, done)


def certificate(
    S: Floats, y: Floats, C: float | Floats, rho: float, v: Floats
) -> tuple[Floats, Floats, float, float]:
    """K v, v projected on the eigenvectors that K keeps, the duality gap, and its relative size.

    Any positive semidefinite K bounds (2) from above by ρ‖K - S‖² plus the primal value of the
    machine with K, ½ vᵀKv + Σ Cᵢ max(0, 1 - yᵢ((Kv)ᵢ + b)). For K = (S + vvᵀ/4ρ)₊, the best for v,
    the value at v is ρ‖K - S‖² plus the machine's dual value: the gap is that of the machine.
    """
    values, vectors = Spectrum.of(S + np.outer(v, v) / (4.0 * rho))
    z = v @ vectors
    product = vectors @ (np.maximum(values, 0.0) * z)
    residual = y - product
    loss = _least_loss(residual, y, C)
    squares = float(v @ product)
    gap = max(squares + loss - float(y @ v), 0.0)
    projected = vectors @ np.where(values > noise_floor(values), z, 0.0)
    return product, projected, gap, gap / (0.5 * squares + loss) if gap else 0.0


def _largest(spectrum: Spectrum) -> float:
    return float(np.abs(spectrum.eigenvalues).max(initial=0.0))


def _linear_gap(gradient: Floats, v: Floats, y: Floats, C: float | Floats) -> float:
    """Largest gain of the linear bound over the constraints, by its dual."""
    return max(_least_loss(gradient, y, C) - float(gradient @ v), 0.0)


def _least_loss(residual: Floats, y: Floats, C: float | Floats) -> float:
    """Least Σ Cᵢ max(0, yᵢ(rᵢ - b)) over b, which is also the largest rᵀv over the constraints."""
    b = _best_intercept(residual, y, C)
    return float(np.sum(C * np.maximum(y * (residual - b), 0.0)))


def _best_intercept(residual: Floats, y: Floats, C: float | Floats) -> float:
    """Up to the best b, the costs of the residuals sum to those of the positive samples."""
    C, order = np.broadcast_to(C, y.shape), np.argsort(residual)
    below = np.cumsum(C[order])
    place = np.searchsorted(below, C[y > 0].sum() * (1.0 - 1e-12))
    return float(residual[order[min(place, len(order) - 1)]])


def _intercept(gradient: Floats, v: Floats, y: Floats, C: float | Floats) -> float:
    """Mean gradient of coefficients inside their bounds, else the middle of what they allow."""
    slack = 1e-8 * C
    low, high = np.minimum(0.0, C * y), np.maximum(0.0, C * y)
    grows, shrinks = v < high - slack, v > low + slack
    free = grows & shrinks
    if free.any():
        return float(gradient[free].mean())
    if not (grows.any() and shrinks.any()):  # costs so unequal that all are at their bounds
        return _best_intercept(gradient, y, C)
    return 0.5 * float(gradient[grows].max() + gradient[shrinks].min())
