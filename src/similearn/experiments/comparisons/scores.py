"""Scores of probabilities: how well they were calibrated and how sharp."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def mean_log_loss(
    probabilities: Floats | None, classes: NDArray[Any], y: NDArray[Any]
) -> float | None:
    """Mean of -log P(true class); None without probabilities.

    Probabilities below the machine epsilon count as the epsilon, as in scikit-learn, so
    that a method that rules out the truth, or has never seen that class, pays 36 for it
    rather than infinity.
    """
    if probabilities is None:
        return None
    of_truth = (probabilities * _truth(classes, y)).sum(axis=1)
    return float(-np.log(np.clip(of_truth, np.finfo(np.float64).eps, 1.0)).mean())


def brier_score(
    probabilities: Floats | None, classes: NDArray[Any], y: NDArray[Any]
) -> float | None:
    """Mean of Σ_g (P(g) - [g is true])², between 0 and 2; None without probabilities."""
    if probabilities is None:
        return None
    truth = _truth(classes, y)
    unseen = 1.0 - truth.sum(axis=1)  # a class that was not there to be learned is missed
    return float((((probabilities - truth) ** 2).sum(axis=1) + unseen).mean())


def _truth(classes: NDArray[Any], y: NDArray[Any]) -> Floats:
    """(m, G) indicators of the true class; zero rows for classes never seen."""
    return (np.asarray(y)[:, None] == classes[None]).astype(np.float64)
