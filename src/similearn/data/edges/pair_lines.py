"""Lists of pairs, millions of lines: read by blocks of bytes, cut by Python's own `split`."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from similearn.data.edges.pair_layouts import PairLayout
from similearn.data.files.compressed_text import open_utf8
from similearn.data.files.contents import MISSING_WORDS, reading
from similearn.data.values import Floats
from similearn.errors import FileError

_BYTES_AT_ONCE = 1 << 22
_LONGEST_LINE = 1 << 20
_MISSING = tuple(word.encode() for word in MISSING_WORDS)

Codes = NDArray[np.int32]


@dataclass
class ListedPairs:
    """Pairs of a file, in its order.

    Attributes
    ----------
    first, second : (p,) positions of the two samples in `ids`
    scores : (p,)
    ids : in the order in which they first appear
    n_unknown : pairs whose score was blank or NA, which are left out
    """

    first: Codes
    second: Codes
    scores: Floats
    ids: list[str]
    n_unknown: int = 0


def read_pair_lines(path: Path, layout: PairLayout) -> ListedPairs:
    """Read the two ids and the score of every line.

    Notes
    -----
    About 1 µs and 16 bytes of memory per line. A block whose every line has the same number
    of cells, which the positions of separators and line ends tell, is cut in one go; any other is
    read line by line, and so are comments, quotation marks and blanks in rows.
    """
    codes: defaultdict[bytes, int] = defaultdict()
    codes.default_factory = codes.__len__
    found = _Growing()
    with reading(path), open_utf8(path) as stream:
        for number, block in _blocks(path, stream):
            first, second, scores = _cut(path, block, number, layout)
            count = len(scores)
            found.add(
                np.fromiter(map(codes.__getitem__, first), np.int32, count),
                np.fromiter(map(codes.__getitem__, second), np.int32, count),
                scores,
            )
    if not codes:
        raise FileError(f"{path} holds no pairs.")
    try:
        ids = [name.decode() for name in codes]
    except UnicodeDecodeError as error:
        raise FileError(f"{path} holds ids that are not UTF-8. Save it as UTF-8.") from error
    ones, others, all_scores = found.columns()
    known = ~np.isnan(all_scores)
    if known.all():
        return ListedPairs(ones, others, all_scores, ids)
    n_unknown = int(len(known) - known.sum())
    return ListedPairs(ones[known], others[known], all_scores[known], ids, n_unknown)


class _Growing:
    """Columns that grow in place, so that they are never held twice."""

    def __init__(self) -> None:
        self._columns: tuple[Any, Any, Any] = (
            np.empty(0, np.int32),
            np.empty(0, np.int32),
            np.empty(0),
        )
        self._count = 0

    def add(self, *parts: NDArray[Any]) -> None:
        end = self._count + len(parts[0])
        for column, part in zip(self._columns, parts, strict=True):
            if end > len(column):
                column.resize(end + end // 8, refcheck=False)
            column[self._count : end] = part
        self._count = end

    def columns(self) -> tuple[Codes, Codes, Floats]:
        for column in self._columns:
            column.resize(self._count, refcheck=False)
        return self._columns


def _blocks(path: Path, stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Complete lines, each block with the number of its first line."""
    number, rest = 1, b""
    while data := stream.read(_BYTES_AT_ONCE):
        end = data.rfind(b"\n") + 1
        if not end:
            rest += data
            if len(rest) > _LONGEST_LINE:
                raise FileError(
                    f"{path}, line {number}: the line has more than {_LONGEST_LINE:,} characters; "
                    "expected two ids and a score."
                )
            continue
        block, rest = rest + data[:end], data[end:]
        yield number, block
        number += block.count(b"\n")
    if rest.strip():
        yield number, rest + b"\n"


