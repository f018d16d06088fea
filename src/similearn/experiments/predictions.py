"""Predictions of a model as a table."""

from pathlib import Path

from similearn.data import Pairwise
from similearn.data.formats.table_outputs import write_columns
from similearn.experiments.models import Model, queries_for
from similearn.experiments.registry import get_method, input_of


def write_predictions(model: Model, block: Pairwise, path: str | Path) -> int:
    """Label the rows of a block and write one line each.

    Parameters
    ----------
    model : fitted
    block : (m, n) new samples against the training samples
    path : CSV, or .tsv, .jsonl or .parquet by its ending; it appears when it is complete. "-" is
        standard output.

    Returns
    -------
    m, the number of lines. Columns are ``id`` (if the rows have ids), ``label`` and, where
    the method has probabilities, ``probability of <class>`` for each class. In CSV and TSV, a
    text that a spreadsheet would run, as it begins with =, +, - or @, has a ' before it.
    """
    queries = input_of(get_method(model.method), queries_for(model, block))
    columns = {} if block.row_ids is None else {"id": block.row_ids.tolist()}
    columns["label"] = model.estimator.predict(queries).tolist()
    if hasattr(model.estimator, "predict_proba"):
        probabilities = model.estimator.predict_proba(queries)
        for name, column in zip(model.classes, probabilities.T, strict=True):
            columns[f"probability of {name}"] = column.tolist()
    write_columns(path, columns)
    return len(block)
