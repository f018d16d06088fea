"""Minimize the loss (2) of CDNN over a cone of matrices, with a bound that certifies the answer.

f(A) = mean hinge loss of the triples + ridge/2 |A|²,  A in the cone.

`minimize_by_cuts` collects tangents of the loss and half-spaces around the cone, and solves the
quadratic program that they form, again and again. `minimize_by_samples` is the projected
stochastic gradient method of the slides (after Pegasos), with averaging.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from similearn.numerics.combine.cones import Cone, project_on_ball
from similearn.numerics.combine.cutting_qp import solve_master
from similearn.numerics.combine.triples import (
    Triples,
    delta_matrix,
    mean_hinge,
    sampled_slope,
    tangent,
)

Floats = NDArray[np.float64]

BEYOND = 0.1  # tangents are taken this far beyond the best point, towards the program's answer
IDLE = 1e-9  # share below which a tangent or half-space does nothing
LEAST_GAP = 1e-8  # relative; a smaller one takes hundreds of rounds among roundings
IDLE_ROUNDS = 30  # after so many that changed nothing, none will: rounding is all there is
KEPT = 150  # tangents beyond this number are dropped if they do nothing


class Record(NamedTuple):
    """Best objective so far, and the best lower bound, after an iteration."""

    objective: float
    bound: float


class Solution(NamedTuple):
    """What a solver found.

    Attributes
    ----------
    matrix : A, (M, M)
    history : list of `Record`, one an iteration
    converged : whether objective - bound ≤ tol × objective
    """

    matrix: Floats
    history: list[Record]
    converged: bool

    @property
    def objective(self) -> float:
        """f(A)."""
        return self.history[-1].objective

    @property
    def bound(self) -> float:
        """No A in the cone has a smaller objective."""
        return self.history[-1].bound


@dataclass
class Bundle:
    """Tangents of the loss of given triples, and half-spaces around the cone.

    They hold for every ridge, so a whole path of ridges shares them.
    """

    triples: Triples
    cone: Cone
    slopes: Floats = field(init=False)
    offsets: Floats = field(init=False)
    normals: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.normals = self.cone.first_normals()
        d = len(self.cone.pack(np.eye(len(self.triples.pairs))))
        self.slopes, self.offsets = np.empty((0, d)), np.empty(0)

    def add(self, delta: Floats) -> float:
        """Take the tangent where the dissimilarities are `delta`; returns the loss there."""
        cut = tangent(self.triples, delta)
        self.slopes = np.vstack([self.slopes, self.cone.pack(cut.slope)])
        self.offsets = np.append(self.offsets, cut.offset)
        return cut.loss

    def enclose(self, vector: Floats) -> Floats:
        """Add half-spaces that the vector violates; returns its projection on the cone."""
        nearest = self.cone.project(vector)
        self.normals = np.vstack([self.normals, self.cone.normals(vector, nearest)])
        return nearest

    def solve(self, ridge: float) -> tuple[Floats, float]:
        """Minimize the model of the objective; returns the point and the certified bound."""
        answer = solve_master(self.slopes, self.offsets, self.normals, ridge)
        if len(self.offsets) > KEPT:
            busy = answer.shares > IDLE * answer.shares.max()
            self.slopes, self.offsets = self.slopes[busy], self.offsets[busy]
        if len(self.normals) > KEPT:
            busy = answer.multipliers > IDLE * answer.multipliers.max()
            self.normals = self.normals[busy]
        return answer.point, answer.bound


def scaled_identity(triples: Triples, ridge: float) -> Floats:
    """The best multiple of the identity: never worse than the Pythagorean combination."""
    size = len(triples.pairs)
    delta = delta_matrix(triples, np.eye(size))
    with np.errstate(over="ignore", invalid="ignore"):  # of a parabola that is no use then
        best = minimize_scalar(
            lambda s: mean_hinge(triples, s * delta) + ridge * size * s * s / 2,
            bounds=(0.0, 1.0 / np.sqrt(ridge * size)),
            method="bounded",
        )
    return float(best.x) * np.eye(size)


def objective(triples: Triples, A: Floats, ridge: float) -> float:
    """Loss (2), regularizer included."""
    return mean_hinge(triples, delta_matrix(triples, A)) + ridge * float((A**2).sum()) / 2


def minimize_by_cuts(
    bundle: Bundle,
    ridge: float,
    *,
    start: Floats | None = None,
    tol: float = 1e-3,
    max_iter: int = 500,
) -> Solution:
    """Minimize (2) by cutting planes, with exact line searches between feasible points.

    Parameters
    ----------
    bundle : tangents and half-spaces so far; grows
    ridge : positive
    start : (M, M), in the cone; by default the best multiple of the identity
    tol : relative gap asked for; counts as `LEAST_GAP` where it is smaller
    max_iter : rounds, each one small quadratic program and O(n² (M² + p))

    Notes
    -----
    The bound comes from the multipliers of the quadratic program (see `cutting_qp`), and
    holds since tangents lie below the loss and half-spaces contain the cone. δ is linear
    in A, so a line search needs the two dissimilarity matrices at its ends alone. The ball
    of radius 1/√ridge that contains the optimum need not be imposed: the program obeys it.
    """
    triples, cone, tol = bundle.triples, bundle.cone, max(tol, LEAST_GAP)
    A = scaled_identity(triples, ridge) if start is None else start
    best, delta = cone.pack(A), delta_matrix(triples, A)
    value = bundle.add(delta) + ridge * float(best @ best) / 2
    if mean_hinge(triples, np.zeros_like(delta)) == 0.0:  # no triple: nothing is to be learned
        return Solution(A, [Record(value, value)], True)
    history: list[Record] = []
    bound = 0.0
    for _ in range(max_iter):
        point, found = bundle.solve(ridge)
        bound = max(bound, found)
        history.append(Record(value, bound))
        if value - bound <= tol * value or _is_idle(history):
            break
        point = bundle.enclose(point)
        ahead = delta_matrix(triples, cone.unpack(point))
        step = _line_search(triples, ridge, (best, delta), (point, ahead))
        best, delta = best + step * (point - best), delta + step * (ahead - delta)
        value = mean_hinge(triples, delta) + ridge * float(best @ best) / 2
        bundle.add(delta + BEYOND * (ahead - delta))
        if step > 0:
            bundle.add(delta)
    converged = value - history[-1].bound <= tol * value
    return Solution(cone.unpack(best), history, converged)


def _is_idle(history: list[Record]) -> bool:
    return len(history) > IDLE_ROUNDS and history[-1] == history[-1 - IDLE_ROUNDS]


def minimize_by_samples(
    bundle: Bundle,
    ridge: float,
    *,
    rng: np.random.Generator,
    start: Floats | None = None,
    tol: float = 1e-3,
    n_steps: int = 1000,
    batch_size: int = 1000,
    n_records: int = 20,
) -> Solution:
    """Minimize (2) by projected stochastic gradients, the algorithm of the slides.

    Parameters
    ----------
    bundle : receives tangents at the records, which give the bound
    ridge : positive
    rng : draws the triples
    start : (M, M), A₀ in the cone; by default the best multiple of the identity
    tol : relative gap asked for
    n_steps, batch_size : T, and r triples per step
    n_records : how often the whole objective is measured, and its bound

    Notes
    -----
    Step t has length 1/(ridge t); iterates are projected on the cone, then on the ball of
    radius 1/√ridge. The slides return the last iterate; the mean of all, the later ones
    weighing more (2t / T(T+1)), converges faster. The best of the recorded means and A₀ is
    returned. The bound is valid, but of few tangents, hence loose.
    """
    triples, cone = bundle.triples, bundle.cone
    A = scaled_identity(triples, ridge) if start is None else start
    point, radius = cone.pack(A), 1.0 / np.sqrt(ridge)
    best, mean = point, np.zeros_like(point)
    value = bundle.add(delta_matrix(triples, A)) + ridge * float(point @ point) / 2
    bound, history = 0.0, []
    marks = set(np.linspace(0, n_steps, n_records + 1).astype(int)[1:])
    for t in range(1, n_steps + 1):
        draws = rng.random((batch_size, 3))
        slope = cone.pack(sampled_slope(triples, cone.unpack(point), draws))
        point = (1.0 - 1.0 / t) * point - slope / (ridge * t)
        point = project_on_ball(cone.project(point), radius)
        mean = mean + 2.0 / (t + 1) * (point - mean)
        if t in marks:
            delta = delta_matrix(triples, cone.unpack(mean))
            now = bundle.add(delta) + ridge * float(mean @ mean) / 2
            best, value = (mean, now) if now < value else (best, value)
            proposed, found = bundle.solve(ridge)
            bundle.enclose(proposed)
            bound = max(bound, found)
            history.append(Record(value, bound))
    return Solution(cone.unpack(best), history, value - bound <= tol * value)


def _line_search(triples, ridge, here, there):  # type: ignore[no-untyped-def]
    """Best step between two feasible points, each with its dissimilarities."""
    (best, delta), (point, ahead) = here, there
    move, change = point - best, ahead - delta

    def value(step: float) -> float:
        at = best + step * move
        return mean_hinge(triples, delta + step * change) + ridge * float(at @ at) / 2

    with np.errstate(over="ignore", invalid="ignore"):
        found = minimize_scalar(value, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-4})
    steps = [0.0, float(found.x), 1.0]
    return min(steps, key=value)
