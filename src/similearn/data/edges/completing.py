"""Blocks with holes: what is not known is filled from what is, and it is said how much that was."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from similearn.data.pairwise import Pairwise
from similearn.data.values import Floats, Kind, Values, as_values, transposed
from similearn.errors import FileError, InputError, SimilearnError
from similearn.numerics.linalg.diagnosis import entries_at
from similearn.numerics.linalg.holes import column_means, filled_by_columns, filled_by_means

TREATED = ("fill", "zero", "unknown")
"""Ways in which holes are treated; with any other they stay."""
Means = tuple[Floats | None, Floats | None]
"""Of a block of queries: what its holes, and those of its reverse, are filled with."""
_BY_MEANS = "row and column means"
_BY_COLUMNS = "its row and the means of training columns"
_BY_ROW = "its row alone"
_NO_HOLES = (
    "A sparse block has no holes to fill: what is not stored is zero similarity, or far. Pass "
    "dense values with NaN. Of a file of pairs, those without a score are unknown: leave "
    "missing='fill' out."
)
_UNKNOWN_IS_ZERO = (
    "A similarity that is left out is zero, so missing='unknown' does here what missing='zero' "
    "does: such pairs count as not alike. If nobody knows these values, missing='fill' may be "
    "better."
)


class Filled(NamedTuple):
    """Values without holes, and how many holes there were.

    Parameters
    ----------
    values : (m, n)
    n_missing, n_reverse, n_means : all holes, those filled from the other direction, and those
        filled from means
    n_empty : rows of new samples of which nothing was known
    means : what the means are of, in words
    """

    values: Floats
    n_missing: int
    n_reverse: int
    n_means: int
    n_empty: int = 0
    means: str = _BY_MEANS

    def told(self) -> str:
        """One sentence for people, and one more on rows of which nothing was known."""
        rest = f"from {self.means}"
        told = _told(self.n_missing, self.values.size, self.n_reverse, rest, self.n_means)
        if not self.n_empty:
            return told
        given = "zeros" if self.means == _BY_ROW else "the means of training columns"
        rows = "1 row" if self.n_empty == 1 else f"{self.n_empty} rows"
        return f"{told} Of {rows} nothing was known: filled with {given}."


def _told(n_missing: int, size: int, n_reverse: int, rest: str, n_rest: int) -> str:
    return (
        f"{n_missing} of {size} values were missing; filled from the other direction: {n_reverse}, "
        f"{rest}: {n_rest}."
    )


def with_filled(values: Any, kind: Kind, *, square: bool, reverse: Any = None) -> Filled:
    """Fill the NaN of a dense block of training samples; `reverse` knows the other direction."""
    array, n_missing, from_reverse = _from_reverse(values, reverse)
    largest = float(np.nanmax(array)) if not np.isnan(array).all() else 0.0
    near = 0.0 if kind == "dissimilarity" else largest
    filled, n_reverse, n_means = filled_by_means(array, square=square, near_to_self=near)
    return Filled(filled, n_missing, from_reverse + n_reverse, n_means)


def with_filled_queries(values: Any, means: Floats | None, *, reverse: Any = None) -> Filled:
    """Fill the NaN of dense rows of queries, each by itself; `means` (n,) are of training columns.

    Without `means`, a row is filled from what it knows itself.
    """
    array, n_missing, n_reverse = _from_reverse(values, reverse)
    filled, n_empty = filled_by_columns(array, means)
    source = _BY_ROW if means is None else _BY_COLUMNS
    return Filled(filled, n_missing, n_reverse, n_missing - n_reverse, n_empty, source)


def _from_reverse(values: Any, reverse: Any) -> tuple[Floats, int, int]:
    """Values with what the other direction knows, how many were missing, how many it knew."""
    if sparse.issparse(values):
        raise InputError(_NO_HOLES)
    array = np.asarray(values, dtype=np.float64)
    n_missing = int(np.isnan(array).sum())
    if reverse is None or not n_missing:
        return array, n_missing, 0
    array, n_taken = _taken(array, reverse)
    return array, n_missing, n_taken


def _taken(values: Values, other: Values) -> tuple[Values, int]:
    """Values with NaN taken from the same places of another block, where it knows them."""
    values = values.copy()
    if sparse.issparse(values):
        holes = np.flatnonzero(np.isnan(values.data))
        rows = np.searchsorted(values.indptr, holes, side="right") - 1
        found = entries_at(other, rows, values.indices[holes], np.nan)
        values.data[holes] = found
    else:
        rows, columns = np.nonzero(np.isnan(values))
        found = entries_at(other, rows, columns, np.nan)
        values[rows, columns] = found
    return values, int((~np.isnan(found)).sum())


def with_left_out(
    values: Values, kind: Kind, *, square: bool, reverse: Values | None = None
) -> tuple[Values, str, int]:
    """Leave out of CSR those NaN that the other direction does not know, and tell how many.

    Parameters
    ----------
    values : (m, n) array or CSR
    kind : what is left out of a similarity is zero, of a dissimilarity unknown and far
    square : whether rows and columns are the same samples, which know the other direction
    reverse : (m, n), the other direction of queries

    Returns
    -------
    CSR; a sentence for people, "" if nothing was missing; and how many were left out
    """
    values = as_values(values, "values")
    entries = values.data if sparse.issparse(values) else values
    n_missing, n_reverse = int(np.isnan(entries).sum()), 0
    others = [] if reverse is None else [as_values(reverse, "reverse")]
    for other in [*others, *([transposed(values)] if square else [])] if n_missing else []:
        values, n_taken = _taken(values, other)
        n_reverse += n_taken
    left = without_nan(values, keep_zeros=kind == "dissimilarity")
    if not n_missing:
        return left, "", 0
    n_left = n_missing - n_reverse
    rest = "counted as similarity zero" if kind == "similarity" else "left unknown, and far"
    return left, _told(n_missing, entries.size, n_reverse, rest, n_left), n_left


def without_nan(values: Values, *, keep_zeros: bool) -> Values:
    """CSR without NaN; zeros are kept where they mean "the same", not "no similarity"."""
    if not sparse.issparse(values):
        stored = ~np.isnan(values) if keep_zeros else ~np.isnan(values) & (values != 0)
        rows, columns = np.nonzero(stored)
        return sparse.csr_array((values[rows, columns], (rows, columns)), shape=values.shape)
    places = sparse.coo_array(values)
    known = ~np.isnan(places.data) if keep_zeros else np.nan_to_num(places.data) != 0
    kept = (places.data[known], (places.row[known], places.col[known]))
    return sparse.csr_array(kept, shape=values.shape)


class Treated(NamedTuple):
    """Both directions of a block without holes, and sentences on what was missing."""

    values: Values
    reverse: Values | None
    notes: list[str]


def treated(
    values: Values,
    reverse: Values | None,
    kind: Kind,
    missing: str,
    *,
    square: bool = False,
    means: Means | None = None,
) -> Treated:
    """Treat holes as `missing` says, in both directions, each from the other one first.

    Parameters
    ----------
    values, reverse : (m, n); `reverse` may be None
    kind : of the block
    missing : "fill", "zero" or "unknown"
    square : whether rows and columns are the same samples
    means : of queries, see `with_filled_queries`; None for training samples
    """
    ways = [(values, reverse, square, None if means is None else means[0])]
    if reverse is not None:
        ways.append((reverse, values, False, None if means is None else means[1]))
    done: list[Values] = []
    notes: list[str] = []
    n_left = 0
    for own, other, same, usual in ways:
        if missing != "fill":
            new, told, n_here = with_left_out(own, kind, square=same, reverse=other)
            n_left += n_here
        else:
            filled = (
                with_filled(own, kind, square=same, reverse=other)
                if means is None
                else with_filled_queries(own, usual, reverse=other)
            )
            new, told = filled.values, filled.told() if filled.n_missing else ""
        done.append(new)
        notes += [told] * bool(told)
    if n_left and missing == "unknown" and kind == "similarity":
        notes.append(_UNKNOWN_IS_ZERO)
    return Treated(done[0], done[1] if reverse is not None else None, notes)


def treated_queries(
    block: Pairwise, missing: str, means: Means = (None, None)
) -> tuple[Pairwise, list[str]]:
    """Treat holes of queries, each row by itself; `means` as of `treated`. With sentences."""
    if missing not in TREATED:
        return block, []
    found = treated(block.values, block.reverse, block.kind, missing, means=means)
    return block.with_values(found.values, reverse=found.reverse), found.notes


def refuse_zero(path: Path, kind: Kind, missing: str) -> None:
    """Refuse to count holes of a dissimilarity as zeros."""
    if missing == "zero" and kind == "dissimilarity":
        raise FileError(
            f"{path}: missing='zero' is for similarities only. An unknown dissimilarity is "
            "not zero: zero would mean the same sample. Fill it in before, or leave it unknown: "
            "missing='unknown'."
        )


def training_means(block: Pairwise) -> Floats | None:
    """Means (2, n) of the columns of a training block, and of its rows: what is usual for each.

    What samples are to themselves is left out, and what a sparse dissimilarity does not know.
    None of a block whose values are not stored, or are too large for a mean.
    """
    if block.is_lazy:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        means = np.array([_means_of(one, block) for one in (block.values, block.values.T)])
    return means if np.isfinite(means).all() else None


def _means_of(values: Values, block: Pairwise) -> Floats:
    if not sparse.issparse(values):
        return column_means(values, square=bool(block.same_samples))
    places, (m, n) = sparse.coo_array(values), values.shape
    kept = places.row != places.col if block.same_samples else np.ones(places.nnz, dtype=bool)
    sums = np.bincount(places.col[kept], places.data[kept], minlength=n)
    counts = np.bincount(places.col[kept], minlength=n)
    if block.large_is_near:  # what is not stored is known to be zero
        counts = np.full(n, m - bool(block.same_samples))
    total = sums.sum() / max(counts.sum(), 1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), total)


def fill_missing(X: Any, *, kind: Kind | None = None, like: Any = None) -> Filled:
    """Fill entries that are not known (NaN) from the other direction, then from means.

    Parameters
    ----------
    X : dense array, NaN where nothing is known
        (n, n), samples with themselves; or with `like` (m, n), new samples against those of `like`.
    kind : needed for samples with themselves of whose diagonal nothing is known
    like : array (n, n) or Pairwise, optional
        The training block of new samples; if it has holes itself, these are filled first.

    Returns
    -------
    Filled
        ``values``, and how many were missing (``n_missing``), taken from ψ(b, a) for ψ(a, b)
        (``n_reverse``), and made of means (``n_means``). Report them.

    Notes
    -----
    A hole of samples with themselves becomes row mean + column mean - mean of all, within the
    range of what is known. A hole of a new sample becomes the mean of what its row knows + the
    mean of its column in the training block - the mean of such means of the columns that its row
    knows, so that it does not depend on other new samples. A row of which nothing is known gets
    the means of the training columns (``n_empty``).

    Examples
    --------
    >>> import numpy as np
    >>> from similearn.data.convert import fill_missing
    >>> S = [[9, np.nan, 1], [8, 9, np.nan], [1, np.nan, 9.0]]
    >>> found = fill_missing(S)
    >>> print(found.told())
    3 of 9 values were missing; filled from the other direction: 1, from row and column means: 2.
    >>> fill_missing([[5, np.nan, 2]], like=S).values
    array([[5.   , 6.125, 2.   ]])
    """
    array = _with_nan(X, "X")
    m, n = array.shape
    if like is not None:
        return with_filled_queries(array, _means_like(like, n))
    if m != n:
        raise InputError(
            f"fill_missing got a block of {m} queries against {n} references without like=; give "
            "the training block, so that each query is filled by what is usual there, and not by "
            "what other queries happen to be."
        )
    if kind is None and array.size and np.isnan(array.diagonal()).all():
        raise InputError(
            "Nothing is known of what samples are to themselves; say kind='similarity' or "
            "kind='dissimilarity'."
        )
    return with_filled(array, kind or "similarity", square=True)


def _with_nan(X: Any, name: str) -> Floats:
    if isinstance(X, Pairwise):
        raise InputError(
            f"fill_missing takes plain numbers, and {name} is a Pairwise. Fill its .values, then "
            "Pairwise(fill_missing(values).values, kind)."
        )
    if sparse.issparse(X):
        raise InputError(_NO_HOLES)
    try:
        array = np.asarray(X, dtype=np.float64)
    except SimilearnError:
        raise
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} cannot be read as numbers; expected an array with NaN.") from None
    if array.ndim != 2:
        raise InputError(f"{name} has {array.ndim} dimensions; expected a table, (m, n).")
    if np.isinf(array).any():
        raise InputError(
            f"{name} holds infinite values; only NaN means that nothing is known. Put NaN there, "
            "or a finite value."
        )
    return array


def _means_like(like: Any, n: int) -> Floats:
    """Means (n,) of the columns of a training block."""
    block = like if isinstance(like, Pairwise) else Pairwise(_with_nan(like, "like"), "similarity")
    if block.shape != (n, n):
        raise InputError(
            f"like has the shape {block.shape}, but X has {n} columns; expected the training block "
            f"{(n, n)}, whose samples the columns of X are."
        )
    if not block.is_lazy and not block.is_sparse and np.isnan(block.values).any():
        filled = with_filled(block.values, block.kind, square=True)
        block = Pairwise(filled.values, block.kind)
    means = training_means(block)
    if means is None:
        raise InputError("like has no means of columns: its values are not stored, or too large.")
    return means[0]
