"""Which of several classifiers to average, chosen on samples that none of them was fitted to."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

N_FIRST, N_ROUNDS = 5, 15
"""How many of the best are averaged at first, and how often one more is added."""


def greedy_weights(own: Floats, n_first: int = N_FIRST, n_rounds: int = N_ROUNDS) -> Floats:
    """Weights of classifiers by greedy selection with replacement (Caruana et al. 2004).

    The mean of the `n_first` classifiers of lowest log-loss is where the selection begins; then
    that classifier is added, again and again, which lowers the log-loss of the mean most.
    The best mean on the way wins. Beginning with a mean draws the weights together where
    samples are few: one addition moves them by no more than 1 / (n_first + 1).

    Parameters
    ----------
    own : (M, n), the positive probability that each classifier gave to the true class of each
        held-out sample
    n_first, n_rounds : int

    Returns
    -------
    (M,) weights that sum to one. Equal classifiers: the first is preferred.

    Notes
    -----
    Log-loss needs the probability of the true class alone, so the classes do not enter:
    O(n_rounds M n).
    """
    order = np.argsort(-np.log(own).sum(axis=1), kind="stable")[:n_first]
    counts = np.zeros(len(own))
    counts[order] = 1.0
    total = own[order].sum(axis=0)
    best_loss, best = _loss(total / len(order)), counts.copy()
    for _ in range(n_rounds):
        losses = -np.log((total + own) / (counts.sum() + 1.0)).mean(axis=1)
        added = int(losses.argmin())
        counts[added] += 1.0
        total = total + own[added]
        if losses[added] < best_loss:
            best_loss, best = losses[added], counts.copy()
    return best / best.sum()


def _loss(own: Floats) -> float:
    return -float(np.log(own).mean())
