"""What a model says of labelled samples that it had not seen, and why."""

from typing import Any

import numpy as np
from sklearn.utils import get_tags

from similearn.data import Pairwise, Sources
from similearn.errors import InputError
from similearn.estimators import explain
from similearn.estimators.probabilities.answers import labels_and_probabilities
from similearn.estimators.shell.explanation import can_explain
from similearn.report.contents.model_facts import fitted_part, knows_these, last_step
from similearn.report.contents.sheets import Floats, Indices, Judged, Reasons
from similearn.selection.auto.reasons import LEAST_SHARE
from similearn.selection.folds import dealt_folds
from similearn.selection.held_out import out_of_fold
from similearn.selection.paths import cut
from similearn.selection.suspicion import fitted_again
from similearn.similarities.shell.objects import count

MOST_NEIGHBORS = 10
"""Neighbours that are told of each sample: those of the largest weight."""
_ROWS_AT_ONCE = 500
_MANY = 2000  # samples from which on three folds are enough


def judged_samples(model: Any, X: Any, y: Any, names: list[str], seed: int = 0) -> Judged:
    """Judge a fitted model on labelled samples.

    Parameters
    ----------
    model : fitted classifier, or search
    X, y : labelled samples: those that it was fitted to, or others, as its ``predict`` takes them
    names : of the samples

    Notes
    -----
    Samples that the model was fitted to are held out by folds: a model with the same parameters
    is fitted to the others, so that nothing speaks for itself.
    """
    if knows_these(model, X, len(y)):
        return _held_out(model, X, np.asarray(y), names, seed)
    return _as_queries(model, X, np.asarray(y))


def _held_out(model: Any, X: Any, y: Any, names: list[str], seed: int) -> Judged:
    model = fitted_part(model)
    classes = np.unique(y)
    n_folds = 5 if len(y) <= _MANY else 3
    folds = dealt_folds(y, n_folds, np.random.default_rng(seed))
    if not folds:
        raise InputError(
            "Every class in y has one sample, so that none can be held out; expected at least "
            "one class of two."
        )
    pairwise = get_tags(model).input_tags.pairwise or isinstance(X, Sources)
    parts, decided = [], np.full(len(y), -1, dtype=np.intp)
    reasons: list[tuple[Indices, Reasons]] = []
    for train, held_out in folds:
        fitted = fitted_again(model, cut(X, train, train, pairwise=pairwise), y[train])
        queries = cut(X, held_out, train, pairwise=pairwise)
        decided[held_out] = np.searchsorted(classes, fitted.predict(queries))
        if hasattr(fitted, "predict_proba"):
            shares = np.asarray(fitted.predict_proba(queries))
            parts.append((held_out, (fitted.classes_, shares, True)))
        if can_explain(fitted):
            reasons.append((held_out, _reasons(fitted, queries, train)))
    said = out_of_fold(parts, classes, len(y)) if parts else None
    truth = np.searchsorted(classes, y)
    alone = decided < 0  # of classes of one sample, which no fold held out
    decided[alone] = truth[alone]
    how = (
        f"Every sample was held out once: {len(folds)} models with the same parameters were fitted "
        "to the others, and said this of it."
    )
    if alone.any():
        count = int(alone.sum())
        told = "sample, alone in its class," if count == 1 else "samples, alone in their classes,"
        how += f" {count} {told} could not be held out."
    return Judged(
        classes=classes,
        truth=truth,
        decided=decided,
        probabilities=None if said is None else np.asarray(said.data),
        how=how,
        reasons=_joined(reasons, len(y), len(classes)) if reasons else None,
        reference_names=names,
        reference_codes=truth,
        reference_places=np.arange(len(y)),
    )


def _as_queries(model: Any, X: Any, y: Any) -> Judged:
    classes = np.asarray(model.classes_)
    truth = np.searchsorted(classes, y)
    truth = np.where(classes[np.minimum(truth, len(classes) - 1)] == y, truth, -1)
    labels, said = labels_and_probabilities(model, X)
    last = last_step(model)
    codes, ids = getattr(last, "codes_", None), getattr(last, "reference_ids_", None)
    count = 0 if codes is None else len(codes)
    explained = can_explain(model) and codes is not None
    return Judged(
        classes=classes,
        truth=truth,
        decided=np.searchsorted(classes, labels),
        probabilities=None if said is None else np.asarray(said),
        how=f"These samples are new to the model.{_told_unknown(y[truth < 0])}",
        reasons=_reasons(model, X, np.arange(count)) if explained else None,
        reference_names=[str(i) for i in (range(count) if ids is None else ids)],
        reference_codes=codes,
        reference_places=np.full(count, -1),
    )


