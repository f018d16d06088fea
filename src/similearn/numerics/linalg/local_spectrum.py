"""The block among one query's neighbours: loading it, and making it positive semidefinite.

Clip, flip and shift leave a positive semidefinite block as it is. So a nested elimination, a
fraction of the cost of an eigendecomposition, first certifies how many leading neighbours form
such a block; only the others are decomposed.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.errors import InputError
from similearn.numerics.compiling import compiled
from similearn.numerics.linalg.eigen import EPSILON, columns_from_eigenvectors, decompose
from similearn.numerics.linalg.elimination import eliminate

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

PINV, CLIP, FLIP, SHIFT = 0, 1, 2, 3
RULES = {"pinv": PINV, "clip": CLIP, "flip": FLIP, "shift": SHIFT}

_ROWS = np.uintp(8)


class Room(NamedTuple):
    """Working arrays for one problem of up to K neighbours, allocated once for a batch."""

    block: Floats  # (K, K), the similarities among the neighbours
    factor: Floats  # (K, K), what is being eliminated
    largest: Floats  # (K,), largest magnitude in each leading block
    least: Floats  # (K,), smallest pivot that is trusted
    inverse: Floats  # (K,), reciprocals of the pivots
    first: Floats  # (K,), right-hand sides, residuals and steps
    second: Floats  # (K,)
    third: Floats  # (K,)


@compiled
def make_room(size):  # type: ignore[no-untyped-def]
    """Allocate the working arrays for blocks of up to the given size."""
    return Room(
        np.zeros((size, size)),
        np.zeros((size, size)),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
    )


def rule_code(spectrum: str, allowed: tuple[str, ...]) -> int:
    """Give the code of a spectrum rule; refuse those that the method cannot use."""
    if spectrum not in allowed:
        raise InputError(f"spectrum={spectrum!r} is not one of {', '.join(map(repr, allowed))}.")
    return RULES[spectrum]


@compiled
def load(source, near, query, block):  # type: ignore[no-untyped-def]
    """Copy one query's block: gathered from the whole matrix (n, n), or from a batch (m, K, K)."""
    size = np.uintp(block.shape[0])
    if source.ndim == 2:
        columns = near[query]
        for i in range(size):
            row = source[columns[i]]
            for j in range(i, size):
                block[i, j] = row[np.uintp(columns[j])]
        _mirror(block, size)
    else:
        for i in range(size):
            for j in range(size):
                block[i, j] = source[query, i, j]


@compiled
def _mirror(block, size):  # type: ignore[no-untyped-def]
    """Copy the upper triangle to the lower, few rows at a time: they are far apart in memory."""
    one = np.uintp(1)
    for top in range(one, size, _ROWS):
        end = min(top + _ROWS, size)
        for j in range(end - one):
            for i in range(j + one if j >= top else top, end):
                block[i, j] = block[j, i]


@compiled
def measure(block, largest):  # type: ignore[no-untyped-def]
    """Fill in the largest magnitude of every leading block."""
    size = np.uintp(block.shape[0])
    for j in range(size):
        largest[j] = 0.0
    for i in range(size):
        for j in range(i, size):
            largest[j] = max(largest[j], abs(block[i, j]))
    for j in range(np.uintp(1), size):
        largest[j] = max(largest[j], largest[j - np.uintp(1)])


@compiled
def copy_upper(block, size, ridge, factor):  # type: ignore[no-untyped-def]
    """Copy the upper triangle of a leading block, with a ridge on its diagonal."""
    for i in range(np.uintp(size)):
        for c in range(i, np.uintp(size)):
            factor[i, c] = block[i, c]
        factor[i, i] += ridge


@compiled
def semidefinite_size(room):  # type: ignore[no-untyped-def]
    """Count the leading neighbours whose block is positive semidefinite up to rounding.

    Each diagonal entry is raised by a bound on the rounding of its elimination, so that exact
    semidefiniteness (duplicates, low rank) is not missed. By interlacing, every leading block
    up to the count is semidefinite, and none beyond.
    """
    size = len(room.least)
    copy_upper(room.block, size, 0.0, room.factor)
    highest = 0.0
    for j in range(size):
        # No entry of a semidefinite matrix is larger than its largest diagonal entry.
        highest = max(highest, abs(room.block[j, j]))
        room.factor[j, j] += 8.0 * (j + 1) * EPSILON * highest + 1e-300
        room.least[j] = 0.0
    return eliminate(room.factor, size, room.least, True, room.inverse)


@compiled
def treat(values, rule):  # type: ignore[no-untyped-def]
    """Clip, flip or shift eigenvalues in place; `PINV` leaves them alone."""
    lowest = min(values.min(), 0.0)
    for j in range(len(values)):
        if rule == CLIP:
            values[j] = max(values[j], 0.0)
        elif rule == FLIP:
            values[j] = abs(values[j])
        elif rule == SHIFT:
            values[j] -= lowest


@compiled
def treated_block(block, size, rule, eigen, target):  # type: ignore[no-untyped-def]
    """Write the clipped, flipped or shifted leading block to `target`.

    Only the eigenvectors of one sign are formed, of whichever there are fewer: the block is
    sum(lambda+ u u') - sum(lambda- u u'), clip drops the second sum and flip adds it.
    """
    decompose(block, size, eigen)
    values = eigen.values[:size]
    lowest = min(values.min(), 0.0)
    negative = rule == SHIFT or 2 * (values < 0.0).sum() <= size
    share = 1.0 if negative else (-1.0 if rule == FLIP else 0.0)
    for i in range(size):
        for j in range(size):
            target[i, j] = share * block[i, j]
        if rule == SHIFT:
            target[i, i] -= lowest
    if rule != SHIFT:
        _add_eigenvectors(eigen, size, negative, 2.0 if rule == FLIP else 1.0, target)


@compiled
def _add_eigenvectors(eigen, size, negative, factor, target):  # type: ignore[no-untyped-def]
    """Add factor |lambda| u u' for the eigenvalues of one sign."""
    values = eigen.values[:size]
    chosen = np.nonzero(values < 0.0)[0] if negative else np.nonzero(values > 0.0)[0]
    Y = np.zeros((size, len(chosen)))
    for a in range(len(chosen)):
        Y[chosen[a], a] = np.sqrt(factor * abs(values[chosen[a]]))
    columns_from_eigenvectors(eigen, size, Y)
    vectors = np.ascontiguousarray(Y.T)
    for a in range(len(chosen)):
        vector = vectors[a]
        for i in range(size):
            row, share = target[i, :size], vector[i]
            for x in range(row.size):
                row[x] += share * vector[x]
