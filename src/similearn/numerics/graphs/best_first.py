"""Best-first search along a graph of neighbours, of many queries at once."""

import numpy as np

from similearn.numerics.graphs.entering import Entries, Floats, Indices, first_of_each
from similearn.numerics.graphs.nn_descent import Compare

LEAST_WIDTH = 32
"""Nearest seen so far from which a search goes on; twice the neighbours asked for, if more."""


def with_reverse(graph: Indices) -> Indices:
    """Edges (n, 2 K) both ways: neighbours of each object, and up to K of which it is one.

    -1 stands where there is none. Those of which it is the nearest neighbour come first.
    """
    n, k = graph.shape
    owners = np.tile(np.arange(n), k)
    return np.hstack([graph, first_of_each(graph.T.ravel(), owners, n, k)])


def search_graph(
    m: int, k: int, edges: Indices, compare: Compare, starts: Indices, *, width: int | None = None
) -> tuple[Indices, Floats]:
    """Find nearly the k nearest of n objects for m queries, and their keys; larger are nearer.

    Parameters
    ----------
    m, k : queries, and neighbours of each
    edges : (n, e) objects next to each object, -1 where there is none
    compare : called with queries and objects (p,), sorted by queries, gives keys (p,)
    starts : (s,) objects that every query is compared with first
    width : the search goes on from the `width` nearest that a query has seen; it ends when it
        has gone on from all of them

    Notes
    -----
    No pair is compared twice, and a query's answer does not depend on the others. O(m n) bytes
    for what was seen.
    """
    n = len(edges)
    width = min(max(LEAST_WIDTH, 2 * k), n) if width is None else width
    seen = np.zeros((m, n), dtype=bool)
    pool = Entries(m, max(width, k))
    rows, columns = np.divmod(np.arange(m * len(starts)), len(starts))
    _look_at(pool, seen, compare, rows, starts[columns])
    while True:
        open_ones = pool.flags & (pool.keys > -np.inf)
        rows = np.flatnonzero(open_ones.any(axis=1))
        if not len(rows):
            return _complete(pool, seen, compare, k)
        places = open_ones[rows].argmax(axis=1)
        pool.flags[rows, places] = False
        ahead = edges[pool.columns[rows, places]]
        queries = np.repeat(rows, ahead.shape[1])
        sound = ahead.ravel() >= 0
        _look_at(pool, seen, compare, queries[sound], ahead.ravel()[sound])


def _look_at(pool: Entries, seen: Indices, compare: Compare, rows: Indices, columns: Indices):  # type: ignore[no-untyped-def]
    """Compare queries with objects that they have not seen, each once."""
    new = ~seen[rows, columns]
    codes = np.unique(rows[new] * seen.shape[1] + columns[new])
    rows, columns = np.divmod(codes, seen.shape[1])
    if len(rows):
        seen[rows, columns] = True
        pool.offer(rows, columns, compare(rows, columns))


def _complete(pool: Entries, seen: Indices, compare: Compare, k: int) -> tuple[Indices, Floats]:
    """The k nearest; a query that has seen fewer, in a graph of islands, sees all."""
    for row in np.flatnonzero(pool.keys[:, k - 1] == -np.inf):
        everything = np.arange(seen.shape[1])
        _look_at(pool, seen, compare, np.full(len(everything), row), everything)
    return pool.columns[:, :k], pool.keys[:, :k]
