"""Gaussian elimination of small symmetric matrices: one elimination serves every leading block.

Rows are eliminated in order, without exchanges, and only the upper triangle is used: row j of the
result is d_j times row j of L', where the leading k x k block is L_k D_k L_k' for every k. The
arithmetic of an entry does not depend on how large the whole matrix is, so a leading block gives
bit for bit what it would give alone.

Positions are unsigned here: a signed one might count from the end, and every loop would start
with code that finds out.
"""

import numpy as np
from numba import literally

from similearn.numerics.compiling import compiled_fused
from similearn.numerics.linalg.vectors import LANES, put, take_run, total

_SHORT = 4
_ONE, _TWO, _THREE, _FOUR, _LONG = (np.uintp(count) for count in (1, 2, 3, _SHORT, LANES))


@compiled_fused
def eliminate(F, size, least, definite, inverse):  # type: ignore[no-untyped-def]
    """Eliminate F[:size, :size] in place; returns how many leading rows could be.

    It stops at the first pivot that is not above ``least[pivot]``: in value if `definite`,
    in magnitude if not. `inverse` receives the reciprocals of the pivots. What is below the
    diagonal is lost. Cost: size**3 / 6 multiplications.
    """
    last = np.uintp(max(size, 0))
    for j in range(np.uintp(0), last, _FOUR):
        end = min(j + _FOUR, last)
        done = _eliminate_among(F, inverse, j, end, last, least, definite)
        if done < end:
            return np.intp(done)
        if end < last:
            _subtract_below(F, inverse, j, last)
    return size


@compiled_fused
def _eliminate_among(F, inverse, j, end, size, least, definite):  # type: ignore[no-untyped-def]
    """Eliminate rows j to end from each other; returns the first that cannot be, or `end`."""
    for pivot in range(j, end):
        value = F[pivot, pivot] if definite else abs(F[pivot, pivot])
        if not value > least[pivot]:
            return pivot
        inverse[pivot] = 1.0 / F[pivot, pivot]
        for i in range(pivot + _ONE, end):
            share = F[pivot, i] * inverse[pivot]
            for x in range(j, size):
                F[i, x] -= share * F[pivot, x]
    return end


@compiled_fused
def _subtract_below(F, inverse, j, size):  # type: ignore[no-untyped-def]
    """Subtract rows j to j + 3, each its share, from the rows below, four at a time.

    Each is treated in long vectors that end with the row, then short ones. The last of these
    may begin before the diagonal, but not before the row: entries there are never read.
    """
    whole = size // _FOUR * _FOUR
    for i in range(j + _FOUR, whole, _FOUR):
        middle = size - (size - i) // _LONG * _LONG
        first = middle - (middle - i + _THREE) // _FOUR * _FOUR
        _subtract_from_four(F, inverse, j, i, first, middle, _SHORT)
        _subtract_from_four(F, inverse, j, i, middle, size, LANES)
    p, q, r, s = inverse[j], inverse[j + _ONE], inverse[j + _TWO], inverse[j + _THREE]
    a, b, c, d = j, j + _ONE, j + _TWO, j + _THREE
    for i in range(max(whole, j + _FOUR), size):
        ai, bi, ci, di = F[a, i] * p, F[b, i] * q, F[c, i] * r, F[d, i] * s
        for x in range(i, size):
            F[i, x] = (((F[i, x] - ai * F[a, x]) - bi * F[b, x]) - ci * F[c, x]) - di * F[d, x]


