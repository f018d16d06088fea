"""Small neighbour problems of every kind that the weights must survive."""

import numpy as np

KINDS = ("psd", "indefinite", "singular", "constant", "zero", "duplicated", "negative", "large")


def local_problems(kind, m, k, seed=0):
    """Blocks (m, k, k) and similarities to the query (m, k), nearest first."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((m, k, k))
    low = A[:, :, : max(1, k // 3)]
    copies = np.arange(k) // 3
    S = {
        "psd": A @ A.swapaxes(1, 2),
        "indefinite": A + A.swapaxes(1, 2),
        "singular": low @ low.swapaxes(1, 2),
        "constant": np.ones((m, k, k)),
        "zero": np.zeros((m, k, k)),
        "duplicated": (A @ A.swapaxes(1, 2))[:, copies][:, :, copies],
        "negative": -A @ A.swapaxes(1, 2),
        "large": 1e6 * (low @ low.swapaxes(1, 2)),
    }[kind]
    s = -np.sort(-rng.standard_normal((m, k)), axis=1)
    if kind == "duplicated":
        s = s[:, copies]
    if kind == "constant":
        s = np.ones((m, k))
    if kind == "large":
        s = 1e6 * np.round(s)
    return S, s
