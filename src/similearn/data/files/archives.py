"""Arrays in .npy files and zip archives: every declared size is checked before it is believed."""

import math
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from similearn.errors import FileError

_MOST_EXPANSION = 100  # times its size that a packed file may grow, beyond _ALWAYS_ALLOWED
_ALWAYS_ALLOWED = 1 << 28  # bytes, a quarter of a gigabyte
_DEFLATE_LIMIT = 1032  # no deflated byte stands for more
_MOST_MEMBERS = 100_000
_OF_OFFICE = {"[Content_Types].xml", "content.xml"}  # of Microsoft's documents, and of OpenDocument
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


def most_unpacked(packed: int, always: int = _ALWAYS_ALLOWED) -> int:
    """How many bytes a compressed file of `packed` bytes may hold; `always` are allowed."""
    return max(always, _MOST_EXPANSION * packed)


def require_expansion(
    path: Path, packed: int, unpacked: int, always: int = _ALWAYS_ALLOWED
) -> None:
    """Refuse a compressed file that holds far more than any real data do."""
    if unpacked > most_unpacked(packed, always):
        raise FileError(
            f"{path} has {packed:,} bytes, but unpacks to {unpacked:,} or more: this looks like a "
            "damaged or malicious file. If it is meant so, unpack it and pass it uncompressed, or "
            "as a sparse matrix."
        )


def refuse_documents(path: Path) -> None:
    """Refuse zip archives that hold neither arrays nor tables: sheets of Excel, and models."""
    if not path.is_file() or not zipfile.is_zipfile(path):
        return
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
    if names & _OF_OFFICE:
        raise FileError(
            f"{path} is an Excel workbook, or another document of an office program; expected "
            "plain data. Save the sheet as CSV, and pass that."
        )
    if "model.json" in names:
        raise FileError(
            f"{path} is a model, where data were expected. `similearn show {path}` tells what it "
            "is and what it expects."
        )


def require_sparse_shape(path: Path, shape: tuple[int, ...], stored: int) -> None:
    """Refuse a sparse block of so many rows or columns that its entries cannot be meant."""
    if len(shape) != 2 or min(shape) < 0 or max(shape) > 1_000_000 + 1000 * stored:
        raise FileError(
            f"{path} announces a sparse block of shape {shape} with {stored:,} entries; expected "
            "rows and columns of which most have entries."
        )


def read_npy(stream: IO[bytes], n_bytes: int) -> NDArray[Any]:
    """Read the one array of a stream that holds `n_bytes`, never one with Python objects.

    Raises
    ------
    FileError
        Without the name of the file, where the header is wrong or says more than there is.
    """
    version = npy.read_magic(stream)
    if version not in _HEADERS:
        raise FileError(f"the .npy format {version[0]}.{version[1]} is not supported")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Python's parser, about damaged headers
        shape, fortran, dtype = _HEADERS[version](stream)
    if dtype.hasobject:
        raise FileError("the array is pickled: it holds Python objects")
    count = math.prod(shape)
    there = n_bytes - stream.tell()
    announced = count * dtype.itemsize
    if min(shape, default=0) < 0 or announced > there or (count and not announced):
        raise FileError(
            f"its header announces shape {shape} of type {dtype}, {announced:,} bytes, but "
            f"{there:,} are there"
        )
    array = np.empty(count, dtype)
    if array.nbytes:
        fill(stream, array.view(np.uint8).data)
    return array.reshape(shape, order="F" if fortran else "C")


def fill(stream: IO[bytes], room: memoryview) -> None:
    """Read as many bytes as there is room for, or say how many there are."""
    place = 0
    while place < len(room):
        part = stream.read(min(len(room) - place, 1 << 20))
        if not part:
            raise FileError(f"it ends after {place:,} of {len(room):,} bytes")
        room[place : place + len(part)] = part
        place += len(part)


class Archive:
    """A zip archive whose members can be neither encrypted, nor larger than they can be."""

    def __init__(self, file: zipfile.ZipFile, path: Path, n_bytes: int) -> None:
        self._file, self.path = file, path
        members = file.infolist()
        self._members = {member.filename: member for member in members}
        if len(members) > _MOST_MEMBERS or len(self._members) < len(members):
            raise FileError(f"{path} is damaged: its list of members is too long or repeats names.")
        for member in members:
            self._require_sane(member, n_bytes)
        if sum(member.compress_size for member in members) > n_bytes:
            raise FileError(f"{path} is damaged: its members overlap.")
        require_expansion(path, n_bytes, sum(member.file_size for member in members))

    @property
    def names(self) -> list[str]:
        """Names of the members."""
        return list(self._members)

    def size(self, name: str) -> int:
        """How many bytes a member has."""
        return self._members[name].file_size

    def read(self, name: str) -> bytes:
        """All bytes of a member."""
        with self._file.open(self._members[name]) as stream:
            return stream.read()

    def array(self, name: str) -> NDArray[Any]:
        """The array of a member."""
        member = self._members[name]
        with self._file.open(member) as stream:
            return read_npy(stream, member.file_size)

    def _require_sane(self, member: zipfile.ZipInfo, n_bytes: int) -> None:
        told = f"{self.path}: member {member.filename!r}"
        if member.flag_bits & 1:
            raise FileError(f"{told} is encrypted. Save the file again without a password.")
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise FileError(f"{told} is compressed in a way that is not supported; use deflate.")
        largest = member.compress_size * (_DEFLATE_LIMIT if member.compress_type else 1)
        if member.compress_size > n_bytes or member.file_size > largest:
            raise FileError(f"{told} announces more than the file can hold: the file is damaged.")


@contextmanager
def opened_archive(path: Path) -> Iterator[Archive]:
    """Open a zip archive and check its list of members."""
    with zipfile.ZipFile(path) as file:
        yield Archive(file, path, path.stat().st_size)
