"""Kernel ridge interpolation for small neighbourhoods, several queries in lockstep.

The same search for a support as in `similearn.numerics.neighbors.simplex`, for `LANES` queries at a time, one
in each lane of a vector. A neighbour outside a query's support is a row of the identity in its
system; all neighbours are inside at first. Only upper triangles are kept.

Systems are solved in single precision; gradients are in double precision, and once the support is
found, steps towards a level gradient make the weights exact. What is fast here is verified here:
a query that does not settle, whose block is not surely positive definite, or whose optimality is
not down to rounding, is left to the careful solver, alone. Lanes do not mix, so a query's weights
do not depend on the company it came in.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import compiled, compiled_fused
from similearn.numerics.linalg.eigen import EPSILON
from similearn.numerics.linalg.elimination_lanes import eliminate_lanes
from similearn.numerics.linalg.vectors import (
    LANES,
    larger,
    magnitude,
    put,
    spread,
    take,
    where_less,
)

LARGEST = 48
"""In larger neighbourhoods a row is long enough to fill the vector unit by itself."""

_ROUNDS = 8
_STEPS = 4
_LEVEL, _WORST = 4 * EPSILON, 1e-12
_ROUNDING = 2.0**-24  # of single precision
_NOISE = 64 * _ROUNDING
_ZERO, _ONE = np.uintp(0), np.uintp(1)

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]


class Lanes(NamedTuple):
    """Working arrays for `LANES` queries with k neighbours each."""

    block: Floats  # (k, k, lanes), similarities among the neighbours
    s: Floats  # (k, lanes), similarities to the query
    support: Floats  # (k, lanes), one for a member, else zero
    w: Floats  # (k, lanes), weights
    gradient: Floats  # (k, lanes)
    terms: Floats  # (k, lanes), what a gradient is the difference of
    definite: Floats  # (lanes,), one if the block surely is, else zero
    wrong: Floats  # (lanes,), how many neighbours were on the wrong side
    scale: Floats  # (lanes,), largest similarity, of which a gradient has the rounding
    gap: Floats  # (lanes,), how far from optimal
    system: Singles  # (k, k, lanes), what is being eliminated
    inverse: Singles  # (k, lanes), reciprocals of its pivots
    x: Singles  # (k, lanes), solutions for s, or a residual, and for ones
    y: Singles  # (k, lanes)


@compiled
def make_lanes(k):  # type: ignore[no-untyped-def]
    """Allocate for k neighbours."""
    s, support, w, gradient, terms = np.zeros((5, k, LANES))
    definite, wrong, scale, gap = np.zeros((4, LANES))
    inverse, x, y = np.zeros((3, k, LANES), np.float32)
    block, system = np.zeros((k, k, LANES)), np.zeros((k, k, LANES), np.float32)
    flags = definite, wrong, scale, gap
    return Lanes(block, s, support, w, gradient, terms, *flags, system, inverse, x, y)


@compiled
def solve_lanes(blocks, s, ridge, lanes, weights, gaps, done):  # type: ignore[no-untyped-def]
    """Weights and gaps of several queries; `done` tells which were solved.

    Parameters
    ----------
    blocks : (m, k, k), similarities among the neighbours of each, m at most `LANES`
    s : (m, k), similarities to the queries
    ridge : positive
    lanes : `Lanes`
    weights : (m, k), gaps : (m,), receive the solved ones
    done : (LANES,), boolean, receives whether each was
    """
    _load(blocks, s, lanes)
    _certify(lanes)
    for _ in range(_ROUNDS):
        _masked_system(lanes, ridge)
        eliminate_lanes(lanes.system, lanes.inverse)
        _substitute(lanes)
        _meet_the_sum(lanes)
        _gradient(lanes, ridge)
        if _correct(lanes, ridge):
            break
    for _ in range(_STEPS):
        if _residual(lanes):
            break
        _substitute(lanes)
        _add_step(lanes)
        _gradient(lanes, ridge)
    _measure(lanes, ridge)
    _unload(lanes, weights, gaps, done)


@compiled
def _load(blocks, s, lanes):  # type: ignore[no-untyped-def]
    """Copy the queries' blocks and rows; lanes without a query repeat the last."""
    k, last, block = np.uintp(s.shape[1]), np.uintp(len(s) - 1), lanes.block
    for i in range(k):
        for lane in range(np.uintp(LANES)):
            query = min(lane, last)
            lanes.s[i, lane] = s[query, i]
            for j in range(i, k):
                block[i, j, lane] = blocks[query, i, j]


@compiled_fused
def _certify(lanes):  # type: ignore[no-untyped-def]
    """Flag the blocks that are surely positive definite; every neighbour joins the support.

    Rounding to unit u, then eliminating, changes entry i, j by at most about (k + 2) u times
    the root of both diagonal entries, if the pivots are positive (Demmel; Higham, Accuracy and
    Stability, theorem 10.3). So the diagonal is lowered by (k + 2)^2 u of itself before.
    """
    block, system = lanes.block, lanes.system
    k = np.uintp(len(block))
    kept = 1.0 - np.float64(k + np.uintp(2)) ** 2 * _ROUNDING
    for i in range(k):
        put(system, (i, i), take(block, (i, i)) * kept)
        for j in range(i + _ONE, k):
            put(system, (i, j), take(block, (i, j)))
    eliminate_lanes(system, lanes.inverse)
    definite = spread(1.0, block)
    for i in range(k):
        inverse = take(lanes.inverse, (i,))
        definite = where_less(0.0, inverse, where_less(inverse, np.inf, definite, 0.0), 0.0)
        put(lanes.support, (i,), 1.0)
    put(lanes.definite, (), definite)


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
    for row in range(k):
        reciprocal = take(inverse, (row,))
        of_x, of_y = take(x, (row,)) * reciprocal, take(y, (row,)) * reciprocal
        for i in range(row + _ONE, k):
            entry = take(F, (row, i))
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
    of_x, of_y = spread(0.0, lanes.w), spread(0.0, lanes.w)
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
def _mean_level(lanes):  # type: ignore[no-untyped-def]
    """Gradient on the support, where it is one number up to rounding."""
    level, size = spread(0.0, lanes.support), spread(0.0, lanes.support)
    for i in range(np.uintp(len(lanes.support))):
        inside = take(lanes.support, (i,))
        level = level + inside * take(lanes.gradient, (i,))
        size = size + inside
    return level / size


