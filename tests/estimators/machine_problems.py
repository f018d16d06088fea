"""Problems for the kernel and feature machines."""

import numpy as np

from similearn import Pairwise


def labelled_block(n=60, n_classes=2, *, seed=0, spectrum="indefinite", asymmetric=False):
    """A square block of similarities and labels that they tell something about."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    points = rng.standard_normal((n, 3)) + 1.2 * codes[:, None]
    if spectrum == "psd":
        S = points @ points.T
    else:
        distances = np.abs(points[:, None] - points).max(axis=2)
        S = 1.0 - distances / 6.0
    if asymmetric:
        S = S + 0.1 * rng.standard_normal((n, n))
    return S, codes


def split_block(S, y, n_train, *, kind="similarity"):
    """Training block and labels, query block and labels."""
    block = Pairwise(S, kind)
    train, test = np.arange(n_train), np.arange(n_train, len(S))
    return block[np.ix_(train, train)], y[train], block[np.ix_(test, train)], y[test]
