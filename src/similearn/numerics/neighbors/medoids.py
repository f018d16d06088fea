"""K-medoids: samples that stand for all others."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Nearness = Any  # an array, or CSC

_TIE = 1e-12
_MAX_ROUNDS = 100
_COLUMNS_AT_ONCE = 256


def k_medoids(nearness: Nearness, k: int, absent: float = 0.0) -> Indices:
    """Choose k samples so that every sample is near to one of them.

    Parameters
    ----------
    nearness : (n, n) in [0, 1], of sample i to sample j. Of CSC its excess over `absent`, which is
        the nearness of what is not stored
    k : at most n
    absent : in [0, 1]

    Returns
    -------
    (k,) ascending positions

    Notes
    -----
    The first medoid has the largest sum, each further one is the best addition; then samples
    go to their nearest medoid, and each group chooses its medoid anew, as long as the sum of
    nearness grows (Hastie et al. 2001, algorithm 14.2). Deterministic: the first of equally
    good samples is taken. O(k n²) to begin with, O(n²) for each round; of CSC with e entries
    O(k (e + n)), and nothing is filled in.
    """
    medoids = _greedy(nearness, k, absent)
    total = _columns(nearness, medoids).max(axis=1).sum()
    for _ in range(_MAX_ROUNDS):
        groups = _columns(nearness, medoids).argmax(axis=1)
        candidates = np.array([_best_of(nearness, groups == j, medoids[j]) for j in range(k)])
        grown = _columns(nearness, candidates).max(axis=1).sum()
        if grown <= total + _TIE * nearness.shape[0]:
            break
        medoids, total = candidates, grown
    return np.sort(medoids)


def _greedy(nearness: Nearness, k: int, absent: float) -> Indices:
    reached = np.full(nearness.shape[0], -absent)
    medoids: list[int] = []
    for _ in range(k):
        totals = _sums_if_added(nearness, reached)
        totals[medoids] = -np.inf
        medoids.append(_first_best(totals))
        reached = np.maximum(reached, _columns(nearness, medoids[-1:])[:, 0])
    return np.array(medoids, dtype=np.intp)


def _sums_if_added(nearness: Nearness, reached: Floats) -> Floats:
    """Σᵢ max(nearness to j, what i has reached) for each j: how good each addition would be."""
    if not sparse.issparse(nearness):
        return np.concatenate(
            [np.maximum(part, reached[:, None]).sum(axis=0) for part in _parts(nearness)]
        )
    without = np.maximum(reached, 0.0)
    gains = np.maximum(nearness.data, reached[nearness.indices]) - without[nearness.indices]
    columns = np.repeat(np.arange(nearness.shape[1]), np.diff(nearness.indptr))
    return without.sum() + np.bincount(columns, gains, minlength=nearness.shape[1])


def _parts(nearness: Floats) -> list[Floats]:
    """Columns in parts, so that no second matrix of the size is needed."""
    return np.array_split(nearness, max(nearness.shape[1] // _COLUMNS_AT_ONCE, 1), axis=1)


def _columns(nearness: Nearness, columns: Sequence[int] | Indices) -> Floats:
    chosen = nearness[:, columns]
    found: Floats = chosen.toarray() if sparse.issparse(chosen) else chosen
    return found


def _best_of(nearness: Nearness, group: NDArray[np.bool_], medoid: int) -> int:
    """The member of largest sum; the old medoid if its group is empty."""
    members = np.flatnonzero(group)
    if not len(members):
        return medoid
    among = nearness[:, members][members] if sparse.issparse(nearness) else nearness[
        np.ix_(members, members)
    ]  # fmt: skip
    return int(members[_first_best(np.asarray(among.sum(axis=0)).ravel())])


def _first_best(totals: Floats) -> int:
    """Position of the first total that is largest up to rounding."""
    return int(np.argmax(totals >= totals.max() - _TIE * len(totals)))
