"""Gaussian elimination of many small systems side by side, one in each lane of a vector.

As in `similearn.numerics.linalg.elimination`, rows are eliminated in order, only the upper triangle is
used, and positions are unsigned. A system's solution does not depend on the company it came in.
"""

import numpy as np

from similearn.numerics.compiling import compiled_fused
from similearn.numerics.linalg.vectors import LANES, put, spread, take

LARGEST = 32
"""The rows of larger systems are long enough to fill the vector unit by themselves."""

_SAFE_LOW, _SAFE_HIGH = 1e-280, 1e280
_ZERO, _ONE, _TWO, _THREE, _FOUR = (np.uintp(i) for i in range(5))


@compiled_fused
def eliminate_lanes(systems, inverse):  # type: ignore[no-untyped-def]
    """Eliminate (s, c, lanes) systems in place, c >= s; columns from s on are right-hand sides.

    `inverse` (s, lanes) receives the reciprocals of the pivots, of whatever sign. Cost:
    s**3 / 6 multiplications a system. Single or double precision.
    """
    size, width = np.uintp(systems.shape[0]), np.uintp(systems.shape[1])
    for j in range(_ZERO, size, _FOUR):
        end = min(j + _FOUR, size)
        _eliminate_among(systems, j, end, width, inverse)
        if end < size:
            _subtract_below(systems, inverse, j, size, width)


@compiled_fused
def _eliminate_among(F, j, end, width, inverse):  # type: ignore[no-untyped-def]
    """Eliminate rows j to end from each other."""
    for pivot in range(j, end):
        reciprocal = 1.0 / take(F, (pivot, pivot))
        put(inverse, (pivot,), reciprocal)
        for i in range(pivot + _ONE, end):
            share = take(F, (pivot, i)) * reciprocal
            for x in range(i, width):
                put(F, (i, x), take(F, (i, x)) - share * take(F, (pivot, x)))


@compiled_fused
def _subtract_below(F, inverse, j, size, width):  # type: ignore[no-untyped-def]
    """Subtract rows j to j + 3, each its share, from the rows below, two at a time.

    As many rows as there are registers for their shares, so that they share every load.
    """
    a, b, c, d = j, j + _ONE, j + _TWO, j + _THREE
    p, q, r, s = take(inverse, (a,)), take(inverse, (b,)), take(inverse, (c,)), take(inverse, (d,))
    first = j + _FOUR
    if (size - first) % _TWO:
        _subtract_from_row(F, j, first, width, p, q, r, s)
        first += _ONE
    for e in range(first, size, _TWO):
        f = e + _ONE
        ae, be = take(F, (a, e)) * p, take(F, (b, e)) * q
        ce, de = take(F, (c, e)) * r, take(F, (d, e)) * s
        af, bf = take(F, (a, f)) * p, take(F, (b, f)) * q
        cf, df = take(F, (c, f)) * r, take(F, (d, f)) * s
        for x in range(e, width):
            ax, bx, cx, dx = take(F, (a, x)), take(F, (b, x)), take(F, (c, x)), take(F, (d, x))
            put(F, (e, x), take(F, (e, x)) - ae * ax - be * bx - ce * cx - de * dx)
            put(F, (f, x), take(F, (f, x)) - af * ax - bf * bx - cf * cx - df * dx)


@compiled_fused
def _subtract_from_row(F, j, e, width, p, q, r, s):  # type: ignore[no-untyped-def]
    """Subtract rows j to j + 3, with their pivots' reciprocals, from row e."""
    a, b, c, d = j, j + _ONE, j + _TWO, j + _THREE
    ae, be = take(F, (a, e)) * p, take(F, (b, e)) * q
    ce, de = take(F, (c, e)) * r, take(F, (d, e)) * s
    for x in range(e, width):
        two = take(F, (e, x)) - ae * take(F, (a, x)) - be * take(F, (b, x))
        put(F, (e, x), two - ce * take(F, (c, x)) - de * take(F, (d, x)))


@compiled_fused
def put_in_lane(A, b, systems, lane):  # type: ignore[no-untyped-def]
    """Copy the upper triangle of A (s, s), and b (s,), into systems (s, s + 1, lanes)."""
    size, place = np.uintp(len(b)), np.uintp(lane)
    for i in range(size):
        for j in range(i, size):
            systems[i, j, place] = A[i, j]
        systems[i, size, place] = b[i]


@compiled_fused
def solve_lanes(systems, inverse, squares, log_dets):  # type: ignore[no-untyped-def]
    """Fill b' A^-1 b and log |A| of every lane; the systems are eliminated in place.

    Parameters
    ----------
    systems : (s, s + 1, lanes), upper triangles of positive definite A, then b
    inverse : (s, lanes), scratch
    squares, log_dets : (lanes,), receive the result

    Notes
    -----
    s**3 / 6 multiplications a system. Assumes that pivots neither overflow nor underflow.
    """
    size = np.uintp(systems.shape[0])
    eliminate_lanes(systems, inverse)
    square, product = spread(0.0, squares), spread(1.0, squares)
    for pivot in range(size):
        right = take(systems, (pivot, size))
        square = square + right * right * take(inverse, (pivot,))
        product = product * take(systems, (pivot, pivot))
    put(squares, (), square)
    put(log_dets, (), product)
    for lane in range(np.uintp(LANES)):
        if _SAFE_LOW < log_dets[lane] < _SAFE_HIGH:  # logarithms are dear: one for all pivots
            log_dets[lane] = np.log(log_dets[lane])
        else:
            log_dets[lane] = 0.0
            for pivot in range(size):
                log_dets[lane] += np.log(systems[pivot, pivot, lane])
