"""Sparse matrices of R's package Matrix: dgCMatrix and its relatives."""

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.data.files.archives import require_sparse_shape
from similearn.errors import FileError

# Numbers, logicals or pattern; general, symmetric or triangular; by columns, rows or places.
_CLASSES = re.compile("[dln][gst][CRT]Matrix")


def class_of(found: Any) -> str:
    """The name of the class of an object of R, as rdata gives one whose class it does not know."""
    named = np.asarray(getattr(found, "class", "")).ravel()
    return str(named[0]) if named.size else ""


def is_sparse_class(found: Any) -> bool:
    """Whether an object of R is a sparse matrix."""
    return _CLASSES.fullmatch(class_of(found)) is not None


def sparse_matrix(path: Path, place: str, found: Any) -> sparse.csr_array:
    """Return the matrix (m, n); every index is looked at before it is followed."""
    name = class_of(found)
    try:
        shape = tuple(int(n) for n in found.Dim)
        rows, columns = _places(found, name[2], shape)
        values = np.ones(len(rows)) if name[0] == "n" else np.asarray(found.x, dtype=np.float64)
        if len(shape) != 2 or len(rows) != len(values):
            raise ValueError(f"shape {shape}, {len(rows)} places and {len(values)} values")
        _require_within(rows, shape[0])
        _require_within(columns, shape[1])
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise FileError(
            f"{path}: {place} is no complete {name} ({error}). Is the file damaged?"
        ) from error
    require_sparse_shape(path, shape, len(values))
    matrix = sparse.coo_array((values, (rows, columns)), shape=shape)
    return _whole(matrix, name[1], str(np.ravel(getattr(found, "diag", "N"))[0]))


def _places(found: Any, form: str, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Row and column of every stored value."""
    if form == "T":
        return np.asarray(found.i, dtype=np.int64), np.asarray(found.j, dtype=np.int64)
    starts = np.asarray(found.p, dtype=np.int64)
    across = np.asarray(found.i if form == "C" else found.j, dtype=np.int64)
    n = shape[1] if form == "C" else shape[0]
    lengths: NDArray[np.int64] = np.diff(starts)
    if len(starts) != n + 1 or starts[0] != 0 or (lengths < 0).any() or starts[-1] != len(across):
        raise ValueError("its starts do not fit its places")
    along = np.repeat(np.arange(n), lengths)
    return (across, along) if form == "C" else (along, across)


def _require_within(places: NDArray[np.int64], n: int) -> None:
    if places.size and (places.min() < 0 or places.max() >= n):
        raise ValueError("a place is outside")


def _whole(matrix: sparse.coo_array, shape: str, diagonal: str) -> sparse.csr_array:
    """All entries: those of a symmetric matrix stand on one side, a unit diagonal nowhere."""
    if shape == "s":
        off = matrix.row != matrix.col
        other = (matrix.data[off], (matrix.col[off], matrix.row[off]))
        matrix = matrix + sparse.coo_array(other, shape=matrix.shape)
    elif shape == "t" and diagonal == "U":
        matrix = matrix + sparse.eye_array(matrix.shape[0])
    return sparse.csr_array(matrix)
