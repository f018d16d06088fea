"""Kernel ridge interpolation for small neighbourhoods, several queries in lockstep.

The same search for a support as in `similearn.numerics.simplex`, for `LANES` queries at a time, one
in each lane of a vector. A neighbour outside a query's support is a row of the identity in its
system; all neighbours are inside at first. Only upper triangles are kept.

In double precision (`solve_lanes`) the search goes on until a query is solved. In single precision
(`search_lanes`), twice as fast, it ends after few rounds, and what it says is a guess. Either way
what is fast here is verified: a query that is not settled, or not down to rounding, is left to
the careful solver, alone. Lanes do not mix, so its weights do not depend on its company.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import compiled, compiled_fused
from similearn.numerics.eigen import EPSILON
from similearn.numerics.elimination_lanes import eliminate_lanes
from similearn.numerics.vectors import LANES, put, spread, take, where_less

LARGEST_SOLVED = 12
"""In larger neighbourhoods, a system on the support alone is that much smaller than a masked one."""
LARGEST_SEARCHED = 64
"""In larger neighbourhoods a row is long enough to fill the vector unit by itself."""

_ROUNDS = 8
_ROUNDS_OF_SEARCH = 3
_WORST = 1e-12
_ROUNDING = 2.0**-24
_SINGLE_NOISE = 64 * _ROUNDING
_ZERO, _ONE = np.uintp(0), np.uintp(1)


class Lanes(NamedTuple):
    """Working arrays for `LANES` queries with k neighbours each, in one precision."""

    block: NDArray[np.floating]  # (k, k, lanes), similarities among the neighbours
    system: NDArray[np.floating]  # (k, k, lanes), what is being eliminated
    s: NDArray[np.floating]  # (k, lanes), similarities to the query
    inverse: NDArray[np.floating]  # (k, lanes), reciprocals of the pivots
    support: NDArray[np.floating]  # (k, lanes), one for a member, else zero
    x: NDArray[np.floating]  # (k, lanes), solutions for s and for ones
    y: NDArray[np.floating]  # (k, lanes)
    w: NDArray[np.floating]  # (k, lanes), weights
    gradient: NDArray[np.floating]  # (k, lanes)
    flags: NDArray[np.floating]  # (2, lanes), whether definite, how many were on the wrong side


@compiled
def make_lanes(k, example):  # type: ignore[no-untyped-def]
    """Allocate for k neighbours, in the precision of the example, an array."""
    dtype = example.dtype
    matrices, rows = np.zeros((2, k, k, LANES), dtype), np.zeros((7, k, LANES), dtype)
    s, inverse, support, x, y, w, gradient = rows
    flags = np.zeros((2, LANES), dtype)
    return Lanes(matrices[0], matrices[1], s, inverse, support, x, y, w, gradient, flags)


@compiled
def solve_lanes(source, near, s, ridge, first, lanes, weights, gaps, done):  # type: ignore[no-untyped-def]
    """Weights and gaps of the queries from `first` on; `done` tells which were solved.

    Parameters
    ----------
    source, near, s : as in `similearn.numerics.local_spectrum.load`
    ridge : positive
    first : the first of up to `LANES` queries
    lanes : `Lanes` of double precision
    weights : (m, k), gaps : (m,), receive the solved ones
    done : (LANES,), boolean, receives whether each was
    """
    count = min(LANES, s.shape[0] - first)
    _load(source, near, s, first, lanes)
    _certify(lanes, 0.0, -8.0 * EPSILON)  # as `semidefinite_size` does
    done[:] = False
    for _ in range(_ROUNDS):
        _improve(lanes, ridge, 16.0 * EPSILON)
        waiting = False
        for lane in range(count):
            if lanes.flags[0, lane] == 0.0 or done[lane]:
                continue
            if lanes.flags[1, lane] > 0.0:
                waiting = True
                continue
            gap = _relative_gap(lanes, ridge, lane)
            done[lane] = gap <= _WORST
            lanes.flags[0, lane] = done[lane]
            gaps[first + lane] = gap
            _write(lanes.w, lane, weights[first + lane])
        if not waiting:
            break


@compiled
def search_lanes(source, near, s, ridge, first, lanes, supports, definite):  # type: ignore[no-untyped-def]
    """Guess supports of the queries from `first` on, and prove blocks positive definite.

    Parameters
    ----------
    source, near, s, ridge, first : as in `solve_lanes`
    lanes : `Lanes` of single precision
    supports : (LANES, k), boolean, receives the guesses; none is empty
    definite : (LANES,), boolean, receives whether each block is proved positive definite

    Notes
    -----
    Rounding to unit u, then eliminating, changes entry i, j by at most about (k + 2) u times
    the root of both diagonal entries, if the pivots are positive (Demmel; Higham, Accuracy and
    Stability, theorem 10.3). So the diagonal is lowered by (k + 2)^2 u of itself before.
    """
    k = s.shape[1]
    _load(source, near, s, first, lanes)
    _certify(lanes, (k + 2) * (k + 2) * _ROUNDING, 0.0)
    for _ in range(_ROUNDS_OF_SEARCH):
        _improve(lanes, ridge, _SINGLE_NOISE)
    for lane in range(LANES):
        definite[lane] = lanes.flags[0, lane] > 0.0
        none = True
        for i in range(k):
            supports[lane, i] = lanes.support[i, lane] > 0.0
            none &= not supports[lane, i]
        supports[lane, 0] |= none


@compiled
def _load(source, near, s, first, lanes):  # type: ignore[no-untyped-def]
    """Copy the queries' blocks and rows; lanes without a query repeat the last."""
    k, last = np.uintp(s.shape[1]), s.shape[0] - 1
    for i in range(k):
        for lane in range(np.uintp(LANES)):
            query = np.uintp(min(first + np.intp(lane), last))
            lanes.s[i, lane] = s[query, i]
            if source.ndim == 2:
                row, columns = source[near[query, i]], near[query]
                for j in range(i, k):
                    lanes.block[i, j, lane] = row[np.uintp(columns[j])]
            else:
                for j in range(i, k):
                    lanes.block[i, j, lane] = source[query, i, j]


