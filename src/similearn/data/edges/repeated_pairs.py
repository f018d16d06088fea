"""Pairs that are listed several times, or in both directions, as one."""

from collections.abc import Sequence

import numpy as np

from similearn.data.edges.pair_lines import ListedPairs

REPEATED = ("error", "mean", "largest")


def merged(pairs: ListedPairs, repeated: str, *, directed: bool) -> ListedPairs:
    """Return each pair once, with the mean or the largest of its scores; the lists are used up.

    Parameters
    ----------
    pairs : p of them
    repeated : "mean" or "largest"
    directed : whether (a, b) and (b, a) are two pairs
    """
    n = len(pairs.ids)
    first, second = pairs.first, pairs.second
    if not directed:
        first, second = np.minimum(first, second), np.maximum(first, second)
    keys, place = np.unique(first.astype(np.int64) * n + second, return_inverse=True)
    if repeated == "mean":
        scores = np.bincount(place, pairs.scores) / np.bincount(place)
    else:
        scores = np.full(len(keys), -np.inf)
        np.maximum.at(scores, place, pairs.scores)
    ones, others = (keys // n).astype(np.int32), (keys % n).astype(np.int32)
    return ListedPairs(ones, others, scores, pairs.ids, pairs.n_unknown)


def towards(pairs: ListedPairs, references: Sequence[str]) -> ListedPairs:
    """Return pairs without direction so that the reference is the second of each."""
    known = set(references)
    is_known = np.array([one in known for one in pairs.ids], dtype=bool)
    turned = is_known[pairs.first] & ~is_known[pairs.second]
    first = np.where(turned, pairs.second, pairs.first)
    second = np.where(turned, pairs.first, pairs.second)
    return ListedPairs(first, second, pairs.scores, pairs.ids, pairs.n_unknown)
