"""What `explain` returns: the neighbours, their weights and the terms of a decision."""

import sys
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from similearn.errors import InputError
from similearn.upward import Shown

LONGEST_NAME = 40
"""Letters of an object that stands for itself."""


@dataclass(frozen=True, eq=False)
class Explanation(Shown):
    """Why each of m queries got its label.

    Parameters
    ----------
    classes : (n_classes,) labels
    scores : (m, n_classes), the scores that decide
    decisions : (m,) labels
    neighbors : (m, k), positions among the training samples, nearest first, or None
    values : (m, k), the similarities or dissimilarities to them
    labels : (m, k), their labels
    weights : (m, k), what each contributes to the score of its class
    terms : mapping of names to (m, n_classes) arrays, the parts of the scores
    row_ids, reference_ids : names of the queries and of the training samples, if known
    notes : sentences on what was done to the data before, such as a conversion
    """

    classes: np.ndarray
    scores: np.ndarray
    decisions: np.ndarray
    neighbors: np.ndarray | None = None
    values: np.ndarray | None = None
    labels: np.ndarray | None = None
    weights: np.ndarray | None = None
    terms: dict[str, Any] = field(default_factory=dict)
    row_ids: np.ndarray | None = None
    reference_ids: np.ndarray | None = None
    notes: tuple[str, ...] = ()

    def __len__(self):
        return len(self.decisions)

    def __str__(self):
        shown = [self.tell(i) for i in range(min(len(self), 3))]
        more = len(self) - len(shown)
        return "\n\n".join(
            [*shown, *([f"... and {more} more queries"] if more else []), *self.notes]
        )

    def tell(self, i):
        """Return a readable account of query `i`."""
        name = i if self.row_ids is None else self.row_ids[i]
        lines = [f"query {name}: {self.decisions[i]}"]
        order = np.argsort(-self.scores[i], kind="stable")[:5]
        lines += [f"  score of {self.classes[g]}: {self.scores[i, g]:.4g}" for g in order]
        lines += [
            f"  {term} of {self.classes[g]}: {values[i, g]:.4g}"
            for term, values in self.terms.items()
            for g in order
        ]
        if self.neighbors is not None:
            lines += [self._neighbor_line(i, j) for j in range(self.neighbors.shape[1])]
        return "\n".join(lines)

    def _neighbor_line(self, i, j):
        position = self.neighbors[i, j]
        name = position if self.reference_ids is None else self.reference_ids[position]
        return (
            f"  neighbour {name} ({self.labels[i, j]}): value {self.values[i, j]:.4g}, "
            f"weight {self.weights[i, j]:.4g}"
        )


def can_explain(model):
    """Whether `explain` has a reason to give for this model, fitted or not."""
    if hasattr(model, "best_estimator_"):
        return can_explain(model.best_estimator_)
    if is_pipeline(model):
        return bool(model.steps) and can_explain(model.steps[-1][1])
    return hasattr(model, "explain")


def explain(model, X):
    """Tell why a fitted model classifies each query as it does.

    Parameters
    ----------
    model : a classifier of similearn, a Pipeline that ends in one, or a search over either
    X : what the model's ``predict`` takes

    Returns
    -------
    Explanation
        Positions of neighbours are those of the training samples, as everywhere. They are told by
        their ids; where texts are compared, by these.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from similearn import NeighborsClassifier, PairwiseSimilarity, explain
    >>> model = make_pipeline(PairwiseSimilarity("levenshtein"), NeighborsClassifier(1))
    >>> model = model.fit(["cat", "hat", "dog"], ["animal", "thing", "animal"])
    >>> print(explain(model, ["fog"]))
    query fog: animal
      score of animal: 1
      score of thing: 0
      neighbour dog (animal): value 1, weight 1
    """
    if not can_explain(model):
        raise InputError(
            f"{type(model).__name__} cannot explain; expected a classifier of similearn, a "
            "Pipeline that ends in one, or a search over either that was fitted with refit."
        )
    if hasattr(model, "best_estimator_"):
        return explain(model.best_estimator_, X)
    if not is_pipeline(model):
        return model.explain(X)
    before = model[:-1].transform(X) if len(model) > 1 else X
    told = explain(model.steps[-1][1], before)
    return named_by_texts(told, X, model.steps[0][1])


def named_by_texts(told, X, compared):
    """Name queries and training samples by the texts that they are, where they have no ids.

    Parameters
    ----------
    told : Explanation
    X : the queries, objects of any kind
    compared : a fitted `PairwiseSimilarity`, or anything else, which names nothing
    """
    references = getattr(compared, "references_", None)
    if told.reference_ids is None:
        told = replace(told, reference_ids=texts_as_names(references))
    if told.row_ids is None and references is not None:
        told = replace(told, row_ids=texts_as_names(X))
    return told


def texts_as_names(objects):
    """Texts, shortened, as names (n,) of the samples that they are; None of other objects."""
    if not _are_texts(objects):
        return None
    return np.array([t if len(t) <= LONGEST_NAME else f"{t[:LONGEST_NAME]}…" for t in objects])


def _are_texts(objects):
    if getattr(objects, "ndim", None) == 1:  # an array, or a column of a frame
        objects = np.asarray(objects)
        return objects.dtype.kind == "U" or all(isinstance(one, str) for one in objects.tolist())
    return isinstance(objects, list) and all(isinstance(one, str) for one in objects)


def is_pipeline(value):
    """Whether this is a scikit-learn Pipeline; there is none before its module is imported."""
    module = sys.modules.get("sklearn.pipeline")
    return module is not None and isinstance(value, module.Pipeline)
