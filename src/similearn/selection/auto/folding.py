"""The folds that all members share, and what is to be said of them."""

from typing import Any

import numpy as np

from similearn.errors import InputError
from similearn.selection.auto.portfolio import n_folds
from similearn.selection.folds import dealt_folds, grouped_folds

_MOST_NAMED, _LONGEST = 3, 40


def shared_folds(
    codes: np.ndarray, classes: np.ndarray, groups: np.ndarray | None, effort: str, seed: int
) -> tuple[list[Any], list[str]]:
    """Folds (training, held-out), and notes on samples that are held out never or seldom."""
    rng, most = np.random.default_rng(seed), n_folds(effort, len(codes))
    if groups is not None:
        folds = grouped_folds(codes, groups, most, rng)
    else:
        folds = dealt_folds(codes, most, rng)
    if not folds:
        what = "sample" if groups is None else "group"
        raise InputError(
            f"Every class in y has one {what}, so that no method can be judged on held-out "
            "samples. Give at least one class a second one, or use NeighborsClassifier(1)."
        )
    notes = []
    n_never = len(codes) - len(scored_samples(folds))
    if n_never and groups is None:
        notes.append(
            f"Classes of one sample, which were never held out: {n_never}. Errors and log-losses "
            f"are those of the other {len(codes) - n_never} samples. Those classes: "
            f"{_told(classes[np.bincount(codes) == 1])}."
        )
    elif n_never:
        notes.append(f"Samples never held out, as their groups hold all of a class: {n_never}.")
    counts = np.bincount(codes)
    small = np.count_nonzero((counts > 1) & (counts < len(folds)))
    if small and groups is None:
        notes.append(
            f"Classes of fewer samples than the {len(folds)} folds, held out in some of them "
            f"only: {small}."
        )
    return folds, notes


def _told(names: np.ndarray) -> str:
    """The first few names, and how many there are besides."""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(repr(str(name)[:_LONGEST]) for name in names[:_MOST_NAMED]) + more


def scored_samples(folds: Any) -> np.ndarray:
    """Samples that are held out in some fold, ascending: what is said of them is in this order."""
    return np.sort(np.concatenate([held_out for _, held_out in folds]))
