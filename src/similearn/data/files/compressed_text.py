"""Files as streams of bytes or lines: unpacked on the way, in whatever encoding they say."""

import bz2
import codecs
import gzip
import io
import lzma
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO, cast

from similearn.data.files.archives import require_expansion
from similearn.errors import MissingExtraError

_ALWAYS_ALLOWED = 1 << 26  # bytes of text that a packed file may hold however small it is
_PACKED_AT_ONCE = 1 << 10  # bytes, which stand for 32 MiB at most
PACKED = (".gz", ".bz2", ".xz", ".zst")  # endings of packed files


def open_bytes(path: Path) -> BinaryIO:
    """Open a file for reading bytes; what is packed is unpacked, as its first bytes tell."""
    with open(path, "rb") as file:
        unpack = _unpacking(file.read(6))
    if unpack is None:
        return open(path, "rb")
    return cast(BinaryIO, io.BufferedReader(_Unpacked(path, unpack(path)), 1 << 20))


def open_text(path: Path, encoding: str | None = None) -> TextIO:
    """Open a file for reading lines; without `encoding`, its first bytes tell UTF-8 or UTF-16."""
    stream = open_bytes(path)
    try:
        head = stream.peek(256)[:256]  # type: ignore[attr-defined]
    except BaseException:
        stream.close()
        raise
    return io.TextIOWrapper(stream, encoding=encoding or encoding_of(head), newline=None)


def open_utf8(path: Path) -> BinaryIO:
    """Open a text file for reading bytes of UTF-8 without byte order mark, whatever it is in."""
    stream = open_bytes(path)
    head = stream.peek(256)[:256]  # type: ignore[attr-defined]
    encoding = encoding_of(head)
    if encoding != "utf-8-sig":
        return cast(BinaryIO, codecs.EncodedFile(stream, "utf-8", encoding))
    if head.startswith(codecs.BOM_UTF8):
        stream.read(len(codecs.BOM_UTF8))
    return stream


def encoding_of(head: bytes) -> str:
    """Tell UTF-16 from UTF-8 by a byte order mark, or by zeros in place of every other byte."""
    if head.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):  # one begins as UTF-16 does
        return "utf-32"
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    even, odd = head[0::2], head[1::2]
    if len(head) >= 4 and b"\0" not in even and not odd.strip(b"\0"):
        return "utf-16-le"
    if len(head) >= 4 and b"\0" not in odd and not even.strip(b"\0"):
        return "utf-16-be"
    return "utf-8-sig"


def _unpacking(head: bytes) -> Callable[[Path], IO[bytes]] | None:
    if head.startswith(b"\x1f\x8b"):
        return lambda path: cast(IO[bytes], gzip.open(path, "rb"))
    if head.startswith(b"BZh"):
        return lambda path: bz2.open(path, "rb")
    if head.startswith(b"\xfd7zXZ\0"):
        return lambda path: lzma.open(path, "rb")
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return _open_zstandard
    return None


def _open_zstandard(path: Path) -> IO[bytes]:
    try:
        return cast(IO[bytes], _Zstandard(open(path, "rb"), import_module("zstandard")))
    except ImportError:
        raise MissingExtraError(
            f"{path} is packed by Zstandard, which needs the package zstandard: pip install "
            "zstandard. Or unpack it before: zstd -d."
        ) from None


class _Zstandard:
    """What a file holds that Zstandard packed; one that ends too early is an error.

    The package's own stream ends silently where a truncated file does.
    """

    def __init__(self, file: IO[bytes], package: Any) -> None:
        self._file, self._new = file, lambda: package.ZstdDecompressor().decompressobj()
        self._part, self._ready = self._new(), b""

    def read(self, size: int) -> bytes:
        while not self._ready:
            packed = self._part.unused_data or self._file.read(_PACKED_AT_ONCE)
            if not packed:
                if not self._part.eof:
                    raise EOFError("the packed data end too early")
                return b""
            if self._part.eof:
                self._part = self._new()
            self._ready = self._part.decompress(packed)
        given, self._ready = self._ready[:size], self._ready[size:]
        return given

    def close(self) -> None:
        self._file.close()


class _Unpacked(io.RawIOBase):
    """The content of a packed file, refused where it grows beyond measure."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self._path, self._packed, self._count = path, path.stat().st_size, 0
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        data = self._file.read(len(room))
        room[: len(data)] = data
        self._count += len(data)
        if self._count > _ALWAYS_ALLOWED:
            require_expansion(self._path, self._packed, self._count, _ALWAYS_ALLOWED)
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()
