"""Samples drawn in the plane by their dissimilarities, and how much such a picture distorts."""

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.linalg.diagnosis import double_centered
from similearn.numerics.linalg.spectrum import leading_eigenpairs

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def squared_distances(S: Floats) -> Floats:
    """2 (max S - S) with a diagonal of zeros: the squares that have S as inner products.

    Parameters
    ----------
    S : (n, n) symmetric similarities

    Returns
    -------
    (n, n), not negative. Double centring gives back J S J, up to the diagonal of S, and the
    nearest samples of each sample stay the nearest ones.
    """
    apart = ~np.eye(len(S), dtype=bool)
    largest = S[apart].max(initial=-np.inf)
    squares = np.where(apart, 2.0 * (largest - S), 0.0)
    return np.asarray(squares, dtype=np.float64)


def classical_plane(D: Floats, n_components: int = 2) -> Floats:
    """Coordinates by classical scaling: the plane that keeps most of the inner products.

    Parameters
    ----------
    D : (n, n) symmetric, diagonal zero

    Returns
    -------
    (n, n_components). The axes of the largest positive eigenvalues of -½JD²J, each eigenvector
    times the root of its eigenvalue; a column of zeros where there is no such eigenvalue.

    Notes
    -----
    The largest entry of each axis is positive. O(n²) for each step of Lanczos's method.
    Assumes checked input.
    """
    eigenvalues, vectors = leading_eigenpairs(double_centered(D), n_components, "LA", tol=1e-6)
    order = np.argsort(-eigenvalues, kind="stable")[:n_components]
    plane = vectors[:, order] * np.sqrt(np.maximum(eigenvalues[order], 0.0))
    largest = np.abs(plane).argmax(axis=0)
    plane = plane * np.where(plane[largest, np.arange(plane.shape[1])] < 0, -1.0, 1.0)
    return np.pad(plane, ((0, 0), (0, n_components - plane.shape[1])))


def placed_between(to_landmarks: Floats, landmarks: Floats, k: int = 5) -> Floats:
    """Coordinates of further samples: between their nearest landmarks, the nearer the closer.

    Parameters
    ----------
    to_landmarks : (m, p) dissimilarities to the landmarks, finite
    landmarks : (p, 2) coordinates
    k : landmarks that each sample is put between

    Returns
    -------
    (m, 2). Weights fall off as 1 / (d² + ε); a sample that equals a landmark lies on it.
    """
    k = min(k, len(landmarks))
    near = np.argpartition(to_landmarks, k - 1, axis=1)[:, :k]
    squares = np.square(np.take_along_axis(to_landmarks, near, axis=1))
    floor = 1e-9 * max(float(squares.max(initial=0.0)), np.finfo(np.float64).tiny)
    weights = 1.0 / (squares + floor)
    weights /= weights.sum(axis=1, keepdims=True)
    return np.einsum("mk,mkd->md", weights, landmarks[near])


def stress(D: Floats, plane: Floats) -> float:
    """Kruskal's stress-1 of a picture, at the scale that suits it best.

    Parameters
    ----------
    D : (n, n) symmetric dissimilarities
    plane : (n, d) coordinates

    Returns
    -------
    (Σ (δ - a d)² / Σ δ²)^½ over pairs, with a = Σ δ d / Σ d²: 0 keeps all dissimilarities,
    1 none.
    """
    above = np.triu_indices(len(D), k=1)
    told = D[above]
    drawn = np.sqrt(np.square(plane[above[0]] - plane[above[1]]).sum(axis=1))
    total = float(told @ told)
    if total == 0.0:
        return 0.0
    length = float(drawn @ drawn)
    kept = float(told @ drawn) ** 2 / length if length > 0 else 0.0
    return float(np.sqrt(max(total - kept, 0.0) / total))


def order_by_first_axis(D: Floats) -> Indices:
    """Positions (n,) along the first axis of the samples' own plane: like beside like."""
    if len(D) < 3:
        return np.arange(len(D), dtype=np.intp)
    return np.argsort(classical_plane(D, 1)[:, 0], kind="stable")


def binned(values: Floats, most: int) -> tuple[Floats, int]:
    """Means over squares of `step` × `step` values, so that no side has more than `most`.

    Returns
    -------
    means (p, p), step
    """
    step = max(-(-len(values) // most), 1)
    if step == 1:
        return values, 1
    starts = np.arange(0, len(values), step)
    sums = np.add.reduceat(np.add.reduceat(values, starts, axis=0), starts, axis=1)
    sizes = np.diff(np.append(starts, len(values)))
    return sums / np.outer(sizes, sizes), step


def even_scale(values: Floats, steps: int = 32) -> tuple[Floats, Floats]:
    """A scale on which values are spread evenly, for colours: outliers cannot use it up.

    Parameters
    ----------
    values : (n,) at least one
    steps : between quantiles that are kept

    Returns
    -------
    points, shares : (p,) increasing quantiles, p ≤ steps + 1, and the share of values below each;
        equal quantiles are one point, at their mean share. To be interpolated between.
    """
    shares = np.linspace(0.0, 1.0, steps + 1)
    points, place = np.unique(np.quantile(values, shares), return_inverse=True)
    return points, np.bincount(place, weights=shares) / np.bincount(place)
