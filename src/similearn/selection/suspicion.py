"""Which labels may be wrong: what models say of samples that they have not seen."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from similearn.data import Pairwise, Sources
from similearn.data.checks import number_array, require_integer
from similearn.errors import InputError
from similearn.estimators.shell.columns_out import plain_output
from similearn.estimators.shell.explanation import texts_as_names
from similearn.estimators.shell.labels import class_codes, label_column
from similearn.estimators.transformers.pairwise_similarity import PairwiseSimilarity
from similearn.selection.auto.members import refitted
from similearn.selection.auto.similarity_classifier import SimilarityClassifier
from similearn.selection.candidates import with_few_samples
from similearn.selection.folds import dealt_folds
from similearn.selection.held_out import known_out_of_fold, out_of_fold, response
from similearn.selection.paths import cut

MOST_TOLD = 10
N_AGREEING, AGREEMENT = 10, 0.5
"""How many nearest samples are asked for their agreement, and what it counts beside the margin."""


@dataclass(frozen=True, eq=False)
class SuspiciousLabels:
    """Samples whose label is less probable than another, the most suspicious first.

    Parameters
    ----------
    samples : (r,) positions in the data
    given : (r,) their labels
    proposed : (r,) the labels that are most probable
    given_probability, proposed_probability : (r,) out-of-fold probabilities of both
    against : list of r arrays, positions of those of the nearest samples whose label is
        another than the given one, nearest first; None where nothing says who is near
    against_labels : list of r arrays, their labels
    n_samples : of how many samples
    n_neighbors : how many nearest samples were looked at, for `against`
    ids : (n_samples,) names, or None
    """

    samples: np.ndarray
    given: np.ndarray
    proposed: np.ndarray
    given_probability: np.ndarray
    proposed_probability: np.ndarray
    against: list[np.ndarray] | None
    against_labels: list[np.ndarray] | None
    n_samples: int
    n_neighbors: int
    ids: np.ndarray | None = None

    def __len__(self):
        return len(self.samples)

    def table(self):
        """One dict per sample, in order; ``pandas.DataFrame`` takes the list."""
        rows = []
        for i, sample in enumerate(self.samples):
            row = {
                "sample": self._name(sample),
                "given": self.given[i],
                "proposed": self.proposed[i],
                "given_probability": float(self.given_probability[i]),
                "proposed_probability": float(self.proposed_probability[i]),
            }
            if self.against is not None:
                row["against"] = [self._name(j) for j in self.against[i]]
            rows.append(row)
        return rows

    def __str__(self):
        numbered = " (samples are numbered from 0)" * (self.ids is None and len(self) > 0)
        lines = [f"{len(self)} of {self.n_samples} labels are suspicious{numbered}"]
        for i, row in enumerate(self.table()[:MOST_TOLD]):
            lines.append(
                f"  {row['sample']}: {row['given']} ({row['given_probability']:.2f}), rather "
                f"{row['proposed']} ({row['proposed_probability']:.2f})" + self._told_against(i)
            )
        more = len(self) - MOST_TOLD
        return "\n".join(lines + ([f"  ... and {more} more"] if more > 0 else []))

    def _told_against(self, i):
        if self.against is None:
            return ""
        pairs = zip(self.against[i], self.against_labels[i], strict=True)
        told = ", ".join(f"{self._name(j)} ({label})" for j, label in pairs)
        return (
            f"; {len(self.against[i])} of the {self.n_neighbors} nearest are against: {told}"
            if told
            else ""
        )

    def _name(self, sample):
        return int(sample) if self.ids is None else self.ids[sample]


@plain_output()
def suspicious_labels(model, X, y, *, cv=10, n_neighbors=5, random_state=0):
    """Rank the samples whose given label is improbable for models that did not see them.

    Parameters
    ----------
    model : classifier with ``predict_proba``
        A fitted `PathSearchCV` with ``keep_out_of_fold=True`` has said already what is
        needed; any other is fitted anew to the parts of the data, and not changed.
    X : the labelled samples, as for its ``fit``
    y : (n,) their labels
    cv : int, default=10
        Folds, if the model is fitted anew; every class is dealt out evenly to them.
    n_neighbors : int, default=5
        How many nearest samples are asked whether they speak against a label, if X is a block,
        `Sources` with one, or objects that the model compares; no more than there are.
    random_state : int, default=0
        Deals the folds.

    Returns
    -------
    SuspiciousLabels
        The samples of which another label is more probable than the given one, the most
        suspicious first: those of the lowest margin, which is the probability of the given label
        less that of the best other, plus half the share of the ten nearest samples that
        have the given label, if it is known who is near. Texts without ids are their own names.

    Notes
    -----
    A `SimilarityClassifier` judges best; one that is fitted is not tuned anew for each fold: its
    members and weights stay, and only the members are fitted.

    An out-of-fold probability judges a label by all others but itself, so that a wrong one
    cannot speak for itself. A class with one sample is never held out, so its label is never
    suspicious. Cost: that of cross-validation, or none.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import NeighborsClassifier, suspicious_labels
    >>> points = np.r_[0:1:6j, 3:4:6j]
    >>> y = ["a"] * 6 + ["b"] * 6
    >>> y[2] = "b"  # wrong
    >>> D = abs(points[:, None] - points)
    >>> print(suspicious_labels(NeighborsClassifier(3, kind="dissimilarity"), D, y, n_neighbors=3))
    1 of 12 labels are suspicious (samples are numbered from 0)
      2: b (0.05), rather a (0.95); 3 of the 3 nearest are against: 1 (a), 3 (a), 0 (a)
    """
    known = isinstance(model, BaseEstimator) and is_classifier(model)
    if not known or not hasattr(model, "predict_proba"):
        raise InputError(
            f"{type(model).__name__} has no predict_proba; expected a classifier with "
            "probabilities, such as NeighborsClassifier()."
        )
    samples, y = _samples(model, X, y)
    classes, codes = class_codes(y)
    said = known_out_of_fold(model, y)[0]
    if said is None:
        said = held_out_probabilities(model, samples, y, classes, cv, random_state)
    block, P = _block_of(model, X, y), said.data
    doubted = np.flatnonzero(~said.mask.any(axis=1) & is_doubted(P, codes))
    chosen = least_trusted(P, codes, block, doubted)
    against, k = contradicting(block, codes, chosen, require_integer("n_neighbors", n_neighbors))
    best = P[chosen].argmax(axis=1)
    return SuspiciousLabels(
        samples=chosen,
        given=classes[codes[chosen]],
        proposed=classes[best],
        given_probability=P[chosen, codes[chosen]],
        proposed_probability=P[chosen, best],
        against=against,
        against_labels=None if against is None else [classes[codes[near]] for near in against],
        n_samples=len(y),
        n_neighbors=k,
        ids=block.row_ids if block is not None and block.row_ids is not None else texts_as_names(X),
    )


def is_doubted(probabilities, codes):
    """(n,) whether another class is more probable than that of code `codes[i]`."""
    return probabilities.max(axis=1) > probabilities[np.arange(len(codes)), codes] + 1e-9


def least_trusted(probabilities, codes, block, doubted, most=None):
    """Order the doubted labels, the least trusted first; see `label_trust`.

    Parameters
    ----------
    probabilities, codes : (n, n_classes) out of fold, and (n,) given classes
    block : `Pairwise` of all samples with themselves, or None
    doubted : positions of the samples that are judged
    most : how many are wanted; None is all
    """
    if most is not None and len(doubted) > most:
        # Agreement only adds: who has a larger margin than these have trust comes after them.
        margin = label_trust(probabilities, codes, _nearest(None, doubted, 0), doubted)
        first = doubted[np.argsort(margin, kind="stable")[:most]]
        near = _nearest(block, first, N_AGREEING)
        doubted = doubted[margin <= label_trust(probabilities, codes, near, first).max()]
    trust = label_trust(probabilities, codes, _nearest(block, doubted, N_AGREEING), doubted)
    own = probabilities[doubted, codes[doubted]]
    return doubted[np.lexsort((doubted, own, trust))][:most]


def label_trust(probabilities, codes, near, rows):
    """How far given labels can be trusted: the margin, and the neighbours' agreement.

    Parameters
    ----------
    probabilities : (n, n_classes), out of fold
    codes : (n,) given classes
    near : (len(rows), k), positions of the nearest other samples; k may be zero
    rows : positions of the samples that are judged

    Returns
    -------
    (len(rows),) P(given) - P(best other) + half the share of `near` with the same class
    """
    own = probabilities[rows, codes[rows]]
    others = probabilities[rows].copy()
    others[np.arange(len(rows)), codes[rows]] = -np.inf
    margin = own - others.max(axis=1, initial=-np.inf) if len(rows) else own
    same = codes[near] == codes[rows][:, None]
    return margin + AGREEMENT * (same.mean(axis=1) if near.shape[1] else 0.0)


def _samples(model, X, y):
    """Samples that can be cut, and their labels, one for each."""
    pairwise = get_tags(model).input_tags.pairwise
    uncut = pairwise and (hasattr(X, "iloc") or not hasattr(X, "shape"))
    try:
        samples = number_array("X", X, "a table") if uncut and not isinstance(X, Sources) else X
        shape = tuple(samples.shape) if hasattr(samples, "shape") else (len(samples),)
    except (TypeError, ValueError):
        shape = ()
    square = len(shape) == 2 and shape[0] == shape[1]
    if not shape or (pairwise and not square and not isinstance(X, Sources)):
        clone(model).fit(X, y)  # says what is wrong, better than a cut would
        raise InputError(f"X has the shape {shape}; expected all samples against themselves.")
    return samples, label_column(y, shape[0])


def held_out_probabilities(model, X, y, classes, cv, random_state):
    """Masked array (n, n_classes) by models fitted to the other folds."""
    require_integer("cv", cv, low=2)
    require_integer("random_state", random_state, low=0)
    folds = dealt_folds(y, cv, np.random.default_rng(random_state))
    if not folds:
        raise InputError(
            "Every class in y has one sample, so that no label can be judged by the others. Give "
            "at least one class a second sample."
        )
    pairwise = get_tags(model).input_tags.pairwise
    parts = []
    for train, held_out in folds:
        fitted = fitted_again(model, cut(X, train, train, pairwise=pairwise), y[train])
        parts.append((held_out, response(fitted, cut(X, held_out, train, pairwise=pairwise))))
    return out_of_fold(parts, classes, len(y))


def fitted_again(model: Any, X: Any, y: Any) -> Any:
    """The same model of fewer samples; neighbourhoods are at most as large as these are many."""
    if isinstance(model, SimilarityClassifier) and hasattr(model, "members_"):
        return refitted(model, X, y)
    return with_few_samples(clone(model), len(y)).fit(X, y)


def _block_of(model, X, y):
    """The block of the samples with themselves, if there is one whose kind is known."""
    if isinstance(X, Sources):
        X = next((part for part in X.values() if isinstance(part, Pairwise)), None)
    if X is None or isinstance(X, Pairwise):
        return X if X is not None and X.same_samples else None
    estimator = getattr(model, "best_estimator_", getattr(model, "estimator", model))
    first = estimator.steps[0][1] if isinstance(estimator, Pipeline) else estimator
    compare = getattr(first, "comparison_", first)
    if isinstance(compare, PairwiseSimilarity):  # the samples are objects
        return clone(compare).fit_transform(X, y)
    kind = getattr(first, "kind", None) or getattr(first, "kind_", None)
    if kind is None or not get_tags(model).input_tags.pairwise:
        return None
    return Pairwise(X, kind)


def contradicting(block: Any, codes, chosen, n_neighbors):
    """Nearest samples of other labels of each of the chosen, and how many were looked at."""
    if block is None:
        return None, 0
    near = _nearest(block, chosen, n_neighbors)
    pairs = zip(chosen, near, strict=True)
    return [row[codes[row] != codes[i]] for i, row in pairs], near.shape[1]


def _nearest(block: Any, rows, k):
    """Positions (len(rows), k) of the nearest other samples; none without a block."""
    k = 0 if block is None else min(k, len(block) - 1)
    found = [block.nearest(k, slice(i, i + 1), skip_self=True)[0][0] for i in rows] if k else []
    return np.array(found, dtype=np.intp).reshape(len(rows), k)
