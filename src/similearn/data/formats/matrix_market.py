"""Matrix Market files, .mtx and .mtx.gz.

Read here rather than by SciPy, whose reader can crash the process on a truncated file,
and which does not say on which line a file is wrong.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from similearn.data.files.archives import require_sparse_shape
from similearn.data.files.compressed_text import open_text
from similearn.data.files.contents import Contents, numbers, reading
from similearn.data.values import Floats
from similearn.errors import FileError

_LINES_AT_ONCE = 1 << 16
_MOST_DIGITS = 18  # of a size, which then fits into 64 bits
_FIELDS = ("real", "integer", "unsigned-integer", "double", "pattern", "complex")
_SYMMETRIES = ("general", "symmetric", "skew-symmetric")

NumberedLines = Iterator[tuple[int, str]]


def read_mtx(path: Path, part: str | None, with_labels: bool) -> Contents:
    """Read a sparse block written by coordinates, or a dense one written as array."""
    with reading(path), open_text(path, "utf-8") as file:
        form, field, symmetry = _banner(path, file.readline())
        lines = (
            (number, text)
            for number, text in enumerate(file, start=2)
            if text.strip() and not text.startswith("%")
        )
        sizes = _sizes(path, lines, 3 if form == "coordinate" else 2)
        read = _coordinates if form == "coordinate" else _array
        values = read(path, lines, sizes, field, symmetry)
    return Contents(numbers(values, path, ""))


def _banner(path: Path, line: str) -> tuple[str, str, str]:
    words = line.lower().split()
    if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
        raise FileError(
            f"{path} is no Matrix Market file: line 1 should begin with '%%MatrixMarket matrix'."
        )
    form, field, symmetry = words[2:]
    for word, known in (
        (form, ("coordinate", "array")),
        (field, _FIELDS),
        (symmetry, _SYMMETRIES),
    ):
        if word not in known:
            raise FileError(f"{path}, line 1: {word!r} is not supported; expected {known}.")
    if field == "complex":
        raise FileError(
            f"{path}: Complex data not supported: similarities must be real. Write the real part "
            "or the modulus, whichever you mean."
        )
    return form, field, symmetry


def _sizes(path: Path, lines: NumberedLines, count: int) -> list[int]:
    number, text = next(lines, (0, ""))
    words = text.split()
    if len(words) != count or not all(_is_size(word) for word in words):
        raise FileError(
            f"{path}{f', line {number}' if number else ''}: expected {count} sizes before the "
            f"entries, got {text.strip()[:40]!r}."
        )
    return [int(word) for word in words]


def _is_size(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) <= _MOST_DIGITS


def _coordinates(
    path: Path, lines: NumberedLines, sizes: list[int], field: str, symmetry: str
) -> Any:
    m, n, n_entries = sizes
    entries = _entries(path, lines, n_entries, 2 if field == "pattern" else 3)
    require_sparse_shape(path, (m, n), len(entries))
    whole = np.isfinite(entries[:, :2]).all(axis=1)
    whole &= (entries[:, :2] == np.round(entries[:, :2])).all(axis=1)
    if not whole.all():
        first = int(np.argmin(whole))
        raise FileError(
            f"{path}: entry {first + 1} is at row {entries[first, 0]:g}, column "
            f"{entries[first, 1]:g}; expected whole numbers from 1."
        )
    inside = ((entries[:, :2] >= 1) & (entries[:, :2] <= (m, n))).all(axis=1)
    if not inside.all():
        first = int(np.argmin(inside))
        raise FileError(
            f"{path}: entry {first + 1} is at row {entries[first, 0]:.0f}, column "
            f"{entries[first, 1]:.0f}, outside of the {m} × {n} block."
        )
    rows, columns = entries[:, 0].astype(np.intp) - 1, entries[:, 1].astype(np.intp) - 1
    data = np.ones(len(rows)) if field == "pattern" else entries[:, 2]
    if symmetry != "general":
        off = rows != columns
        sign = -1.0 if symmetry == "skew-symmetric" else 1.0
        data = np.concatenate([data, sign * data[off]])
        rows, columns = (
            np.concatenate([rows, columns[off]]),
            np.concatenate([columns, rows[off]]),
        )
    return sparse.csr_array((data, (rows, columns)), shape=(m, n))


def _array(path: Path, lines: NumberedLines, sizes: list[int], field: str, symmetry: str) -> Floats:
    """Read a dense block, column by column; of a symmetric one the lower triangle only."""
    m, n = sizes
    if symmetry == "general":
        return _entries(path, lines, m * n, 1).reshape(n, m).T
    if m != n:
        raise FileError(f"{path} is {symmetry} but not square ({m} × {n}).")
    skew = int(symmetry == "skew-symmetric")
    entries = _entries(path, lines, n * (n + 1 - 2 * skew) // 2, 1)[:, 0]
    columns, rows = np.triu_indices(n, k=skew)
    values = np.zeros((n, n))
    values[rows, columns] = entries
    mirrored = np.tril(values, -1).T
    return values - mirrored if symmetry == "skew-symmetric" else values + mirrored


def _entries(path: Path, lines: NumberedLines, n_entries: int, width: int) -> Floats:
    """Read n_entries lines of `width` numbers each."""
    chunks, found = [np.empty((0, width))], 0
    while some := list(islice(lines, _LINES_AT_ONCE)):
        chunks.append(_parsed(path, some, width))
        found += len(some)
    if found != n_entries:
        raise FileError(
            f"{path} is truncated or damaged: it announces {n_entries} entries, but holds {found}."
        )
    return np.concatenate(chunks)


def _parsed(path: Path, lines: list[tuple[int, str]], width: int) -> Floats:
    try:
        flat = np.array(" ".join(text for _, text in lines).split(), dtype=np.float64)
        if flat.size == width * len(lines):
            return flat.reshape(-1, width)
    except ValueError:
        pass
    for number, text in lines:
        _require_numbers(path, number, text, width)
    raise FileError(f"{path} is truncated or damaged.")


def _require_numbers(path: Path, number: int, text: str, width: int) -> None:
    words = text.split()
    if len(words) != width:
        raise FileError(f"{path}, line {number}: got {len(words)} numbers, expected {width}.")
    for word in words:
        try:
            float(word)
        except ValueError:
            raise FileError(f"{path}, line {number}: {word[:30]!r} is not a number.") from None
