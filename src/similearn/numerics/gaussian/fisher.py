"""Fisher's discriminant on rows of similarities, for every ridge from one decomposition."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.linalg.spectrum import Spectrum

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


class FisherDiscriminant(NamedTuple):
    """Scores of rows, linear in them: ``rows @ weights[i] + offsets[i]`` for ridge i."""

    weights: Floats  # (r, n, G), N⁻¹ m_g
    offsets: Floats  # (r, G), -½ m_gᵀ N⁻¹ m_g

    @classmethod
    def of(
        cls,
        S: Floats,
        spectrum: Spectrum,
        codes: Indices,
        n_classes: int,
        ridges: Floats,
    ) -> "FisherDiscriminant":
        """Weights for the scatter N within classes of the rows of S, plus ridge · mean(d) I.

        Parameters
        ----------
        S : (n, n), symmetric
        spectrum : of S
        codes : (n,) classes
        n_classes : int
        ridges : (r,), positive, in units of mean(d), the mean eigenvalue of N

        Notes
        -----
        With Z the orthonormal indicators of the classes, N is S (I - Z Zᵀ) S over the degrees of
        freedom f: S² less a part of rank G. By Woodbury's identity, with S = V Λ Vᵀ, Y = Vᵀ Z and
        A = Λ² + f ridge mean(d) I, the columns of N⁻¹ S Z are f V A⁻¹ Λ Y M⁻¹, where
        M = f ridge mean(d) Yᵀ A⁻¹ Y, of which nothing cancels. So the spectrum of S, which others
        need too, serves all ridges: O(n² G) for each.
        """
        counts = np.bincount(codes, minlength=n_classes)
        indicators = np.zeros((n_classes, len(codes)))
        indicators[codes, np.arange(len(codes))] = 1.0 / np.sqrt(counts[codes])
        freedom = max(len(codes) - n_classes, 1)
        unit = _mean_eigenvalue(S, codes, n_classes, freedom) or 1.0  # in units of S
        levels, vectors = spectrum
        along = (indicators @ vectors).T
        means = levels[:, None] * along / np.sqrt(counts)
        weights = np.empty((len(ridges), len(codes), n_classes))
        offsets = np.empty((len(ridges), n_classes))
        for i, ridge in enumerate(ridges):
            added = freedom * ridge * unit
            A = levels**2 + added
            M = along.T @ (along * (added / A)[:, None])
            own = _solved(M, (along * (levels / A)[:, None]).T).T
            own *= freedom / np.sqrt(counts)
            weights[i], offsets[i] = vectors @ own, -0.5 * (own * means).sum(axis=0)
        return cls(weights, offsets)

    def scores(self, rows: Floats) -> Floats:
        """Scores (r, m, G) of the rows (m, n) of queries: sᵀN⁻¹m_g - ½ m_gᵀN⁻¹m_g."""
        return np.stack([rows @ w + b for w, b in zip(self.weights, self.offsets, strict=True)])


def _solved(M: Floats, B: Floats) -> Floats:
    """M⁻¹ B; of the least norm where a ridge is too small for the unit, so that M is singular."""
    try:
        return np.asarray(np.linalg.solve(M, B), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.pinv(M, hermitian=True) @ B, dtype=np.float64)


def _mean_eigenvalue(S: Floats, codes: Indices, n_classes: int, freedom: int) -> float:
    """Mean of the eigenvalues of N: the squares about the class means, over f n.

    Zero where they are no more than what rounding leaves of rows that are all alike.
    """
    total, rounding = 0.0, len(S) * np.finfo(float).eps ** 2 * float(np.einsum("ij,ij->", S, S))
    for g in range(n_classes):
        rows = S[codes == g]
        rows = rows - rows.mean(axis=0)
        total += float(np.einsum("ij,ij->", rows, rows))
    return total / (freedom * len(S)) if total > rounding else 0.0
