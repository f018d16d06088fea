r"""Bayesian discriminant analysis: predictive densities of Gaussians, and local means.

A Gaussian of unknown mean (flat prior) and covariance (inverted Wishart prior with q and B)
that produced k samples of mean x̄ and scatter S = Σ (xᵢ - x̄)(xᵢ - x̄)ᵀ predicts the next one
to follow a Student t: with A = S + B and q = d + 3,

.. math::

    p(x) = \Bigl(\frac{k}{\pi (k+1)}\Bigr)^{d/2}
    \frac{\Gamma(\frac{k+d+4}{2})}{\Gamma(\frac{k+4}{2})}
    |A|^{-1/2} \Bigl(1 + \frac{k}{k+1} (x - x̄)^T A^{-1} (x - x̄)\Bigr)^{-\frac{k+d+4}{2}}

which is eq. 1 of Cazzanti et al. (Fusing) with the constant that makes it a density, by the
matrix determinant lemma. B = 0.95 q diag(S / k) + 0.05 I there. So A = R (I + WᵀW) R with
R = B^½ diagonal and W = Z R⁻¹, Z the centred samples: all eigenvalues of WᵀW are at most about k,
hence every matrix here is well conditioned, and I + W Wᵀ (k×k) serves where k < d.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular

from similearn.numerics.gaussian.local_bda import (
    DIAGONAL_SHARE,
    FAR,
    IDENTITY_SHARE,
    fill_log_likelihoods,
)
from similearn.numerics.linalg.units import lengths

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PredictiveDensity:
    """The density that n samples predict for the next one; see `predictive_density`.

    ``factor`` is the lower Cholesky factor of I + WᵀW (d, d) or, where n < d, of I + W Wᵀ
    (n, n); then ``standardized`` is W (n, d), else it is None.
    """

    n_samples: int
    mean: Floats
    scale: Floats
    factor: Floats
    standardized: Floats | None

    def log_density(self, queries: Floats) -> Floats:
        """Log-densities (m,) of queries (m, d); O(m min(n, d) d)."""
        E = (queries - self.mean) / self.scale
        far = np.abs(E).max(axis=1, initial=0.0)
        far = np.where(far > FAR, far, 1.0)
        E /= far[:, None]
        if self.standardized is None:
            squares = _squared_columns(solve_triangular(self.factor, E.T, lower=True))
        else:
            U = solve_triangular(self.factor, self.standardized @ E.T, lower=True)
            squares = _squared_columns(E.T) - _squared_columns(U)
        n, d = self.n_samples, len(self.mean)
        log_det = 2 * (np.log(self.scale).sum() + np.log(self.factor.diagonal()).sum())
        spread = np.maximum(squares, 0.0) * n / (n + 1)
        return (
            log_constants(np.array([n]), d)[0]
            - log_det / 2
            - (n + d + 4) / 2 * (np.log(far**-2.0 + spread) + 2 * np.log(far))
        )


def predictive_density(samples: Floats) -> PredictiveDensity:
    """Predictive density of a class from its samples (n, d): the module's formula, k = n.

    Cost: O(n d min(n, d)) once. Assumes checked input.
    """
    n, d = samples.shape
    from_first = samples - samples[0]  # constant features then have exactly no variance
    shift = from_first.mean(axis=0)
    Z = from_first - shift
    norms = lengths(Z.T)
    scale = np.hypot(np.sqrt(DIAGONAL_SHARE * (d + 3) / n) * norms, np.sqrt(IDENTITY_SHARE))
    W = Z / scale
    gram = W @ W.T if n < d else W.T @ W
    factor = cholesky(gram + np.eye(len(gram)), lower=True)
    return PredictiveDensity(n, samples[0] + shift, scale, factor, W if n < d else None)


def log_constants(ks: Indices, d: int) -> Floats:
    """Log of the constant before |A|^(-1/2), for every number of samples k."""
    gammaln = scipy.special.gammaln
    return d / 2 * (np.log(ks) - np.log1p(ks) - np.log(np.pi)) + (
        gammaln((ks + d + 4) / 2) - gammaln((ks + 4) / 2)
    )


def local_log_likelihoods(queries: Floats, rows: Floats, near: Indices, ks: Indices) -> Floats:
    """Log-densities of queries, each predicted by its own k nearest rows of a class.

    Parameters
    ----------
    queries : (m, d)
    rows : (n, d), the samples of the class
    near : (m, K), positions of each query's neighbours, nearest first
    ks : (r,), each at most K. Neighbourhoods are the first k.

    Returns
    -------
    (m, r)

    Notes
    -----
    Fusing eq. 1, see the module. O(k d min(k, d)) for each query and k, and memory for few
    queries only. Assumes checked input.
    """
    scores = np.empty((len(ks), len(queries)))
    for row, k, constant in zip(scores, ks, log_constants(ks, rows.shape[1]), strict=True):
        fill_log_likelihoods(queries, rows, near, k, constant, row)
    return scores.T


def local_mean_distances(queries: Floats, rows: Floats, near: Indices, ks: Indices) -> Floats:
    """Distances (m, r) of queries to the mean of their k nearest rows, for every k in `ks`.

    Running sums serve every k: O(m (K + r) d). Parameters as `local_log_likelihoods`.
    """
    distances = np.empty((len(queries), len(ks)))
    total, done = np.zeros(queries.shape), 0
    with np.errstate(over="ignore", invalid="ignore"):
        for position in np.argsort(ks):
            for a in range(done, ks[position]):
                total += rows[near[:, a]] - queries
            done = ks[position]
            distances[:, position] = lengths(total) / max(done, 1)
    return distances


def _squared_columns(matrix: Floats) -> Floats:
    return np.einsum("ij,ij->j", matrix, matrix)
