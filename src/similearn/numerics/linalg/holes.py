"""Entries that are not known, filled from what is known of the same two samples."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def filled_by_means(
    values: Floats, *, square: bool, near_to_self: float
) -> tuple[Floats, int, int]:
    """Fill NaN from the other direction, then by row mean + column mean - mean of all.

    Parameters
    ----------
    values : (m, n), NaN where nothing is known; all else is finite
    square : whether rows and columns are the same samples: only then is there another
        direction, and the diagonal counts for no mean
    near_to_self : what a sample is to itself where no diagonal entry is known

    Returns
    -------
    filled : (m, n), within the range of what was known
    n_reverse, n_means : how many entries were taken from the other direction, and from means

    Notes
    -----
    A row or column of which nothing is known adds nothing to the mean of all. A diagonal entry is
    the mean of those that are known. Where nothing is known at all, zeros. O(m n).
    """
    filled, n_reverse = values.copy(), 0
    holes = np.isnan(filled)
    if square:
        mirrored = holes & ~np.isnan(values.T)
        filled[mirrored] = values.T[mirrored]
        n_reverse = int(mirrored.sum())
        _fill_diagonal(filled, near_to_self)
    holes = np.isnan(filled)
    known = ~holes & ~np.eye(len(values), dtype=bool) if square else ~holes
    if known.any():
        total = float(filled[known].mean())
        rows, columns = (_excess(filled, known, total, axis) for axis in (1, 0))
        guessed = np.clip(total + rows + columns, filled[known].min(), filled[known].max())
        filled[holes] = guessed[holes]
    n_means = int(np.isnan(values).sum()) - n_reverse
    return np.nan_to_num(filled), n_reverse, n_means


def _fill_diagonal(values: Floats, near_to_self: float) -> None:
    """Fill what samples are to themselves: the mean of what is known of others."""
    own = values.diagonal()
    known = own[~np.isnan(own)]
    fallback = float(known.mean()) if len(known) else near_to_self
    np.fill_diagonal(values, np.where(np.isnan(own), fallback, own))


def _excess(values: Floats, known: NDArray[np.bool_], total: float, axis: int) -> Floats:
    """Mean of each row, or column, less the mean of all; zero where nothing is known."""
    counts = known.sum(axis=axis, keepdims=True)
    sums = np.where(known, values, 0.0).sum(axis=axis, keepdims=True)
    excess: Floats = np.where(counts > 0, sums / np.maximum(counts, 1) - total, 0.0)
    return excess
