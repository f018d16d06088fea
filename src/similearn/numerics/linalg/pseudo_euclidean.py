"""Pseudo-Euclidean coordinates of indefinite inner products (JMLR §2.1.3, Proposition 1)."""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from similearn.numerics.linalg.spectrum import leading_eigenpairs, noise_floor

Floats = NDArray[np.float64]


def embedding(
    S: Floats, n_components: int | None = None, positive_only: bool = False
) -> tuple[Floats, Floats]:
    """Eigenvalues by falling magnitude, and the map from similarities to coordinates.

    Parameters
    ----------
    S : (n, n), symmetric
    n_components : how many to keep at most
    positive_only : whether to leave out negative eigenvalues

    Returns
    -------
    eigenvalues : (r,)
    map : (n, r), U sgn(Λ) abs(Λ)^-½: rows of S times it are U abs(Λ)^½, and the row of a
        query gives the least-squares solution of Proposition 1

    Notes
    -----
    Eigenvalues within rounding error of zero are left out; where all are, one coordinate
    of zeros remains. The largest entry of each eigenvector is made
    positive, so that the answer does not depend on the library. O(n³); O(n²) for each of few
    components and each step of Lanczos's method, see `leading_eigenpairs`.
    Assumes checked input.
    """
    if n_components is None or positive_only:
        eigenvalues, vectors = eigh(S, check_finite=False)
    else:
        eigenvalues, vectors = leading_eigenpairs(S, n_components, "LM")
    kept = np.abs(eigenvalues) > noise_floor(eigenvalues, len(S))
    if positive_only:
        kept &= eigenvalues > 0
    if not kept.any():
        return np.zeros(1), np.zeros((len(S), 1))
    eigenvalues, vectors = eigenvalues[kept], vectors[:, kept]
    order = np.argsort(-np.abs(eigenvalues), kind="stable")[:n_components]
    eigenvalues, vectors = eigenvalues[order], vectors[:, order]
    largest = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.sign(vectors[largest, np.arange(len(order))])
    return eigenvalues, vectors * np.sign(eigenvalues) / np.sqrt(np.abs(eigenvalues))


def centred_gram(D: Floats) -> tuple[Floats, Floats]:
    """Inner products -½ J D² J of distances D, and the column means of D² for `centred_rows`."""
    means = np.square(D).mean(axis=0)
    return centred_rows(D, means), means


def centred_rows(D: Floats, means: Floats) -> Floats:
    """Inner products of queries with training samples, about the training mean.

    Parameters
    ----------
    D : (m, n) distances of queries to training samples
    means : (n,) column means of the squared training distances
    """
    squares = np.square(D)
    squares -= squares.mean(axis=1, keepdims=True)
    squares -= means
    squares += means.mean()
    squares *= -0.5
    return squares
