"""Kernel ridge interpolation for small neighbourhoods, several queries in lockstep.

The same search for a support as in `similearn.numerics.simplex`, done for `LANES` queries at a
time: the last axis of every array is the query, so that each operation is one vector
instruction. A neighbour outside a query's support is a row of the identity in its system. What
is fast here is verified here: a lane that is indefinite, does not settle, or whose optimality
is not down to rounding is left to the careful solver, one query at a time. Lanes do not mix, so
a query's weights do not depend on the company it came in.
"""

import numpy as np

from similearn.numerics.compiling import compiled
from similearn.numerics.eigen import EPSILON

LANES = 8
LARGEST = 12
"""In larger neighbourhoods a row is long enough to fill the vector unit by itself."""

_ROUNDS = 8
_WORST = 1e-12


@compiled
def make_lanes(k):  # type: ignore[no-untyped-def]
    """Allocate: blocks, systems, and rows (one of each: see the names in `solve_lanes`)."""
    return np.zeros((2, k, k, LANES)), np.zeros((8, k, LANES))


@compiled
def solve_lanes(source, near, s, ridge, first, arrays, weights, gaps, done):  # type: ignore[no-untyped-def]
    """Weights and gaps of the queries from `first` on; `done` tells which were solved.

    Parameters
    ----------
    source, near, s : as in `similearn.numerics.local_spectrum.load`
    ridge : positive
    first : the first of up to `LANES` queries
    arrays : from `make_lanes`
    weights : (m, k), gaps : (m,), receive the solved ones
    done : (LANES,), boolean, receives whether each was
    """
    block, system = arrays[0][0], arrays[0][1]
    s_, inverse, support, x, y, w, gradient, spare = arrays[1]
    k, count = s.shape[1], min(LANES, s.shape[0] - first)
    _load(source, near, s, first, count, block, s_)
    proper = _certify(block, system, inverse)
    _guess(block, s_, ridge, support, spare)
    done[:] = False
    noise = _noise(block, s_, ridge)
    for _ in range(_ROUNDS):
        _masked_system(block, s_, ridge, support, system, x, y)
        _eliminate(system, k, inverse)
        _substitute(system, k, inverse, x, y)
        _meet_the_sum(x, y, w)
        _gradient(block, s_, ridge, w, gradient)
        settled = _correct(support, w, gradient, noise)
        for lane in range(count):
            if settled[lane] and proper[lane] and not done[lane]:
                gap = _relative_gap(block, s_, ridge, w, gradient, lane)
                proper[lane] = gap <= _WORST
                done[lane] = proper[lane]
                gaps[first + lane] = gap
                _write(w, lane, weights[first + lane])
        waiting = False
        for lane in range(count):
            waiting |= proper[lane] and not done[lane]
        if not waiting:
            break


@compiled
def _write(w, lane, weights):  # type: ignore[no-untyped-def]
    """Copy one lane's weights, summing to one to the last digit."""
    total = 0.0
    for i in range(len(weights)):
        weights[i] = max(w[i, lane], 0.0)
        total += weights[i]
    for i in range(len(weights)):
        weights[i] /= total


@compiled
def _load(source, near, s, first, count, block, s_):  # type: ignore[no-untyped-def]
    """Copy the queries' blocks and rows; lanes without a query repeat the last."""
    k = s.shape[1]
    for lane in range(LANES):
        query = first + min(lane, count - 1)
        for i in range(k):
            s_[i, lane] = s[query, i]
            for j in range(k):
                if source.ndim == 2:
                    block[i, j, lane] = source[near[query, i], near[query, j]]
                else:
                    block[i, j, lane] = source[query, i, j]


@compiled
def _certify(block, system, inverse):  # type: ignore[no-untyped-def]
    """Which blocks are positive semidefinite up to rounding (see `semidefinite_size`)."""
    k = block.shape[0]
    system[:] = block
    largest = np.zeros(LANES)
    for j in range(k):
        for lane in range(LANES):
            largest[lane] = max(largest[lane], abs(block[j, j, lane]))
    for j in range(k):
        for lane in range(LANES):
            system[j, j, lane] += 8.0 * (j + 1) * EPSILON * largest[lane]
    _eliminate(system, k, inverse)
    proper = largest > 0.0
    for j in range(k):
        for lane in range(LANES):
            proper[lane] &= 0.0 < inverse[j, lane] < np.inf
    return proper


@compiled
def _eliminate(F, size, inverse):  # type: ignore[no-untyped-def]
    """Eliminate the upper triangle in place; reciprocals of the pivots to `inverse`."""
    share = np.empty(LANES)
    for j in range(size):
        pivots, reciprocals = F[j], inverse[j]
        for lane in range(LANES):
            reciprocals[lane] = 1.0 / pivots[j, lane]
        for i in range(j + 1, size):
            for lane in range(LANES):
                share[lane] = pivots[i, lane] * reciprocals[lane]
            target, row = F[i, i:size], pivots[i:size]
            for c in range(target.shape[0]):
                for lane in range(LANES):
                    target[c, lane] -= share[lane] * row[c, lane]


