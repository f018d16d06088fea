"""Fit a method, with its parameters chosen by cross-validation, to all samples."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from similearn.data import Pairwise, Sources
from similearn.data.edges.completing import training_means
from similearn.errors import InputError, gathered_warnings
from similearn.experiments.comparisons.problems import checked_labels
from similearn.experiments.comparisons.scores import USUAL, Scoring
from similearn.experiments.comparisons.splitting import tuning_folds
from similearn.experiments.models.model import Model
from similearn.experiments.registry import (
    OF_SEVERAL,
    Method,
    chosen_parameters,
    input_of,
)
from similearn.experiments.things.comparing_objects import comparison_of, comparisons_in
from similearn.experiments.tuning import tuned
from similearn.selection import PathSearchCV
from similearn.selection.suspicion import held_out_probabilities
from similearn.similarities import Similarity
from similearn.version import __version__

HELD_OUT_FOLDS = 5
"""Fits with the chosen parameters by which a single method knows what it says of new samples."""


@dataclass(frozen=True)
class ObjectsTold:
    """What is known of objects that a model is fitted to.

    Attributes
    ----------
    compare : names of similarities and these
    what, columns, column : as of `Model`
    ids : (n,) or None
    """

    compare: Mapping[str, Similarity] = field(default_factory=dict)
    what: str | None = None
    columns: tuple[str, ...] | None = None
    ids: Any = None
    column: str | None = None


def fit_model(
    method: Method,
    X: Any,
    y: Any,
    seed: int = 0,
    *,
    objects: ObjectsTold | None = None,
    scoring: Scoring = USUAL,
    tables: Mapping[str, Sequence[str]] | None = None,
    score: str | None = None,
    **parameters: Any,
) -> Model:
    """Choose the method's parameters by 10-fold cross-validation and fit it to all samples.

    Parameters
    ----------
    X : a block, `Sources` of blocks and tables, or with `objects` the objects themselves
    objects : how they are compared
    scoring : what parameters are chosen by, with the costs of mistakes
    tables : names of the sources that are tables of features, and of their columns
    score : of lists of pairs, that X was read from
    **parameters : of the method, set before
    """
    labels = checked_labels(y, len(X))
    _refuse_several(method, X, objects)
    if objects is None:
        search, held_out = _on_blocks(method, X, labels, seed, scoring, parameters)
        estimator = getattr(search, "best_estimator_", search)
    else:
        estimator, search, held_out = _on_objects(
            method, X, labels, seed, objects.compare, scoring, parameters
        )
    told = objects or ObjectsTold()
    ids = told.ids if objects else _first(X).column_ids
    return Model(
        estimator=estimator,
        method=method.name,
        parameters=chosen_parameters(search),
        kind=_kind(estimator, X),
        classes=np.unique(labels).tolist(),
        n_training=len(X),
        training_ids=None if ids is None else ids.tolist(),
        version=__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        what=told.what,
        columns=None if told.columns is None else list(told.columns),
        sources=list(X) if isinstance(X, Sources) else None,
        validation=validation_told(search),
        tables={name: list(names) for name, names in tables.items()} if tables else None,
        kinds=_kinds(X) if isinstance(X, Sources) else None,
        column=told.column,
        score=score,
        reference_means=_reference_means(X) if objects is None else None,
        held_out=held_out,
        codes=None if held_out is None else np.unique(labels, return_inverse=True)[1],
    )


def _refuse_several(method: Method, X: Any, objects: ObjectsTold | None) -> None:
    names = list(objects.compare) if objects else list(X) if isinstance(X, Sources) else []
    if len(names) > 1 and method.name not in OF_SEVERAL:
        raise InputError(
            f"{method.name} takes one similarity, and there are {len(names)}: {', '.join(names)}. "
            f"--method {' and --method '.join(OF_SEVERAL)} take several."
        )


def _on_blocks(
    method: Method, X: Any, y: Any, seed: int, scoring: Scoring, parameters: dict[str, Any]
) -> tuple[Any, Any]:
    """The fitted search, and what was said of held-out samples."""
    search = tuned(method, X, tuning_folds(y, seed, 0), seed, scoring=scoring)
    data = input_of(method, X)
    search.set_params(**parameters).fit(data, y)
    return search, _held_out(getattr(search, "best_estimator_", search), data, y, seed)


def _held_out(model: Any, X: Any, y: Any, seed: int) -> Any:
    """Probabilities (n,) of labels by models of the same parameters that did not see them.

    Sets of labels are made of them. None where there are none, or the model keeps them itself.
    """
    if hasattr(model, "held_out_") or not hasattr(model, "predict_proba"):
        return None
    classes, codes = np.unique(y, return_inverse=True)
    try:
        with gathered_warnings([]):  # the fit to all samples has told the same
            said = held_out_probabilities(model, X, y, classes, HELD_OUT_FOLDS, seed)
    except InputError:  # no class has a second sample
        return None
    own = said.data[np.arange(len(y)), codes]
    return np.where(said.mask.any(axis=1), np.nan, own)


def _on_objects(
    method: Method,
    X: Any,
    y: Any,
    seed: int,
    compare: Mapping[str, Similarity],
    scoring: Scoring,
    parameters: dict[str, Any],
) -> tuple[Any, Any, Any]:
    """The fitted estimator, which takes objects, the search for its parameters, `held_out`.

    A similarity that is learned from labels would have to be learned anew for every fold: nothing
    is known of held-out samples then.
    """
    learned = any(one.learned for one in compare.values())
    if method.name == "auto" and len(compare) == 1:  # it knows what is learned from labels
        one = next(iter(compare.values()))
        search = method.build("features").set_params(similarity=one, random_state=seed)
        search.set_params(costs=scoring.costs, **parameters).fit(X, y)
        return search, search, None
    comparison = comparison_of(compare)
    block = comparison.fit_transform(X, y)
    if not learned:
        search, held_out = _on_blocks(method, block, y, seed, scoring, parameters)
        best = getattr(search, "best_estimator_", search)
        return Pipeline([("compare", comparison), ("method", best)]), search, held_out
    folds = tuning_folds(y, seed, 0)
    inner = tuned(method, block, folds, seed, scoring=scoring)
    chain = Pipeline([("compare", comparison), ("method", getattr(inner, "estimator", inner))])
    grid = {f"method__{name}": values for name, values in getattr(inner, "param_grid", {}).items()}
    if not grid:
        fitted = chain.fit(X, y)
        return fitted, fitted, None
    options = {"scoring": inner.scoring, "ties": inner.ties}
    search = PathSearchCV(chain, grid, cv=folds, error_score="raise", **options).fit(X, y)
    return search.best_estimator_, search, None


def _first(X: Any) -> Any:
    return X[next(iter(X))] if isinstance(X, Sources) else X


def _kind(estimator: Any, X: Any) -> str | None:
    if isinstance(X, Pairwise):
        return X.kind
    kinds = {one.function_.kind for one in comparisons_in(estimator).values()}
    return kinds.pop() if len(kinds) == 1 else None


def _kinds(X: Sources) -> dict[str, str]:
    return {name: one.kind for name, one in X.items() if isinstance(one, Pairwise)}


def _reference_means(X: Any) -> Any:
    """What is usual for each training sample in each block, see `Model`; None if one is lazy."""
    parts = X.values() if isinstance(X, Sources) else [X]
    means = [training_means(one) for one in parts if isinstance(one, Pairwise)]
    return np.array(means) if means and all(one is not None for one in means) else None


def validation_told(search: Any) -> str:
    """How good the model was on samples that were held out while it was chosen."""
    board = getattr(search, "leaderboard_", None)
    if board is not None:
        found = board.combined
        return (
            f"error of {100 * found['error']:.3g} % and log-loss of {found['log_loss']:.3g} on "
            f"held-out samples, of {len(board)} methods tried and combined"
        )
    if not hasattr(search, "best_score_"):
        return ""
    return (
        f"{_score_told(search)} in {search.n_splits_}-fold cross-validation, at the parameters "
        "that it chose"
    )


def _score_told(search: Any) -> str:
    """The best score of a search, by what it was searched by."""
    scoring, score = search.scoring, search.best_score_
    if scoring in (None, "accuracy"):
        return f"error of {100 * (1 - score):.3g} %"
    ours = getattr(scoring, "__self__", None)
    if isinstance(ours, Scoring):  # the larger, the better
        return f"{ours.name.replace('-error', ' error')} of {-score:.3g}"
    named = [name for name in (scoring, search.refit) if isinstance(name, str)]
    return f"{named[0] if named else 'score'} of {score:.3g}"
