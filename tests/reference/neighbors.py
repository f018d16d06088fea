"""Nearest neighbours and their votes, as printed; slow on purpose."""

from fractions import Fraction

import numpy as np


def reference_top_k(values, k, largest, skip=None):
    """Columns of the k nearest: a sort by (distance, column)."""
    chosen = []
    for i, row in enumerate(values):
        columns = [j for j in range(len(row)) if skip is None or j != skip[i]]
        columns.sort(key=lambda j: (-row[j] if largest else row[j], j))
        chosen.append(columns[:k])
    return np.array(chosen)


def reference_vote(weights, codes, n_classes):
    """JMLR eq. 9 for one query, ties to the tied class with the nearest member."""
    sums = [sum(w for w, c in zip(weights, codes, strict=True) if c == g) for g in range(n_classes)]
    tied = [g for g in range(n_classes) if np.isclose(sums[g], max(sums), rtol=1e-10, atol=0)]
    return next(c for c in codes if c in tied)


def reference_least_cost(probabilities, costs):
    """JMLR eq. 18 for one query, without ties."""
    n = len(probabilities)
    return int(np.argmin([sum(costs[f][g] * probabilities[g] for g in range(n)) for f in range(n)]))


def nearest_rows(query, rows, k):
    """Positions of the k nearest rows in exact arithmetic; equally near ones in their order."""
    squares = [
        sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(query, row, strict=True))
        for row in rows.tolist()
    ]
    return sorted(range(len(rows)), key=lambda j: (squares[j], j))[:k]
