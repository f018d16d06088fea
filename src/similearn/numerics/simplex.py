"""A small strictly convex quadratic program on the simplex, solved exactly.

minimize 1/2 w'Mw - s'w + ridge/2 w'w  subject to  w >= 0, 1'w = 1,  M positive semidefinite.

On a given support (the neighbours that may have weight) this is one linear system. The support is
guessed, then all its errors are corrected at once (block principal pivoting), which needs a few
rounds whatever k is; where that does not make progress, a primal active-set method, whose objective
falls at every step, finishes. The last system is always solved afresh from the support alone, so
the answer does not depend on where the search started.
"""

from typing import NamedTuple

import numpy as np

from similearn.numerics.compiling import compiled_fused
from similearn.numerics.eigen import EPSILON
from similearn.numerics.elimination import backward, eliminate, forward
from similearn.numerics.local_spectrum import Floats, Indices

PATIENCE = 3


class Corner(NamedTuple):
    """Working arrays of the search for a support among up to K neighbours."""

    factor: Floats  # (K, K), the system on the support
    inverse: Floats  # (K,), reciprocals of its pivots
    least: Floats  # (K,), zeros: any positive pivot will do
    members: Indices  # (K,), the support, ascending
    base: Floats  # (K,), similarities to the first member
    right: Floats  # (K,), right-hand side
    target: Floats  # (K,), solution on the support
    gradient: Floats  # (K,)


@compiled_fused
def make_corner(size):  # type: ignore[no-untyped-def]
    """Allocate the working arrays for up to the given number of neighbours."""
    return Corner(
        np.zeros((size, size)),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size, dtype=np.intp),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
    )


@compiled_fused
def solve_on_simplex(M, s, ridge, scale, support, corner, w):  # type: ignore[no-untyped-def]
    """Solve one problem from a first guess of its support; returns the relative KKT gap.

    Parameters
    ----------
    M : (K, K), of which the leading k x k block counts
    s : (k,)
    ridge : positive
    scale : bound on the entries of M
    support : (k,), boolean, not empty; the guess on entry, the answer on return
    corner : `Corner`
    w : (k,), receives the weights

    Returns
    -------
    (max of the gradient where w > 0) - (min of the gradient), relative to the largest entry of
    |s| and |M + ridge I| w: the terms whose difference the gradient is. Zero means optimal.
    """
    noise = _noise(s, ridge, scale)
    fewest, patience = len(s) + 1, PATIENCE
    while patience >= 0:
        size = _solve_on_support(M, s, ridge, scale, support, corner, w)
        wrong = _correct(s, noise, support, corner, w, size)
        if wrong == 0:
            return _finish(M, s, ridge, support, corner, w)
        if wrong < fewest:
            fewest, patience = wrong, PATIENCE
        else:
            patience -= 1
    _descend(M, s, ridge, scale, noise, support, corner, w)
    return _finish(M, s, ridge, support, corner, w)


