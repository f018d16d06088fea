"""Scores of probabilities: how well they were calibrated and how sharp."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.selection.held_out import mean_log_loss

__all__ = ["brier_score", "mean_log_loss"]

Floats = NDArray[np.float64]


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
