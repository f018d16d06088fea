"""`save` and `load`: fitted estimators and models to files and back."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from similearn.errors import InputError, InputTypeError
from similearn.experiments.models.model import Model
from similearn.experiments.models.model_files import load_model, save_model
from similearn.experiments.models.model_fitting import validation_told
from similearn.experiments.registry import chosen_parameters
from similearn.experiments.things.comparing_objects import comparisons_in
from similearn.selection import SimilarityClassifier
from similearn.similarities import what_objects_are
from similearn.version import __version__


def load(path: str | Path) -> Model:
    """Open a model's file, as `similearn fit` and `save` write it. Nothing in it is run.

    Parameters
    ----------
    path : the file

    Returns
    -------
    Model
        With `predict`, `predict_proba`, `predict_set`, `explain`, `classes_` and, of the default,
        `leaderboard_`; ``print`` tells what it is and what it expects. The fitted classifier is
        ``estimator``.

    Examples
    --------
    >>> import tempfile
    >>> import similearn
    >>> names = ["anna", "anne", "hanna", "joanna", "otto", "lotto", "ottone", "tottori"]
    >>> model = similearn.SimilarityClassifier(similarity="ngrams", effort="quick")
    >>> model = model.fit(names, ["a", "a", "a", "a", "o", "o", "o", "o"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     similearn.save(model, f"{folder}/names.model")
    ...     again = similearn.load(f"{folder}/names.model")
    >>> again.predict(["hannah"])
    array(['a'], dtype='<U1')
    """
    return load_model(path)


def save(model: Any, path: str | Path) -> None:
    """Write a fitted classifier, or a `Model`, to a file that `load` and the shell open.

    Parameters
    ----------
    model : a classifier of similearn, a `Pipeline` that ends in one, a search over either, or what
        `load` gave. A function of two objects cannot be saved, as it is code: register it.
    path : the file

    Raises
    ------
    FileError
        If the path cannot be written, or the model holds what no model file can.

    Examples
    --------
    >>> import tempfile
    >>> import similearn
    >>> compare = similearn.PairwiseSimilarity("ngrams")
    >>> from sklearn.pipeline import make_pipeline
    >>> model = make_pipeline(compare, similearn.NeighborsClassifier(1))
    >>> model = model.fit(["anna", "hanna", "otto"], ["a", "a", "o"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     similearn.save(model, f"{folder}/names.model")
    ...     print(similearn.load(f"{folder}/names.model").classes)
    ['a', 'o']
    """
    save_model(model if isinstance(model, Model) else model_of(model), path)


def model_of(estimator: Any) -> Model:
    """Return a model around a fitted classifier."""
    if not hasattr(estimator, "predict"):
        raise InputTypeError(f"model is {type(estimator).__name__}; expected a fitted classifier.")
    check_is_fitted(estimator)
    best = getattr(estimator, "best_estimator_", estimator)
    last = best[-1] if isinstance(best, Pipeline) else best
    first = best[0] if isinstance(best, Pipeline) else best
    compared = comparisons_in(best)
    names = getattr(last, "source_names_", getattr(last, "sources_", None))
    ids = getattr(first, "reference_ids_", None)
    return Model(
        estimator=best,
        method="auto" if isinstance(last, SimilarityClassifier) else type(last).__name__,
        parameters={n: v for n, v in chosen_parameters(estimator).items() if _is_plain(v)},
        kind=getattr(first, "kind_", None) if not compared else None,
        classes=best.classes_.tolist(),
        n_training=_n_training(first, compared),
        training_ids=None if ids is None else np.asarray(ids).tolist(),
        version=__version__,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        what=_what(compared),
        columns=_columns(compared),
        sources=list(names) if names is not None and not compared else None,
        validation=validation_told(estimator),
        tables=_tables(last, names) if names is not None and not compared else None,
    )


def _tables(last: Any, names: Any) -> dict[str, list[str]] | None:
    """Names of the sources that are tables; of their columns none are known."""
    if hasattr(last, "tables_"):
        found = list(last.tables_)
    else:
        searches = getattr(last, "searches_", ())
        found = [n for n, one in zip(names, searches, strict=False) if hasattr(one, "table_")]
    return {name: [] for name in found} or None


def _what(compared: dict[str, Any]) -> str | None:
    for comparison in compared.values():
        try:
            return what_objects_are(comparison.references_)
        except InputError:
            return "objects"
    return None


def _columns(compared: dict[str, Any]) -> list[str] | None:
    """Names of the columns, where objects were the rows of a data frame."""
    names = [getattr(one, "feature_names_in_", None) for one in compared.values()]
    return None if not names or names[0] is None else [str(name) for name in names[0]]


def _n_training(first: Any, compared: dict[str, Any]) -> int:
    for comparison in compared.values():
        return int(comparison._n_features_out)
    if hasattr(first, "source_names_"):  # tables beside blocks are of any width
        return len(first.codes_)
    return int(first.n_features_in_)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, bool | int | float | str)
