"""Which of two classes is nearer: votes of drawn pairs, and of all pairs by one sort per row."""

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import as_input, compiled

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def class_pairs(n_classes: int) -> Indices:
    """All (g, h) with g < h, (C, 2)."""
    return np.column_stack(np.triu_indices(n_classes, 1))


def drawn_shares(values: Floats, pairs: Indices, stops: Indices, *, large_is_near: bool) -> Floats:
    """Shares of drawn pairs of which the first sample is nearer, for several numbers of pairs.

    Parameters
    ----------
    values : (m, p) entries of queries with p prototypes
    pairs : (N, C, 2) positions among the prototypes: N pairs for each of C pairs of classes
    stops : (r,) numbers of pairs to count, rising, at most N
    large_is_near : the sign of near

    Returns
    -------
    (r, m, C). A tie counts half.

    Notes
    -----
    O(m N C). Assumes checked input.
    """
    shares = np.empty((len(stops), len(values), pairs.shape[1]))
    _count_drawn(as_input(values), 1.0 if large_is_near else -1.0, pairs, stops, shares)
    return shares


def all_shares(values: Floats, codes: Indices, n_classes: int, *, large_is_near: bool) -> Floats:
    """Shares of all pairs of samples of two classes of which the first is nearer, (m, C).

    The limit of `drawn_shares` for ever more pairs; a tie counts half.

    Parameters
    ----------
    values : (m, n) entries of queries with all samples
    codes : (n,) classes of the samples
    n_classes : int
    large_is_near : the sign of near

    Notes
    -----
    O(m (n log n + n G)). Assumes checked input.
    """
    pairs = class_pairs(n_classes)
    sizes = np.bincount(codes, minlength=n_classes)
    wins = np.zeros((len(values), n_classes, n_classes))
    nearest_first = np.argsort(-values if large_is_near else values, axis=1)
    _count_all(as_input(values), nearest_first, as_input(codes, np.intp), wins)
    one, other = pairs.T
    lead = (wins[:, one, other] - wins[:, other, one]) / (sizes[one] * sizes[other])
    return (1.0 + lead) / 2.0


def scores_of_shares(shares: Floats, n_classes: int) -> Floats:
    """Mean share of votes that each class wins from each other class, (..., G)."""
    scores = np.zeros((*shares.shape[:-1], n_classes))
    for position, (one, other) in enumerate(class_pairs(n_classes)):
        scores[..., one] += shares[..., position]
        scores[..., other] += 1.0 - shares[..., position]
    return scores / (n_classes - 1)


@compiled
def _count_drawn(values, sign, pairs, stops, shares):  # type: ignore[no-untyped-def]
    n_class_pairs = pairs.shape[1]
    for i in range(len(values)):
        for c in range(n_class_pairs):
            won, done = 0.0, 0
            for r in range(len(stops)):
                for t in range(done, stops[r]):
                    one, other = values[i, pairs[t, c, 0]], values[i, pairs[t, c, 1]]
                    won += 0.5 * (sign * one > sign * other) + 0.5 * (sign * one >= sign * other)
                done = stops[r]
                shares[r, i, c] = won / done


@compiled
def _count_all(values, order, codes, wins):  # type: ignore[no-untyped-def]
    n, n_classes = values.shape[1], wins.shape[1]
    nearer, here = np.empty(n_classes), np.empty(n_classes)
    for i in range(len(values)):
        for g in range(n_classes):
            nearer[g] = here[g] = 0.0
        for j in range(n):
            here[codes[order[i, j]]] += 1.0
            if j + 1 < n and values[i, order[i, j + 1]] == values[i, order[i, j]]:
                continue  # all that are equally near count together
            for g in range(n_classes):
                for h in range(n_classes):
                    wins[i, g, h] += nearer[g] * here[h]
            for g in range(n_classes):
                nearer[g] += here[g]
                here[g] = 0.0
