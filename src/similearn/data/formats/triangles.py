"""Text matrices that may be triangles: PHYLIP's, and those of MEGA."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from similearn.data.files.compressed_text import open_text
from similearn.data.files.contents import (
    MISSING_WORDS,
    Contents,
    Wanted,
    is_count,
    reading,
    word_array,
)
from similearn.data.files.cut_lines import is_word
from similearn.data.values import Floats
from similearn.errors import FileError, InputError

_STRICT = 10  # characters of a name in strict PHYLIP
_MOST_SAMPLES = 200_000
_MEGA_NAME = re.compile(r"(?:\[\s*\d+\s*\])?\s*#(.+)")
_REMARK = re.compile(r"\[[^\]]*\]")

Numbered = tuple[int, str]
Record = tuple[int, str, list[str]]  # line, name, cells
Shape = Callable[[int, int], int]  # numbers in row i of n

# Layouts, in the order in which they are tried: whether a diagonal is there, numbers in row i.
_SHAPES: dict[str, tuple[bool, Shape]] = {
    "square": (True, lambda i, n: n),
    "lower": (False, lambda i, n: i),
    "lower with diagonal": (True, lambda i, n: i + 1),
    "upper": (False, lambda i, n: n - 1 - i),
    "upper with diagonal": (True, lambda i, n: n - i),
}


def read_phylip(path: Path, wanted: Wanted) -> Contents:
    """Read a PHYLIP distance matrix, as Mash, FastANI and many others write it.

    Square, or a triangle with or without diagonal. Names end at a tab, at a blank, or after ten
    characters, whichever fits all lines. Rows may be wrapped over several lines.
    """
    (first, head), *lines = _lines(path)
    if not is_count(head) or not 0 < int(head) <= _MOST_SAMPLES:
        raise FileError(
            f"{path}, line {first}: expected the number of samples, got {head.strip()[:30]!r}."
        )
    n = int(head)
    if len(lines) < n:
        raise FileError(
            f"{path} is truncated: line {first} announces {n} samples, but {len(lines)} lines "
            "follow."
        )
    for cut in (_at_tab, _at_blank, _at_ten):
        records = _records(lines, n, cut)
        shape = _shape([len(cells) for _, _, cells in records], n)
        if shape is not None and all(_is_row(record) for record in records):
            return _contents(path, records, shape, wanted)
    raise _misfit(path, _records(lines, n, _at_blank), n)


def read_mega(path: Path, wanted: Wanted) -> Contents:
    """Read a MEGA distance matrix: names after "#", then a lower left or upper right triangle."""
    lines = _lines(path)[1:]
    names: list[str] = []
    rows: list[Record] = []
    in_command = False
    for number, text in lines:
        if in_command or text.lstrip().startswith("!"):
            in_command = not text.rstrip().endswith(";")
            continue
        named = _MEGA_NAME.fullmatch(text.strip())
        if named and not rows:
            names.append(named[1].strip())
        elif cells := _without_remarks(text).replace(",", " ").split():
            rows.append((number, "", cells))
    n = len(names)
    if not n:
        raise FileError(f"{path} names no samples: expected lines of '#' and a name.")
    widths = [len(cells) for _, _, cells in rows]
    for shape in ("lower", "upper"):
        expected = [_SHAPES[shape][1](i, n) for i in range(n)]
        if widths == [width for width in expected if width]:
            each = iter(rows)
            full: list[Record] = []
            for name, width in zip(names, expected, strict=True):
                number, _, cells = next(each) if width else (lines[0][0], "", [])
                full.append((number, name, cells))
            return _contents(path, full, shape, wanted)
    line = rows[-1][0] if rows else lines[-1][0]
    raise FileError(
        f"{path}, line {line}: got {sum(widths)} numbers in {len(rows)} rows for {n} samples; "
        f"expected {n * (n - 1) // 2}, a triangle without diagonal."
    )


def _without_remarks(text: str) -> str:
    """A line without what stands in brackets; those that are left open are no remarks."""
    closed, mark, rest = text.rpartition("]")
    return _REMARK.sub(" ", closed + mark) + rest


def _lines(path: Path) -> list[Numbered]:
    with reading(path), open_text(path) as file:
        lines = [
            (number, text.rstrip("\r\n"))
            for number, text in enumerate(file, start=1)
            if text.strip()
        ]
    if not lines:
        raise FileError(f"{path} is empty.")
    return lines


def _at_tab(text: str) -> tuple[str, list[str]]:
    name, _, rest = text.partition("\t")
    return name.strip(), rest.split()


def _at_blank(text: str) -> tuple[str, list[str]]:
    name, *cells = text.split()
    return name, cells


def _at_ten(text: str) -> tuple[str, list[str]]:
    return text[:_STRICT].strip(), text[_STRICT:].split()


def _is_row(record: Record) -> bool:
    """Whether there is a name, and then no further part of one."""
    _, name, cells = record
    return bool(name) and (not cells or not is_word(cells[0]))


def _records(
    lines: Sequence[Numbered], n: int, cut: Callable[[str], tuple[str, list[str]]]
) -> list[Record]:
    """Rows of the matrix; where there are more lines than samples, rows are wrapped."""
    records: list[Record] = []
    wrapped = len(lines) > n
    needed = 0
    for number, text in lines:
        if wrapped and records and len(records[-1][2]) < needed:
            records[-1][2].extend(text.split())
            continue
        name, cells = cut(text)
        records.append((number, name, cells))
        # The first row tells a square, which has numbers in it, from a lower triangle.
        needed = n if records[0][2] else len(records) - 1
    return records


def _shape(widths: list[int], n: int) -> str | None:
    for name, (_, width) in _SHAPES.items():
        if widths == [width(i, n) for i in range(n)]:
            return name
    return None


def _misfit(path: Path, records: list[Record], n: int) -> FileError:
    shape: Shape = _SHAPES["square" if records[0][2] else "lower"][1]
    for i, (number, name, cells) in enumerate(records):
        if i >= n:
            return FileError(f"{path}, line {number}: expected {n} samples, got more.")
        if len(cells) != shape(i, n):
            return FileError(
                f"{path}, line {number}: got {len(cells)} numbers after the name {name!r}, "
                f"expected {shape(i, n)} in row {i + 1} of {n}."
            )
    return FileError(f"{path} is truncated: got {len(records)} samples, expected {n}.")


def _contents(path: Path, records: list[Record], shape: str, wanted: Wanted) -> Contents:
    n = len(records)
    seen: dict[str, int] = {}
    for number, name, _ in records:
        if name in seen:
            raise InputError(
                f"{path}, line {number}: the id {name!r} was on line {seen[name]} already; ids "
                "must be unique. Rename the samples or drop the repeated ones."
            )
        seen[name] = number
    values: Floats = np.full((n, n), np.nan)
    for i, (number, _, cells) in enumerate(records):
        row = _numbers(path, number, cells, wanted)
        start = n - len(cells) if shape.startswith("upper") else 0
        values[i, start : start + len(cells)] = row
        if shape != "square":
            values[start : start + len(cells), i] = row
    has_diagonal = _SHAPES[shape][0]
    ids = word_array(list(seen), f"{path}: the names")
    contents = Contents(values, row_ids=ids, column_ids=ids, same_samples=True)
    contents.no_diagonal = not has_diagonal
    contents.kind = _kind(values, has_diagonal)
    return contents


def _kind(values: Floats, has_diagonal: bool) -> str | None:
    """Distances, unless they look like identities in percent, or samples are not at zero."""
    if has_diagonal:
        return "dissimilarity" if not np.diagonal(values).any() else None
    known = values[np.isfinite(values)]
    looks_like_percent = known.size and known.min() >= 50 and known.max() <= 100
    return None if looks_like_percent else "dissimilarity"


def _numbers(path: Path, number: int, cells: list[str], wanted: Wanted) -> Floats:
    try:
        row = np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        row = np.array([_number(path, number, cell) for cell in cells])
    bad = np.flatnonzero(np.isinf(row) if wanted.keeps_missing else ~np.isfinite(row))
    if bad.size:
        hint = "Such entries can be filled: missing='fill'; or left unknown: missing='unknown'."
        if np.isinf(row[bad[0]]):
            hint = "Put one there; or NA if nothing is known, and say missing='fill'."
        raise FileError(f"{path}, line {number}: {cells[bad[0]]!r} is no finite number. {hint}")
    return row


def _number(path: Path, number: int, cell: str) -> float:
    if cell.lower() in (*MISSING_WORDS, "-"):
        return np.nan
    try:
        return float(cell)
    except ValueError:
        raise FileError(f"{path}, line {number}: {cell[:30]!r} is not a number.") from None
