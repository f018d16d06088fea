"""Arrays and CSR matrices as the inside of a block: checked, cut, turned, filled, averaged."""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.errors import InputError, InputIndexError, SimilearnError

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
Values: TypeAlias = Any  # an array or sparse.csr_array; SciPy carries no types
Kind: TypeAlias = Literal["similarity", "dissimilarity"]
KINDS = ("similarity", "dissimilarity")
INCOMPLETE = (
    "X is a sparse dissimilarity that leaves entries unknown, and this method needs every value. "
    "Fill them in, or convert to similarities first, of which those left out are zero: see "
    "similearn.convert."
)

# A CSR matrix has a number for every row, whether the row holds anything or not.
_MOST_EMPTY_ROWS = 10_000_000

_COMPARISONS = np.less, np.equal, np.greater
_COMPARED_AT_ONCE = 1_000_000  # entries
_FEWEST_TO_DOUBT = 10  # samples, such as a fold may have, from which on a close vote tells nothing
_NEARLY_ALL = 0.9  # of the samples, of whose own values a few may be faults
_ROOM_FOR_SUMS = -64  # a power of two, so that no sum of so many numbers overflows


def as_values(values: Any, name: str) -> Values:
    """Return a two-dimensional float64 array, or CSR whose structure compiled code can trust.

    An array is not copied if it is float64, in whatever order; CSR neither, if its rows are
    sorted and without repetition.
    """
    if sparse.issparse(values):
        return _sound_csr(values, name)
    array = as_array(values, name)
    refuse_dtype(array.dtype, name)
    _refuse_dimensions(array.ndim, name)
    with np.errstate(invalid="ignore", over="ignore"):  # damaged NaN; NaN is refused elsewhere
        return np.asarray(array, dtype=np.float64)


def as_array(values: Any, name: str) -> NDArray[Any]:
    """Return an array of whatever type; what is masked or ragged is refused.

    Frames of pandas whose columns are all numbers, of several types or with NA, become floats.
    """
    refuse_masked(values, name)
    try:
        array = np.asarray(values)
        if array.dtype == object and _holds_numbers(values):
            return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))
        return array
    except SimilearnError:
        raise
    except ValueError:
        raise InputError(f"{name} is ragged: its parts differ in length; expected one.") from None
    except Exception as error:  # objects may do what they like when they are asked for numbers
        raise InputError(
            f"{name} cannot be read as an array ({type(error).__name__}: {error}). Pass a NumPy "
            "array."
        ) from error


def _holds_numbers(values: Any) -> bool:
    """Whether a frame has numbers alone, which NumPy may still read as objects."""
    if not (hasattr(values, "iloc") and hasattr(values, "columns")):
        return False
    kinds = {getattr(dtype, "kind", "O") for dtype in values.dtypes}
    return bool(kinds) and kinds <= set("buif")


def refuse_masked(values: Any, name: str) -> None:
    """A masked array would be read without its mask."""
    if isinstance(values, np.ma.MaskedArray):
        raise InputError(
            f"{name} is a masked array, and a mask has no meaning here. Fill it in with "
            ".filled(value), or leave masked entries out of a sparse matrix."
        )


def refuse_dtype(dtype: np.dtype[Any], name: str) -> None:
    """Numbers only: nothing is guessed from objects, strings or complex values."""
    if dtype.kind == "c":
        raise InputError(
            f"Complex data not supported: {name} holds {dtype} numbers, similarities must be "
            "real. Pass the real part or the modulus, whichever you mean."
        )
    if dtype.kind not in "buif":
        raise InputError(
            f"{name} holds values of type {dtype}; expected numbers. Convert them with "
            ".astype(float), or compare objects with PairwiseSimilarity."
        )


def _refuse_dimensions(ndim: int, name: str) -> None:
    if ndim != 2:
        raise InputError(
            f"{name} has {ndim} dimension(s); expected two: rows are queries, columns are "
            "reference samples."
        )


