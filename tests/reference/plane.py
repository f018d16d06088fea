"""Pictures of dissimilarities and judgements of decisions, as their definitions say."""

import numpy as np


def classical_plane(D):
    """Torgerson's scaling by a full eigendecomposition."""
    n = len(D)
    J = np.eye(n) - np.ones((n, n)) / n
    eigenvalues, vectors = np.linalg.eigh(-0.5 * J @ D**2 @ J)
    first = np.argsort(-eigenvalues)[:2]
    return vectors[:, first] * np.sqrt(np.maximum(eigenvalues[first], 0))


def stress(D, plane):
    """Stress-1, the scale found by trying many."""
    n = len(D)
    pairs = [(D[i, j], np.linalg.norm(plane[i] - plane[j])) for i in range(n) for j in range(i)]
    told, drawn = np.array(pairs).T
    scales = np.linspace(0, 4 * told.max() / max(drawn.max(), 1e-12), 200_001)
    squares = told @ told - 2 * scales * (told @ drawn) + scales**2 * (drawn @ drawn)
    return np.sqrt(max(squares.min(), 0) / (told @ told))


def placed_between(to_landmarks, landmarks, k):
    """Weighted means, one sample after the other."""
    placed = []
    for row in to_landmarks:
        near = np.argsort(row, kind="stable")[:k]
        weights = 1 / (row[near] ** 2 + 1e-300)
        placed.append(weights @ landmarks[near] / weights.sum())
    return np.array(placed)


def reliability(confidence, right, n_bins):
    """(count, stated, right) of each bin (low, high] that has samples; zero is in the first."""
    rows = []
    for b in range(n_bins):
        inside = [
            i
            for i, p in enumerate(confidence)
            if b / n_bins < p <= (b + 1) / n_bins or (b == 0 and p == 0)
        ]
        if inside:
            rows.append((len(inside), np.mean(confidence[inside]), np.mean(right[inside])))
    return rows


def error_by_coverage(confidence, right):
    """(coverage, error) for each threshold that a sample has, the highest first."""
    rows = []
    for threshold in sorted(set(confidence), reverse=True):
        decided = confidence >= threshold
        rows.append((decided.mean(), 1 - right[decided].mean()))
    return rows
