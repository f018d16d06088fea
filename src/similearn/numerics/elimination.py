"""Gaussian elimination of small symmetric matrices: one elimination serves every leading block.

Rows are eliminated in order, without exchanges, and only the upper triangle is used: row j of the
result is d_j times row j of L', where the leading k x k block is L_k D_k L_k' for every k. The
arithmetic of an entry does not depend on how large the whole matrix is, so a leading block gives
bit for bit what it would give alone.
"""

from similearn.numerics.compiling import compiled


@compiled
def _subtract_row(F, inverse, pivot, i, size):  # type: ignore[no-untyped-def]
    """Eliminate one entry: row i less its share of the pivot row."""
    target, source = F[i, i:size], F[pivot, i:size]
    share = source[0] * inverse[pivot]
    for x in range(target.size):
        target[x] -= share * source[x]


@compiled
def _subtract_four_rows(F, inverse, j, i, size):  # type: ignore[no-untyped-def]
    """Do what four calls of `_subtract_row` do, in the same order, reading row i once."""
    target = F[i, i:size]
    first, second = F[j, i:size], F[j + 1, i:size]
    third, fourth = F[j + 2, i:size], F[j + 3, i:size]
    a, b = first[0] * inverse[j], second[0] * inverse[j + 1]
    c, d = third[0] * inverse[j + 2], fourth[0] * inverse[j + 3]
    for x in range(target.size):
        target[x] = (((target[x] - a * first[x]) - b * second[x]) - c * third[x]) - d * fourth[x]


@compiled
def eliminate(F, size, least, definite, inverse):  # type: ignore[no-untyped-def]
    """Eliminate F[:size, :size] in place; returns how many leading rows could be.

    It stops at the first pivot that is not above ``least[pivot]``: in value if `definite`,
    in magnitude if not. `inverse` receives the reciprocals of the pivots. Cost: size**3 / 6
    multiplications.
    """
    j = 0
    while j < size:
        width = min(4, size - j)
        for pivot in range(j, j + width):
            value = F[pivot, pivot] if definite else abs(F[pivot, pivot])
            if not value > least[pivot]:
                return pivot
            inverse[pivot] = 1.0 / F[pivot, pivot]
            for i in range(pivot + 1, j + width):
                _subtract_row(F, inverse, pivot, i, size)
        if width == 4:
            for i in range(j + 4, size):
                _subtract_four_rows(F, inverse, j, i, size)
        j += width
    return size


@compiled
def forward(F, inverse, size, y):  # type: ignore[no-untyped-def]
    """Solve L z = y in place; the first k entries serve the leading k x k block."""
    for j in range(size - 1):
        rest, row = y[j + 1 : size], F[j, j + 1 : size]
        share = y[j] * inverse[j]
        for x in range(rest.size):
            rest[x] -= share * row[x]


@compiled
def backward(F, inverse, size, y, solution):  # type: ignore[no-untyped-def]
    """Solve D L' x = y for the leading block of the given size."""
    for j in range(size - 1, -1, -1):
        row, known = F[j, j + 1 : size], solution[j + 1 : size]
        # Two sums at once: a single one waits for each addition to finish.
        even, odd = y[j], 0.0
        for x in range(known.size // 2):
            even -= row[2 * x] * known[2 * x]
            odd += row[2 * x + 1] * known[2 * x + 1]
        if known.size % 2:
            even -= row[known.size - 1] * known[known.size - 1]
        solution[j] = (even - odd) * inverse[j]
