"""Files of arrays: .npz, .npy and .mat. Nothing in them is ever executed."""

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.data.files.archives import (
    opened_archive,
    read_npy,
    refuse_documents,
    require_sparse_shape,
)
from similearn.data.files.contents import (
    DAMAGE,
    LABEL_NAMES,
    Contents,
    label_vector,
    numbers,
    one_line,
    reading,
)
from similearn.data.files.matlab import read_matlab
from similearn.data.values import KINDS
from similearn.errors import FileError, InputError

# Names of blocks, in the order in which they are looked for, and what they say of the kind.
BLOCK_NAMES = {
    "S": "similarity",
    "D": "dissimilarity",
    "similarity": "similarity",
    "dissimilarity": "dissimilarity",
    "values": None,
}
_SPARSE_NAMES = {
    "csr": ("data", "indices", "indptr"),
    "csc": ("data", "indices", "indptr"),
    "coo": ("data", "row", "col"),
}


def read_numpy(path: Path, part: str | None, with_labels: bool) -> Contents:
    """Read .npz and .npy, told apart by what is inside, not by the name."""
    with reading(path):
        if zipfile.is_zipfile(path):
            refuse_documents(path)
            with opened_archive(path) as archive:
                members = {name.removesuffix(".npy"): name for name in archive.names}
                arrays = NamedArrays(path, list(members), lambda name: archive.array(members[name]))
                return from_arrays(arrays, part, with_labels)
        return Contents(numbers(npy_array(path), path, ""))


def npy_array(path: Path) -> NDArray[Any]:
    """The array of an .npy file."""
    with open(path, "rb") as stream:
        if stream.read(6) != b"\x93NUMPY":
            raise FileError(f"{path} is no NumPy file; expected what np.save or np.savez writes.")
        stream.seek(0)
        try:
            return read_npy(stream, path.stat().st_size)
        except Exception as error:  # NumPy raises nearly anything on a damaged header
            raise FileError(_why_not_numpy(path, error)) from error


def read_mat(path: Path, part: str | None, with_labels: bool) -> Contents:
    """Read .mat up to version 7."""
    with reading(path):
        arrays = read_matlab(path)
    return from_arrays(NamedArrays(path, list(arrays), arrays.__getitem__), part, with_labels)


class NamedArrays(Mapping[str, Any]):
    """Named arrays of one file, loaded when asked for; errors name file and array."""

    def __init__(self, path: Path, names: list[str], load: Callable[[str], Any]) -> None:
        self.path, self._names, self._load = path, names, load

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        try:
            return self._load(name)
        except DAMAGE:
            raise
        except Exception as error:
            if isinstance(error, FileError) and str(self.path) in str(error):
                raise  # it says all
            reason = (
                "holds Python objects, which only running code from the file could restore. "
                "Save plain numbers or words instead, such as y.astype(str)."
                if "Python objects" in str(error)
                else f"is truncated or damaged ({one_line(error)})."
            )
            raise FileError(f"{self.path}: array {name!r} {reason}") from error

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Any:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def word(self, name: str) -> str:
        """Return the one word that an array holds."""
        array = np.asarray(self[name])
        if array.size != 1 or array.dtype.kind not in "US":
            raise FileError(
                f"{self.path}: array {name!r} has type {array.dtype} and shape {array.shape}; "
                "expected one word."
            )
        word = array.reshape(-1)[0]
        return word.decode("ascii", "replace") if isinstance(word, bytes) else str(word)


def from_arrays(arrays: NamedArrays, part: str | None, with_labels: bool) -> Contents:
    """Find block, labels and kind by their names."""
    if part is None and {"format", "shape", "data"} <= set(arrays):
        values, name = _sparse(arrays), ""
    else:
        name = _block_name(arrays, part)
        values = numbers(arrays[name], arrays.path, f"array {name!r}")
    suffix = next((s for s in ("_train", "_test") if name.endswith(s)), "")
    contents = Contents(
        values,
        place=f"array {name!r}" if name else "",
        labels=_labels(arrays, suffix) if with_labels else None,
        kind=BLOCK_NAMES.get(name.removesuffix(suffix)),
    )
    if "kind" in arrays:
        contents.kind, contents.kind_is_certain = _kind(arrays), True
    if suffix == "_train" and values.shape[0] != values.shape[1]:
        raise FileError(
            f"{arrays.path}: array {name!r} has shape {values.shape}; expected a square block, "
            "training samples against themselves."
        )
    if suffix == "_test":
        contents.same_samples = False
    _add_extras(contents, arrays, suffix)
    return contents


