"""Full conformal prediction by nearest neighbours, taken literally; slow on purpose."""

import numpy as np


def reference_strangeness(i, g, D, codes, k):
    """Strangeness of sample i as a member of class g, among all other samples."""
    rest = [j for j in range(len(codes)) if j != i]
    same = sorted(D[i][j] for j in rest if codes[j] == g)[:k]
    other = sorted(D[i][j] for j in rest if codes[j] != g)[:k]
    a, b = np.mean(same), np.mean(other)
    return 0.0 if abs(a) + abs(b) == 0 else (a - b) / (abs(a) + abs(b))


def reference_p_values(D, queries, codes, k, share=1.0):
    """Put each query into each class, judge all members anew, and count.

    `D` (n, n) and `queries` (m, n) are dissimilarities, both directions averaged; `share` is
    how much of each tie counts.
    """
    n, n_classes = len(codes), max(codes) + 1
    p_values = np.empty((len(queries), n_classes))
    for q, row in enumerate(queries):
        whole = np.zeros((n + 1, n + 1))
        whole[:n, :n], whole[n, :n], whole[:n, n] = D, row, row
        for g in range(n_classes):
            labels = [*codes, g]
            members = [i for i in range(n + 1) if labels[i] == g]
            told = np.array([reference_strangeness(i, g, whole, labels, k) for i in members])
            above = np.sum(told > told[-1] + 1e-12)
            tied = np.sum(np.abs(told - told[-1]) <= 1e-12)  # the query itself among them
            p_values[q, g] = (above + share * tied) / len(members)
    return p_values
