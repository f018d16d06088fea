"""Stored results of a table: one file, or one a shard until they are merged."""

import os
from collections.abc import Iterable
from pathlib import Path

from similearn.errors import FileError
from similearn.experiments.store import Record, ResultStore, line_of


def results_path(folder: Path, table: str, shard: str | None = None) -> Path:
    """Where the results of a table, or of one shard of it, are stored."""
    part = f".shard-{shard.replace('/', '-of-')}" if shard else ""
    return folder / f"{table}{part}.jsonl"


def stored_records(folder: Path, table: str) -> list[Record]:
    """All results of a table in a folder, of its shards too, in the order of `merge`."""
    shards = sorted(folder.glob(f"{table}.shard-*.jsonl"))
    return _union([*shards, results_path(folder, table)])


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
        strangers = {r.get("table") for r in ResultStore(file).read().values()} - {table}
        if strangers:
            raise FileError(f"{file} has results of {strangers.pop()!r}, not of {table!r}.")
    shards = sorted(folder.glob(f"{table}.shard-*.jsonl"))
    path = results_path(folder, table)
    records = _union([*others, *shards, path])
    path.parent.mkdir(parents=True, exist_ok=True)
    # Written beside and renamed, so that being killed leaves the old file or the new one.
    unfinished = path.with_suffix(".merging")
    unfinished.write_bytes(b"".join(map(line_of, records)))
    os.replace(unfinished, path)
    return path


def _union(paths: Iterable[Path]) -> list[Record]:
    """Records of all files by key, failures only where nothing succeeded."""
    records: dict[str, Record] = {}
    for path in paths:
        for key, record in ResultStore(path).read().items():
            if key not in records or "failure" not in record:
                records[key] = record
    return sorted(records.values(), key=lambda r: (r["problem"], r["method"], r["split"]))
