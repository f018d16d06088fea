"""Files of text: .csv and .tsv (.gz), a table of numbers or of labels."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TextIO

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
    word_array,
)
from similearn.data.values import Floats
from similearn.errors import FileError, InputError

Words = list[str]

_LINES_OF_HEAD = 20
_CELLS_AT_ONCE = 1 << 18
_COMMA_NUMBER = re.compile(r"\s*[+-]?\d*,\d+(?:[eE][+-]?\d+)?\s*")

_LONGEST_CELL = 131_072
_MOST_CELLS = 1_000_000
_MOST_LINES = 2_000_000


@dataclass(slots=True)
class Line:
    """One line; it is cut into cells when asked, since all cells at once need much memory."""

    number: int
    text: str
    delimiter: str
    decimal_comma: bool = False

    @property
    def cells(self) -> Words:
        """The cells without blanks around them, decimals with a point."""
        return [cell.strip() for cell in self.raw_cells]

    @property
    def raw_cells(self) -> Words:
        """The cells as they stand, but decimals with a point."""
        cells = _cells(self.text, self.delimiter)
        if self.decimal_comma:
            return [c.replace(",", ".") if _COMMA_NUMBER.fullmatch(c) else c for c in cells]
        return cells

    @property
    def first(self) -> str:
        """The first cell."""
        return self.cells[0] if '"' in self.text else self.text.split(self.delimiter, 1)[0].strip()

    @property
    def width(self) -> int:
        """The number of cells."""
        return len(self.cells) if '"' in self.text else self.text.count(self.delimiter) + 1


@dataclass
class _Layout:
    """Which column is what."""

    header: Words | None
    id_column: int | None
    label_column: int | None
    columns: list[int]


def read_table(
    path: Path, *, keep_missing: bool, with_labels: bool, file: TextIO | None = None
) -> Contents:
    """Read a table of numbers, with or without header, ids and labels.

    Parameters
    ----------
    keep_missing : whether blank cells become NaN; otherwise they are an error.
    with_labels : whether a column of labels is read or passed over.
    file : the lines, where they are not those of the path itself

    Notes
    -----
    The first line is a header if it holds words, or counts the columns. The first column
    holds ids if the header says so (blank corner, "id", one cell fewer than the rows) or
    if all of it is words. A column headed "label", "class" or "y" holds labels.
    """
    lines = table_lines(path, file)
    header = lines[0].cells if _is_header(lines) else None
    rows = lines[1:] if header is not None else lines
    if not rows:
        raise FileError(f"{path} holds a header (line 1) but no rows.")
    layout = _layout(path, header, rows)
    ids = None if layout.id_column is None else unique_ids(path, rows, layout.id_column)
    labels = None
    if with_labels and layout.label_column is not None:
        labels = labels_from_words(label_words(path, rows, layout.label_column))
    names = None if header is None else [layout.header[c] for c in layout.columns]  # type: ignore[index]
    values = np.empty((len(rows), len(layout.columns)))
    at_once = max(1, _CELLS_AT_ONCE // len(layout.columns))
    for start in range(0, len(rows), at_once):
        part = rows[start : start + at_once]
        values[start : start + at_once] = _plain_rows(part, layout.columns) or [
            _numbers(path, line, layout.columns, keep_missing) for line in part
        ]
    contents = Contents(values, labels=labels, row_ids=ids)
    _compare_ids(contents, names)
    return contents


def table_lines(path: Path, file: TextIO | None = None) -> list[Line]:
    """All lines that are not blank, cut into cells when asked, with their numbers in the file."""
    lines: list[Line] = []
    with reading(path), file or open_text(path) as stream:
        numbered = (
            (number, text.rstrip("\r\n"))
            for number, text in enumerate(stream, start=1)
            if text.strip()
        )
        head = list(islice(numbered, _LINES_OF_HEAD))
        delimiter, decimal_comma = _separation(path, [text for _, text in head])
        for number, text in chain(head, numbered):
            lines.append(Line(number, text, delimiter, decimal_comma))
            _require_sane(path, lines)
    if not lines:
        raise FileError(f"{path} is empty.")
    return lines


def _require_sane(path: Path, lines: list[Line]) -> None:
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


def _separation(path: Path, head: Words) -> tuple[str, bool]:
    """Tell what separates the cells of the first lines, and whether commas are decimal points."""
    first = head[0] if head else ""
    if ".tsv" in path.suffixes or ("\t" in first and not _marks(head, ",")):
        return "\t", any(_has_comma_numbers(text, "\t") for text in head)
    if any(_has_comma_numbers(text, ";") for text in head):
        return ";", True
    return next((mark for mark in (",", ";", "\t") if mark in first), ","), False


def _marks(head: Words, mark: str) -> bool:
    """Whether a mark is as often on every line, and so may separate."""
    counts = {text.count(mark) for text in head}
    return len(counts) == 1 and counts != {0}


def _has_comma_numbers(text: str, delimiter: str) -> bool:
    """Whether a line, but for the words that begin or end it, holds numbers with commas."""
    cells = [cell.strip() for cell in text.split(delimiter)]
    inner = [cell for cell in cells if cell and (cell not in (cells[0], cells[-1]) or "," in cell)]
    return (
        len(cells) > 1
        and any(_COMMA_NUMBER.fullmatch(cell) for cell in inner)
        and all(_COMMA_NUMBER.fullmatch(cell) or cell.isdecimal() for cell in inner)
    )


def _cells(text: str, delimiter: str) -> Words:
    return next(csv.reader([text], delimiter=delimiter)) if '"' in text else text.split(delimiter)


def cells_of(text: str) -> Words:
    """The cells of one line alone: with tabs between them, else semicolons, commas or blanks."""
    delimiter = next((mark for mark in "\t;," if mark in text), None)
    return text.split() if delimiter is None else [c.strip() for c in _cells(text, delimiter)]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def is_word(cell: str) -> bool:
    """Whether a cell is neither a number nor blank."""
    return cell.lower() not in MISSING_WORDS and not _is_number(cell)


def _is_header(lines: Sequence[Line]) -> bool:
    corner, *rest = lines[0].cells
    if any(is_word(cell) for cell in rest) or (corner and corner.lower() in ID_NAMES):
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


def _layout(path: Path, header: Words | None, rows: Sequence[Line]) -> _Layout:
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
    label_column = next(
        (c for c, cell in enumerate(header) if cell.lower() in LABEL_NAMES and cell not in ids),
        None,
    )
    has_ids = has_ids and label_column != 0
    columns = [c for c in range(width) if c != label_column and not (has_ids and c == 0)]
    if not columns:
        raise FileError(f"{path} holds no column of numbers.")
    return _Layout(header, 0 if has_ids else None, label_column, columns)


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
                "is a pair of samples, say format='pairs'."
            )
        seen[cell] = line.number
    return word_array(list(seen), f"{path}: the ids")


def label_words(path: Path, rows: Sequence[Line], column: int) -> list[str | None]:
    """Return the labels in a column, None where there is none."""
    words = [line.cells[column] for line in rows]
    known = [None if word.lower() in MISSING_WORDS else word for word in words]
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
        what = "infinity" if np.isinf(row[bad[0]]) else "NaN"
        raise FileError(
            f"{path}, line {line.number}, column {column}: {_quoted(cell)} is {what}; expected a "
            "finite number. Fill in such cells before; in a sparse similarity they may be left "
            "out as zeros: missing='zero'; of a dissimilarity as unknown: missing='unknown'."
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
