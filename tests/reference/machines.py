"""Kernel and feature machines as their formulas are printed; slow on purpose."""

import numpy as np


def augmented_row(S, s, self_value, method):
    """First n entries of the last column of the modified bordered matrix (JMLR §2.2)."""
    bordered = np.block([[S, s[:, None]], [s[None, :], np.array([[self_value]])]])
    eigenvalues, vectors = np.linalg.eigh(bordered)
    changed = np.maximum(eigenvalues, 0) if method == "clip" else np.abs(eigenvalues)
    return ((vectors * changed) @ vectors.T)[:-1, -1]


def votes(decisions, n_classes):
    """Pairs won and summed decisions of one query; a zero is won by the first of a pair."""
    won, sums = np.zeros(n_classes), np.zeros(n_classes)
    pair = 0
    for g in range(n_classes):
        for h in range(g + 1, n_classes):
            won[h if decisions[pair] > 0 else g] += 1
            sums[h] += decisions[pair]
            sums[g] -= decisions[pair]
            pair += 1
    return won, sums
