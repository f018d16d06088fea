"""Whether a square block equals its transpose."""

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import compiled

_TILE = 32


def equals_transpose(values: NDArray[np.float64], tolerance: float) -> bool:
    """Whether no two mirrored entries of (n, n) values differ by more than the tolerance.

    Notes
    -----
    Tile by tile, so that both directions are read along cache lines: O(n²) at most, without
    temporary arrays, and it stops at the first tile that differs.
    """
    return bool(_equals_transpose(values, tolerance))


@compiled
def _equals_transpose(values, tolerance):  # type: ignore[no-untyped-def]
    n = len(values)
    for top in range(0, n, _TILE):
        for left in range(0, top + 1, _TILE):
            if _tile_differs(values, top, left, n, tolerance):
                return False
    return True


@compiled
def _tile_differs(values, top, left, n, tolerance):  # type: ignore[no-untyped-def]
    for i in range(top, min(top + _TILE, n)):
        for j in range(left, min(left + _TILE, n)):
            one, other = values[i, j], values[j, i]
            if one != other and not abs(one - other) <= tolerance:  # NaN differs, inf does not
                return True
    return False


def blocks_are_sound(blocks: NDArray[np.float64]) -> bool:
    """Whether every one of (m, k, k) blocks is finite and equals its transpose, up to rounding.

    Notes
    -----
    One pass, no copies: O(m k²). The rounding allowed is 1e-12 of a block's largest entry.
    """
    return bool(_blocks_are_sound(blocks))


@compiled
def _blocks_are_sound(blocks):  # type: ignore[no-untyped-def]
    for position in range(len(blocks)):
        block = blocks[position]
        if not _is_finite(block):
            return False
        if _equals_transpose_exactly(block):
            continue
        largest, worst = 0.0, 0.0
        for i in range(block.shape[0]):
            row = block[i, :i]
            for j in range(row.size):
                largest = max(largest, abs(row[j]))
                worst = max(worst, abs(row[j] - block[j, i]))
            largest = max(largest, abs(block[i, i]))
        if worst > 1e-12 * largest:
            return False
    return True


@compiled
def _is_finite(block):  # type: ignore[no-untyped-def]
    endless = 0
    for i in range(np.uintp(len(block))):  # unsigned: no position counts from the end
        for j in range(np.uintp(len(block))):
            endless += not abs(block[i, j]) < np.inf
    return endless == 0


@compiled
def _equals_transpose_exactly(block):  # type: ignore[no-untyped-def]
    """Whether there is no rounding to allow for, as is usual: half the time of measuring it."""
    differences = 0
    for i in range(np.uintp(len(block))):  # unsigned: no position counts from the end
        for j in range(i):
            differences += block[i, j] != block[j, i]
    return differences == 0
