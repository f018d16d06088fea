"""Neighbours that are known already: put in order, and with the sample itself among them."""

from collections.abc import Callable

import numpy as np

from similearn.data.chunks import map_chunks
from similearn.data.values import Floats, Indices

Found = tuple[Indices, Floats]


def with_selves(others: Found, selves: Floats, largest: bool) -> Found:
    """Neighbours among all samples, oneself included, from the K nearest of the others.

    They are K too, or all there are: the one after those may be another one.
    """
    n, k = others[0].shape
    known = n if k == n - 1 else k

    def of_rows(rows: slice) -> Found:
        near = np.column_stack([others[0][rows], np.arange(rows.start, rows.stop)])
        near, values = _sorted(near, np.column_stack([others[1][rows], selves[rows]]), largest)
        return near[:, :known], values[:, :known]

    return _by_rows(of_rows, n, known)


def in_order(near: Indices, values: Floats, largest: bool) -> Found:
    """Sort each row: nearest first, equally near ones in column order."""
    return _by_rows(lambda rows: _sorted(near[rows], values[rows], largest), *near.shape)


def _sorted(near: Indices, values: Floats, largest: bool) -> Found:
    order = np.lexsort((near, -values if largest else values), axis=1)
    return np.take_along_axis(near, order, axis=1), np.take_along_axis(values, order, axis=1)


def _by_rows(function: Callable[[slice], Found], n: int, k: int) -> Found:
    """Positions and values (n, k), made chunk by chunk: a table may be half of the memory."""
    found = np.empty((n, k), dtype=np.intp), np.empty((n, k))

    def fill(rows: slice) -> None:
        found[0][rows], found[1][rows] = function(rows)

    map_chunks(fill, n, row_bytes=64 * (k + 1))
    return found


def spread_out(n: int, codes: Indices | None, most: int) -> Indices:
    """Positions of some `most` samples, evenly spaced; of each class its share, at least eight."""
    if codes is None:
        return np.unique(np.linspace(0, n - 1, most).astype(np.intp))
    chosen = []
    for g in np.unique(codes):
        members = np.flatnonzero(codes == g)
        share = min(max(most * len(members) // n, 8), len(members))
        chosen.append(members[np.linspace(0, len(members) - 1, share).astype(np.intp)])
    return np.sort(np.concatenate(chosen))
