"""Labels for samples: given, in the file, or in a file beside it; joined by id where ids exist."""

import os
import re
import zipfile
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.data.files.archives import opened_archive
from similearn.data.files.arrays import npy_array
from similearn.data.files.contents import (
    ID_NAMES,
    LABEL_NAMES,
    label_vector,
    labels_from_words,
    reading,
)
from similearn.data.files.cut_lines import Line, table_lines
from similearn.data.files.locating import existing
from similearn.data.files.text import label_words, unique_ids
from similearn.errors import FileError

_ARRAYS = (".npy", ".npz")
_DATABASE_ID = re.compile(r"[a-z]{2,4}\|([^|\s]+)\|.*")
"""Ids such as sp|P69905|HBA_HUMAN: tables of the same database name its middle part alone."""
_BESIDE = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz", ".npy")


@dataclass
class Samples:
    """Samples of a file that labels are looked for.

    Attributes
    ----------
    path : the file; `name` is its name without ending
    n : how many
    ids : their ids, None if there are none
    own : (n,) the labels that the file itself holds, if any
    notes : sentences on what was decided, which are added to
    columns : the number of columns of a block, for the advice to transpose it
    headless : the file that labels came from, line by line, if no header was found in it
    """

    path: Path
    name: str
    n: int
    ids: Sequence[Any] | NDArray[Any] | None
    own: NDArray[Any] | None
    notes: list[str]
    columns: int | None = None
    headless: Path | None = None


def joined_labels(given: Any, samples: Samples) -> NDArray[Any] | None:
    """Return labels that were given, else of the file, else of a file beside it.

    Parameters
    ----------
    given : None, a sequence of n labels, a path, or a pair (path, column's name)

    Returns
    -------
    (n,) labels, or None if there are none at all. Where some samples have no label, it is an
    array of objects with None in their places: they are for prediction.
    """
    labels = _found(given, samples)
    if labels is not None and labels.dtype == object:
        without = sum(label is None for label in labels)
        if without:
            samples.notes.append(f"{without} of {samples.n} samples have no label.")
    return labels


def has_label(labels: NDArray[Any] | None, n: int) -> NDArray[np.bool_]:
    """(n,) which samples have a label."""
    if labels is None:
        return np.zeros(n, dtype=bool)
    return np.array([label is not None for label in labels], dtype=bool)


def _found(given: Any, samples: Samples) -> NDArray[Any] | None:
    if isinstance(given, str | Path):
        refuse_column_of_shell(given)
        return _labels_of(Path(given), None, samples)
    if _names_column(given, samples.n):
        return _labels_of(Path(given[0]), str(given[1]), samples)
    if given is not None:
        return _fitting(label_vector(given, samples.path, "labels"), "labels", samples)
    if samples.own is not None:
        return _fitting(samples.own, "its labels", samples)
    beside = [
        samples.path.with_name(f"{samples.name}{mark}labels{suffix}")
        for mark in ".-_"
        for suffix in _BESIDE
    ]
    found = [file for file in beside if os.path.exists(file)]  # False for names that are too long
    if len(found) > 1:
        raise FileError(
            f"{samples.path} has two files of labels beside it, {found[0].name} and "
            f"{found[1].name}. Say which: labels='...'."
        )
    if not found:
        return None
    samples.notes.append(f"Labels from {found[0]}.")
    return _labels_of(found[0], None, samples)


def _names_column(given: Any, n: int) -> bool:
    """Whether labels are a pair (path, column), and not the labels of two samples."""
    if not isinstance(given, tuple) or len(given) != 2:
        return False
    file, column = given
    if isinstance(file, Path):
        return True
    return isinstance(file, str) and isinstance(column, str) and (n != 2 or os.path.isfile(file))


def refuse_column_of_shell(given: str | Path) -> None:
    """Raise for "FILE:COLUMN", which the shell takes, and say how it is spelled here."""
    file, _, column = str(given).rpartition(":")
    if column and not os.path.exists(given) and os.path.isfile(file):
        raise FileError(
            f"There is no file {str(given)!r}. The column {column!r} of {file} is "
            f"labels=({file!r}, {column!r})."
        )


def _labels_of(file: Path, column: str | None, samples: Samples) -> NDArray[Any]:
    """Labels of a file; matched by id where both have ids."""
    with reading(file):
        existing(file)
        if file.name.lower().endswith(_ARRAYS):
            return _fitting(_label_array(file), str(file), samples)
    words, ids = _label_table(file, column, samples)
    if ids is None or samples.ids is None:
        if (ids is None) != (samples.ids is None):
            one, other = (samples.path, file) if ids is None else (file, samples.path)
            samples.notes.append(
                f"{one} has ids, but {other} has none: labels were taken in the order of the lines."
            )
        return _fitting(labels_from_words(words), str(file), samples)
    place = dict(zip(ids, words, strict=True))
    names = [called(str(sample), place) for sample in samples.ids]
    if not any(name in place for name in names):
        told = " and ".join(repr(str(one)) for one in ids[:2])
        raise FileError(
            f"{file} has no label for any sample of {samples.path}: it names {told}, "
            f"where the samples have ids such as {str(names[0])!r}."
        )
    others = place.keys() - set(names)
    if others:
        first = next(sample for sample in ids if sample in others)
        samples.notes.append(
            f"{file} has labels for {len(others)} that are no samples of {samples.path}, the "
            f"first is {str(first)!r}; they were left out."
        )
    return labels_from_words([place.get(name) for name in names])


