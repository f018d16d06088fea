"""The life of an estimator: made, fitted, asked, copied, stored."""

import copy
import inspect
import pickle
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags

import similearn
from similearn import Pairwise, Sources
from tests.fuzz.blocks import cut, size, sources, table, whole
from tests.fuzz.drawing import Draw
from tests.fuzz.label_forms import labels
from tests.fuzz.outcomes import (
    BrokenPromise,
    is_sentence,
    require_finite,
    require_probabilities,
)
from tests.fuzz.parameters import arguments, value

PUBLIC = {name: getattr(similearn, name) for name in sorted(similearn.__all__)}
ESTIMATORS = {
    name: thing
    for name, thing in PUBLIC.items()
    if inspect.isclass(thing) and issubclass(thing, BaseEstimator)
}
ON_SOURCES = {
    "CDNNClassifier": "dissimilarity",
    "DissimilarityCombiner": "dissimilarity",
    "KernelCombiner": "similarity",
    "FusedNeighborsClassifier": None,
    "FusionClassifier": None,
}
ALSO_ON_SOURCES = {"ProximityForestClassifier", "SimilarityClassifier"}
OBJECTS = {"PairwiseSimilarity", "SimilaritySources"}  # of `functions`
SEARCHED = {name: cls for name, cls in ESTIMATORS.items() if hasattr(cls, "predict")}
SEARCHED = {n: c for n, c in SEARCHED.items() if n not in {"PathSearchCV", *ON_SOURCES}}


def play(d: Draw) -> None:
    """Make an estimator, fit it, and ask it one to three things."""
    name = d.pick([name for name in ESTIMATORS if name not in OBJECTS])
    model = made(d, name)
    X, y, queries = problem(d, name, model)
    once = _has_no_copy(X) or _has_no_copy(queries)
    remembered = copy.deepcopy((X, queries)) if d.chance(0.3) and not once else None
    if d.chance(0.05):
        _before_fit(d, model, queries)
    before = {name: repr(v)[:500] for name, v in model.get_params(deep=False).items()}
    if d.chance(0.1) and hasattr(model, "fit_path"):
        _path(d, model, X, y, queries)
        return
    d.tell("fit")
    model.fit(X, y)
    if {name: repr(v)[:500] for name, v in model.get_params(deep=False).items()} != before:
        raise BrokenPromise("changed", f"parameters of {name} by fit")
    for _ in range(d.pick([1, 2, 3])):
        step(d, model, X, y, queries)
    if remembered is not None and not _same(remembered, (X, queries)):
        raise BrokenPromise("changed", f"input of {name}")


def made(d: Draw, name: str) -> Any:
    """An unfitted estimator of this class."""
    if name == "FusionClassifier":
        components = [(n, made(d, d.pick(list(SEARCHED))), s) for n, s in (("u", "a"), ("v", "b"))]
        components = components[: d.pick([1, 2])]
        if d.fault(0.3):
            components = d.pick([None, [], "x", [("u",)], [("u", None, "a")], [(1, 2, 3)], 5])
        given = {"components": components}
    elif name == "PathSearchCV":
        inner = d.pick(list(SEARCHED))
        given = {"estimator": made(d, inner), "param_grid": _grid(d, SEARCHED[inner])}
    elif name == "CDNNClassifier" and d.chance(0.3):
        given = {"combiner": made(d, "DissimilarityCombiner")}
    else:
        given = {}
    model = ESTIMATORS[name](**given, **arguments(d, ESTIMATORS[name], tuple(given)))
    # Less work than by default: what is asked here needs no accuracy.
    for parameter, default, few in FEWER:
        given = model.get_params(deep=False).get(parameter)
        if isinstance(given, int | str) and given == default:
            model.set_params(**{parameter: few})
    return model


def _first_answer(model: Any) -> str | None:
    """What a model can be asked; None of a search that does not fit its best again."""
    return next((name for name in ("predict", "transform") if hasattr(model, name)), None)


