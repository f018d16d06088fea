"""MATLAB files, versions 4 to 7: the arrays of numbers, words and cells of words in them.

Read here rather than by SciPy, whose compiled reader a damaged file can crash. Every length is
checked against what is there before it is used; nothing else than arrays is read.
"""

import math
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.data.files.archives import most_unpacked, require_expansion
from similearn.errors import FileError

_HEADER = 128
_MOST_DIMENSIONS = 32
_NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8"} | {
    12: "i8",
    13: "u8",
}
_CLASSES = dict(zip(range(6, 16), "f8 f4 i1 u1 i2 u2 i4 u4 i8 u8".split(), strict=True))
_CELL, _CHAR, _SPARSE = 1, 4, 5
_INT8, _INT32, _UINT32, _MATRIX, _COMPRESSED = 1, 5, 6, 14, 15
_TEXTS = {1: "latin-1", 2: "latin-1", 16: "utf-8", 17: "utf-16", 18: "utf-32", 4: "utf-16"}
_OLD_NUMBERS = ("f8", "f4", "i4", "i2", "u2", "u1")
_LOGICAL, _COMPLEX = 0x02, 0x08


class _Damage(Exception):
    """What is wrong, without the name of the file."""


def read_matlab(path: Path) -> dict[str, Any]:
    """All arrays of a file by name; what is no array of numbers, words or cells is left out.

    Raises
    ------
    FileError
        If it is no MATLAB file, is damaged, or is of version 7.3.
    """
    data = memoryview(path.read_bytes())
    if bytes(data[:10]) == b"MATLAB 7.3" or bytes(data[512:516]) == b"\x89HDF":
        raise FileError(
            f"{path} is a MATLAB 7.3 (HDF5) file, which is not supported. In MATLAB, save it "
            "again with save(..., '-v7')."
        )
    try:
        if b"\0" in bytes(data[:4]):
            return dict(_old_arrays(data))
        order = {b"IM": "<", b"MI": ">"}.get(bytes(data[126:128]))
        if order is None:
            raise _Damage("its header is not MATLAB's")
        return dict(_arrays(_Reader(data[_HEADER:], order), path, len(data)))
    except (_Damage, zlib.error, struct.error, UnicodeDecodeError) as error:
        raise FileError(
            f"{path} is no MATLAB file, or is truncated or damaged ({error})."
        ) from None


class _Reader:
    """Elements one after the other: a tag with type and length, then so many bytes."""

    def __init__(self, data: memoryview, order: str) -> None:
        self.data, self.order, self.place = data, order, 0

    def __bool__(self) -> bool:
        return self.place < len(self.data)

    def element(self) -> tuple[int, memoryview]:
        """Type and bytes of the next element."""
        (first,) = struct.unpack(self.order + "I", self._take(4))
        if first >> 16:  # a small element: length, type and data in eight bytes
            data = self._take(4)
            if first >> 16 > 4:
                raise _Damage("a small element is too long")
            return first & 0xFFFF, data[: first >> 16]
        (length,) = struct.unpack(self.order + "I", self._take(4))
        data = self._take(length)
        if first != _COMPRESSED:
            self.place = min(self.place + -length % 8, len(self.data))
        return first, data

    def numbers(self, wanted: int | None = None) -> NDArray[Any]:
        """The next element as numbers."""
        kind, data = self.element()
        if kind not in _NUMBERS or (wanted is not None and kind != wanted):
            raise _Damage(f"an element of type {kind} is not expected here")
        dtype = np.dtype(self.order + _NUMBERS[kind])
        if len(data) % dtype.itemsize:
            raise _Damage("an element ends within a number")
        return np.frombuffer(data, dtype)

    def _take(self, length: int) -> memoryview:
        part = self.data[self.place : self.place + length]
        if len(part) < length:
            raise _Damage(f"{length:,} bytes are announced where {len(part):,} are left")
        self.place += length
        return part


