"""The nearest references of queries, along the edges of the references' graph of neighbours."""

import numpy as np

from similearn.data.graphs.pair_keys import keys_of_pairs, values_of_keys
from similearn.data.lazy.known_neighbors import Found
from similearn.data.lazy.pair_source import PairSource
from similearn.data.lazy.tile_search import search_all
from similearn.data.progress_bar import Show, progress
from similearn.data.values import Floats, Indices
from similearn.numerics.graphs.best_first import search_graph, with_reverse

FEW = 2000
"""References that are all compared: a search along edges would look at as many."""
_ENTRIES_SEEN = 1 << 25  # flags of what queries have seen, one byte each


def search_along(
    source: PairSource, graph: Indices, k: int, *, n_jobs: int | None = None, show: Show = "auto"
) -> Found:
    """Find nearly the k nearest columns of every row by a search along a graph of the columns.

    Parameters
    ----------
    source : m queries against n references
    graph : (n, K) near neighbours of each reference among the references
    k : how many
    n_jobs : workers that compare pairs; what is found does not depend on it, nor on which
        queries come together
    show : the progress bar

    Notes
    -----
    Up to 2000 references are all compared. Of more, a query is compared with √n of them, evenly
    spaced, and goes on from the nearest: see `search_graph`.
    """
    m, n = source.shape
    if n <= FEW:
        averages = not source.symmetric
        return search_all(source, k, averages=averages, n_jobs=n_jobs, show=show)
    edges = with_reverse(graph)
    starts = np.linspace(0, n - 1, max(int(np.sqrt(n)), 64)).astype(np.intp)
    at_once = max(_ENTRIES_SEEN // n, 1)
    near, keys = np.empty((m, k), dtype=np.intp), np.empty((m, k))
    with progress(m, f"Searching by {source.name}", show=show) as advance:
        for first in range(0, m, at_once):
            part = slice(first, min(first + at_once, m))

            def compare(rows: Indices, columns: Indices, first: int = first) -> Floats:
                return keys_of_pairs(source, rows + first, columns, n_jobs=n_jobs)

            found = search_graph(part.stop - part.start, k, edges, compare, starts)
            near[part], keys[part] = found
            advance(part.stop - part.start)
    return near, values_of_keys(keys, source.kind)
