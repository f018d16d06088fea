"""Fisher's discriminant on rows of similarities, for every ridge from one decomposition."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


class FisherDiscriminant(NamedTuple):
    """Scatter within classes N = V diag(d) Vᵀ and the class means, both along V."""

    vectors: Floats  # (n, n)
    spread: Floats  # (n,), eigenvalues of N, not negative
    means: Floats  # (G, n), class means times V

    @classmethod
    def of(cls, rows: Floats, codes: Indices, n_classes: int) -> "FisherDiscriminant":
        """Decompose the scatter of the rows (n, n) about their class means: O(n³)."""
        means = np.stack([rows[codes == g].mean(axis=0) for g in range(n_classes)])
        centred = rows - means[codes]
        scatter = centred.T @ centred / max(len(rows) - n_classes, 1)
        spread, vectors = eigh(scatter, check_finite=False)
        return cls(vectors, np.maximum(spread, 0.0), means @ vectors)

    def scores(self, rows: Floats, ridges: Floats, flat: float = 1.0) -> Floats:
        """Scores (r, m, G) of queries: sᵀN⁻¹m_g - ½ m_gᵀN⁻¹m_g with N + ridge · mean(d) I.

        Where there is no scatter at all, a ridge is taken in units of `flat`.
        """
        unit = float(self.spread.mean()) or flat
        along = rows @ self.vectors
        scores = np.empty((len(ridges), len(rows), len(self.means)))
        for i, ridge in enumerate(ridges):
            weighted = self.means / (self.spread + ridge * unit)
            scores[i] = along @ weighted.T - 0.5 * (weighted * self.means).sum(axis=1)
        return scores
