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
from similearn.numerics.elimination import eliminate

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

PINV, CLIP, FLIP, SHIFT = 0, 1, 2, 3
RULES = {"pinv": PINV, "clip": CLIP, "flip": FLIP, "shift": SHIFT}

EPSILON = float(np.finfo(np.float64).eps)


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
    """Copy one query's block: gathered from the whole matrix (n, n), or from a batch (m, K, K).

    The whole matrix is symmetric. Of a block in a batch the symmetric part is taken: it is all
    that w'Sw sees.
    """
    size = block.shape[0]
    for i in range(size):
        for j in range(i + 1):
            if source.ndim == 2:
                value = source[near[query, i], near[query, j]]
            else:
                value = 0.5 * (source[query, i, j] + source[query, j, i])
            block[i, j] = value
            block[j, i] = value


@compiled
def measure(block, largest):  # type: ignore[no-untyped-def]
    """Fill in the largest magnitude of every leading block."""
    highest = 0.0
    for i in range(block.shape[0]):
        for j in range(i + 1):
            highest = max(highest, abs(block[i, j]))
        largest[i] = highest


@compiled
def copy_upper(block, size, ridge, factor):  # type: ignore[no-untyped-def]
    """Copy the upper triangle of a leading block, with a ridge on its diagonal."""
    for i in range(size):
        source, target = block[i, i:size], factor[i, i:size]
        for c in range(target.size):
            target[c] = source[c]
        target[0] += ridge


@compiled
def semidefinite_size(room):  # type: ignore[no-untyped-def]
    """Count the leading neighbours whose block is positive semidefinite up to rounding.

    Each diagonal entry is raised by a bound on the rounding of its elimination, so that exact
    semidefiniteness (duplicates, low rank) is not missed. By interlacing, every leading block
    up to the count is semidefinite, and none beyond.
    """
    size = len(room.largest)
    copy_upper(room.block, size, 0.0, room.factor)
    for j in range(size):
        room.factor[j, j] += 8.0 * (j + 1) * EPSILON * room.largest[j]
        room.least[j] = 0.0
        if room.largest[j] == 0.0:
            room.factor[j, j] = 1.0
    return eliminate(room.factor, size, room.least, True, room.inverse)


@compiled
def decompose(block, size):  # type: ignore[no-untyped-def]
    """Eigenvalues, ascending, and eigenvectors (columns) of a leading block."""
    return np.linalg.eigh(np.ascontiguousarray(block[:size, :size]))


@compiled
def treat(values, rule):  # type: ignore[no-untyped-def]
    """Clip, flip or shift ascending eigenvalues in place; `PINV` leaves them alone."""
    lowest = min(values[0], 0.0)
    for j in range(len(values)):
        if rule == CLIP:
            values[j] = max(values[j], 0.0)
        elif rule == FLIP:
            values[j] = abs(values[j])
        elif rule == SHIFT:
            values[j] -= lowest


@compiled
def treated_block(block, size, rule, target):  # type: ignore[no-untyped-def]
    """Write the clipped, flipped or shifted leading block to `target`."""
    values, vectors = decompose(block, size)
    if rule == SHIFT:
        for i in range(size):
            target[i, :size] = block[i, :size]
            target[i, i] -= min(values[0], 0.0)
        return
    treat(values, rule)
    rows = np.ascontiguousarray(vectors.T)
    target[:size, :size] = 0.0
    for j in range(size):
        if values[j] > 0.0:
            _add_outer(target, size, values[j], rows[j])


@compiled
def _add_outer(target, size, value, vector):  # type: ignore[no-untyped-def]
    """Add value * vector vector'."""
    for i in range(size):
        row, share = target[i, :size], value * vector[i]
        for c in range(row.size):
            row[c] += share * vector[c]
