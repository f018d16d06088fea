"""Greedy selection with replacement (Caruana et al. 2004), one list at a time."""

import numpy as np


def greedy_weights(own, n_first, n_rounds):
    """`own[m][i]`: probability that member m gave to the true class of sample i."""

    def loss(members):
        return -np.mean([np.log(np.mean([own[m][i] for m in members])) for i in range(len(own[0]))])

    ranked = sorted(range(len(own)), key=lambda m: loss([m]))
    chosen = ranked[:n_first]
    best = list(chosen)
    for _ in range(n_rounds):
        chosen = min(([*chosen, m] for m in range(len(own))), key=loss)
        if loss(chosen) < loss(best):
            best = list(chosen)
    return np.bincount(best, minlength=len(own)) / len(best)
