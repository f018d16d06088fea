"""Finished work on disk: one JSON line each, safe against being killed at any moment."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from similearn.errors import FileError

Record = dict[str, Any]


class ResultStore:
    """An append-only file of records, each with a `key`.

    Parameters
    ----------
    path : the file, ``results.jsonl`` in an output folder; it need not exist yet

    Notes
    -----
    `append` returns when the record is on disk. A process killed while writing leaves a
    torn last line, which the next `open` cuts off: the work of that line is lost, no more.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._file: BinaryIO | None = None

    @contextmanager
    def open(self) -> Iterator[dict[str, Record]]:
        """Lock the file for writing and give the records already there, by key."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a+b") as file:
            _lock(file, self.path)
            records, whole = self._read(file)
            file.truncate(whole)
            self._file = file
            try:
                yield records
            finally:
                self._file = None

    def read(self) -> dict[str, Record]:
        """Records by key, without locking or mending the file; none if there is no file."""
        if not self.path.is_file():
            return {}
        with open(self.path, "rb") as file:
            return self._read(file)[0]

    def append(self, record: Record) -> None:
        """Write one record; needs an open store."""
        if self._file is None:
            raise RuntimeError("append() needs an open store: with store.open() as records: ...")
        self._file.write(line_of(record))
        self._file.flush()
        os.fsync(self._file.fileno())

    def _read(self, file: BinaryIO) -> tuple[dict[str, Record], int]:
        """Records by key (the last one counts), and the length of the undamaged part."""
        file.seek(0)
        records: dict[str, Record] = {}
        whole = 0
        lines = file.read().splitlines(keepends=True)
        for number, line in enumerate(lines, start=1):
            record = _parsed(line)
            if record is None and number == len(lines):
                break
            if record is None:
                raise FileError(
                    f"{self.path}, line {number} is not a result record. Delete that line to go "
                    "on with the others, or choose another output folder."
                )
            records[record["key"]] = record
            whole += len(line)
        return records, whole


def line_of(record: Record) -> bytes:
    """One record as it is stored."""
    return (json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _parsed(line: bytes) -> Record | None:
    """Return the record of a complete line, or None."""
    if not line.endswith(b"\n"):
        return None
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and "key" in record else None


def _lock(file: BinaryIO, path: Path) -> None:
    """Keep a second process from writing to the same results at the same time."""
    try:
        import fcntl
    except ImportError:  # Windows has no such lock; there the user must take care
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise FileError(
            f"{path} is in use: another comparison is writing to it. Wait until it ends, or "
            "choose another output folder."
        ) from None
