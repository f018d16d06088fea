"""Fields of a block as they are given: checked, or a sentence on what is wrong."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.data.checks import require_finite
from similearn.data.values import (
    Floats,
    Indices,
    Values,
    as_array,
    as_values,
    refuse_dtype,
)
from similearn.errors import InputError, InputTypeError


def checked_same_samples(
    same: Any, shape: tuple[int, int], row_ids: Any = None, column_ids: Any = None
) -> Any:
    """Return whether rows and columns are the same samples; by default those of a square are.

    Not those that are named, and of which no row is among the columns.
    """
    m, n = shape
    if same is None:
        named = row_ids is not None and column_ids is not None
        return m == n and not (named and set(row_ids.tolist()).isdisjoint(column_ids.tolist()))
    if not isinstance(same, (bool, np.bool_)):
        raise InputTypeError(f"same_samples={same!r} must be True, False or None.")
    if same and m != n:
        raise InputError(f"same_samples=True needs a square block, got {shape}.")
    return same


def checked_ids(ids: Any, n: int, name: str, known: Any = None) -> NDArray[Any] | None:
    """Return ids as an array of length n without repetition; those `known` if there are none."""
    if ids is None:
        return known
    array = as_array(ids, name)
    if array.shape != (n,):
        raise InputError(f"{name} has shape {array.shape}; expected one id for each of {n}.")
    if array.dtype.kind in "Of" and any(one is None or one != one for one in array):
        raise InputError(f"{name} holds None or NaN; expected an id for every sample.")
    try:
        unique, counts = np.unique(array, return_counts=True)
    except TypeError:
        raise InputError(
            f"{name} mixes types that have no order; make them all strings or all numbers."
        ) from None
    if len(unique) < n:
        twice = unique[counts > 1][0]
        raise InputError(
            f"{name} repeats {twice!r} ({counts.max()} times at most); ids must be unique. "
            "Rename the samples or drop the repeated ones."
        )
    return array


def names_of_frame(X: Any) -> tuple[NDArray[Any] | None, NDArray[Any] | None]:
    """Names of rows and columns of a frame of pandas; None where they are no words, or repeat."""
    if not (hasattr(X, "columns") and hasattr(X, "index")):
        return None, None
    rows, columns = map(distinct_words, (X.index, X.columns))
    return (
        None if rows is None else np.array(rows),
        None if columns is None else np.array(columns),
    )


def distinct_words(names: Iterable[Any]) -> list[str] | None:
    """Names as a list; None where they are no words, or repeat."""
    words = list(names)
    told = all(isinstance(name, str) for name in words) and len(set(words)) == len(words)
    return words if told else None


def checked_places(near: Any, n: int) -> Indices:
    """Return positions (m, k) within 0 to n - 1."""
    array = np.asarray(near)
    if array.ndim != 2 or array.dtype.kind not in "iu":
        raise InputError(
            f"near has shape {array.shape} and type {array.dtype}; expected positions (m, k), as "
            "`nearest` returns them."
        )
    if array.size and (array.min() < 0 or array.max() >= n):
        raise InputError(f"near holds positions outside of 0 to {n - 1}, the samples there are.")
    return np.ascontiguousarray(array, dtype=np.intp)


def checked_reverse(
    reverse: Any, shape: tuple[int, int], row_ids: Any = None, column_ids: Any = None
) -> Values | None:
    """Return the reverse direction if it has the shape of the values, and names none otherwise."""
    if reverse is None:
        return None
    values = as_values(reverse, "reverse")
    if values.shape != shape:
        hint = " Did you mean its transpose?" if values.shape == shape[::-1] else ""
        raise InputError(f"reverse has shape {values.shape}, but values have {shape}.{hint}")
    known = {"row": row_ids, "column": column_ids}
    for (what, ids), own in zip(known.items(), names_of_frame(reverse), strict=True):
        if ids is None or own is None or np.array_equal(ids, own):
            continue
        i = int(np.flatnonzero(ids != own)[0])
        raise InputError(
            f"{what.capitalize()} {i} of reverse is {own[i]!r}, but that of the values is "
            f"{ids[i]!r}; expected the same samples in the same order."
        )
    return values


def checked_self_values(self_values: Any, m: int) -> Floats | None:
    """Return one number for each of m rows."""
    if self_values is None:
        return None
    array = as_array(self_values, "self_values")
    refuse_dtype(array.dtype, "self_values")
    if array.shape != (m,):
        raise InputError(f"self_values has shape {array.shape}; expected one for each of {m} rows.")
    numbers = array.astype(np.float64)
    require_finite(numbers, "self_values")
    return numbers


def refuse_other_order(row_ids: Any, column_ids: Any) -> None:
    """Refuse a training block whose rows are the samples of its columns in another order."""
    if row_ids is None or column_ids is None or len(row_ids) != len(column_ids):
        return
    other = np.flatnonzero(row_ids != column_ids)
    if len(other) and set(row_ids) == set(column_ids):
        i = other[0]
        raise InputError(
            f"Row {i} of X is {row_ids[i]!r} and column {i} is {column_ids[i]!r}; expected the "
            "samples in one order. Put the columns in the order of the rows."
        )
