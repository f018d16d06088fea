"""Real AdaBoost.MH (Schapire and Singer 1999) and DBoost's draws of pairs.

Two classes have one label, "is of the second class"; more classes have one label each. With
two labels AdaBoost.MH would keep two opposite copies of the same numbers.
"""

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.pairs.stumps import GRAIN
from similearn.numerics.scores.decide import log_softmax

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def n_labels(n_classes: int) -> int:
    """How many labels AdaBoost.MH keeps weights of."""
    return 1 if n_classes == 2 else n_classes


def marked_labels(codes: Indices, n_classes: int) -> Indices:
    """The label that each sample has, (n,); -1 for the first of two classes."""
    return codes - 1 if n_classes == 2 else codes


def label_weights(
    sums: Floats, marked: Indices, first: Floats | None = None
) -> tuple[Floats, float]:
    """Weights of samples and labels, and the mean exponential loss.

    Parameters
    ----------
    sums : (n, K) of the votes so far
    marked : (n,) the label that each sample has, or -1
    first : (n,) weights of the samples before the first round; all alike if None

    Returns
    -------
    weights : (n, K) proportional to exp(-Y f) times the first weight, in multiples of `GRAIN`,
        summing to about one
    loss : mean of exp(-Y f) over samples and labels
    """
    signs = np.full(sums.shape, -1.0)
    has_one = np.flatnonzero(marked >= 0)
    signs[has_one, marked[has_one]] = 1.0
    exponents = -signs * sums
    peak = exponents.max()
    weights = np.exp(exponents - peak)
    if first is not None:
        weights *= first[:, None]
    total = weights.sum()
    size = weights.size if first is None else first.sum() * weights.shape[1]
    loss = float(np.exp(peak + np.log(total / size)))
    return np.rint(weights / (total * GRAIN)) * GRAIN, loss


def leaf_votes(
    weights: Floats, marked: Indices, reached: Indices, n_leaves: int, smoothing: float
) -> Floats:
    """Confidence of every leaf in every label, ½ ln((W₊ + ε) / (W₋ + ε)), (n_leaves, K).

    The smoothed vote lies between zero and the best one, so it can never raise the loss.
    """
    totals = np.zeros((n_leaves, weights.shape[1]))
    np.add.at(totals, reached, weights)
    plus = np.zeros_like(totals)
    has_one = np.flatnonzero(marked >= 0)
    np.add.at(plus, (reached[has_one], marked[has_one]), weights[has_one, marked[has_one]])
    return 0.5 * np.log((plus + smoothing) / (totals - plus + smoothing))


def uncut_loss(weights: Floats, marked: Indices) -> float:
    """Half of Z without any cut, Σ_l √(W₊W₋)."""
    plus = np.zeros(weights.shape[1])
    has_one = np.flatnonzero(marked >= 0)
    np.add.at(plus, marked[has_one], weights[has_one, marked[has_one]])
    return float(np.sqrt(plus * (weights.sum(axis=0) - plus)).sum())


def draw_pairs(uniforms: Floats, masses: Floats, codes: Indices) -> Indices:
    """Pairs of samples of different classes, both drawn by their masses (Strategy I).

    Parameters
    ----------
    uniforms : (p, 2) in [0, 1)
    masses : (n,) nonnegative, multiples of `GRAIN`
    codes : (n,) classes, at least two

    Returns
    -------
    (p, 2) positions: two independent draws, given that their classes differ. Where only one
    class has any mass, all samples count alike.

    Notes
    -----
    O(n log n + p log n). Assumes checked input.
    """
    order = np.argsort(codes, kind="stable")
    codes, masses = codes[order], masses[order]
    of_class = np.bincount(codes, masses)
    if np.count_nonzero(of_class) < 2:
        masses = np.full(len(codes), 2.0**10 * GRAIN)
        of_class = np.bincount(codes, masses)
    ends = np.cumsum(masses)
    others = ends[-1] - of_class
    first = _positions(np.cumsum(masses * others[codes]), uniforms[:, 0])
    own = codes[first]
    # Skip the class of the first: sums of multiples of GRAIN are exact, so no draw falls into it.
    target = np.floor(uniforms[:, 1] * others[own] / GRAIN) * GRAIN
    before = (np.cumsum(of_class) - of_class)[own]
    target = np.where(target < before, target, target + of_class[own])
    second = np.searchsorted(ends, target, side="right")
    return np.column_stack([order[first], order[second]])


def _positions(ends: Floats, uniforms: Floats) -> Indices:
    """Invert a cumulative distribution that need not be normalized."""
    # A float below one times a float rounds to less than the latter, so no draw is beyond.
    return np.searchsorted(ends, uniforms * ends[-1], side="right").astype(np.intp)


def different_pairs(pairs: Indices) -> Indices:
    """Leave out pairs that repeat an earlier one, also turned round: they cut alike."""
    turned = np.sort(pairs, axis=1)
    keys = turned[:, 0] * (int(turned.max(initial=0)) + 1) + turned[:, 1]
    return pairs[np.sort(np.unique(keys, return_index=True)[1])]


def class_scores(sums: Floats) -> Floats:
    """One score per class, (..., G), from the votes for labels: two classes oppose each other."""
    return np.concatenate([-sums, sums], axis=-1) if sums.shape[-1] == 1 else sums


def log_probabilities(scores: Floats) -> Floats:
    """Logarithms of class probabilities, (..., G), from additive scores.

    The votes that minimize the expected exponential loss are half the log-odds of every
    label, so P(label) = 1 / (1 + exp(-2 f)); over more than two classes these are normalized.
    """
    return log_softmax(-np.logaddexp(0.0, -2.0 * scores))
