"""Costs of mistakes from a file: decided label, true label and cost, one mistake a line."""

import csv
from pathlib import Path
from typing import Any

import numpy as np

from similearn.data.files.contents import as_path, reading
from similearn.data.files.locating import existing
from similearn.errors import FileError

_MOST_BYTES = 10_000_000


def read_costs(path: str | Path, labels: Any) -> dict[tuple[Any, Any], float]:
    """Read what mistakes cost, as a dict of pairs (decided, true), for classifiers' `costs`.

    Parameters
    ----------
    path : text with three columns, separated by commas or tabs: the decided label, the true label
        and the cost. A first line "decided,true,cost" may be there; empty lines, and those that
        begin with #, are passed over.
    labels : (n,) labels of the samples, by which words of the file are understood

    Raises
    ------
    FileError
        If a line is not of this form, names a label that no sample has, or repeats a pair.
    """
    file = as_path(path)
    known = (
        {} if labels is None else {str(v): v for v in np.asarray(labels).tolist() if v is not None}
    )
    with reading(file):
        file = existing(file)
        if file.stat().st_size > _MOST_BYTES:
            raise FileError(f"{file} is too large for a file of costs; expected one line per pair.")
        text = file.read_text(encoding="utf-8-sig")
    costs: dict[tuple[Any, Any], float] = {}
    separator = "\t" if "\t" in text else ","
    for number, row in enumerate(csv.reader(text.splitlines(), delimiter=separator), start=1):
        cells = [cell.strip() for cell in row]
        heading = [c.lower() for c in cells] == ["decided", "true", "cost"]
        if not any(cells) or cells[0].startswith("#") or (not costs and heading):
            continue
        pair, cost = _line(file, number, cells, known)
        if pair in costs:
            raise FileError(f"{file}, line {number}: the pair {', '.join(cells[:2])} comes twice.")
        costs[pair] = cost
    if not costs:
        raise FileError(
            f"{file} holds no costs; expected lines of decided label, true label, cost."
        )
    return costs


def _line(
    file: Path, number: int, cells: list[str], known: dict[str, Any]
) -> tuple[tuple[Any, Any], float]:
    """One pair and its cost."""
    if len(cells) != 3:
        raise FileError(
            f"{file}, line {number}: {len(cells)} columns; expected three, decided label, true "
            "label and cost."
        )
    strange = [cell for cell in cells[:2] if cell not in known]
    if strange:
        some = ", ".join(sorted(known)[:8])
        raise FileError(
            f"{file}, line {number}: no sample has the label {strange[0]}; there are {some}."
        )
    try:
        cost = float(cells[2])
    except ValueError:
        cost = np.nan
    if not np.isfinite(cost):
        raise FileError(f"{file}, line {number}: {cells[2]!r} is no finite number.")
    return (known[cells[0]], known[cells[1]]), cost
