"""The numbers of the first and the fifth page, from what a model said."""

from typing import Any

import numpy as np

from similearn.data import Pairwise
from similearn.data.advice import Finding, has_negatives, rows_tell_more
from similearn.data.diagnosis import Diagnosis
from similearn.estimators.pairs.good_dissimilarity import goodness_findings
from similearn.numerics.scores.judgement import Z95, confusion, wilson_interval
from similearn.report.contents.sheets import Contents, Estimate, Indices, Judged

MOST_CONFUSIONS = 40
MOST_FOR_GOODNESS = 4000
_EPSILON = float(np.finfo(np.float64).eps)


def error_of(judged: Judged) -> Estimate:
    """Share of wrong decisions, with its Wilson interval."""
    wrong = int((~judged.right).sum())
    return Estimate(wrong / len(judged.right), *wilson_interval(wrong, len(judged.right)))


def losses_of(judged: Judged) -> Any:
    """-log P(true class) of each sample, as `similearn.selection.held_out` counts it; or None."""
    if judged.probabilities is None:
        return None
    own = judged.probabilities[np.arange(len(judged.truth)), judged.truth]
    own = np.where(judged.truth < 0, 0.0, own)
    return -np.log(np.clip(own, _EPSILON, 1.0))


def log_loss_of(judged: Judged) -> Estimate | None:
    """Mean log-loss with the interval of the mean."""
    losses = losses_of(judged)
    if losses is None:
        return None
    half = Z95 * float(losses.std()) / np.sqrt(len(losses))
    mean = float(losses.mean())
    return Estimate(mean, max(mean - half, 0.0), mean + half)


def guessing(sizes: Any) -> tuple[float, float, float]:
    """Errors of the largest class and of drawing by class sizes, and their log-loss."""
    shares = np.asarray(sizes, dtype=np.float64)
    shares = shares / shares.sum()
    entropy = float(-(shares * np.log(np.maximum(shares, _EPSILON))).sum())
    return 1.0 - float(shares.max()), 1.0 - float(np.square(shares).sum()), entropy


def largest_confusions(judged: Judged) -> list[tuple[int, int, int]]:
    """(true, decided, count) of wrong decisions, the most frequent first."""
    known = judged.truth >= 0
    counts = confusion(judged.truth[known], judged.decided[known], len(judged.classes))
    np.fill_diagonal(counts, 0)
    true, decided = np.nonzero(counts)
    order = np.argsort(-counts[true, decided], kind="stable")[:MOST_CONFUSIONS]
    return [(int(true[i]), int(decided[i]), int(counts[true[i], decided[i]])) for i in order]


def hardest(judged: Judged, most: int) -> Indices:
    """Samples whose true class was least probable; of wrong decisions without probabilities."""
    losses = losses_of(judged)
    if losses is None:
        return np.flatnonzero(~judged.right)[:most]
    return np.argsort(-losses, kind="stable")[:most]


def by_importance(contents: Contents) -> Indices:
    """Samples: suspicious labels and the hardest ones in turn with random ones."""
    n = len(contents.names)
    drawn = np.random.default_rng(0).permutation(n)
    if contents.judged is None:
        return drawn
    hard = hardest(contents.judged, n)
    first = np.array([suspect["sample"] for suspect in contents.suspicious], dtype=np.intp)
    turns = np.stack([hard, drawn[: len(hard)]], axis=1).ravel() if len(hard) == n else drawn
    mixed = np.concatenate([first, hard if len(hard) < n else turns, drawn])
    _, places = np.unique(mixed, return_index=True)
    return mixed[np.sort(places)]


def goodness_told(block: Pairwise, y: Any) -> list[Finding]:
    """What `inspect` tells of goodness; of random samples, if all pairs are too many.

    Cost: O(m² log m) for m ≤ 4000 samples.
    """
    n = len(block)
    if n <= MOST_FOR_GOODNESS:
        return goodness_findings(block, y)
    some = np.sort(np.random.default_rng(0).permutation(n)[:MOST_FOR_GOODNESS])
    found = goodness_findings(block[np.ix_(some, some)], y[some])
    told = f", estimated from {MOST_FOR_GOODNESS} samples"
    return [finding._replace(value=finding.value + told) for finding in found]


def ranked_findings(diagnosis: Diagnosis, more: list[Finding]) -> list[tuple[str, Finding]]:
    """Findings with a level, the most consequential first; the order of `inspect` within."""
    told = [(_level(f.name, diagnosis), f) for f in diagnosis.findings]
    told += [("fine", finding) for finding in more]
    rank = {"act": 0, "consider": 1, "fine": 2}
    return sorted(told, key=lambda pair: rank[pair[0]])


def _level(name: str, d: Diagnosis) -> str:
    sizes = list((d.class_sizes or {}).values())
    guess = 1 - max(sizes) / d.n if sizes else None
    acts = {
        "Classes": bool(sizes) and (len(sizes) == 1 or min(sizes) == 1),
        "Values": (d.n > 1 and d.minimum == d.maximum)
        or (has_negatives(d) and d.kind != "similarity"),
        "Not nearest to itself": (d.not_nearest_to_itself or 0.0) > 0.9,
        "Error by the nearest sample": guess is not None
        and d.neighbor_error is not None
        and d.neighbor_error >= guess,
    }
    considers = {
        "Samples": d.n < 100 or d.n > 5000,
        "Classes": not sizes or max(sizes) >= 10 * min(sizes),
        "Values": has_negatives(d),
        "Pairs without a value": d.sparsity >= 0.5,
        "Directions that differ": d.asymmetry_max > 0,
        "Not as points in a space": d.negative_mass is None or d.negative_mass >= 0.01,
        "Not nearest to itself": (d.not_nearest_to_itself or 0.0) > 0,
        "Detours that are shorter": (d.violated_triangles or 0.0) >= 0.05,
        "Repeated samples": d.duplicates > 0,
        "Samples near to none": d.isolated > 0,
        "Error by the most alike row": rows_tell_more(d),
    }
    if acts.get(name):
        return "act"
    return "consider" if considers.get(name) else "fine"