@compiled
def _substitute(F, size, inverse, x, y):  # type: ignore[no-untyped-def]
    """Solve both systems in place, forward and backward."""
    for j in range(size):
        for i in range(j + 1, size):
            for lane in range(LANES):
                share = F[j, i, lane] * inverse[j, lane]
                x[i, lane] -= share * x[j, lane]
                y[i, lane] -= share * y[j, lane]
    for j in range(size - 1, -1, -1):
        for i in range(j + 1, size):
            for lane in range(LANES):
                x[j, lane] -= F[j, i, lane] * x[i, lane]
                y[j, lane] -= F[j, i, lane] * y[i, lane]
        for lane in range(LANES):
            x[j, lane] *= inverse[j, lane]
            y[j, lane] *= inverse[j, lane]


@compiled
def _masked_system(block, s_, ridge, support, system, x, y):  # type: ignore[no-untyped-def]
    """S + ridge I on the support and the identity off it; right-hand sides s and ones."""
    k = block.shape[0]
    for i in range(k):
        for j in range(i + 1, k):
            for lane in range(LANES):
                both = support[i, lane] * support[j, lane]
                system[i, j, lane] = both * block[i, j, lane]
        for lane in range(LANES):
            inside = support[i, lane]
            system[i, i, lane] = inside * (block[i, i, lane] + ridge) + (1.0 - inside)
            x[i, lane] = inside * s_[i, lane]
            y[i, lane] = inside


@compiled
def _meet_the_sum(x, y, w):  # type: ignore[no-untyped-def]
    """Weights x + level y, with the level that makes them sum to one."""
    of_x, of_y = np.zeros(LANES), np.zeros(LANES)
    for i in range(w.shape[0]):
        for lane in range(LANES):
            of_x[lane] += x[i, lane]
            of_y[lane] += y[i, lane]
    level = (1.0 - of_x) / of_y
    for i in range(w.shape[0]):
        for lane in range(LANES):
            w[i, lane] = x[i, lane] + level[lane] * y[i, lane]


@compiled
def _gradient(block, s_, ridge, w, gradient):  # type: ignore[no-untyped-def]
    """(S + ridge I) w - s."""
    k = block.shape[0]
    for i in range(k):
        for lane in range(LANES):
            gradient[i, lane] = ridge * w[i, lane] - s_[i, lane]
    for j in range(k):
        for i in range(k):
            for lane in range(LANES):
                gradient[i, lane] += block[j, i, lane] * w[j, lane]


@compiled
def _correct(support, w, gradient, noise):  # type: ignore[no-untyped-def]
    """Exchange every neighbour on the wrong side; which lanes had none."""
    k = w.shape[0]
    level, size = np.zeros(LANES), np.zeros(LANES)
    for i in range(k):
        for lane in range(LANES):
            level[lane] += support[i, lane] * gradient[i, lane]
            size[lane] += support[i, lane]
    settled = np.ones(LANES, dtype=np.bool_)
    for i in range(k):
        for lane in range(LANES):
            if support[i, lane] > 0.0:
                wrong = not w[i, lane] >= 0.0
            else:
                wrong = gradient[i, lane] < level[lane] / size[lane] - noise[lane]
            if wrong:
                support[i, lane] = 1.0 - support[i, lane]
                settled[lane] = False
    return settled


@compiled
def _guess(block, s_, ridge, support, curvature):  # type: ignore[no-untyped-def]
    """`guess_support` of every lane: neighbours as if all were equally similar to each other."""
    k = block.shape[0]
    mean, top = np.zeros(LANES), np.full(LANES, -np.inf)
    for i in range(k):
        for j in range(i):
            for lane in range(LANES):
                mean[lane] += block[i, j, lane]
        for lane in range(LANES):
            top[lane] = max(top[lane], s_[i, lane])
    mean /= max(1.0, 0.5 * k * (k - 1))
    for i in range(k):
        for lane in range(LANES):
            curvature[i, lane] = 1.0 / (max(block[i, i, lane] - mean[lane], 0.0) + ridge)
            support[i, lane] = 1.0
    left = True
    while left:
        total, room = np.ones(LANES), np.zeros(LANES)
        for i in range(k):
            for lane in range(LANES):
                share = support[i, lane] * curvature[i, lane]
                total[lane] += (top[lane] - s_[i, lane]) * share
                room[lane] += share
        left = False
        for i in range(k):
            for lane in range(LANES):
                out = s_[i, lane] - top[lane] + total[lane] / room[lane] < 0.0
                if support[i, lane] > 0.0 and out:
                    support[i, lane] = 0.0
                    left = True


@compiled
def _noise(block, s_, ridge):  # type: ignore[no-untyped-def]
    """Rounding of a gradient: differences below it carry no information."""
    highest = np.full(LANES, ridge)
    for i in range(block.shape[0]):
        for lane in range(LANES):
            size = max(abs(block[i, i, lane]) + ridge, abs(s_[i, lane]))
            highest[lane] = max(highest[lane], size)
    return 16.0 * EPSILON * highest


@compiled
def _relative_gap(block, s_, ridge, w, gradient, lane):  # type: ignore[no-untyped-def]
    """The relative KKT gap of one lane, as `solve_on_simplex` measures it."""
    lowest, highest, scale = np.inf, -np.inf, 0.0
    for i in range(w.shape[0]):
        lowest = min(lowest, gradient[i, lane])
        terms = ridge * w[i, lane]
        if w[i, lane] > 0.0:
            highest = max(highest, gradient[i, lane])
        for j in range(w.shape[0]):
            terms += abs(block[i, j, lane]) * w[j, lane]
        scale = max(scale, max(terms, abs(s_[i, lane])))
    return (highest - lowest) / scale if scale > 0.0 else 0.0
