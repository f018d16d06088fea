"""Averages of many exponential pmfs, from counts of their rates (RegSDA eq. 7).

An average of exponentials depends on their rates alone, so rates are counted at the nodes
of a `RateTable`, shared linearly between the two nearest, and each node's pmf is computed
once: n·G² pmfs cost n·G² table look-ups and one matrix product.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.sda.centroids import Neighborhoods
from similearn.numerics.sda.maxent import RateTable, log_pmf, node_place
from similearn.numerics.sda.support import Support

Floats = NDArray[np.float64]

_MAX_NODE_COUNTS = 1 << 23
_MAX_VALUES = 1 << 22
_FLOOR = 1e-300


class RateCounts(NamedTuple):
    """How often each rate occurs, for every pair of classes.

    Parameters
    ----------
    stride : every stride-th node of the table is used
    weights : (G, G, N), shares of pmfs at the nodes
    interior : (G, G), how many of the pmfs are not deltas
    """

    stride: int
    weights: Floats
    interior: Floats


class AveragePmfs(NamedTuple):
    """P_ave(s_h | g) at the levels of Ω.

    Parameters
    ----------
    levels : (L,), unit coordinates
    log_values : (G, G, L)
    """

    levels: Floats
    log_values: Floats


def no_counts(table: RateTable, n_classes: int) -> RateCounts:
    """Empty counts; with many classes the nodes are coarser, so that 64 MB are enough."""
    stride, n_pairs = 1, n_classes * n_classes
    while stride < 64 and n_pairs * (len(table.logits) // stride + 1) > _MAX_NODE_COUNTS:
        stride *= 2
    n_nodes = (len(table.logits) - 1) // stride + 1
    shape = (n_classes, n_classes)
    return RateCounts(stride, np.zeros((*shape, n_nodes)), np.zeros(shape))


def node_places(table: RateTable, stats: Neighborhoods) -> Floats:
    """Positions (m, G, G) of rates among the nodes of the table; -1 where there is no pmf."""
    return np.where(stats.defined, node_place(table, stats.means), -1.0)


def add_counts(counts: RateCounts, places: Floats, stats: Neighborhoods) -> None:
    """Count the pmfs of m neighbourhoods, in place; see `node_places`."""
    n_nodes = counts.weights.shape[-1]
    i, g, h = np.nonzero(places >= 0.0)
    place, mean = places[i, g, h] / counts.stride, stats.means[i, g, h]
    node = np.minimum(place.astype(np.intp), n_nodes - 2)
    pair = g * len(counts.interior) + h
    flat = counts.weights.reshape(-1)
    np.add.at(flat, pair * n_nodes + node, 1.0 - (place - node))
    np.add.at(flat, pair * n_nodes + node + 1, place - node)
    np.add.at(counts.interior.reshape(-1), pair, (mean > 0.0) & (mean < 1.0))


def average_pmfs(
    support: Support, table: RateTable, counts: RateCounts, rates: Floats, log_norms: Floats
) -> AveragePmfs:
    """Average the counted pmfs.

    Parameters
    ----------
    support, table : Ω and its table
    counts : see `add_counts`
    rates, log_norms : (G, G), of the pmfs that stand in where all are deltas or none is known

    Notes
    -----
    Sharing rates between nodes that are `h` apart in asinh λ leaves a relative error of about
    h²/8 times (λ(s - mean))², 1e-5 where probabilities matter and there are up to 45
    classes. Probabilities below 1e-300 count as that. Ω is thinned where G² |Ω| would exceed
    4 million numbers. Cost: O(G² N |Ω|) for N nodes in use.
    """
    n_classes = len(rates)
    levels = _thinned(support.levels, n_classes)
    used = np.flatnonzero(counts.weights.any(axis=(0, 1)))
    half = len(table.logits) // 2
    node_rates = np.sinh(table.step * (used * counts.stride - half))
    node_norms = table.log_norms[used * counts.stride]
    sums = np.zeros((n_classes * n_classes, len(levels)))
    weights = counts.weights.reshape(len(sums), -1)
    for start in range(0, len(used), 128):
        part = slice(start, start + 128)
        sums += weights[:, used[part]] @ _pmfs(node_rates[part], node_norms[part], levels)
    totals = np.maximum(weights.sum(axis=1, keepdims=True), 1.0)
    averaged = np.log(np.maximum(sums / totals, _FLOOR)).reshape(n_classes, n_classes, -1)
    alternative = log_pmf(rates[:, :, None], log_norms[:, :, None], levels)
    smooth = counts.interior[:, :, None] > 0
    return AveragePmfs(levels, np.where(smooth, averaged, alternative))


def average_log_pmf(average: AveragePmfs, units: Floats) -> Floats:
    """Log-probabilities (m, G, G) of unit similarities (m, G) to the centroids h.

    Between levels the logarithm is linear.
    """
    levels, last = average.levels, len(average.levels) - 1
    above = np.clip(np.searchsorted(levels, units), min(1, last), last)
    below = np.maximum(above - 1, 0)
    gaps = levels[above] - levels[below]
    shares = np.divide(units - levels[below], gaps, out=np.zeros_like(units), where=gaps > 0.0)
    g, h = np.arange(units.shape[1])[:, None], np.arange(units.shape[1])
    low = average.log_values[g, h, below[:, None, :]]
    return low + shares[:, None, :] * (average.log_values[g, h, above[:, None, :]] - low)


def interval_log_masses(average: AveragePmfs, support: Support, edges: Floats) -> Floats:
    """Log-probabilities (G, G, B) of intervals of Ω with the given inner edges (B - 1,)."""
    intervals = np.searchsorted(edges, support.levels, side="right")
    members = intervals[:, None] == np.arange(len(edges) + 1)
    weights = members * np.exp(support.log_counts)[:, None]
    masses = np.empty((*average.log_values.shape[:2], len(edges) + 1))
    for g, rows in enumerate(average.log_values):
        logs = [np.interp(support.levels, average.levels, row) for row in rows]
        masses[g] = np.exp(logs) @ weights
    return np.log(np.maximum(masses, _FLOOR))


def _pmfs(rates: Floats, log_norms: Floats, levels: Floats) -> Floats:
    """Probabilities of finite rates at levels, as `log_pmf` has them, in one small array."""
    values = np.where(rates[:, None] <= 0, levels, 1.0 - levels)
    values *= -np.abs(rates)[:, None]
    values -= log_norms[:, None]
    return np.exp(values, out=values)


def _thinned(levels: Floats, n_classes: int) -> Floats:
    """So many levels that G² |Ω| stays bounded, both ends included."""
    allowed = max(_MAX_VALUES // n_classes**2, 33)
    if len(levels) <= allowed:
        return levels
    kept = np.linspace(0, len(levels) - 1, allowed).round().astype(np.intp)
    return levels[np.unique(kept)]