def _cut(
    path: Path, block: bytes, number: int, layout: PairLayout
) -> tuple[list[bytes], list[bytes], Floats]:
    if number > layout.header and not layout.has_attributes:
        plain = block.replace(b"\r\n", b"\n") if b"\r" in block else block
        fast = _cut_at_once(plain, layout)
        if fast is not None:
            return fast
    return _cut_by_line(path, block, number, layout)


def _cut_at_once(
    block: bytes, layout: PairLayout
) -> tuple[list[bytes], list[bytes], Floats] | None:
    """Cut a regular block; None if any line of it differs."""
    mark = (layout.delimiter or " ").encode()
    if b'"' in block or block[:1] == b"#" or b"\n#" in block:
        return None
    blanks = (mark + b" ", b" " + mark, b"\n ", b" \n")
    if mark != b" " and b" " in block and any(blank in block for blank in blanks):
        return None
    bytes_ = np.frombuffer(block, np.uint8)
    marks = bytes_[(bytes_ == mark[0]) | (bytes_ == 10)]
    if len(marks) % layout.width:
        return None
    marks = marks.reshape(-1, layout.width)
    if not ((marks[:, -1] == 10).all() and (marks[:, :-1] == mark[0]).all()):
        return None
    cells = block[:-1].replace(b"\n", mark).split(mark)
    first, second = cells[layout.first :: layout.width], cells[layout.second :: layout.width]
    try:
        scores = np.fromiter(map(float, cells[layout.score :: layout.width]), float, len(first))
    except ValueError:
        return None
    if b"" in first or b"" in second or not np.isfinite(scores).all():
        return None
    return first, second, scores


def _cut_by_line(
    path: Path, block: bytes, number: int, layout: PairLayout
) -> tuple[list[bytes], list[bytes], Floats]:
    """Cut line by line; a `FileError` names the first that is wrong."""
    first, second, scores = [], [], []
    for at, line in enumerate(block.split(b"\n"), start=number):
        text = line.rstrip(b"\r")
        if at <= layout.header or not text.strip() or text.startswith(b"#"):
            continue
        # Whatever bytes there are come back as they were; ids are looked at later.
        told = layout.cells(text.decode("utf-8", "surrogateescape"))
        cells = [cell.encode("utf-8", "surrogateescape") for cell in told]
        if len(cells) != layout.width:
            raise FileError(
                f"{path}, line {at}: got {len(cells)} cells, expected {layout.width}. Each line "
                "holds one pair of samples and its score."
            )
        one, other = cells[layout.first], cells[layout.second]
        if not one or not other:
            raise FileError(f"{path}, line {at}: an id is blank; expected two ids and a score.")
        first.append(one)
        second.append(other)
        scores.append(_score(path, at, cells[layout.score], layout))
    return first, second, np.array(scores, dtype=np.float64)


def _score(path: Path, number: int, cell: bytes, layout: PairLayout) -> float:
    if cell.lower() in _MISSING:
        return np.nan
    try:
        score = float(cell if layout.delimiter == "," else cell.replace(b",", b"."))
    except ValueError:
        score = np.inf
    if not np.isfinite(score):
        raise FileError(
            f"{path}, line {number}, column {layout.score + 1}: {cell.decode('utf-8', 'replace')!r}"
            " is not a finite number; expected the score of a pair."
        )
    return score


def lines_naming(path: Path, layout: PairLayout, one: str, other: str | None = None) -> list[int]:
    """Numbers of the lines that name a sample, or a pair; for messages, since it reads again."""
    wanted = {one} if other is None else {one, other}
    found = []
    with reading(path), open_utf8(path) as stream:
        for number, line in enumerate(stream, start=1):
            cells = layout.cells(line.decode("utf-8", "replace").rstrip("\r\n"))
            if number <= layout.header or len(cells) != layout.width:
                continue
            pair = {cells[layout.first], cells[layout.second]}
            if pair == wanted if other is not None else wanted <= pair:
                found.append(number)
                if len(found) == 2:
                    break
    return found
