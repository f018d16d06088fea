"""Predictions of a model as a table."""

from pathlib import Path
from typing import Any

from similearn.data import Pairwise
from similearn.data.formats.table_outputs import write_columns
from similearn.experiments.models.model import Model, prepared


def predicted_columns(model: Model, X: Any, ids: Any = None) -> dict[str, Any]:
    """Return the table of predictions: names of columns, and m values of each.

    Parameters
    ----------
    model : fitted
    X : m new samples, objects or a block of them against the training samples, as it takes
    ids : (m,), optional; by default those of the block

    Returns
    -------
    ``id`` (if there are ids), ``label`` and, where the method has probabilities, ``probability of
    <class>`` for each class
    """
    if ids is None and isinstance(X, Pairwise):
        ids = X.row_ids
    X = prepared(model, X)
    columns: dict[str, Any] = {} if ids is None else {"id": [str(one) for one in ids]}
    columns["label"] = model.estimator.predict(X).tolist()
    if hasattr(model.estimator, "predict_proba"):
        probabilities = model.estimator.predict_proba(X)
        for name, column in zip(model.classes, probabilities.T, strict=True):
            columns[f"probability of {name}"] = column.tolist()
    return columns


def write_predictions(model: Model, X: Any, path: str | Path, ids: Any = None) -> int:
    """Label new samples, write one line each, and return their number.

    Parameters
    ----------
    model, X, ids : as of `predicted_columns`
    path : CSV, or .tsv, .jsonl or .parquet by its ending; it appears when it is complete. "-" is
        standard output. In CSV and TSV, a text that a spreadsheet would run, as it begins with =,
        +, - or @, has a ' before it.
    """
    columns = predicted_columns(model, X, ids)
    write_columns(path, columns)
    return len(columns["label"])
