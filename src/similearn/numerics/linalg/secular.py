r"""Negative part of a matrix whose eigendecomposition is known, after a small change.

Two changes of S = U Λ Uᵀ lead to the same kind of equation. A bordered matrix
[[S, s], [sᵀ, c]] and a rank-one change S + σ v vᵀ both have the eigenvalues that solve

.. math:: g(\mu) = a + b\mu + \sum_i z_i^2 / (\lambda_i - \mu) = 0

with z = Uᵀ s, a = -c, b = 1 in the first case and z = Uᵀ v, a = 1/σ, b = 0 in the second.
Between two poles λ the function g rises from -∞ to ∞, so each interval holds one root, and the
component of its eigenvector along uᵢ is zᵢ / (μ - λᵢ) up to its length, for which g'(μ) stands.
"""

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import as_input, compiled, compiled_within

Floats = NDArray[np.float64]

EPSILON = float(np.finfo(np.float64).eps)
MOST_STEPS = 200


def negative_part(poles: Floats, z: Floats, a: float, b: float) -> tuple[Floats, float]:
    r"""Sum over the negative roots μ, and how the squares of negative eigenvalues change.

    Parameters
    ----------
    poles : (n,) eigenvalues λ of S, ascending
    z : (n,) the change in the basis of its eigenvectors
    a, b : the other terms of g, see above; b is zero or one

    Returns
    -------
    sums : (n,) :math:`\sum_{\mu<0} \mu\,z_i\,/\,(g'(\mu)\,(\mu - \lambda_i))`
    change : :math:`\sum_{\mu<0} \mu^2 - \sum_{\lambda<0} \lambda^2` if b is zero, from the
        differences μ - λ, so that a change far below the rounding of the sums is exact

    Notes
    -----
    Only the roots below zero are found, O(n) for each of about six steps. Poles that the
    change moves by less than rounding stay eigenvalues; equal poles count as one. What is
    compared has the unit of an eigenvalue: abs(zᵢ) where b is one, abs(zᵢ) ‖z‖ / a where b is
    zero. Assumes checked input.
    """
    n, poles, z = len(poles), as_input(poles), as_input(z)
    if not n:
        return np.zeros(0), 0.0
    sums, group, moving = np.zeros(n), np.full(n, -1, dtype=np.intp), np.empty((2, n))
    change = _negative_part(poles, z, a, b, float(np.sqrt(z @ z)), group, moving, sums)
    return sums, float(change)


@compiled
def _negative_part(poles, z, a, b, length, group, moving, sums):  # type: ignore[no-untyped-def]
    reach = length + abs(a) if b == 1.0 else length * length / a
    largest = max(abs(poles[0]), abs(poles[-1]))
    scale = max(reach, largest)
    per_z = 1.0 if b == 1.0 else length / a
    tiny = EPSILON * max(largest, length * per_z)
    n = _distinct(poles, z, per_z, tiny, group, moving[0], moving[1])
    places, weights = moving[0, :n], moving[1, :n]
    change = _add_staying(poles, z, a, group, sums) if b == 0.0 else 0.0
    for root in range(-1, n):
        if root >= 0 and places[root] >= 0.0:
            break
        if n == 0 or (root == -1 and b == 0.0):
            continue  # a positive change leaves nothing below the lowest pole
        origin, delta = _root(places, weights, a, b, root, reach)
        mu = places[origin] + delta
        if mu >= -EPSILON * scale * len(poles):
            change -= places[root] * places[root]
            continue
        change += ((places[origin] - places[root]) + delta) * (mu + places[root])
        _add_root(places, weights, z, b, origin, delta, mu, group, sums)
    return change


@compiled_within
def _add_root(places, weights, z, b, origin, delta, mu, group, sums):  # type: ignore[no-untyped-def]
    """Add μ zᵢ / (g'(μ) (μ - λᵢ)) of one root."""
    slope = b
    for i in range(len(places)):
        gap = (places[origin] - places[i]) + delta
        slope += weights[i] / (gap * gap)
    share = mu / slope
    for i in range(len(group)):
        if group[i] >= 0:
            gap = (places[origin] - places[group[i]]) + delta
            sums[i] += share * z[i] / gap


@compiled_within
def _add_staying(poles, z, a, group, sums):  # type: ignore[no-untyped-def]
    """What poles add that move by zᵢ² / a, to first order; the change of their squares."""
    change = 0.0
    for i in range(len(poles)):
        if group[i] < 0 and poles[i] < 0.0:
            sums[i] = poles[i] * z[i] / a
            change += z[i] * z[i] / a * (2.0 * poles[i])
    return change


