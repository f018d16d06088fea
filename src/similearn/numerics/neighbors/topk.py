"""The k nearest columns of each row, with one tie rule.

The tie rule of the whole library: nearer first; among equally near columns, the
lower column index first. It makes every answer independent of the algorithm, of
the number of threads and of which other rows came along.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.numerics.compiling import as_input, compiled, is_loaded

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

MANY = 256
"""Neighbours from which on a partition of the whole row is quicker than insertion."""

ENTRIES_BY_NUMPY = 2**25
"""Entries that a process searches by NumPy, some 0.2 s, before machine code is loaded for it."""

_ROW = 4000  # what NumPy needs for a row of its own, in entries

FEWEST_PARTS = 32
"""Parts of a row that are scanned together: fewer would not fill the processor's vectors."""

_ONE = np.uintp(1)
_LARGEST = np.finfo(np.float64).max


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
    nearest : (m, k), the entries of `values` there. A row that holds NaN or infinity, be it at
        the column to leave out, has no nearest: its values are NaN and its columns zero.

    Notes
    -----
    Two scans of each row find the few entries that can be among its k nearest, which are
    inserted in order: O(m n + m k²), and no copy of `values`. From 256 neighbours on, a
    partition of each row: O(m (n + k log k)). The scans see whether all entries are finite;
    all else is assumed checked. The first rows of a process are partitioned, too: whoever
    asks for no more does not wait for machine code. Both ways give the same columns.
    """
    m, n = values.shape
    columns, nearest = np.empty((m, k), dtype=np.intp), np.empty((m, k))
    skipped = np.full(m, -1, dtype=np.intp) if skip is None else skip
    if k > MANY or not (is_loaded(_top_k_dense) or _first_rows.are_over(m, n)):
        for i in range(m):
            if not np.isfinite(values[i]).all():
                columns[i], nearest[i] = 0, np.nan
                continue
            columns[i] = _by_partition(values[i], k, largest, skipped[i])
            nearest[i] = values[i, columns[i]]
        return columns, nearest
    sign = 1.0 if largest else -1.0
    parts = max(2 * (k + 1), FEWEST_PARTS)
    best, used = np.empty(parts), np.uintp(parts if n >= 2 * parts else 0)
    _top_k_dense(as_input(values), sign, as_input(skipped, np.intp), used, best, columns, nearest)
    return columns, nearest


def top_k_csr(
    values: sparse.csr_array,
    k: int,
    *,
    largest: bool,
    absent: float,
    skip: Indices | None = None,
) -> tuple[Indices, Floats]:
    """`top_k` of a CSR block without filling it in.

    `absent` is the value of an entry that is not stored; where it is infinitely far, such
    entries come after all that are.

    Notes
    -----
    O(stored entries + k²) for each row. Assumes checked input with sorted indices.
    """
    m, n = values.shape
    columns, nearest = np.empty((m, k), dtype=np.intp), np.empty((m, k))
    skipped = np.full(m, -1, dtype=np.intp) if skip is None else skip
    sign = 1.0 if largest else -1.0
    _top_k_sparse(
        as_input(values.data),
        as_input(values.indices, np.intp),
        as_input(values.indptr, np.intp),
        n,
        sign,
        sign * absent,
        as_input(skipped, np.intp),
        columns,
        nearest,
    )
    return columns, nearest


class _FirstRows:
    """How many entries this process has searched by NumPy."""

    done = 0

    def are_over(self, m: int, n: int) -> bool:
        """Whether m rows of n entries would be too many; else they count."""
        over = self.done + m * (n + _ROW) > ENTRIES_BY_NUMPY
        self.done += 0 if over else m * (n + _ROW)
        return over


_first_rows = _FirstRows()


def _by_partition(row: Floats, k: int, largest: bool, skipped: int) -> Indices:
    """Columns of the k nearest of one row: all beyond the k-th value, then its first ties."""
    keys = -row if largest else row.copy()
    if skipped >= 0:
        keys[skipped] = np.inf
    bound = np.partition(keys, k - 1)[k - 1]
    nearer, tied = np.flatnonzero(keys < bound), np.flatnonzero(keys == bound)
    tied = tied[tied != skipped][: k - len(nearer)]
    columns = np.sort(np.concatenate([nearer, tied]))
    return columns[np.argsort(keys[columns], kind="stable")]


@compiled
def _insert(keys, columns, i, filled, key, column):  # type: ignore[no-untyped-def]
    """Put a candidate in its place in row i, nearest first; returns how many are filled.

    Larger keys are nearer; among equal keys, lower columns.
    """
    place, k = np.uintp(filled), np.uintp(keys.shape[1])
    if place == k:
        place -= _ONE
        if key < keys[i, place] or (key == keys[i, place] and column > columns[i, place]):
            return filled
    else:
        filled += 1
    while place > 0:
        other, other_column = keys[i, place - _ONE], columns[i, place - _ONE]
        if key < other or (key == other and column > other_column):
            break
        keys[i, place], columns[i, place] = other, other_column
        place -= _ONE
    keys[i, place], columns[i, place] = key, column
    return filled


@compiled
def _top_k_dense(values, sign, skipped, parts, best, columns, nearest):  # type: ignore[no-untyped-def]
    """One function, for each of its own takes as long to compile; columns come in order.

    Of the maxima of `parts` interleaved parts of a row, the k-th largest is a bound that k
    entries, one of each part, reach, and usually few more. Two scans without branches are
    cheaper than an order that every early column enters.
    """
    n, k = np.uintp(values.shape[1]), np.uintp(columns.shape[1])
    for i in range(np.uintp(values.shape[0])):
        bound, wanted = -np.inf, k + _ONE if skipped[i] >= 0 else k
        if parts > 0:
            bound = np.inf
            for j in range(parts):
                best[j] = sign * values[i, j]
            for start in range(parts, n - parts + _ONE, parts):
                for j in range(parts):
                    value = sign * values[i, start + j]
                    best[j] = value if value > best[j] else best[j]
            for j in range(parts):
                larger = np.uintp(0)
                for other in range(parts):
                    larger += np.uintp(best[other] > best[j])
                if larger < wanted and best[j] < bound:
                    bound = best[j]
        filled, sound = np.uintp(0), True
        for j in range(n):
            key = sign * values[i, j]
            if -_LARGEST <= key < bound:  # too far, and neither NaN nor infinite
                continue
            if not abs(key) <= _LARGEST:
                sound = False
                break
            if np.intp(j) == skipped[i]:
                continue
            place = filled if filled < k else k - _ONE
            if filled < k:
                filled += _ONE
            elif key <= nearest[i, place]:
                continue
            while place > 0 and key > nearest[i, place - _ONE]:
                nearest[i, place] = nearest[i, place - _ONE]
                columns[i, place] = columns[i, place - _ONE]
                place -= _ONE
            nearest[i, place], columns[i, place] = key, np.intp(j)
        for j in range(k):
            nearest[i, j] = sign * nearest[i, j] if sound else np.nan
            columns[i, j] = columns[i, j] if sound else 0


@compiled
def _top_k_sparse(  # type: ignore[no-untyped-def]
    data, indices, indptr, n, sign, absent, skipped, columns, nearest
):
    k = columns.shape[1]
    for i in range(np.uintp(len(skipped))):
        filled, start, end = np.intp(0), indptr[i], indptr[i + _ONE]
        for position in range(start, end):
            if indices[position] != skipped[i]:
                key = sign * data[position]
                filled = _insert(nearest, columns, i, filled, key, indices[position])
        # The first k columns that are not stored are as many as can ever enter.
        position, column, offered = start, 0, 0
        while column < n and offered < k:
            if position < end and indices[position] == column:
                position += 1
            elif column != skipped[i]:
                filled = _insert(nearest, columns, i, filled, absent, column)
                offered += 1
            column += 1
        for j in range(np.uintp(k)):
            nearest[i, j] *= sign
