"""Gaussian elimination of small symmetric matrices: one elimination serves every leading block.

Rows are eliminated in order, without exchanges, and only the upper triangle is used: row j of the
result is d_j times row j of L', where the leading k x k block is L_k D_k L_k' for every k. The
arithmetic of an entry does not depend on how large the whole matrix is, so a leading block gives
bit for bit what it would give alone.

Positions are unsigned here: a signed one might count from the end, and every loop would start
with code that finds out.
"""

import numpy as np

from similearn.numerics.compiling import compiled_any_order, compiled_fused

ONE, TWO = np.uintp(1), np.uintp(2)
# Of one type to the compiler, unlike True and False: `eliminate` is compiled once for both.
DEFINITE, INDEFINITE = np.bool_(True), np.bool_(False)


@compiled_fused
def eliminate(F, size, least, definite, inverse):  # type: ignore[no-untyped-def]
    """Eliminate F[:size, :size] in place; returns how many leading rows could be.

    It stops at the first pivot that is not above ``least[pivot]``: in value where `definite` is
    `DEFINITE`, in magnitude where it is `INDEFINITE`. `inverse` receives the reciprocals of the
    pivots. Cost: size**3 / 6 multiplications.
    """
    end = np.uintp(size)
    for j in range(np.uintp(0), end, TWO):
        # Two pivots at a time: what is below them is read and written once for both.
        after = j + ONE if j + ONE < end else j
        for pivot in range(j, after + ONE):
            value = F[pivot, pivot] if definite else abs(F[pivot, pivot])
            if not value > least[pivot]:
                return np.intp(pivot)
            inverse[pivot] = 1.0 / F[pivot, pivot]
            if pivot < after:
                share = F[j, after] * inverse[j]
                for x in range(after, end):
                    F[after, x] -= share * F[j, x]
        for i in range(j + TWO, end):
            share, other = F[j, i] * inverse[j], F[after, i] * inverse[after]
            for x in range(i, end):
                F[i, x] = (F[i, x] - share * F[j, x]) - other * F[after, x]
    return size


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
