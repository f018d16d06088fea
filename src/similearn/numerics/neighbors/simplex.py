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

from similearn.numerics.compiling import compiled_fused, compiled_loosely
from similearn.numerics.linalg.eigen import EPSILON
from similearn.numerics.linalg.elimination import backward, eliminate, forward
from similearn.numerics.linalg.local_spectrum import Floats, Indices

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

    First one step from equal weights, as if M but for its diagonal and its row means were
    constant. Then weight is moved 5 k / 8 times to the neighbour that wants it most from the
    one that wants it least: O(k) each, where a system on a wrong support costs O(k^3).
    """
    _step_from_equal_weights(M, s, ridge, support, corner, w)
    size = _list_members(support, corner.members)
    if size == len(s):
        return  # the ridge rules: everybody has weight
    _gradient(M, s, ridge, corner, size, w)
    _move_weight(M, ridge, corner.gradient[: len(s)], w)
    for i in range(len(s)):
        support[i] = w[i] > 0.0
    support[0] |= size == 0  # an overflow on the way


@compiled_loosely
def _move_weight(M, ridge, gradient, w):  # type: ignore[no-untyped-def]
    """Move weight between two neighbours at a time, 5 k / 8 times at most."""
    k = np.uintp(len(w))
    for _ in range(5 * len(w) // 8):
        least, most = _violating_pair(gradient, w)
        curvature = M[least, least] + M[most, most] - 2.0 * M[least, most] + 2.0 * ridge
        moved = min((gradient[most] - gradient[least]) / curvature, w[most])
        if not moved > 0.0:
            break
        w[least] += moved
        w[most] -= moved
        for i in range(k):
            gradient[i] += moved * (M[least, i] - M[most, i])
        gradient[least] += ridge * moved
        gradient[most] -= ridge * moved


@compiled_loosely
def _violating_pair(gradient, w):  # type: ignore[no-untyped-def]
    """The smallest gradient, and the largest where there is weight to take.

    Values first, then where they are: four short loops on whole vectors.
    """
    k = np.uintp(len(w))
    low, high = np.inf, -np.inf
    for i in range(k):
        low = min(low, gradient[i])
        high = max(high, gradient[i] if w[i] > 0.0 else -np.inf)
    least, most = np.uintp(0), np.uintp(0)
    for i in range(k):
        least = np.uintp(i) if gradient[i] == low else least
    for i in range(k):
        most = np.uintp(i) if gradient[i] == high and w[i] > 0.0 else most
    return least, most


@compiled_loosely
def _step_from_equal_weights(M, s, ridge, support, corner, w):  # type: ignore[no-untyped-def]
    """Minimize on the simplex with the curvature of each weight alone.

    `w` holds the weights' change with the level, `corner.right` the weights at level zero;
    the level that makes them sum to one is found by leaving out negative ones.
    """
    k, free = np.uintp(len(s)), corner.right
    share = 1.0 / len(s)
    gradient = corner.gradient[: len(s)]
    gradient[:] = 0.0
    for i in range(k):
        row = M[i, : len(s)]
        for j in range(row.size):
            gradient[j] += row[j]
    mean = gradient.sum() * share * share
    for i in range(k):
        support[i] = True
        w[i] = 1.0 / (max(M[i, i] - mean, 0.0) + ridge)
        free[i] = share + (s[i] - share * (gradient[i] + ridge)) * w[i]
    left, level = True, 0.0
    while left:
        total, room, lowest = 1.0, 0.0, 0.0
        for i in range(k):
            total -= free[i] if support[i] else 0.0
            room += w[i] if support[i] else 0.0
        level = total / room
        for i in range(k):
            kept = free[i] + level * w[i]
            lowest = min(lowest, kept if support[i] else 0.0)
            support[i] = support[i] and kept >= 0.0
        left = lowest < 0.0
    for i in range(k):
        w[i] = free[i] + level * w[i] if support[i] else 0.0


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
    members, base, last = corner.members, corner.base, np.uintp(size - 1)
    origin, one = np.uintp(members[0]), np.uintp(1)
    for b in range(last):
        base[b] = M[origin, np.uintp(members[b + one])] - M[origin, origin] - ridge
    for a in range(last):
        i = np.uintp(members[a + one])
        shared, row = M[i, origin], M[i]
        corner.right[a] = (s[i] - s[origin]) - base[a]
        for b in range(a, last):
            corner.factor[a, b] = (row[np.uintp(members[b + one])] - shared) - base[b]
        corner.factor[a, a] += ridge


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
    k, members = len(s), corner.members
    gradient = corner.gradient[:k]
    for i in range(k):
        gradient[i] = ridge * w[i] - s[i]
    whole = size // 4 * 4
    for a in range(0, whole, 4):
        e, f, g, h = members[a], members[a + 1], members[a + 2], members[a + 3]
        first, second, third, fourth = M[e, :k], M[f, :k], M[g, :k], M[h, :k]
        of_e, of_f, of_g, of_h = w[e], w[f], w[g], w[h]
        for i in range(gradient.size):
            two = (gradient[i] + of_e * first[i]) + of_f * second[i]
            gradient[i] = (two + of_g * third[i]) + of_h * fourth[i]
    for a in range(whole, size):
        weight, row = w[members[a]], M[members[a], :k]
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
    share = 1.0 / w.sum()
    for i in range(len(w)):
        w[i] *= share
        support[i] = w[i] > 0.0
    size = _list_members(support, corner.members)
    _terms(M, ridge, corner, size, w)
    return _relative_gap(corner.gradient, corner.base, s, w)


@compiled_fused
def _terms(M, ridge, corner, size, w):  # type: ignore[no-untyped-def]
    """|M + ridge I| w, what a gradient is the difference of, to `corner.base`."""
    k = len(w)
    total = corner.base[:k]
    for i in range(k):
        total[i] = ridge * w[i]
    for a in range(size):
        weight, row = w[corner.members[a]], M[corner.members[a], :k]
        for i in range(total.size):
            total[i] += weight * abs(row[i])


@compiled_loosely
def _relative_gap(gradient, terms, s, w):  # type: ignore[no-untyped-def]
    """Largest gradient where there is weight less the smallest, over the largest term."""
    lowest, highest, scale = np.inf, -np.inf, 0.0
    for i in range(np.uintp(len(s))):
        lowest = min(lowest, gradient[i])
        highest = max(highest, gradient[i] if w[i] > 0.0 else -np.inf)
        scale = max(scale, max(terms[i], abs(s[i])))
    return (highest - lowest) / scale if scale > 0.0 else 0.0
