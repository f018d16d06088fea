"""From any scores to honest probabilities: a temperature, and a floor that never says "never"."""

from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from similearn.numerics.scores.decide import softmax
from similearn.numerics.scores.temperature import inverse_temperature

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

LEAST_SHARE = 1e-4
"""What a share of zero counts as before its logarithm is taken."""
_RANGE = 4.0  # of the inverse temperature around its first estimate, as a natural logarithm
SPREAD = 0.5
"""How far inverse temperatures are from what is expected: standard deviation of the logarithm."""
SMOOTHED_ALREADY = 0.01
"""What is left of the least smoothing where probabilities have been smoothed before."""
AHEAD = 1e-9
"""By what share the decided class is ahead of one that would be more probable."""


class Calibration(NamedTuple):
    """P = (1 - smoothing) softmax(inverse_temperature · evidence) + smoothing · priors."""

    inverse_temperature: float
    smoothing: float

    def probabilities(self, evidence: Floats, priors: Floats) -> Floats:
        """Probabilities (..., G) of evidence (..., G); rows sum to one, none is zero."""
        sharp = _sharpened(self.inverse_temperature, evidence)
        return (1.0 - self.smoothing) * sharp + self.smoothing * priors

    def decided(self, evidence: Floats, priors: Floats, winners: Indices) -> Floats:
        """Probabilities (m, G) in which the decided classes (m,) are the most probable ones.

        Smoothing draws towards frequent classes. Where one of them would overtake the decided
        class, these two, and whatever lies between, share their probability equally: the
        nearest that honest probabilities can come to the decision.
        """
        return led_by(self.probabilities(evidence, priors), winners)


def evidence_of(scores: Floats, *, shares: bool) -> Floats:
    """Scores as finite evidence, of which a multiple is a log-probability up to a constant.

    Shares of votes become logarithms. A class that a learner ruled out, with -inf, counts as
    bad as the worst other class of the row; the smoothing does the rest.
    """
    if shares:
        totals = scores.sum(axis=-1, keepdims=True)
        uniform = np.full_like(scores, 1.0 / scores.shape[-1])
        return np.log(np.divide(scores, totals, out=uniform, where=totals > 0) + LEAST_SHARE)
    known = np.isfinite(scores)
    worst = np.min(scores, axis=-1, keepdims=True, where=known, initial=np.inf)
    return np.where(known, scores, np.where(np.isfinite(worst), worst, 0.0))


def best_calibration(
    evidence: Floats,
    codes: Indices,
    priors: Floats,
    weights: Floats | None = None,
    *,
    natural: bool = False,
    smoothed: bool = False,
    spread: float = np.inf,
) -> Calibration:
    """Find the calibration of least log-loss on samples that the scores were not learned from.

    Parameters
    ----------
    evidence : (n, G), finite
    codes : (n,) true classes
    priors : (G,) shares of the classes
    weights : (n,) how much each sample counts, one on average; all alike if None
    natural : whether the evidence is log-probabilities already, so that the inverse temperature
        is expected to be one; else that of the smoothed likelihood is expected
    smoothed : whether it is of probabilities that were smoothed on the same samples: then a
        hundredth of the least smoothing is enough
    spread : standard deviation of its logarithm around what is expected, as known beforehand.
        Few samples, of which none is decided wrongly, would take any high value for the best.

    Notes
    -----
    For a given temperature the log-likelihood is concave in the smoothing, of whose slope the
    root is found; the temperature is searched around the expected one. The
    smoothing is at least 1 / (n + G): among n samples nobody can have seen that a class is
    rarer than that. O(n G) for each of some 20 temperatures.
    """
    least = (SMOOTHED_ALREADY if smoothed else 1.0) / (len(codes) + len(priors))
    first = 1.0 if natural else inverse_temperature(evidence, codes, weights)
    each = np.ones(len(codes)) if weights is None else weights
    own_priors = priors[codes]

    def loss_and_smoothing(log_factor: float) -> tuple[float, float]:
        sharp = _sharpened(first * np.exp(log_factor), evidence)
        own = sharp[np.arange(len(codes)), codes]
        smoothing = _best_smoothing(own, own_priors, each, least)
        losses = -np.log((1 - smoothing) * own + smoothing * own_priors)
        prior = 0.5 * (log_factor / spread) ** 2
        return (float(each @ losses) + prior) / len(codes), smoothing

    found = scipy.optimize.minimize_scalar(
        lambda t: loss_and_smoothing(t)[0], bounds=(-_RANGE, _RANGE), method="bounded",
        options={"xatol": 1e-2},
    )  # fmt: skip
    best = float(found.x)
    if loss_and_smoothing(0.0)[0] <= loss_and_smoothing(best)[0]:
        best = 0.0
    return Calibration(first * float(np.exp(best)), loss_and_smoothing(best)[1])


def led_by(probabilities: Floats, winners: Indices) -> Floats:
    """Pool classes that are more probable than the decided one with it, as far as is needed.

    Parameters
    ----------
    probabilities : (m, G), rows that sum to one
    winners : (m,) the decided classes

    Returns
    -------
    (m, G). Rows whose decided class led already are as they were. In others the decided class and
    the j most probable ones get their mean, with the least j for which that is not below
    the next one; then the decided class is ahead by a billionth.
    """
    behind = np.flatnonzero(probabilities.argmax(axis=1) != winners)
    if not len(behind):
        return probabilities
    rows, own = probabilities[behind].copy(), winners[behind]
    each = np.arange(len(behind))
    kept = rows[each, own]
    rows[each, own] = np.inf  # the decided class comes first in the order
    order = np.argsort(-rows, axis=1, kind="stable")
    rows[each, own] = kept
    sorted_rows = np.take_along_axis(rows, order, axis=1)
    means = np.cumsum(sorted_rows, axis=1) / np.arange(1, rows.shape[1] + 1)
    next_ones = np.column_stack([sorted_rows[:, 1:], np.full(len(behind), -np.inf)])
    last = (means >= next_ones).argmax(axis=1)
    pooled = np.arange(rows.shape[1]) <= last[:, None]
    np.put_along_axis(rows, order, np.where(pooled, means[each, last][:, None], sorted_rows), 1)
    rows[each, own] *= 1.0 + AHEAD
    out = probabilities.copy()
    out[behind] = rows / rows.sum(axis=1, keepdims=True)
    return out


def _sharpened(a: float, evidence: Floats) -> Floats:
    """Softmax of a times the evidence, also where that overflows."""
    with np.errstate(over="ignore"):
        return softmax(a * (evidence - evidence.max(axis=-1, keepdims=True)))


def _best_smoothing(own: Floats, own_priors: Floats, weights: Floats, least: float) -> float:
    """Maximize Σ wᵢ log((1 - e) pᵢ + e πᵢ) over e in [least, 1], where the slope changes sign."""

    def slope(e: float) -> float:
        return float(weights @ ((own_priors - own) / ((1 - e) * own + e * own_priors)))

    if slope(least) <= 0:
        return least
    if slope(1.0) >= 0:
        return 1.0
    return float(scipy.optimize.brentq(slope, least, 1.0, xtol=1e-9))
