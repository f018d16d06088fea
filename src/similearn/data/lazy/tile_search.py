"""The nearest columns of some rows, tile by tile, and the blocks among them."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from similearn.data.chunks import run_tasks
from similearn.data.lazy.known_neighbors import Found
from similearn.data.lazy.pair_source import PairSource
from similearn.data.progress_bar import Show, progress
from similearn.data.stored.directions import mean_of
from similearn.data.values import Floats, Indices
from similearn.numerics.neighbors.running_topk import empty_table, offer_tile

_ENTRIES_AT_ONCE = 1 << 18  # of a tile: 2 MB, which stay in the processor's cache
_ROWS_OF_A_TILE = 256
_PAIRS_OF_A_TASK = 1 << 24  # where a pair takes less than a microsecond
_FEW_PAIRS = 1 << 12  # where it may take a millisecond
_SQUARES_OF_A_TASK = 256


def search_rows(
    source: PairSource, rows: Indices, k: int, *, averages: bool, skip_self: bool
) -> Found:
    """Columns and values (m, k) of the k nearest of some rows, as `Pairwise.nearest` has them.

    Parameters
    ----------
    source : what computes the pairs
    rows : (m,) positions
    k : how many
    averages : whether near is by the mean of both directions
    skip_self : whether column i is left out for row i

    Notes
    -----
    O(m n) pairs; memory O(m k) and a tile of 2 MB.
    """
    m, n = len(rows), source.shape[1]
    largest = source.kind == "similarity"
    keys, columns = empty_table(m, k)
    height = max(min(m, _ROWS_OF_A_TILE), 1)
    if getattr(source, "whole_rows", False):
        height = max(min(height, _ENTRIES_AT_ONCE // max(n, 1)), 1)
    width = _ENTRIES_AT_ONCE // height
    for top in range(0, m, height):
        part = slice(top, min(top + height, m))
        for left in range(0, n, width):
            places = np.arange(left, min(left + width, n))
            skip = rows[part] - left if skip_self else None
            offer_tile(
                tile(source, rows[part], places, averages=averages),
                (keys[part], columns[part]),
                first_column=left,
                largest=largest,
                skip=skip,
            )
    values = keys if largest else np.negative(keys, out=keys)
    values += 0.0  # no negative zeros
    return columns, values


def tile(source: PairSource, rows: Indices, columns: Indices, *, averages: bool) -> Floats:
    """ψ(row, column), or with `averages` the mean of both directions."""
    forward = source.forward(rows, columns)
    if not averages:
        return forward
    mean: Floats = mean_of(forward, source.backward(rows, columns), 0.0)
    return mean


def search_all(
    source: PairSource, k: int, *, averages: bool, n_jobs: int | None, show: Show
) -> Found:
    """The k nearest columns of every row, shared among workers; see `search_rows`."""
    m, n = source.shape
    at_once = min(max(_pairs_of_a_task(source) // max(n, 1), 1), max(m, 1))
    starts = range(0, m, at_once)
    found = np.empty((m, k), dtype=np.intp), np.empty((m, k))
    tasks = ((start, min(start + at_once, m), k, averages) for start in starts)
    with progress(m * n, f"Finding neighbours by {source.name}", show=show) as advance:
        for number, part in _shared(search_stretch, source, tasks, n_jobs):
            rows = slice(starts[number], starts[number] + len(part[0]))
            for whole, piece in zip(found, part, strict=True):
                whole[rows] = piece
            advance(len(part[0]) * n)
    return found


def search_stretch(source: PairSource, start: int, stop: int, k: int, averages: bool) -> Found:
    """Consecutive rows of `search_rows`: what one task does."""
    return search_rows(source, np.arange(start, stop), k, averages=averages, skip_self=False)


def squares(
    source: PairSource, near: Indices, *, averages: bool, n_jobs: int | None = None
) -> Floats:
    """Values (m, k, k) among the column objects at `near`, (m, k)."""
    m, k = near.shape
    found = np.empty((m, k, k))
    at_once = max(min(_SQUARES_OF_A_TASK, _pairs_of_a_task(source) // max(k * k, 1)), 1)
    starts = range(0, m, at_once)
    tasks = ((near[start : start + at_once], averages) for start in starts)
    # The threads come from whoever asks: here only processes and clusters share the work.
    workers = 1 if source.releases_lock else n_jobs
    for number, part in _shared(squares_of, source, tasks, workers):
        found[starts[number] : starts[number] + len(part)] = part
    return found


def squares_of(source: PairSource, near: Indices, averages: bool) -> Floats:
    """The blocks among the neighbours of a few queries: what one task does."""
    found = np.empty((*near.shape, near.shape[1]))
    for place, columns in enumerate(near):
        square = source.square(columns)
        found[place] = mean_of(square, square.T, 0.0) if averages else square
    return found


def _pairs_of_a_task(source: PairSource) -> int:
    return _PAIRS_OF_A_TASK if source.releases_lock else _FEW_PAIRS


def _shared(
    function: Any, source: PairSource, tasks: Any, n_jobs: int | None
) -> Iterator[tuple[int, Any]]:
    return run_tasks(function, source, tasks, n_jobs=n_jobs, in_threads=source.releases_lock)
