"""Blocks among neighbours, made positive semidefinite where they are not.

Clip, flip and shift leave a positive semidefinite block as it is. So a nested elimination, a
fraction of the cost of an eigendecomposition, first certifies how many leading neighbours form
such a block; only the others are decomposed.
"""

import numpy as np
from numpy.typing import NDArray

from similearn.errors import InputError
from similearn.numerics.compiling import as_input, compiled_fused
from similearn.numerics.linalg.elimination import DEFINITE, eliminate

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

EPSILON = float(np.finfo(np.float64).eps)


def check_spectrum(spectrum: str, allowed: tuple[str, ...]) -> None:
    """Refuse a rule that the method cannot use."""
    if spectrum not in allowed:
        raise InputError(f"spectrum={spectrum!r} is not one of {', '.join(map(repr, allowed))}.")


def leading(blocks: Floats, k: int) -> Floats:
    """Blocks (m, k, k) among the first k of all neighbours, in C order."""
    return np.ascontiguousarray(blocks[:, :k, :k])


def semidefinite_sizes(blocks: Floats) -> Indices:
    """Count the leading neighbours whose block is positive semidefinite up to rounding.

    Each diagonal entry is raised by a bound on the rounding of its elimination, so that exact
    semidefiniteness (duplicates, low rank) is not missed. By interlacing, every leading block
    up to the count is semidefinite, and none beyond. Blocks (m, k, k); returns (m,).
    """
    # No entry of a semidefinite matrix is larger than its largest diagonal entry.
    highest = np.maximum.accumulate(np.abs(blocks.diagonal(axis1=1, axis2=2)), axis=1)
    return definite_sizes(
        blocks, 8 * EPSILON * np.arange(1, blocks.shape[1] + 1) * highest + 1e-300
    )


def definite_sizes(blocks: Floats, lifts: Floats) -> Indices:
    """Count the leading neighbours whose block, with (m, k) lifts on the diagonal, is definite."""
    m, k = lifts.shape
    sizes = np.empty(m, dtype=np.intp)
    factor, least, inverse = np.empty((k, k)), np.zeros(k), np.empty(k)
    _definite_sizes(as_input(blocks), as_input(lifts), factor, least, inverse, sizes)
    return sizes


@compiled_fused
def _definite_sizes(blocks, lifts, factor, least, inverse, sizes):  # type: ignore[no-untyped-def]
    k = np.uintp(lifts.shape[1])
    for q in range(np.uintp(len(sizes))):
        for i in range(k):
            for j in range(i, k):
                factor[i, j] = blocks[q, i, j]
            factor[i, i] += lifts[q, i]
        sizes[q] = eliminate(factor, np.intp(k), least, DEFINITE, inverse)


def treated_values(values: Floats, spectrum: str) -> Floats:
    """Eigenvalues (m, k) after clip, flip or shift; unchanged for pinv."""
    if spectrum == "clip":
        return np.maximum(values, 0.0)
    if spectrum == "flip":
        return np.abs(values)
    if spectrum == "shift":
        return values - np.minimum(values.min(axis=1, keepdims=True), 0.0)
    return values


def treated(blocks: Floats, spectrum: str) -> Floats:
    """Blocks (m, k, k) after clip, flip or shift; exactly symmetric. O(m k³)."""
    values, vectors = np.linalg.eigh(blocks)
    return from_spectrum(treated_values(values, spectrum), vectors)


def from_spectrum(values: Floats, vectors: Floats) -> Floats:
    """Blocks of the given eigenvalues (m, k) and eigenvectors (m, k, k), exactly symmetric."""
    half = vectors * values[:, None, :] @ vectors.swapaxes(1, 2)
    return (half + half.swapaxes(1, 2)) / 2


def semidefinite(blocks: Floats, k: int, sizes: Indices, spectrum: str) -> Floats:
    """Leading blocks (m, k, k), treated where fewer than k neighbours are semidefinite."""
    result = leading(blocks, k)
    rest = np.flatnonzero(sizes < k)
    if len(rest):
        if result.base is not None or result is blocks:
            result = result.copy()
        result[rest] = treated(result[rest], spectrum)
    return result