def _sound_csr(matrix: Any, name: str) -> sparse.csr_array:
    """Return CSR with sorted indices in range, and no two entries at one place."""
    stored = matrix.format == "dok" or isinstance(matrix.data, np.ndarray)
    _require(stored, name, "its data are not an array")
    refuse_dtype(matrix.dtype, name)
    _refuse_dimensions(matrix.ndim, name)
    m, nnz = matrix.shape[0], _check_structure(matrix, name)
    if m > _MOST_EMPTY_ROWS + 10 * nnz:
        raise InputError(
            f"{name} has {m} rows but only {nnz} stored entries; expected no more than ten "
            "million empty rows. Check its shape, or leave the empty rows out."
        )
    if matrix.format != "csr":
        try:
            matrix = matrix.tocoo()
        except (TypeError, ValueError, LookupError) as error:
            _require(False, name, str(error))
        _check_structure(matrix, name)  # lists of lists and the like are not looked into before
        matrix = matrix.tocsr()
    sound = as_csr(matrix.data, matrix.indices, matrix.indptr, matrix.shape)
    if _is_canonical(sound):
        sound.has_canonical_format = True
        return sound
    sound = sound.copy()
    sound.has_sorted_indices = False
    sound.sum_duplicates()
    return sound


def as_csr(data: Any, indices: Any, indptr: Any, shape: tuple[int, int]) -> sparse.csr_array:
    """CSR of float64 with indices of 32 bits wherever they fit: one type for compiled code."""
    nnz = int(indptr[-1])
    wide = max(nnz, *shape) > np.iinfo(np.int32).max
    index = np.int64 if wide else np.int32
    stored = (
        data[:nnz].astype(np.float64, copy=False),
        indices[:nnz].astype(index, copy=False),
        indptr.astype(index, copy=False),
    )
    return sparse.csr_array(stored, shape=shape)


def _check_structure(matrix: Any, name: str) -> int:
    """Refuse positions outside a sparse matrix, before SciPy follows them; count the entries."""
    if matrix.format in ("csr", "csc", "coo"):
        _require(matrix.data.ndim == 1, name, "its data are not a list of numbers")
    if matrix.format == "coo":
        for part, size in zip((matrix.row, matrix.col), matrix.shape, strict=True):
            _check_positions(part, size, name)
            _require(len(part) == len(matrix.data), name, "positions and data differ in length")
        return len(matrix.data)
    if matrix.format not in ("csr", "csc", "bsr"):
        return int(matrix.nnz)
    height, width = matrix.data.shape[1:] if matrix.format == "bsr" else (1, 1)
    sizes = matrix.shape[::-1] if matrix.format == "csc" else matrix.shape
    n_rows, n_columns = sizes[0] // height, sizes[1] // width
    data, indices, indptr = matrix.data, matrix.indices, matrix.indptr
    _require(isinstance(indices, np.ndarray), name, "indices are not a list of integers")
    whole = isinstance(indptr, np.ndarray) and indptr.ndim == 1 and indptr.dtype.kind in "iu"
    _require(whole and len(indptr) == n_rows + 1, name, "indptr has not one entry more than rows")
    _require(indptr[0] == 0 and (indptr[1:] >= indptr[:-1]).all(), name, "indptr does not rise")
    _require(indptr[-1] <= min(len(indices), len(data)), name, "indptr ends beyond the data")
    _check_positions(indices[: indptr[-1]], n_columns, name)
    return int(indptr[-1]) * height * width


def _check_positions(positions: Any, size: int, name: str) -> None:
    whole = isinstance(positions, np.ndarray) and positions.dtype.kind in "iu"
    _require(whole and positions.ndim == 1, name, "indices are not a list of integers")
    if positions.size:
        least, most = int(positions.min()), int(positions.max())
        told = f"an index is {least if least < 0 else most}, outside of 0 to {size - 1}"
        _require(least >= 0 and most < size, name, told)


def _require(sound: Any, name: str, fault: str) -> None:
    if not sound:
        raise InputError(
            f"{name} is a damaged sparse matrix: {fault}. Build it anew from rows, columns and "
            "values: scipy.sparse.coo_array((values, (rows, columns)), shape)."
        )


