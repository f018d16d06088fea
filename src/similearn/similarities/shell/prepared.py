"""Similarities that look at each object once, and then compare what they saw."""

from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from similearn.errors import InputError, InputTypeError
from similearn.similarities.shell.similarity import Similarity


class Prepared:
    """What was computed of each object, in one or several parts; sliced like the objects."""

    def __init__(self, *parts: Any) -> None:
        self.parts = parts

    def __len__(self) -> int:
        first = self.parts[0]
        return first.shape[0] if hasattr(first, "shape") else len(first)

    def __getitem__(self, rows: slice) -> "Prepared":
        return Prepared(*(part[rows] for part in self.parts))


class PreparedSimilarity(Similarity):
    """Base of similarities with work to do for each object before any pair.

    A subclass gives ``_prepare(objects)``, a tuple of parts that can be sliced, and
    ``_compare(a, b)``, the block (m, n) of two `Prepared` collections.
    """

    def prepare(self, objects: Any) -> Prepared:
        """Return what is compared of each object; what is prepared already stays as it is."""
        if isinstance(objects, Prepared):
            return objects
        self.check_installed()
        return Prepared(*self._prepare(objects))

    def matrix(self, A: Any, B: Any) -> np.ndarray:
        """Return ψ of every object of A (m) with every object of B (n), shape (m, n)."""
        a = self.prepare(A)
        return self._compare(a, a if B is A else self.prepare(B))

    def self_values(self, A: Any) -> np.ndarray:
        """Return ψ(a, a) for every object of A, shape (m,)."""
        a = self.prepare(A)
        each = (a[i : i + 1] for i in range(len(a)))
        return np.array([self._compare(one, one)[0, 0] for one in each], dtype=np.float64)

    def _prepare(self, objects: Any) -> tuple[Any, ...]:
        raise NotImplementedError

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        raise NotImplementedError


def prepared_or_same(similarity: Similarity, objects: Any) -> Any:
    """What is compared of each object, if that can be kept and compared again; else the objects.

    A `Prepared` collection can: preparing it leaves it as it is.
    """
    if not similarity.has_matrix:
        return objects
    prepared = similarity.prepare(objects)
    return prepared if isinstance(prepared, Prepared) else objects


def each_object(objects: Any, expected: str) -> Iterable[Any]:
    """Return what can be looped over to see the objects one by one; `expected` says what they are.

    An array of strings or objects gives Python's own strings and objects.
    """
    if isinstance(objects, np.ndarray) and objects.dtype.kind in "USO":
        return objects.tolist()
    if isinstance(objects, str | bytes) or not hasattr(objects, "__len__"):
        raise InputTypeError(f"Got one {type(objects).__name__}; expected a list of {expected}.")
    return objects


def refuse_object(position: int, item: Any, expected: str) -> NoReturn:
    """Raise `InputError` naming the position and type of an object that cannot be compared."""
    raise InputError(
        f"Object {position} (counting from 0) is of type {type(item).__name__}; "
        f"expected {expected}."
    )


def number_rows(objects: Any, *, name: str, lowest: float = -np.inf) -> np.ndarray:
    """Return rows of finite numbers as floats (n, d); values under `lowest` are refused."""
    if hasattr(objects, "toarray"):
        objects = objects.toarray()
    try:
        rows = np.asarray(objects, dtype=np.float64)
    except (TypeError, ValueError):
        rows = np.empty(0)
    if rows.ndim != 2:
        raise InputError(f"{name} compares rows of numbers; expected an array (n, d).")
    if not np.isfinite(rows).all():
        raise InputError(f"{name} got NaN or infinity; expected finite numbers.")
    if rows.size and rows.min() < lowest:
        raise InputError(
            f"{name} got {rows.min():g}; expected numbers that are at least {lowest:g}."
        )
    return rows
