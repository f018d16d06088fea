"""From weights to class scores, from scores to probabilities and decisions."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

TIE_BONUS = 2.0**-40
"""What the nearest neighbour's class gains in a tie, relative to the scores of the row."""

SCORE_BOUND = 1e300
"""The largest magnitude of a score that users see: that of an impossible class is minus this."""


def weighted_votes(weights: Floats, codes: Indices, n_classes: int, ks: Indices) -> Floats:
    """Class shares of the k nearest neighbours, for every k in `ks` (JMLR eq. 9).

    Parameters
    ----------
    weights : (m, K), nonnegative, nearest first
    codes : (m, K), classes of the neighbours
    n_classes : int
    ks : (r,), each at most K

    Returns
    -------
    (m, r, n_classes). Shares of the total weight, ties broken; where the k weights are
    all zero, nobody votes and every share is zero.

    Notes
    -----
    Running sums serve every k: O(m (K + r G)). Assumes checked input.
    """
    sums = running_class_sums(weights, codes, n_classes, ks)
    totals = sums.sum(axis=2, keepdims=True)
    shares = np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)
    return break_ties(shares, codes, ks)


def running_class_sums(weights: Floats, codes: Indices, n_classes: int, ks: Indices) -> Floats:
    """Sum of the first k weights of each class, (m, r, n_classes), for every k in `ks`."""
    m = len(weights)
    sums = np.empty((m, len(ks), n_classes))
    running, places, done = np.zeros(m * n_classes), _places(codes, n_classes), 0
    for position in np.argsort(ks):
        part = slice(done, ks[position])
        np.add.at(running, places[:, part], weights[:, part])  # one after the other
        done = ks[position]
        sums[:, position] = running.reshape(m, n_classes)
    return sums


def break_ties(scores: Floats, codes: Indices, ks: Indices) -> Floats:
    """Give a tie to the class whose nearest member is nearest; changes `scores` in place.

    Class g gains `TIE_BONUS` times the largest score of the row, divided by the rank of
    its nearest member among the k neighbours: too little to matter, enough to decide.
    One rule then serves predictions, decision scores and probabilities alike.

    Parameters
    ----------
    scores : (m, r, n_classes)
    codes : (m, K), classes of the neighbours, nearest first
    ks : (r,)
    """
    m, _, n_classes = scores.shape
    first, count = np.full(m * n_classes, np.inf), codes.shape[1]
    # Of several members of a class the nearest is written last.
    first[_places(codes, n_classes)[:, ::-1]] = np.arange(count - 1.0, -1.0, -1.0)
    first = first.reshape(m, 1, n_classes)
    bonus = TIE_BONUS * np.abs(scores).max(axis=2, keepdims=True)
    scores += np.where(first < ks[:, None], bonus / (1 + first), 0.0)
    return scores


def _places(codes: Indices, n_classes: int) -> Indices:
    """Flat positions (m, K) of each query's neighbours in an array of (m, n_classes)."""
    return np.arange(0, len(codes) * n_classes, n_classes)[:, None] + codes


def bounded(scores: Floats) -> Floats:
    """Scores within `SCORE_BOUND`, so that their differences and sums are finite."""
    return np.clip(scores, -SCORE_BOUND, SCORE_BOUND)


def normalized(scores: Floats) -> Floats:
    """Nonnegative scores to probabilities: shares of the row's total; all-zero rows uniform."""
    totals = scores.sum(axis=-1, keepdims=True)
    uniform = np.full_like(scores, 1.0 / scores.shape[-1])
    return np.divide(scores, totals, out=uniform, where=totals > 0)


def projected(scores: Floats) -> Floats:
    """Any scores to probabilities: the nearest point of the simplex, max(score - t, 0).

    Order is kept. Where scores estimate class indicators, the projection is at least as near
    to the true indicator as they are, whatever it is, since that lies in the simplex too.
    O(m G log G).
    """
    # Adding a constant to a row does not move its projection: the largest becomes zero.
    moved = scores - scores.max(axis=-1, keepdims=True)
    falling = np.sort(moved, axis=-1)[..., ::-1]
    levels = (np.cumsum(falling, axis=-1) - 1) / np.arange(1, scores.shape[-1] + 1)
    # Levels rise as long as the next score is above them, and fall ever after.
    level = levels.max(axis=-1, keepdims=True)
    return normalized(np.maximum(moved - level, 0.0))


def softmax(log_scores: Floats) -> Floats:
    """Log-scores to probabilities; a row of -inf alone becomes uniform."""
    return normalized(np.exp(_below_peak(log_scores)))


def log_softmax(log_scores: Floats) -> Floats:
    """Log-scores to log-probabilities, without underflow; a row of -inf alone becomes uniform."""
    shifted = _below_peak(log_scores)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def _below_peak(log_scores: Floats) -> Floats:
    """Log-scores less the largest of their row; zeros for a row of -inf alone."""
    peak = log_scores.max(axis=-1, keepdims=True)
    impossible = np.isneginf(peak)
    with np.errstate(over="ignore"):  # a difference of -inf is as good as any far one
        return np.where(impossible, 0.0, log_scores) - np.where(impossible, 0.0, peak)


def least_cost(probabilities: Floats, costs: Floats, scores: Floats) -> Indices:
    """Class of least expected cost, ``argmin_f Σ_g C(f, g) P(g)`` (JMLR eq. 18).

    Parameters
    ----------
    probabilities : (m, n_classes)
    costs : (n_classes, n_classes), ``costs[f, g]`` of deciding f where g is true
    scores : (m, n_classes). Among classes of equal cost the higher score wins.
    """
    expected = probabilities @ costs.T
    cheapest = expected.min(axis=1, keepdims=True)
    slack = 1e-12 * np.abs(costs).max(initial=0.0)
    return np.where(expected <= cheapest + slack, scores, -np.inf).argmax(axis=1)
