"""A method of the registry with its parameters chosen by cross-validation."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from sklearn.pipeline import Pipeline

from similearn.errors import InputError
from similearn.estimators import DissimilarityToSimilarity
from similearn.experiments.comparisons.scores import USUAL, Scoring
from similearn.experiments.comparisons.splitting import Indices, smallest_training_fold
from similearn.experiments.registry import Method, kind_of, seen_by
from similearn.selection import PathSearchCV
from similearn.selection.candidates import seeded

_INSTEAD = "Use auto, knn, svm-clip or sda instead, or leave the"
_WITHOUT = {
    "costs": f"cannot take costs into account. {_INSTEAD} costs out.",
    "class_weight": f"has no class weights. {_INSTEAD} class weights out.",
}


def tuned(
    method: Method,
    X: Any,
    folds: list[tuple[Indices, Indices]],
    seed: int = 0,
    ties: Literal["log-loss", "simplest"] = "log-loss",
    scoring: Scoring = USUAL,
) -> Any:
    """Return an unfitted estimator that chooses its parameters by cross-validation.

    Parameters
    ----------
    method : from this registry
    X : the training data; their kind decides what is built
    folds : (training, validation) positions, see `similearn.experiments.comparisons.splitting`
    seed : for every ``random_state`` that the method leaves open
    ties : as in `PathSearchCV`; the papers know decisions only, so that their tables are
        reproduced with "simplest"
    scoring : what parameters are chosen by, and costs of mistakes

    Raises
    ------
    InputError
        If there are costs, and the method decides without them.
    """
    X = seen_by(method, X)
    grid = {
        name: _trimmed(name, values, smallest_training_fold(folds))
        for name, values in method.grid.items()
    }
    if method.converts(kind_of(X)):
        converted = ("similarity", DissimilarityToSimilarity())
        estimator = Pipeline([converted, ("method", method.build("similarity"))])
        grid = {f"method__{name}": values for name, values in grid.items()}
    else:
        estimator = method.build(kind_of(X))
    estimator = seeded(estimator, seed)
    if scoring.costs is not None:
        _set(estimator, method, "costs", scoring.costs)
    return _search(estimator, grid, folds, ties, scoring) if grid else estimator


def balanced(method: Method) -> Method:
    """Return the method with classes that count equally, however many samples they have.

    Raises
    ------
    InputError
        If it has no ``class_weight``.
    """
    build = partial(_balanced, method)
    build("similarity")  # refused here rather than in the middle of a comparison
    return replace(method, build=build)


def _balanced(method: Method, kind: str) -> Any:
    return _set(method.build(kind), method, "class_weight", "balanced")


def _set(estimator: Any, method: Method, name: str, value: Any) -> Any:
    """Set a parameter of the classifier, which may be the last step of a pipeline."""
    last = estimator
    while isinstance(last, Pipeline):
        last = last.steps[-1][1]
    if name not in last.get_params(deep=False):
        raise InputError(f"{method.name} {_WITHOUT[name]}")
    last.set_params(**{name: value})
    return estimator


def _search(
    estimator: Any,
    grid: dict[str, Any],
    folds: list[tuple[Indices, Indices]],
    ties: str,
    scoring: Scoring,
) -> Any:
    """The one place that says how parameters are searched."""
    options = {"scoring": scoring.scorer(), "ties": ties}
    return PathSearchCV(estimator, grid, cv=folds, error_score="raise", **options)


def _trimmed(name: str, values: Sequence[Any], largest: int) -> list[Any]:
    """What a training part has room for; neighbourhoods up to all of it (RegSDA: min(n, 128))."""
    if name.endswith("n_neighbors"):
        return list(dict.fromkeys(min(value, largest) for value in values))
    if name.endswith("n_prototypes"):
        return [value for value in values if value <= largest]
    return list(values)
