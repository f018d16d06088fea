"""K-medoids: samples that stand for all others."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_TIE = 1e-12
_MAX_ROUNDS = 100
_COLUMNS_AT_ONCE = 256


def k_medoids(nearness: Floats, k: int) -> Indices:
    """Choose k samples so that every sample is near to one of them.

    Parameters
    ----------
    nearness : (n, n) in [0, 1], of sample i to sample j
    k : at most n

    Returns
    -------
    (k,) ascending positions

    Notes
    -----
    The first medoid has the largest sum, each further one is the best addition; then samples
    go to their nearest medoid, and each group chooses its medoid anew, as long as the sum of
    nearness grows (Hastie et al. 2001, algorithm 14.2). Deterministic: the first of equally
    good samples is taken. O(k n²) to begin with, O(n²) for each round.
    """
    medoids = _greedy(nearness, k)
    total = nearness[:, medoids].max(axis=1).sum()
    for _ in range(_MAX_ROUNDS):
        groups = nearness[:, medoids].argmax(axis=1)
        candidates = np.array([_best_of(nearness, groups == j, medoids[j]) for j in range(k)])
        grown = nearness[:, candidates].max(axis=1).sum()
        if grown <= total + _TIE * len(nearness):
            break
        medoids, total = candidates, grown
    return np.sort(medoids)


def _greedy(nearness: Floats, k: int) -> Indices:
    reached = np.zeros(len(nearness))
    medoids: list[int] = []
    for _ in range(k):
        totals = np.concatenate(
            [np.maximum(part, reached[:, None]).sum(axis=0) for part in _parts(nearness)]
        )
        totals[medoids] = -np.inf
        medoids.append(_first_best(totals))
        reached = np.maximum(reached, nearness[:, medoids[-1]])
    return np.array(medoids, dtype=np.intp)


def _parts(nearness: Floats) -> list[Floats]:
    """Columns in parts, so that no second matrix of the size is needed."""
    return np.array_split(nearness, max(nearness.shape[1] // _COLUMNS_AT_ONCE, 1), axis=1)


def _best_of(nearness: Floats, group: NDArray[np.bool_], medoid: int) -> int:
    """The member of largest sum; the old medoid if its group is empty."""
    members = np.flatnonzero(group)
    if not len(members):
        return medoid
    return int(members[_first_best(nearness[np.ix_(members, members)].sum(axis=0))])


def _first_best(totals: Floats) -> int:
    """Position of the first total that is largest up to rounding."""
    return int(np.argmax(totals >= totals.max() - _TIE * len(totals)))
