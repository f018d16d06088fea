"""A small strictly convex quadratic program on the simplex, solved exactly, for many queries.

minimize 1/2 w'Mw - s'w + ridge/2 w'w  subject to  w >= 0, 1'w = 1,  M positive semidefinite.

On a given support (the neighbours that may have weight) this is one linear system. The support is
guessed, then all its errors are corrected at once (block principal pivoting), which needs a few
rounds whatever k is; where that does not make progress, a primal active-set method, whose objective
falls at every step, finishes. The last system is always solved afresh from the support alone, so
the answer does not depend on where the search started.
"""

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import as_input, compiled_fused, compiled_within
from similearn.numerics.linalg.elimination import DEFINITE, ONE, backward, eliminate, forward
from similearn.numerics.linalg.local_spectrum import EPSILON, Floats

PATIENCE = 3


def guessed_supports(M: Floats, s: Floats, ridges: Floats) -> NDArray[np.bool_]:
    """Guess (m, r, k) which weights are positive, for M (m, k, k), s (m, k) and ridges (m, r).

    One step from equal weights, as if M but for its diagonal and its row means were constant;
    the level that makes the weights sum to one is found by leaving out negative ones. O(k²).
    """
    k = s.shape[1]
    means = (M.reshape(-1, k) @ np.full(k, 1.0 / k)).reshape(s.shape)
    diagonal = M.diagonal(axis1=1, axis2=2)
    excess = np.maximum(diagonal - means.mean(axis=1, keepdims=True), 0.0)
    room = 1.0 / (excess[:, None, :] + ridges[:, :, None])
    free = 1.0 / k + ((s - means)[:, None, :] - ridges[:, :, None] / k) * room
    support = np.ones(room.shape, dtype=np.bool_)
    members = support.size
    for _ in range(4):
        left = 1.0 - (free * support).sum(axis=2, keepdims=True)
        with np.errstate(all="ignore"):  # a guess need not be possible
            level = left / (room * support).sum(axis=2, keepdims=True)
            support &= free + level * room > 0.0
        before, members = members, int(np.count_nonzero(support))
        if members == before:
            break
    support |= ~support.any(axis=2, keepdims=True)  # nobody is left: everybody
    return support


