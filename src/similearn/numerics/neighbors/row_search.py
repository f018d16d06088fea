"""The nearest rows of a feature table, by Euclidean distance: fast, and exact to the tie."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.numerics.compiling import as_input, compiled
from similearn.numerics.neighbors.topk import top_k, top_k_csr

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Sums of squares outside these bounds may have overflowed or lost digits to underflow.
_SAFE_LOW, _SAFE_HIGH = 1e-280, 1e280
# Units in which they have neither; powers of two, which round nothing.
_SHRINKING, _GROWING = 2.0**-600, 2.0**600
# Rough distances that are worked on together: few enough to stay in the processor's cache.
_ENTRIES_AT_ONCE = 1 << 19


@dataclass(frozen=True, eq=False)
class RowTable:
    """Rows to search among: the rows, the same about their mean, and squared lengths of those."""

    rows: Floats
    center: Floats
    centered: Floats
    squares: Floats


def row_table(rows: Floats) -> RowTable:
    """Prepare a table (n, d) for `nearest_rows`."""
    with np.errstate(over="ignore", invalid="ignore"):
        center = rows.mean(axis=0)
        center = np.where(np.isfinite(center), center, 0.0)
        centered = rows - center
        squares = np.einsum("ij,ij->i", centered, centered)
    return RowTable(as_input(rows), center, centered, squares)


def nearest_rows(
    queries: Floats, table: RowTable, k: int, *, skip: Indices | None = None
) -> tuple[Indices, Floats]:
    """Positions and Euclidean distances of the k nearest rows of a table, nearest first.

    Parameters
    ----------
    queries : (m, d)
    table : of n rows
    k : at most n, or n - 1 where `skip` leaves one out
    skip : (m,), optional. One row of the table to leave out for each query; -1 for none.

    Returns
    -------
    positions : (m, k). Equally near rows come in their order in the table.
    distances : (m, k)

    Notes
    -----
    Squared distances by one matrix product, |x|² + |y|² - 2 x·y, lose digits to
    cancellation. They only find the candidates: all rows that may be among the nearest k
    within a bound on the rounding error, usually k. The distances of those are then computed
    from differences, so that neither ties nor answers depend on which other queries came along.

    *Ties.* A distance is rounded once, whatever the order of the coordinates. Rows whose squared
    differences from a query have the same sum (duplicates, permuted or mirrored coordinates,
    points of a grid of integers or halves, also far from zero) are thus equally far, to the bit.
    Points of a grid of tenths are stored rounded, and may be told apart by that.
    Cost: O(m n d), in the product. Assumes checked input.
    """
    queries, m = as_input(queries), len(queries)
    skipped = np.full(m, -1, dtype=np.intp) if skip is None else skip
    positions, distances = np.empty((m, k), dtype=np.intp), np.empty((m, k))
    at_once = max(_ENTRIES_AT_ONCE // len(table.rows), 1)
    for start in range(0, m, at_once):
        part = slice(start, start + at_once)
        positions[part], distances[part] = _nearest(queries[part], table, k, skipped[part])
    return positions, distances


def _nearest(queries: Floats, table: RowTable, k: int, skipped: Indices) -> tuple[Indices, Floats]:
    """Find the neighbours of as many queries as the cache holds distances for."""
    squared, slack = _rough_squares(queries, table)
    available = len(table.rows) - bool((skipped >= 0).any())
    columns, rough = top_k(squared, min(k + 1, available), largest=False, skip=skipped)
    positions, distances = np.ascontiguousarray(columns[:, :k]), np.empty((len(queries), k))
    limits = rough[:, k - 1] + 2 * slack
    # Where the next one is too far, the k nearest are known, if not in which order.
    sure = rough[:, k] > limits if available > k else np.zeros(len(queries), dtype=bool)
    _measure_found(queries, table.rows, sure, positions, distances)
    rest = np.flatnonzero(~sure)
    if len(rest):
        positions[rest], distances[rest] = _nearest_within(
            as_input(queries[rest]), table.rows, k, squared[rest], limits[rest], skipped[rest]
        )
    return positions, distances


def _nearest_within(
    queries: Floats, rows: Floats, k: int, squared: Floats, limits: Floats, skipped: Indices
) -> tuple[Indices, Floats]:
    """Find the neighbours among all rows within the limits."""
    starts = np.zeros(len(queries) + 1, dtype=np.intp)
    counts = np.count_nonzero(squared <= limits[:, None], axis=1)
    left_out = np.flatnonzero(skipped >= 0)
    counts[left_out] -= squared[left_out, skipped[left_out]] <= limits[left_out]
    np.cumsum(counts, out=starts[1:])
    positions = np.empty(starts[-1], dtype=np.intp)
    distances = np.empty(starts[-1])
    _measure(queries, rows, squared, limits, skipped, positions, distances)
    candidates = sparse.csr_array((distances, positions, starts), shape=squared.shape)
    return top_k_csr(candidates, k, largest=False, absent=np.inf)


def _rough_squares(queries: Floats, table: RowTable) -> tuple[Floats, Floats]:
    """Squared distances by a matrix product (m, n), and a bound (m,) on their errors.

    They are short of the squared length of the query: it is the same for all rows.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        centered = queries - table.center
        squares = np.einsum("ij,ij->i", centered, centered)
        squared = (-2.0 * centered) @ table.centered.T
        squared += table.squares
        reach = (np.sqrt(squares) + np.sqrt(table.squares.max())) ** 2
    overflowed = ~np.isfinite(reach)
    squared[overflowed] = 0.0  # then all rows are candidates
    reach[overflowed] = 0.0
    # Dot products err by d units in the last place at most, centring by few; doubled.
    return squared, 4 * (queries.shape[1] + 4) * np.finfo(float).eps * reach


