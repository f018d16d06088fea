"""Tangent distance of grey images: tangents of seven transformations, and distances."""

from collections.abc import Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from similearn.numerics.compiling import compiled

Floats = NDArray[np.float64]

TRANSFORMATIONS = (
    "horizontal",
    "vertical",
    "rotation",
    "scaling",
    "parallel_hyperbolic",
    "diagonal_hyperbolic",
    "thickness",
)
_DEPENDENT = 1e-8  # a tangent that keeps less of its length than this says nothing new
_PARALLEL = 1e-12  # squared sine of the angle under which directions of two planes are one
_FLOATS_AT_ONCE = 2**20  # of a temporary, which should stay in the cache


def smoothed(images: Floats, smoothing: float) -> Floats:
    """Images (n, h, w) blurred by a Gaussian of `smoothing` pixels; none if it is zero."""
    if smoothing == 0:
        return images
    return np.asarray(
        scipy.ndimage.gaussian_filter(images, (0, smoothing, smoothing), mode="nearest")
    )


def tangents(images: Floats, smoothing: float, chosen: Sequence[str]) -> Floats:
    r"""Derivative of each smoothed image by each transformation's parameter.

    Parameters
    ----------
    images : (n, h, w), not smoothed yet
    smoothing : width of the Gaussian, in pixels; with zero, differences of neighbours
    chosen : t names out of `TRANSFORMATIONS`

    Returns
    -------
    (n, t, h w)

    Notes
    -----
    Simard et al. (1998), table 1, with x to the right and y downwards from the centre:
    translations :math:`f_x, f_y`; rotation :math:`y f_x - x f_y`; scaling
    :math:`x f_x + y f_y`; hyperbolic :math:`x f_x - y f_y` and :math:`y f_x + x f_y`;
    thickness :math:`f_x^2 + f_y^2`. O(n h w t). Assumes checked input.
    """
    n, h, w = images.shape
    f_x, f_y = _gradient(images, smoothing)
    x = np.arange(w) - (w - 1) / 2
    y = (np.arange(h) - (h - 1) / 2)[:, None]
    derivative = {
        "horizontal": lambda: f_x,
        "vertical": lambda: f_y,
        "rotation": lambda: y * f_x - x * f_y,
        "scaling": lambda: x * f_x + y * f_y,
        "parallel_hyperbolic": lambda: x * f_x - y * f_y,
        "diagonal_hyperbolic": lambda: y * f_x + x * f_y,
        "thickness": lambda: f_x**2 + f_y**2,
    }
    found = np.empty((n, len(chosen), h * w))
    for k, name in enumerate(chosen):
        found[:, k] = derivative[name]().reshape(n, -1)
    return found


def orthonormal_rows(vectors: Floats) -> Floats:
    """Orthonormal basis of the rows of each of n matrices (n, t, p), zero rows where they depend.

    Notes
    -----
    Gram-Schmidt, every row twice, which keeps orthogonality to rounding; O(n t² p).
    """
    bases = np.ascontiguousarray(vectors).copy()
    _orthonormalize(bases)
    return bases


