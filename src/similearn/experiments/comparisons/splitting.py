"""Random splits and folds in which every class is dealt out evenly, however small it is."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.intp]

TEST_PARTS = 5  # one fifth, 20 %, is held out for testing (JMLR §7.2)
TUNING_FOLDS = 10  # parameters are chosen by 10-fold cross-validation (JMLR §7.2)


def random_split(y: Any, seed: int, split: int) -> tuple[Indices, Indices]:
    """Training and test samples of one random 80/20 split.

    Parameters
    ----------
    y : (n,) labels
    seed, split : the seed of the whole comparison and the number of the split. A split
        does not depend on how many splits there are, so more can be added later.

    Returns
    -------
    train, test : sorted positions. Every class with two or more members is in the
        training part; a class with one member is always trained on, never tested.
    """
    part = _dealt(y, TEST_PARTS, np.random.default_rng([seed, split, 0]))
    return np.flatnonzero(part != 0), np.flatnonzero(part == 0)


def tuning_folds(
    y: Any, seed: int, split: int, n_folds: int = TUNING_FOLDS
) -> list[tuple[Indices, Indices]]:
    """Folds for choosing parameters: (training, validation) positions, for `cv=`.

    Notes
    -----
    Like scikit-learn's `StratifiedKFold`, but classes with fewer members than folds are
    spread over as many folds as they have members, without a warning. A class with one
    member could never be recognized when held out, so it stays in every training part.
    """
    n_folds = min(n_folds, len(y))
    part = _dealt(y, n_folds, np.random.default_rng([seed, split, 1]))
    held_out = [np.flatnonzero(part == fold) for fold in range(n_folds)]
    return [(np.setdiff1d(np.arange(len(y)), out), out) for out in held_out if len(out)]


def smallest_training_fold(folds: list[tuple[Indices, Indices]]) -> int:
    """Count the samples of the smallest training part: no neighbourhood can be larger."""
    return min(len(train) for train, _ in folds)


def _dealt(y: Any, n_parts: int, rng: np.random.Generator) -> Indices:
    """Deal the samples, class by class, round the parts like cards; -1 is in no part."""
    _, codes, counts = np.unique(np.asarray(y), return_inverse=True, return_counts=True)
    shuffled = rng.permutation(len(codes))
    class_order = rng.permutation(len(counts))
    dealt = shuffled[np.argsort(class_order[codes[shuffled]], kind="stable")]
    dealt = dealt[counts[codes[dealt]] > 1]
    part = np.full(len(codes), -1, dtype=np.intp)
    part[dealt] = np.arange(len(dealt)) % n_parts
    return part
