"""Lines of tables of text, cut into cells: what separates them, remarks, decimal commas."""

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO

from similearn.data.files.compressed_text import open_text
from similearn.data.files.contents import MISSING_WORDS, reading
from similearn.errors import FileError

Words = list[str]

_LINES_OF_HEAD = 20
_COMMA_NUMBER = re.compile(r"\s*[+-]?\d*,\d+(?:[eE][+-]?\d+)?\s*")
_LONGEST_CELL = 131_072
_LINES_OF_CELL = 200
_MOST_CELLS = 1_000_000
_MOST_LINES = 2_000_000
_MANY, _SLIPS = 10, 0.2  # of so many cells, fewer words than that share are slips


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


def table_lines(path: Path, file: TextIO | None = None, *, blanks: bool = False) -> list[Line]:
    """All lines that are not blank, cut into cells when asked, with their numbers in the file.

    Remarks before the table, and a separator that ends every line, are left out. With `blanks`,
    numbers may have blanks between them, as `numpy.savetxt` and R's `write.table` write them.
    """
    lines: list[Line] = []
    with reading(path), file or open_text(path) as stream:
        numbered: Iterable[tuple[int, str]] = (
            (number, text.rstrip("\r\n"))
            for number, text in enumerate(stream, start=1)
            if text.strip()
        )
        numbered = _whole_rows(iter(numbered))
        head = without_remarks(list(islice(numbered, _LINES_OF_HEAD)))
        if blanks and _have_blanks_between([text for _, text in head]):
            numbered = ((number, _with_tabs(text)) for number, text in numbered)
            head = [(number, _with_tabs(text)) for number, text in head]
        delimiter, decimal_comma = _separation(path, [text for _, text in head])
        ended = len(head) > 1 and all(text.endswith(delimiter) for _, text in head)
        for number, text in chain(head, numbered):
            text = text.removesuffix(delimiter) if ended else text
            lines.append(Line(number, text, delimiter, decimal_comma))
            _require_sane(path, lines)
    if not lines:
        raise FileError(f"{path} is empty.")
    return lines


