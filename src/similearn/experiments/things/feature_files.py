"""Tables of features that stand beside matrices, their rows joined to the samples by id."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.data import LabelledObjects, read_objects
from similearn.errors import InputError, MissingColumnError


@dataclass(frozen=True, eq=False)
class Features:
    """A table of numbers, a row for each sample.

    Attributes
    ----------
    table : (m, d)
    columns : d names
    labels : (m,) of a column of the file or of a file beside it, None without any
    notes : sentences on what was left out
    """

    table: NDArray[np.float64]
    columns: tuple[str, ...]
    labels: NDArray[Any] | None
    notes: tuple[str, ...] = ()


def found_features(path: Path, labels: Any = None) -> tuple[LabelledObjects, bool]:
    """Read a table; `labels` may name a column of it: whether it does is returned, too."""
    if isinstance(labels, str):
        try:
            return read_objects(path, labels=labels), True
        except MissingColumnError:
            pass
    return read_objects(path), False


def features_of(
    found: LabelledObjects, path: Path, ids: NDArray[Any] | None, count: int
) -> Features:
    """Put the rows of a table into the order of the samples, by id where both have ids.

    Parameters
    ----------
    found : what the file holds
    path : the file, for messages
    ids, count : (m,) of the samples, or None; and m
    """
    table, columns, left_out = _numbers(found, path)
    order, notes = np.arange(len(table)), list(found.notes)
    if left_out:
        told = ", ".join(left_out[:8])
        notes.append(f"Columns of {path} that hold no numbers were left out: {told}.")
    if ids is not None and found.ids is not None:
        order = _order(path, [str(one) for one in found.ids], [str(one) for one in ids])
        if len(table) > len(order):
            notes.append(
                f"Rows of {path} that are no samples of the matrices were left out: "
                f"{len(table) - len(order)}."
            )
    elif len(table) != count:
        raise InputError(
            f"{path} has {len(table)} rows, but there are {count} samples; expected a row for each "
            "sample, in the same order or with ids in both files."
        )
    y = None if found.labels is None else found.labels[order]
    return Features(table[order], columns, y, tuple(notes))


def _numbers(found: LabelledObjects, path: Path) -> tuple[Any, tuple[str, ...], list[str]]:
    """The columns of numbers (m, d), their names, and those of the other columns."""
    cells: Any = (
        np.asarray(found.objects) if found.what in ("numbers", "categories") else np.empty(0)
    )
    if cells.ndim == 2:
        names = found.columns or tuple(f"x{i + 1}" for i in range(cells.shape[1]))
        read = {name: _as_floats(cells[:, i]) for i, name in enumerate(names)}
        kept = {name: column for name, column in read.items() if column is not None}
        if kept:
            left_out = [name for name in names if name not in kept]
            return np.column_stack(list(kept.values())), tuple(kept), left_out
    raise InputError(
        f"{path} holds {found.what}; a table of features beside matrices holds numbers. Compare "
        "words by a similarity, and give the matrix."
    )


def _as_floats(column: Any) -> NDArray[np.float64] | None:
    try:
        return np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def _order(path: Path, own: list[str], wanted: list[str]) -> NDArray[np.intp]:
    place = {name: i for i, name in enumerate(own)}
    missing = [name for name in wanted if name not in place]
    if missing:
        raise InputError(
            f"{path} has no row for the sample {missing[0]!r} ({len(missing)} of {len(wanted)} are "
            f"missing); its ids are such as {own[0]!r}. Features and matrices must be of the same "
            "samples."
        )
    return np.array([place[name] for name in wanted], dtype=np.intp)


def read_columns(path: Path, columns: Sequence[str], **options: Any) -> LabelledObjects:
    """Read the columns of a table that a model was fitted to, by name where they have names.

    Without names, all columns are read.
    """
    if not columns:
        return read_objects(path, **options)
    try:
        return read_objects(path, column=list(columns), **options)
    except MissingColumnError as error:
        found = read_objects(path, **options)
        width = np.shape(found.objects)[1] if np.ndim(found.objects) == 2 else 1
        named = found.columns is not None and not found.columns[-1].lstrip("x").isdecimal()
        if width != len(columns) or named:
            raise InputError(
                f"{error} The model was fitted to the columns {', '.join(columns)}."
            ) from None
        return found