def _add_extras(contents: Contents, arrays: NamedArrays, suffix: str) -> None:
    """Read what `write_pairwise` stores beside values, labels and kind."""
    if f"reverse{suffix}" in arrays:
        contents.reverse = numbers(arrays[f"reverse{suffix}"], arrays.path, "array 'reverse'")
    elif not suffix and "reverse_data" in arrays:
        contents.reverse = _sparse(arrays, "reverse_")
    for name in ("self_values", "row_ids", "column_ids"):
        if name + suffix in arrays:
            setattr(contents, name, np.asarray(arrays[name + suffix]).ravel())
    if "same_samples" in arrays and not suffix:
        contents.same_samples = bool(np.all(arrays["same_samples"]))


def _block_name(arrays: NamedArrays, part: str | None) -> str:
    if part in arrays:
        return str(part)
    suffixes = ["", "_train"] if part is None else [f"_{part}"]
    for suffix in suffixes:
        for name in BLOCK_NAMES:
            if name + suffix in arrays:
                return name + suffix
    if part is not None:
        raise FileError(f"{arrays.path} has no part {part!r}. {_listed(arrays)}")
    blocks = [name for name in arrays if _is_block(name, arrays[name])]
    if len(blocks) == 1:
        return blocks[0]
    found = "several two-dimensional arrays" if blocks else "no two-dimensional array of numbers"
    raise FileError(
        f"{arrays.path} holds {found} and none is named S, D or values. {_listed(arrays)}"
    )


def _is_block(name: str, array: Any) -> bool:
    is_table = array.ndim == 2 and (1 not in array.shape or array.shape == (1, 1))
    return is_table and array.dtype.kind in "buifc" and name.lower() not in LABEL_NAMES


def _listed(arrays: NamedArrays) -> str:
    if not arrays:
        return "It is empty."
    told = ", ".join(f"{name} {arrays[name].shape}" for name in arrays)
    return f"It holds {told}. Name the block with part='...'."


def _labels(arrays: NamedArrays, suffix: str) -> Any:
    by_lower = {name.lower(): name for name in arrays}
    for wanted in LABEL_NAMES:
        name = by_lower.get(wanted + suffix)
        if name is not None:
            return label_vector(arrays[name], arrays.path, f"array {name!r}")
    return None


def _kind(arrays: NamedArrays) -> str:
    kind = arrays.word("kind").strip()
    if kind not in KINDS:
        raise FileError(
            f"{arrays.path}: array 'kind' says {kind!r}; expected 'similarity' or 'dissimilarity'."
        )
    return kind


def _sparse(arrays: NamedArrays, prefix: str = "") -> Any:
    """Read a matrix as `scipy.sparse.save_npz` writes it."""
    form = arrays.word(prefix + "format")
    if form not in _SPARSE_NAMES:
        raise FileError(
            f"{arrays.path}: sparse format {form!r} is not supported; save it as CSR: "
            "scipy.sparse.save_npz(path, matrix.tocsr())."
        )
    try:
        data, one, two = (np.asarray(arrays[prefix + name]) for name in _SPARSE_NAMES[form])
        shape = tuple(int(length) for length in arrays[prefix + "shape"])
        require_sparse_shape(arrays.path, shape, len(data))
        if one.dtype.kind not in "iu" or two.dtype.kind not in "iu" or data.ndim != 1:
            raise ValueError("positions are no integers, or values no vector")
        if form == "coo":
            matrix = sparse.coo_array((data, (one, two)), shape=shape).tocsr()
        else:
            make = sparse.csr_array if form == "csr" else sparse.csc_array
            matrix = make((data, one, two), shape=shape)
            matrix.check_format(full_check=True)
        return numbers(matrix, arrays.path, "the sparse block")
    except KeyError as error:
        raise FileError(f"{arrays.path}: the sparse block lacks array {error}.") from error
    except (ValueError, TypeError) as error:
        if isinstance(error, FileError | InputError):
            raise
        raise FileError(f"{arrays.path}: the sparse block is damaged ({error}).") from error


def _why_not_numpy(path: Path, error: Exception) -> str:
    if "Python objects" in str(error):
        return (
            f"{path} holds Python objects, which only running code from the file could restore. "
            "Save plain numbers instead: np.save(path, X.astype(float))."
        )
    return f"{path} is truncated or damaged ({one_line(error)})."
