"""A fitted method and what must be known to use it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from similearn.data import Pairwise, Sources
from similearn.errors import InputError
from similearn.estimators import explain
from similearn.experiments.comparisons.problems import checked_labels
from similearn.experiments.comparisons.scores import USUAL, Scoring
from similearn.experiments.comparisons.splitting import tuning_folds
from similearn.experiments.registry import (
    OF_SEVERAL,
    Method,
    chosen_parameters,
    input_of,
    known_method,
    tuned,
)
from similearn.experiments.things.comparing_objects import comparison_of, comparisons_in
from similearn.selection import PathSearchCV
from similearn.similarities import Similarity
from similearn.version import __version__


@dataclass(frozen=True)
class Model:
    """A fitted method and what must be known to use it.

    Attributes
    ----------
    estimator : fitted, with `predict` and, where the method has it, `predict_proba`
    method : its name in the registry
    parameters : those that cross-validation chose
    kind : "similarity" or "dissimilarity", of the block it was fitted on; None of `Sources`
    classes : the labels
    n_training, training_ids : the samples that the columns of a query block must be; the
        ids are None where the training samples had none
    version, created : of the library that wrote it, and when (UTC)
    what : what the objects are that the estimator takes; None where it takes blocks
    columns : names of the columns, where objects are rows of a table
    sources : names of the sources, where it was fitted to several
    validation : one sentence on how good it was on held-out samples; "" if that is not known
    """

    estimator: Any
    method: str
    parameters: dict[str, Any]
    kind: str | None
    classes: list[Any]
    n_training: int
    training_ids: list[Any] | None
    version: str
    created: str
    what: str | None = None
    columns: list[str] | None = None
    sources: list[str] | None = None
    validation: str = ""

    def __str__(self) -> str:
        from similearn.experiments.things.model_told import told_model

        return told_model(self)

    @property
    def classes_(self) -> Any:
        """(n_classes,) the labels, as of any classifier."""
        return self.estimator.classes_

    def predict(self, X: Any) -> Any:
        """Return the labels (m,) of objects, or of a block of queries, whatever the model takes."""
        return self.estimator.predict(prepared(self, X))

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities (m, n_classes)."""
        return self.estimator.predict_proba(prepared(self, X))

    def explain(self, X: Any) -> Any:
        """Return the reasons, an `Explanation` that names neighbours by id or by object."""
        told = explain(self.estimator, prepared(self, X))
        ids = self.training_ids
        return told if ids is None else replace(told, reference_ids=np.asarray(ids))


@dataclass(frozen=True)
class ObjectsTold:
    """What is known of objects that a model is fitted to.

    Attributes
    ----------
    compare : names of similarities and these
    what, columns : as of `Model`
    ids : (n,) or None
    """

    compare: Mapping[str, Similarity] = field(default_factory=dict)
    what: str | None = None
    columns: tuple[str, ...] | None = None
    ids: Any = None


def fit_model(
    method: Method,
    X: Any,
    y: Any,
    seed: int = 0,
    *,
    objects: ObjectsTold | None = None,
    scoring: Scoring = USUAL,
    **parameters: Any,
) -> Model:
    """Choose the method's parameters by 10-fold cross-validation and fit it to all samples.

    Parameters
    ----------
    X : a block, `Sources` of blocks, or with `objects` the objects themselves
    objects : how they are compared
    scoring : what parameters are chosen by, with the costs of mistakes
    **parameters : of the method, set before
    """
    labels = checked_labels(y, len(X))
    _refuse_several(method, X, objects)
    if objects is None:
        search = _on_blocks(method, X, labels, seed, scoring, parameters)
        estimator = getattr(search, "best_estimator_", search)
    else:
        compare = objects.compare
        estimator, search = _on_objects(method, X, labels, seed, compare, scoring, parameters)
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
) -> Any:
    search = tuned(method, X, tuning_folds(y, seed, 0), seed, scoring=scoring)
    return search.set_params(**parameters).fit(input_of(method, X), y)


