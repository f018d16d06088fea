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


def filled_by_columns(values: Floats, means: Floats | None) -> tuple[Floats, int]:
    """Fill NaN of each row by its mean and the means of columns, whatever other rows hold.

    Parameters
    ----------
    values : (m, n), NaN where nothing is known; all else is finite
    means : (n,) of the columns, from other samples than these; None if they are not known, so
        that all holes of a row get its mean

    Returns
    -------
    filled : (m, n). A hole is the mean of what its row knows + the mean of its column - the mean
        of the means of those columns that the row knows, within the range of what the row knows
        and of `means`. A row that knows nothing gets `means`; zeros, without them.
    n_empty : how many rows know nothing

    Notes
    -----
    O(m n).
    """
    known = ~np.isnan(values)
    counts = known.sum(axis=1, keepdims=True)
    usual = np.zeros(values.shape[1]) if means is None else means
    excess = np.where(known, values - usual, 0.0).sum(axis=1, keepdims=True)
    guessed = usual + excess / np.maximum(counts, 1)
    some = counts.ravel() > 0
    bounds = np.empty(0) if means is None else means
    for side, limit in ((np.fmin, np.maximum), (np.fmax, np.minimum)):
        rows = side.reduce(values[some], axis=1, initial=np.nan)
        ends = side(rows, side.reduce(bounds, initial=np.nan))
        guessed[some] = limit(guessed[some], ends[:, None])
    return np.where(known, values, guessed), int((~some).sum())


def column_means(values: Floats, *, square: bool) -> Floats:
    """Means (n,) of what is known of columns, the diagonal of a square left out.

    A column of which nothing is known has the mean of all that is known, or zero. O(m n).
    """
    known = ~np.isnan(values)
    if square:
        np.fill_diagonal(known, False)
    total = float(values[known].mean()) if known.any() else 0.0
    return total + _excess(values, known, total, 0)[0]


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
