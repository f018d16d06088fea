"""Temperature scaling: scores to probabilities by one number, decisions unchanged."""

import numpy as np
import scipy
from numpy.typing import NDArray

from similearn.numerics.linalg.units import unit_of
from similearn.numerics.scores.decide import softmax

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

SMALLEST, LARGEST = 1e-6, 1e6
"""Bounds of the inverse temperature, relative to the spread of the scores."""


def inverse_temperature(scores: Floats, codes: Indices, weights: Floats | None = None) -> float:
    """Find a > 0 for which softmax(a · scores) describes the classes best.

    Parameters
    ----------
    scores : (n, G) of samples that the scores were not learned from; a class that the
        learner had not seen has -inf
    codes : (n,) their classes; those of score -inf are left out
    weights : (n,) how much each counts, one on average; all alike if None

    Returns
    -------
    The maximizer of the likelihood, after each class received one more observation of
    every sample's kind as in Platt's sigmoid (so that perfect separation does not give
    infinity); one where nothing can be learned.

    Notes
    -----
    The log-likelihood is concave in a, so its slope is bracketed and solved: O(n G) for each
    of some 30 steps. The argmax of a row never changes, which a sigmoid with an intercept
    cannot promise.
    """
    rows = np.arange(len(codes))
    usable = np.isfinite(scores[rows, codes]) if len(codes) else np.zeros(0, dtype=bool)
    scores, codes = scores[usable], codes[usable]
    each = np.ones((len(codes), 1)) if weights is None else weights[usable, None]
    known = np.isfinite(scores)
    centred = np.where(known, scores, 0.0)
    unit = max(unit_of(centred), 1.0)  # sums of the largest numbers would overflow
    centred /= unit
    centred -= (centred.sum(axis=1) / np.maximum(known.sum(axis=1), 1))[:, None]
    centred[~known] = 0.0
    spread = float(np.abs(centred).max(initial=0.0))
    if spread == 0.0:
        return 1.0
    # Platt's targets: a true class short of one by what one more sample of each would weigh.
    smoothing = 1.0 / (len(codes) + scores.shape[1])
    own = (each * centred)[np.arange(len(codes)), codes]
    wanted = np.sum(own * (1.0 - scores.shape[1] * smoothing)) + smoothing * (each * centred).sum()
    shaped = np.where(known, centred / spread, -np.inf)

    def slope(a: float) -> float:
        mean = each * softmax(a * shaped) * np.where(known, centred, 0.0)
        return float(mean.sum() - wanted)

    if slope(SMALLEST) >= 0.0:
        return _over(SMALLEST, spread, unit)
    high = 1.0
    while slope(high) < 0.0 and high < LARGEST:
        high *= 4.0
    if slope(high) < 0.0:
        return _over(high, spread, unit)
    best = float(scipy.optimize.brentq(slope, SMALLEST, high, xtol=1e-12, rtol=1e-12))
    return _over(best, spread, unit)


def _over(a: float, spread: float, unit: float) -> float:
    """Return a / spread, of scores in units, within 1e±300 also where scores are denormal."""
    return min(max(a / max(spread, 1e-300) / unit, 1e-300), 1e300)
