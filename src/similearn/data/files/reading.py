"""Blocks from files, with labels in the same file or beside it."""

import difflib
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.data.checks import require_finite
from similearn.data.files.archives import opened_archive
from similearn.data.files.arrays import npy_array, read_mat, read_numpy
from similearn.data.files.contents import Contents, label_vector, reading
from similearn.data.files.matrix_market import read_mtx
from similearn.data.files.text import read_label_table, read_table
from similearn.data.pairwise import Pairwise
from similearn.data.values import KINDS, Kind, Values
from similearn.errors import FileError, InputError

_READERS: dict[str, Callable[[Path, str | None, bool], Contents] | None] = {
    ".npz": read_numpy,
    ".npy": read_numpy,
    ".mat": read_mat,
    ".mtx": read_mtx,
    ".mtx.gz": read_mtx,
    ".csv": None,
    ".csv.gz": None,
    ".tsv": None,
    ".tsv.gz": None,
}
_LABEL_SUFFIXES = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz", ".npy")


@dataclass(frozen=True, eq=False)
class LabelledPairwise:
    """What a file held: ``X, y = read_pairwise(path)``, or by name.

    Attributes
    ----------
    block : Pairwise
    labels : (m,) array, or None if there were none
    name : the file's name without its ending
    """

    block: Pairwise
    labels: NDArray[Any] | None
    name: str

    def __iter__(self) -> Iterator[Any]:
        yield self.block
        yield self.labels


def read_pairwise(
    path: str | Path,
    *,
    labels: Any = None,
    kind: Kind | None = None,
    part: str | None = None,
    missing: Literal["error", "zero"] = "error",
) -> LabelledPairwise:
    """Read a block of similarities or dissimilarities, and its labels if there are any.

    Parameters
    ----------
    path : file ending in .npz, .npy, .mat, .csv, .tsv (also .csv.gz, .tsv.gz), .mtx (.mtx.gz)
        .npz and .mat: the block is the array S, D or values (or the only table there is),
        labels are y, kind is a word; `scipy.sparse.save_npz` files are read too.
        .csv and .tsv: header, ids in the first column and a column "label" are noticed.
        .mtx: sparse.
    labels : path or sequence of length m, optional
        By default those in the file, else those in a file beside it:
        ``<name>.labels.csv``, ``<name>-labels.txt``, ``<name>_labels.npy`` and the like,
        one label per line, alone or after an id.
    kind : {"similarity", "dissimilarity"}, needed where the file does not say
    part : optional
        Of a file with several blocks, which one: "train" (S_train with y_train, the
        default there), "test", or the name of an array.
    missing : {"error", "zero"}
        "zero" reads a similarity as sparse and leaves NaN and blank cells out as zeros.

    Returns
    -------
    LabelledPairwise, which unpacks into block and labels

    Notes
    -----
    Nothing in a file is executed: ``allow_pickle=False`` always. A `FileError` names
    file and line (text) or array.
    """
    with reading(Path(path)):
        file = _existing(Path(path))
    name, suffix = _split(file, tuple(_READERS))
    if kind is not None and kind not in KINDS:
        raise InputError(f"kind={kind!r} is unknown; expected 'similarity' or 'dissimilarity'.")
    if missing not in ("error", "zero"):
        raise InputError(f"missing={missing!r} is unknown; expected 'error' or 'zero'.")
    if part is not None and suffix not in (".npz", ".mat"):
        raise InputError(f"part={part!r} is for .npz and .mat files; {file} holds one block.")
    reader = _READERS[suffix]
    with reading(file):
        if reader is None:
            contents = read_table(file, keep_missing=missing == "zero", with_labels=labels is None)
        else:
            contents = reader(file, part, labels is None)
    known = _decided_kind(file, contents, kind)
    contents.values = _completed(file, contents.values, contents.place, known, missing)
    if contents.reverse is not None:
        contents.reverse = _completed(file, contents.reverse, "array 'reverse'", known, missing)
    block = _block(file, contents, known)
    return LabelledPairwise(block, _found_labels(file, name, contents, labels), name)


def _existing(path: Path) -> Path:
    if path.is_dir():
        raise FileError(f"{path} is a folder; expected a file.")
    if not path.exists():
        folder = path.parent
        names = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
        near = difflib.get_close_matches(path.name, names, n=3, cutoff=0.5)
        if not folder.is_dir():
            hint = f" There is no folder {folder} either."
        else:
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise FileError(f"{path} does not exist.{hint}")
    if not path.is_file():
        raise FileError(f"{path} is no regular file; expected one that holds a block.")
    if path.stat().st_size == 0:
        raise FileError(f"{path} is empty (0 bytes).")
    return path


