"""Euclidean distance of rows of numbers."""

from typing import Any

import numpy as np
import scipy

from similearn.numerics.linalg.units import lengths
from similearn.similarities.shell.registering import register
from similearn.similarities.shell.similarity import Similarity

_SAFE = 1e-140, 1e140
"""Distances whose squares neither overflowed nor lost digits to underflow."""


@register("euclidean")
class Euclidean(Similarity):
    """Euclidean distance of two rows of numbers.

    Notes
    -----
    Coordinates are subtracted before they are squared, so near rows lose no digits to
    cancellation; O(m n d).

    Examples
    --------
    >>> from similearn.similarities import Euclidean
    >>> Euclidean()([0.0, 0.0], [3.0, 4.0])
    5.0
    """

    kind = "dissimilarity"
    symmetric = True
    range = (0.0, np.inf)
    accepts = "numbers"
    releases_lock = True
    index_metric = "l2sq"

    def matrix(self, A: Any, B: Any) -> np.ndarray:
        """Return the distances (m, n) of rows A (m, d) and B (n, d)."""
        A, B = np.asarray(A, dtype=np.float64), np.asarray(B, dtype=np.float64)
        distances = scipy.spatial.distance.cdist(A, B)
        if distances.size == 0 or _SAFE[0] < distances.min() <= distances.max() < _SAFE[1]:
            return distances
        squares_are_safe = (distances > _SAFE[0]) & (distances < _SAFE[1])
        for i in np.flatnonzero(~squares_are_safe.all(axis=1)):
            again = np.flatnonzero(~squares_are_safe[i])
            distances[i, again] = lengths(B[again] - A[i])
        return distances

    def self_values(self, A: Any) -> np.ndarray:
        """Return zeros: a row is at no distance from itself."""
        return np.zeros(len(A))
