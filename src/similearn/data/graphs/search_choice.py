"""Which search makes a table of neighbours: decided by the measured speed of the similarity."""

import time
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from similearn.data.checks import require_integer
from similearn.data.files.contents import as_path
from similearn.data.files.outputs import require_writable
from similearn.data.graphs.descent_tables import LEAST_PLACES, descend_table
from similearn.data.graphs.vector_index import index_table, knows_index
from similearn.data.lazy.neighbor_tables import NeighborTable
from similearn.data.lazy.pair_source import PairSource
from similearn.data.lazy.table_building import build_table, mean_tile
from similearn.data.progress_bar import Show
from similearn.errors import InputError

METHODS = ("auto", "exact", "descent", "index")
PATIENCE = 600.0
"""Seconds of one worker within which the exact table is always computed."""
LEAST_GAIN = 2.0
"""How many times as long the exact table must take before a nearly exact one replaces it."""
SECONDS_OF_OWN = 1e-6
"""What a descent takes of its own for each pair, besides comparing it."""
_SECONDS_OF_TIMING = 0.02
_TIMINGS = 3  # the best counts, so that a busy machine does not change the choice
_MOST_TIMED = 256, 1024


@dataclass(frozen=True)
class Choice:
    """A search, and why it was chosen, in one sentence."""

    method: str
    reason: str


def seconds_per_pair(source: PairSource) -> float:
    """Seconds that one pair takes in a tile, measured on a few pairs."""
    m, n = source.shape
    rows, columns = 1, min(2, n)
    mean_tile(source, np.arange(1), np.arange(1, 2))  # prepares objects, and compiles
    while True:
        spent = min(_seconds_of_tile(source, rows, columns) for _ in range(_TIMINGS))
        largest = rows >= min(m, _MOST_TIMED[0]) and columns >= min(n, _MOST_TIMED[1])
        if spent > _SECONDS_OF_TIMING or largest:
            return spent / (rows * columns)
        rows, columns = min(2 * rows, m, _MOST_TIMED[0]), min(4 * columns, n, _MOST_TIMED[1])


def _seconds_of_tile(source: PairSource, rows: int, columns: int) -> float:
    """Seconds that the first rows take with the last columns."""
    n, start = source.shape[1], time.perf_counter()
    mean_tile(source, np.arange(rows), np.arange(n - columns, n))
    return time.perf_counter() - start


def pairs_of_descent(n: int, k: int) -> float:
    """Pairs that a descent compares, about: what was seen of 1,200 and 10,000 names."""
    joined = max(k, LEAST_PLACES) * LEAST_PLACES
    return float(n * min(n / 2, 2.0 * joined * max(np.log10(n) - 1.6, 0.5)))


def chosen_search(source: PairSource, k: int, *, timed: Any = seconds_per_pair) -> Choice:
    """Exact where that takes at most ten minutes, or where a descent would gain little."""
    n = source.shape[0]
    few = pairs_of_descent(n, k)
    if n * (n - 1) / 2 <= LEAST_GAIN * few:
        told = f"All pairs of {n} samples are hardly more than NN-descent would compare."
        return Choice("exact", told)
    seconds = timed(source)
    exact, descent = n * (n - 1) / 2 * seconds, few * (seconds + SECONDS_OF_OWN)
    told = f"{source.name} takes {seconds:.2g} s a pair, so that the exact table of {n} samples"
    if exact <= PATIENCE:
        return Choice("exact", f"{told} takes some {exact:.2g} s: it is computed.")
    if exact <= LEAST_GAIN * descent:
        return Choice(
            "exact", f"{told} takes some {exact:.2g} s, and NN-descent would take {descent:.2g} s."
        )
    if knows_index(source) and find_spec("usearch") is not None:
        return Choice(
            "index", f"{told} would take some {exact:.2g} s: usearch proposes candidates."
        )
    return Choice(
        "descent",
        f"{told} would take some {exact:.2g} s, and NN-descent takes some {descent:.2g} s.",
    )


def found_table(
    source: PairSource, k: int, method: str, *, random_state: int, path: Any,
    n_jobs: int | None, show: Show,
) -> NeighborTable:  # fmt: skip
    """Make the table by a method, or by the one that "auto" chooses; see `neighbor_table`."""
    n = source.shape[0]
    k = require_integer("k", k, high=n - 1, high_means="number of other samples")
    chosen = _begun(path, method)
    if chosen is None:
        chosen = chosen_search(source, k) if method == "auto" else Choice(method, "")
    if chosen.method == "exact":
        table = build_table(source, k, path=path, n_jobs=n_jobs, show=show)
        return replace(table, reason=chosen.reason)
    if path is not None:
        require_writable(as_path(path))  # now, not after hours
    options: dict[str, Any] = {"n_jobs": n_jobs, "digest": "" if path is None else source.digest()}
    if chosen.method == "index":
        table = index_table(source, k, **options)
    else:
        table = descend_table(source, k, random_state=random_state, show=show, **options)
    if path is not None:
        table.save(path)
    return replace(table, reason=chosen.reason)


def _begun(path: Any, method: str) -> Choice | None:
    """How to go on with a file that is there already: it is read, or its exact search goes on."""
    if path is None:
        return None
    file = as_path(path)
    if not file.exists():
        part = file.with_name(f"{file.name}.part")
        return Choice("exact", "") if method == "auto" and part.exists() else None
    held = NeighborTable.load(file).method
    if method not in ("auto", held):
        raise InputError(
            f"{file} holds a table that was found by method={held!r}, but method={method!r} was "
            "asked for; name another file, or remove it."
        )
    return Choice("exact", "")  # which reads what is there
