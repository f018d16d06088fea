"""Folds in which every class is dealt out evenly, however small it is."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.intp]


def dealt_folds(y: Any, n_folds: int, rng: np.random.Generator) -> list[tuple[Indices, Indices]]:
    """(training, held-out) positions of folds, for ``cv=``.

    Notes
    -----
    Like scikit-learn's `StratifiedKFold`, but classes with fewer members than folds are
    spread over as many folds as they have members, without a warning. A class with one
    member could never be recognized when held out, so it stays in every training part.
    """
    n_folds = min(n_folds, len(y))
    part = dealt(y, n_folds, rng)
    held_out = [np.flatnonzero(part == fold) for fold in range(n_folds)]
    return [(np.setdiff1d(np.arange(len(y)), out), out) for out in held_out if len(out)]


def dealt(y: Any, n_parts: int, rng: np.random.Generator) -> Indices:
    """Deal the samples, class by class, to the parts in turn, like cards; -1 is in no part."""
    _, codes, counts = np.unique(np.asarray(y), return_inverse=True, return_counts=True)
    shuffled = rng.permutation(len(codes))
    class_order = rng.permutation(len(counts))
    order = shuffled[np.argsort(class_order[codes[shuffled]], kind="stable")]
    order = order[counts[codes[order]] > 1]
    part = np.full(len(codes), -1, dtype=np.intp)
    part[order] = np.arange(len(order)) % n_parts
    return part
