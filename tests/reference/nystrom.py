"""Nyström's approximation of an indefinite matrix, as it is written; slow on purpose."""

import numpy as np


def modified_by_nystrom(S, places, queries, spectrum, tolerance):
    """Clipped or flipped Ŝ = C W⁺ Cᵀ of training samples (n, n), and rows P ŝ of queries (m, n).

    `queries` are similarities (m, n) to all training samples, of which those to the prototypes
    at `places` are looked at.
    """
    W = S[np.ix_(places, places)]
    inverse = np.linalg.pinv(W, rcond=max(tolerance, len(W) * 2.3e-16), hermitian=True)
    approximate = S[:, places] @ inverse @ S[places]
    values, vectors = np.linalg.eigh((approximate + approximate.T) / 2)
    values[np.abs(values) < 1e-10 * np.abs(values).max()] = 0.0
    factors = np.maximum(np.sign(values), 0.0) if spectrum == "clip" else np.sign(values)
    P = (vectors * factors) @ vectors.T
    rows = queries[:, places] @ inverse @ S[places]
    return approximate @ P, rows @ P
