"""Whether square blocks equal their transposes, and how they are made to."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_TILE = 256
_ENTRIES_AT_ONCE = 1 << 16


def equals_transpose(values: Floats, tolerance: float) -> bool:
    """Whether no two mirrored entries of (n, n) values differ by more than the tolerance.

    Notes
    -----
    Tile by tile, so that both directions are read along cache lines: O(n²) at most, with
    temporary arrays of a tile, and it stops at the first tile that differs.
    """
    n = len(values)
    for top in range(0, n, _TILE):
        for left in range(0, top + 1, _TILE):
            tile = values[top : top + _TILE, left : left + _TILE]
            mirrored = values[left : left + _TILE, top : top + _TILE].T
            # NaN differs, equal infinities do not; exact equality is usual, and cheaper.
            if not np.array_equal(tile, mirrored) and _differ(tile, mirrored, tolerance):
                return False
    return True


def make_symmetric(values: Floats) -> Floats:
    """Replace (n, n) values by ½(values + valuesᵀ), in place, tile by tile; returns them."""
    n = len(values)
    for top in range(0, n, _TILE):
        for left in range(0, top + 1, _TILE):
            tile = values[top : top + _TILE, left : left + _TILE]
            mirrored = values[left : left + _TILE, top : top + _TILE]
            tile[:] = 0.5 * (tile + mirrored.T)
            mirrored[:] = tile.T
    return values


def mirror_lower(values: Floats) -> Floats:
    """Copy what is below the diagonal of (n, n) values to above it, in place; returns them."""
    n = len(values)
    for top in range(0, n, _TILE):
        for left in range(0, top, _TILE):
            tile = values[top : top + _TILE, left : left + _TILE]
            values[left : left + _TILE, top : top + _TILE] = tile.T
        own = values[top : top + _TILE, top : top + _TILE]
        own[:] = np.tril(own) + np.tril(own, -1).T
    return values


def blocks_are_sound(blocks: Floats) -> bool:
    """Whether every one of (m, k, k) blocks is finite and equals its transpose, up to rounding.

    Notes
    -----
    O(m k²), few blocks at a time. The rounding allowed is 1e-12 of a block's largest entry.
    """
    at_once = max(_ENTRIES_AT_ONCE // max(blocks.shape[1] ** 2, 1), 1)
    for start in range(0, len(blocks), at_once):
        part = blocks[start : start + at_once]
        if not np.isfinite(part).all():
            return False
        mirrored = part.swapaxes(1, 2)
        if not np.array_equal(part, mirrored):
            largest = np.abs(part).max(axis=(1, 2), keepdims=True)
            if _differ(part, mirrored, 1e-12 * largest):
                return False
    return True


def _differ(one: Floats, other: Floats, tolerance: float | Floats) -> bool:
    with np.errstate(invalid="ignore", over="ignore"):
        return bool(((one != other) & ~(np.abs(one - other) <= tolerance)).any())