def _told_unknown(labels: Any) -> str:
    """A sentence on labels that a model does not know; empty without them."""
    if not len(labels):
        return ""
    known = np.unique(labels)
    told = ", ".join(str(label) for label in known[:5].tolist())
    return (
        f" It does not know the classes of {len(labels)} of them, and so errs on these: {told}"
        f"{' and others' if len(known) > 5 else ''}."
    )


def _reasons(model: Any, queries: Any, references: Indices) -> Reasons:
    """Explanations of all queries, some rows at once; neighbours by their places in the data."""
    n = count(queries)
    found = [
        _told(explain(model, _rows(queries, slice(start, start + _ROWS_AT_ONCE))), references)
        for start in range(0, n, _ROWS_AT_ONCE)
    ]
    return _stacked(found)


def _rows(queries: Any, rows: slice) -> Any:
    if isinstance(queries, (Pairwise, Sources)):
        m, n = queries.shape
        return queries[np.ix_(np.arange(m)[rows], np.arange(n))]
    return queries.iloc[rows] if hasattr(queries, "iloc") else queries[rows]


def _told(explanation: Any, references: Indices) -> Reasons:
    terms = {
        name: np.asarray(values, dtype=np.float64)
        for name, values in explanation.terms.items()
        if np.shape(values) == explanation.scores.shape and np.asarray(values).dtype.kind in "fiu"
    }
    members = dict(getattr(explanation, "member_weights", {}))
    if explanation.neighbors is None:
        return Reasons(None, None, None, terms, member_weights=members)
    weights = np.asarray(explanation.weights, dtype=np.float64)
    k = min(MOST_NEIGHBORS, weights.shape[1])
    heavy = np.argsort(-np.abs(weights), axis=1, kind="stable")[:, :k]
    heavy = heavy if members else np.sort(heavy, axis=1)

    def take(table: Any) -> Any:
        return np.take_along_axis(np.asarray(table), heavy, axis=1)

    parts = getattr(explanation, "contributions", {})
    near, weights = references[take(explanation.neighbors)], take(weights)
    if members:  # samples that no member asked fill the table up: they say nothing
        near = np.where((weights < LEAST_SHARE) & weights.any(axis=1, keepdims=True), -1, near)
    return Reasons(
        neighbors=near,
        values=take(explanation.values),
        weights=weights,
        terms=terms,
        parts={name: take(part) for name, part in parts.items()},
        member_weights=members,
    )


def _stacked(found: list[Reasons]) -> Reasons:
    first = found[0]

    def join(name: str) -> Any:
        return (
            None if first.neighbors is None else np.concatenate([getattr(f, name) for f in found])
        )

    return Reasons(
        neighbors=join("neighbors"),
        values=join("values"),
        weights=join("weights"),
        terms={name: np.concatenate([f.terms[name] for f in found]) for name in first.terms},
        parts={name: np.concatenate([f.parts[name] for f in found]) for name in first.parts},
        member_weights=first.member_weights,
    )


def _joined(found: list[tuple[Indices, Reasons]], n: int, n_classes: int) -> Reasons:
    """Reasons of all samples from those of the folds, whose neighbourhoods may differ in size."""
    shared = set.intersection(*(set(r.terms) for _, r in found))
    terms = {name: np.zeros((n, n_classes)) for name in found[0][1].terms if name in shared}
    width = max(0 if r.neighbors is None else r.neighbors.shape[1] for _, r in found)
    near = np.full((n, width), -1, dtype=np.intp)
    values, weights = np.zeros((n, width)), np.zeros((n, width))
    parts: dict[str, Floats] = {name: np.zeros((n, width)) for name in found[0][1].parts}
    for rows, reasons in found:
        for name, term in terms.items():
            if reasons.terms[name].shape[1] == n_classes:
                term[rows] = reasons.terms[name]
        if reasons.neighbors is None or reasons.values is None or reasons.weights is None:
            continue
        k = reasons.neighbors.shape[1]
        near[rows, :k], values[rows, :k] = reasons.neighbors, reasons.values
        weights[rows, :k] = reasons.weights
        for name, part in parts.items():
            part[rows, :k] = reasons.parts[name]
    members = found[0][1].member_weights
    if not width:
        return Reasons(None, None, None, terms, member_weights=members)
    return Reasons(near, values, weights, terms, parts, members)
