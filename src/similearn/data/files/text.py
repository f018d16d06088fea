"""Files of text: .csv and .tsv (.gz), a table of numbers or of labels."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from similearn.data.files.contents import (
    ID_NAMES,
    LABEL_NAMES,
    MISSING_WORDS,
    Contents,
    known_labels,
    labels_from_words,
    word_array,
)
from similearn.data.files.cut_lines import Line, Words, is_number, is_word, table_lines
from similearn.data.values import Floats
from similearn.errors import FileError, InputError, NoNumbersError

_CELLS_AT_ONCE = 1 << 18
_ROWS_LOOKED_AT = 100
_EMPTY = (
    "Such cells can be filled from what is known: missing='fill'; or left out of a sparse "
    "similarity as zeros: missing='zero'; of a dissimilarity as unknown: missing='unknown'."
)
_INFINITE = "Put one there; or leave the cell empty if nothing is known, and say missing='fill'."

_GROUPED = re.compile(r"[+-]?\d{1,3}(?:(?:,\d{3})+(?:\.\d*)?|(?:\.\d{3})+(?:,\d*)?)")


@dataclass
class _Layout:
    """Which column is what."""

    header: Words | None
    id_column: int | None
    label_column: int | None
    columns: list[int]
    left_out: list[str] = field(default_factory=list)


def read_table(
    path: Path,
    *,
    keep_missing: bool,
    with_labels: bool,
    label_column: str | None = None,
    file: TextIO | None = None,
) -> Contents:
    """Read a table of numbers, with or without header, ids and labels.

    Parameters
    ----------
    keep_missing : whether blank cells become NaN; otherwise they are an error.
    with_labels : whether a column of labels is read or passed over.
    label_column : its name, if there is one of that name; it is read in any case
    file : the lines, where they are not those of the path itself

    Notes
    -----
    The first line is a header if it holds words, or counts the columns. The first column
    holds ids if the header says so (blank corner, "id", one cell fewer than the rows) or
    if all of it is words. A column headed "label", "class" or "y" holds labels. Names of rows or
    columns that repeat are no ids: of a square block they are the labels.
    """
    lines = table_lines(path, file, blanks=True)
    header = lines[0].cells if _is_header(lines) else None
    rows = lines[1:] if header is not None else lines
    if not rows:
        raise FileError(f"{path} holds a header (line 1) but no rows.")
    layout = _layout(path, header, rows, label_column)
    with_labels |= header is not None and label_column in header
    names = None if header is None else [layout.header[c] for c in layout.columns]  # type: ignore[index]
    classes = _names_of_classes(layout, names, rows)
    if classes is not None:
        return _with_classes(path, layout, rows, classes, keep_missing, with_labels)
    ids = None if layout.id_column is None else unique_ids(path, rows, layout.id_column)
    labels, notes = None, list[str]()
    if with_labels and layout.label_column is not None:
        labels = labels_from_words(label_words(path, rows, layout.label_column, notes))
    values = _values(path, rows, layout.columns, keep_missing)
    contents = Contents(values, labels=labels, row_ids=ids, notes=notes)
    if layout.left_out:
        told = ", ".join(layout.left_out[:8])
        contents.notes.append(f"Columns of words that name no sample were left out: {told}.")
    _compare_ids(contents, names)
    return contents


def _names_of_classes(layout: _Layout, names: Words | None, rows: Sequence[Line]) -> Words | None:
    """Names of rows or columns that repeat, at most half of them different; else None.

    Of a block that is not square only columns may be called so, as its rows may be pairs.
    """
    firsts = [line.first for line in rows] if layout.id_column is not None else None
    if len(rows) != len(layout.columns):
        return names if names is not None and firsts is None and _repeat(names) else None
    if layout.label_column is not None or (names and firsts and names != firsts):
        return None
    called = firsts or names
    return called if called is not None and _repeat(called) else None


def _repeat(names: Words) -> bool:
    return 1 < len(set(names)) <= len(names) / 2 and all(map(is_word, names))


def _with_classes(
    path: Path,
    layout: _Layout,
    rows: Sequence[Line],
    classes: Words,
    keep_missing: bool,
    with_labels: bool,
) -> Contents:
    """A block whose rows or columns are called by their classes."""
    contents = Contents(_values(path, rows, layout.columns, keep_missing))
    told = "Names of rows or columns repeat, so that they are no ids"
    if len(rows) == len(layout.columns) and with_labels:
        contents.labels = labels_from_words(list(classes))
        contents.notes.append(f"{told} but labels.")
    else:
        contents.notes.append(f"{told}: samples are taken in the order of the file.")
    return contents


def _values(path: Path, rows: Sequence[Line], columns: list[int], keep_missing: bool) -> Floats:
    """The numbers (rows, columns), many lines at a time."""
    values = np.empty((len(rows), len(columns)))
    at_once = max(1, _CELLS_AT_ONCE // len(columns))
    for start in range(0, len(rows), at_once):
        part = rows[start : start + at_once]
        values[start : start + at_once] = _plain_rows(part, columns) or [
            _numbers(path, line, columns, keep_missing) for line in part
        ]
    return values


def _is_header(lines: Sequence[Line]) -> bool:
    corner, *rest = lines[0].cells
    if any(is_word(cell) for cell in rest) or (corner and corner.lower() in ID_NAMES):
        return True
    if len(lines) == 1:
        return False
    width = len(rest) + 1
    if lines[1].width == width + 1:  # as R writes it: no cell above the ids
        return True
    if rest and not is_number(corner):
        below = [line.first for line in lines[1:]]
        return _counts(rest) or rest == below
    # A frame written without its index: 0, 1, 2, ... above a square of numbers.
    return _counts([corner, *rest]) and len(lines) == width + 1


def _counts(cells: Words) -> bool:
    return any(cells == [str(start + i) for i in range(len(cells))] for start in (0, 1))


def _layout(
    path: Path, header: Words | None, rows: Sequence[Line], label_name: str | None
) -> _Layout:
    width = rows[0].width
    _require_width(path, rows, width)
    first_is_words = width > 1 and all(is_word(line.first) for line in rows)
    if header is None:
        columns = list(range(1 if first_is_words else 0, width))
        return _Layout(None, 0 if first_is_words else None, None, columns)
    has_ids = first_is_words or header[0].lower() in ID_NAMES
    if len(header) == width - 1:  # as R writes it: no cell above the ids
        header, has_ids = ["", *header], True
    if len(header) != width:
        raise FileError(
            f"{path}, line {rows[0].number}: got {width} cells, but the header (line 1) has "
            f"{len(header)}."
        )
    ids = {line.first for line in rows} if has_ids else set()
    called = {label_name} & set(header) or {
        cell for cell in header if cell.lower() in LABEL_NAMES and cell not in ids
    }
    label_column = next((c for c, cell in enumerate(header) if cell in called), None)
    has_ids = has_ids and label_column != 0
    columns = [c for c in range(width) if c != label_column and not (has_ids and c == 0)]
    remarks = _remarks(header, rows, columns) if ids and ids <= set(header) else []
    columns = [c for c in columns if c not in remarks]
    if not columns:
        raise NoNumbersError(f"{path} holds no column of numbers.")
    told = [header[c] for c in remarks]
    return _Layout(header, 0 if has_ids else None, label_column, columns, told)


def _remarks(header: Words, rows: Sequence[Line], columns: list[int]) -> list[int]:
    """Columns of words that name none of the samples, where a column names every one of them."""
    ids = {line.first for line in rows}
    others = [c for c in columns if header[c] not in ids]
    if not others:
        return []
    some = [line.cells for line in rows[:_ROWS_LOOKED_AT]]
    return [c for c in others if any(is_word(cells[c]) for cells in some)]


def _require_width(path: Path, rows: Sequence[Line], width: int) -> None:
    for line in rows:
        if line.width != width:
            raise FileError(
                f"{path}, line {line.number}: got {line.width} cells, expected {width} as on "
                f"line {rows[0].number}. Each line holds one row of the block."
            )


def unique_ids(path: Path, rows: Sequence[Line], column: int) -> NDArray[np.str_]:
    """Return the ids in a column; one that is on two lines is refused."""
    seen: dict[str, int] = {}
    for line in rows:
        cell = line.first if column == 0 else line.cells[column]
        if cell in seen:
            raise InputError(
                f"{path}, line {line.number}: the id {cell!r} was on line {seen[cell]} already; "
                "ids must be unique. Rename the samples or drop the repeated ones. If each line "
                "is a pair of samples, say format='pairs' and, of several columns, score=NUMBER."
            )
        seen[cell] = line.number
    return word_array(list(seen), f"{path}: the ids")


def label_words(
    path: Path, rows: Sequence[Line], column: int, notes: list[str]
) -> list[str | None]:
    """Return the labels in a column, None where there is none."""
    known = known_labels([line.cells[column] for line in rows], notes)
    if not any(word is not None for word in known):
        raise FileError(
            f"{path}, line {rows[0].number}: there is no label, nor on any other line; expected "
            "at least one that is not blank, NA or ?."
        )
    return known


def _plain_rows(rows: Sequence[Line], columns: list[int]) -> list[Floats]:
    """Rows by NumPy's own reader, which is fast; nothing if any cell needs a second look."""
    if any('"' in line.text or line.decimal_comma for line in rows):
        return []
    try:
        values = np.loadtxt(
            [line.text for line in rows],
            delimiter=rows[0].delimiter,
            usecols=columns,
            comments=None,
            ndmin=2,
        )
    except ValueError:
        return []
    plain = values.shape == (len(rows), len(columns)) and np.isfinite(values).all()
    return list(values) if plain else []


