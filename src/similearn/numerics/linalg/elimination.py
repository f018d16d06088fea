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
PANEL = np.uintp(16)  # pivots that a row meets while it is in the nearest cache
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
    for panel in range(np.uintp(0), end, PANEL):
        below = panel + PANEL if panel + PANEL < end else end
        for start in range(panel, below, FOUR):
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
            # The rows of the panel at once, all rows below it when the panel is done.
            last = stop == below
            first, bottom = (panel, end) if last else (start, below)
            _subtract(F, first, stop, bottom, width, inverse)
    return size


@compiled_within
def _subtract(F, first, stop, bottom, width, inverse):  # type: ignore[no-untyped-def]
    """Subtract shares of the pivots from `first` to `stop` from the rows below, to `bottom`.

    Four pivots and two rows at a time, each in the order of the pivots: what is loaded serves
    several products, and a pair of rows stays in the nearest cache until all pivots of a panel
    are done. Columns begin and, where there is room, end with a whole vector: single ones left
    over took a quarter of the time. The last row may be its own neighbour.
    """
    for i in range(stop, bottom, TWO):
        n = i + ONE if i + ONE < bottom else i
        begin = (i >> TWO) << TWO
        for a in range(first, stop, FOUR):
            b, c, d = a + ONE, a + TWO, a + THREE
            i_a, i_b = F[a, i] * inverse[a], F[b, i] * inverse[b]
            i_c, i_d = F[c, i] * inverse[c], F[d, i] * inverse[d]
            n_a, n_b = F[a, n] * inverse[a], F[b, n] * inverse[b]
            n_c, n_d = F[c, n] * inverse[c], F[d, n] * inverse[d]
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
