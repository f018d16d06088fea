"""Finished work on disk: one JSON line each, safe against being killed at any moment."""

import json
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from similearn.data.files.outputs import writing
from similearn.errors import FileError, SimilearnWarning

Record = dict[str, Any]

_BEGINNING = b'{"key": "'  # of every record, as `line_of` writes it
_NUMBER = (int, float)
_ALWAYS: dict[str, Any] = {"key": str, "problem": str, "method": str, "split": int}
_MEASURED: dict[str, Any] = {
    "error": _NUMBER,
    "log_loss": (*_NUMBER, type(None)),
    "brier": (*_NUMBER, type(None)),
    "fit_seconds": _NUMBER,
    "predict_seconds": _NUMBER,
    "parameters": dict,
    "converted": bool,
}


class ResultStore:
    """An append-only file of records, each with a `key`.

    Parameters
    ----------
    path : the file, ``results.jsonl`` in an output folder; it need not exist yet

    Notes
    -----
    `append` returns when the record is on disk. A process killed while writing leaves a last line
    that is not terminated, and the next `open` cuts it off: the work of that line is lost, no
    more. Nothing else is ever removed: a file with a line that is no record is refused, and a
    record whose fields are missing or damaged is named in a warning and passed over.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._file: BinaryIO | None = None

    @contextmanager
    def open(self) -> Iterator[dict[str, Record]]:
        """Lock the file for writing and give the records already there, by key."""
        with writing(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            file = open(self.path, "a+b")
        with file:
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
        with writing(self.path):
            self._file.write(line_of(record))
            self._file.flush()
            os.fsync(self._file.fileno())

    def _read(self, file: BinaryIO) -> tuple[dict[str, Record], int]:
        """Records by key (the last one counts), and the length of all terminated lines."""
        file.seek(0)
        *lines, rest = file.read().split(b"\n")
        if rest.strip(b"\0") and not lines and not _may_be_ours(rest):
            raise FileError(
                f"{self.path} is not a file of results, and is left as it is. Choose another "
                "output folder."
            )
        return records_of(lines, self.path), sum(map(len, lines)) + len(lines)


def records_of(lines: list[bytes], path: Path) -> dict[str, Record]:
    """Records of terminated lines by key; the last one of a key counts.

    Raises
    ------
    FileError
        If a line is no record at all: then the file is somebody else's, or damaged.
    """
    records: dict[str, Record] = {}
    faults = []
    for number, line in enumerate(lines, start=1):
        record = _parsed(line)
        if record is None:
            raise FileError(
                f"{path}, line {number} is not a result record. Delete that line to go on with the "
                "others, or choose another output folder."
            )
        fault = _fault_of(record)
        if fault:
            faults.append(f"line {number}: {fault}")
        else:
            records[record["key"]] = record
    if faults:
        warnings.warn(
            f"{path}: {len(faults)} of {len(lines)} records are damaged and passed over ("
            f"{faults[0]}).",
            SimilearnWarning,
            stacklevel=4,
        )
    return records


def line_of(record: Record) -> bytes:
    """One record as it is stored."""
    return (json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n").encode(
        "utf-8", "backslashreplace"
    )


def _may_be_ours(rest: bytes) -> bool:
    """Whether an unterminated line is the beginning of a record."""
    return rest.startswith(_BEGINNING) or _BEGINNING.startswith(rest)


def _parsed(line: bytes) -> Record | None:
    """Return the record of a line, or None."""
    try:
        record = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("key"), str) else None


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON, and no result")


def _fault_of(record: Record) -> str:
    """Say which field of a record is missing or of a wrong type; empty if none is."""
    wanted = _ALWAYS | ({"failure": str} if "failure" in record else _MEASURED)
    for name, kind in wanted.items():
        if name not in record:
            return f"{name} is missing"
        value = record[name]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            return f"{name} is a {type(value).__name__}"
    told = record.get("warnings", [])
    if not isinstance(told, list) or not all(isinstance(text, str) for text in told):
        return "warnings are no texts"
    if not _are_columns(record.get("tried", {})):
        return "tried are no columns of one length"
    if "failure" not in record and not 0 <= record["error"] <= 1:
        return "error is not within [0, 1]"
    return ""


def _are_columns(tried: Any) -> bool:
    """Whether points that were tried are lists of one length by name, with their errors."""
    if tried == {}:
        return True
    if not isinstance(tried, dict) or not all(isinstance(v, list) for v in tried.values()):
        return False
    errors = tried.get("error")
    return (
        errors is not None
        and {len(values) for values in tried.values()} == {len(errors)}
        and all(isinstance(e, _NUMBER) and not isinstance(e, bool) for e in errors)
    )


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
