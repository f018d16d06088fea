"""Two-class support vector machines of a few samples, by sequential minimal optimization.

Written for thousands of small problems, where the calls of a general library cost more than the
solutions. With v = y α the dual (JMLR eq. 1) has one bound for each sample, 0 <= vᵢ <= Cᵢ where
y = 1 and -Cᵢ <= vᵢ <= 0 where y = -1, and the sum of v is zero: a step moves two of them.
"""

import numpy as np

from similearn.numerics.compiling import compiled_fused, compiled_within

LEAST_CURVATURE = 1e-12
"""In units of the kernel's largest entry, which callers bring near one."""


@compiled_fused
def solve_svm(K, p, signs, C, tol, max_iter, v, gradient):  # type: ignore[no-untyped-def]
    """Solve the dual for a kernel matrix and signs.

    Parameters
    ----------
    K : of which the leading (p, p) block counts, positive semidefinite
    p : samples
    signs : (p,) labels, 1 or -1; both occur
    C : (p,) cost of each sample, positive
    tol, max_iter : largest violation of the optimality conditions; steps
    v, gradient : (p,) room; v receives the solution y α

    Returns
    -------
    intercept, whether `tol` was reached

    Notes
    -----
    The pair of each step is the most violating sample and the one that gains most with it
    (second order). The intercept is the mean over samples strictly inside
    their bounds; where there is none, the middle of what the others allow.
    """
    end = np.uintp(p)
    for t in range(end):
        v[t] = 0.0
        gradient[t] = -signs[t]
    solved, highest, lowest = False, 0.0, 0.0
    for _ in range(max_iter):
        first, second, highest, lowest = _pair(K, end, signs, C, v, gradient)
        if highest - lowest <= tol:
            solved = True
            break
        _move(K, end, signs, C, v, gradient, first, second)
    total, free = 0.0, 0
    for t in range(end):
        if 0.0 < signs[t] * v[t] < C[t]:
            total -= gradient[t]
            free += 1
    return total / free if free else 0.5 * (highest + lowest), solved


@compiled_within
def _pair(K, end, signs, C, v, gradient):  # type: ignore[no-untyped-def]
    """Sample of steepest descent among those that may grow, and its best partner.

    Also the steepness of the first, and the lowest among those that may shrink.
    """
    highest, lowest, most = -np.inf, np.inf, -1.0
    first = second = np.uintp(0)
    for t in range(end):
        top = C[t] if signs[t] > 0.0 else 0.0
        if v[t] < top and -gradient[t] > highest:
            first, highest = np.uintp(t), -gradient[t]
    for t in range(end):
        bottom = 0.0 if signs[t] > 0.0 else -C[t]
        if v[t] > bottom:
            lowest = -gradient[t] if -gradient[t] < lowest else lowest
            difference = highest + gradient[t]
            if difference > 0.0:
                curvature = K[first, first] + K[t, t] - 2.0 * K[first, t]
                curvature = curvature if curvature > LEAST_CURVATURE else LEAST_CURVATURE
                # The gain is difference² / curvature; compared without dividing.
                if difference * difference > most * curvature:
                    second, most = np.uintp(t), difference * difference / curvature
    return first, second, highest, lowest


@compiled_within
def _move(K, end, signs, C, v, gradient, first, second):  # type: ignore[no-untyped-def]
    """Move `first` up and `second` down by the best step that the bounds allow."""
    curvature = K[first, first] + K[second, second] - 2.0 * K[first, second]
    curvature = curvature if curvature > LEAST_CURVATURE else LEAST_CURVATURE
    step = (gradient[second] - gradient[first]) / curvature
    top = C[first] if signs[first] > 0.0 else 0.0
    bottom = 0.0 if signs[second] > 0.0 else -C[second]
    up, down = top - v[first], v[second] - bottom
    limit = up if up < down else down
    step = step if step < limit else limit
    # Rounding must not keep a sample off its bound: one inside would decide the intercept alone.
    v[first] = top if up - step <= 1e-14 * C[first] else v[first] + step
    v[second] = bottom if down - step <= 1e-14 * C[second] else v[second] - step
    for t in range(end):
        gradient[t] += step * (K[first, t] - K[second, t])
