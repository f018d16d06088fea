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
    return folds_of(dealt(y, n_folds, rng), n_folds)


def folds_of(part: Indices, n_folds: int) -> list[tuple[Indices, Indices]]:
    """(training, held-out) positions of the folds of the parts; -1 is always in training."""
    held_out = [np.flatnonzero(part == fold) for fold in range(n_folds)]
    return [(np.setdiff1d(np.arange(len(part)), out), out) for out in held_out if len(out)]


def grouped_folds(
    codes: Indices, groups: Any, n_folds: int, rng: np.random.Generator
) -> list[tuple[Indices, Indices]]:
    """Folds as `dealt_folds` makes them, but samples of one group are held out together.

    Parameters
    ----------
    codes : (n,) classes, all of 0 to their number less one
    groups : (n,), which samples belong together
    n_folds : at most so many
    rng : generator

    Notes
    -----
    The groups are dealt one after the other, those of unequal classes first, each to the part
    that leaves the shares of the classes most even, as in scikit-learn's `StratifiedGroupKFold`.
    A group that holds all samples of a class stays in every training part: without it, that class
    could not be recognized. O(n_groups n_folds² n_classes).
    """
    names, members = np.unique(groups, return_inverse=True)
    counts = np.zeros((len(names), int(codes.max()) + 1))
    np.add.at(counts, (members, codes), 1.0)
    shares = counts / counts.sum(axis=0)
    dealt_out = np.flatnonzero((shares < 1.0).all(axis=1))
    order = rng.permutation(dealt_out)
    order = order[np.argsort(-counts[order].std(axis=1), kind="stable")]
    n_folds = min(n_folds, len(order))
    part_of = np.full(len(names), -1, dtype=np.intp)
    loads = np.zeros((n_folds, counts.shape[1]))
    for group in order:
        after = loads + np.eye(n_folds)[:, :, None] * shares[group]
        uneven = after.std(axis=1).mean(axis=1)
        part_of[group] = np.lexsort((loads.sum(axis=1), uneven.round(12)))[0]
        loads = after[part_of[group]]
    return folds_of(part_of[members], n_folds)


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
