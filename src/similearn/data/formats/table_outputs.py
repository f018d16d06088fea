"""Named columns as CSV, TSV, JSON lines or Parquet, by the name of the file."""

import csv
import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from similearn.data.files.locating import split_name
from similearn.data.files.outputs import safe_cell, written
from similearn.errors import MissingExtraError


def write_columns(path: str | Path, columns: Mapping[str, Sequence[Any]]) -> None:
    """Write columns of one length; the file appears when it is complete.

    Parameters
    ----------
    path : ends in .tsv, .jsonl, .ndjson or .parquet; anything else, and "-", is CSV
    columns : names and plain values. In CSV and TSV, a text that a spreadsheet would run, as it
        begins with =, +, - or @, has a ' before it.
    """
    ending = split_name(Path(path))[1]
    if ending == ".parquet":
        _write_parquet(path, columns)
        return
    with written(path) as out:
        if ending in (".jsonl", ".ndjson"):
            for row in zip(*columns.values(), strict=True):
                out.write(json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False))
                out.write("\n")
            return
        delimiter = "\t" if ending == ".tsv" else ","
        writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
        writer.writerow(map(safe_cell, columns))
        for row in zip(*columns.values(), strict=True):
            writer.writerow(map(safe_cell, row))


def _write_parquet(path: str | Path, columns: Mapping[str, Sequence[Any]]) -> None:
    try:
        arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError(
            f"{path} would be a Parquet file, which needs the package pyarrow: pip install "
            "pyarrow. Or write .csv."
        ) from None
    with written(path, "wb") as out:
        parquet.write_table(arrow.table({name: list(c) for name, c in columns.items()}), out)
