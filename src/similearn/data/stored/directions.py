"""Both directions of a block: whether they are the same, and their mean."""

import itertools
from typing import Any

import numpy as np
from scipy import sparse

from similearn.data.values import Floats, Values, as_csr, filled, transposed
from similearn.numerics.linalg.symmetry import equals_transpose

_ENTRIES_AT_ONCE = 1 << 20  # stored entries of both directions that are looked at together


def rows_of(values: Values, rows: Any) -> Values:
    """Some rows; all of CSR without the copy that SciPy would make."""
    return values if isinstance(rows, slice) and rows == slice(None) else values[rows]


def is_symmetric(values: Values, absent: float) -> bool:
    """Whether a square block equals its transpose, up to rounding."""
    if sparse.issparse(values):
        flipped = transposed(values)
        if absent != 0 and not np.array_equal(values.indices, flipped.indices):
            return False  # a zero that is stored differs from what is unknown
        largest = 1e-12 * np.abs(values.data).max(initial=0.0)
        for part in _stretches(values, flipped):
            difference = values[part] - flipped[part]
            if np.abs(difference.data).max(initial=0.0) > largest:
                return False
        return True
    scale = 1e-12 * max(abs(values.max(initial=0.0)), abs(values.min(initial=0.0)))
    return equals_transpose(values, scale)


def mean_of(forward: Values, backward: Values, absent: float) -> Values:
    """Mean of both directions; where one of them is unknown (infinite `absent`), the other."""
    if not sparse.issparse(forward) and not sparse.issparse(backward):
        return _halves(forward, backward)
    if sparse.issparse(forward) != sparse.issparse(backward):
        one, other = filled(forward, absent), filled(backward, absent)
        known = np.isfinite(one) & np.isfinite(other)
        return np.where(known, _halves(one, other), np.minimum(one, other))
    parts = [
        _sparse_means(forward[part], backward[part], absent)
        for part in _stretches(forward, backward)
    ]
    if len(parts) == 1:
        return parts[0]
    stacked = sparse.vstack(parts, format="csr")
    return as_csr(stacked.data, stacked.indices, stacked.indptr, forward.shape)


def _stretches(one: sparse.csr_array, other: sparse.csr_array) -> list[slice]:
    """Consecutive rows of two CSR matrices, so that no copy of everything is needed at once."""
    m = one.shape[0]
    entries = one.indptr.astype(np.int64) + other.indptr
    cuts = np.searchsorted(entries, np.arange(_ENTRIES_AT_ONCE, entries[-1], _ENTRIES_AT_ONCE))
    edges = np.unique(np.concatenate([[0], cuts, [m]]))
    return [slice(*pair) for pair in itertools.pairwise(edges.tolist())] or [slice(0, m)]


def _sparse_means(
    forward: sparse.csr_array, backward: sparse.csr_array, absent: float
) -> sparse.csr_array:
    m, n = forward.shape
    # Coordinates by hand: SciPy's sum would drop stored zeros, which mean "the same" here.
    one, other = forward.tocoo(), backward.tocoo()
    places = np.concatenate([c.row.astype(np.int64) * n + c.col for c in (one, other)])
    places, inverse, counts = np.unique(places, return_inverse=True, return_counts=True)
    shares = 2.0 if absent == 0 else counts[inverse]
    halves = np.concatenate([one.data, other.data]) / shares
    mean = np.bincount(inverse, halves, minlength=len(places))
    indptr = np.searchsorted(places, np.arange(m + 1, dtype=np.int64) * n)
    return as_csr(mean, places % n, indptr, (m, n))


def _halves(one: Floats, other: Floats) -> Floats:
    """Add halves, so that nothing overflows."""
    mean = one / 2
    mean += other / 2
    return mean
