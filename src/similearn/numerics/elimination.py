"""Gaussian elimination of small symmetric matrices: one elimination serves every leading block.

Rows are eliminated in order, without exchanges, and only the upper triangle is used: row j of the
result is d_j times row j of L', where the leading k x k block is L_k D_k L_k' for every k. The
arithmetic of an entry does not depend on how large the whole matrix is, so a leading block gives
bit for bit what it would give alone.
"""

from similearn.numerics.compiling import compiled_fused


@compiled_fused
def eliminate(F, size, least, definite, inverse):  # type: ignore[no-untyped-def]
    """Eliminate F[:size, :size] in place; returns how many leading rows could be.

    It stops at the first pivot that is not above ``least[pivot]``: in value if `definite`,
    in magnitude if not. `inverse` receives the reciprocals of the pivots. Cost: size**3 / 6
    multiplications.
    """
    for j in range(0, size, 4):
        end = min(j + 4, size)
        done = _eliminate_among(F, inverse, j, end, size, least, definite)
        if done < end:
            return done
        if end < size:
            _subtract_below(F, inverse, j, size)
    return size


@compiled_fused
def _eliminate_among(F, inverse, j, end, size, least, definite):  # type: ignore[no-untyped-def]
    """Eliminate rows j to end from each other; returns the first that cannot be, or `end`."""
    for pivot in range(j, end):
        value = F[pivot, pivot] if definite else abs(F[pivot, pivot])
        if not value > least[pivot]:
            return pivot
        inverse[pivot] = 1.0 / F[pivot, pivot]
        for i in range(pivot + 1, end):
            target, source = F[i, i:size], F[pivot, i:size]
            share = source[0] * inverse[pivot]
            for x in range(target.size):
                target[x] -= share * source[x]
    return end


@compiled_fused
def _subtract_below(F, inverse, j, size):  # type: ignore[no-untyped-def]
    """Subtract rows j to j + 3, each its share, from the rows below, two at a time.

    Short loops over few rows are bound by loads and stores: here two rows share every load. The
    second is treated from one column too early; that entry, below the diagonal, is never read.
    """
    p, q, r, s = inverse[j], inverse[j + 1], inverse[j + 2], inverse[j + 3]
    for i in range(j + 4, size - 1, 2):
        a, b, c, d = F[j, i:size], F[j + 1, i:size], F[j + 2, i:size], F[j + 3, i:size]
        upper, lower = F[i, i:size], F[i + 1, i:size]
        lower[0] = 0.0
        a0, b0, c0, d0 = a[0] * p, b[0] * q, c[0] * r, d[0] * s
        a1, b1, c1, d1 = a[1] * p, b[1] * q, c[1] * r, d[1] * s
        for x in range(upper.size):
            ax, bx, cx, dx = a[x], b[x], c[x], d[x]
            upper[x] = (((upper[x] - a0 * ax) - b0 * bx) - c0 * cx) - d0 * dx
            lower[x] = (((lower[x] - a1 * ax) - b1 * bx) - c1 * cx) - d1 * dx
    if (size - j) % 2:
        last = size - 1
        for k in range(j, j + 4):
            F[last, last] -= F[k, last] * inverse[k] * F[k, last]


@compiled_fused
def forward(F, inverse, size, y):  # type: ignore[no-untyped-def]
    """Solve L z = y in place; the first k entries serve the leading k x k block."""
    for j in range(size - 1):
        rest, row = y[j + 1 : size], F[j, j + 1 : size]
        share = y[j] * inverse[j]
        for x in range(rest.size):
            rest[x] -= share * row[x]


@compiled_fused
def backward(F, inverse, size, y, solution):  # type: ignore[no-untyped-def]
    """Solve D L' x = y for the leading block of the given size."""
    for j in range(size - 1, -1, -1):
        row, known = F[j, j + 1 : size], solution[j + 1 : size]
        # Four sums at once: a single one waits for each addition to finish.
        total, second, third, fourth = y[j], 0.0, 0.0, 0.0
        whole = known.size // 4 * 4
        for x in range(0, whole, 4):
            total -= row[x] * known[x]
            second += row[x + 1] * known[x + 1]
            third += row[x + 2] * known[x + 2]
            fourth += row[x + 3] * known[x + 3]
        for x in range(whole, known.size):
            total -= row[x] * known[x]
        solution[j] = ((total - second) - (third + fourth)) * inverse[j]
