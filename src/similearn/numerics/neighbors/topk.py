"""The k nearest columns of each row, with one tie rule.

The tie rule of the whole library: nearer first; among equally near columns, the
lower column index first. It makes every answer independent of the algorithm, of
the number of threads and of which other rows came along.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.numerics.compiling import compiled

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_FEW = 256


def top_k(
    values: Floats, k: int, *, largest: bool = True, skip: Indices | None = None
) -> tuple[Indices, Floats]:
    """Columns and values of the k largest (or smallest) entries of each row, nearest first.

    Parameters
    ----------
    values : (m, n)
    k : at most n, or n - 1 with `skip`
    largest : whether large means near
    skip : (m,), optional. One column of each row to leave out, as in leave-one-out.

    Returns
    -------
    columns : (m, k)
    nearest : (m, k), the entries of `values` there

    Notes
    -----
    Two scans of each row find the few entries that can be among its k nearest: O(m n)
    and a sort of those; O(m n log k) at worst, by a heap of k. No copy of `values`.
    Assumes checked input.
    """
    m = values.shape[0]
    columns = np.empty((m, k), dtype=np.intp)
    nearest = np.empty((m, k))
    skipped = np.full(m, -1, dtype=np.intp) if skip is None else skip
    _top_k_dense(values, 1.0 if largest else -1.0, skipped, columns, nearest)
    return columns, nearest


def top_k_csr(
    values: sparse.csr_array, k: int, *, largest: bool = True, skip: Indices | None = None
) -> tuple[Indices, Floats]:
    """`top_k` of a CSR block without filling it in.

    An entry that is not stored is a zero if `largest` (no similarity), and unknown,
    hence farther than every stored entry, if not (a dissimilarity): its value is
    then returned as infinity.

    Notes
    -----
    O(stored entries) and a heap of k for each row. Assumes checked input with
    sorted indices.
    """
    m, n = values.shape
    columns = np.empty((m, k), dtype=np.intp)
    nearest = np.empty((m, k))
    skipped = np.full(m, -1, dtype=np.intp) if skip is None else skip
    _top_k_sparse(
        values.data,
        values.indices,
        values.indptr,
        n,
        1.0 if largest else -1.0,
        0.0 if largest else np.inf,
        skipped,
        columns,
        nearest,
    )
    return columns, nearest


@compiled
def _farther(value, column, other_value, other_column):  # type: ignore[no-untyped-def]
    """Whether the first is farther than the other; larger values are nearer here."""
    return value < other_value or (value == other_value and column > other_column)


@compiled
def _sift_down(keys, columns, start, end):  # type: ignore[no-untyped-def]
    """Restore the heap whose root is the farthest of the kept."""
    root = start
    while True:
        child = 2 * root + 1
        if child >= end:
            return
        other = child + 1
        if other < end and _farther(keys[other], columns[other], keys[child], columns[child]):
            child = other
        if not _farther(keys[child], columns[child], keys[root], columns[root]):
            return
        keys[root], keys[child] = keys[child], keys[root]
        columns[root], columns[child] = columns[child], columns[root]
        root = child


@compiled
def _heapify(keys, columns):  # type: ignore[no-untyped-def]
    for start in range(len(keys) // 2 - 1, -1, -1):
        _sift_down(keys, columns, start, len(keys))


@compiled
def _nearest_first(keys, columns):  # type: ignore[no-untyped-def]
    """Sort a heap in place: the farthest goes to the end, again and again."""
    for end in range(len(keys) - 1, 0, -1):
        keys[0], keys[end] = keys[end], keys[0]
        columns[0], columns[end] = columns[end], columns[0]
        _sift_down(keys, columns, 0, end)


@compiled
def _offer(keys, columns, filled, key, column):  # type: ignore[no-untyped-def]
    """Put one candidate into the heap; returns how many slots are filled."""
    k = len(keys)
    if filled < k:
        keys[filled] = key
        columns[filled] = column
        filled += 1
        if filled == k:
            _heapify(keys, columns)
    elif _farther(keys[0], columns[0], key, column):
        keys[0] = key
        columns[0] = column
        _sift_down(keys, columns, 0, k)
    return filled


@compiled
def _at_least(row, sign, k):  # type: ignore[no-untyped-def]
    """Find a bound that at least k entries of the row reach, and usually few more.

    Of the maxima of 2k interleaved parts of the row, the k-th largest is such a bound:
    k entries, one a part, reach it. Two scans without branches are cheaper than a heap
    that every early column enters.
    """
    parts, n = 2 * k, len(row)
    if n < 2 * parts:
        return -np.inf
    best = sign * row[:parts]
    for start in range(parts, n - parts + 1, parts):
        stretch = row[start : start + parts]
        for j in range(parts):
            best[j] = max(sign * stretch[j], best[j])
    return _kth_largest(best, k)


@compiled
def _kth_largest(values, k):  # type: ignore[no-untyped-def]
    """Find it by counting who is larger if there are few; by a heap if there are many."""
    lowest = np.inf
    if len(values) <= _FEW:
        for i in range(len(values)):
            value, larger = values[i], 0
            for j in range(len(values)):
                larger += values[j] > value
            lowest = min(lowest, value) if larger < k else lowest
        return lowest
    kept, places, filled = np.empty(k), np.empty(k, dtype=np.intp), 0
    for j in range(len(values)):
        filled = _offer(kept, places, filled, values[j], j)
    return kept[0]


@compiled
def _top_k_dense(values, sign, skipped, columns, nearest):  # type: ignore[no-untyped-def]
    m, k = columns.shape
    few_keys, few_columns = np.empty(4 * k), np.empty(4 * k, dtype=np.intp)
    for i in range(m):
        row, keys, kept = values[i], nearest[i], columns[i]
        bound = _at_least(row, sign, k + (skipped[i] >= 0))
        count = _collect(row, sign, bound, skipped[i], few_keys, few_columns)
        if count >= 0:
            _place_by_rank(few_keys[:count], few_columns[:count], keys, kept)
        else:
            _place_by_heap(row, sign, bound, skipped[i], keys, kept)
        for j in range(k):
            keys[j] *= sign


@compiled
def _collect(row, sign, bound, skipped, keys, columns):  # type: ignore[no-untyped-def]
    """Copy what reaches the bound, in column order; returns how many, or -1 if too many."""
    count = 0
    for j in range(len(row)):
        if sign * row[j] >= bound and j != skipped:
            if count == len(keys):
                return -1
            keys[count] = sign * row[j]
            columns[count] = j
            count += 1
    return count


@compiled
def _place_by_rank(candidates, places, keys, columns):  # type: ignore[no-untyped-def]
    """Sort few candidates by counting who is nearer: quadratic, but without branches."""
    for i in range(len(candidates)):
        key, rank = candidates[i], 0
        before, after = candidates[:i], candidates[i + 1 :]
        for j in range(len(before)):
            rank += before[j] >= key
        for j in range(len(after)):
            rank += after[j] > key
        if rank < len(keys):
            keys[rank] = key
            columns[rank] = places[i]


@compiled
def _place_by_heap(row, sign, bound, skipped, keys, columns):  # type: ignore[no-untyped-def]
    """Keep the k nearest in a heap, then sort it: for rows where many reach the bound."""
    filled = 0
    for j in range(len(row)):
        if sign * row[j] >= bound and j != skipped:
            filled = _offer(keys, columns, filled, sign * row[j], j)
    _nearest_first(keys, columns)


@compiled
def _top_k_sparse(  # type: ignore[no-untyped-def]
    data, indices, indptr, n, sign, absent, skipped, columns, nearest
):
    for i in range(len(indptr) - 1):
        keys, kept, filled = nearest[i], columns[i], 0
        for position in range(indptr[i], indptr[i + 1]):
            if indices[position] != skipped[i]:
                filled = _offer(keys, kept, filled, sign * data[position], indices[position])
        filled = _offer_absent(
            keys, kept, filled, sign * absent, indices[indptr[i] : indptr[i + 1]], n, skipped[i]
        )
        _nearest_first(keys, kept)
        for j in range(len(keys)):
            keys[j] *= sign


@compiled
def _offer_absent(keys, kept, filled, key, stored, n, skipped):  # type: ignore[no-untyped-def]
    """Offer the first columns that are not stored: k of them are as many as can ever enter."""
    position, offered = 0, 0
    for column in range(n):
        if offered == len(keys):
            break
        if position < len(stored) and stored[position] == column:
            position += 1
        elif column != skipped:
            filled = _offer(keys, kept, filled, key, column)
            offered += 1
    return filled
