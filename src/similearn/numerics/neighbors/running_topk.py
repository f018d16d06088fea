"""The k nearest of each row, kept while tiles of the block come by.

A *running table* is a pair of arrays (m, k): keys, of which larger are nearer, and columns. Rows
are in the library's order throughout: nearer first, then the lower column.
"""

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import as_input, compiled

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Table = tuple[Floats, Indices]

NOBODY = np.iinfo(np.intp).max
"""Column of a place that is still empty; its key is minus infinity, or a floor."""

_AT_ONCE = 64


def empty_table(m: int, k: int, floors: Floats | None = None) -> Table:
    """Return keys and columns of m rows that have seen nothing yet.

    Of a row with a floor, only entries with larger keys will be taken.
    """
    keys = np.full((m, k), -np.inf)
    if floors is not None:
        keys[:] = floors[:, None]
    return keys, np.full((m, k), NOBODY, dtype=np.intp)


def floors_of(table: Table, first_column: int) -> Floats:
    """Return the keys (m,) that an entry at `first_column` or later must exceed to enter.

    An entry as near as the last of a row enters if its column is lower, so the floor is just
    below the last key unless that is of a lower column.
    """
    keys, columns = table
    last: Floats = keys[:, -1]
    return np.where(columns[:, -1] < first_column, last, np.nextafter(last, -np.inf))


def offer_tile(
    values: Floats,
    of_rows: Table,
    of_columns: Table | None = None,
    *,
    first_row: int = 0,
    first_column: int = 0,
    largest: bool = True,
    upper: bool = False,
    skip: Indices | None = None,
) -> None:
    """Offer a tile (r, c) of the block to the running tables of its rows and of its columns.

    Parameters
    ----------
    values : (r, c), finite
    of_rows : of r rows, changed in place. It must have seen lower columns only: tiles of the
        same rows come from left to right, those of the same columns from above to below.
    of_columns : of c rows, to each of which the tile's rows are offered: what a symmetric
        block needs, of which each pair is computed once
    first_row, first_column : what the tile's first row and column are called
    largest : whether large means near
    upper : whether entries left of and on the tile's diagonal are passed over
    skip : (r,), optional. One column of the tile to pass over in each row; -1 for none.

    Notes
    -----
    One pass over the tile without branches finds the stretches of 64 entries in which one is
    near enough; insertion is O(k). Assumes checked input.
    """
    r, c = values.shape
    sides = empty_table(0, 1) if of_columns is None else of_columns
    bounds = np.full(c, np.inf) if of_columns is None else sides[0][:, -1].copy()
    skipped = np.full(r, -1, dtype=np.intp) if skip is None else skip
    where = (first_row, first_column, upper, as_input(skipped, np.intp))
    _offer(as_input(values), 1.0 if largest else -1.0, *where, *of_rows, *sides, bounds)


def merge_tables(into: Table, other: Table) -> None:
    """Enter what one running table holds into another of as many rows, in place: O(m k²).

    The outcome does not depend on the order in which several are merged.
    """
    _merge(*into, as_input(other[0]), as_input(other[1], np.intp))


@compiled
def _insert(keys, columns, i, key, column):  # type: ignore[no-untyped-def]
    """Put an entry that is nearer than the last of row i in its place."""
    place = keys.shape[1] - 1
    while place > 0 and (
        key > keys[i, place - 1] or (key == keys[i, place - 1] and column < columns[i, place - 1])
    ):
        keys[i, place], columns[i, place] = keys[i, place - 1], columns[i, place - 1]
        place -= 1
    keys[i, place], columns[i, place] = key, column


@compiled
def _offer(  # type: ignore[no-untyped-def]
    values, sign, first_row, first_column, upper, skipped, keys, columns, side_keys, side_columns,
    bounds,
):  # fmt: skip
    last, side_last = keys.shape[1] - 1, side_keys.shape[1] - 1
    for i in range(values.shape[0]):
        for start in range(i + 1 if upper else 0, values.shape[1], _AT_ONCE):
            stop, near, bound = min(start + _AT_ONCE, values.shape[1]), 0, keys[i, last]
            for j in range(start, stop):
                key = sign * values[i, j]
                near += int(key > bound or key > bounds[j])
            if near == 0:
                continue
            for j in range(start, stop):
                key = sign * values[i, j]
                if j == skipped[i]:
                    continue
                if key > keys[i, last]:
                    _insert(keys, columns, i, key, first_column + j)
                if key > bounds[j]:
                    _insert(side_keys, side_columns, j, key, first_row + i)
                    bounds[j] = side_keys[j, side_last]


@compiled
def _merge(keys, columns, other_keys, other_columns):  # type: ignore[no-untyped-def]
    last = keys.shape[1] - 1
    for i in range(keys.shape[0]):
        for j in range(other_keys.shape[1]):
            key, column = other_keys[i, j], other_columns[i, j]
            if column == NOBODY or key < keys[i, last]:
                break
            if key > keys[i, last] or column < columns[i, last]:
                _insert(keys, columns, i, key, column)
