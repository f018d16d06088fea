"""Diagnosis by literal loops over a dense block; slow on purpose."""

from itertools import combinations

import numpy as np


def mean_of_directions(values):
    n = len(values)
    return np.array([[(values[i, j] + values[j, i]) / 2 for j in range(n)] for i in range(n)])


def nearest_other(values, i, large_is_near):
    """The nearest other sample; the first of equally near ones."""
    others = [j for j in range(len(values)) if j != i]
    sign = -1 if large_is_near else 1
    return min(others, key=lambda j: (sign * values[i, j], j))


def neighbor_error(values, labels, large_is_near):
    mean = mean_of_directions(values)
    wrong = [labels[nearest_other(mean, i, large_is_near)] != labels[i] for i in range(len(labels))]
    return sum(wrong) / len(wrong)


def row_error(values, labels):
    n = len(values)
    distances = np.array(
        [
            [sum((values[i, k] - values[j, k]) ** 2 for k in range(n)) for j in range(n)]
            for i in range(n)
        ]
    )
    wrong = [labels[nearest_other(distances, i, False)] != labels[i] for i in range(n)]
    return sum(wrong) / n


def not_nearest_to_itself(values, large_is_near):
    mean = mean_of_directions(values)
    count = 0
    for i in range(len(mean)):
        for j in range(len(mean)):
            if j != i and (mean[i, j] > mean[i, i] if large_is_near else mean[i, j] < mean[i, i]):
                count += 1
                break
    return count / len(mean)


def asymmetry(values):
    n = len(values)
    spread = values.max() - values.min()
    differences = [abs(values[i, j] - values[j, i]) for i in range(n) for j in range(n) if i != j]
    return max(differences) / spread, sum(differences) / len(differences) / spread


def violated_triangles(values, large_is_near):
    mean = mean_of_directions(values)
    D = values.max() - mean if large_is_near else mean
    slack = 1e-6 * (values.max() - values.min())
    violated = [
        D[i, j] > D[i, k] + D[k, j] + slack
        or D[i, k] > D[i, j] + D[j, k] + slack
        or D[j, k] > D[j, i] + D[i, k] + slack
        for i, j, k in combinations(range(len(D)), 3)
    ]
    return sum(violated) / len(violated), len(violated)


def negative_spectrum(values, large_is_near):
    S = mean_of_directions(values)
    if not large_is_near:
        n = len(S)
        J = np.eye(n) - np.ones((n, n)) / n
        S = -0.5 * J @ (S * S) @ J
    eigenvalues = np.linalg.eigvals(S).real
    negative = [e for e in eigenvalues if e < -1e-9 * abs(eigenvalues).max()]
    return len(negative) / len(eigenvalues), -sum(negative) / sum(abs(eigenvalues))


def sparsity(values):
    n = len(values)
    zeros = [values[i, j] == 0 for i in range(n) for j in range(n) if i != j]
    return sum(zeros) / len(zeros)


def isolated(values):
    n = len(values)
    return sum(
        all(values[i, j] == 0 and values[j, i] == 0 for j in range(n) if j != i) for i in range(n)
    )
