"""`stored_pairwise`: a matrix that stays where and as it is, on disk or in single precision."""

from pathlib import Path
from typing import Any

import joblib
import numpy as np

from similearn.data.checks import require_choice, require_finite, require_flag
from similearn.data.lazy.lazy_block import LazyPairwise
from similearn.data.lazy.pair_views import slice_of
from similearn.data.values import KINDS, Floats, Indices, Kind, refuse_dtype
from similearn.errors import FileError, InputError, InputTypeError

_ROWS_AT_ONCE = 1024


class StoredPairs:
    """Entries of a matrix (M, N) of any type of numbers, as doubles; a source of lazy blocks.

    Parameters
    ----------
    matrix : array or memory map
    kind : whether large or small values mean near
    same : whether row i and column i are the same sample
    symmetric : whether the matrix equals its transpose
    one_way : whether of new rows ψ(row, column) alone will be known
    """

    name = "the stored matrix"
    releases_lock = True
    whole_rows = True  # rows are read from end to end: what disks and caches like

    def __init__(
        self, matrix: Any, kind: Kind, *, same: bool, symmetric: bool, one_way: bool = False
    ) -> None:
        self.matrix, self.kind, self.same, self.symmetric = matrix, kind, same, symmetric
        self.one_way = one_way

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns there are."""
        m, n = self.matrix.shape
        return int(m), int(n)

    def forward(self, rows: Indices, columns: Indices) -> Floats:
        """Entries (len(rows), len(columns)) as doubles, in C order."""
        part = self.matrix[slice_of(rows)][:, slice_of(columns)]
        found = np.ascontiguousarray(part, dtype=np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(found.sum()):
                require_finite(found, f"The stored matrix, from row {rows[0]} on,")
        return found

    def backward(self, rows: Indices, columns: Indices) -> Floats:
        """ψ(column, row), of samples with themselves."""
        return np.ascontiguousarray(self.forward(columns, rows).T)

    def pairs(self, rows: Indices, columns: Indices, *, turned: bool = False) -> Floats:
        """Single entries, (p,)."""
        places = (columns, rows) if turned else (rows, columns)
        found = np.asarray(self.matrix[places], dtype=np.float64)
        require_finite(found, "The stored matrix")
        return found

    def square(self, columns: Indices) -> Floats:
        """Entries among samples, (k, k)."""
        found = np.asarray(self.matrix[columns[:, None], columns], dtype=np.float64)
        require_finite(found, "The stored matrix")
        return found

    def self_values(self, rows: Indices) -> Floats:
        """Entries of the diagonal."""
        return np.asarray(self.matrix[rows, rows], dtype=np.float64)

    def digest(self) -> str:
        """A name for the matrix by its content."""
        return str(joblib.hash([np.asarray(self.matrix), self.kind, self.same]))

    def only(self, rows: Indices) -> "StoredPairs":
        """The source of some samples with themselves, in memory."""
        part = np.asarray(self.matrix[rows[:, None], rows])
        told = {"symmetric": self.symmetric, "one_way": self.one_way}
        return StoredPairs(part, self.kind, same=True, **told)


def stored_pairwise(
    values: Any,
    kind: Kind,
    *,
    same_samples: bool | None = None,
    symmetric: bool | None = None,
    one_way: bool = False,
) -> LazyPairwise:
    """Make a block of a matrix that is not copied: a memory map, or numbers in single precision.

    Parameters
    ----------
    values : (m, n) array or memory map of any numbers, or the name of an .npy file
    kind : {"similarity", "dissimilarity"}
    same_samples : bool, optional
        Whether row i and column i are the same sample; by default, whether it is square.
    symmetric : bool, optional
        Whether it equals its transpose, of samples with themselves; by default it is read once to
        see.
    one_way : bool, default=False
        Whether of new samples one direction alone will be known, as of new rows of such a matrix:
        see `Pairwise`.

    Returns
    -------
    LazyPairwise
        Rows are read, and become doubles, when they are asked for: memory is bounded by
        scikit-learn's ``working_memory``. Local methods work on it as on a `Pairwise` of the same
        numbers in double precision, to the last bit; what single precision has rounded off, one
        part in 17 million of a number, is lost before.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import NeighborsClassifier, stored_pairwise
    >>> S = np.array([[1, 0.8, 0.1], [0.8, 1, 0.2], [0.1, 0.2, 1]], dtype=np.float32)
    >>> block = stored_pairwise(S, "similarity")
    >>> block.nearest(1, skip_self=True)[0].ravel()
    array([1, 0, 1])
    """
    require_choice("kind", kind, KINDS)
    matrix = _mapped(values) if isinstance(values, str | Path) else values
    if not isinstance(matrix, np.ndarray):
        raise InputTypeError(
            f"values is of type {type(values).__name__}; expected an array, a memory map or the "
            "name of an .npy file. Pairwise takes other forms."
        )
    refuse_dtype(matrix.dtype, "values")
    if matrix.ndim != 2 or not matrix.size:
        raise InputError(f"values has shape {matrix.shape}; expected rows and columns.")
    square = matrix.shape[0] == matrix.shape[1]
    same = square if same_samples is None else require_flag("same_samples", same_samples)
    if same and not square:
        raise InputError(f"same_samples=True needs a square block, got {matrix.shape}.")
    if symmetric is None:
        symmetric = same and _equals_transpose(matrix)
    symmetric = require_flag("symmetric", symmetric) or not same
    require_flag("one_way", one_way)
    told = {"symmetric": symmetric, "one_way": bool(one_way)}
    return LazyPairwise(StoredPairs(matrix, kind, same=same, **told))


def _mapped(path: Any) -> Any:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        told = getattr(error, "strerror", None) or "it is no .npy file of numbers, or damaged"
        raise FileError(f"{path} cannot be mapped: {told}.") from None


def _equals_transpose(matrix: Any) -> bool:
    """Whether a square matrix equals its transpose exactly, square by square."""
    starts = range(0, len(matrix), _ROWS_AT_ONCE)
    for i in starts:
        for j in (start for start in starts if start >= i):
            one = matrix[i : i + _ROWS_AT_ONCE, j : j + _ROWS_AT_ONCE]
            if not np.array_equal(one, matrix[j : j + _ROWS_AT_ONCE, i : i + _ROWS_AT_ONCE].T):
                return False
    return True
