"""Matrices, tables, labels and sources in every form, sound and unsound."""

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from similearn import Pairwise, Sources
from tests.fuzz.drawing import Draw, told

SOUND_SIZES = (4, 5, 8, 12, 12, 20, 20, 30, 40)
UNSOUND_SIZES = (0, 1, 2, 3, 5, 12, 20)
SCALES = (1e-300, 1e-200, 1e-100, 1e-20, 1e-8, 1e8, 1e20, 1e50, 1e100, 1e150, 1e200, 1e300)


def size(d: Draw) -> int:
    """A number of samples."""
    return d.pick(SOUND_SIZES if d.is_sound else UNSOUND_SIZES)


def points(d: Draw, n: int) -> Any:
    return d.rng.standard_normal((n, 3)) + 2 * (np.arange(n) % 2)[:, None]


def distances(d: Draw, n: int) -> Any:
    X = points(d, n)
    return np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))


def noise(d: Draw, n: int) -> Any:
    return d.rng.standard_normal((n, n))


VALUES = {
    "gram": lambda d, n: (lambda X: X @ X.T)(points(d, n)),
    "closeness": lambda d, n: 1 - distances(d, n) / 8,
    "distances": distances,
    "indefinite": lambda d, n: (lambda A: A + A.T)(noise(d, n)),
    "asymmetric": noise,
    "asymmetric distances": lambda d, n: distances(d, n) * (1 + d.rng.random((n, n))),
    "constant": lambda d, n: np.full((n, n), d.pick([1.0, -1.0, 3.0])),
    "zeros": lambda d, n: np.zeros((n, n)),
    "identity": lambda d, n: np.eye(n),
    "ties": lambda d, n: (lambda A: A + A.T)(d.rng.integers(0, 3, (n, n)).astype(float)),
    "rank one": lambda d, n: (lambda x: np.outer(x, x))(d.rng.standard_normal(n)),
    "negative": lambda d, n: -distances(d, n) - 1,
    "one outlier": lambda d, n: _with_outlier(d, distances(d, n)),
    "duplicates": lambda d, n: np.repeat(np.repeat(distances(d, (n + 1) // 2), 2, 0), 2, 1)[:n, :n],
    "spread": lambda d, n: 10.0 ** d.rng.uniform(-300, 300, (n, n)),
    "signed spread": lambda d, n: noise(d, n) * 10.0 ** d.rng.uniform(-299, 299, (n, n)),
    "subnormal": lambda d, n: distances(d, n) * 5e-324,
}


def _with_outlier(d: Draw, values: Any) -> Any:
    if values.size:
        values.flat[int(d.rng.integers(values.size))] = d.pick([1e300, -1e300, 1e12])
    return values


def whole(d: Draw, n: int, kind: str | None = None) -> Any:
    """Values (n, n) among all samples, those of training and the queries."""
    values = d.named(VALUES, n)
    if kind == "dissimilarity" and d.is_sound:
        values = np.maximum(abs(values), abs(values.T))
        np.fill_diagonal(values, 0.0)
    if values.size and d.chance(0.3):
        scale = d.pick(SCALES)
        d.tell(f"scale {scale}")
        with np.errstate(all="ignore"):
            values = np.nan_to_num(values / (abs(values).max() or 1.0)) * scale
    return values


def _entry(d: Draw, values: Any, entry: float) -> Any:
    values = np.array(values)
    if values.size:
        values.flat[int(d.rng.integers(values.size))] = entry
    return values


def _malformed(d: Draw, values: Any) -> Any:
    """CSR with a structure that would lead compiled code out of bounds."""
    matrix = sparse.csr_array(np.asarray(values, dtype=float))
    if matrix.nnz == 0:
        return matrix
    place = int(d.rng.integers(matrix.nnz))
    row = int(d.rng.integers(len(matrix.indptr)))
    fault = d.pick(["large", "negative", "huge", "unsorted", "double", "indptr", "end", "short"])
    d.tell(fault)
    far = {"large": matrix.shape[1], "negative": -1, "huge": 2**31 - 1}
    if fault in far:
        matrix.indices[place] = far[fault]
    elif fault == "unsorted":
        matrix.indices[:] = matrix.indices[::-1].copy()
    elif fault == "double":
        matrix.indices[:] = matrix.indices[0]
    elif fault == "indptr":
        matrix.indptr[row] = d.pick([-1, 2**31 - 1, matrix.nnz + 1])
    elif fault == "end":
        matrix.indptr[-1] += d.pick([-1, 1, 1000])
    else:
        matrix.data = matrix.data[:place]
    return matrix


def _malformed_otherwise(d: Draw, values: Any) -> Any:
    """Sparse matrices of other formats that lead SciPy out of bounds on the way to CSR."""
    form = d.pick(["coo", "csc", "bsr", "lil", "dok", "dia"])
    d.tell(form)
    matrix = sparse.coo_array(np.asarray(values, dtype=float)).asformat(form)
    far = d.pick([-5, 1000, 2**31 - 1])
    if matrix.nnz == 0:
        return matrix
    if form == "coo":
        matrix.coords = (matrix.coords[0] + far, matrix.coords[1])
    elif form in ("csc", "bsr"):
        matrix.indices = matrix.indices + far
    elif form == "lil":
        matrix.rows[0] = d.pick([[far], ["x"], [0, 0, 0], None])
    elif form == "dok":
        matrix._dict[(far, 0)] = 1.0
    else:
        matrix.offsets = matrix.offsets + far
    return matrix


def _some_left_out(d: Draw, values: Any) -> Any:
    return np.where(d.rng.random(np.shape(values)) < 0.5, values, 0.0)


# Forms in which the same values may come, and must be answered; tables in the dense ones.
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
}
SOUND = DENSE | {
    "csr": lambda d, v: sparse.csr_array(_some_left_out(d, v)),
    "csr matrix": lambda d, v: sparse.csr_matrix(v),
    "csr float32": lambda d, v: sparse.csr_array(_some_left_out(d, v).astype(np.float32)),
    "csc": lambda d, v: sparse.csc_array(_some_left_out(d, v)),
    "coo": lambda d, v: sparse.coo_array(_some_left_out(d, v)),
    "csr with zeros": lambda d, v: _all_stored(v),
    "csr of 64 bits": lambda d, v: _wide(sparse.csr_array(_some_left_out(d, v))),
    "empty csr": lambda d, v: sparse.csr_array(v.shape),
}
# Forms of which most must be refused.
UNSOUND = {
    "NaN": lambda d, v: _entry(d, v, np.nan),
    "infinity": lambda d, v: _entry(d, v, d.pick([np.inf, -np.inf])),
    "csr with NaN": lambda d, v: sparse.csr_array(_entry(d, v, np.nan)),
    "malformed csr": _malformed,
    "malformed otherwise": _malformed_otherwise,
    "masked": lambda d, v: np.ma.masked_array(v, d.rng.random(v.shape) < 0.2),
    "objects": lambda d, v: v.astype(object),
    "objects with None": lambda d, v: _entry(d, v.astype(object), None),
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
}


def _frozen(values: Any) -> Any:
    values.flags.writeable = False
    return values


def _wide(matrix: Any) -> Any:
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


def _all_stored(values: Any) -> Any:
    m, n = values.shape
    structure = np.tile(np.arange(n), m), np.arange(m + 1) * n
    return sparse.csr_array((values.ravel(), *structure), shape=values.shape)


def formed(d: Draw, values: Any, unsound: float = 0.3, forms: Any = SOUND) -> Any:
    """The values in some form."""
    if d.fault(unsound):
        return d.named(UNSOUND, values)
    return d.usually(0.5, values, forms)


SOUND_IDS = {
    "words": lambda d, n: np.array([f"s{i}" for i in range(n)]),
    "numbers": lambda d, n: np.arange(n),
    "objects": lambda d, n: np.array([f"s{i}" for i in range(n)], dtype=object),
}
IDS = SOUND_IDS | {
    "repeated": lambda d, n: np.zeros(n),
    "with None": lambda d, n: [None, "a", 1.5, *range(n)][:n],
    "escapes": lambda d, n: [f"\x1b[31m{i}" for i in range(n)],
    "one too many": lambda d, n: np.arange(n + 1),
    "a word": lambda d, n: "ids",
    "a number": lambda d, n: 7,
    "NaN": lambda d, n: np.full(n, np.nan),
}
SOUND_EXTRAS = {
    "reverse": lambda d, v: {"reverse": formed(d, np.array(v) * d.pick([1.0, 0.5, 2.0]))},
    "self values": lambda d, v: {"self_values": np.ones(len(v))},
    "row ids": lambda d, v: {"row_ids": d.named(SOUND_IDS, len(v))},
    "column ids": lambda d, v: {"column_ids": d.named(SOUND_IDS, v.shape[1])},
    "other samples": lambda d, v: {"same_samples": False},
}
EXTRAS = SOUND_EXTRAS | {
    "self values": lambda d, v: {"self_values": d.named(SELF_VALUES, np.ones(len(v)))},
    "row ids": lambda d, v: {"row_ids": d.named(IDS, len(v))},
    "column ids": lambda d, v: {"column_ids": d.named(IDS, v.shape[1])},
    "same samples": lambda d, v: {"same_samples": d.pick([True, None, "x", 1, np.nan])},
}
SELF_VALUES = {
    "NaN": lambda d, v: _entry(d, v, np.nan),
    "masked": lambda d, v: np.ma.masked_array(v, v > 0),
    "short": lambda d, v: v[1:],
    "words": lambda d, v: v.astype(str),
    "column": lambda d, v: v[:, None],
    "huge": lambda d, v: v * 1e300,
}


def pairwise(d: Draw, values: Any, kind: Any = None) -> Any:
    """A `Pairwise` of the values, possibly with more that it may carry."""
    kind = kind or d.pick(["similarity", "dissimilarity"])
    extras: dict[str, Any] = {}
    for _ in range(d.pick([0, 0, 1, 2])):
        extras |= d.named(SOUND_EXTRAS if d.is_sound else EXTRAS, values)
    if d.fault(0.05):
        kind = d.pick([None, "near", 3, ["similarity"]])
    return Pairwise(formed(d, values, 0.1), kind, **extras)


def block(d: Draw, values: Any, kind: str | None) -> Any:
    """The values as an estimator of this kind may be given them."""
    if d.chance(0.4):
        return formed(d, values)
    if kind is None or d.fault(0.1):
        kind = d.pick(["similarity", "dissimilarity"])
    return pairwise(d, values, kind)


def cut(d: Draw, values: Any, n: int, kind: str | None) -> tuple[Any, Any]:
    """The block of the first n samples, and that of the others against them."""
    if d.chance(0.2) and values.shape[0] == values.shape[1]:
        d.tell("cut from one Pairwise")
        both = Pairwise(values, kind or "similarity")
        rows = np.arange(len(values))
        return both[np.ix_(rows[:n], rows[:n])], both[np.ix_(rows[n:], rows[:n])]
    return block(d, values[:n, :n], kind), block(d, values[n:, :n], kind)


SOUND_LABELS = {
    "words": lambda d, y: np.array(["blue", "red", "green", "x", "y"])[y % 5],
    "list": lambda d, y: y.tolist(),
    "series": lambda d, y: pd.Series(y),
    "categories": lambda d, y: pd.Series(y).astype("category"),
    "objects": lambda d, y: np.array(["blue", "red", "green", "x", "y"])[y % 5].astype(object),
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
}
LABELS = SOUND_LABELS | {
    "one class": lambda d, y: np.zeros_like(y),
    "column": lambda d, y: y[:, None],
    "fractions": lambda d, y: y + 0.5,
    "NaN": lambda d, y: _entry(d, y.astype(float), np.nan),
    "infinity": lambda d, y: _entry(d, y.astype(float), np.inf),
    "mixed": lambda d, y: _entry(d, y.astype(object), "x"),
    "None among them": lambda d, y: _entry(d, y.astype(object), None),
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
}


def labels(d: Draw, n: int, plain: float = 0.6) -> Any:
    """Labels of n samples, that VALUES tell something about where there are two."""
    y = np.arange(n) % d.pick([2, 2, 2, 3, 5])
    if d.chance(0.1):
        y = d.rng.permutation(y)
    return d.usually(plain, y, SOUND_LABELS if d.is_sound else LABELS)


TABLES = {
    "one feature": lambda d, X: X[:, :1],
    "many features": lambda d, X: np.hstack([X] * 20),
    "constant feature": lambda d, X: np.hstack([X, np.ones((len(X), 1))]),
    "all constant": lambda d, X: np.ones_like(X),
    "repeated rows": lambda d, X: X[np.arange(len(X)) // 3],
    "whole numbers": lambda d, X: np.round(X),
    "scaled": lambda d, X: X * d.pick(SCALES),
    "one huge feature": lambda d, X: X * np.array([1.0, d.pick(SCALES), 1e-8]),
}


def table(d: Draw, n: int, m: int) -> tuple[Any, Any]:
    """Features of n training samples and of m queries."""
    X = d.usually(0.5, points(d, n + m), TABLES)
    forms = DENSE if d.is_sound else SOUND
    return formed(d, X[:n], forms=forms), formed(d, X[n:], forms=forms)


SOURCES = {
    "empty": lambda d, parts: {},
    "numbered": lambda d, parts: dict(enumerate(parts.values())),
    "a list": lambda d, parts: list(parts.values()),
    "nothing": lambda d, parts: None,
    "one less": lambda d, parts: parts | {"extra": np.ones((1, 2))},
    "a vector": lambda d, parts: parts | {"extra": np.ones(3)},
    "words": lambda d, parts: parts | {"extra": np.full((12, 1), "x")},
    "None inside": lambda d, parts: parts | {"extra": None},
    "long name": lambda d, parts: {"n" * 5000: next(iter(parts.values()))},
    "escape": lambda d, parts: {"\x1b[31m": next(iter(parts.values()))},
}


def sources(d: Draw, n: int, m: int, kind: str | None = None) -> tuple[Any, Any]:
    """`Sources` of n training samples and of m queries: blocks a, b and perhaps a table c."""
    training, queries = {}, {}
    for name in "ab"[: d.pick([1, 2, 2])]:
        its_kind = kind or d.pick(["similarity", "dissimilarity"])
        values = whole(d, n + m, its_kind)
        if d.chance(0.7):
            both = Pairwise(values, its_kind)
            rows = np.arange(n + m)
            training[name], queries[name] = both[np.ix_(rows[:n], rows[:n])], both[n:, :n]
        else:
            training[name] = pairwise(d, values[:n, :n], its_kind)
            queries[name] = pairwise(d, values[n:, :n], its_kind)
    if kind is None and d.chance(0.5):
        training["c"], queries["c"] = table(d, n, m)
    if d.fault(0.2):
        training = d.named(SOURCES, training)
    if d.fault(0.1):
        queries = d.named(SOURCES, queries)
    d.tell(f"sources {told(training)}")
    return Sources(training), Sources(queries)
