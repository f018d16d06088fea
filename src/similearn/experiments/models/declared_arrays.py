"""Declarations of arrays and sparse matrices, see `similearn.experiments.models.declarations`."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from similearn.experiments.models.declarations import (
    Declaration,
    Members,
    Mismatch,
    Size,
    Sizes,
    only,
    require,
)


@dataclass(frozen=True)
class Array(Declaration):
    """An array of the given shape.

    Parameters
    ----------
    shape : names of sizes, or numbers
    kind : "float" (double precision), "index" (platform integers), "int32", "int" (any
        integers), "flag", or "label" (numbers or words)
    low, high : entries of an index are within [low, high), a float's within [low, high]
    finite : whether NaN and infinities are refused
    rising : whether entries must be nondecreasing
    shares : whether entries must sum to one
    """

    shape: tuple[Size, ...]
    kind: str = "float"
    low: Size | float | None = None
    high: Size | float | None = None
    finite: bool = True
    rising: bool = False
    shares: bool = False

    def write(self, value: Any, members: Members) -> Any:  # noqa: D102
        require(isinstance(value, np.ndarray), value)
        if value.dtype == object and self.kind == "label":
            value = value.astype(str)
        require(self._has_kind(value), value)
        return {"array": members.add(value)}

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        array = members.get(only(stored, "array"))
        require(self._has_kind(array), array)
        require(array.ndim == len(self.shape), array)
        for size, length in zip(self.shape, array.shape, strict=True):
            if not sizes.agree(size, length):
                raise Mismatch(f"has shape {array.shape}; expected {self.shape}")
        if array.size:
            self._require_entries(array, sizes)
        return array

    def _has_kind(self, array: np.ndarray) -> bool:
        if self.kind in ("float", "index"):
            return array.dtype == (np.float64 if self.kind == "float" else np.intp)
        if self.kind == "int32":
            return array.dtype == np.int32
        return (
            array.dtype.isnative
            and array.dtype.kind in {"int": "iu", "flag": "b", "label": "biufU"}[self.kind]
        )

    def _require_entries(self, array: np.ndarray, sizes: Sizes) -> None:
        if self.finite and array.dtype.kind == "f" and not np.isfinite(array).all():
            raise Mismatch("holds NaN or infinite entries")
        low, high = (sizes.of(b) if isinstance(b, str) else b for b in (self.low, self.high))
        if low is not None and not (array >= low).all():
            raise Mismatch(f"holds entries below {low}")
        integers = array.dtype.kind in "iu"
        if high is not None and not (array < high if integers else array <= high).all():
            raise Mismatch(f"holds entries beyond {high}")
        if self.rising and not (np.diff(array) >= 0).all():
            raise Mismatch("is not in rising order")
        if self.shares and not abs(array.sum() - 1.0) < 1e-6:
            raise Mismatch("does not sum to one")


@dataclass(frozen=True)
class Sparse(Declaration):
    """A CSR matrix with sorted columns, each at most once in a row."""

    shape: tuple[Size, Size]
    finite: bool = True

    def write(self, value: Any, members: Members) -> Any:  # noqa: D102
        require(isinstance(value, sparse.csr_array), value)
        value = value if value.has_sorted_indices else value.sorted_indices()
        parts = (value.data, value.indices, value.indptr)
        return {"csr": [members.add(part) for part in parts], "shape": list(value.shape)}

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        require(isinstance(stored, dict) and set(stored) == {"csr", "shape"}, stored)
        names, shape = stored["csr"], stored["shape"]
        require(isinstance(names, list) and len(names) == 3, names)
        require(isinstance(shape, list) and len(shape) == 2, shape)
        for size, length in zip(self.shape, shape, strict=True):
            require(type(length) is int and length >= 0 and sizes.agree(size, length), shape)
        data, indices, indptr = (members.get(name) for name in names)
        Array(("_stored",), finite=self.finite).read(
            {"array": names[0]}, Sizes(_stored=len(indices)), members
        )
        require(indices.dtype == indptr.dtype and indices.dtype in (np.int32, np.int64), indices)
        require(indices.ndim == indptr.ndim == 1 and len(indptr) == shape[0] + 1, indptr)
        require(indptr[0] == 0 and indptr[-1] == len(indices), indptr)
        lengths = np.diff(indptr)
        require(bool((lengths >= 0).all()), indptr)
        require(bool(((indices >= 0) & (indices < shape[1])).all()), indices)
        rising = np.diff(indices) > 0
        rising[indptr[1:-1][(indptr[1:-1] > 0) & (indptr[1:-1] < len(indices))] - 1] = True
        require(bool(rising.all()), indices)
        return sparse.csr_array((data, indices, indptr), shape=tuple(shape))