def _split(path: Path, suffixes: tuple[str, ...]) -> tuple[str, str]:
    """Name and ending of a file; the longest ending wins."""
    lower = path.name.lower()
    for suffix in sorted(suffixes, key=len, reverse=True):
        if lower.endswith(suffix):
            return path.name[: -len(suffix)], suffix
    raise FileError(
        f"{path} has an ending that is not known; expected one of {', '.join(suffixes)}."
    )


def _decided_kind(path: Path, contents: Contents, kind: Kind | None) -> Kind:
    if kind is None and contents.kind is None:
        raise FileError(
            f"{path} does not say whether large values mean near. Say it: kind='similarity' or "
            "kind='dissimilarity' (on the command line: --kind similarity)."
        )
    if kind is not None and contents.kind_is_certain and contents.kind != kind:
        raise FileError(
            f"{path} says that it holds a {contents.kind}, but kind={kind!r} was given. Leave kind "
            "out; to convert, see similearn.convert."
        )
    return kind if kind is not None else contents.kind  # type: ignore[return-value]


def _completed(path: Path, values: Values, place: str, kind: Kind, missing: str) -> Values:
    """Finite values; with missing="zero" a sparse block without its NaN entries."""
    if missing == "zero":
        if kind == "dissimilarity":
            raise FileError(
                f"{path}: missing='zero' is for similarities only. An unknown dissimilarity is "
                "not zero: zero would mean the same sample. Fill it in before."
            )
        values = sparse.csr_array(values, copy=True)
        values.data[np.isnan(values.data)] = 0.0
        values.eliminate_zeros()
    try:
        require_finite(values, place or "the block")
    except InputError as error:
        raise FileError(f"{path}: {error}") from error
    return values


def _block(path: Path, contents: Contents, kind: Kind) -> Pairwise:
    try:
        return Pairwise(
            contents.values,
            kind,
            reverse=contents.reverse,
            self_values=contents.self_values,
            row_ids=contents.row_ids,
            column_ids=contents.column_ids,
            same_samples=contents.same_samples,
        )
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _found_labels(path: Path, name: str, contents: Contents, given: Any) -> NDArray[Any] | None:
    """Return labels that were given, else of the file, else of a file beside it."""
    if isinstance(given, str | Path):
        return _labels_of(Path(given), path, contents)
    if given is not None:
        return _fitting(label_vector(given, path, "labels"), "labels", path, contents)
    if contents.labels is not None:
        return _fitting(contents.labels, "its labels", path, contents)
    beside = [
        path.with_name(f"{name}{mark}labels{suffix}")
        for mark in ".-_"
        for suffix in _LABEL_SUFFIXES
    ]
    found = [file for file in beside if file.exists()]
    if len(found) > 1:
        raise FileError(
            f"{path} has two files of labels beside it, {found[0].name} and {found[1].name}. Say "
            "which: labels='...'."
        )
    return _labels_of(found[0], path, contents) if found else None


def _labels_of(file: Path, path: Path, contents: Contents) -> NDArray[Any]:
    """Labels of a file; matched by id where both have ids."""
    with reading(file):
        _, suffix = _split(_existing(file), (*_LABEL_SUFFIXES, ".npz"))
    if suffix in (".npy", ".npz"):
        labels, ids = _label_array(file), None
    else:
        labels, ids = read_label_table(file)
    if ids is None or contents.row_ids is None:
        return _fitting(labels, str(file), path, contents)
    place = {sample: i for i, sample in enumerate(ids)}
    unknown = [str(sample) for sample in contents.row_ids if str(sample) not in place]
    if unknown:
        raise FileError(
            f"{file} has no label for the sample {unknown[0]!r} of {path} ({len(unknown)} such)."
        )
    return labels[[place[str(sample)] for sample in contents.row_ids]]


def _label_array(file: Path) -> NDArray[Any]:
    with reading(file):
        if not zipfile.is_zipfile(file):
            return label_vector(npy_array(file), file, "the array")
        with opened_archive(file) as archive:
            if "y.npy" not in archive.names:
                raise FileError(
                    f"{file} holds no labels: expected a vector of numbers or words, named y."
                )
            return label_vector(archive.array("y.npy"), file, "array 'y'")


def _fitting(labels: NDArray[Any], what: str, path: Path, contents: Contents) -> NDArray[Any]:
    m, n = contents.values.shape
    if len(labels) == m:
        return labels
    hint = " Is the first of them a heading? Call it 'label'." if len(labels) == m + 1 else ""
    if len(labels) == n:
        hint = " They fit its columns: is the block transposed?"
    raise FileError(
        f"{path} has {m} rows, but there are {len(labels)} labels ({what}); expected one label a "
        f"row.{hint}"
    )
