"""Neighbours: those that speak against a label, and those that share one weight."""

from typing import Any

import numpy as np

from similearn.data import Pairwise
from similearn.data.stored.whole_searches import all_nearest
from similearn.report.contents.scoring import by_importance
from similearn.report.contents.sheets import Contents, Floats, Indices, Judged, Reasons
from similearn.selection.suspicion import contradicting, is_doubted, least_trusted

MOST_SUSPECTS = 50
MOST_GROUPED = 1500
_TOLD = 8  # nearest samples of each
_ASKED = 5  # nearest samples that may speak against a label


def suspects_of(judged: Judged, block: Pairwise | None) -> list[dict[str, Any]]:
    """Samples whose label is less probable than another, as `suspicious_labels` ranks them."""
    P, truth = judged.probabilities, judged.truth
    if P is None:
        return []
    doubted = doubted_of(judged)
    chosen = least_trusted(P, truth, block, doubted, MOST_SUSPECTS)
    against, asked = contradicting(block, truth, chosen, _ASKED)
    best = P[chosen].argmax(axis=1)
    return [
        {
            "sample": int(i),
            "given": int(truth[i]),
            "proposed": int(best[at]),
            "own": float(P[i, truth[i]]),
            "other": float(P[i, best[at]]),
            "against": [] if against is None else against[at].tolist(),
            "asked": asked,
        }
        for at, i in enumerate(chosen)
    ]


def doubted_of(judged: Judged) -> Indices:
    """Samples whose label is less probable than another; not of classes that no model knows."""
    if judged.probabilities is None:
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero((judged.truth >= 0) & is_doubted(judged.probabilities, judged.truth))


def nearest_of(judged: Judged | None, block: Pairwise | None) -> Reasons | None:
    """The nearest samples of each sample, where the model names no neighbours of its own."""
    if block is None or len(block) < 2:
        return None
    if judged is not None and judged.reasons is not None and judged.reasons.neighbors is not None:
        return None
    k = min(_TOLD, len(block) - 1)
    near, values = all_nearest(block, k, skip_self=True)
    if judged is None or judged.reasons is None:
        return Reasons(near, values, None, {})
    own = judged.reasons
    return Reasons(near, values, None, own.terms, member_weights=own.member_weights)


def groups_of(contents: Contents, block: Pairwise | None) -> dict[int, list[int]]:
    """Groups of neighbours that share one weight, of the most important samples."""
    judged = contents.judged
    if block is None or judged is None or judged.reasons is None:
        return {}
    near, values = judged.reasons.neighbors, judged.reasons.values
    if near is None or values is None or judged.reference_places is None:
        return {}
    found = {}
    for i in by_importance(contents)[:MOST_GROUPED].tolist():
        places = near[i][near[i] >= 0]
        if len(places) < 2 or (judged.reference_places[places] < 0).any():
            continue
        among = block.among(places[None])[0]
        groups = shared_weight_groups(values[i, : len(places)], among, block.large_is_near)
        if len(set(groups)) < len(groups):
            found[i] = groups
    return found


def shared_weight_groups(to_query: Floats, among: Floats, large_is_near: bool) -> list[int]:
    """Group neighbours that are nearer to one another than to the query: they say the same.

    Parameters
    ----------
    to_query : (k,) values of the query to its neighbours
    among : (k, k) values among them
    large_is_near : the sign of near

    Returns
    -------
    k numbers, equal within a group; groups are numbered by their first member

    Notes
    -----
    Every two members of a group are nearer to one another than either is to the query: complete
    linkage, so that no chain of neighbours makes one group of all.
    """
    sign = 1.0 if large_is_near else -1.0
    with np.errstate(invalid="ignore"):
        gain = sign * (among + among.T) / 2 - np.maximum.outer(sign * to_query, sign * to_query)
    gain[np.isnan(gain)] = -np.inf  # what is unknown is far
    np.fill_diagonal(gain, -np.inf)
    k = len(gain)
    groups = list(range(k))
    while k > 1:
        i, j = sorted(divmod(int(gain.argmax()), k))
        if not gain[i, j] > 0:
            break
        least = np.minimum(gain[i], gain[j])  # of the merged group to all others
        gain[i], gain[:, i] = least, least
        gain[j], gain[:, j] = -np.inf, -np.inf
        gain[i, i] = -np.inf
        groups = [i if group == j else group for group in groups]
    first: dict[int, int] = {}
    return [first.setdefault(group, len(first)) for group in groups]