def _arrays(reader: _Reader, path: Path, n_bytes: int) -> Iterator[tuple[str, Any]]:
    unpacked = 0
    while reader:
        kind, data = reader.element()
        if kind == _COMPRESSED:
            content = _decompressed(data, path, n_bytes, unpacked)
            unpacked += len(content)
            kind, data = _Reader(memoryview(content), reader.order).element()
        if kind != _MATRIX:
            continue
        name, array = _matrix(_Reader(data, reader.order), depth=0)
        if array is not None and name and not name.startswith("__"):
            yield name, array


def _decompressed(data: memoryview, path: Path, n_bytes: int, before: int) -> bytes:
    """Decompress one element, never more than a file of this size may hold."""
    room = most_unpacked(n_bytes) - before
    engine = zlib.decompressobj()
    content = engine.decompress(data, max(room, 0) + 1)
    require_expansion(path, n_bytes, before + len(content))
    if not engine.eof:
        raise _Damage("a compressed element is truncated")
    return content


def _matrix(reader: _Reader, depth: int) -> tuple[str, Any]:
    """Name and value of one array; None for what is neither numbers nor words."""
    if not reader:
        return "", np.zeros((0, 0))  # an empty cell
    flags = reader.numbers(_UINT32)
    shape = tuple(int(length) for length in reader.numbers(_INT32))
    if len(flags) < 1 or not 2 <= len(shape) <= _MOST_DIMENSIONS or min(shape) < 0:
        raise _Damage("an array has no flags or an impossible shape")
    name = reader.numbers(_INT8).tobytes().decode("latin-1")
    number, marks = int(flags[0]) & 0xFF, int(flags[0]) >> 8
    if number in _CLASSES:
        return name, _full(reader, shape, _CLASSES[number], marks)
    if number == _SPARSE:
        return name, _sparse_matrix(reader, shape, marks)
    if number == _CHAR:
        return name, _words(reader, shape)
    if number == _CELL and depth == 0:
        return name, _cells(reader, shape)
    return name, None


def _full(reader: _Reader, shape: tuple[int, ...], dtype: str, marks: int) -> NDArray[Any]:
    values = _part(reader, shape, dtype)
    if marks & _COMPLEX:
        return values + 1j * _part(reader, shape, dtype)
    return values.astype(bool) if marks & _LOGICAL else values


def _part(reader: _Reader, shape: tuple[int, ...], dtype: str) -> NDArray[Any]:
    flat = reader.numbers()
    if math.prod(shape) != len(flat):
        raise _Damage(f"an array of shape {shape} holds {len(flat):,} numbers")
    with np.errstate(invalid="ignore"):
        return flat.astype(dtype).reshape(shape, order="F")


def _sparse_matrix(reader: _Reader, shape: tuple[int, ...], marks: int) -> Any:
    if len(shape) != 2:
        raise _Damage("a sparse array has more than two dimensions")
    rows, starts = reader.numbers(_INT32), reader.numbers(_INT32)
    data = reader.numbers()
    if marks & _COMPLEX:
        data = data + 1j * reader.numbers()[: len(data)]
    return _columns(data, rows, starts, shape)


def _columns(data: Any, rows: Any, starts: Any, shape: tuple[int, ...]) -> Any:
    """CSR from compressed columns; MATLAB may keep room for more than there is."""
    m, n = shape
    stored = int(starts[-1]) if len(starts) else 0
    fits = len(starts) == n + 1 and starts[0] == 0 and (np.diff(starts) >= 0).all()
    if not fits or stored > min(len(rows), len(data)):
        raise _Damage("the columns of a sparse array are not where it says")
    rows = rows[:stored].astype(np.int64)
    if ((rows < 0) | (rows >= m)).any():
        raise _Damage(f"a sparse array of {m} rows has an entry outside of them")
    _require_rows(m, stored)
    values = data[:stored].astype(complex if data.dtype.kind == "c" else float)
    columns = np.repeat(np.arange(n), np.diff(starts))
    return sparse.csr_array((values, (rows, columns)), shape=(m, n))