def known_names(ids: Sequence[str]) -> set[str]:
    """What other files may call these samples."""
    return {*ids, *(called(one, ()) for one in ids)}


def called(sample: str, known: Container[str]) -> str:
    """What others call a sample: its id or, if they do not know that, its accession."""
    found = None if sample in known else _DATABASE_ID.fullmatch(sample)
    return sample if found is None else found[1]


def _label_table(
    file: Path, column: str | None, samples: Samples
) -> tuple[list[str | None], list[str] | None]:
    """Read labels, one per line, alone or after an id; returns labels and ids."""
    lines = table_lines(file)
    names = [] if samples.ids is None else [str(sample) for sample in samples.ids]
    known = known_names(names) if names else None
    _split_by_blanks(lines, known)
    named = [cell.lower() for cell in lines[0].cells]
    label_column = _label_column(file, lines, column, named)
    has_header = label_column is not None or _is_heading(lines, known)
    samples.headless = None if has_header else file
    rows = lines[1:] if has_header else lines
    if not rows:
        raise FileError(f"{file} holds a header (line 1) but no labels.")
    width = len(named)
    for line in rows:
        if line.width != width:
            raise FileError(
                f"{file}, line {line.number}: got {line.width} cells, expected {width} as on line "
                f"{lines[0].number}."
            )
    if label_column is None:
        if width > 2:
            raise FileError(
                f"{file} has {width} columns; expected one label per line, or an id and a label, "
                "or a header that names the column 'label'. Or labels=('FILE', 'COLUMN')."
            )
        label_column = width - 1
    words = label_words(file, rows, label_column, samples.notes)
    id_column = _id_column(named, label_column, rows, known)
    return words, None if id_column is None else list(unique_ids(file, rows, id_column))


def _label_column(
    file: Path, lines: Sequence[Line], column: str | None, named: list[str]
) -> int | None:
    if column is None:
        return next((c for c, cell in enumerate(named) if cell in LABEL_NAMES), None)
    cells = lines[0].cells
    if column not in cells:
        raise FileError(
            f"{file} has no column {column!r}; its first line names {', '.join(cells[:20])}."
        )
    return cells.index(column)


def _id_column(
    named: list[str], label_column: int, rows: Sequence[Line], known: set[str] | None
) -> int | None:
    """The column that names most samples; else one that is called so, or the only other one."""
    others = [c for c in range(len(named)) if c != label_column]
    if known is not None and len(others) > 1:
        hits = [sum(line.cells[c] in known for line in rows[:1000]) for c in others]
        if max(hits):
            return others[int(np.argmax(hits))]
    called = [c for name in ID_NAMES for c in others if named[c] == name]
    if called:
        return called[0]
    return others[0] if len(others) == 1 else None


def _split_by_blanks(lines: Sequence[Line], known: set[str] | None) -> None:
    """Cut "id label" at the blank where no other mark separates and the first words are ids."""
    head = lines[:20]
    if known is None or any(line.width > 1 for line in head):
        return
    firsts = [line.text.split(None, 1) for line in head]
    if all(len(words) == 2 for words in firsts) and any(words[0] in known for words in firsts):
        for line in lines:
            line.text, line.delimiter = "\t".join(line.text.split(None, 1)), "\t"


def _is_heading(lines: Sequence[Line], known: set[str] | None) -> bool:
    """Whether the first line names no sample, but ids, or the second line names one."""
    if len(lines) < 2 or lines[0].width != 2:
        return False
    first, second = (set(line.cells) for line in lines[:2])
    if lines[0].cells[0].lower() in set(ID_NAMES) - {""} and not first & (known or set()):
        return True
    if known is None:
        return False
    return not first & known and bool(second & known)


def _label_array(file: Path) -> NDArray[Any]:
    if not zipfile.is_zipfile(file):
        return label_vector(npy_array(file), file, "the array")
    with opened_archive(file) as archive:
        if "y.npy" not in archive.names:
            raise FileError(
                f"{file} holds no labels: expected a vector of numbers or words, named y."
            )
        return label_vector(archive.array("y.npy"), file, "array 'y'")


def _fitting(labels: NDArray[Any], what: str, samples: Samples) -> NDArray[Any]:
    if len(labels) == samples.n:
        return labels
    hint = ""
    if len(labels) == samples.n + 1:
        first, typed = str(labels[0]), os.path.isfile(what) and not what.lower().endswith(_ARRAYS)
        way = f"Call it 'label', or name it: labels=(Path('{what}'), '{first}')."
        hint = f" Is the first of them a heading, {first!r}? {way if typed else 'Leave it out.'}"
    if len(labels) == samples.n - 1 and samples.columns is None and samples.ids is None:
        hint = " Is the first sample a heading? Name it: column='NAME'."
    if len(labels) == samples.columns:
        hint = " They fit its columns: is the block transposed?"
    counted = "samples" if samples.columns is None else "rows"
    raise FileError(
        f"{samples.path} has {samples.n} {counted}, but there are {len(labels)} labels ({what}); "
        f"expected one label per {counted.removesuffix('s')}.{hint}"
    )
