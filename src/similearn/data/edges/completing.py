"""Blocks with holes: what is not known is filled from what is, and it is said how much that was."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from similearn.data.pairwise import Pairwise
from similearn.data.values import Floats, Kind
from similearn.errors import InputError
from similearn.numerics.linalg.holes import filled_by_means


class Filled(NamedTuple):
    """Values without holes, and how many holes there were.

    Parameters
    ----------
    values : (m, n)
    n_missing, n_reverse, n_means : all holes, those filled from the other direction, and those
        filled from the means of row and column
    """

    values: Floats
    n_missing: int
    n_reverse: int
    n_means: int

    def told(self) -> str:
        """One sentence for people."""
        return (
            f"{self.n_missing} of {self.values.size} values were missing; filled from the other "
            f"direction: {self.n_reverse}, from row and column means: {self.n_means}."
        )


def with_filled(values: Any, kind: Kind, *, square: bool, reverse: Any = None) -> Filled:
    """Fill the NaN of a dense array; `reverse` knows the other direction of a block of queries."""
    if sparse.issparse(values):
        raise InputError(
            "A sparse block has no holes to fill: what is not stored is zero similarity, or far. "
            "Pass dense values with NaN."
        )
    array = np.asarray(values, dtype=np.float64)
    n_missing, from_reverse = int(np.isnan(array).sum()), 0
    if reverse is not None and not sparse.issparse(reverse):
        taken = np.isnan(array) & ~np.isnan(reverse)
        array, from_reverse = np.where(taken, reverse, array), int(taken.sum())
    largest = float(np.nanmax(array)) if n_missing < array.size else 0.0
    near = 0.0 if kind == "dissimilarity" else largest
    filled, n_reverse, n_means = filled_by_means(array, square=square, near_to_self=near)
    return Filled(filled, n_missing, from_reverse + n_reverse, n_means)


def fill_missing(X: Any, *, kind: Kind | None = None) -> Filled:
    """Fill entries that are not known (NaN) from the other direction, then from means.

    Parameters
    ----------
    X : dense array (m, n), NaN where nothing is known; rows and columns of a square one are taken
        as the same samples
    kind : needed for a square array of whose diagonal nothing is known

    Returns
    -------
    Filled
        ``values``, and how many were missing (``n_missing``), taken from ψ(b, a) for ψ(a, b)
        (``n_reverse``), and made of row mean + column mean - mean of all, within the range of
        what is known (``n_means``). Report them.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn.data.convert import fill_missing
    >>> found = fill_missing([[9, np.nan, 1], [8, 9, np.nan], [1, np.nan, 9.0]])
    >>> print(found.told())
    3 of 9 values were missing; filled from the other direction: 1, from row and column means: 2.
    """
    if isinstance(X, Pairwise):
        raise InputError(
            "fill_missing takes plain numbers: a Pairwise has no holes. Fill them first, then "
            "Pairwise(fill_missing(X).values, kind)."
        )
    try:
        array = np.asarray(X, dtype=np.float64) if not sparse.issparse(X) else X
    except (TypeError, ValueError, OverflowError):
        raise InputError("X cannot be read as numbers; expected an array with NaN.") from None
    if len(array.shape) != 2:
        raise InputError(f"X has {len(array.shape)} dimensions; expected a table, (m, n).")
    square = array.shape[0] == array.shape[1]
    if not sparse.issparse(array):
        if np.isinf(array).any():
            raise InputError("X holds infinite values; only NaN means that nothing is known.")
        if square and kind is None and array.size and np.isnan(array.diagonal()).all():
            raise InputError(
                "Nothing is known of what samples are to themselves; say kind='similarity' or "
                "kind='dissimilarity'."
            )
    return with_filled(array, kind or "similarity", square=square)