@compiled_fused
def _subtract_from_four(F, inverse, j, i, first, end, count):  # type: ignore[no-untyped-def]
    """Subtract rows j to j + 3 from rows i to i + 3, columns `first` to `end`.

    Short loops over few rows are bound by loads and stores: here four rows share every load.
    """
    count = literally(count)
    p, q, r, s = inverse[j], inverse[j + _ONE], inverse[j + _TWO], inverse[j + _THREE]
    a, b, c, d = j, j + _ONE, j + _TWO, j + _THREE
    e, f, g, h = i, i + _ONE, i + _TWO, i + _THREE
    ae, be, ce, de = F[a, e] * p, F[b, e] * q, F[c, e] * r, F[d, e] * s
    af, bf, cf, df = F[a, f] * p, F[b, f] * q, F[c, f] * r, F[d, f] * s
    ag, bg, cg, dg = F[a, g] * p, F[b, g] * q, F[c, g] * r, F[d, g] * s
    ah, bh, ch, dh = F[a, h] * p, F[b, h] * q, F[c, h] * r, F[d, h] * s
    for x in range(first, end, np.uintp(count)):
        ax, bx = take_run(F, (a, x), count), take_run(F, (b, x), count)
        cx, dx = take_run(F, (c, x), count), take_run(F, (d, x), count)
        put(F, (e, x), take_run(F, (e, x), count) - ae * ax - be * bx - ce * cx - de * dx)
        put(F, (f, x), take_run(F, (f, x), count) - af * ax - bf * bx - cf * cx - df * dx)
        put(F, (g, x), take_run(F, (g, x), count) - ag * ax - bg * bx - cg * cx - dg * dx)
        put(F, (h, x), take_run(F, (h, x), count) - ah * ax - bh * bx - ch * cx - dh * dx)


@compiled_fused
def forward(F, inverse, size, y):  # type: ignore[no-untyped-def]
    """Solve L z = y in place; the first k entries serve the leading k x k block."""
    end = np.uintp(max(size, 0))
    for j in range(np.uintp(0), end):
        share = y[j] * inverse[j]
        for x in range(j + _ONE, end):
            y[x] -= share * F[j, x]


@compiled_fused
def backward(F, inverse, size, y, solution):  # type: ignore[no-untyped-def]
    """Solve D L' x = y for the leading block of the given size.

    Four rows at a time: a single sum would wait for each of its additions.
    """
    end = np.uintp(max(size, 0))
    for back in range(_FOUR, end + _ONE, _FOUR):
        _solve_four(F, inverse, end - back, end, y, solution)
    for back in range(end // _FOUR * _FOUR, end):
        j = end - _ONE - back
        left = y[j]
        for x in range(j + _ONE, end):
            left -= F[j, x] * solution[x]
        solution[j] = left * inverse[j]


@compiled_fused
def _solve_four(F, inverse, j, end, y, solution):  # type: ignore[no-untyped-def]
    """Fill in the solution of rows j to j + 3; what is beyond them, in vectors, is known."""
    a, b, c, d = j, j + _ONE, j + _TWO, j + _THREE
    first, middle = j + _FOUR, end - (end - j - _FOUR) // _LONG * _LONG
    of_a, of_b, of_c, of_d = y[a], y[b], y[c], y[d]
    if first < middle:
        e, f, g, h = _four_products(F, j, first, middle, solution, _SHORT)
        of_a, of_b, of_c, of_d = of_a - e, of_b - f, of_c - g, of_d - h
    if middle < end:
        e, f, g, h = _four_products(F, j, middle, end, solution, LANES)
        of_a, of_b, of_c, of_d = of_a - e, of_b - f, of_c - g, of_d - h
    solution[d] = of_d * inverse[d]
    solution[c] = (of_c - F[c, d] * solution[d]) * inverse[c]
    solution[b] = (of_b - F[b, c] * solution[c] - F[b, d] * solution[d]) * inverse[b]
    of_a -= F[a, b] * solution[b] + F[a, c] * solution[c] + F[a, d] * solution[d]
    solution[a] = of_a * inverse[a]


@compiled_fused
def _four_products(F, j, first, end, solution, count):  # type: ignore[no-untyped-def]
    """Inner products of rows j to j + 3 with the solution, from `first` to `end`."""
    count = literally(count)
    a, b, c, d = j, j + _ONE, j + _TWO, j + _THREE
    known = take_run(solution, (first,), count)
    of_a, of_b = take_run(F, (a, first), count) * known, take_run(F, (b, first), count) * known
    of_c, of_d = take_run(F, (c, first), count) * known, take_run(F, (d, first), count) * known
    for x in range(first + np.uintp(count), end, np.uintp(count)):
        known = take_run(solution, (x,), count)
        of_a = of_a + take_run(F, (a, x), count) * known
        of_b = of_b + take_run(F, (b, x), count) * known
        of_c = of_c + take_run(F, (c, x), count) * known
        of_d = of_d + take_run(F, (d, x), count) * known
    return total(of_a), total(of_b), total(of_c), total(of_d)
