"""Forms in which the same numbers may come: arrays, frames, lists, other people's objects."""

import array
import decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars
import pyarrow
import xarray

from similearn import Sources
from tests.fuzz import sparse_forms
from tests.fuzz.drawing import Draw


def with_entry(d: Draw, values: Any, entry: float) -> Any:
    values = np.array(values)
    if values.size:
        values.flat[int(d.rng.integers(values.size))] = entry
    return values


class Child(np.ndarray):
    """A subclass that does nothing else."""


class Pretender:
    """Says how to become an array, and does what it likes."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def _mapped(d: Draw, values: Any) -> Any:
    mapped = np.memmap("mapped", dtype=float, mode="w+", shape=np.shape(values) or (1,))
    mapped[...] = values
    mapped.flush()
    return np.memmap("mapped", dtype=float, mode="r", shape=mapped.shape)


def _unaligned(d: Draw, values: Any) -> Any:
    content = b"x" + np.ascontiguousarray(values, dtype=float).tobytes()
    return np.frombuffer(content, dtype=float, offset=1).reshape(np.shape(values))


def _columns(values: Any, kind: Any) -> Any:
    return pd.DataFrame(values).astype(kind)


# The same values, which must be answered; tables in the dense ones.
DENSE = {
    "float32": lambda d, v: np.asarray(v, dtype=np.float32),
    "integers": lambda d, v: (
        np.nan_to_num(np.round(v), posinf=9, neginf=-9).clip(-99, 99).astype(int)
    ),
    "booleans": lambda d, v: np.asarray(v) > np.mean(v),
    "frame": lambda d, v: pd.DataFrame(v),
    "columns of a larger matrix": lambda d, v: np.hstack([v, v])[:, : v.shape[1]],
    "every second": lambda d, v: np.repeat(np.repeat(v, 2, 0), 2, 1)[::2, ::2],
    "backwards": lambda d, v: v[::-1, ::-1].copy()[::-1, ::-1],
    "Fortran": lambda d, v: np.asfortranarray(v),
    "other byte order": lambda d, v: v.astype(v.dtype.newbyteorder()),
    "read-only": lambda d, v: _frozen(v.copy()),
    "lists": lambda d, v: v.tolist(),
    "long doubles": lambda d, v: v.astype(np.longdouble),
    "half floats": lambda d, v: np.clip(v, -6e4, 6e4).astype(np.float16),
    "a subclass": lambda d, v: v.view(Child),
    "mapped": lambda d, v: _mapped(d, v) if v.size else v,
    "unaligned": _unaligned,
    "tuples": lambda d, v: tuple(map(tuple, v.tolist())),
    "frame of float32": lambda d, v: _columns(v, "float32"),
    "nullable frame": lambda d, v: _columns(v, "Float64"),
    "arrow-backed frame": lambda d, v: _columns(v, "double[pyarrow]"),
    "polars": lambda d, v: polars.DataFrame(np.ascontiguousarray(v)) if v.size else v,
    "says how to be an array": lambda d, v: Pretender(v),
    "labelled axes": lambda d, v: xarray.DataArray(v),
    "unsigned": lambda d, v: np.nan_to_num(abs(v), posinf=9).clip(0, 99).astype(np.uint8),
}
SOUND = DENSE | sparse_forms.SOUND
# Most of these must be refused.
UNSOUND = sparse_forms.UNSOUND | {
    "NaN": lambda d, v: with_entry(d, v, np.nan),
    "infinity": lambda d, v: with_entry(d, v, d.pick([np.inf, -np.inf])),
    "masked": lambda d, v: np.ma.masked_array(v, d.rng.random(v.shape) < 0.2),
    "objects": lambda d, v: v.astype(object),
    "objects with None": lambda d, v: with_entry(d, v.astype(object), None),
    "words": lambda d, v: v.astype(str),
    "integers beyond floats": lambda d, v: [[10**400] * v.shape[1]] * v.shape[0],
    "complex": lambda d, v: v + 1j,
    "one column less": lambda d, v: v[:, 1:],
    "one row less": lambda d, v: v[1:],
    "no rows": lambda d, v: v[:0],
    "no columns": lambda d, v: v[:, :0],
    "transposed": lambda d, v: v.T,
    "a vector": lambda d, v: v.ravel(),
    "three axes": lambda d, v: v[None],
    "scalar": lambda d, v: 1.0,
    "nothing": lambda d, v: None,
    "word": lambda d, v: "matrix",
    "a dict": lambda d, v: {"a": 1},
    "ragged": lambda d, v: [[1.0], [1.0, 2.0]],
    "np.matrix": lambda d, v: np.matrix(v),
    "dates": lambda d, v: np.zeros(v.shape, "datetime64[s]"),
    "records": lambda d, v: np.zeros(v.shape, [("a", float)]),
    "frame of words": lambda d, v: pd.DataFrame(v.astype(str)),
    "frame, repeated names": lambda d, v: pd.DataFrame(v, columns=["a"] * v.shape[1]),
    "Sources": lambda d, v: Sources({"a": v}),
    "generator": lambda d, v: (row for row in v),
    "bytes": lambda d, v: v.astype(bytes),
    "integers of 64 bits": lambda d, v: np.full(v.shape, np.iinfo(np.int64).min),
    "half floats, endless": lambda d, v: (v * 1e6).astype(np.float16),
    "long doubles beyond": lambda d, v: np.full(v.shape, np.longdouble("1e4000")),
    "variable strings": lambda d, v: v.astype(str).astype(np.dtypes.StringDType()),
    "one value, far-stretched": lambda d, v: np.broadcast_to(1.0, v.shape),
    "nullable frame with NA": lambda d, v: _columns(v, "Float64").mask(np.asarray(v) > 1),
    "mixed frame": lambda d, v: pd.DataFrame(v).assign(word="x"),
    "frame of dates": lambda d, v: pd.DataFrame(v).assign(day=pd.Timestamp("2020-01-01")),
    "frame of categories": lambda d, v: _columns(np.round(v), "category"),
    "frame, two levels": lambda d, v: pd.DataFrame(
        v, columns=pd.MultiIndex.from_arrays([range(v.shape[1])] * 2)
    ),
    "frame, mixed names": lambda d, v: pd.DataFrame(
        v, columns=["a", 1, None, 2.5, *range(9, 9 + v.shape[1])][: v.shape[1]]
    ),
    "frame, repeated rows": lambda d, v: pd.DataFrame(v, index=[0] * v.shape[0]),
    "frame, names with escapes": lambda d, v: pd.DataFrame(
        v, columns=[f"\x1b[31m{i}" for i in range(v.shape[1])]
    ),
    "series": lambda d, v: pd.Series(np.ravel(v)),
    "polars with words": lambda d, v: polars.DataFrame({"a": ["x"] * len(v)}),
    "polars with null": lambda d, v: polars.DataFrame({"a": [None, *[1.0] * len(v)][: len(v)]}),
    "arrow": lambda d, v: pyarrow.table({str(i): v[:, i] for i in range(v.shape[1])}),
    "Python's array": lambda d, v: array.array("d", np.ravel(v)),
    "memory": lambda d, v: memoryview(np.ascontiguousarray(v)),
    "raises": lambda d, v: Pretender(RuntimeError("no array today")),
    "no array after all": lambda d, v: Pretender("x"),
    "another shape": lambda d, v: Pretender(np.ravel(v)),
    "decimals": lambda d, v: [[decimal.Decimal(1)] * v.shape[1]] * v.shape[0],
    "decimals, not a number": lambda d, v: [[decimal.Decimal("nan")] * v.shape[1]] * v.shape[0],
    "fractions": lambda d, v: [[Fraction(1, 3)] * v.shape[1]] * v.shape[0],
    "within itself": lambda d, v: _within_itself(),
    "a set": lambda d, v: {1.0, 2.0},
    "a range": lambda d, v: range(v.shape[0]),
    "a class": lambda d, v: np.ndarray,
    "not implemented": lambda d, v: NotImplemented,
    "arrays in a list": lambda d, v: [np.array(row) for row in v],
    "objects of arrays": lambda d, v: _nested(v),
}


def _within_itself() -> Any:
    circle: list[Any] = []
    circle.append(circle)
    return circle


def _nested(values: Any) -> Any:
    rows = np.empty(len(values), dtype=object)
    for i, row in enumerate(values):
        rows[i] = row
    return rows


def _frozen(values: Any) -> Any:
    values.flags.writeable = False
    return values


def formed(d: Draw, values: Any, unsound: float = 0.3, forms: Any = SOUND) -> Any:
    """The values in some form."""
    if d.fault(unsound):
        return d.named(UNSOUND, values)
    return d.usually(0.5, values, forms)
