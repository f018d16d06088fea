"""Trees of pair stumps: which leaf a sample reaches, and what the leaves of all rounds vote.

The children of node i are 2i + 1, where δ(x) < v, and 2i + 2; see `stumps.py`.
"""

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import as_input, compiled
from similearn.numerics.pairs.far import Farness, far_of

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def leaves(D: Floats, far: Farness, pairs: Indices, thresholds: Floats) -> Indices:
    """Leaf of each sample, (n,), in one tree of stumps; rows of D are prototypes.

    Parameters
    ----------
    D : (n, n) entries; row a holds those of all samples with prototype a
    far : what far means
    pairs : (q, 2), the pair of each inner node; the children of node i are 2i + 1 and 2i + 2
    thresholds : (q,), q one less than a power of two; infinite where nothing is cut
    """
    reached = np.empty(D.shape[1], dtype=np.intp)
    _find_leaves(as_input(D), far.sign, far.scale, far.squared, pairs, thresholds, reached)
    return reached


def running_votes(
    values: Floats,
    far: Farness,
    pairs: Indices,
    thresholds: Floats,
    votes: Floats,
    stops: Indices,
) -> Floats:
    """Sum the votes of the first rounds, for several numbers of rounds at once.

    Parameters
    ----------
    values : (m, p) entries of queries with p prototypes
    far : what far means
    pairs : (T, q, 2), positions among the prototypes
    thresholds : (T, q)
    votes : (T, q + 1, K) of each leaf
    stops : (r,) numbers of rounds, rising, at most T

    Returns
    -------
    (r, m, K)

    Notes
    -----
    O(m (p + T log q + (T + r) K)). Assumes checked input.
    """
    sums = np.empty((len(stops), len(values), votes.shape[2]))
    values = as_input(values)
    _add_votes(values, far.sign, far.scale, far.squared, pairs, thresholds, votes, stops, sums)
    return sums


@compiled
def _find_leaves(D, sign, scale, squared, pairs, thresholds, reached):  # type: ignore[no-untyped-def]
    n_nodes = len(thresholds)
    for i in range(D.shape[1]):
        node = 0
        while node < n_nodes:
            delta = far_of(D[pairs[node, 0], i], sign, scale, squared)
            delta -= far_of(D[pairs[node, 1], i], sign, scale, squared)
            node = 2 * node + (1 if delta < thresholds[node] else 2)
        reached[i] = node - n_nodes


@compiled
def _add_votes(values, sign, scale, squared, pairs, thresholds, votes, stops, sums):  # type: ignore[no-untyped-def]
    n_nodes = thresholds.shape[1]
    n_labels = votes.shape[2]
    distances, running = np.empty(values.shape[1]), np.empty(n_labels)
    for i in range(len(values)):
        for j in range(len(distances)):
            distances[j] = far_of(values[i, j], sign, scale, squared)
        for label in range(n_labels):
            running[label] = 0.0
        done = 0
        for r in range(len(stops)):
            for t in range(done, stops[r]):
                node = 0
                while node < n_nodes:
                    delta = distances[pairs[t, node, 0]] - distances[pairs[t, node, 1]]
                    node = 2 * node + (1 if delta < thresholds[t, node] else 2)
                for label in range(n_labels):
                    running[label] += votes[t, node - n_nodes, label]
            done = stops[r]
            for label in range(n_labels):
                sums[r, i, label] = running[label]
