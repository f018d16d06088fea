"""All values of a source, where memory holds them: computed by tiles, each pair once."""

from typing import Any

import numpy as np

from similearn.data.chunks import run_tasks
from similearn.data.lazy.pair_source import PairSource
from similearn.data.lazy.tile_search import tile
from similearn.data.progress_bar import Show, progress
from similearn.data.values import Floats

_ENTRIES_OF_A_TASK = 1 << 20
_FEW_ENTRIES = 1 << 12  # where a pair may take a millisecond


def all_values(
    source: PairSource, direction: str, *, n_jobs: int | None = None, show: Show = "auto"
) -> Floats:
    """Values (m, n) of all pairs: "forward", "backward", or the mean of "both" directions.

    A symmetric source of objects with themselves computes each pair once.
    """
    m, n = source.shape
    found = np.empty((m, n))
    mirrored = source.same and source.symmetric
    entries = _ENTRIES_OF_A_TASK if source.releases_lock else _FEW_ENTRIES
    at_once = max(entries // max(n, 1), 1)
    starts = range(0, m, at_once)
    tasks: Any = ((i, min(i + at_once, m), i if mirrored else 0, direction) for i in starts)
    with progress(m * n, f"Comparing pairs by {source.name}", show=show) as advance:
        ending = run_tasks(stretch, source, tasks, n_jobs=n_jobs, in_threads=source.releases_lock)
        for number, part in ending:
            rows = slice(starts[number], starts[number] + len(part))
            first = rows.start if mirrored else 0
            found[rows, first:] = part
            if mirrored:
                found[first:, rows] = part.T
            advance(part.size)
    return found


def stretch(source: PairSource, start: int, stop: int, first: int, direction: str) -> Floats:
    """Consecutive rows, from a first column on: what one task does."""
    rows, columns = np.arange(start, stop), np.arange(first, source.shape[1])
    if direction == "backward":
        return source.backward(rows, columns)
    return tile(source, rows, columns, averages=direction == "both")
