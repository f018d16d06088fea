"""Labels of every sort, sound and unsound."""

import datetime
import decimal
import enum
from typing import Any

import numpy as np
import pandas as pd
import polars
from scipy import sparse

from tests.fuzz.drawing import Draw
from tests.fuzz.forms import Child, Pretender, with_entry

Colour = enum.Enum("Colour", ["BLUE", "RED", "GREEN", "X", "Y"])
COLOURS = np.array(["blue", "red", "green", "x", "y"])


class Stubborn:
    """A label that can be neither compared nor hashed."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: Any) -> Any:
        raise RuntimeError("not with me")


def _objects(things: list[Any]) -> Any:
    array = np.empty(len(things), dtype=object)
    for i, thing in enumerate(things):
        array[i] = thing
    return array


SOUND_LABELS = {
    "words": lambda d, y: COLOURS[y % 5],
    "list": lambda d, y: y.tolist(),
    "series": lambda d, y: pd.Series(y),
    "categories": lambda d, y: pd.Series(y).astype("category"),
    "objects": lambda d, y: COLOURS[y % 5].astype(object),
    "booleans": lambda d, y: y % 2 == 0,
    "bytes": lambda d, y: y.astype(bytes),
    "whole floats": lambda d, y: y.astype(float),
    "large": lambda d, y: y + 2**62,
    "negative": lambda d, y: -y,
    "int8": lambda d, y: y.astype(np.int8),
    "a class of one": lambda d, y: (np.arange(len(y)) == 0).astype(int),
    "one of each": lambda d, y: np.arange(len(y)),
    "long words": lambda d, y: [str(v) * 100_000 for v in y],
    "escapes": lambda d, y: [f"\x1b[31m{v}" for v in y],
    "nullable integers": lambda d, y: pd.array(y, dtype="Int64"),
    "pandas words": lambda d, y: pd.Series(COLOURS[y % 5], dtype="string"),
    "arrow words": lambda d, y: pd.Series(COLOURS[y % 5], dtype="string[pyarrow]"),
    "unused categories": lambda d, y: pd.Categorical(y, categories=range(-3, 9)),
    "other index": lambda d, y: pd.Series(y, index=range(50, 50 + len(y))),
    "polars": lambda d, y: polars.Series(y),
    "polars words": lambda d, y: polars.Series([*COLOURS[y % 5]]),
    "variable strings": lambda d, y: COLOURS[y % 5].astype(np.dtypes.StringDType()),
    "numpy's booleans": lambda d, y: list(y % 2 == 0),
    "unsigned, large": lambda d, y: y.astype(np.uint64) + np.uint64(2**63),
    "zeros of both signs": lambda d, y: np.where(y > 0, 1.0, d.pick([0.0, -0.0])),
    "far apart": lambda d, y: np.where(y > 0, 1e300, -1e300),
    "NUL inside": lambda d, y: [f"a\0{v}" for v in y],
    "lone surrogates": lambda d, y: [f"\ud800{v}" for v in y],
    "empty word": lambda d, y: ["" if v else "full" for v in y],
    "spaces": lambda d, y: [" " * (int(v) + 1) for v in y],
    "formulas": lambda d, y: [f"=1+{v}" for v in y],
    "a subclass": lambda d, y: y.view(Child),
    "read-only": lambda d, y: np.broadcast_to(y, (1, len(y)))[0],
    "backwards": lambda d, y: y[::-1].copy()[::-1],
    "other byte order": lambda d, y: y.astype(">i8"),
    "tuple": lambda d, y: tuple(y.tolist()),
}
LABELS = SOUND_LABELS | {
    "one class": lambda d, y: np.zeros_like(y),
    "column": lambda d, y: y[:, None],
    "fractions": lambda d, y: y + 0.5,
    "NaN": lambda d, y: with_entry(d, y.astype(float), np.nan),
    "infinity": lambda d, y: with_entry(d, y.astype(float), np.inf),
    "mixed": lambda d, y: with_entry(d, y.astype(object), "x"),
    "None among them": lambda d, y: with_entry(d, y.astype(object), None),
    "beyond 64 bits": lambda d, y: [int(v) + 2**70 for v in y],
    "two columns": lambda d, y: np.column_stack([y, y]),
    "one hot": lambda d, y: np.eye(int(y.max(initial=0)) + 1)[y],
    "too few": lambda d, y: y[1:],
    "too many": lambda d, y: np.append(y, 0),
    "none at all": lambda d, y: [],
    "nothing": lambda d, y: None,
    "a word": lambda d, y: "labels",
    "a number": lambda d, y: 3,
    "one long word": lambda d, y: ["a" * 100_000] * len(y),
    "one class with escapes": lambda d, y: ["\x1b[31mred"] * len(y),
    "masked": lambda d, y: np.ma.masked_array(y, y > 0),
    "dates": lambda d, y: y.astype("datetime64[D]"),
    "complex": lambda d, y: y + 1j,
    "sparse": lambda d, y: sparse.csr_array(y[None]),
    "lists": lambda d, y: [[v] for v in y.tolist()],
    "sets": lambda d, y: [{v} for v in y.tolist()],
    "tuples": lambda d, y: np.array([(v, v) for v in y.tolist()] + [()], dtype=object)[:-1],
    "nullable with NA": lambda d, y: pd.array([None, *y[1:].tolist()], dtype="Int64"),
    "pandas words with NA": lambda d, y: pd.Series([None, *COLOURS[y[1:] % 5]], dtype="string"),
    "missing category": lambda d, y: pd.Categorical.from_codes(y - 1, categories=range(9)),
    "polars with null": lambda d, y: polars.Series([None, *y[1:].tolist()]),
    "dates of Python": lambda d, y: [datetime.date(2020, 1, 1 + int(v)) for v in y],
    "times": lambda d, y: y.astype("timedelta64[s]"),
    "no time": lambda d, y: np.where(y > 0, np.datetime64("2020-01-01"), np.datetime64("NaT")),
    "enumeration": lambda d, y: [list(Colour)[int(v) % 5] for v in y],
    "decimals": lambda d, y: [decimal.Decimal(int(v)) for v in y],
    "pairs": lambda d, y: _objects([(int(v), "x") for v in y]),
    "frozen sets": lambda d, y: [frozenset([int(v)]) for v in y],
    "arrays": lambda d, y: _objects([np.array([v]) for v in y]),
    "stubborn": lambda d, y: _objects([Stubborn() for _ in y]),
    "plain objects": lambda d, y: _objects([object() for _ in y]),
    "functions": lambda d, y: [print if v else int for v in y],
    "booleans and words": lambda d, y: _objects([bool(v) if v else "no" for v in y]),
    "bytes and words": lambda d, y: _objects([b"a" if v else "a" for v in y]),
    "integers and floats": lambda d, y: _objects([int(v) if v else 0.5 for v in y]),
    "records": lambda d, y: np.zeros(len(y), [("a", int)]),
    "a frame": lambda d, y: pd.DataFrame({"a": y}),
    "a wide frame": lambda d, y: pd.DataFrame({"a": y, "b": y}),
    "a dict": lambda d, y: dict(enumerate(y)),
    "a generator": lambda d, y: (v for v in y),
    "raises": lambda d, y: Pretender(RuntimeError("no labels today")),
    "zero axes": lambda d, y: np.array(1),
    "three axes": lambda d, y: y[:, None, None],
    "a row": lambda d, y: y[None],
    "long doubles": lambda d, y: y.astype(np.longdouble) + np.longdouble("1e4000"),
    "half floats": lambda d, y: y.astype(np.float16) + np.float16(0.1),
    "near to each other": lambda d, y: 1 + y * 1e-16,
    "indicators": lambda d, y: sparse.csr_array(np.eye(int(y.max(initial=0)) + 1)[y]),
}


def labels(d: Draw, n: int, plain: float = 0.6) -> Any:
    """Labels of n samples, that VALUES tell something about where there are two."""
    y = np.arange(n) % d.pick([2, 2, 2, 3, 5])
    if d.chance(0.1):
        y = d.rng.permutation(y)
    return d.usually(plain, y, SOUND_LABELS if d.is_sound else LABELS)