@compiled_fused
def _certify(lanes, slack, slack_of_row):  # type: ignore[no-untyped-def]
    """Flag the blocks whose pivots are positive; every neighbour joins the support.

    Diagonal entry j is first lowered by slack + (j + 1) slack_of_row times the largest so far.
    """
    block, system = lanes.block, lanes.system
    k, largest = np.uintp(len(block)), spread(0.0, block)
    for i in range(k):
        own = take(block, (i, i))
        largest = where_less(largest, own, own, largest)
        put(system, (i, i), own - largest * (slack + slack_of_row * np.float64(i + _ONE)))
        for j in range(i + _ONE, k):
            put(system, (i, j), take(block, (i, j)))
    eliminate_lanes(system, lanes.inverse)
    definite = where_less(0.0, largest, spread(1.0, block), 0.0)
    for i in range(k):
        inverse = take(lanes.inverse, (i,))
        definite = where_less(0.0, inverse, where_less(inverse, np.inf, definite, 0.0), 0.0)
        put(lanes.support, (i,), 1.0)
    put(lanes.flags, (_ZERO,), definite)


@compiled_fused
def _improve(lanes, ridge, rounding):  # type: ignore[no-untyped-def]
    """Solve on the supports, then exchange every neighbour on the wrong side."""
    _masked_system(lanes, ridge)
    eliminate_lanes(lanes.system, lanes.inverse)
    _substitute(lanes)
    _meet_the_sum(lanes)
    _gradient(lanes, ridge)
    _correct(lanes, ridge, rounding)


@compiled_fused
def _masked_system(lanes, ridge):  # type: ignore[no-untyped-def]
    """S + ridge I on the support and the identity off it; right-hand sides s and ones."""
    block, system, support = lanes.block, lanes.system, lanes.support
    k = np.uintp(len(block))
    for i in range(k):
        inside = take(support, (i,))
        put(system, (i, i), inside * (take(block, (i, i)) + ridge) + (1.0 - inside))
        put(lanes.x, (i,), inside * take(lanes.s, (i,)))
        put(lanes.y, (i,), inside)
        for j in range(i + _ONE, k):
            put(system, (i, j), inside * take(support, (j,)) * take(block, (i, j)))


