"""Tables of features that stand beside matrices, their rows joined to the samples by id."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.data import LabelledObjects, read_objects
from similearn.data.files.joining import called
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
    table, columns = _numbers(found, path)
    order, notes = np.arange(len(table)), list(found.notes)
    if found.ids is None and ids is not None:
        notes.append(f"{path} has no ids: its rows were taken in the order of the matrix.")
    elif ids is None and found.ids is not None:
        notes.append(f"{path} has ids, but the matrix has none: rows were taken in their order.")
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


def _numbers(found: LabelledObjects, path: Path) -> tuple[Any, tuple[str, ...]]:
    """The columns of numbers (m, d), and their names."""
    table: Any = found.objects
    if found.what != "numbers" or np.ndim(table) != 2:
        raise InputError(
            f"{path} holds {found.what}; a table of features beside matrices holds numbers. "
            "Compare words by a similarity, and give the matrix."
        )
    return table, found.columns or tuple(f"x{i + 1}" for i in range(table.shape[1]))


def _order(path: Path, own: list[str], wanted: list[str]) -> NDArray[np.intp]:
    place = {name: i for i, name in enumerate(own)}
    wanted = [called(name, place) for name in wanted]
    missing = [name for name in wanted if name not in place]
    if missing:
        raise InputError(
            f"{path} has no row for the sample {missing[0]!r} ({len(missing)} of {len(wanted)} are "
            f"missing); its ids are such as {own[0]!r}. Features and matrices must be of the same "
            "samples."
        )
    return np.array([place[name] for name in wanted], dtype=np.intp)


def read_columns(
    path: Path,
    columns: Sequence[str],
    read: Callable[..., LabelledObjects] = read_objects,
    **options: Any,
) -> LabelledObjects:
    """Read the columns of a table that a model was fitted to, by name where they have names.

    Without names, all columns are read.
    """
    if not columns:
        return read(path, **options)
    try:
        return read(path, column=list(columns), **options)
    except MissingColumnError as error:
        found = read(path, **options)
        width = np.shape(found.objects)[1] if np.ndim(found.objects) == 2 else 1
        named = found.columns is not None and not found.columns[-1].lstrip("x").isdecimal()
        if width != len(columns) or named:
            raise InputError(
                f"{error} The model was fitted to the columns {', '.join(columns)}."
            ) from None
        return found