def _is_canonical(matrix: sparse.csr_array) -> bool:
    """Whether indices rise strictly within each row; SciPy's own flag may be out of date."""
    rising = matrix.indices[1:] > matrix.indices[:-1]
    starts = matrix.indptr[1:-1]
    rising[starts[(starts > 0) & (starts <= rising.size)] - 1] = True
    return bool(rising.all())


def split_index(index: Any, shape: tuple[int, int]) -> tuple[Indices, Indices]:
    """Rows and columns meant by an index: np.ix_(rows, columns), or rows alone."""
    both = index if isinstance(index, tuple) else (index, slice(None))
    if len(both) != 2:
        raise InputIndexError(
            f"A block has two axes, rows and columns; got {len(both)} indices. Cut it by "
            "X[np.ix_(rows, columns)], or by X[rows]."
        )
    rows, columns = both
    return positions(rows, shape[0]), positions(columns, shape[1])


def positions(part: Any, n: int) -> Indices:
    """Positions among n that an index means: integers, truth values or a slice."""
    if part is Ellipsis:  # scikit-learn takes rows as X[rows, ...]
        return np.arange(n)
    try:
        if isinstance(part, slice):
            return np.arange(n)[part]
        array = np.atleast_1d(np.asarray(part)).ravel()
        if array.dtype == bool and len(array) != n:
            raise InputIndexError(f"A boolean index has length {len(array)}; expected {n}.")
        return np.arange(n)[array.astype(np.intp) if array.size == 0 else array]
    except (IndexError, TypeError, ValueError) as error:
        if isinstance(error, InputIndexError):
            raise
        got = f"An array of {part.dtype}" if isinstance(part, np.ndarray) else repr(part)
        raise InputIndexError(
            f"{got} cannot be an index ({error}); expected positions from 0 to {n - 1}, a "
            f"slice, or {n} truth values."
        ) from None


def cut(values: Values, rows: Indices, columns: Indices) -> Values:
    """Return some rows and columns."""
    if sparse.issparse(values):
        chosen = values[rows][:, columns]
        chosen.sort_indices()
        return chosen
    return values[np.ix_(rows, columns)]


def transposed(values: Values) -> Values:
    """Return the transpose in C order or CSR."""
    if sparse.issparse(values):
        flipped = values.T.tocsr()
        flipped.sort_indices()
        return flipped
    return np.ascontiguousarray(values.T)


def filled(values: Values, absent: float) -> Floats:
    """Return a dense array in C order, with `absent` where nothing is stored."""
    if not sparse.issparse(values):
        return np.ascontiguousarray(values)
    if absent == 0:
        return values.toarray()
    dense = np.full(values.shape, absent)
    places = values.tocoo()
    dense[places.row, places.col] = places.data
    return dense


def known_values(values: Values, absent: float, unknown: float | None) -> Floats:
    """Return a dense array in C order; CSR that leaves values unknown is refused or filled in.

    They are unknown where `absent` is infinite, and zero where not; `unknown` stands for them.
    """
    if not sparse.issparse(values) or absent == 0:
        return filled(values, 0.0)
    if unknown is None and not is_full(values):
        raise InputError(INCOMPLETE)
    return filled(values, unknown or 0.0)


def kind_by_diagonal(values: Values) -> Kind | None:
    """What a square block is, as what samples are to themselves tells; None if it does not.

    Samples are near to themselves: their own values are on the mean larger than others in a
    similarity, smaller in a dissimilarity. Since one entry may decide a mean, samples must not
    speak against it, each by the median of its row: for a similarity no more than half of all,
    for a dissimilarity less than half as many as speak for it (of few samples no more). Every
    positive semidefinite similarity passes, and every dissimilarity that is zero for the same
    sample and positive for others. A diagonal like most of the rest tells nothing, such as that
    of the adjacency of a graph. What a sparse block does not store is zero in a similarity and
    unknown in a dissimilarity, which must store its diagonal; it is told where only one of the
    two is. Entries that are NaN are left out.
    """
    n = values.shape[0]
    if n < 2 or values.shape[1] != n:
        return None
    own = np.asarray(values.diagonal())
    if np.isnan(own).any():
        return None
    if not sparse.issparse(values):
        return _kind_told(own, values, _compared_with_own(values, own))
    places = values.tocoo()
    n_own = np.count_nonzero(places.row == places.col)
    if n_own == 0:
        return None
    compared = _stored_compared_with_own(places, own)
    zeros = (n - np.diff(values.indptr)) * [own > 0, own == 0, own < 0]  # what is not stored
    near = _kind_told(own, places.data, compared + zeros) == "similarity"
    far = n_own == n and _kind_told(own, places.data, compared) == "dissimilarity"
    if near == far:
        return None
    return "similarity" if near else "dissimilarity"