def solve_on_simplex(
    M: Floats, s: Floats, ridges: Floats, supports: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Solve the problems of every query and ridge.

    Parameters
    ----------
    M : (m, k, k), positive semidefinite
    s : (m, k)
    ridges : (m, r), positive
    supports : (m, r, k), none empty. Guesses on entry, the answers on return.

    Returns
    -------
    weights : (m, r, k)
    gaps : (m, r). (max of the gradient where w > 0) - (min of the gradient), relative to the
        largest entry of |s| and |M + ridge I| w: the terms whose difference the gradient is.
    """
    k = s.shape[1]
    weights, settled = np.empty(supports.shape), np.zeros(supports.shape[:2], dtype=np.bool_)
    room = np.zeros((k, k)), np.zeros((7, k)), np.empty(k, dtype=np.uintp)
    problem = as_input(M), as_input(s), as_input(ridges), _noise(M, s, ridges)
    _settle(*problem, *room, supports, weights, settled)
    if not settled.all():
        _descend(*problem, *room, supports, weights, settled)
    weights /= weights.sum(axis=2, keepdims=True)
    return weights, _gaps(M, s, ridges, weights)


def _noise(M: Floats, s: Floats, ridges: Floats) -> Floats:
    """Rounding (m, r) of a gradient: differences below it carry no information."""
    # No entry of a semidefinite matrix is larger than its largest diagonal entry.
    scale = M.diagonal(axis1=1, axis2=2).max(axis=1)[:, None] + ridges
    return EPSILON * np.maximum(scale, np.abs(s).max(axis=1)[:, None])


def _gaps(M: Floats, s: Floats, ridges: Floats, w: Floats) -> Floats:
    """Relative gaps (m, r) of the optimality conditions."""
    s, own = s[:, None, :], ridges[:, :, None] * w
    pull = w @ M
    gradient = pull + own - s
    highest = np.where(w > 0.0, gradient, -np.inf).max(axis=2)
    terms = pull if M.min() >= 0.0 else w @ np.abs(M)
    scale = np.maximum(terms + own, np.abs(s)).max(axis=2)
    gap = highest - gradient.min(axis=2)
    return np.divide(gap, scale, out=np.zeros_like(gap), where=scale > 0.0)


@compiled_fused
def _settle(M, s, ridges, noise, F, room, members, supports, weights, settled):  # type: ignore[no-untyped-def]
    """Exchange all neighbours on the wrong side, as long as they become fewer now and then."""
    k = np.uintp(s.shape[1])
    for q in range(np.uintp(s.shape[0])):
        for r in range(np.uintp(ridges.shape[1])):
            fewest, patience = np.intp(k) + 1, PATIENCE
            while patience >= 0:
                size = _solve(M, s, ridges[q, r], noise[q, r], q, supports, r, F, room, members)
                wrong = _correct(16.0 * noise[q, r], q, supports, r, room, members, size)
                if wrong == 0:
                    settled[q, r] = True
                    break
                patience = PATIENCE if wrong < fewest else patience - 1
                fewest = wrong if wrong < fewest else fewest
            for i in range(k):
                weights[q, r, i] = room[5, i]


@compiled_within
def _reduced_system(M, s, ridge, q, F, room, members, size):  # type: ignore[no-untyped-def]
    """Write the normal equations in the weights of all members but the first.

    The first member's weight is one less the others', so the system is that of differences
    from the first member: what all similarities have in common cancels before it is solved.
    """
    base, right = room[2], room[3]
    origin, last = members[0], np.uintp(size - 1)
    for b in range(last):
        base[b] = M[q, origin, members[b + ONE]] - M[q, origin, origin] - ridge
    for a in range(last):
        i = members[a + ONE]
        shared = M[q, i, origin]
        right[a] = (s[q, i] - s[q, origin]) - base[a]
        for b in range(a, last):
            F[a, b] = (M[q, i, members[b + ONE]] - shared) - base[b]
        F[a, a] += ridge


@compiled_fused
def _solve(M, s, ridge, noise, q, supports, r, F, room, members):  # type: ignore[no-untyped-def]
    """Weights on the support that sum to one and level its gradient, and the whole gradient.

    They are left in rows 5 and 6 of `room`; returns how many members the support has.
    """
    least, inverse, right, target, w, gradient = (
        room[0],
        room[1],
        room[3],
        room[4],
        room[5],
        room[6],
    )
    k, size, lift = np.uintp(s.shape[1]), np.intp(0), 0.0
    for i in range(k):
        if supports[q, r, i]:
            members[size] = i
            size += 1
    for _ in range(60):
        _reduced_system(M, s, ridge + lift, q, F, room, members, size)
        if eliminate(F, size - 1, least, DEFINITE, inverse) == size - 1:
            break
        # Rounding hides that the system is definite: lift it by as much.
        lift = 2.0 * lift if lift > 0.0 else size * noise
    forward(F, inverse, size - 1, right)
    backward(F, inverse, size - 1, right, target)
    for i in range(k):
        w[i], gradient[i] = 0.0, -s[q, i]
    rest = 1.0
    for a in range(size - 1):
        w[members[a + 1]] = target[a]
        rest -= target[a]
    w[members[0]] = rest
    for a in range(size):
        i = members[a]
        weight = w[i]
        for j in range(k):
            gradient[j] += weight * M[q, i, j]
        gradient[i] += ridge * weight
    return size


@compiled_within
def _level(room, members, size):  # type: ignore[no-untyped-def]
    """Gradient on the support, where it is one number up to rounding."""
    total = 0.0
    for a in range(size):
        total += room[6, members[a]]
    return total / size


@compiled_within
def _correct(noise, q, supports, r, room, members, size):  # type: ignore[no-untyped-def]
    """Exchange every neighbour that is on the wrong side; returns how many there were."""
    bound, wrong = _level(room, members, size) - noise, 0
    for i in range(np.uintp(room.shape[1])):
        inside = supports[q, r, i]
        if (inside and room[5, i] < 0.0) or (not inside and room[6, i] < bound):
            supports[q, r, i] = not inside
            wrong += 1
    return wrong


@compiled_fused
def _descend(M, s, ridges, noise, F, room, members, supports, weights, settled):  # type: ignore[no-untyped-def]
    """Primal active set, where exchanges did not settle.

    Walk to the optimum of the support, stopping at the first zero weight; if there is none,
    the steepest neighbour joins.
    """
    k = np.uintp(s.shape[1])
    here = np.zeros(s.shape[1])
    for q in range(np.uintp(s.shape[0])):
        for r in range(np.uintp(ridges.shape[1])):
            if settled[q, r]:
                continue
            for i in range(k):
                here[i] = 0.0
                supports[q, r, i] = i == 0
            here[0] = 1.0
            for _ in range(50 + 20 * s.shape[1]):
                size = _solve(M, s, ridges[q, r], noise[q, r], q, supports, r, F, room, members)
                joins = _step(16.0 * noise[q, r], q, supports, r, room, members, size, here)
                if joins < 0:
                    break
            for i in range(k):
                weights[q, r, i] = here[i]


@compiled_within
def _step(noise, q, supports, r, room, members, size, here):  # type: ignore[no-untyped-def]
    """Go from `here` as far as the simplex reaches, and change the support; -1 at the optimum."""
    length, changed, lowest = 1.0, np.intp(-1), _level(room, members, size) - noise
    for a in range(size):
        i = members[a]
        if room[5, i] < 0.0 and here[i] < length * (here[i] - room[5, i]):
            length, changed = here[i] / (here[i] - room[5, i]), np.intp(i)
    for a in range(size):
        i = members[a]
        ahead = here[i] + length * (room[5, i] - here[i])
        here[i] = ahead if ahead > 0.0 else 0.0
    if changed >= 0:
        here[changed] = 0.0
        supports[q, r, changed] = False
        return changed
    for i in range(np.uintp(room.shape[1])):
        if not supports[q, r, i] and room[6, i] < lowest:
            lowest, changed = room[6, i], np.intp(i)
    if changed >= 0:
        supports[q, r, changed] = True
    return changed
