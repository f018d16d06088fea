"""What is measured of a fitted classifier besides its error, for the evidence of probabilities."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.estimators import NeighborsClassifier
from similearn.experiments.comparisons.problems import Split
from similearn.experiments.comparisons.store import Record
from similearn.experiments.honesty.altered import WrongLabels
from similearn.selection.suspicion import N_AGREEING, held_out_probabilities, label_trust

Floats = NDArray[np.float64]

COVERAGES = (0.8, 0.9, 0.95)


def sets_of_labels(model: NeighborsClassifier, split: Split) -> Record:
    """Conformal sets of all training samples, and of half of them with the other half held back.

    Returns
    -------
    for each coverage and class: test samples, true labels that a set holds, by the default and
    with ties counted by a random share; sums of the sizes of sets, of all and of split conformal
    prediction, and the true labels that the latter hold
    """
    codes = np.searchsorted(model.classes_, split.y_test)
    known = model.classes_[np.minimum(codes, len(model.classes_) - 1)] == split.y_test
    rows, codes, n_classes = np.flatnonzero(known), codes[known], len(model.classes_)
    block = split.test[np.ix_(rows, np.arange(split.test.shape[1]))]
    told = {
        "whole": model.conformal_p_values(block),
        "smoothed": model.conformal_p_values(block, ties="smoothed", random_state=0),
        "split": _split_p_values(model, split, block),
    }
    own = np.arange(len(codes)), codes
    found = []
    for coverage in COVERAGES:
        row: Record = {"coverage": coverage}
        for name, p_values in told.items():
            sets = p_values > 1.0 - coverage + 1e-12
            row[name] = np.bincount(codes, sets[own], minlength=n_classes).astype(int).tolist()
            row[f"{name}_size"] = int(sets.sum())
        found.append(row)
    return {"sets": found, "tested": np.bincount(codes, minlength=n_classes).tolist()}


def _split_p_values(model: NeighborsClassifier, split: Split, block: Any) -> Floats:
    """Split conformal prediction with the same strangeness: half the samples are held back.

    Where a half has no sample of a class, nothing is known of it, and it is never ruled out.
    """
    y = np.asarray(split.y_train)
    order = np.random.default_rng(0).permutation(len(y))
    half = np.sort(order[: len(y) // 2])
    rest = np.setdiff1d(np.arange(len(y)), half)
    k = min(model.n_neighbors, len(half))
    first = NeighborsClassifier(k, kind=split.train.kind, calibration="none")
    p_values = np.ones((len(block), len(model.classes_)))
    if len(np.unique(y[half])) < 2:
        return p_values
    first.fit(split.train[np.ix_(half, half)], y[half])
    known = first.conformal_p_values(split.train[np.ix_(rest, half)])
    new = first.conformal_p_values(block[np.ix_(np.arange(len(block)), half)])
    for column, label in enumerate(first.classes_):
        members = known[y[rest] == label, column]
        stranger = (members[None, :] <= new[:, [column]]).sum(axis=1)
        place = np.searchsorted(model.classes_, label)
        p_values[:, place] = (1 + stranger) / (1 + len(members))
    return p_values


def wrong_labels(model: Any, split: WrongLabels) -> Record:
    """How many wrong labels are first in several rankings of the training samples.

    Returns
    -------
    for each ranking, wrong labels among as many first ones as there are wrong ones, and among twice
    as many; of samples that are ranked alike, a share
    """
    y, rows = np.asarray(split.y_train), np.arange(len(split.y_train))
    wrong = y != split.truth
    classes, codes = np.unique(y, return_inverse=True)
    said = held_out_probabilities(model, split.train, y, classes, 10, 0).data
    near = split.train.nearest(N_AGREEING, skip_self=True)[0]
    own = said[rows, codes]
    rankings = {
        "similearn": label_trust(said, codes, near, rows),
        "cleanlab, self-confidence": own,
        "cleanlab, normalized margin": label_trust(said, codes, near[:, :0], rows),
        "k-NN disagreement": (codes[near] == codes[:, None]).mean(axis=1),
    }
    n_wrong = int(wrong.sum())
    found = {
        name: [round(expected_hits(trust, wrong, n), 4) for n in (n_wrong, 2 * n_wrong)]
        for name, trust in rankings.items()
    }
    return {"found": found, "n_wrong": n_wrong}


def expected_hits(trust: Floats, wrong: NDArray[np.bool_], n: int) -> float:
    """Wrong labels among the n least trusted; of those at the border, their share counts."""
    border = np.sort(trust)[n - 1]
    below, at = trust < border, trust == border
    return float(wrong[below].sum() + (n - below.sum()) * wrong[at].mean())
