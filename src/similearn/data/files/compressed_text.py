"""Text files, plain or gzipped, read as a stream that ends where a bomb would begin."""

import gzip
import io
from pathlib import Path
from typing import Any, TextIO

from similearn.data.files.archives import require_expansion

_ALWAYS_ALLOWED = 1 << 26  # bytes of text that a gzipped file may hold however small it is


def open_text(path: Path, encoding: str = "utf-8") -> TextIO:
    """Open a file for reading lines; one whose name ends in .gz is unpacked on the way."""
    if not path.name.lower().endswith(".gz"):
        return open(path, encoding=encoding, newline=None)
    return io.TextIOWrapper(io.BufferedReader(_Unpacked(path)), encoding=encoding, newline=None)


class _Unpacked(io.RawIOBase):
    """The content of a gzipped file, refused where it grows beyond measure."""

    def __init__(self, path: Path) -> None:
        self._path, self._packed, self._count = path, path.stat().st_size, 0
        self._file = gzip.open(path, "rb")

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
