"""Python code that makes a model and its report again."""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

from similearn.report.contents.model_facts import fitted_part, knows_these
from similearn.similarities.shell.objects import count

_LONGEST = 20_000  # characters of a model's own description


def code_of(what: Any, X: Any, path: str | Path, seed: int, labelled: bool = True) -> str:
    """Code that writes the same report, given the samples ``X`` and their labels ``y``.

    Parameters
    ----------
    what : the folder of a comparison, a fitted or loaded model, or a block
    X : the labelled samples of a model, or None
    path : of the report
    seed : of the report
    labelled : whether there are labels
    """
    rest = f"{str(path)!r}, %srandom_state={seed})\n"
    begin = "from similearn import write_report\n\n"
    if isinstance(what, str | Path):
        return f"{begin}write_report({str(what)!r}, {rest % _samples(X)}"
    if not hasattr(what, "predict"):
        return f"{begin}write_report(X, {rest % ('y=y, ' if labelled else '')}"
    estimator = getattr(what, "estimator", what) if hasattr(what, "n_training") else what
    made = model_code(estimator) or model_code(fitted_part(estimator))
    if made is None:  # it holds what has no words, such as a function
        return f"{begin}write_report(model, {rest % _samples(X)}"
    own = X is None or knows_these(estimator, X, count(X))
    training = "X, y" if own else "X_train, y_train"
    return f"{made}\nmodel.fit({training})\nwrite_report(model, {rest % _samples(X)}"


def model_code(estimator: Any) -> str | None:
    """Imports and a line that make an unfitted copy of an estimator; None if none can."""
    told = estimator.__repr__(N_CHAR_MAX=_LONGEST)
    try:
        tree = ast.parse(told)
    except SyntaxError:
        return None
    known = {type(one).__name__: type(one) for one in _parts(estimator)}
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    if not called <= set(known):
        return None
    public = import_module("similearn")
    ours = sorted({name for name in called if hasattr(public, name)} | {"write_report"})
    others = [f"from {_public(known[name])} import {name}" for name in sorted(called - set(ours))]
    lines = [*others, f"from similearn import {', '.join(ours)}"]
    return "\n".join(lines) + f"\n\nmodel = {' '.join(told.split())}"


def _samples(X: Any) -> str:
    return "" if X is None else "X=X, y=y, "


def _public(kind: type) -> str:
    """The module that people import a class from: that without its private parts."""
    return ".".join(part for part in kind.__module__.split(".") if not part.startswith("_"))


def _parts(value: Any) -> list[Any]:
    """An estimator and everything of a class of its own within its parameters."""
    if isinstance(value, list | tuple):
        return [part for one in value for part in _parts(one)]
    if isinstance(value, dict):
        return _parts(list(value.values()))
    if not hasattr(value, "get_params") or isinstance(value, type):
        return []
    return [value, *_parts(list(value.get_params(deep=False).values()))]
