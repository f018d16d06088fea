"""Weights of several classifiers in a mean of their probabilities, from held-out samples."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PRIOR_SAMPLES = 1.0
"""How many samples the equal weights are worth that one begins with."""
_MOST_STEPS = 500
_TOLERANCE = 1e-6


def mixture_weights(
    own: Floats, prior_samples: float = PRIOR_SAMPLES, counts: Floats | None = None
) -> Floats:
    """Weights of classifiers whose weighted mean has the least log-loss on held-out samples.

    Parameters
    ----------
    own : (M, n), the positive probability that each classifier gave to the true class of each
        held-out sample
    prior_samples : t, samples that speak for equal weights: the fewer there are in truth, the
        nearer the weights are to those of the plain mean
    counts : (n,) how much each sample counts, one on average; all alike if None

    Returns
    -------
    (M,) weights, all positive, that sum to one

    Notes
    -----
    Maximizes Σᵢ cᵢ log Σ_m w_m own_mi + (t / M) Σ_m log w_m, which is concave, by the steps of the
    EM algorithm for the proportions of a mixture; greedy selection with replacement (Caruana et
    al. 2004) goes towards the same maximum without the second term. Log-loss needs the
    probability of the true class alone, so the classes do not enter: O(M n) for each of at most
    500 steps. Equal classifiers get equal weights, whatever their order.
    """
    n_members, n = own.shape
    own = own / own.max(axis=0)
    weights, counts = np.full(n_members, 1.0 / n_members), np.ones(n) if counts is None else counts
    for _ in range(_MOST_STEPS):
        shares = weights * (own @ (counts / (weights @ own)))
        new = (shares + prior_samples / n_members) / (n + prior_samples)
        moved = np.abs(new - weights).max()
        weights = new / new.sum()
        if moved < _TOLERANCE:
            break
    return weights
