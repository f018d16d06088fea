"""Random splits and folds in which every class is dealt out evenly, however small it is."""

from typing import Any

import numpy as np

from similearn.selection.folds import Indices, dealt, dealt_folds

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
    part = dealt(y, TEST_PARTS, np.random.default_rng([seed, split, 0]))
    return np.flatnonzero(part != 0), np.flatnonzero(part == 0)


def tuning_folds(
    y: Any, seed: int, split: int, n_folds: int = TUNING_FOLDS
) -> list[tuple[Indices, Indices]]:
    """Folds for choosing parameters: (training, validation) positions, for `cv=`.

    See `similearn.selection.folds` for small classes.
    """
    return dealt_folds(y, n_folds, np.random.default_rng([seed, split, 1]))


def smallest_training_fold(folds: list[tuple[Indices, Indices]]) -> int:
    """Count the samples of the smallest training part: no neighbourhood can be larger."""
    return min(len(train) for train, _ in folds)
