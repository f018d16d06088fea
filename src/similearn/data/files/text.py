"""Files of text: .csv and .tsv (.gz), a table of numbers or of labels."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from similearn.data.files.compressed_text import open_text
from similearn.data.files.contents import (
    ID_NAMES,
    LABEL_NAMES,
    MISSING_WORDS,
    Contents,
    labels_from_words,
    reading,
)
from similearn.data.values import Floats
from similearn.errors import FileError, InputError

Words = list[str]

_LONGEST_CELL = 131_072
_MOST_CELLS = 1_000_000
_MOST_LINES = 2_000_000


@dataclass(slots=True)
class _Line:
    """One line; it is cut into cells when asked, since all cells at once need much memory."""

    number: int
    text: str
    delimiter: str

    @property
    def cells(self) -> Words:
        return _cells(self.text, self.delimiter)

    @property
    def first(self) -> str:
        return self.cells[0] if '"' in self.text else self.text.split(self.delimiter, 1)[0].strip()

    @property
    def width(self) -> int:
        return len(self.cells) if '"' in self.text else self.text.count(self.delimiter) + 1


@dataclass
class _Layout:
    """Which column is what."""

    header: Words | None
    id_column: int | None
    label_column: int | None
    columns: list[int]


def read_table(path: Path, *, keep_missing: bool, with_labels: bool) -> Contents:
    """Read a table of numbers, with or without header, ids and labels.

    Parameters
    ----------
    keep_missing : whether blank cells become NaN; otherwise they are an error.
    with_labels : whether a column of labels is read or passed over.

    Notes
    -----
    The first line is a header if it holds words, or counts the columns. The first column
    holds ids if the header says so (blank corner, "id", one cell fewer than the rows) or
    if all of it is words. A column headed "label", "class" or "y" holds labels.
    """
    lines = _lines(path)
    header = lines[0].cells if _is_header(lines) else None
    rows = lines[1:] if header is not None else lines
    if not rows:
        raise FileError(f"{path} holds a header (line 1) but no rows.")
    layout = _layout(path, header, rows)
    ids = None if layout.id_column is None else _ids(path, rows, layout.id_column)
    labels = None
    if with_labels and layout.label_column is not None:
        labels = _labels(path, rows, layout.label_column)
    names = None if header is None else [layout.header[c] for c in layout.columns]  # type: ignore[index]
    values = np.empty((len(rows), len(layout.columns)))
    for i, line in enumerate(rows):
        values[i] = _numbers(path, line, layout.columns, keep_missing)
    contents = Contents(values, labels=labels, row_ids=ids)
    _compare_ids(path, contents, names)
    return contents


def read_label_table(path: Path) -> tuple[NDArray[np.generic], list[str] | None]:
    """Read labels, one a line, alone or after an id; returns labels and ids."""
    lines = _lines(path)
    named = [cell.lower() for cell in lines[0].cells]
    label_column = next((c for c, cell in enumerate(named) if cell in LABEL_NAMES), None)
    rows = lines if label_column is None else lines[1:]
    if not rows:
        raise FileError(f"{path} holds a header (line 1) but no labels.")
    width = len(named)
    _require_width(path, rows, width)
    if label_column is None:
        if width > 2:
            raise FileError(
                f"{path} has {width} columns; expected one label per line, or an id and a label, "
                "or a header that names the column 'label'."
            )
        label_column = width - 1
    labels = _labels(path, rows, label_column)
    if width == 1:
        return labels, None
    id_column = next((c for c, cell in enumerate(named) if cell in ID_NAMES), None)
    if id_column is None and width > 2:
        return labels, None
    id_column = 1 - label_column if id_column is None else id_column
    return labels, list(_ids(path, rows, id_column))


def _lines(path: Path) -> list[_Line]:
    """All lines that are not blank, in cells, with their numbers in the file."""
    lines: list[_Line] = []
    delimiter = ""
    with reading(path), open_text(path, "utf-8-sig") as file:
        for number, text in enumerate(file, start=1):
            if not text.strip():
                continue
            delimiter = delimiter or _delimiter(path, text)
            lines.append(_Line(number, text.rstrip("\r\n"), delimiter))
            _require_sane(path, lines)
    if not lines:
        raise FileError(f"{path} is empty.")
    return lines


def _require_sane(path: Path, lines: list[_Line]) -> None:
    """Refuse what no table is, before it is cut into cells."""
    line, count = lines[-1], len(lines)
    if count > _MOST_LINES:
        raise FileError(
            f"{path} has more than {_MOST_LINES:,} lines; write so large a block as .npz."
        )
    if len(line.text) <= _LONGEST_CELL:
        return
    if line.text.count(line.delimiter) > _MOST_CELLS:
        raise FileError(f"{path}, line {line.number}: got more than {_MOST_CELLS:,} cells.")
    try:
        longest = max(map(len, line.cells))
    except csv.Error:
        longest = _LONGEST_CELL + 1
    if longest > _LONGEST_CELL:
        raise FileError(
            f"{path}, line {line.number}: a cell has more than {_LONGEST_CELL:,} characters. Is a "
            "quotation mark left open?"
        )


def _delimiter(path: Path, first: str) -> str:
    if ".tsv" in path.suffixes:
        return "\t"
    return next((mark for mark in (",", ";", "\t") if mark in first), ",")


def _cells(text: str, delimiter: str) -> Words:
    cells = next(csv.reader([text], delimiter=delimiter)) if '"' in text else text.split(delimiter)
    return [cell.strip() for cell in cells]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _is_word(cell: str) -> bool:
    return cell.lower() not in MISSING_WORDS and not _is_number(cell)


def _is_header(lines: Sequence[_Line]) -> bool:
    corner, *rest = lines[0].cells
    if any(_is_word(cell) for cell in rest) or (corner and corner.lower() in ID_NAMES):
        return True
    if len(lines) == 1:
        return False
    width = len(rest) + 1
    if rest and not _is_number(corner):
        below = [line.first for line in lines[1:]]
        return _counts(rest) or rest == below or lines[1].width == width + 1
    # A frame written without its index: 0, 1, 2, ... above a square of numbers.
    return _counts([corner, *rest]) and len(lines) == width + 1


def _counts(cells: Words) -> bool:
    return any(cells == [str(start + i) for i in range(len(cells))] for start in (0, 1))


def _layout(path: Path, header: Words | None, rows: Sequence[_Line]) -> _Layout:
    width = rows[0].width
    _require_width(path, rows, width)
    first_is_words = width > 1 and all(_is_word(line.first) for line in rows)
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
    label_column = next(
        (c for c, cell in enumerate(header) if cell.lower() in LABEL_NAMES and cell not in ids),
        None,
    )
    has_ids = has_ids and label_column != 0
    columns = [c for c in range(width) if c != label_column and not (has_ids and c == 0)]
    if not columns:
        raise FileError(f"{path} holds no column of numbers.")
    return _Layout(header, 0 if has_ids else None, label_column, columns)


def _require_width(path: Path, rows: Sequence[_Line], width: int) -> None:
    for line in rows:
        if line.width != width:
            raise FileError(
                f"{path}, line {line.number}: got {line.width} cells, expected {width} as on "
                f"line {rows[0].number}. Each line holds one row of the block."
            )


def _ids(path: Path, rows: Sequence[_Line], column: int) -> NDArray[np.str_]:
    seen: dict[str, int] = {}
    for line in rows:
        cell = line.first if column == 0 else line.cells[column]
        if cell in seen:
            raise InputError(
                f"{path}, line {line.number}: the id {cell!r} was on line {seen[cell]} already; "
                "ids must be unique. Rename the samples or drop the repeated ones."
            )
        seen[cell] = line.number
    return np.array(list(seen))


def _labels(path: Path, rows: Sequence[_Line], column: int) -> NDArray[np.generic]:
    words = []
    for line in rows:
        words.append(line.cells[column])
        if words[-1].lower() in MISSING_WORDS:
            raise FileError(
                f"{path}, line {line.number}: there is no label; drop unlabelled samples or give "
                "labels=."
            )
    return labels_from_words(words)


def _numbers(path: Path, line: _Line, columns: list[int], keep_missing: bool) -> Floats:
    all_cells = line.cells
    cells = [all_cells[c] for c in columns]
    try:
        row = np.array(cells, dtype=np.float64)
    except ValueError:
        row = np.array(
            [
                _number(path, line.number, c + 1, cell)
                for c, cell in zip(columns, cells, strict=True)
            ]
        )
    bad = np.flatnonzero(np.isinf(row) if keep_missing else ~np.isfinite(row))
    if bad.size:
        column, cell = columns[bad[0]] + 1, cells[bad[0]]
        what = "infinity" if np.isinf(row[bad[0]]) else "NaN"
        raise FileError(
            f"{path}, line {line.number}, column {column}: {_quoted(cell)} is {what}; expected a "
            "finite number. Fill in such cells before; in a sparse similarity they may be left "
            "out as zeros: missing='zero'."
        )
    return row


def _number(path: Path, number: int, column: int, cell: str) -> float:
    if cell.lower() in MISSING_WORDS:
        return np.nan
    try:
        return float(cell)
    except ValueError:
        hint = " Write decimals with a point." if _is_number(cell.replace(",", ".")) else ""
        raise FileError(
            f"{path}, line {number}, column {column}: {_quoted(cell)} is not a number.{hint}"
        ) from None


def _quoted(cell: str) -> str:
    return repr(cell if len(cell) <= 30 else cell[:27] + "...") if cell else "an empty cell"


def _compare_ids(path: Path, contents: Contents, names: Words | None) -> None:
    """Columns named like the rows are the same samples; in another order they are an error."""
    m, n = contents.values.shape
    if names is None or _counts(names):
        return
    contents.column_ids = np.array(names)
    if contents.row_ids is None:
        return
    ids = [str(sample) for sample in contents.row_ids]
    if names != ids and sorted(names) == sorted(ids):
        raise FileError(
            f"{path}: rows and columns name the same samples in another order (row 1 is "
            f"{ids[0]!r}, column 1 is {names[0]!r}). Sort both alike."
        )
    contents.same_samples = names == ids if m == n else None