def _numbers(path: Path, line: Line, columns: list[int], keep_missing: bool) -> Floats:
    cells = line.raw_cells
    if len(columns) < len(cells):
        cells = [cells[c] for c in columns]
    try:
        row = np.fromiter(map(float, cells), np.float64, len(columns))
    except ValueError:
        row = np.array(
            [
                _number(path, line.number, c + 1, cell.strip())
                for c, cell in zip(columns, cells, strict=True)
            ]
        )
    bad = np.flatnonzero(np.isinf(row) if keep_missing else ~np.isfinite(row))
    if bad.size:
        column, cell = columns[bad[0]] + 1, cells[bad[0]].strip()
        infinite = np.isinf(row[bad[0]])
        raise FileError(
            f"{path}, line {line.number}, column {column}: {_quoted(cell)} is "
            f"{'infinity' if infinite else 'NaN'}; expected a finite number. "
            f"{_INFINITE if infinite else _EMPTY}"
        )
    return row


def _number(path: Path, number: int, column: int, cell: str) -> float:
    if cell.lower() in MISSING_WORDS:
        return np.nan
    try:
        return float(cell)
    except ValueError:
        hint = " Write decimals with a point." if is_number(cell.replace(",", ".")) else ""
        grouped = not hint and _GROUPED.fullmatch(cell)
        hint = " Write numbers without thousands separators." if grouped else hint
        hint = " Write percentages without the sign." if cell.endswith("%") else hint
        raise NoNumbersError(
            f"{path}, line {number}, column {column}: {_quoted(cell)} is not a number.{hint}"
        ) from None


def _quoted(cell: str) -> str:
    return repr(cell if len(cell) <= 30 else cell[:27] + "...") if cell else "an empty cell"


def _compare_ids(contents: Contents, names: Words | None) -> None:
    """Columns named like the rows are the same samples; they are put into the rows' order."""
    m, n = contents.values.shape
    if names is None or _counts(names):
        return
    contents.column_ids = word_array(names, "The names of the columns")
    if contents.row_ids is None:
        if m == n and len(set(names)) == n:  # a header alone, as sourmash writes it
            contents.row_ids = contents.column_ids
        return
    ids = [str(sample) for sample in contents.row_ids]
    if names != ids and sorted(names) == sorted(ids):
        place = {name: i for i, name in enumerate(names)}
        contents.values = contents.values[:, [place[sample] for sample in ids]]
        contents.column_ids = contents.row_ids
        contents.notes.append(
            "Rows and columns name the same samples in another order; columns were put into the "
            "order of the rows."
        )
        names = ids
    contents.same_samples = names == ids if m == n else None
