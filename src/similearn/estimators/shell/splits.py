"""Splits of training samples, from whatever a splitter or a user gives."""

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from similearn.data.values import positions
from similearn.errors import InputError

Indices = NDArray[np.intp]


def checked_splits(splits: Iterable[Any], n: int) -> list[tuple[Indices, Indices]]:
    """(training, held-out) positions of n samples.

    Raises
    ------
    InputError
        If there is none, or one is no pair, or names samples that are not there.
    """
    checked: list[tuple[Indices, Indices]] = []
    for split in splits:
        try:
            train, test = split
        except (TypeError, ValueError):
            raise InputError(
                f"cv holds {split!r}; expected pairs of positions, (training, held-out)."
            ) from None
        checked.append((positions(train, n), positions(test, n)))
    if not checked:
        raise InputError("cv gives no split; expected at least one.")
    return checked


def stratified_splits(
    name: str, cv: Any, codes: Indices, most: int
) -> list[tuple[Indices, Indices]]:
    """Splits that a parameter asks for: so many folds, a splitter, or the splits themselves.

    Parameters
    ----------
    name : of the parameter
    cv : its value
    codes : (n,) classes
    most : no more folds than these, but two
    """
    if isinstance(cv, (int, np.integer)) and cv >= 2:
        cv = max(min(int(cv), most), 2)
    try:
        with warnings.catch_warnings():  # that some class has fewer samples than there are folds
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            splits = list(check_cv(cv, codes, classifier=True).split(codes, codes))
    except Exception as error:  # splitters may do what they like
        raise InputError(
            f"{name}={cv!r} cannot split {len(codes)} samples ({error}). Choose a number of folds, "
            "such as 5, or fewer than now."
        ) from None
    return checked_splits(splits, len(codes))
