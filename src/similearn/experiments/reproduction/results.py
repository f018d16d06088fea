"""Stored results of a table: one file, or one a shard until they are merged, or packed."""

import gzip
import os
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from similearn.errors import FileError
from similearn.experiments.comparisons.store import Record, ResultStore, line_of, records_of

_WORK = ("table", "part", "problem", "method", "seed", "split")  # what a result is of


def results_path(folder: Path, table: str, shard: str | None = None) -> Path:
    """Where the results of a table, or of one shard of it, are stored."""
    part = f".shard-{shard.replace('/', '-of-')}" if shard else ""
    return folder / f"{table}{part}.jsonl"


def parts_of(folder: Path, table: str) -> list[Path]:
    """Files of a table beside its one file: packed results, and those of shards."""
    packed = packed_path(folder, table)
    return [packed] * packed.is_file() + sorted(folder.glob(f"{table}.shard-*.jsonl"))


def stored_records(folder: Path, table: str) -> list[Record]:
    """All results of a table in a folder, of its shards too, in the order of `merge`."""
    return _union([*parts_of(folder, table), results_path(folder, table)])


def packed_path(folder: Path, table: str) -> Path:
    """Where the results of a table are when they are packed."""
    return folder / f"{table}.jsonl.gz"


def pack(folder: Path, table: str, target: Path) -> Path:
    """Write all results of a table, compressed, into another folder, to be kept with a project.

    The same results give the same bytes.
    """
    text = b"".join(map(line_of, stored_records(folder, table)))
    path = packed_path(target, table)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text, mtime=0))
    return path


def merge(folder: Path, table: str, files: Iterable[Path] = ()) -> Path:
    """Bring the results of shards, and of other files, into the one file of a table.

    Parameters
    ----------
    folder : where that file is, and the shards
    table : its name
    files : further files of results of the same table, as from other machines

    Returns
    -------
    path : of the file. Its lines are ordered by data set, method and partition, so that
        whatever way the work was shared out, the same results give the same file.
    """
    others = list(files)
    for file in others:
        if not file.is_file():
            raise FileError(f"{file} is not there; expected a file of results to merge.")
        # Results of evidence are in no table.
        strangers = {r.get("table", table) for r in _read(file).values()} - {table}
        if strangers:
            raise FileError(f"{file} has results of {strangers.pop()!r}, not of {table!r}.")
    path = results_path(folder, table)
    records = _union([*others, *parts_of(folder, table), path])
    path.parent.mkdir(parents=True, exist_ok=True)
    # Written beside and renamed, so that being killed leaves the old file or the new one.
    unfinished = path.with_suffix(".merging")
    unfinished.write_bytes(b"".join(map(line_of, records)))
    os.replace(unfinished, path)
    return path


def _union(paths: Iterable[Path]) -> list[Record]:
    """Records of all files, failures only where nothing succeeded.

    Of the same work, what was made later counts: the key of a result changes with the method or
    the data, and the old one would stand beside the new.
    """
    records: dict[tuple[Any, ...], Record] = {}
    for path in paths:
        for record in _read(path).values():
            work = tuple(record.get(name) for name in _WORK)
            if work not in records or "failure" not in record:
                records[work] = record
    return sorted(records.values(), key=lambda r: (r["problem"], r["method"], r["split"]))


def _read(path: Path) -> dict[str, Record]:
    """Records of a file by key, packed or not."""
    if path.suffix != ".gz":
        return ResultStore(path).read()
    try:
        lines = gzip.decompress(path.read_bytes()).split(b"\n")
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"{path} does not hold packed results: {error}.") from None
    return records_of(lines if lines[-1] else lines[:-1], path)
