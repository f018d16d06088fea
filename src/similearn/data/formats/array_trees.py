"""Trees of arrays: HDF5 and Zarr, and AnnData in either of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.data.files.archives import most_unpacked, require_sparse_shape
from similearn.data.files.arrays import NamedArrays, from_arrays
from similearn.data.files.contents import Contents, Wanted, label_vector, numbers
from similearn.data.values import Values
from similearn.errors import FileError, MissingExtraError

_MOST_ARRAYS = 10_000
_KINDS = (("dist", "dissimilarity"), ("connectiv", "similarity"), ("simil", "similarity"))


def read_hdf5(path: Path, wanted: Wanted) -> Contents:
    """Read a block of an HDF5 file, by h5py."""
    with _opened(path, "h5py", "File", "an HDF5 file") as tree:
        return _from_tree(path, tree, wanted, path.stat().st_size)


def read_zarr(path: Path, wanted: Wanted) -> Contents:
    """Read a block of a Zarr store, a folder or a zip archive, by zarr."""
    parts = path.rglob("*") if path.is_dir() else [path]
    n_bytes = sum(part.stat().st_size for part in parts if part.is_file())
    with _opened(path, "zarr", "open", "a Zarr store") as tree:
        if hasattr(tree, "shape"):  # one array alone
            return Contents(numbers(_array(path, tree, n_bytes), path, "the array"))
        return _from_tree(path, tree, wanted, n_bytes)


@contextmanager
def _opened(path: Path, package: str, opener: str, what: str) -> Iterator[Any]:
    try:
        module = import_module(package)
    except ImportError:
        raise MissingExtraError(
            f"{path} is {what}, which needs the package {package}: pip install {package}."
        ) from None
    tree = getattr(module, opener)(str(path), mode="r")
    try:
        yield tree
    finally:
        if hasattr(tree, "close"):
            tree.close()


def _from_tree(path: Path, tree: Any, wanted: Wanted, n_bytes: int) -> Contents:
    if "obsp" in tree:
        return _from_anndata(path, tree, wanted, n_bytes)
    names = list(_paths_of_arrays(tree))
    arrays = NamedArrays(path, names, lambda name: _array(path, tree[name], n_bytes))
    return from_arrays(arrays, wanted.part, wanted.with_labels)


def _paths_of_arrays(tree: Any, prefix: str = "", depth: int = 0) -> Iterator[str]:
    for count, name in enumerate(tree):
        if count > _MOST_ARRAYS or depth > 10:
            return
        part = tree[name]
        if hasattr(part, "shape"):
            yield prefix + name
        else:
            yield from _paths_of_arrays(part, f"{prefix}{name}/", depth + 1)


def _from_anndata(path: Path, tree: Any, wanted: Wanted, n_bytes: int) -> Contents:
    """Read one of the pairwise arrays of an AnnData object, `obsp`, and its observations."""
    there = list(tree["obsp"])
    part = wanted.part.removeprefix("obsp/") if wanted.part is not None else None
    if part is None and len(there) == 1:
        part = there[0]
    if part not in there:
        told = "has no part " + repr(part) if part is not None else "holds no or several blocks"
        raise FileError(
            f"{path} {told}; its obsp holds {', '.join(there) or 'nothing'}. Name one with "
            "part='...'."
        )
    place = f"obsp {part!r}"
    values = _matrix(path, tree["obsp"][part], n_bytes)
    ids = _column(path, tree["obs"], _text(tree["obs"].attrs["_index"]), n_bytes)
    ids = ids.astype(str)
    contents = Contents(numbers(values, path, place), place, row_ids=ids, column_ids=ids)
    contents.same_samples = True
    contents.kind = next((kind for word, kind in _KINDS if word in str(part).lower()), None)
    if wanted.label_column is not None:
        if wanted.label_column not in tree["obs"]:
            raise FileError(
                f"{path} has no column {wanted.label_column!r} of observations; it has "
                f"{', '.join(sorted(tree['obs']))}."
            )
        labels = _column(path, tree["obs"], wanted.label_column, n_bytes)
        contents.labels = label_vector(labels, path, f"obs {wanted.label_column!r}")
    return contents


def _matrix(path: Path, part: Any, n_bytes: int) -> Values:
    if hasattr(part, "shape"):
        return _array(path, part, n_bytes)
    form = _text(part.attrs.get("encoding-type", ""))
    if form not in ("csr_matrix", "csc_matrix"):
        raise FileError(f"{path}: an array is stored as {form!r}; expected csr_matrix or dense.")
    data, indices, indptr = (
        _array(path, part[name], n_bytes) for name in ("data", "indices", "indptr")
    )
    shape = tuple(int(size) for size in part.attrs["shape"])
    require_sparse_shape(path, shape, len(data))
    make = sparse.csr_array if form == "csr_matrix" else sparse.csc_array
    try:
        matrix = make((data, indices, indptr), shape=shape)
        matrix.check_format(full_check=True)
    except ValueError as error:
        raise FileError(f"{path}: the sparse block is damaged ({error}).") from error
    return matrix


def _column(path: Path, frame: Any, name: str, n_bytes: int) -> NDArray[Any]:
    """A column of a stored data frame; a category is its word, a missing one None."""
    part = frame[name]
    if hasattr(part, "shape"):
        return _array(path, part, n_bytes)
    if "categories" not in part or "codes" not in part:
        raise FileError(f"{path}: the column {name!r} is stored in a way that is not supported.")
    words = _matrix_of_words(path, part["categories"], n_bytes)
    codes = _array(path, part["codes"], n_bytes)
    if codes.dtype.kind not in "iu" or codes.max(initial=-1) >= len(words):
        raise FileError(f"{path}: the categories of {name!r} are damaged.")
    if codes.min(initial=0) < 0:
        raise FileError(f"{path}: some samples have no {name!r}; leave them out before.")
    return words[codes]


def _matrix_of_words(path: Path, part: Any, n_bytes: int) -> NDArray[Any]:
    if hasattr(part, "shape"):
        return _array(path, part, n_bytes)
    return _array(path, part["values"], n_bytes)


def _array(path: Path, part: Any, n_bytes: int) -> NDArray[Any]:
    """The whole of an array, unless it claims to be larger than its file can hold."""
    size = int(np.prod(part.shape, dtype=float)) * max(int(part.dtype.itemsize), 1)
    if size > most_unpacked(n_bytes):
        raise FileError(
            f"{path} announces an array of shape {part.shape}, {size:,} bytes, but is too small "
            "for it: this looks like a damaged or malicious file."
        )
    array = np.asarray(part[...])
    if array.dtype == object or array.dtype.kind == "T":
        return np.array([_text(item) for item in array.ravel()]).reshape(array.shape)
    return array


def _text(item: Any) -> str:
    return item.decode("utf-8", "replace") if isinstance(item, bytes) else str(item)
