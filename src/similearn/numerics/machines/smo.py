"""Two-class support vector machines of a few samples, by sequential minimal optimization.

Written for thousands of small problems, where the calls of a general library cost more than the
solutions. With v = y α the dual (JMLR eq. 1) has one bound for each sample, 0 <= v <= C where
y = 1 and -C <= v <= 0 where y = -1, and the sum of v is zero: a step moves two of them.
"""

import numpy as np

from similearn.numerics.compiling import compiled

LEAST_CURVATURE = 1e-12


@compiled
def solve_svm(K, signs, C, tol, max_iter, v, gradient):  # type: ignore[no-untyped-def]
    """Solve the dual for a kernel matrix and signs.

    Parameters
    ----------
    K : (p, p), positive semidefinite, rows contiguous
    signs : (p,) labels, 1 or -1; both occur
    C, tol, max_iter : box, largest violation of the optimality conditions, steps
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
    for t in range(len(v)):
        v[t] = 0.0
        gradient[t] = -signs[t]
    highest, lowest = 0.0, 0.0
    for _ in range(max_iter):
        first, highest = _most_violating(signs, C, v, gradient)
        second, lowest = _best_partner(K, signs, C, v, gradient, first, highest)
        if highest - lowest <= tol:
            return _intercept(signs, C, v, gradient, highest, lowest), True
        _move(K, signs, C, v, gradient, first, second)
    return _intercept(signs, C, v, gradient, highest, lowest), False


@compiled
def _most_violating(signs, C, v, gradient):  # type: ignore[no-untyped-def]
    """Sample of steepest descent among those that may grow."""
    first, highest = -1, -np.inf
    for t in range(len(v)):
        top = C if signs[t] > 0.0 else 0.0
        if v[t] < top and -gradient[t] > highest:
            first, highest = t, -gradient[t]
    return first, highest


@compiled
def _best_partner(K, signs, C, v, gradient, first, highest):  # type: ignore[no-untyped-def]
    """Sample that gains most with `first`, and the lowest value among those that may shrink."""
    row, own = K[first], K[first, first]
    second, most, lowest = -1, -1.0, np.inf
    for t in range(len(v)):
        bottom = 0.0 if signs[t] > 0.0 else -C
        if v[t] > bottom:
            lowest = min(lowest, -gradient[t])
            difference = highest + gradient[t]
            if difference > 0.0:
                curvature = max(own + K[t, t] - 2.0 * row[t], LEAST_CURVATURE)
                # The gain is difference² / curvature; compared without dividing.
                if second < 0 or difference * difference > most * curvature:
                    second, most = t, difference * difference / curvature
    return second, lowest


@compiled
def _move(K, signs, C, v, gradient, first, second):  # type: ignore[no-untyped-def]
    """Move `first` up and `second` down by the best step that the bounds allow."""
    rising, falling = K[first], K[second]
    curvature = max(rising[first] + falling[second] - 2.0 * rising[second], LEAST_CURVATURE)
    step = (gradient[second] - gradient[first]) / curvature
    top = C if signs[first] > 0.0 else 0.0
    bottom = 0.0 if signs[second] > 0.0 else -C
    up, down = top - v[first], v[second] - bottom
    limit = min(up, down)
    if step < limit:
        v[first] += step
        v[second] -= step
    else:
        step = limit
        v[first] = top if up == limit else v[first] + limit
        v[second] = bottom if down == limit else v[second] - limit
    for t in range(gradient.size):
        gradient[t] += step * (rising[t] - falling[t])


@compiled
def _intercept(signs, C, v, gradient, highest, lowest):  # type: ignore[no-untyped-def]
    total, free = 0.0, 0
    for t in range(len(v)):
        bottom, top = (0.0, C) if signs[t] > 0.0 else (-C, 0.0)
        if bottom < v[t] < top:
            total -= gradient[t]
            free += 1
    return total / free if free else 0.5 * (highest + lowest)
