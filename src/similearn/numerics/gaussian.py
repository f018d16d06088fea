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
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.special import gammaln

from similearn.numerics.compiling import compiled_fused
from similearn.numerics.elimination import eliminate, forward
from similearn.numerics.rows import length

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

DIAGONAL_SHARE, IDENTITY_SHARE = 0.95, 0.05
# Beyond this many standard deviations squares are taken of scaled values.
_FAR = 1e100
_LARGE_SQUARE = 1e280


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
        far = np.where(far > _FAR, far, 1.0)
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
    norms = np.array([length(column) for column in np.ascontiguousarray(Z.T)])
    scale = np.hypot(np.sqrt(DIAGONAL_SHARE * (d + 3) / n) * norms, np.sqrt(IDENTITY_SHARE))
    W = Z / scale
    gram = W @ W.T if n < d else W.T @ W
    factor = cholesky(gram + np.eye(len(gram)), lower=True)
    return PredictiveDensity(n, samples[0] + shift, scale, factor, W if n < d else None)


def log_constants(ks: Indices, d: int) -> Floats:
    """Log of the constant before |A|^(-1/2), for every number of samples k."""
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
    Fusing eq. 1, see the module. O(k d min(k, d)) for each query and k, and memory for one
    query only. Assumes checked input.
    """
    scores = np.empty((len(queries), len(ks)))
    _fill_log_likelihoods(queries, rows, near, ks, log_constants(ks, rows.shape[1]), scores)
    return scores


def local_mean_distances(queries: Floats, rows: Floats, near: Indices, ks: Indices) -> Floats:
    """Distances (m, r) of queries to the mean of their k nearest rows, for every k in `ks`.

    Running sums serve every k: O(m (K + r) d). Parameters as `local_log_likelihoods`.
    """
    distances = np.empty((len(queries), len(ks)))
    _fill_mean_distances(queries, rows, near, ks, distances)
    return distances


def _squared_columns(matrix: Floats) -> Floats:
    return np.einsum("ij,ij->j", matrix, matrix)


@compiled_fused
def _fill_log_likelihoods(queries, rows, near, ks, constants, scores):  # type: ignore[no-untyped-def]
    d, most = rows.shape[1], near.shape[1]
    from_first, W = np.empty((most, d)), np.empty((most, d))
    deviation, scale, shift = np.empty(d), np.empty(d), np.empty(d)
    size = d if most >= d else 0  # neighbourhoods smaller than d allocate their own
    gram, right, inverse = np.empty((size, size)), np.empty(size), np.empty(size)
    for i in range(len(queries)):
        first = rows[near[i, 0]]
        for a in range(most):
            row, target = rows[near[i, a]], from_first[a]
            for j in range(d):
                target[j] = row[j] - first[j]
        for position in range(len(ks)):
            k = ks[position]
            for j in range(d):
                deviation[j] = queries[i, j] - first[j]
            log_det = _standardize(from_first[:k], W[:k], deviation, scale, shift)
            far = np.abs(deviation).max()
            far = far if far > _FAR else 1.0
            deviation /= far
            square, added = _square_and_log_det(W[:k], deviation, gram, right, inverse)
            spread = np.log(1 / far**2 + square * k / (k + 1)) + 2 * np.log(far)
            scores[i, position] = (
                constants[position] - (log_det + added) / 2 - (k + d + 4) / 2 * spread
            )


@compiled_fused
def _standardize(from_first, W, deviation, scale, shift):  # type: ignore[no-untyped-def]
    """Fill W and the query's deviation from the mean in units of B^½; returns log |B|.

    Comes with the neighbours, and the query in `deviation`, as differences from the first
    neighbour: features that are constant then have exactly no variance.
    """
    k, d = from_first.shape
    shift[:] = 0.0
    for a in range(k):
        row = from_first[a]
        for j in range(d):
            shift[j] += row[j] * (1.0 / k)  # so that sums of large values do not overflow
    scale[:] = 0.0
    for a in range(k):
        row, target = from_first[a], W[a]
        for j in range(d):
            target[j] = row[j] - shift[j]
            scale[j] += target[j] * target[j]
    log_det = _scales(W, scale)
    for j in range(d):
        deviation[j] = (deviation[j] - shift[j]) / scale[j]
        scale[j] = 1.0 / scale[j]
    for a in range(k):
        target = W[a]
        for j in range(d):
            target[j] *= scale[j]
    return log_det


@compiled_fused
def _scales(Z, squares):  # type: ignore[no-untyped-def]
    """Turn the sums of squares of centred features into the diagonal of B^½; log |B|."""
    k, d = Z.shape
    share = DIAGONAL_SHARE * (d + 3) / k
    log_det, product = 0.0, 1.0
    for j in range(d):
        if squares[j] < _LARGE_SQUARE:
            squares[j] = np.sqrt(share * squares[j] + IDENTITY_SHARE)
            product *= squares[j]
        else:
            squares[j] = np.sqrt(share) * length(Z[:, j].copy())
            log_det += np.log(squares[j])
        if not 1e-150 < product < 1e150:  # logarithms are dear: one for many factors
            log_det += np.log(product)
            product = 1.0
    return 2 * (log_det + np.log(product))


@compiled_fused
def _square_and_log_det(W, e, gram, right, inverse):  # type: ignore[no-untyped-def]
    """Find e' (I + W'W)^-1 e and log |I + W'W|, in k×k or d×d, whichever is smaller.

    The last three are room for the d×d case.
    """
    k, d = W.shape
    if k < d:
        gram, right, inverse = np.dot(W, W.T), np.dot(W, e), np.empty(k)
    else:
        np.dot(W.T, W, gram)
        right[:] = e
    size = len(gram)
    for j in range(size):
        gram[j, j] += 1.0
        inverse[j] = 0.0
    # All pivots are at least 1: zeros, as `inverse` still holds, bound them from below.
    eliminate(gram, size, inverse, True, inverse)
    forward(gram, inverse, size, right)
    solved, log_det, product = 0.0, 0.0, 1.0
    for j in range(size):
        solved += right[j] * right[j] * inverse[j]
        product *= gram[j, j]
        if product > 1e150:
            log_det += np.log(product)
            product = 1.0
    log_det += np.log(product)
    if k < d:  # Woodbury
        solved = max(np.dot(e, e) - solved, 0.0)
    return solved, log_det


@compiled_fused
def _fill_mean_distances(queries, rows, near, ks, distances):  # type: ignore[no-untyped-def]
    order = np.argsort(ks)
    d = rows.shape[1]
    for i in range(len(queries)):
        total, done = np.zeros(d), 0
        for position in order:
            for a in range(done, ks[position]):
                for j in range(d):
                    total[j] += rows[near[i, a], j] - queries[i, j]
            done = ks[position]
            distances[i, position] = length(total) / max(done, 1)