def one_sided_distances(points: Floats, others: Floats, bases: Floats) -> Floats:
    """Distance of each point to each other's tangent plane.

    Parameters
    ----------
    points : (m, p)
    others : (n, p)
    bases : (n, t, p), orthonormal tangents of the others

    Returns
    -------
    (m, n): :math:`(|a - b|^2 - |Q_b (a - b)|^2)^{1/2}`

    Notes
    -----
    Duda, Hart and Stork (2001), §4.6. One matrix product, O(m n t p). Assumes checked input.
    """
    n, t, _ = bases.shape
    squares = _squared_distances(points, others)
    at_others = np.einsum("ntp,np->nt", bases, others)
    for block in _blocks(n, len(points) * t):
        along = _along(points, bases[block]) - at_others[block]
        squares[:, block] -= np.einsum("mnt,mnt->mn", along, along)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def two_sided_distances(points: Floats, bases_a: Floats, others: Floats, bases_b: Floats) -> Floats:
    r"""Distance between the tangent planes of each point and each other.

    Parameters
    ----------
    points : (m, p), with orthonormal tangents bases_a (m, t, p)
    others : (n, p), with orthonormal tangents bases_b (n, t, p)

    Returns
    -------
    (m, n)

    Notes
    -----
    Simard et al. (1993), eq. 2. With :math:`\delta = a - b, u = Q_a \delta, v = Q_b \delta`
    and :math:`C = Q_a Q_b^T` the part of δ in the span of both planes has the square

    .. math:: |u|^2 + (v - C^T u)^T (I - C^T C)^{-1} (v - C^T u).

    Directions that the two planes share are left out of the inverse. Matrix products
    O(m n t² p), then O(m n t³). Assumes checked input.
    """
    (m, t, p), n = bases_a.shape, len(others)
    squares = _squared_distances(points, others)
    at_others = np.einsum("ntp,np->nt", bases_b, others)
    at_points = np.einsum("mtp,mp->mt", bases_a, points)
    flat_a = bases_a.reshape(m * t, p)
    for block in _blocks(n, m * t * t):
        v = _along(points, bases_b[block]) - at_others[block]
        u = at_points[:, :, None] - (flat_a @ others[block].T).reshape(m, t, -1)
        C = (flat_a @ bases_b[block].reshape(-1, p).T).reshape(m, t, -1, t)
        _subtract_joint(squares[:, block], u, v, C)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def _blocks(n: int, floats: int) -> list[slice]:
    """Stretches of n columns, where one column needs so many floats of temporary memory."""
    width = max(_FLOATS_AT_ONCE // max(floats, 1), 1)
    return [slice(start, start + width) for start in range(0, n, width)]


def _gradient(images: Floats, smoothing: float) -> tuple[Floats, Floats]:
    """Derivatives to the right and downwards of the smoothed images."""
    if smoothing == 0:
        down, right = np.gradient(images, axis=(1, 2))
        return np.asarray(right), np.asarray(down)
    widths = (0, smoothing, smoothing)
    right = scipy.ndimage.gaussian_filter(images, widths, order=(0, 0, 1), mode="nearest")
    down = scipy.ndimage.gaussian_filter(images, widths, order=(0, 1, 0), mode="nearest")
    return np.asarray(right), np.asarray(down)


def _along(points: Floats, bases: Floats) -> Floats:
    """Coordinates of m points along the t tangents of n others, (m, n, t)."""
    n, t, p = bases.shape
    return np.asarray((points @ bases.reshape(n * t, p).T).reshape(-1, n, t))


@compiled
def _squared_distances(A, B):  # type: ignore[no-untyped-def]
    """|a - b|² of all pairs; differences first, so that near images lose no digits."""
    m, p = A.shape
    squares = np.empty((m, B.shape[0]))
    for i in range(m):
        for j in range(B.shape[0]):
            total = 0.0
            for k in range(p):
                total += (A[i, k] - B[j, k]) ** 2
            squares[i, j] = total
    return squares


@compiled
def _orthonormalize(bases):  # type: ignore[no-untyped-def]
    """Gram-Schmidt in place."""
    for i in range(bases.shape[0]):
        for k in range(bases.shape[1]):
            row = bases[i, k]
            before = np.sqrt(np.dot(row, row))
            for _ in range(2):
                for j in range(k):
                    row -= np.dot(bases[i, j], row) * bases[i, j]
            after = np.sqrt(np.dot(row, row))
            if after > _DEPENDENT * before:
                row /= after
            else:
                row[:] = 0.0


@compiled
def _subtract_joint(squares, u, v, C):  # type: ignore[no-untyped-def]
    """Subtract from each |δ|² the square of δ's part in both tangent planes."""
    m, n = squares.shape
    t = v.shape[2]
    M = np.empty((t, t))
    w = np.empty(t)
    for i in range(m):
        for j in range(n):
            c = C[i, :, j, :]
            inside = 0.0
            for k in range(t):
                inside += u[i, k, j] ** 2
                w[k] = v[i, j, k]
                for r in range(t):
                    w[k] -= c[r, k] * u[i, r, j]
                for q in range(k + 1):
                    M[k, q] = 1.0 if k == q else 0.0
                    for r in range(t):
                        M[k, q] -= c[r, k] * c[r, q]
            squares[i, j] -= inside + _inverse_form(M, w)


@compiled
def _inverse_form(M, w):  # type: ignore[no-untyped-def]
    """w'M⁻¹w by Cholesky in the lower half of M; directions with no pivot are skipped."""
    total = 0.0
    for k in range(len(w)):
        pivot = M[k, k]
        for q in range(k):
            pivot -= M[k, q] ** 2
            w[k] -= M[k, q] * w[q]
        if pivot > _PARALLEL:
            root = np.sqrt(pivot)
            w[k] /= root
            total += w[k] ** 2
            for r in range(k + 1, len(w)):
                for q in range(k):
                    M[r, k] -= M[r, q] * M[k, q]
                M[r, k] /= root
        else:
            w[k] = 0.0
            M[k + 1 :, k] = 0.0
    return total
