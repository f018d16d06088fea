"""Eigenvalues of one small symmetric matrix, with its eigenvectors kept as factors.

A = Q T Q' with T tridiagonal (Householder reflections) and T = G D G' with D diagonal (plane
rotations). Q and G are kept as the reflections and rotations that they are: to multiply a vector
by U = Q G costs O(k^2), and forming all of U, the dearest part of an eigendecomposition, is left
out; that is why this is not LAPACK's `eigh`. It also starts no threads of its own inside those
that already share the work.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import compiled

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

EPSILON = float(np.finfo(np.float64).eps)
# Square of what is far below the rounding of numbers near one.
NEGLIGIBLE = (0.01 * EPSILON) ** 2
SWEEPS = 6  # for each eigenvalue, on average; two are usual


class Eigen(NamedTuple):
    """An eigendecomposition of up to K x K, and the room to compute it in."""

    reflections: Floats  # (K, K), the vector of reflection j in row j, right of the diagonal
    strengths: Floats  # (K,), 2 / v'v of each reflection, zero for none
    values: Floats  # (K,), the eigenvalues, in no order
    beside: Floats  # (K,), off-diagonal of the tridiagonal matrix
    pivots: Indices  # (6 K^2,), rotation r turns coordinates pivots[r] and pivots[r] + 1
    cosines: Floats  # (6 K^2,)
    sines: Floats  # (6 K^2,)
    turns: Indices  # (1,), how many rotations there are
    product: Floats  # (K,)


@compiled
def make_eigen(size):  # type: ignore[no-untyped-def]
    """Allocate for up to the given size."""
    rotations = SWEEPS * size * size
    return Eigen(
        np.zeros((size, size)),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.empty(rotations, dtype=np.intp),
        np.empty(rotations),
        np.empty(rotations),
        np.zeros(1, dtype=np.intp),
        np.zeros(size),
    )


@compiled
def decompose(block, size, eigen):  # type: ignore[no-untyped-def]
    """Decompose a symmetric leading block; about size**3 multiplications."""
    scale = _scale(block, size)
    for i in range(size):
        for j in range(size):
            eigen.reflections[i, j] = block[i, j] / scale
    for j in range(size - 2):
        _reflect_row(eigen.reflections, size, j, eigen)
    for j in range(size):
        eigen.values[j] = eigen.reflections[j, j]
        eigen.beside[j] = eigen.beside[j] if j < size - 2 else 0.0
    if size > 1:
        eigen.beside[size - 2] = eigen.reflections[size - 2, size - 1]
    _diagonalize(size, eigen)
    for j in range(size):
        eigen.values[j] *= scale


@compiled
def _scale(block, size):  # type: ignore[no-untyped-def]
    """Power of two that brings the largest entry near one: then no square over- or underflows."""
    highest = 0.0
    for i in range(size):
        for j in range(size):
            highest = max(highest, abs(block[i, j]))
    return 2.0 ** np.floor(np.log2(highest)) if highest > 0.0 else 1.0


@compiled
def _reflect_row(A, size, j, eigen):  # type: ignore[no-untyped-def]
    """Make row and column j tridiagonal by one Householder reflection."""
    v = A[j, j + 1 : size]
    rest = 0.0
    for i in range(1, v.size):
        rest += v[i] * v[i]
    eigen.beside[j], eigen.strengths[j] = v[0], 0.0
    if rest <= NEGLIGIBLE:
        return
    length = np.sqrt(v[0] * v[0] + rest)
    eigen.beside[j] = -length if v[0] > 0.0 else length
    v[0] -= eigen.beside[j]
    strength = 2.0 / (v[0] * v[0] + rest)
    eigen.strengths[j] = strength
    q = eigen.product[: v.size]
    _symmetric_product(A, size, j, v, q)
    along = 0.0
    for i in range(v.size):
        along += v[i] * q[i]
    along *= 0.5 * strength * strength
    for i in range(v.size):
        q[i] = strength * q[i] - along * v[i]
    _subtract_pair(A, size, j, v, q)


@compiled
def _symmetric_product(A, size, j, v, q):  # type: ignore[no-untyped-def]
    """Multiply what is below and right of row j by v."""
    q[:] = 0.0
    for i in range(v.size):
        row, weight = A[j + 1 + i, j + 1 : size], v[i]
        for x in range(q.size):
            q[x] += weight * row[x]


@compiled
def _subtract_pair(A, size, j, v, q):  # type: ignore[no-untyped-def]
    """Subtract v q' + q v' from what is below and right of row j."""
    for i in range(v.size):
        row, a, b = A[j + 1 + i, j + 1 : size], v[i], q[i]
        for x in range(row.size):
            row[x] -= a * q[x] + b * v[x]


@compiled
def _diagonalize(size, eigen):  # type: ignore[no-untyped-def]
    """Implicit QL with Wilkinson's shift, recording every rotation."""
    values, beside = eigen.values, eigen.beside
    norm = 0.0
    for j in range(size):
        norm = max(norm, abs(values[j]) + abs(beside[j]))
    eigen.turns[0] = 0
    limit = SWEEPS * size * size - size
    for first in range(size):
        while eigen.turns[0] <= limit:
            last = first
            while last < size - 1 and abs(beside[last]) > EPSILON * norm:
                last += 1
            if last == first:
                break
            _sweep(first, last, eigen)


