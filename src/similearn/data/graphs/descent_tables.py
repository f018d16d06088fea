"""Tables of nearest others by NN-descent, and their recall, which is measured."""

import numpy as np

from similearn.data.checks import require_integer
from similearn.data.graphs.pair_keys import keys_of_pairs, values_of_keys
from similearn.data.lazy.neighbor_tables import NeighborTable
from similearn.data.lazy.pair_source import PairSource
from similearn.data.lazy.tile_search import search_rows
from similearn.data.progress_bar import Show, progress
from similearn.data.values import Floats, Indices
from similearn.errors import ApproximationWarning, warn
from similearn.numerics.graphs.nn_descent import descend

LEAST_PLACES = 16
"""Neighbours of each object that a descent keeps: with fewer, it does not find its way."""
LEAST_RECALL = 0.9
"""Below it a table is warned of."""
_MOST_JUDGED, _FEWEST_JUDGED = 200, 20
_SHARE_OF_JUDGING = 0.1  # of the pairs that the search itself has compared


def descend_table(
    source: PairSource,
    k: int,
    *,
    random_state: int = 0,
    n_jobs: int | None = None,
    show: Show = "auto",
    digest: str = "",
) -> NeighborTable:
    """Find nearly the k nearest others of every object by NN-descent; see `neighbor_table`.

    Parameters
    ----------
    source : what computes the pairs
    k : how many neighbours
    random_state : seed of what is drawn
    n_jobs : workers that compare pairs; the table does not depend on it
    show : the progress bar
    digest : of the source, where it is known

    Notes
    -----
    At least 16 neighbours of each are kept on the way. The recall is measured, see
    `measured_recall`.
    """
    n = source.shape[0]
    k = require_integer("k", k, high=n - 1, high_means="number of other samples")
    places = min(max(k, LEAST_PLACES), n - 1)
    # Nobody knows how many pairs it will be; this is what was seen with 10,000 names and more.
    expected = n * min(n // 2, 4 * places * places)
    with progress(expected, f"Finding nearly all neighbours by {source.name}", show=show) as tell:

        def compare(rows: Indices, columns: Indices) -> Floats:
            keys = keys_of_pairs(source, rows, columns, n_jobs=n_jobs)
            tell(len(keys))
            return keys

        generator = np.random.default_rng(random_state)
        found = descend(n, places, compare, generator, n_joined=min(places, LEAST_PLACES))
    near, keys = found.columns[:, :k], found.keys[:, :k]
    recall = measured_recall(source, keys, n_compared=found.n_compared)
    return NeighborTable(
        np.ascontiguousarray(near),
        values_of_keys(keys, source.kind),
        source.kind,
        digest,
        method="descent",
        recall_=recall,
        n_compared=found.n_compared,
    )


def measured_recall(source: PairSource, keys: Floats, *, n_compared: int) -> float:
    """Share of the true nearest that a table holds, of evenly spaced objects searched exactly.

    Parameters
    ----------
    source : what computes the pairs
    keys : (n, k), larger are nearer
    n_compared : pairs that the table took

    Notes
    -----
    An entry counts if it is as near as the k-th of the exact search: of equally near objects any
    is right. Between 20 and 200 objects are searched, so that it takes a tenth of the pairs that
    the table took, if 20 do not take more. Below 0.9 it is warned of.
    """
    n, k = keys.shape
    most = int(_SHARE_OF_JUDGING * n_compared / n)
    m = min(max(most, _FEWEST_JUDGED), _MOST_JUDGED, n)
    rows = np.linspace(0, n - 1, m).astype(np.intp)
    averages = not source.symmetric
    values = search_rows(source, rows, k, averages=averages, skip_self=True)[1]
    last = values[:, -1:] if source.kind == "similarity" else -values[:, -1:]
    # The mean of two directions may differ in its last bit where tiles are computed otherwise.
    slack = 1e-9 * np.abs(last)
    recall = float(np.mean(keys[rows] >= last - slack))
    if recall < LEAST_RECALL:
        warn(
            f"The table holds {recall:.0%} of the true nearest of {m} samples that were searched "
            "exactly; ask for more neighbours (a larger k), or for method='exact'.",
            ApproximationWarning,
            stacklevel=3,
        )
    return recall