@compiled_within
def _distinct(poles, z, per_z, tiny, group, places, weights):  # type: ignore[no-untyped-def]
    """Poles that move by more than `tiny`, equal ones together, and their weights; how many."""
    count = 0
    for i in range(len(poles)):
        if abs(z[i]) * per_z <= tiny:
            continue
        if count and poles[i] - places[count - 1] <= 4.0 * tiny:
            weights[count - 1] += z[i] * z[i]
            group[i] = count - 1
        else:
            places[count], weights[count] = poles[i], z[i] * z[i]
            group[i] = count
            count += 1
    return count


@compiled
def _root(places, weights, a, b, left, reach):  # type: ignore[no-untyped-def]
    """The root to the right of pole `left` (-1: left of all): its nearer pole, and its distance."""
    n = len(places)
    if left == -1 or left == n - 1:
        end = left if left >= 0 else np.intp(0)
        far = 2.0 * (reach + abs(places[end]))
        low, high = (-far, 0.0) if left == -1 else (0.0, far)
        return end, _bisect(places, weights, a, b, end, low, high)
    width = places[left + 1] - places[left]
    middle, _, _ = _evaluate(places, weights, a, b, left, left, 0.5 * width)
    if middle > 0.0:
        return left, _interpolate(places, weights, a, b, left, left, 0.0, 0.5 * width)
    return left + 1, _interpolate(places, weights, a, b, left, left + 1, -0.5 * width, 0.0)


@compiled
def _evaluate(places, weights, a, b, left, origin, delta):  # type: ignore[no-untyped-def]
    """g, and the slopes of its poles up to `left` and beyond, at places[origin] + delta."""
    value = a + b * (places[origin] + delta)
    before, beyond = 0.0, b
    for i in range(left + 1):
        share = 1.0 / ((places[i] - places[origin]) - delta)
        value += weights[i] * share
        before += weights[i] * share * share
    for i in range(left + 1, len(places)):
        share = 1.0 / ((places[i] - places[origin]) - delta)
        value += weights[i] * share
        beyond += weights[i] * share * share
    return value, before, beyond


@compiled
def _interpolate(places, weights, a, b, left, origin, low, high):  # type: ignore[no-untyped-def]
    """Root between two poles: g is replaced by two poles of the same value and slopes."""
    delta = 0.5 * (low + high)
    for _ in range(MOST_STEPS):
        value, before, beyond = _evaluate(places, weights, a, b, left, origin, delta)
        if value == 0.0:
            return delta
        if value > 0.0:
            high = delta
        else:
            low = delta
        step = _two_pole_step(
            value,
            before,
            beyond,
            (places[left] - places[origin]) - delta,
            (places[left + 1] - places[origin]) - delta,
        )
        proposed = delta + step
        if not low < proposed < high:
            proposed = 0.5 * (low + high)
        if abs(proposed - delta) <= 2.0 * EPSILON * abs(proposed) or not low < proposed < high:
            return proposed
        delta = proposed
    return delta


@compiled_within
def _two_pole_step(value, before, beyond, to_left, to_right):  # type: ignore[no-untyped-def]
    """Step to the root of c + s / (to_left - t) + r / (to_right - t), matched at t = 0."""
    s, r = before * to_left * to_left, beyond * to_right * to_right
    c = value - before * to_left - beyond * to_right
    middle = c * (to_left + to_right) + s + r
    constant = to_left * to_right * value
    root = np.sqrt(max(middle * middle - 4.0 * c * constant, 0.0))
    if middle > 0.0:
        return 2.0 * constant / (middle + root)
    return (middle - root) / (2.0 * c) if c != 0.0 else 0.0


@compiled_within
def _bisect(places, weights, a, b, origin, low, high):  # type: ignore[no-untyped-def]
    """Root outside all poles, by halving; an end that is a pole is never evaluated."""
    for _ in range(MOST_STEPS):
        delta = 0.5 * (low + high)
        if not low < delta < high or high - low <= 2.0 * EPSILON * abs(delta):
            break
        value, _, _ = _evaluate(places, weights, a, b, origin, origin, delta)
        if value > 0.0:
            high = delta
        else:
            low = delta
    return 0.5 * (low + high)
