"""Nyström features of an indefinite similarity: clip and flip from few of its columns.

With p prototypes, C = S[:, P] and the core W = S[P, P], Nyström's approximation is Ŝ = C W⁺ Cᵀ. It
is symmetric and indefinite as S is; its spectrum is modified as in JMLR §2.1, and the same linear
map is applied to queries as in §2.2.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

Floats = NDArray[np.float64]


class NystromMap(NamedTuple):
    """Features of a row c of similarities to the prototypes are c @ matrix.

    Attributes
    ----------
    matrix : (p, r)
    eigenvalues : (r,), those of Ŝ that are kept, by descending magnitude
    """

    matrix: Floats
    eigenvalues: Floats


def core_root(W: Floats, tolerance: float) -> tuple[Floats, Floats]:
    """Root (p, q) and signs (q,) of the pseudo-inverse of the core: W⁺ = R diag(signs) Rᵀ.

    Parameters
    ----------
    W : (p, p), symmetric
    tolerance : eigenvalues of magnitude below this share of the largest are zero

    Notes
    -----
    An indefinite W may have eigenvalues near zero of either sign, whose inverses are noise: no
    bound holds for plain Nyström there. Leaving them out is what keeps Ŝ near S. O(p³).
    """
    eigenvalues, vectors = eigh(W, check_finite=False)
    sizes = np.abs(eigenvalues)
    floor = max(tolerance, len(W) * np.finfo(float).eps) * sizes.max(initial=0.0)
    kept = sizes > floor
    return vectors[:, kept] / np.sqrt(sizes[kept]), np.sign(eigenvalues[kept])


def nystrom_map(gram: Floats, root: Floats, signs: Floats, spectrum: str) -> NystromMap:
    """Find the map of clip or flip of Ŝ, whose products of features are the modified Ŝ.

    Parameters
    ----------
    gram : (p, p), CᵀC
    root, signs : of `core_root`
    spectrum : "clip" or "flip"

    Notes
    -----
    With Φ = C R, J = diag(signs) and G = ΦᵀΦ, the eigenvalues M of G^½ J G^½ = V M Vᵀ are those of
    Ŝ, with eigenvectors Q = Φ G^-½ V. A query c has the row a Qᵀ of Ŝ with a = c R J G^½ V, its
    modified row is a sgn(M) Qᵀ (flip) or the same without negative M (clip), and its features are
    a sgn(M) |M|^-½; those of a training sample are then its row of Q |M|^½. O(p³).
    """
    G = root.T @ gram @ root
    lengths, basis = eigh((G + G.T) / 2, check_finite=False)
    half = (basis * np.sqrt(np.maximum(lengths, 0.0))) @ basis.T  # G^½
    middle = (half * signs) @ half.T
    M, V = eigh((middle + middle.T) / 2, check_finite=False)
    floor = len(M) * np.finfo(float).eps * np.abs(M).max(initial=0.0)
    kept = M > floor if spectrum == "clip" else np.abs(M) > floor
    order = np.flatnonzero(kept)[np.argsort(-np.abs(M[kept]), kind="stable")]
    scale = np.sign(M[order]) / np.sqrt(np.abs(M[order]))
    matrix = root @ (signs[:, None] * (half @ V[:, order])) * scale
    return NystromMap(matrix, M[order])


def leverages(columns: Floats) -> Floats:
    """Leverage scores (n,) of the rows of C: how much each adds to what the others span.

    Ridged by the mean squared length, so that directions of noise count little. O(n p²).
    """
    gram = columns.T @ columns
    ridge = max(float(np.trace(gram)) / max(len(gram), 1) * 1e-3, np.finfo(float).tiny)
    lengths, basis = eigh(gram, check_finite=False)
    whitened = columns @ (basis / np.sqrt(np.maximum(lengths, 0.0) + ridge))
    return np.einsum("ij,ij->i", whitened, whitened)
