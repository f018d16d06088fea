"""`write_report`: the one way to a page, from data, a model or a comparison."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from similearn.data import Pairwise, Sources
from similearn.data.checks import require_integer
from similearn.data.files.joining import has_label
from similearn.data.files.outputs import written
from similearn.errors import InputError, InputTypeError
from similearn.estimators.shell.columns_out import plain_output
from similearn.estimators.shell.labels import label_column
from similearn.experiments.comparisons.store import ResultStore
from similearn.experiments.models import Model, queries_for
from similearn.experiments.registry import input_of, known_method
from similearn.report.contents.gathering import (
    Asked,
    contents_of_comparison,
    contents_of_data,
    contents_of_model,
)
from similearn.report.contents.sheets import Contents
from similearn.report.html.page import environment, rendered
from similearn.report.made.repeating import code_of
from similearn.similarities.shell.objects import count, taken


@plain_output()
def write_report(
    what: Any,
    path: str | Path,
    *,
    X: Any = None,
    y: Any = None,
    names: Sequence[Any] | None = None,
    objects: Any = None,
    title: str | None = None,
    random_state: int = 0,
    effort: str = "quick",
    time_limit: float | None = None,
    command: str | None = None,
    python: str | None = None,
    notes: Sequence[str] = (),
) -> Path:
    """Write one HTML file that shows data, a model or a comparison, and works offline.

    Parameters
    ----------
    what : what is reported
        A `Pairwise` block or `Sources` (with `y`, the default classifier is fitted and judged); a
        fitted classifier or search, or a loaded model, with labelled samples `X` and `y`; or the
        folder of a comparison, or its records, alone or with its data as `X` and `y`.
    path : the file to write
    X, y : labelled samples: those that the model was fitted to, which are then held out by folds,
        or others, as its ``predict`` takes them; those whose label is None are left out
    names : of the samples; by default the ids of the block, or numbers from 0
    objects : the samples themselves, if X is a block: texts, sequences, images (h, w), rows of a
        table; each is shown with its sample. Those that a model compares itself need not be given.
    title : above the page
    random_state : seed of folds, of drawn samples and of the default classifier
    effort, time_limit : of the default classifier, see `SimilarityClassifier`
    command, python : the shell command and the Python code that repeat it, told on the last page
    notes : sentences on how the data were read, such as how many values were filled in

    Returns
    -------
    Path
        Of the file, which is smaller than 2 MB whatever the number of samples: it tells how many
        of them it shows.

    Notes
    -----
    Needs Jinja2 (``pip install 'similearn[report]'``). The file fetches nothing, and its policy
    forbids it to; labels and ids are shown as text, whatever they hold. Beyond the fits: O(n²),
    and O(m³) for m ≤ 1500 drawn samples.

    Examples
    --------
    >>> from similearn import NeighborsClassifier, datasets, write_report
    >>> X, y = datasets.make_similarities(60, random_state=0, return_X_y=True)
    >>> model = NeighborsClassifier(5).fit(X, y)
    >>> path = write_report(model, "report.html", X=X, y=y)  # doctest: +SKIP
    """
    environment()  # says at once if Jinja2 is missing
    for name, text in (("title", title), ("command", command), ("python", python)):
        if text is not None and not isinstance(text, str):
            raise InputTypeError(f"{name}={text!r} must be a text, got {type(text).__name__}.")
    require_integer("random_state", random_state, low=0)
    python = python or code_of(what, X, path, random_state, y is not None)
    is_data = not (isinstance(what, str | Path) or hasattr(what, "predict") or _are_records(what))
    samples, y, names, objects = labelled_only(what if is_data else X, y, names, objects)
    what, X = (samples, X) if is_data else (what, samples)
    title = title or "Report"
    asked = Asked(title, random_state, command, python, effort, time_limit, objects, notes)
    contents = _gathered(what, X, y, asked, names)
    with written(path) as out:
        out.write(rendered(contents))
    return Path(path)


def labelled_only(X: Any, y: Any, names: Any, objects: Any) -> tuple[Any, Any, Any, Any]:
    """Samples, labels, names and objects without those samples whose label is None."""
    if X is None or y is None:
        return X, y, names, objects
    several = np.iterable(y)
    if not several or all(label is not None for label in y):
        y = label_column(y, count(X))
        return X, y, names, objects
    kept = np.flatnonzero(has_label(y, len(y)))
    y = np.array([y[i] for i in kept.tolist()])
    names = None if names is None else [names[i] for i in kept.tolist()]
    objects = None if objects is None else taken(objects, kept)
    if not isinstance(X, Pairwise | Sources):
        return taken(X, kept), y, names, objects
    n_rows, n_columns = X.shape
    columns = kept if n_rows == n_columns else np.arange(n_columns)
    return X[np.ix_(kept, columns)], y, names, objects


def _gathered(what: Any, X: Any, y: Any, asked: Asked, names: Sequence[Any] | None) -> Contents:
    if isinstance(what, str | Path):
        store = ResultStore(Path(what) / "results.jsonl")
        if not store.path.is_file():
            raise InputError(
                f"There is no {store.path}; expected the folder of a comparison. Make one with "
                "`similearn compare`."
            )
        return contents_of_comparison(list(store.read().values()), asked, X, y, names)
    if _are_records(what):
        return contents_of_comparison(what, asked, X, y, names)
    if isinstance(what, Model):
        return _of_loaded(what, X, y, asked, names)
    if isinstance(what, type) or not (hasattr(what, "predict") or hasattr(what, "__len__")):
        raise InputTypeError(
            f"what is of type {type(what).__name__}; expected a block, `Sources`, a fitted "
            "classifier, a loaded model or the folder of a comparison."
        )
    if hasattr(what, "predict"):
        return contents_of_model(what, X, y, asked, names)
    return contents_of_data(what, y, asked, names)


def _are_records(what: Any) -> bool:
    return isinstance(what, list) and bool(what) and isinstance(what[0], dict) and "key" in what[0]


def _of_loaded(model: Model, X: Any, y: Any, asked: Asked, names: Sequence[Any] | None) -> Contents:
    method = known_method(model.method)
    if isinstance(X, Pairwise):
        same = X.same_samples and len(X) == model.n_training
        names = X.row_ids if names is None else names  # type: ignore[assignment]
        X = X if same else queries_for(model, X)
        X = X if method is None else input_of(method, X)
    name = None if method is None else method.name
    contents = contents_of_model(model.estimator, X, y, asked, names, name)
    judged, ids = contents.judged, model.training_ids
    if judged is None or ids is None or len(ids) != len(judged.reference_names):
        return contents
    return replace(contents, judged=replace(judged, reference_names=[str(i) for i in ids]))
