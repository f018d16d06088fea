"""Normal densities with shrunk covariances, for every shrinkage from one decomposition."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

Floats = NDArray[np.float64]

LEAST = 1e-300


class ShrunkNormal(NamedTuple):
    """A mean (d,) and a covariance V diag(e) Vᵀ that is shrunk towards mean(e) I."""

    mean: Floats
    vectors: Floats  # (d, d)
    spread: Floats  # (d,), not negative

    @classmethod
    def of(cls, mean: Floats, scatter: Floats, n: int) -> "ShrunkNormal":
        """From the scatter (d, d) of n samples about their means: O(d³)."""
        spread, vectors = eigh(scatter / max(n, 1), check_finite=False)
        return cls(mean, vectors, np.maximum(spread, 0.0))

    def log_density(self, X: Floats, shrinkages: Floats, flat: float = 1.0) -> Floats:
        """Log-densities (r, m) of samples (m, d) with (1 - r) Σ + r mean(e) I for every r.

        Without any scatter the covariance is `flat` I.
        """
        unit = float(self.spread.mean())
        squares = np.square((X - self.mean) @ self.vectors)
        result = np.empty((len(shrinkages), len(X)))
        for i, share in enumerate(shrinkages):
            variances = (
                (1.0 - share) * self.spread + share * unit if unit > 0 else self.spread + flat
            )
            variances = np.maximum(variances, LEAST)
            constant = np.log(variances).sum() + len(variances) * np.log(2.0 * np.pi)
            result[i] = -0.5 * (squares @ (1.0 / variances) + constant)
        return result
