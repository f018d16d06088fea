"""Blocks as text for other programs: PHYLIP, tables with ids (lsmat), lists of pairs."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
from scipy import sparse

from similearn.data.files.locating import split_name
from similearn.data.files.outputs import written
from similearn.data.pairwise import Pairwise
from similearn.errors import FileError, InputError


def write_block_text(path: Path, X: Pairwise, labels: Any) -> None:
    """Write a block in the format that the ending of the file names; numbers lose no digit."""
    ending = split_name(path)[1]
    if ending not in TEXT_FORMATS:
        raise FileError(
            f"{path} should end in .npz, which holds all that a block knows, or in one of "
            f"{', '.join(TEXT_FORMATS)}."
        )
    if path.name.lower().endswith((".gz", ".bz2", ".xz", ".zst")):
        raise FileError(f"{path}: text is written unpacked; pack it afterwards.")
    if labels is not None and ending not in (".csv", ".tsv"):
        raise InputError(f"{path} cannot hold labels; write .csv, .tsv or .npz, or a file of them.")
    with written(path) as out:
        TEXT_FORMATS[ending](out, X, labels)


def _write_phylip(out: IO[str], X: Pairwise, labels: Any) -> None:
    """Square, with relaxed names."""
    if not X.same_samples:
        raise InputError(f"X is {X!r}; PHYLIP holds samples against themselves.")
    names = _names(X.row_ids, len(X))
    odd = next((name for name in names if not name or len(name.split()) != 1), None)
    if odd is not None:
        raise InputError(f"The id {odd!r} has blanks in it, which end a name in PHYLIP; rename it.")
    out.write(f"{len(X)}\n")
    for name, row in zip(names, X.rows().tolist(), strict=True):
        out.write(f"{name} {' '.join(map(repr, row))}\n")


def _write_csv(out: IO[str], X: Pairwise, labels: Any) -> None:
    _write_table(out, X, labels, ",")


def _write_tsv(out: IO[str], X: Pairwise, labels: Any) -> None:
    """As scikit-bio writes it (lsmat), with a last column of labels if there are any."""
    _write_table(out, X, labels, "\t")


def _write_table(out: IO[str], X: Pairwise, labels: Any, delimiter: str) -> None:
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    rows, columns = _names(X.row_ids, len(X)), _names(X.column_ids, X.shape[1])
    known = None if labels is None else np.asarray(labels).tolist()
    writer.writerow(["", *columns] + ([] if known is None else ["label"]))
    for i, (name, row) in enumerate(zip(rows, X.rows().tolist(), strict=True)):
        writer.writerow([name, *row] + ([] if known is None else [known[i]]))


def _write_pairs(out: IO[str], X: Pairwise, labels: Any) -> None:
    """Every stored pair; of a symmetric block with itself each once."""
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    rows, columns = _names(X.row_ids, len(X)), _names(X.column_ids, X.shape[1])
    writer.writerow(["source", "target", X.kind])
    once = bool(X.same_samples) and X.is_symmetric
    for i in range(len(X)):
        row = X.values[[i]]
        places = row.indices if sparse.issparse(row) else range(X.shape[1])
        scores = row.data if sparse.issparse(row) else row[0]
        for j, score in zip(places, scores.tolist(), strict=True):
            if not once or i <= j:
                writer.writerow([rows[i], columns[j], score])


def _names(ids: Any, n: int) -> list[str]:
    return [f"s{i}" for i in range(n)] if ids is None else [str(one) for one in ids]


TEXT_FORMATS: dict[str, Callable[[IO[str], Pairwise, Any], None]] = {
    ".csv": _write_csv,
    ".tsv": _write_tsv,
    ".lsmat": _write_tsv,
    ".phy": _write_phylip,
    ".phylip": _write_phylip,
    ".edges": _write_pairs,
    ".edgelist": _write_pairs,
}
