"""The small quadratic program of cutting planes, by a primal-dual interior point method.

minimize  ridge/2 |a|² + ξ   subject to   ξ ≥ offsets + slopes a,   normals a ≥ 0

with tens of variables and up to a few hundred constraints. Whatever the accuracy of the answer, its
multipliers give a bound that no feasible a can beat.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

Floats = NDArray[np.float64]

MAX_ROUNDS = 80


class Master(NamedTuple):
    """Solution of the program.

    Attributes
    ----------
    point : (d,)
    bound : certified lower bound on the minimum
    shares : (t,), multipliers of the slopes; they sum to one
    multipliers : (c,), of the normals
    """

    point: Floats
    bound: float
    shares: Floats
    multipliers: Floats


def solve_master(
    slopes: Floats, offsets: Floats, normals: Floats, ridge: float, tol: float = 1e-10
) -> Master:
    """Minimize ridge/2 |a|² + max(offsets + slopes a) subject to normals a ≥ 0.

    Parameters
    ----------
    slopes : (t, d), at least one row
    offsets : (t,)
    normals : (c, d), possibly no rows
    ridge : positive
    tol : complementarity asked for

    Notes
    -----
    Mehrotra's predictor and corrector; O((t + c) d² + d³) per round, some twenty rounds. The
    bound is the dual function at the multipliers found, shares scaled to sum to one:
    offsets·shares - |normalsᵀ multipliers - slopesᵀ shares|² / (2 ridge). Assumes checked input.
    """
    t, d = slopes.shape
    rows = np.vstack([np.hstack([-slopes, np.ones((t, 1))]), np.pad(normals, ((0, 0), (0, 1)))])
    right = np.concatenate([offsets, np.zeros(len(normals))])
    curvature = np.append(np.full(d, ridge), 0.0)
    linear = np.append(np.zeros(d), 1.0)
    x = np.append(np.zeros(d), offsets.max() + 1.0)
    slack = np.maximum(rows @ x - right, 1.0)
    dual = np.concatenate([np.full(t, 1.0 / t), np.full(len(normals), 1.0 / t)])
    for _ in range(MAX_ROUNDS):
        residual = curvature * x + linear - rows.T @ dual
        missing = rows @ x - slack - right
        gap = slack @ dual / len(slack)
        if gap < tol and max(np.abs(residual).max(), np.abs(missing).max()) < tol:
            break
        step = _newton_step(rows, curvature, slack, dual, residual, missing, gap)
        if step is None:
            break
        x, slack, dual = x + step[0], slack + step[1], dual + step[2]
    shares = dual[:t] / dual[:t].sum()
    force = dual[t:] @ normals - shares @ slopes
    bound = float(offsets @ shares - force @ force / (2 * ridge))
    return Master(x[:d], bound, shares, dual[t:])


def _newton_step(rows, curvature, slack, dual, residual, missing, gap):  # type: ignore[no-untyped-def]
    """Predict, correct, and go as far as slacks and multipliers stay positive."""
    weights = dual / slack
    system = (rows.T * weights) @ rows
    system[np.diag_indices_from(system)] += curvature
    try:
        factor = cho_factor(system, check_finite=False)
    except np.linalg.LinAlgError:  # rounding: the answer is as good as it gets
        return None

    def direction(complement):  # type: ignore[no-untyped-def]
        right = -residual - rows.T @ (weights * missing + complement / slack)
        dx = cho_solve(factor, right, check_finite=False)
        ds = rows @ dx + missing
        return dx, ds, -(complement + dual * ds) / slack

    _, ds, dz = direction(slack * dual)
    reach = _reach(slack, ds), _reach(dual, dz)
    ahead = (slack + reach[0] * ds) @ (dual + reach[1] * dz) / len(slack)
    centre = gap * (ahead / gap) ** 3
    dx, ds, dz = direction(slack * dual + ds * dz - centre)
    length = 0.995 * min(_reach(slack, ds), _reach(dual, dz))
    return length * dx, length * ds, length * dz


def _reach(values: Floats, change: Floats) -> float:
    """How far one can go before a value turns negative, at most one."""
    falling = change < 0
    return float(min(1.0, (-values[falling] / change[falling]).min(initial=np.inf)))