@compiled_fused
def guess_support(M, s, ridge, support, corner, w):  # type: ignore[no-untyped-def]
    """Guess where the weights are positive; `w` receives the weights of the guess.

    First as if all neighbours were equally similar to each other: w_i = max(0, s_i + level) /
    curvature_i, with the level that makes them sum to one found by leaving out negative
    weights. Then weight is moved k / 2 times to the neighbour that wants it most from the one
    that wants it least: O(k) each, where a system on a wrong support costs O(k^3).
    """
    _as_if_equally_similar(M, s, ridge, support, w)
    size = _list_members(support, corner.members)
    if size == len(s):
        return  # the ridge rules: everybody has weight
    _gradient(M, s, ridge, corner, size, w)
    gradient = corner.gradient[: len(s)]
    for _ in range(len(s) // 2):
        least, most = _violating_pair(gradient, w)
        curvature = M[least, least] + M[most, most] - 2.0 * M[least, most] + 2.0 * ridge
        moved = (gradient[most] - gradient[least]) / curvature
        if not moved > 0.0:
            break
        moved = min(moved, w[most])
        w[least] += moved
        w[most] -= moved
        rising, falling = M[least, : len(s)], M[most, : len(s)]
        for i in range(gradient.size):
            gradient[i] += moved * (rising[i] - falling[i])
        gradient[least] += ridge * moved
        gradient[most] -= ridge * moved
    for i in range(len(s)):
        support[i] = w[i] > 0.0


@compiled_fused
def _violating_pair(gradient, w):  # type: ignore[no-untyped-def]
    """The smallest gradient, and the largest where there is weight to take."""
    least, most = 0, -1
    low, high = np.inf, -np.inf
    for i in range(len(w)):
        value = gradient[i]
        if value < low:
            low, least = value, i
        if value > high and w[i] > 0.0:
            high, most = value, i
    return least, most


@compiled_fused
def _as_if_equally_similar(M, s, ridge, support, w):  # type: ignore[no-untyped-def]
    """Weights if every two neighbours had the mean similarity; `w` holds curvatures meanwhile."""
    k = len(s)
    mean = 0.0
    for i in range(k):
        row = M[i, :i]
        for j in range(row.size):
            mean += row[j]
    mean /= max(1.0, 0.5 * k * (k - 1))
    top = s.max()
    for i in range(k):
        support[i] = True
        w[i] = 1.0 / (max(M[i, i] - mean, 0.0) + ridge)
    left, level = True, 0.0
    while left:
        total, room = 1.0, 0.0
        for i in range(k):
            if support[i]:
                total += (top - s[i]) * w[i]
                room += w[i]
        left, level = False, total / room - top
        for i in range(k):
            if support[i] and s[i] + level < 0.0:
                support[i] = False
                left = True
    for i in range(k):
        w[i] = (s[i] + level) * w[i] if support[i] else 0.0


@compiled_fused
def _noise(s, ridge, scale):  # type: ignore[no-untyped-def]
    """Rounding of a gradient: differences below it carry no information."""
    highest = scale + ridge
    for i in range(len(s)):
        highest = max(highest, abs(s[i]))
    return 16.0 * EPSILON * highest


@compiled_fused
def _list_members(support, members):  # type: ignore[no-untyped-def]
    """List the support, ascending; returns how many there are."""
    size = 0
    for i in range(len(support)):
        if support[i]:
            members[size] = i
            size += 1
    return size


@compiled_fused
def _reduced_system(M, s, ridge, corner, size):  # type: ignore[no-untyped-def]
    """Write the normal equations in the weights of all members but the first.

    The first member's weight is one less the others', so the system is that of differences
    from the first member: what all similarities have in common cancels before it is solved.
    """
    members, base, last = corner.members, corner.base, size - 1
    origin = members[0]
    for b in range(last):
        base[b] = M[origin, members[b + 1]] - M[origin, origin] - ridge
    for a in range(last):
        i = members[a + 1]
        shared, target, offset = M[i, origin], corner.factor[a, a:last], base[a:last]
        corner.right[a] = (s[i] - s[origin]) - base[a]
        if size == len(s):
            row = M[i, i:size]
            for b in range(target.size):
                target[b] = (row[b] - shared) - offset[b]
        else:
            row, columns = M[i], members[a + 1 : size]
            for b in range(target.size):
                target[b] = (row[columns[b]] - shared) - offset[b]
        target[0] += ridge


@compiled_fused
def _solve_on_support(M, s, ridge, scale, support, corner, w):  # type: ignore[no-untyped-def]
    """Weights on the support that sum to one and level its gradient; and the whole gradient."""
    size = _list_members(support, corner.members)
    _reduced_system(M, s, ridge, corner, size)
    lift = size * EPSILON * (scale + ridge)
    for _ in range(60):
        if eliminate(corner.factor, size - 1, corner.least, True, corner.inverse) == size - 1:
            break
        # Rounding hides that the system is definite: lift it by as much.
        _reduced_system(M, s, ridge + lift, corner, size)
        lift *= 2.0
    forward(corner.factor, corner.inverse, size - 1, corner.right)
    backward(corner.factor, corner.inverse, size - 1, corner.right, corner.target)
    _spread(s, corner, size, w)
    _gradient(M, s, ridge, corner, size, w)
    return size


@compiled_fused
def _spread(s, corner, size, w):  # type: ignore[no-untyped-def]
    """Write the weights on the support; the others are zero."""
    for i in range(len(s)):
        w[i] = 0.0
    rest = 1.0
    for a in range(size - 1):
        w[corner.members[a + 1]] = corner.target[a]
        rest -= corner.target[a]
    w[corner.members[0]] = rest


@compiled_fused
def _gradient(M, s, ridge, corner, size, w):  # type: ignore[no-untyped-def]
    """Gradient of the objective, (M + ridge I) w - s."""
    k = len(s)
    gradient = corner.gradient[:k]
    for i in range(k):
        gradient[i] = ridge * w[i] - s[i]
    for a in range(size):
        weight, row = w[corner.members[a]], M[corner.members[a], :k]
        for i in range(gradient.size):
            gradient[i] += weight * row[i]


@compiled_fused
def _mean_level(corner, size):  # type: ignore[no-untyped-def]
    """Gradient on the support, where it is one number up to rounding."""
    total = 0.0
    for a in range(size):
        total += corner.gradient[corner.members[a]]
    return total / size


@compiled_fused
def _correct(s, noise, support, corner, w, size):  # type: ignore[no-untyped-def]
    """Exchange every neighbour that is on the wrong side; returns how many there were."""
    level, wrong = _mean_level(corner, size), 0
    for i in range(len(s)):
        if support[i]:
            mistaken = w[i] < 0.0
        else:
            mistaken = corner.gradient[i] < level - noise
        if mistaken:
            support[i] = not support[i]
            wrong += 1
    return wrong


@compiled_fused
def _descend(M, s, ridge, scale, noise, support, corner, w):  # type: ignore[no-untyped-def]
    """Primal active set: walk to the optimum of the support, stopping at the first zero weight."""
    k = len(s)
    here = np.zeros(k)
    here[0] = 1.0
    support[:] = False
    support[0] = True
    for _ in range(50 + 20 * k):
        size = _solve_on_support(M, s, ridge, scale, support, corner, w)
        blocked = _step(here, w, corner, size)
        if blocked >= 0:
            here[blocked] = 0.0
            support[blocked] = False
            continue
        level, steepest = _mean_level(corner, size), -1
        lowest = level - noise
        for i in range(k):
            if not support[i] and corner.gradient[i] < lowest:
                lowest, steepest = corner.gradient[i], i
        if steepest < 0:
            return
        support[steepest] = True
    for i in range(k):
        w[i] = here[i]
        support[i] = here[i] > 0.0
    _gradient(M, s, ridge, corner, _list_members(support, corner.members), w)


@compiled_fused
def _step(here, w, corner, size):  # type: ignore[no-untyped-def]
    """Go from `here` towards w as far as the simplex reaches; returns what blocked, or -1."""
    length, blocked = 1.0, -1
    for a in range(size):
        i = corner.members[a]
        if w[i] < 0.0 and here[i] < length * (here[i] - w[i]):
            length, blocked = here[i] / (here[i] - w[i]), i
    for a in range(size):
        i = corner.members[a]
        here[i] = max(0.0, here[i] + length * (w[i] - here[i]))
    return blocked


@compiled_fused
def _finish(M, s, ridge, support, corner, w):  # type: ignore[no-untyped-def]
    """Make the weights sum to one to the last digit, and measure the KKT gap."""
    k, total = len(s), 0.0
    for i in range(k):
        total += w[i]
    share = 1.0 / total
    for i in range(k):
        w[i] *= share
        support[i] = w[i] > 0.0
    size = _list_members(support, corner.members)
    lowest, highest = np.inf, -np.inf
    for i in range(k):
        lowest = min(lowest, corner.gradient[i])
        if support[i]:
            highest = max(highest, corner.gradient[i])
    scale = _terms(M, s, ridge, corner, size, w)
    return (highest - lowest) / scale if scale > 0.0 else 0.0


@compiled_fused
def _terms(M, s, ridge, corner, size, w):  # type: ignore[no-untyped-def]
    """Largest magnitude among s and |M + ridge I| w: what a gradient is the difference of."""
    k = len(s)
    total = corner.base[:k]
    for i in range(k):
        total[i] = ridge * w[i]
    for a in range(size):
        weight, row = w[corner.members[a]], M[corner.members[a], :k]
        for i in range(total.size):
            total[i] += weight * abs(row[i])
    largest = 0.0
    for i in range(k):
        largest = max(largest, total[i], abs(s[i]))
    return largest
