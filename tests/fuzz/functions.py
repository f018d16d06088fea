"""Public names that are no estimators of blocks: functions, `Pairwise`, `Sources`."""

import copy
import inspect
from typing import Any

import numpy as np
from scipy import sparse

import similearn
from similearn import convert
from tests.fuzz import things
from tests.fuzz.blocks import (
    block,
    cut,
    pairwise,
    size,
    sources,
    whole,
)
from tests.fuzz.drawing import Draw, told
from tests.fuzz.forms import formed
from tests.fuzz.label_forms import labels
from tests.fuzz.outcomes import BrokenPromise, require_finite
from tests.fuzz.parameters import POSITIVE, STRANGE, arguments, value

CONVERSIONS = {
    name: function
    for name, function in vars(convert).items()
    if inspect.isfunction(function) and function.__module__ == convert.__name__ and name[0] != "_"
}


def play(d: Draw) -> None:
    """Call one of the public functions."""
    d.named(CALLS)


def _weights(d: Draw) -> None:
    name = d.pick(["krr_weights", "kri_weights", "lime_weights"])
    function = getattr(similearn, name)
    k = d.pick([1, 2, 3, 8, 16] if d.is_sound else [0, 1, 3])
    S, s = whole(d, k), d.rng.standard_normal(k) * d.pick([0, 1, 1, 1e-300, 1e-50, 1e50, 1e300])
    if d.chance(0.8):
        S = S / 2 + S.T / 2
    if d.chance(0.5):
        m = d.pick([1, 4] if d.is_sound else [0, 1])
        S, s = np.array([S] * m).reshape(m, k, k), np.array([s] * m).reshape(m, k)
    ridge = d.pick(STRANGE) if d.fault(0.3) else d.pick(POSITIVE)
    if d.fault(0.4):
        S, s = formed(d, S, 0.7) if S.ndim == 2 else S[1:], s
    more = {n: value(d, n, None) for n in ("spectrum", "n_jobs") if d.chance(0.3)}
    d.tell(f"{name}({told(S)}, {told(s)}, {ridge!r}, {more})")
    weights = function(S, s, ridge, **more)
    require_finite(weights, name)
    if name != "krr_weights" and weights.size and (abs(weights.sum(axis=-1) - 1) > 1e-8).any():
        raise BrokenPromise("probabilities", name, f"{weights.sum(axis=-1)}")


def _convert(d: Draw) -> None:
    name = d.pick(list(CONVERSIONS))
    X = block(d, whole(d, size(d)), None)
    first = next(iter(inspect.signature(CONVERSIONS[name]).parameters))
    result = CONVERSIONS[name](X, **arguments(d, CONVERSIONS[name], (first,)))
    require_finite(getattr(result, "values", result), f"convert.{name}")


def _diagnose(d: Draw) -> None:
    n = size(d)
    y = labels(d, n) if d.chance(0.6) else None
    X = block(d, whole(d, n), None)
    found = similearn.diagnose(X, y, **arguments(d, similearn.diagnose, ("X", "y")))
    str(found), repr(found), found.findings


def _goodness(d: Draw) -> None:
    function = d.pick([similearn.goodness, similearn.weighted_goodness])
    n = size(d)
    X = block(d, whole(d, n), None)
    str(function(X, labels(d, n), **arguments(d, function, ("X", "y"))))


def _suspicious(d: Draw) -> None:
    n = size(d)
    kind = d.pick(["similarity", "dissimilarity"])
    model = similearn.NeighborsClassifier(d.pick([1, 2, 5]), kind=kind)
    X, y = block(d, whole(d, n, kind), kind), labels(d, n)
    given = arguments(d, similearn.suspicious_labels, ("model", "X", "y"))
    found = similearn.suspicious_labels(model, X, y, **{"cv": 2} | given)
    require_finite(found.given_probability, "suspicious_labels")
    str(found), found.table()


def _sets(d: Draw) -> None:
    n, m = size(d), d.pick([1, 3])
    kind = d.pick(["similarity", "dissimilarity"])
    model = similearn.NeighborsClassifier(d.pick([1, 2, 5]), kind=kind)
    X, queries = cut(d, whole(d, n + m, kind), n, kind)
    y = labels(d, n)
    coverage = d.pick(STRANGE) if d.fault(0.3) else d.pick([0.5, 0.8, 0.99])
    d.tell(f"coverage={coverage!r}")
    if d.chance(0.5):
        require_finite(model.fit(X, y).conformal_p_values(queries), "conformal_p_values")
        model.predict_set(queries, coverage=coverage)
        return
    search = similearn.PathSearchCV(model, {}, cv=2, keep_out_of_fold=d.chance(0.9)).fit(X, y)
    similearn.conformal_sets(search, queries, labels(d, n) if d.fault(0.2) else y, coverage)