@compiled_fused
def _substitute(lanes):  # type: ignore[no-untyped-def]
    """Solve both systems in place, forward and backward."""
    F, inverse, x, y = lanes.system, lanes.inverse, lanes.x, lanes.y
    k = np.uintp(len(F))
    for j in range(k):
        reciprocal = take(inverse, (j,))
        of_x, of_y = take(x, (j,)) * reciprocal, take(y, (j,)) * reciprocal
        for i in range(j + _ONE, k):
            entry = take(F, (j, i))
            put(x, (i,), take(x, (i,)) - entry * of_x)
            put(y, (i,), take(y, (i,)) - entry * of_y)
    for back in range(k):
        j = k - _ONE - back
        of_x, of_y = take(x, (j,)), take(y, (j,))
        for i in range(j + _ONE, k):
            entry = take(F, (j, i))
            of_x = of_x - entry * take(x, (i,))
            of_y = of_y - entry * take(y, (i,))
        reciprocal = take(inverse, (j,))
        put(x, (j,), of_x * reciprocal)
        put(y, (j,), of_y * reciprocal)


@compiled_fused
def _meet_the_sum(lanes):  # type: ignore[no-untyped-def]
    """Weights x + level y, with the level that makes them sum to one."""
    x, y = lanes.x, lanes.y
    k = np.uintp(len(x))
    of_x, of_y = spread(0.0, x), spread(0.0, x)
    for i in range(k):
        of_x = of_x + take(x, (i,))
        of_y = of_y + take(y, (i,))
    level = (1.0 - of_x) / of_y
    for i in range(k):
        put(lanes.w, (i,), take(x, (i,)) + level * take(y, (i,)))


@compiled_fused
def _gradient(lanes, ridge):  # type: ignore[no-untyped-def]
    """(S + ridge I) w - s."""
    block, w, gradient = lanes.block, lanes.w, lanes.gradient
    k = np.uintp(len(w))
    for i in range(k):
        put(gradient, (i,), (take(block, (i, i)) + ridge) * take(w, (i,)) - take(lanes.s, (i,)))
    for i in range(k):
        weight, total = take(w, (i,)), take(gradient, (i,))
        for j in range(i + _ONE, k):
            entry = take(block, (i, j))
            total = total + entry * take(w, (j,))
            put(gradient, (j,), take(gradient, (j,)) + entry * weight)
        put(gradient, (i,), total)


@compiled_fused
def _correct(lanes, ridge, rounding):  # type: ignore[no-untyped-def]
    """Exchange every neighbour on the wrong side; flag how many each lane had.

    Gradients that differ by less than their rounding tell nothing.
    """
    support, w, gradient = lanes.support, lanes.w, lanes.gradient
    k, level, size = np.uintp(len(w)), spread(0.0, w), spread(0.0, w)
    highest, wrong = spread(0.0, w), spread(0.0, w)
    for i in range(k):
        inside, near, own = take(support, (i,)), take(lanes.s, (i,)), take(lanes.block, (i, i))
        level = level + inside * take(gradient, (i,))
        size = size + inside
        near, own = where_less(near, 0.0, 0.0 - near, near), where_less(own, 0.0, 0.0, own)
        highest = where_less(highest, near, near, highest)
        highest = where_less(highest, own + ridge, own + ridge, highest)
    level = level / size - highest * rounding
    for i in range(k):
        was, weight = take(support, (i,)), take(w, (i,))
        # A weight that is NaN is on the wrong side, so that its lane does not settle.
        leaves = where_less(weight, 0.0, was, where_less(-1.0, weight, 0.0, was))
        enters = where_less(take(gradient, (i,)), level, 1.0 - was, 0.0)
        put(support, (i,), was - leaves + enters)
        wrong = wrong + leaves + enters
    put(lanes.flags, (_ONE,), wrong)


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
def _relative_gap(lanes, ridge, lane):  # type: ignore[no-untyped-def]
    """The relative KKT gap of one lane, as `solve_on_simplex` measures it."""
    block, s, w, gradient = lanes.block, lanes.s, lanes.w, lanes.gradient
    lowest, highest, scale = np.inf, -np.inf, 0.0
    for i in range(len(w)):
        lowest = min(lowest, gradient[i, lane])
        terms = ridge * w[i, lane]
        if w[i, lane] > 0.0:
            highest = max(highest, gradient[i, lane])
        for j in range(len(w)):
            terms += abs(block[min(i, j), max(i, j), lane]) * w[j, lane]
        scale = max(scale, max(terms, abs(s[i, lane])))
    return (highest - lowest) / scale if scale > 0.0 else 0.0
