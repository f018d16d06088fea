"""Keys of single pairs, shared among workers: what graphs of neighbours are made of."""

from typing import Any

import numpy as np

from similearn.data.chunks import run_tasks
from similearn.data.lazy.pair_source import PairSource
from similearn.data.stored.directions import mean_of
from similearn.data.values import Floats, Indices

_PAIRS_OF_A_TASK = 1 << 17
_FEW_PAIRS = 1 << 10  # where a pair may take a millisecond


def keys_of_pairs(
    source: PairSource, rows: Indices, columns: Indices, *, n_jobs: int | None = None
) -> Floats:
    """Keys (p,) of single pairs, of which larger are nearer.

    Near is by the mean of both directions where they differ, as in every table (JMLR §7.2). The
    keys do not depend on how many workers share the pairs.
    """
    at_once = _PAIRS_OF_A_TASK if source.releases_lock else _FEW_PAIRS
    starts = range(0, len(rows), at_once)
    parts = (slice(start, start + at_once) for start in starts)
    tasks = ((rows[part], columns[part]) for part in parts)
    keys = np.empty(len(rows))
    in_threads = source.releases_lock
    for number, part in run_tasks(mean_pairs, source, tasks, n_jobs=n_jobs, in_threads=in_threads):
        keys[starts[number] : starts[number] + len(part)] = part
    return keys if source.kind == "similarity" else np.negative(keys, out=keys)


def mean_pairs(source: PairSource, rows: Indices, columns: Indices) -> Floats:
    """½(ψ(a, b) + ψ(b, a)) of single pairs, ψ(a, b) if the function is symmetric."""
    forward = source.pairs(rows, columns)
    if source.symmetric:
        return forward
    mean: Any = mean_of(forward, source.pairs(rows, columns, turned=True), 0.0)
    found: Floats = mean
    return found


def values_of_keys(keys: Floats, kind: str) -> Floats:
    """Return the values that keys were made of."""
    return (keys if kind == "similarity" else -keys) + 0.0  # no negative zeros
