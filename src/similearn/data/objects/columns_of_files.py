"""Tables of anything as named columns: CSV, TSV, JSON lines, Parquet."""

import json
import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from similearn.data.files.compressed_text import open_bytes, open_text
from similearn.data.files.contents import ID_NAMES, LABEL_NAMES, reading
from similearn.data.files.cut_lines import Line, is_word, table_lines
from similearn.errors import FileError, MissingExtraError

OBJECT_NAMES = ("object", "objects", "sequence", "seq", "smiles", "text", "string", "word",
                "document", "sentence", "title", "set", "series")  # fmt: skip
USUAL_NAMES = {*ID_NAMES, *LABEL_NAMES, *OBJECT_NAMES} - {""}
"""One of these makes a line a header."""
HEADINGS = {"species", "family", "genus", "organism", "group", "category", "type", "kind",
             "language", "country", "description", "comment", "notes", "accession",
             "entry", "key", "value", "gene", "protein", "topic", "year", "date", "surname",
             "forename", "firstname", "lastname", "first name", "last name"}  # fmt: skip
"""What else columns are called; a line of nothing but such words is a header."""
_MOST_ROWS = 50_000_000


@dataclass
class NamedColumns:
    """Columns of a table, all of one length.

    Attributes
    ----------
    columns : by name
    lines : (n,) where rows stand
    named : whether the file itself names the columns
    first_line : cells of the first line, where it is no header
    """

    columns: dict[str, list[Any]]
    lines: list[int]
    named: bool = True
    first_line: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.lines)


def text_columns(path: Path, asked: set[str]) -> NamedColumns:
    """Columns of a CSV or TSV file; the first line is a header if it looks like one."""
    lines = table_lines(path)
    header = lines[0].cells
    rows = lines[1:] if _is_header(lines, asked) else lines
    if not rows:
        raise FileError(f"{path} holds a header (line 1) but no rows.")
    named = rows is not lines
    if not named:
        header = [str(c + 1) for c in range(lines[0].width)]
    elif len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise FileError(f"{path}, line {lines[0].number}: two columns are called {twice!r}.")
    columns: dict[str, list[Any]] = {name: [] for name in header}
    for line in rows:
        cells = line.cells
        if len(cells) != len(header):
            raise FileError(
                f"{path}, line {line.number}: got {len(cells)} cells, expected {len(header)} as on "
                f"line {lines[0].number}."
            )
        for column, cell in zip(columns.values(), cells, strict=True):
            column.append(cell)
    first = () if named else tuple(lines[0].cells)
    return NamedColumns(columns, [line.number for line in rows], named, first)


def _is_header(lines: list[Line], asked: set[str]) -> bool:
    cells = lines[0].cells
    if asked & set(cells) or any(cell.lower() in USUAL_NAMES for cell in cells):
        return True
    if len(cells) > 1 and all(cell.lower() in HEADINGS for cell in cells):
        return True
    if len(lines) == 1:
        return False
    if any(is_word(a) and not is_word(b) for a, b in zip(cells, lines[1].cells, strict=False)):
        return True  # words above numbers
    return _names_categories(lines)


def _names_categories(lines: list[Line]) -> bool:
    """Whether the first words of at least two columns of repeated words never come again."""
    rows = [line.cells for line in lines[1:1001]]
    if len({len(row) for row in rows} | {len(lines[0].cells)}) > 1:
        return False
    below = zip(lines[0].cells, zip(*rows, strict=True), strict=True)
    repeated = [(first, set(column)) for first, column in below
                if len(set(column)) <= len(column) / 2]  # fmt: skip
    return len(repeated) > 1 and all(first not in values for first, values in repeated)


def json_columns(path: Path) -> NamedColumns:
    """Columns of JSON lines: an object of fields, or a string or list, on each line.

    One array of such objects is read as well, as `DataFrame.to_json(orient="records")` writes it;
    its rows are counted instead of lines.
    """
    rows: list[dict[str, Any]] = _json_array(path)
    numbers = list(range(1, len(rows) + 1))
    if rows:
        return _of_rows(path, rows, numbers)
    with reading(path), open_text(path) as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise FileError(
                    f"{path}, line {number}: this is no JSON ({error}). Expected one JSON object a "
                    "line."
                ) from None
            rows.append(row if isinstance(row, dict) else {"object": row})
            numbers.append(number)
    if not rows:
        raise FileError(f"{path} is empty.")
    return _of_rows(path, rows, numbers)


def begins_json_array(head: bytes) -> bool:
    """Whether an array of objects begins a file, on one line or on several."""
    return re.match(rb"\s*\[\s*\{", head) is not None


def _json_array(path: Path) -> list[dict[str, Any]]:
    """The rows of one array of objects; none if the file holds something else."""
    with reading(path), open_bytes(path) as stream:
        if not begins_json_array(stream.read(64)):
            return []
    try:
        with reading(path), open_text(path) as file:
            rows = json.loads(file.read())
    except FileError:  # which includes what is no JSON: whoever reads lines says where
        return []
    whole = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
    return rows if whole else []


def _of_rows(path: Path, rows: list[dict[str, Any]], numbers: list[int]) -> NamedColumns:
    names = list(rows[0])
    for number, row in zip(numbers, rows, strict=True):
        if row.keys() - set(names):
            raise FileError(
                f"{path}, line {number}: the field {sorted(row.keys() - set(names))[0]!r} is not "
                f"on line {numbers[0]}; expected the same fields on every line."
            )
    return NamedColumns({name: [row.get(name) for row in rows] for name in names}, numbers)


def parquet_columns(path: Path) -> NamedColumns:
    """Columns of a Parquet file, by pyarrow."""
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError(
            f"{path} is a Parquet file, which needs the package pyarrow: pip install pyarrow."
        ) from None
    with reading(path), open_bytes(path) as stream:
        table = parquet.ParquetFile(stream)
        n_rows = table.metadata.num_rows
        if n_rows > _MOST_ROWS:
            raise FileError(f"{path} announces {n_rows:,} rows; expected {_MOST_ROWS:,} at most.")
        columns = table.read().to_pydict()
    if not columns or not n_rows:
        raise FileError(f"{path} holds no rows.")
    columns = {str(name): column for name, column in columns.items()}
    return NamedColumns(columns, list(range(1, n_rows + 1)))