def _require_rows(m: int, stored: int) -> None:
    """A sparse array takes memory for each row, whether anything is in it or not."""
    if m > 1_000_000 + 1000 * stored:
        raise _Damage(f"a sparse array announces {m:,} rows for {stored:,} entries")


def _words(reader: _Reader, shape: tuple[int, ...]) -> NDArray[Any]:
    """Rows of characters as words, as MATLAB means them."""
    kind, data = reader.element()
    if kind not in _TEXTS:
        raise _Damage(f"words of type {kind} are not known")
    suffix = "" if kind < 17 and kind != 4 else "-le" if reader.order == "<" else "-be"
    text = bytes(data).decode(_TEXTS[kind] + suffix)
    if math.prod(shape) != len(text) or len(shape) != 2:
        raise _Damage(f"an array of words of shape {shape} holds {len(text):,} characters")
    return np.array([text[row :: shape[0]].rstrip() for row in range(shape[0])] or [""])


def _cells(reader: _Reader, shape: tuple[int, ...]) -> NDArray[Any]:
    count = math.prod(shape)
    if 8 * count > len(reader.data):
        raise _Damage(f"{count:,} cells are announced in {len(reader.data):,} bytes")
    cells = np.empty(count, dtype=object)
    for place in range(count):
        kind, data = reader.element()
        if kind != _MATRIX:
            raise _Damage("a cell holds no array")
        cells[place] = _matrix(_Reader(data, reader.order), depth=1)[1]
    return cells.reshape(shape, order="F")


def _old_arrays(data: memoryview) -> Iterator[tuple[str, Any]]:
    """Arrays of version 4: a header of five integers, a name, the numbers."""
    order = "<" if struct.unpack("<i", _exactly(data, 0, 4))[0] in range(5000) else ">"
    place = 0
    while place < len(data):
        kind, m, n, imaginary, length = struct.unpack(order + "5i", _exactly(data, place, 20))
        number, form = kind // 10 % 10, kind % 10
        known = 0 <= kind < 5000 and number < len(_OLD_NUMBERS) and form < 3
        if not known or min(m, n, length) < 0 or imaginary not in (0, 1):
            raise _Damage("the header of an array is not MATLAB's")
        name = bytes(_exactly(data, place + 20, length)).rstrip(b"\0").decode("latin-1")
        dtype = np.dtype(order + _OLD_NUMBERS[number])
        size = m * n * dtype.itemsize
        place += 20 + length
        values = np.frombuffer(_exactly(data, place, size), dtype).reshape((m, n), order="F")
        place += size * (1 + imaginary)
        if name and not imaginary:
            yield name, _old_array(values, form)


def _old_array(values: NDArray[Any], form: int) -> Any:
    if form == 0:
        return values.astype(values.dtype.newbyteorder("="))
    if form == 1:
        inside = np.clip(np.nan_to_num(values.astype(float)), 0, 255).astype(np.uint8)
        return np.array([row.tobytes().decode("latin-1").rstrip() for row in inside] or [""])
    if values.shape[1] != 3 or not len(values):
        raise _Damage("a sparse array is not three columns")
    values = values.astype(float)
    m, n = values[-1, :2]
    places = values[:-1, :2] - 1
    whole = np.isfinite(values[:, :2]).all() and (values[:, :2] == np.round(values[:, :2])).all()
    if not whole or ((places < 0) | (places >= (m, n))).any() or max(m, n) > 2**31:
        raise _Damage("the entries of a sparse array are outside of it")
    _require_rows(int(m), len(places))
    rows, columns = places.astype(np.int64).T
    return sparse.csr_array((values[:-1, 2], (rows, columns)), shape=(int(m), int(n)))


def _exactly(data: memoryview, place: int, length: int) -> memoryview:
    if place + length > len(data):
        raise _Damage(f"{length:,} bytes are announced where {len(data) - place:,} are left")
    return data[place : place + length]
