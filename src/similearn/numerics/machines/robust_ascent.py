r"""Steps of the robust machine, compiled: of few samples, calls would take longer than they work.

The objective to maximize in v = Yα is, with K = (S + v vᵀ / 4ρ)₊ and up to a constant,
:math:`y^T v + \rho(\|S\|^2 - \|K\|^2)`, and its gradient y - K v. Both come from the eigenvectors
of S by the secular equation of the rank-one change, without a decomposition.
"""

import numpy as np

from similearn.numerics.compiling import compiled, compiled_within
from similearn.numerics.linalg.secular import EPSILON, MOST_STEPS, _negative_part

MOST_HALVINGS = 60


@compiled
def objective_at(values, vectors, y, rho, v, gradient):  # type: ignore[no-untyped-def]
    """The objective at v less ρ‖S₋‖²; its gradient is written. O(n²)."""
    n, a = len(y), 4.0 * rho
    z = np.dot(v, vectors)
    squares, curved, linear = 0.0, 0.0, 0.0
    for i in range(n):
        squares += z[i] * z[i]
        curved += values[i] * z[i] * z[i]
        linear += y[i] * v[i]
    sums, group, moving = np.zeros(n), np.full(n, -1, np.intp), np.empty((2, n))
    change = _negative_part(values, z, a, 0.0, np.sqrt(squares), group, moving, sums)
    # ‖K‖² is ‖S + vvᵀ/4ρ‖² less its negative part; ‖S‖² and ‖S₋‖² are cancelled by hand.
    inner = rho * change - 0.5 * curved - squares * squares / (4.0 * a)
    for i in range(n):
        sums[i] = values[i] * z[i] + squares / a * z[i] - a * sums[i]
    product = np.dot(vectors, sums)
    for i in range(n):
        gradient[i] = y[i] - product[i]
    return linear + inner


@compiled
def ascend(values, vectors, y, rho, low, high, start, length, new, gradient, slope):  # type: ignore[no-untyped-def]
    """One projected step from `start`: writes the point, its gradient and the slope at `start`.

    A step is short enough if the gradient changes along it by no more than half its
    length allows; since the objective is concave, it then rises as much as the quadratic bound
    says. Values are not compared: near the end their differences round.

    Returns
    -------
    value, length : the objective at the new point, and the length of the step
    """
    objective_at(values, vectors, y, rho, start, slope)
    value, length = 0.0, 1.5 * length
    for _ in range(MOST_HALVINGS):
        for i in range(len(y)):
            new[i] = start[i] + length * slope[i]
        project(new, low, high)
        value = objective_at(values, vectors, y, rho, new, gradient)
        bend, distance = 0.0, 0.0
        for i in range(len(y)):
            change = new[i] - start[i]
            bend += (slope[i] - gradient[i]) * change
            distance += change * change
        if bend <= 0.5 / length * distance:
            break
        length *= 0.5
    return value, length


@compiled
def project(v, low, high):  # type: ignore[no-untyped-def]
    """Move v, in place, to the nearest point with Σv = 0 and low <= v <= high.

    It is v - t, clipped. The sum falls in t, piecewise linearly: Newton's steps find its root,
    halved where they leave the interval that holds it. O(n) each.
    """
    below, above = np.inf, -np.inf
    for i in range(len(v)):
        below, above = min(below, v[i] - high[i]), max(above, v[i] - low[i])
    t = 0.5 * (below + above)
    for _ in range(MOST_STEPS):
        total, n_free = _clipped_sum(v, t, low, high)
        if total == 0.0:
            break
        if total > 0.0:
            below = t
        else:
            above = t
        proposed = t + total / n_free if n_free else 0.5 * (below + above)
        if not below < proposed < above:
            proposed = 0.5 * (below + above)
        moved = abs(proposed - t)
        t = proposed
        if moved <= EPSILON * abs(t) or not below < t < above:
            break
    for i in range(len(v)):
        v[i] = min(max(v[i] - t, low[i]), high[i])


@compiled_within
def _clipped_sum(v, t, low, high):  # type: ignore[no-untyped-def]
    """Σ of v - t, clipped, and how many of them are strictly between their bounds."""
    total, n_free = 0.0, 0
    for i in range(len(v)):
        moved = v[i] - t
        if moved <= low[i]:
            total += low[i]
        elif moved >= high[i]:
            total += high[i]
        else:
            total += moved
            n_free += 1
    return total, n_free
