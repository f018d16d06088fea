"""Gaussian elimination of small symmetric matrices: one elimination serves every leading block.

Rows are eliminated in order, without exchanges, and only the upper triangle is used: row j of the
result is d_j times row j of L', where the leading k x k block is L_k D_k L_k' for every k. The
arithmetic of an entry does not depend on how large the whole matrix is, so a leading block gives
bit for bit what it would give alone.

Positions are unsigned here: a signed one might count from the end, and every loop would start
with code that finds out.
"""

import numpy as np

from similearn.numerics.compiling import compiled_any_order, compiled_fused, compiled_within

ONE, TWO, THREE, FOUR = np.uintp(1), np.uintp(2), np.uintp(3), np.uintp(4)
# Of one type to the compiler, unlike True and False: `eliminate` is compiled once for both.
DEFINITE, INDEFINITE = np.bool_(True), np.bool_(False)


@compiled_fused
def eliminate(F, size, least, definite, inverse):  # type: ignore[no-untyped-def]
    """Eliminate F[:size, :size] in place; returns how many leading rows could be.

    It stops at the first pivot that is not above ``least[pivot]``: in value where `definite` is
    `DEFINITE`, in magnitude where it is `INDEFINITE`. `inverse` receives the reciprocals of the
    pivots. What is below the diagonal, and up to three columns beyond `size`, may be overwritten.
    Cost: size**3 / 6 multiplications.
    """
    end = np.uintp(size)
    whole = ((end + THREE) >> TWO) << TWO
    width = whole if whole <= np.uintp(F.shape[1]) else end
    for start in range(np.uintp(0), end, FOUR):
        stop = start + FOUR if start + FOUR < end else end
        for pivot in range(start, stop):
            value = F[pivot, pivot] if definite else abs(F[pivot, pivot])
            if not value > least[pivot]:
                return np.intp(pivot)
            inverse[pivot] = 1.0 / F[pivot, pivot]
            for i in range(pivot + ONE, stop):
                share = F[pivot, i] * inverse[pivot]
                for x in range(i, end):
                    F[i, x] -= share * F[pivot, x]
        _subtract_four(F, start, end, width, inverse)
    return size


@compiled_within
def _subtract_four(F, a, end, width, inverse):  # type: ignore[no-untyped-def]
    """Subtract shares of four pivots from all rows below: what is loaded serves several products.

    Two rows at a time, each in the order of the pivots. Columns begin and, where there is room,
    end with a whole vector: single ones left over would take a quarter of the time. The last row
    may be its own neighbour.
    """
    b, c, d = a + ONE, a + TWO, a + THREE
    for i in range(a + FOUR, end, TWO):
        n = i + ONE if i + ONE < end else i
        begin = (i >> TWO) << TWO
        i_a, i_b, i_c, i_d = (
            F[a, i] * inverse[a],
            F[b, i] * inverse[b],
            F[c, i] * inverse[c],
            F[d, i] * inverse[d],
        )
        n_a, n_b, n_c, n_d = (
            F[a, n] * inverse[a],
            F[b, n] * inverse[b],
            F[c, n] * inverse[c],
            F[d, n] * inverse[d],
        )
        for x in range(begin, width):
            at_a, at_b, at_c, at_d = F[a, x], F[b, x], F[c, x], F[d, x]
            own = (((F[i, x] - i_a * at_a) - i_b * at_b) - i_c * at_c) - i_d * at_d
            next_ = (((F[n, x] - n_a * at_a) - n_b * at_b) - n_c * at_c) - n_d * at_d
            F[i, x], F[n, x] = own, next_


@compiled_fused
def forward(F, inverse, size, y):  # type: ignore[no-untyped-def]
    """Solve L z = y in place; the first k entries serve the leading k x k block."""
    end = np.uintp(size)
    for j in range(end):
        share = y[j] * inverse[j]
        for x in range(j + ONE, end):
            y[x] -= share * F[j, x]


@compiled_any_order
def backward(F, inverse, size, y, solution):  # type: ignore[no-untyped-def]
    """Solve D L' x = y for the leading block of the given size."""
    end = np.uintp(size)
    for back in range(end):
        j = end - ONE - back
        left = y[j]
        for x in range(j + ONE, end):
            left -= F[j, x] * solution[x]
        solution[j] = left * inverse[j]