def _kind_told(own: Floats, entries: Floats, compared: Indices) -> Kind | None:
    """What the diagonal tells, where each sample's entries compare with its own as counted."""
    smaller, equal, larger = compared
    n, n_others = len(own), int(compared.sum()) - len(own)
    usual = own == np.sort(own)[n // 2]
    alike = 2 * (equal[usual] - 1).sum() >= (compared[:, usual].sum(axis=0) - 1).sum()
    if n_others < 1 or (alike and np.count_nonzero(usual) >= _NEARLY_ALL * n):
        return None
    gap = _gap_of_means(own, entries, n_others)
    # Samples whose own value is less, or more, than most of the others of their row.
    below = np.count_nonzero(larger >= smaller + equal)
    above = np.count_nonzero(smaller >= larger + equal)
    if 0 < gap < np.inf and 2 * below <= n:  # no semidefinite similarity has more of them
        return "similarity"
    if not -np.inf < gap < 0 or below < above:
        return None
    # One that is negative is refused elsewhere, with its least value: what may be wrong with it.
    clear = below > 2 * above or n < _FEWEST_TO_DOUBT or entries.min() < 0
    return "dissimilarity" if clear else None


def _gap_of_means(own: Floats, entries: Floats, n_others: int) -> float:
    """Mean of a diagonal less that of the other entries, NaN left out, up to a positive factor."""
    with np.errstate(over="ignore", invalid="ignore"):
        gap = own.mean() - (entries.sum() - own.sum()) / n_others
        if not np.isfinite(gap):  # one sum tells, without a look at each, that none is NaN
            own, entries = np.ldexp(own, _ROOM_FOR_SUMS), np.ldexp(entries, _ROOM_FOR_SUMS)
            total = entries.sum(where=~np.isnan(entries))
            gap = own.mean() - (total - own.sum()) / n_others
    return float(gap)


def _compared_with_own(values: Floats, own: Floats) -> Indices:
    """How many entries of each row (3, n) are smaller than, equal to, larger than its own."""
    counts = np.empty((3, len(own)), dtype=np.intp)
    step = max(1, _COMPARED_AT_ONCE // len(own))
    for start in range(0, len(own), step):
        rows, theirs = values[start : start + step], own[start : start + step, None]
        for count, differs in zip(counts, _COMPARISONS, strict=True):
            count[start : start + step] = np.count_nonzero(differs(rows, theirs), axis=1)
    return counts


def _stored_compared_with_own(places: Values, own: Floats) -> Indices:
    """The same counts (3, n) of what a sparse matrix stores."""
    theirs = own[places.row]
    found = [places.row[differs(places.data, theirs)] for differs in _COMPARISONS]
    return np.array([np.bincount(rows, minlength=len(own)) for rows in found])


def contiguous(values: Values) -> Values:
    """Return an array in C order; CSR as it is."""
    return values if sparse.issparse(values) else np.ascontiguousarray(values)


def is_full(values: Values) -> bool:
    """Whether CSR stores every entry."""
    return values.nnz == values.shape[0] * values.shape[1]


def arrays_of(values: Values) -> list[NDArray[Any]]:
    """Return the arrays that hold the values."""
    if sparse.issparse(values):
        return [values.data, values.indices, values.indptr]
    return [values]
