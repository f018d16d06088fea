r"""The linear programming machine: hinge losses and an ℓ₁ norm (JMLR eq. 5).

.. math:: \min_{w,b} \|w\|_1 + C\sum_i \max(0, 1 - y_i(w^T s_i + b))
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LARGEST_SLACK_COST = 1e7
TOLERANCE_NAMES = ("primal_feasibility_tolerance", "dual_feasibility_tolerance")
TOLERANCES = (1e-10, 1e-7)
"""The first that HiGHS can reach is used; its own is the last."""


class LPSolution(NamedTuple):
    """Weights (p,), intercept, objective, whether HiGHS found an optimum, and one without slack."""

    weights: Floats
    intercept: float
    objective: float
    solved: bool
    errorless: bool = False


def lp_machine_path(
    S: Floats, y: Floats, costs: Sequence[float], weights: Floats | None = None
) -> list[LPSolution]:
    """Solve (5) for each of the costs, in their order.

    A solution without slack has multipliers that no cost bounds: it is optimal for all
    larger costs, too, which are not solved for again. Parameters as of `solve_lp_machine`.
    """
    found: dict[float, LPSolution] = {}
    last = None
    for C in sorted(set(costs)):
        if last is None or not last.errorless:
            last = solve_lp_machine(S, y, C, weights)
        found[C] = last
    return [found[C] for C in costs]


def solve_lp_machine(S: Floats, y: Floats, C: float, weights: Floats | None = None) -> LPSolution:
    """Solve (5) by HiGHS.

    Parameters
    ----------
    S : (n, p) similarities of n samples to p prototypes
    y : (n,) signs, 1 or -1
    C : cost of errors
    weights : (n,) by which the errors of the samples cost more; all alike if None

    Returns
    -------
    LPSolution
        Weights that the simplex method leaves out of its basis are exactly zero.

    Notes
    -----
    Variables w⁺, w⁻, ξ >= 0 and b; constraints y_i((w⁺ - w⁻)ᵀs_i + b) + ξ_i >= 1: n rows. Rows
    are scaled by the largest similarity, so that HiGHS's absolute tolerances mean
    the same for all data. A solution changes at finitely many values of C; where C times that scale
    exceeds 1e7, HiGHS is given 1e7, beyond which its arithmetic would not see ‖w‖ any more.
    Assumes checked input.
    """
    n, p = S.shape
    scale = float(np.abs(S).max(initial=0.0)) or 1.0
    rows = (y[:, None] * S) / scale
    # Hardly a zero is in it, and a small sparse one takes longer to build than the rest to solve.
    constraints = np.hstack([-rows, rows, -np.eye(n), -y[:, None]])
    each = np.ones(n) if weights is None else weights
    of_slack = np.minimum(C * scale * each, LARGEST_SLACK_COST)
    costs = np.concatenate([np.ones(2 * p), of_slack, [0.0]])  # w in units of 1 / scale
    bounds = np.tile([0.0, np.inf], (2 * p + n + 1, 1))
    bounds[-1, 0] = -np.inf
    for tolerance in TOLERANCES:
        options = {name: tolerance for name in TOLERANCE_NAMES}
        program = costs, constraints, -np.ones(n)
        result = scipy.optimize.linprog(*program, bounds=bounds, options=options)
        if result.status == 0:
            break
    if result.x is None:
        return LPSolution(np.zeros(p), 0.0, C * float(each.sum()), False)
    weights = (result.x[:p] - result.x[p : 2 * p]) / scale
    intercept = float(result.x[-1])
    losses = np.maximum(1.0 - y * (S @ weights + intercept), 0.0)
    objective = float(np.abs(weights).sum() + C * (each * losses).sum())
    solved = result.status == 0
    return LPSolution(
        weights, intercept, objective, solved, solved and not result.x[2 * p : -1].any()
    )
