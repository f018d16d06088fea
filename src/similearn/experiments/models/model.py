"""A fitted method and what must be known to use it."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from similearn.data import Pairwise
from similearn.errors import InputError
from similearn.estimators import explain
from similearn.experiments.registry import (
    input_of,
    known_method,
)


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
    tables : names of those sources that are tables of features, and of their columns
    kinds : names of those sources that are blocks, and their kinds
    column : the column that objects were read from, where each is one cell of a table
    score : the score of lists of pairs that it was fitted to, where they have several
    validation : one sentence on how good it was on held-out samples; "" if that is not known
    reference_means : (blocks, 2, n) means of the columns and of the rows of each training block,
        by which holes of new samples are filled; None where they are not known
    held_out : (n,) probabilities of the training labels when their samples were held out, NaN of
        those that never were; None where the estimator has them itself, or nobody
    codes : (n,) positions in `classes` of the training labels, for `held_out`
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
    tables: dict[str, list[str]] | None = None
    kinds: dict[str, str] | None = None
    column: str | None = None
    score: str | None = None
    reference_means: Any = field(default=None, compare=False, repr=False)
    held_out: Any = field(default=None, compare=False, repr=False)
    codes: Any = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        from similearn.experiments.things.model_told import told_model

        return told_model(self)

    @property
    def classes_(self) -> Any:
        """(n_classes,) the labels, as of any classifier."""
        return self.estimator.classes_

    @property
    def leaderboard_(self) -> Any:
        """The table of what the default classifier tried; other models have none."""
        last = self._last()
        if not hasattr(last, "leaderboard_"):
            raise AttributeError(
                f"A model of {self.method} has no leaderboard_, which the default makes of the "
                "methods that it tries."
            )
        return last.leaderboard_

    def _last(self) -> Any:
        """The classifier itself, where the estimator is a pipeline."""
        steps = getattr(self.estimator, "steps", None)
        return self.estimator if steps is None else steps[-1][1]

    def predict(self, X: Any) -> Any:
        """Return the labels (m,) of objects, or of a block of queries, whatever the model takes."""
        return self.estimator.predict(prepared(self, X))

    def predict_proba(self, X: Any) -> Any:
        """Return the probabilities (m, n_classes)."""
        return self.estimator.predict_proba(prepared(self, X))

    def predict_set(self, X: Any, coverage: float = 0.9) -> Any:
        """Return which labels (m, n_classes) cannot be ruled out, see `conformal_sets`.

        Raises
        ------
        InputError
            If nothing is known of held-out samples.
        """
        self.known_held_out()  # or it is said before anything is computed
        return self.label_sets(self.predict_proba(X), coverage)

    def label_sets(self, probabilities: Any, coverage: float) -> Any:
        """Return sets of labels (m, n_classes) of samples whose probabilities are known."""
        # Imported here: who asks for labels alone need not wait for it.
        from similearn.estimators.neighbors.conformal import require_coverage
        from similearn.selection.label_sets import sets_by_class

        own, codes = self.known_held_out()
        return sets_by_class(own, codes, probabilities, 1.0 - require_coverage(coverage))

    def known_held_out(self) -> tuple[Any, Any]:
        """What was said of the labels of held-out training samples, and these labels' codes."""
        last = self._last()
        if hasattr(last, "held_out_"):
            return last.held_out_, last.codes_
        if self.held_out is None:
            raise InputError(
                f"A model of {self.method} holds nothing that sets of labels could be made from: "
                "the method has no probabilities, or an older version fitted it. Fit it again, or "
                "fit the default: similearn fit without --method, or SimilarityClassifier."
            )
        return self.held_out, self.codes

    def explain(self, X: Any) -> Any:
        """Return the reasons, an `Explanation` that names neighbours by id or by object."""
        told = explain(self.estimator, prepared(self, X))
        ids = self.training_ids
        return told if ids is None else replace(told, reference_ids=np.asarray(ids))


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