@compiled
def _sum_of_squares(x, y, unit):  # type: ignore[no-untyped-def]
    """Σ((xᵢ - yᵢ) unit)², rounded once: with what every product and sum lost added at the end.

    Dekker's product and Knuth's sum. The order of the terms thus does not matter.
    """
    total, lost = 0.0, 0.0
    for i in range(x.size):
        difference = (x[i] - y[i]) * unit
        square = difference * difference
        shifted = 134217729.0 * difference
        high = shifted - (shifted - difference)
        low = difference - high
        lost += ((high * high - square) + 2.0 * high * low) + low * low
        longer = total + square
        added = longer - total
        lost += (total - (longer - added)) + (square - added)
        total = longer
    return total + lost


@compiled
def _distance(x, y):  # type: ignore[no-untyped-def]
    """Euclidean distance of two rows, safe from overflow and underflow."""
    total = _sum_of_squares(x, y, 1.0)
    if _SAFE_LOW < total < _SAFE_HIGH:
        return np.sqrt(total)
    size = 0.0
    for i in range(x.size):
        size = max(size, abs(x[i] - y[i]))
    if size == 0.0 or size == np.inf:
        return size
    unit = _SHRINKING if size > 1.0 else _GROWING
    return np.sqrt(_sum_of_squares(x, y, unit)) / unit


@compiled
def _measure_found(queries, rows, sure, positions, distances):  # type: ignore[no-untyped-def]
    """Measure the rows of each sure query, and sort them: nearest first, ties in their order."""
    for i in range(len(queries)):
        if not sure[i]:
            continue
        columns, lengths = positions[i], distances[i]
        for j in range(len(columns)):
            column = columns[j]
            measured = _distance(queries[i], rows[column])
            place = j  # insertion: rounding has exchanged few, if any
            while place > 0 and (
                lengths[place - 1] > measured
                or (lengths[place - 1] == measured and columns[place - 1] > column)
            ):
                lengths[place], columns[place] = lengths[place - 1], columns[place - 1]
                place -= 1
            lengths[place], columns[place] = measured, column


@compiled
def _measure(  # type: ignore[no-untyped-def]
    queries, rows, squared, limits, skipped, positions, distances
):
    filled = 0
    for i in range(len(limits)):
        for j in range(len(rows)):
            if squared[i, j] <= limits[i] and j != skipped[i]:
                positions[filled] = j
                distances[filled] = _distance(queries[i], rows[j])
                filled += 1