FEWER = (("n_estimators", 200, 8), ("cv", 10, 2), ("effort", "normal", "quick"))


def _grid(d: Draw, cls: Any) -> Any:
    if d.fault(0.3):
        return d.pick([[], {}, None, "x", [{}], {"nonsense": [1]}, {"n_neighbors": []}, 5, [[]]])
    names = list(inspect.signature(cls).parameters)
    chosen = d.rng.choice(names, min(len(names), d.pick([1, 2])), replace=False)
    return {str(n): [value(d, n, None, 0.1) for _ in range(d.pick([1, 2, 3]))] for n in chosen}


def problem(d: Draw, name: str, model: Any) -> tuple[Any, Any, Any]:
    """Training data, labels and queries that are more or less right for an estimator."""
    n, m = size(d), d.pick([1, 2, 6] if d.is_sound else [0, 1, 6])
    d.tell(f"n={n}, m={m}")
    if name in ON_SOURCES or (name in ALSO_ON_SOURCES and d.chance(0.3)):
        X, queries = sources(d, n, m, None if d.fault(0.1) else ON_SOURCES.get(name))
    elif _takes_blocks(model):
        kind = getattr(getattr(model, "estimator", model), "kind", None)
        kind = kind if str(kind) in ("similarity", "dissimilarity") else None
        X, queries = cut(d, whole(d, n + m, kind if d.chance(0.5) else None), n, kind)
    else:
        X, queries = table(d, n, m)
    return X, labels(d, n), queries


def _takes_blocks(model: Any) -> bool:
    try:
        return bool(get_tags(model).input_tags.pairwise)
    except Exception:  # of an inner estimator that is nothing
        return True


def _before_fit(d: Draw, model: Any, queries: Any) -> None:
    asked = _first_answer(model)
    if asked is None:
        return
    d.tell(f"{asked} before fit")
    try:
        getattr(model, asked)(queries)
    except Exception as error:
        if not is_sentence(error):
            raise
        return
    raise BrokenPromise("unfitted", f"{type(model).__name__}.{asked}")


def _path(d: Draw, model: Any, X: Any, y: Any, queries: Any) -> None:
    own = d.chance(0.3)
    candidates = [
        {n: value(d, n, None, 0.1) for n in model._path} for _ in range(d.pick([0, 1, 3]))
    ]
    d.tell(f"fit_path({candidates}, leave_one_out={own})")
    model.fit_path(X, y, candidates, leave_one_out=own)
    scores = model.path_scores(X if own else queries)
    require_finite(scores, f"{type(model).__name__}.path_scores", minus_infinity=True)


def step(d: Draw, model: Any, X: Any, y: Any, queries: Any) -> None:
    """Ask a fitted model one thing and judge the answer."""
    possible = [name for name in STEPS if name in ALWAYS or hasattr(model, name)]
    if not hasattr(model, "predict") and "score" in possible:
        possible.remove("score")  # of a search that refits nothing
    asked = d.pick(possible)
    d.tell(asked)
    asks_training = asked == "fit_transform" or d.chance(0.1)
    STEPS[asked](d, model, X if asks_training else queries, y)


def _predict(d: Draw, model: Any, X: Any, y: Any) -> None:
    answer = model.predict(X)
    if not np.isin(answer, model.classes_).all():
        raise BrokenPromise("labels", f"{type(model).__name__}.predict", f"{answer[:3]}")
    if hasattr(X, "shape") and len(answer) != X.shape[0]:
        raise BrokenPromise("labels", f"{type(model).__name__}.predict", f"{len(answer)} of them")


def _numbers(name: str, *, minus_infinity: bool = False) -> Any:
    def ask(d: Draw, model: Any, X: Any, y: Any) -> None:
        more = (y,) if name == "fit_transform" else ()
        answer = getattr(model, name)(X, *more)
        where = f"{type(model).__name__}.{name}"
        _require_finite_parts(answer, where, minus_infinity)

    return ask


