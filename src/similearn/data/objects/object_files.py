"""`read_objects`: collections of objects from files, with ids and labels."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.data.checks import require_choice
from similearn.data.files.compressed_text import open_bytes, open_text
from similearn.data.files.contents import as_path, reading, word_array
from similearn.data.files.joining import Samples, joined_labels, refuse_column_of_shell
from similearn.data.files.locating import existing, split_name
from similearn.data.formats.recognizing import head_lines
from similearn.data.objects.alphabets import alphabet_of, are_sequences
from similearn.data.objects.columns_of_files import (
    USUAL_NAMES,
    NamedColumns,
    begins_json_array,
    json_columns,
    parquet_columns,
    text_columns,
)
from similearn.data.objects.fasta import read_fasta, read_fastq
from similearn.data.objects.feature_roles import FeatureRows
from similearn.data.objects.first_lines import first_line_notes, told_line
from similearn.data.objects.found import FoundObjects, LabelledObjects
from similearn.data.objects.table_roles import from_columns, told_columns
from similearn.errors import FileError, InputError, InputTypeError, MissingColumnError

WHAT = ("sequences", "strings", "smiles", "sets", "series", "numbers", "categories")
OF_OBJECTS = ("fasta", "fastq", "json", "parquet", "table", "list")
_OF_COLUMNS = ("json", "parquet", "table")
_TABLES = (".csv", ".tsv", ".tab")
_FASTA = (".fasta", ".fa", ".faa", ".fna", ".ffn", ".fas")


def read_objects(
    path: str | Path,
    *,
    labels: Any = None,
    column: str | Sequence[str] | None = None,
    what: str | None = None,
    format: str | None = None,
) -> LabelledObjects:
    r"""Read objects that a similarity compares, their ids and their labels if there are any.

    Parameters
    ----------
    path : a file of a format below, packed (.gz, .bz2, .xz, .zst) or not
    labels : name of a column, path, pair (path, name of its column) or sequence, optional
        A column of a file of labels is ``labels=("labels.tsv", "species")``.
        By default a column called "label", "class" or the like, else a file beside it,
        ``<name>.labels.csv`` and the like. A file of labels is joined by id where both have ids;
        an object without a label has None, and is for prediction.
    column : name of the column of objects, or several that make up rows; optional
    what : optional
        What strings are, if it is not to be guessed: "sequences", "strings", "smiles", "sets"
        (words with blanks, commas or semicolons between them) or "series" (numbers likewise).
        Rows of numbers are codes if they are said to be "categories".
    format : optional; by default the content of the file tells
        "fasta", "fastq", "json" (one JSON object per line), "parquet", "table" (CSV or TSV) or
        "list" (one object per line).

    Returns
    -------
    LabelledObjects, which unpacks into objects and labels

    Notes
    -----
    A table without a header has objects; objects and labels, which repeat; ids and objects; ids,
    labels and objects; or ids and numbers. `what` of the result says what was found. A `FileError`
    names file and line.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from similearn import read_objects
    >>> file = Path(tempfile.mkdtemp(), "names.fasta")
    >>> _ = file.write_text(">p1\nMKV\n>p2\nMKL\n")
    >>> read_objects(file).objects
    ['MKV', 'MKL']
    """
    if what is not None:
        require_choice("what", what, WHAT)
    if format is not None:
        require_choice("format", format, OF_OBJECTS)
    if column is not None and not isinstance(column, str | list | tuple):
        raise InputTypeError(f"column={column!r} must be a name, a list of names or None.")
    return _read_file(as_path(path), labels, column, what, format)


def read_features(
    path: Path,
    samples: NDArray[Any] | None,
    *,
    labels: str | None = None,
    column: Sequence[str] | None = None,
) -> LabelledObjects:
    """Read a table of numbers beside matrices; its ids are the column that names the samples.

    Parameters
    ----------
    samples : their ids, None if they have none
    labels : the name of the column of labels
    column : names of the columns of numbers; by default all that hold nothing else
    """
    return _read_file(path, labels, column, None, None, FeatureRows(samples))


def has_column(path: Path, name: str) -> bool:
    """Whether a file is a table with a column of that name."""
    with reading(path):
        form = object_format(existing(path))
    return form in _OF_COLUMNS and name in _columns(path, form, {name}).columns


def _read_file(
    file: Path,
    labels: Any,
    column: str | Sequence[str] | None,
    what: str | None,
    format: str | None,
    beside: FeatureRows | None = None,
) -> LabelledObjects:
    with reading(file):
        existing(file)
        form = format or object_format(file)
    with reading(file):
        found, labels = _read(file, form, labels, column, beside, what)
        _interpret(file, found, what)
    name = split_name(file)[0]
    ids = found.ids or None
    samples = Samples(file, name, len(found.objects), ids, found.labels, found.notes)
    y = joined_labels(labels, samples)
    found.notes += first_line_notes(file, found, samples.headless, y)
    return LabelledObjects(
        found.objects,
        None if ids is None else word_array(ids, f"{file}: the ids"),
        y,
        found.what,
        name,
        None if found.columns is None else tuple(found.columns),
        tuple(found.notes),
        tuple(found.headings),
        found.column,
    )


def _read(
    file: Path, form: str, labels: Any, column: Any, beside: FeatureRows | None, what: str | None
) -> tuple[FoundObjects, Any]:
    """Objects, and the labels that are still to be looked for elsewhere."""
    if form == "fasta":
        return read_fasta(file), labels
    if form == "fastq":
        return read_fastq(file), labels
    if form == "list":
        return _read_list(file, column), labels
    named = {labels} if isinstance(labels, str) else set()
    named |= {column} if isinstance(column, str) else set(column or ())
    table = _columns(file, form, named)
    of_column = labels if isinstance(labels, str) and labels in table.columns else None
    if isinstance(labels, str) and of_column is None and not os.path.exists(labels):
        refuse_column_of_shell(labels)
        raise MissingColumnError(
            f"labels={labels!r} is neither a column of {file} ({told_columns(table)}) nor a file."
        )
    found = from_columns(file, table, of_column, column, beside, what)
    return found, None if of_column else labels


def _columns(file: Path, form: str, named: set[str]) -> NamedColumns:
    """The columns of a table; `named` are names that make its first line a header."""
    if form == "json":
        return json_columns(file)
    return parquet_columns(file) if form == "parquet" else text_columns(file, named)


def _read_list(file: Path, column: str | Sequence[str] | None) -> FoundObjects:
    """One object per line; the first is a header if the column is called so."""
    objects = []
    with reading(file), open_text(file) as stream:
        for line in stream:
            text = line.strip()
            if text:
                objects.append(text)
    if not objects:
        raise FileError(f"{file} is empty.")
    if column is not None:
        if objects[0] not in ({column} if isinstance(column, str) else set(column)):
            raise MissingColumnError(
                f"{file} has no column {column!r}; it has an object on each line, and the first "
                f"is {told_line(objects[:1])}."
            )
        if len(objects) == 1:
            raise FileError(f"{file} holds a header (line 1) but no objects.")
        return FoundObjects("strings", objects[1:], column=objects[0])
    found = FoundObjects("strings", objects, first_line=(objects[0],))
    words = objects[0].lower().replace(",", " ").replace(";", " ").split()
    if objects[0].startswith("#") or USUAL_NAMES & set(words):
        found.notes.append(f"{file}: one object on each line, the first is {objects[0][:40]!r}.")
    return found


def _interpret(file: Path, found: FoundObjects, what: str | None) -> None:
    """Say what strings are, and cut those that are sets or series."""
    strings = isinstance(found.objects, list) and all(isinstance(o, str) for o in found.objects)
    if what is not None and not strings and what != found.what:
        where = _told_columns(found.columns or ())
        hint = " If they are in one of these, say which: column='...'." if where else ""
        unread = f"they cannot be read as {what!r}"
        raise InputError(f"{file} holds {found.what}{where}; {unread}.{hint}")
    if not strings:
        return
    found.what = what or found.what
    if what is None and found.what == "strings" and are_sequences(found.objects):
        found.what = "sequences"
    if found.what == "sequences":
        alphabet = alphabet_of(file, found.objects, found.ids, found.line_of)
        found.what = f"sequences ({alphabet})"
        _spell_alike(found)
    elif found.what in ("sets", "series", "numbers"):
        found.objects = [
            interpreted(f"{file}, object {i}", found.what, text)
            for i, text in enumerate(found.objects, start=1)
        ]
        if found.what == "numbers":
            _require_equal(file, found)
            found.objects = np.array(found.objects)


def _told_columns(columns: Sequence[str]) -> str:
    """The columns that were read, if there are several: few by their names, many by how many."""
    if len(columns) < 2:
        return ""
    few = len(columns) <= 8
    return f" in the columns {', '.join(columns)}" if few else f" in {len(columns)} columns"


def _spell_alike(found: FoundObjects) -> None:
    """Write sequences in capitals: small letters are masked ones, and no other letters."""
    small = sum(not text.isupper() for text in found.objects)
    if small:
        found.objects = [text.upper() for text in found.objects]
        found.notes.append(f"{small} sequences have small letters; they were read as capitals.")
    gaps = sum("-" in text or "." in text for text in found.objects)
    if gaps:
        found.notes.append(f"{gaps} sequences have gaps (- or .), which count as letters.")


def _words(text: str) -> list[str]:
    for mark in (";", ",", "\t"):
        if mark in text:
            return [word.strip() for word in text.split(mark) if word.strip()]
    return text.split()


def interpreted(place: str, what: str, text: str) -> Any:
    """What a text stands for: words of a set, numbers of a series, capitals, or itself."""
    if what == "sequences":
        return text.upper()
    if what == "sets":
        return frozenset(_words(text))
    return _series(place, text) if what in ("series", "numbers") else text


def _series(place: str, text: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    words = _words(text)
    try:
        series = np.array([float(word) for word in words])
    except ValueError:
        series = np.array([np.nan])
    if not np.isfinite(series).all() or not series.size:
        raise FileError(
            f"{place}: expected finite numbers with blanks, commas or semicolons "
            f"between them, got {text[:40]!r}."
        )
    return series


def _require_equal(file: Path, found: FoundObjects) -> None:
    lengths = {len(one) for one in found.objects}
    if len(lengths) > 1:
        raise FileError(
            f"{file}: rows have {min(lengths)} to {max(lengths)} numbers; expected one length. Are "
            "they series?"
        )


def object_format(file: Path) -> str:
    """Which of the formats of objects a file has, by its content."""
    with open_bytes(file) as stream:
        head = stream.read(64)
    if head.startswith(b"PAR1"):
        return "parquet"
    if begins_json_array(head):
        return "json"
    lines = [line for line in head_lines(file) if line.strip()]
    if not lines:
        return "list"
    first = lines[0].lstrip()
    if first.startswith(">") or (first.startswith(";") and any(one[0] == ">" for one in lines)):
        return "fasta"  # ";" begins a remark there, and a table with a blank corner elsewhere
    if first.startswith("@") and len(lines) >= 3 and lines[2].startswith("+"):
        return "fastq"
    ending = split_name(file)[1]
    if ending in _FASTA:
        raise FileError(
            f"{file}, line 1: the name says FASTA ({ending}), where '>' and an id come first; got "
            f"{first[:30]!r}. If it is a plain list, say format='list'."
        )
    if first.startswith(("{", "[", '"')) and _is_json(first):
        return "json"
    if split_name(file)[1] in _TABLES:
        return "table"
    tabs = {line.count("\t") for line in lines}
    return "table" if len(tabs) == 1 and tabs != {0} else "list"


def _is_json(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict | list | str)
    except (ValueError, RecursionError):
        return False
