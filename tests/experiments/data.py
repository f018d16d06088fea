"""A small problem for the runner and the command line."""

import numpy as np

from similearn.data import Pairwise


def small_problem(n=60, n_classes=3, seed=0, kind="similarity"):
    """Similarities of noisy points of a few classes, indefinite by their noise."""
    rng = np.random.default_rng(seed)
    y = np.sort(rng.integers(n_classes, size=n))
    points = np.eye(n_classes)[y] * 2 + rng.normal(size=(n, n_classes))
    D = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    S = np.exp(-D / 2) + 0.1 * rng.normal(size=(n, n))
    values = (S + S.T) / 2 if kind == "similarity" else D
    return Pairwise(values, kind), np.array(["red", "green", "blue", "grey"])[y]