def _on_objects(
    method: Method,
    X: Any,
    y: Any,
    seed: int,
    compare: Mapping[str, Similarity],
    scoring: Scoring,
    parameters: dict[str, Any],
) -> tuple[Any, Any]:
    """The fitted estimator, which takes objects, and the search that chose its parameters."""
    learned = any(one.learned for one in compare.values())
    if method.name == "auto" and len(compare) == 1:  # it knows what is learned from labels
        one = next(iter(compare.values()))
        search = method.build("features").set_params(similarity=one, random_state=seed)
        search.set_params(costs=scoring.costs, **parameters).fit(X, y)
        return search, search
    comparison = comparison_of(compare)
    block = comparison.fit_transform(X, y)
    if not learned:
        search = _on_blocks(method, block, y, seed, scoring, parameters)
        best = getattr(search, "best_estimator_", search)
        return Pipeline([("compare", comparison), ("method", best)]), search
    folds = tuning_folds(y, seed, 0)
    inner = tuned(method, block, folds, seed, scoring=scoring)
    chain = Pipeline([("compare", comparison), ("method", getattr(inner, "estimator", inner))])
    grid = {f"method__{name}": values for name, values in getattr(inner, "param_grid", {}).items()}
    if not grid:
        fitted = chain.fit(X, y)
        return fitted, fitted
    options = {"scoring": inner.scoring, "ties": inner.ties}
    search = PathSearchCV(chain, grid, cv=folds, error_score="raise", **options).fit(X, y)
    return search.best_estimator_, search


def _first(X: Any) -> Any:
    return X[next(iter(X))] if isinstance(X, Sources) else X


def _kind(estimator: Any, X: Any) -> str | None:
    if isinstance(X, Pairwise):
        return X.kind
    kinds = {one.function_.kind for one in comparisons_in(estimator).values()}
    return kinds.pop() if len(kinds) == 1 else None


def validation_told(search: Any) -> str:
    """How good the model was on samples that were held out while it was chosen."""
    board = getattr(search, "leaderboard_", None)
    if board is not None:
        best = board.rows[0]
        return (
            f"the best of {len(board)} methods tried, {best['method']}, had an error of "
            f"{100 * best['error']:.3g} % and a log-loss of {best['log_loss']:.3g} on held-out "
            "samples"
        )
    if not hasattr(search, "best_score_"):
        return ""
    return (
        f"error of {100 * (1 - search.best_score_):.3g} % in {search.n_splits_}-fold "
        "cross-validation, at the parameters that it chose"
    )


def prepared(model: Model, X: Any) -> Any:
    """Return new samples as the estimator takes them: columns of a block by id, objects as is."""
    if model.what is not None or not isinstance(X, Pairwise):
        return X
    method = known_method(model.method)
    queries = queries_for(model, X)
    return queries if method is None else input_of(method, queries)


def queries_for(model: Model, block: Pairwise) -> Pairwise:
    """Return the block with its columns in the order of the training samples.

    Raises
    ------
    InputError
        If its kind is another, or its columns cannot be the training samples.
    """
    if block.kind != model.kind:
        raise InputError(
            f"The file holds a {block.kind}, but the model was fitted to a {model.kind}. If the "
            f"file's kind was misread, say --kind {model.kind}."
        )
    m, n = block.shape
    if n != model.n_training:
        hint = " Its rows are as many: transpose it." if m == model.n_training else ""
        raise InputError(
            f"The file has {n} columns, but the model was fitted to {model.n_training} samples; "
            f"each column must be a training sample, each row a new one.{hint}"
        )
    block = block.of_same_samples(False)  # as many queries as references are no square
    if block.column_ids is None or model.training_ids is None:
        return block
    place = {str(name): j for j, name in enumerate(block.column_ids)}
    missing = [str(name) for name in model.training_ids if str(name) not in place]
    if missing:
        raise InputError(
            f"The columns of the file are not the training samples: {missing[0]} is not among "
            f"them ({len(missing)} of {n} are missing)."
        )
    order = np.array([place[str(name)] for name in model.training_ids])
    return block[np.ix_(np.arange(m), order)]
