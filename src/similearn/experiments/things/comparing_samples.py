"""Methods compared on objects, blocks or several blocks, in Python as in the shell."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from similearn.data import Pairwise, Sources, as_pairwise
from similearn.data.checks import as_labels, require_integer
from similearn.errors import InputTypeError
from similearn.estimators.shell.parameters import require_list
from similearn.experiments.comparisons.comparison import compare as run_comparison
from similearn.experiments.comparisons.problems import BlockProblem, ObjectsProblem
from similearn.experiments.comparisons.tables import Table, summarize
from similearn.experiments.registry import get_method, on_each
from similearn.experiments.registry import methods as all_methods
from similearn.experiments.things.samples_read import Samples
from similearn.similarities import get_similarity, spelled
from similearn.similarities.shell.choosing import decided
from similearn.upward import report_of


def problem_of(samples: Samples) -> Any:
    """What methods are compared on; a similarity that is learned is learned anew in each split."""
    if samples.learns:
        (similarity,) = samples.compare.values()
        return ObjectsProblem(samples.name, samples.data, samples.labels, similarity)
    return BlockProblem(samples.name, samples.compared(), samples.labels)


def compare(
    X: Any,
    y: Any,
    methods: Sequence[str] | None = None,
    *,
    similarity: Any = None,
    kind: Any = None,
    n_splits: int = 20,
    random_state: int = 0,
    n_jobs: int | None = None,
    name: str = "comparison",
    report: bool | str | Path = False,
) -> Table:
    """Compare methods on samples, as `similearn compare` does, and return the table.

    Parameters
    ----------
    X : a block, a plain matrix or `Sources`; with `similarity`, objects
    y : (n,) labels
    methods : names of `similearn methods`; by default all of them, which takes long
    similarity : name, `Similarity`, or a list of these, optional
        How objects are compared; "auto" chooses by what they are. Of several, each method is
        tried on each, and methods that take several on all of them.
    kind : {"similarity", "dissimilarity"}, optional
        Of a plain matrix; by default its diagonal tells.
    n_splits : random 80/20 splits; parameters are chosen by 10-fold cross-validation in each
    random_state : which splits
    n_jobs : processes, with joblib's meaning
    name : above the table
    report : bool or path
        Also write a page that shows the data, who wins and whether it is luck, as `similearn
        report` does: True writes it to ``NAME.html`` in the working directory.

    Returns
    -------
    Table
        ``print`` shows it; ``rows`` holds numbers, ``to_frame()`` makes a pandas DataFrame.

    Examples
    --------
    >>> import similearn
    >>> names = ["anna", "anne", "hanna", "joanna", "otto", "lotto", "ottone", "tottori"] * 2
    >>> table = similearn.compare(
    ...     names, ["a"] * 4 + ["o"] * 4 + ["a"] * 4 + ["o"] * 4, ["knn"],
    ...     similarity="levenshtein", n_splits=2)
    >>> table.rows[0].method, table.rows[0].error_mean
    ('knn', 0.0)
    """
    _require_sound(n_splits, random_state, report)
    names = None if methods is None else require_list("methods", methods)
    chosen = all_methods() if names is None else [get_method(one) for one in names]
    samples = _samples(X, y, similarity, kind, name)
    problem = problem_of(samples)
    block = getattr(problem, "block", None)
    if isinstance(block, Sources):
        chosen = on_each(chosen, [one for one in block if isinstance(block[one], Pairwise)])
    records = run_comparison(problem, chosen, n_splits=n_splits, seed=random_state, n_jobs=n_jobs)
    if report:
        path = f"{name}.html" if report is True else report
        shown = {"objects": samples.data if samples.compare else None, "title": name}
        report_of(records, path, X=block, y=samples.labels, random_state=random_state, **shown)
    return summarize(records)


def _require_sound(n_splits: Any, random_state: Any, report: Any) -> None:
    """Refuse parameters before anything is compared, which takes long."""
    require_integer("n_splits", n_splits)
    require_integer("random_state", random_state, low=0)
    if not isinstance(report, bool | str | Path):
        raise InputTypeError(f"report={report!r} is neither True, False nor a path.")


def _samples(X: Any, y: Any, similarity: Any, kind: Any, name: str) -> Samples:
    labels = as_labels(y)
    if similarity is None:
        blocks = X if isinstance(X, Pairwise | Sources) else as_pairwise(X, kind=kind)
        return Samples(blocks, labels, None, name)
    given = list(similarity) if isinstance(similarity, list | tuple) else [similarity]
    found = [get_similarity(decided(one, X)[0]) for one in given]
    return Samples(X, labels, None, name, {spelled(one): one for one in found}, "objects")
