"""Gaussian elimination of many small systems side by side.

The last axis of every array is the system, so that each operation treats `LANES` systems by
vector instructions, however short their rows are. Lanes do not mix: a system's solution does not
depend on the company it came in.

Loops end at the length of an array: those of constant length are unrolled before they could be
vectorized. Positions are unsigned, as in `similearn.numerics.elimination`.
"""

import numpy as np

from similearn.numerics.compiling import compiled_fused

LANES = 16
"""Systems at once: several vectors, to outweigh what a loop costs, within the nearest cache."""
LARGEST = 32
"""The rows of larger systems are long enough to fill the vector unit by themselves."""

_SAFE_LOW, _SAFE_HIGH = 1e-280, 1e280
_ZERO, _ONE = np.uintp(0), np.uintp(1)


@compiled_fused
def put_in_lane(A, b, systems, lane):  # type: ignore[no-untyped-def]
    """Copy the upper triangle of A (s, s), and b (s,), into systems (s, s + 1, lanes)."""
    size, place = np.uintp(len(b)), np.uintp(lane)
    for i in range(size):
        for j in range(i, size):
            systems[i, j, place] = A[i, j]
        systems[i, size, place] = b[i]


@compiled_fused
def solve_lanes(systems, room, squares, log_dets):  # type: ignore[no-untyped-def]
    """Fill b' A^-1 b and log |A| of every lane; the systems are eliminated in place.

    Parameters
    ----------
    systems : (s, s + 1, lanes), upper triangles of positive definite A, then b
    room : (2, lanes), scratch
    squares, log_dets : (lanes,), receive the result

    Notes
    -----
    s**3 / 6 multiplications a system. Assumes that pivots neither overflow nor underflow.
    """
    size, lanes = np.uintp(systems.shape[0]), np.uintp(systems.shape[2])
    squares[:] = 0.0
    log_dets[:] = 1.0
    for pivot in range(size):
        _eliminate_below(systems, pivot, room)
        inverse, value, right = room[_ZERO], systems[pivot, pivot], systems[pivot, size]
        for lane in range(lanes):
            squares[lane] += right[lane] * right[lane] * inverse[lane]
        for lane in range(lanes):
            log_dets[lane] *= value[lane]
    for lane in range(lanes):
        if _SAFE_LOW < log_dets[lane] < _SAFE_HIGH:  # logarithms are dear: one for all pivots
            log_dets[lane] = np.log(log_dets[lane])
        else:
            log_dets[lane] = 0.0
            for pivot in range(size):
                log_dets[lane] += np.log(systems[pivot, pivot, lane])


@compiled_fused
def _eliminate_below(systems, pivot, room):  # type: ignore[no-untyped-def]
    """Subtract the pivot's row from the rows below; its reciprocals stay in ``room[0]``."""
    size, lanes = np.uintp(systems.shape[0]), np.uintp(systems.shape[2])
    source, inverse, share = systems[pivot], room[_ZERO], room[_ONE]
    for lane in range(lanes):
        inverse[lane] = 1.0 / source[pivot, lane]
    for i in range(pivot + _ONE, size):
        entry = source[i]
        for lane in range(lanes):
            share[lane] = entry[lane] * inverse[lane]
        for j in range(i, size + _ONE):
            target, above = systems[i, j], source[j]
            for lane in range(lanes):
                target[lane] -= share[lane] * above[lane]
