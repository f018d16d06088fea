"""Predictions of a model as a table."""

from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from similearn.data import Pairwise, Sources
from similearn.data.formats.table_outputs import write_columns
from similearn.errors import InputError
from similearn.estimators.neighbors.conformal import require_coverage
from similearn.estimators.probabilities.answers import labels_and_probabilities
from similearn.experiments.models.model import Model, prepared
from similearn.similarities.shell.objects import taken

_MOST_NAMED = 2  # of classes that are in every set


def predicted_columns(
    model: Model, X: Any, ids: Any = None, coverage: float | None = None
) -> dict[str, Any]:
    """Return the table of predictions: names of columns, and m values of each.

    Parameters
    ----------
    model : fitted
    X : m new samples, objects or a block of them against the training samples, as it takes
    ids : (m,), optional; by default those of the block
    coverage : how often a set of labels is to hold the true one; no sets if None

    Returns
    -------
    ``id`` (if there are ids), ``label``, ``possible labels`` (if there is a coverage: separated by
    "; ") and, where the method has probabilities, ``probability of <class>`` for each class
    """
    if ids is None and isinstance(X, Pairwise):
        ids = X.row_ids
    X = prepared(model, X)
    columns: dict[str, Any] = {} if ids is None else {"id": [str(one) for one in ids]}
    labels, probabilities = labels_and_probabilities(model.estimator, X)
    columns["label"] = labels.tolist()
    if coverage is not None:
        columns["possible labels"] = _possible_labels(model, probabilities, coverage)
    if probabilities is not None:
        for name, column in zip(model.classes, probabilities.T, strict=True):
            columns[f"probability of {name}"] = column.tolist()
    return columns


def _possible_labels(model: Model, probabilities: Any, coverage: float) -> list[str]:
    names = np.array([str(name) for name in model.classes], dtype=object)
    return ["; ".join(names[row]) for row in model.label_sets(probabilities, coverage)]


def never_ruled_out(model: Model, coverage: float) -> list[str]:
    """Tell which classes are so small that sets of this coverage always hold them.

    A class of n_g samples can be ruled out only if 1 - coverage is at least 1 / (n_g + 1).

    Returns
    -------
    notes : a sentence, or none where every class can be ruled out, or the model has no sets
    """
    try:
        own, codes = model.known_held_out()
    except InputError:
        return []
    share = 1.0 - require_coverage(coverage) + 1e-12  # as `sets_by_class` rounds
    counts = np.bincount(codes[~np.isnan(own)], minlength=len(model.classes))
    small = [
        str(name) for name, n in zip(model.classes, counts, strict=True) if 1 > share * (n + 1)
    ]
    if not small:
        return []
    others = len(small) - _MOST_NAMED
    named = small if others < 2 else [*small[:_MOST_NAMED], f"{others} others"]
    listed = ", ".join(named[:-1]) + " and " * (len(named) > 1) + named[-1]
    told = (
        f"Classes of fewer than {int(np.ceil(1 / share)) - 1} samples can never be ruled out at "
        f"coverage {coverage:g}: {listed} {'is' if len(small) == 1 else 'are'} in every set."
    )
    most = np.floor(100 * (1 - 1 / (counts.min() + 1))) / 100
    more = f" At coverage {most:g} every class can be ruled out." if most > 0 else ""
    return [told + more]


def told_reasons(model: Model, X: Any, ids: Any, wanted: str) -> str:
    """Tell why new samples got their labels.

    Parameters
    ----------
    model, X, ids : as of `predicted_columns`
    wanted : the id of a sample, or a part of it between bars that no other has, such as P69905 of
        sp|P69905|HBA_HUMAN; its number from 1 where there are no ids; or "all"
    """
    m = len(X)
    names = [str(i) for i in range(1, m + 1)] if ids is None else [str(one) for one in ids]
    rows = np.arange(m) if wanted == "all" else _named(wanted, names, model)
    blocks = isinstance(X, Pairwise | Sources)
    part = X[np.ix_(rows, np.arange(X.shape[1]))] if blocks else taken(X, rows)
    told = replace(model.explain(part), row_ids=np.array(names)[rows])
    return "\n\n".join(told.tell(i) for i in range(len(rows)))


def _named(wanted: str, names: list[str], model: Model) -> Any:
    """Positions of the new samples that are meant, or an error that offers those like it."""
    rows = np.flatnonzero([name == wanted for name in names])
    parts = _with_part(wanted, names)
    if rows.size or len(parts) == 1:
        return rows if rows.size else np.array(parts)
    told = f"There is no new sample {wanted!r}"
    near = [names[i] for i in parts] or get_close_matches(wanted, names, n=3)
    if near:
        raise InputError(f"{told}; did you mean {' or '.join(near[:3])}?")
    known = [str(one) for one in model.training_ids or ()]
    old = [wanted] if wanted in known else [known[i] for i in _with_part(wanted, known)]
    if old:
        told += f": {old[0]} is a training sample"
    raise InputError(f"{told}; there are {', '.join(names[:3])}{' ...' * (len(names) > 3)}.")


def _with_part(wanted: str, names: list[str]) -> list[int]:
    """Positions of the ids of databases that have this part between bars."""
    return [i for i, name in enumerate(names) if "|" in name and wanted in name.split("|")]


def write_predictions(
    model: Model, X: Any, path: str | Path, ids: Any = None, coverage: float | None = None
) -> int:
    """Label new samples, write one line each, and return their number.

    Parameters
    ----------
    model, X, ids, coverage : as of `predicted_columns`
    path : CSV, or .tsv, .jsonl or .parquet by its ending; it appears when it is complete. "-" is
        standard output. In CSV and TSV, a text that a spreadsheet would run, as it begins with =,
        +, - or @, has a ' before it.
    """
    columns = predicted_columns(model, X, ids, coverage)
    write_columns(path, columns)
    return len(columns["label"])