def _require_finite_parts(answer: Any, where: str, minus_infinity: bool = False) -> None:
    if isinstance(answer, Pairwise):
        answer = answer.values
    elif isinstance(answer, Sources):
        for part in answer.values():
            _require_finite_parts(part, where)
        return
    elif isinstance(answer, dict):
        answer = list(answer.values())
    if isinstance(answer, list | tuple):
        for part in answer:
            _require_finite_parts(part, where)
        return
    require_finite(answer, where, minus_infinity=minus_infinity)


def _probabilities(d: Draw, model: Any, X: Any, y: Any) -> None:
    require_probabilities(model.predict_proba(X), f"{type(model).__name__}.predict_proba")


def _explain(d: Draw, model: Any, X: Any, y: Any) -> None:
    explanation = model.explain(X)
    name = f"{type(model).__name__}.explain"
    for part in ("scores", "weights"):
        if getattr(explanation, part, None) is not None:
            require_finite(getattr(explanation, part), f"{name}.{part}")
    str(explanation)


def _staged(name: str) -> Any:
    return lambda d, model, X, y: [require_finite(a, name) for a in getattr(model, name)(X)]


def _stored(d: Draw, model: Any, X: Any, y: Any) -> None:
    other = pickle.loads(pickle.dumps(model))
    asked = _first_answer(model)
    if asked is None:
        return
    if not _same(getattr(model, asked)(X), getattr(other, asked)(X)):
        raise BrokenPromise("changed", f"{type(model).__name__} by pickling")


def _cloned(d: Draw, model: Any, X: Any, y: Any) -> None:
    clone(model)


def _shown(d: Draw, model: Any, X: Any, y: Any) -> None:
    repr(model), model._repr_html_() if hasattr(model, "_repr_html_") else None


def _scored(d: Draw, model: Any, X: Any, y: Any) -> None:
    require_finite(model.score(X, model.predict(X)), f"{type(model).__name__}.score")


def _refitted(d: Draw, model: Any, X: Any, y: Any) -> None:
    _, y, _ = problem(d, type(model).__name__, model)
    model.fit(X, y)


ALWAYS = {"clone", "pickle", "show", "fit again"}
STEPS = {
    "predict": _predict,
    "predict_proba": _probabilities,
    "predict_log_proba": _numbers("predict_log_proba", minus_infinity=True),
    "decision_function": _numbers("decision_function"),
    "explain": _explain,
    "transform": _numbers("transform"),
    "fit_transform": _numbers("fit_transform"),
    "contributions": _numbers("contributions"),
    "score": _scored,
    "margins": lambda d, model, X, y: require_finite(model.margins(X, y), "margins"),
    "kneighbors": lambda d, model, X, y: model.kneighbors(X),
    "get_feature_names_out": lambda d, model, X, y: model.get_feature_names_out(),
    "staged_decision_function": _staged("staged_decision_function"),
    "staged_predict_proba": _staged("staged_predict_proba"),
    "staged_predict": lambda d, model, X, y: list(model.staged_predict(X)),
    "condensed": lambda d, model, X, y: model.condensed(),
    "clone": _cloned,
    "pickle": _stored,
    "show": _shown,
    "fit again": _refitted,
}


def _has_no_copy(X: Any) -> bool:
    return inspect.isgenerator(X) or isinstance(X, memoryview)


def _same(one: Any, other: Any) -> bool:
    """Whether two things hold the same, entry by entry."""
    if isinstance(one, tuple | list):
        pairs = zip(one, other, strict=False)  # a list may hold itself
        return len(one) == len(other) and all(a is one or _same(a, b) for a, b in pairs)
    if isinstance(one, Sources):
        return all(_same(one[name], other[name]) for name in one)
    if isinstance(one, Pairwise):
        return _same((one.values, one.reverse), (other.values, other.reverse))
    if sparse.issparse(one):
        parts = ("data", "indices", "indptr", "row", "col")
        return all(_same(getattr(one, p), getattr(other, p)) for p in parts if hasattr(one, p))
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"))
    return True
