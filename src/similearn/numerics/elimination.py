"""Gaussian elimination of small symmetric matrices: one elimination serves every leading block.

Rows are eliminated in order, without exchanges, and only the upper triangle is used: row j of the
result is d_j times row j of L', where the leading k x k block is L_k D_k L_k' for every k. The
arithmetic of an entry does not depend on how large the whole matrix is, so a leading block gives
bit for bit what it would give alone.

Positions are unsigned here: a signed one might count from the end, and every loop would start
with code that finds out.
"""

import numpy as np

from similearn.numerics.compiling import compiled_fused

_ONE, _TWO, _THREE, _FOUR = np.uintp(1), np.uintp(2), np.uintp(3), np.uintp(4)


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

    Short loops over few rows are bound by loads and stores: here four rows share every load.
    All are treated from the first's diagonal on; entries below the diagonal are never read.
    """
    p, q, r, s = inverse[j], inverse[j + _ONE], inverse[j + _TWO], inverse[j + _THREE]
    a, b, c, d = j, j + _ONE, j + _TWO, j + _THREE
    whole = size // _FOUR * _FOUR
    for i in range(j + _FOUR, whole, _FOUR):
        e, f, g, h = i, i + _ONE, i + _TWO, i + _THREE
        ae, be, ce, de = F[a, e] * p, F[b, e] * q, F[c, e] * r, F[d, e] * s
        af, bf, cf, df = F[a, f] * p, F[b, f] * q, F[c, f] * r, F[d, f] * s
        ag, bg, cg, dg = F[a, g] * p, F[b, g] * q, F[c, g] * r, F[d, g] * s
        ah, bh, ch, dh = F[a, h] * p, F[b, h] * q, F[c, h] * r, F[d, h] * s
        for x in range(i, size):
            ax, bx, cx, dx = F[a, x], F[b, x], F[c, x], F[d, x]
            F[e, x] = (((F[e, x] - ae * ax) - be * bx) - ce * cx) - de * dx
            F[f, x] = (((F[f, x] - af * ax) - bf * bx) - cf * cx) - df * dx
            F[g, x] = (((F[g, x] - ag * ax) - bg * bx) - cg * cx) - dg * dx
            F[h, x] = (((F[h, x] - ah * ax) - bh * bx) - ch * cx) - dh * dx
    for i in range(max(whole, j + _FOUR), size):
        ai, bi, ci, di = F[a, i] * p, F[b, i] * q, F[c, i] * r, F[d, i] * s
        for x in range(i, size):
            F[i, x] = (((F[i, x] - ai * F[a, x]) - bi * F[b, x]) - ci * F[c, x]) - di * F[d, x]


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
    """Solve D L' x = y for the leading block of the given size."""
    end = np.uintp(max(size, 0))
    for back in range(np.uintp(0), end):
        j = end - _ONE - back
        # Four sums at once: a single one waits for each addition to finish.
        total, second, third, fourth = y[j], 0.0, 0.0, 0.0
        whole = back // _FOUR * _FOUR + j + _ONE
        for x in range(j + _ONE, whole, _FOUR):
            total -= F[j, x] * solution[x]
            second += F[j, x + _ONE] * solution[x + _ONE]
            third += F[j, x + _TWO] * solution[x + _TWO]
            fourth += F[j, x + _THREE] * solution[x + _THREE]
        for x in range(whole, end):
            total -= F[j, x] * solution[x]
        solution[j] = ((total - second) - (third + fourth)) * inverse[j]