def _whole_rows(numbered: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Join lines whose break stands within quotation marks, as texts of spreadsheets have them."""
    for number, text in numbered:
        if text.count('"') % 2 == 0:
            yield number, text
            continue
        part = [(number, text)]
        for following in islice(numbered, _LINES_OF_CELL):
            part.append(following)
            if following[1].count('"') % 2:
                break
        joined = "\n".join(line for _, line in part)
        yield from [(number, joined)] if _is_one_row(joined) else part


def _is_one_row(text: str) -> bool:
    """Whether quotation marks open and close cells, so that breaks within them break no line."""
    for mark in ",;\t":
        try:
            cells = next(csv.reader([text], delimiter=mark, strict=True))
            if len(text) <= _LONGEST_CELL and len(cells) > 1:
                return True
        except csv.Error:
            continue
    return False


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


def without_remarks(head: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The first lines without those that begin with "#" and are cut otherwise than the table."""
    start = next((i for i, (_, text) in enumerate(head) if not text.startswith("#")), 0)
    if start and start < len(head):
        is_title = _n_cells(head[start - 1][1]) == _n_cells(head[start][1]) > 1  # "#SampleID"
        start -= is_title
    return head[start:]


def _n_cells(text: str) -> int:
    if len(text) > _LONGEST_CELL:
        return max(text.count(mark) for mark in ",;\t") + 1
    return max(len(_cells(text, mark)) for mark in ",;\t")


def _have_blanks_between(head: Words) -> bool:
    """Whether blanks, and nothing else, can separate: words at most above and before numbers."""
    too_long = any('"' in text and len(text) > _LONGEST_CELL for text in head)  # refused later
    if too_long or any(mark in text for text in head for mark in ",;\t"):
        return False
    rows = [_with_tabs(text).split("\t") for text in head]
    if not rows or len(rows[-1]) < 2:
        return False
    below = rows[1:] or rows
    even = len({len(row) for row in below}) == 1 and len(below[0]) - len(rows[0]) in (0, 1)
    return even and not any(is_word(cell) for row in below for cell in row[1:])


def _with_tabs(text: str) -> str:
    """A line with tabs for its blanks, but for those within quotation marks."""
    if '"' in text:
        return "\t".join(next(csv.reader([text.strip()], delimiter=" ", skipinitialspace=True)))
    return "\t".join(text.split())


def _separation(path: Path, head: Words) -> tuple[str, bool]:
    """Tell what separates the cells of the first lines, and whether commas are decimal points."""
    first = head[0] if head else ""
    if ".tsv" in path.suffixes or ("\t" in first and not _marks(head, ",")):
        return "\t", _has_decimal_commas(head, "\t")
    if any(_has_comma_numbers(text, ";") for text in head):
        return ";", True
    there = [mark for mark in (",", ";", "\t") if mark in first]
    mark = next((mark for mark in there if _marks(head, mark)), there[0] if there else ",")
    if mark != ",":
        return mark, _has_decimal_commas(head, mark)
    return mark, any(_has_quoted_commas(text) for text in head)


def _marks(head: Words, mark: str) -> bool:
    """Whether a mark is as often on every line, and so may separate."""
    counts = {text.count(mark) for text in head}
    return len(counts) == 1 and counts != {0}


def _has_decimal_commas(head: Words, mark: str) -> bool:
    """Whether cells are numbers with commas, and none has a point."""
    if any(len(text) > _LONGEST_CELL for text in head):  # which may be one cell: refused later
        return any(_has_comma_numbers(text, mark) for text in head)
    cells = [cell for text in head for cell in _cells(text, mark)]
    pointed = any("." in cell and is_number(cell) for cell in cells)
    return not pointed and any(_COMMA_NUMBER.fullmatch(cell) for cell in cells)


def _has_comma_numbers(text: str, delimiter: str) -> bool:
    """Whether a line, but for the words that begin or end it, holds numbers with commas."""
    cells = [cell.strip() for cell in text.split(delimiter)]
    inner = [cell for cell in cells if cell and (cell not in (cells[0], cells[-1]) or "," in cell)]
    return (
        len(cells) > 1
        and any(_COMMA_NUMBER.fullmatch(cell) for cell in inner)
        and all(_COMMA_NUMBER.fullmatch(cell) or cell.isdecimal() for cell in inner)
    )


def _has_quoted_commas(text: str) -> bool:
    """Whether a cell in quotation marks is a number with a comma; 1,000 may be a thousand."""
    if '"' not in text or len(text) > _LONGEST_CELL:  # which may be one cell: refused later
        return False
    found = [cell.strip() for cell in _cells(text, ",") if _COMMA_NUMBER.fullmatch(cell)]
    return any(len(cell.partition(",")[2]) != 3 or cell.startswith("0,") for cell in found)


def _cells(text: str, delimiter: str) -> Words:
    return next(csv.reader([text], delimiter=delimiter)) if '"' in text else text.split(delimiter)


def cells_of(text: str) -> Words:
    """The cells of one line alone: with tabs between them, else semicolons, commas or blanks."""
    delimiter = next((mark for mark in "\t;," if mark in text), None)
    return text.split() if delimiter is None else [c.strip() for c in _cells(text, delimiter)]


def is_number(cell: str) -> bool:
    """Whether Python reads a cell as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


def is_word(cell: str) -> bool:
    """Whether a cell is neither a number, a percentage nor blank."""
    return cell.lower() not in MISSING_WORDS and not is_number(cell.removesuffix("%"))


def are_numbers(cells: Iterable[Any]) -> bool:
    """Whether no cell is a word; of many known ones, a few slips make no words of the others."""
    known = [cell for cell in map(str, cells) if cell.lower() not in MISSING_WORDS]
    n_words = sum(map(is_word, known))
    return n_words == 0 or (len(known) >= _MANY and n_words < _SLIPS * len(known))
