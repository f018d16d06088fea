"""Matrices, tables, labels and sources in every form, sound and unsound."""

from typing import Any

import numpy as np

from similearn import Pairwise, Sources
from tests.fuzz.drawing import Draw, told
from tests.fuzz.forms import DENSE, SOUND, formed, with_entry

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
    "NaN": lambda d, v: with_entry(d, v, np.nan),
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