@compiled
def _sweep(first, last, eigen):  # type: ignore[no-untyped-def]
    """Chase the bulge of one shifted QL step from `last` up to `first`."""
    values, beside, r = eigen.values, eigen.beside, eigen.turns[0]
    half = (values[first + 1] - values[first]) / (2.0 * beside[first])
    root = np.sqrt(half * half + 1.0)
    shift = beside[first] / (half + (root if half >= 0.0 else -root))
    g = values[last] - values[first] + shift
    sine, cosine, carried = 1.0, 1.0, 0.0
    for i in range(last - 1, first - 1, -1):
        f, b = sine * beside[i], cosine * beside[i]
        length = np.sqrt(f * f + g * g)
        beside[i + 1] = length
        if length == 0.0:
            # The matrix splits here: what was carried is done, and the rest starts anew.
            values[i + 1] -= carried
            beside[last] = 0.0
            eigen.turns[0] = r
            return
        sine, cosine = f / length, g / length
        g = values[i + 1] - carried
        turn = (values[i] - g) * sine + 2.0 * cosine * b
        carried = sine * turn
        values[i + 1] = g + carried
        g = cosine * turn - b
        eigen.pivots[r], eigen.cosines[r], eigen.sines[r] = i, cosine, sine
        r += 1
    values[first] -= carried
    beside[first] = g
    beside[last] = 0.0
    eigen.turns[0] = r


@compiled
def to_eigenvectors(eigen, size, x):  # type: ignore[no-untyped-def]
    """Replace x by U'x, its coordinates along the eigenvectors."""
    for j in range(size - 2):
        v, part = eigen.reflections[j, j + 1 : size], x[j + 1 : size]
        along = 0.0
        for i in range(v.size):
            along += v[i] * part[i]
        along *= eigen.strengths[j]
        for i in range(v.size):
            part[i] -= along * v[i]
    for r in range(eigen.turns[0]):
        i, c, s = eigen.pivots[r], eigen.cosines[r], eigen.sines[r]
        x[i], x[i + 1] = c * x[i] - s * x[i + 1], s * x[i] + c * x[i + 1]


@compiled
def from_eigenvectors(eigen, size, x):  # type: ignore[no-untyped-def]
    """Replace x by U x, from its coordinates along the eigenvectors."""
    for r in range(eigen.turns[0] - 1, -1, -1):
        i, c, s = eigen.pivots[r], eigen.cosines[r], eigen.sines[r]
        x[i], x[i + 1] = c * x[i] + s * x[i + 1], c * x[i + 1] - s * x[i]
    for j in range(size - 3, -1, -1):
        v, part = eigen.reflections[j, j + 1 : size], x[j + 1 : size]
        along = 0.0
        for i in range(v.size):
            along += v[i] * part[i]
        along *= eigen.strengths[j]
        for i in range(v.size):
            part[i] -= along * v[i]


@compiled
def columns_from_eigenvectors(eigen, size, Y):  # type: ignore[no-untyped-def]
    """Replace Y (size, n) by U Y: `from_eigenvectors` for n columns at once."""
    for r in range(eigen.turns[0] - 1, -1, -1):
        upper, lower = Y[eigen.pivots[r]], Y[eigen.pivots[r] + 1]
        c, s = eigen.cosines[r], eigen.sines[r]
        for x in range(upper.size):
            a, b = upper[x], lower[x]
            upper[x] = c * a + s * b
            lower[x] = c * b - s * a
    along = np.zeros(Y.shape[1])
    for j in range(size - 3, -1, -1):
        along[:] = 0.0
        for i in range(j + 1, size):
            row, weight = Y[i], eigen.reflections[j, i]
            for x in range(along.size):
                along[x] += weight * row[x]
        for i in range(j + 1, size):
            row, weight = Y[i], eigen.strengths[j] * eigen.reflections[j, i]
            for x in range(along.size):
                row[x] -= weight * along[x]
