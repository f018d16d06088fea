"""Trees of arrays: HDF5 and Zarr, and AnnData in either of them."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.data.files.archives import opened_archive, require_sparse_shape
from similearn.data.files.arrays import NamedArrays, from_arrays
from similearn.data.files.contents import Contents, Wanted, label_vector, numbers
from similearn.data.formats.trees_apart import ArrayApart, tree_apart
from similearn.data.values import Values
from similearn.errors import FileError

# Descriptions of arrays in a Zarr store, where they name codecs, and the codecs that only pack.
_DESCRIPTIONS = (".zarray", ".zmetadata", "zarr.json")
_LARGEST_DESCRIPTION = 1 << 24
_OF_CODECS = {"filters", "compressor", "codecs", "index_codecs"}
_CODECS = {
    *("bytes", "transpose", "sharding_indexed", "crc32c", "crc32", "adler32", "fletcher32"),
    *("blosc", "gzip", "zlib", "zstd", "lz4", "bz2", "lzma", "shuffle", "delta", "bitround"),
    *("fixedscaleoffset", "quantize", "astype", "packbits", "vlen-utf8", "vlen-bytes"),
}
_KINDS = (("dist", "dissimilarity"), ("connectiv", "similarity"), ("simil", "similarity"))


def read_hdf5(path: Path, wanted: Wanted) -> Contents:
    """Read a block of an HDF5 file, by h5py."""
    with tree_apart(path, "h5py", path.stat().st_size) as tree:
        return _from_tree(path, tree, wanted)


def read_zarr(path: Path, wanted: Wanted) -> Contents:
    """Read a block of a Zarr store, a folder or a zip archive, by zarr."""
    n_bytes = 0
    for name, size, described in _parts_of_store(path):
        n_bytes += size
        if name.endswith(_DESCRIPTIONS):
            _require_known_codecs(path, described())
    with tree_apart(path, "zarr", n_bytes) as tree:
        if isinstance(tree, ArrayApart):  # one array alone
            return Contents(numbers(tree.read(), path, "the array"))
        return _from_tree(path, tree, wanted)


def _parts_of_store(path: Path) -> Iterator[tuple[str, int, Callable[[], bytes]]]:
    """Name, size and content of every file of a store."""
    if not path.is_dir():
        with opened_archive(path) as archive:
            packed = path.stat().st_size // max(len(archive.names), 1) + 1
            for name in archive.names:
                yield name, packed, partial(archive.read, name)
        return
    for part in path.rglob("*"):
        if part.is_dir() and not part.is_symlink():
            continue
        if part.is_symlink() or not part.is_file():
            raise FileError(f"{path} holds {part.name}, a link or a device; expected plain files.")
        yield part.name, part.stat().st_size, part.read_bytes


def _require_known_codecs(path: Path, described: bytes) -> None:
    """Refuse stores that ask for anything but plain packing: some codecs run what they read."""
    if len(described) > _LARGEST_DESCRIPTION:
        raise FileError(f"{path}: the description of an array is too large.")
    waiting = [json.loads(described)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            for key in _OF_CODECS & node.keys():
                codecs = node[key] if isinstance(node[key], list) else [node[key]]
                for codec in filter(None, codecs):
                    _require_known_codec(path, codec)
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node


def _require_known_codec(path: Path, codec: Any) -> None:
    name = codec.get("id", codec.get("name")) if isinstance(codec, dict) else codec
    if str(name).removeprefix("numcodecs.") not in _CODECS:
        raise FileError(
            f"{path} is packed by {str(name)[:30]!r}, which is not read: expected one of "
            f"{', '.join(sorted(_CODECS))}."
        )


def _from_tree(path: Path, tree: Any, wanted: Wanted) -> Contents:
    if "obsp" in tree:
        return _from_anndata(path, tree, wanted)
    found = dict(tree.arrays())
    arrays = NamedArrays(path, list(found), lambda name: found[name].read())
    return from_arrays(arrays, wanted.part, wanted.with_labels)


def _from_anndata(path: Path, tree: Any, wanted: Wanted) -> Contents:
    """Read one of the pairwise arrays of an AnnData object, `obsp`, and its observations."""
    there = sorted(tree["obsp"])
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
    values = _matrix(path, tree["obsp"][part])
    ids = _column(path, tree["obs"], str(tree["obs"].attrs["_index"]))
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
        labels = _column(path, tree["obs"], wanted.label_column)
        contents.labels = label_vector(labels, path, f"obs {wanted.label_column!r}")
    return contents


def _matrix(path: Path, part: Any) -> Values:
    if isinstance(part, ArrayApart):
        return _read(part)
    form = str(part.attrs.get("encoding-type", ""))
    if form not in ("csr_matrix", "csc_matrix"):
        raise FileError(f"{path}: an array is stored as {form!r}; expected csr_matrix or dense.")
    data, indices, indptr = (_read(part[name]) for name in ("data", "indices", "indptr"))
    shape = tuple(int(size) for size in part.attrs["shape"])
    require_sparse_shape(path, shape, len(data))
    make = sparse.csr_array if form == "csr_matrix" else sparse.csc_array
    try:
        matrix = make((data, indices, indptr), shape=shape)
        matrix.check_format(full_check=True)
    except ValueError as error:
        raise FileError(f"{path}: the sparse block is damaged ({error}).") from error
    return matrix


def _column(path: Path, frame: Any, name: str) -> NDArray[Any]:
    """A column of a stored data frame; a category is its word, a missing one None."""
    part = frame[name]
    if isinstance(part, ArrayApart):
        return _read(part)
    if "values" in part and "mask" in part:  # pandas' own integers and strings
        return _masked(path, name, _read(part["values"]), _read(part["mask"]))
    if "categories" not in part or "codes" not in part:
        raise FileError(f"{path}: the column {name!r} is stored in a way that is not supported.")
    words = _matrix_of_words(path, part["categories"])
    codes = _read(part["codes"])
    if codes.dtype.kind not in "iu" or codes.max(initial=-1) >= len(words) or not len(words):
        raise FileError(f"{path}: the categories of {name!r} are damaged.")
    return _masked(path, name, words[codes], codes < 0)


def _masked(path: Path, name: str, values: NDArray[Any], mask: NDArray[Any]) -> NDArray[Any]:
    """The values, with None or NaN where the mask says that there is none."""
    if values.shape != mask.shape or mask.dtype.kind != "b":
        raise FileError(f"{path}: the column {name!r} is damaged.")
    if not mask.any():
        return values
    if values.dtype.kind in "buif":
        return np.where(mask, np.nan, values.astype(np.float64))
    known = values.astype(object)
    known[mask] = None
    return known


def _matrix_of_words(path: Path, part: Any) -> NDArray[Any]:
    if isinstance(part, ArrayApart):
        return _read(part)
    return _read(part["values"])


def _read(part: Any) -> NDArray[Any]:
    if not isinstance(part, ArrayApart):
        raise FileError("a group stands where an array is expected")
    return part.read()