@compiled_fused
def _correct(lanes, ridge):  # type: ignore[no-untyped-def]
    """Exchange every neighbour on the wrong side; whether there was none in any sound lane.

    Gradients that differ by less than the rounding of single precision tell nothing.
    """
    support, w, gradient = lanes.support, lanes.w, lanes.gradient
    k, highest, wrong = np.uintp(len(w)), spread(0.0, w), spread(0.0, w)
    for i in range(k):
        near, own = take(lanes.s, (i,)), take(lanes.block, (i, i))
        highest = larger(highest, larger(magnitude(near), own + ridge))
    level = _mean_level(lanes) - highest * _NOISE
    for i in range(k):
        was, weight = take(support, (i,)), take(w, (i,))
        # A weight that is NaN is on the wrong side, so that its lane does not settle.
        leaves = where_less(weight, 0.0, was, where_less(-1.0, weight, 0.0, was))
        enters = where_less(take(gradient, (i,)), level, 1.0 - was, 0.0)
        put(support, (i,), was - leaves + enters)
        wrong = wrong + leaves + enters
    put(lanes.wrong, (), wrong)
    put(lanes.scale, (), highest)
    return not (lanes.wrong * lanes.definite).any()


@compiled_fused
def _residual(lanes):  # type: ignore[no-untyped-def]
    """Right-hand sides of a step: what lacks to a level gradient on the support, and ones.

    Returns whether nothing lacks but rounding in any sound lane. Where that is so, `gap` is
    zero, and the step will not be taken: a lane's weights do not depend on how long others need.
    """
    support, gradient = lanes.support, lanes.gradient
    level, worst = _mean_level(lanes), spread(0.0, support)
    for i in range(np.uintp(len(support))):
        inside = take(support, (i,))
        lack = inside * (level - take(gradient, (i,)))
        put(lanes.x, (i,), lack)
        put(lanes.y, (i,), inside)
        worst = larger(worst, magnitude(lack))
    sound = take(lanes.definite, ()) * where_less(0.0, take(lanes.wrong, ()), 0.0, 1.0)
    put(lanes.gap, (), where_less(take(lanes.scale, ()) * _LEVEL, worst, sound, 0.0))
    return not lanes.gap.any()


@compiled_fused
def _add_step(lanes):  # type: ignore[no-untyped-def]
    """Add x + level y, with the level that makes the weights sum to one, where there is a gap."""
    w, x, y = lanes.w, lanes.x, lanes.y
    k, left, of_y = np.uintp(len(w)), spread(1.0, w), spread(0.0, w)
    for i in range(k):
        left = left - (take(w, (i,)) + take(x, (i,)))
        of_y = of_y + take(y, (i,))
    level, gap = left / of_y, take(lanes.gap, ())
    for i in range(k):
        step = take(x, (i,)) + level * take(y, (i,))
        put(w, (i,), take(w, (i,)) + where_less(0.0, gap, step, 0.0))


@compiled_fused
def _measure(lanes, ridge):  # type: ignore[no-untyped-def]
    """Fill in the relative KKT gaps, as `solve_on_simplex` measures them."""
    block, w, terms, gradient = lanes.block, lanes.w, lanes.terms, lanes.gradient
    k = np.uintp(len(w))
    for i in range(k):
        put(terms, (i,), (take(block, (i, i)) + ridge) * take(w, (i,)))
    for i in range(k):
        weight, total = take(w, (i,)), take(terms, (i,))
        for j in range(i + _ONE, k):
            entry = magnitude(take(block, (i, j)))
            total = total + entry * take(w, (j,))
            put(terms, (j,), take(terms, (j,)) + entry * weight)
        put(terms, (i,), total)
    lowest, highest, scale = spread(np.inf, w), spread(-np.inf, w), spread(0.0, w)
    for i in range(k):
        slope, near, term = take(gradient, (i,)), take(lanes.s, (i,)), take(terms, (i,))
        lowest = where_less(slope, lowest, slope, lowest)
        positive = where_less(0.0, take(w, (i,)), slope, -np.inf)
        highest = larger(highest, positive)
        scale = larger(scale, larger(magnitude(near), term))
    put(lanes.gap, (), (highest - lowest) / scale)


@compiled
def _unload(lanes, weights, gaps, done):  # type: ignore[no-untyped-def]
    """Copy the weights of the lanes that were solved, summing to one to the last digit."""
    k, w = np.uintp(weights.shape[1]), lanes.w
    for lane in range(np.uintp(len(weights))):
        sound = lanes.definite[lane] > 0.0 and lanes.wrong[lane] == 0.0
        done[lane] = sound and abs(lanes.gap[lane]) <= _WORST  # not -inf, of no weights
        gaps[lane], total = lanes.gap[lane], 0.0
        for i in range(k):
            total += max(w[i, lane], 0.0)
        for i in range(k):
            weights[lane, i] = max(w[i, lane], 0.0) / total