def _bounds(d: Draw) -> None:
    function = d.pick([similearn.cdnn_generalization_bound, similearn.pairs_needed])
    names = list(inspect.signature(function).parameters)
    given = {
        n: d.pick(STRANGE) if d.fault(0.2) else d.pick((*POSITIVE, 0.5, 0.05, 100)) for n in names
    }
    if d.chance(0.5):
        given.pop(names[-1])
    d.tell(f"{function.__name__}({', '.join(f'{n}={told(v)}' for n, v in given.items())})")
    function(**given)


def _pairwise(d: Draw) -> None:
    n = size(d)
    m = n if d.chance(0.6) else size(d)
    X = pairwise(d, whole(d, max(n, m))[:m, :n])
    d.tell(repr(X))
    for _ in range(d.pick([1, 2])):
        d.named(METHODS, X)


def _nearest(d: Draw, X: Any) -> None:
    k = d.pick([1, 2, X.shape[1], X.shape[1] + 1, *STRANGE])
    more: dict[str, Any] = {"skip_self": d.pick([True, False, "x"])} if d.chance(0.4) else {}
    if d.chance(0.2):
        more["rows"] = d.pick([slice(1, 3), slice(5, 2), slice(None, None, -1), [0], 0, None, "x"])
    d.tell(f"nearest({told(k)}, {more})")
    near, _ = X.nearest(k, **more)
    if near.size and not ((near >= 0) & (near < X.shape[1])).all():
        raise BrokenPromise("labels", "Pairwise.nearest", f"{near.min()} to {near.max()}")


def _indexed(d: Draw, X: Any) -> None:
    m, n = X.shape
    rows = d.pick(
        [0, m - 1, m, -1, slice(None), [0, 0], [], [m], "x", None, 1.5, ..., np.ones(m, bool)]
    )
    columns = d.pick([None, slice(1), [0], [n + 3], np.ones(n + 1, bool), [True], np.array([[0]])])
    index = rows if columns is None else (rows, columns)
    if d.chance(0.1):
        index = d.pick([(0, 0, 0), (), np.ix_([0], [0]), {}, object()])
    d.tell(f"[{told(index)}]")
    cut = X[index]
    _structure(cut.values)


def _structure(values: Any) -> None:
    if sparse.issparse(values):
        values.check_format(full_check=True)


METHODS = {
    "nearest": _nearest,
    "index": _indexed,
    "both directions": lambda d, X: X.both_directions(),
    "symmetric": lambda d, X: X.is_symmetric,
    "array": lambda d, X: np.asarray(X),
    "with values": lambda d, X: X.with_values(formed(d, np.ones(X.shape)), **_changes(d)),
    "show": lambda d, X: (repr(X), str(X), X._repr_html_() if hasattr(X, "_repr_html_") else None),
    "iterate": lambda d, X: list(X),
    "copy": lambda d, X: copy.deepcopy(X),
    "transposed": lambda d, X: (X.T.shape, X.dtype) if hasattr(X, "T") else None,
    "written": lambda d, X: _written(d, X),
}


def _changes(d: Draw) -> dict[str, Any]:
    return d.pick([{}, {}, {"kind": "similarity"}, {"kind": 5}, {"row_ids": None}])


def _written(d: Draw, X: Any) -> None:
    path = d.pick(
        ["block.npz", "block.csv", "x.mtx", "no/folder/x.npz", "x", "", ".", "x" * 300, None]
    )
    y = labels(d, len(X)) if d.chance(0.4) else None
    similearn.write_pairwise(path, X, y)
    back = similearn.read_pairwise(path)
    kept = str(path).endswith(".npz")  # text does not tell the kind: the diagonal does
    if back.block.shape != X.shape or (kept and back.block.kind != X.kind):
        raise BrokenPromise("changed", "write_pairwise and read_pairwise")


def _sources(d: Draw) -> None:
    n = size(d)
    X, _ = sources(d, n, 2)
    index = d.pick(["a", "z", 0, n, -1, slice(1), [n + 1], np.ix_([0], [0]), None, 1.5, ()])
    d.tell(f"[{told(index)}]")
    X[index], repr(X), list(X.items()), len(X)


def _datasets(d: Draw) -> None:
    function = d.pick([similearn.datasets.make_similarities, similearn.datasets.make_cylinder])
    names = [n for n in inspect.signature(function).parameters]
    given = {n: d.pick([*STRANGE, 5, 10, 2]) for n in names if d.chance(0.4)}
    given = {n: 9 if type(v) in (int, float) and 1e4 < v < 2**63 else v for n, v in given.items()}
    d.tell(f"{function.__name__}({', '.join(f'{n}={told(v)}' for n, v in given.items())})")
    function(**given)


CALLS = {
    "weights": _weights,
    "convert": _convert,
    "diagnose": _diagnose,
    "goodness": _goodness,
    "bounds": _bounds,
    "suspicious": _suspicious,
    "sets": _sets,
    "Pairwise": _pairwise,
    "Pairwise again": _pairwise,
    "Sources": _sources,
    "datasets": _datasets,
    **things.CALLS,
}
