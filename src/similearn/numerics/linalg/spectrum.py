"""Spectrum clip, flip, shift and square of a whole similarity matrix, and the map P for queries.

JMLR §2.1 makes a symmetric S positive semidefinite by a function of its eigenvalues;
§2.2 applies the same linear map P, with S̃ = S P, to the rows of queries.
"""

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, eigh

from similearn.numerics.linalg.symmetry import equals_transpose, make_symmetric, mirror_lower

Floats = NDArray[np.float64]

_FEW = 200  # rows below which all eigenvalues cost no more than two of them
_SHARE = 20  # Lanczos's method pays where it looks for one eigenvalue of so many
_ROWS_AT_ONCE = 512  # of a product, so that no second matrix of its size is needed


class Spectrum(NamedTuple):
    """Eigenvalues (n,), ascending, and eigenvectors (n, n), in columns, of a symmetric matrix."""

    eigenvalues: Floats
    vectors: Floats

    @classmethod
    def of(cls, S: Floats) -> "Spectrum":
        """Decompose: O(n³)."""
        return cls(*eigh(S, check_finite=False))

    @classmethod
    def within(cls, S: Floats) -> "Spectrum":
        """The same, bit for bit, without a copy of S: it is overwritten, and restored.

        LAPACK destroys one triangle and the diagonal; the other triangle has the same numbers.
        Nobody else may read S meanwhile.
        """
        if not (S.flags.c_contiguous and S.flags.writeable and equals_transpose(S, 0.0)):
            return cls.of(S)
        diagonal = S.diagonal().copy()
        try:
            # In LAPACK's order, S is its transpose, of which the lower triangle is worked on.
            return cls(*eigh(S.T, overwrite_a=True, check_finite=False))
        finally:
            np.fill_diagonal(S, diagonal)
            mirror_lower(S)


class SpectrumMap(NamedTuple):
    """P = a I + B diag(f) Bᵀ with few columns in B, and the spectrum it came from.

    Attributes
    ----------
    identity : a, zero or one
    basis : B, (n, r) eigenvectors
    factors : f, (r,)
    levels : (r,), eigenvalues of S that belong to the basis
    eigenvalues : (n,), ascending
    shift : what was added to the diagonal of S (zero unless the method is "shift")
    """

    identity: float
    basis: Floats
    factors: Floats
    levels: Floats
    eigenvalues: Floats
    shift: float

    def rows(self, s: Floats) -> Floats:
        """Modified similarities P s of queries, rows of (m, n): O(m n r)."""
        moved = (s @ self.basis * self.factors) @ self.basis.T
        return s + moved if self.identity else moved


def leading_eigenpairs(
    S: Floats, count: int, which: Literal["LA", "LM"], tol: float = 0.0
) -> tuple[Floats, Floats]:
    """Eigenvalues that are largest, and their vectors; of a small matrix all there are.

    Parameters
    ----------
    S : (n, n), symmetric
    count : how many are wanted
    which : "LA" for the largest, "LM" for those of the largest magnitude
    tol : relative accuracy of the eigenvalues; zero for that of the machine

    Returns
    -------
    eigenvalues, vectors : (r,) and (n, r), r at least `count` where n is, in no order

    Notes
    -----
    O(n²) for each step of Lanczos's method, from the same start every time; O(n³) where the
    matrix is small, or the steps do not converge. Assumes checked input.
    """
    # Imported here: who only asks a model for coordinates need not wait for it.
    from scipy.sparse.linalg import ArpackError, eigsh

    n = len(S)
    if n >= max(_FEW, _SHARE * count):
        start = np.cos(np.arange(n, dtype=np.float64))
        try:
            values, vectors = eigsh(S, k=count, which=which, v0=start, tol=tol)
            return np.asarray(values), np.asarray(vectors)
        except ArpackError:  # as of a matrix of zeros
            pass
    values, vectors = eigh(S, check_finite=False)
    return np.asarray(values), np.asarray(vectors)


def noise_floor(eigenvalues: Floats, n: int | None = None) -> float:
    """Below `eigh`'s backward error an eigenvalue is zero: its sign means nothing.

    Parameters
    ----------
    eigenvalues : all, or the leading ones of an (n, n) matrix
    n : how many there are in all, if these are not all
    """
    n = len(eigenvalues) if n is None else n
    return float(n * np.finfo(float).eps * np.abs(eigenvalues).max(initial=0.0))


def is_positive(S: Floats) -> bool:
    """Whether no eigenvalue of a symmetric S is below zero by more than rounding.

    A Cholesky factorization of S plus its rounding error tells, in a small part of the time of
    an eigendecomposition: O(n³).
    """
    lifted = S.copy()
    largest = np.abs(lifted, out=lifted).sum(axis=1).max(initial=0.0)  # bounds the eigenvalues
    lifted[:] = S
    lifted.flat[:: len(S) + 1] += len(S) * np.finfo(float).eps * largest
    try:
        cholesky(lifted.T, overwrite_a=True, check_finite=False)  # in LAPACK's order, so in place
    except np.linalg.LinAlgError:
        return False
    return True


def spectrum_map(S: Floats, method: str, *, keep_zeros: bool = False) -> SpectrumMap:
    """Find the map P of "clip" or "flip" for a symmetric S: `map_of` its spectrum, O(n³)."""
    return map_of(Spectrum.of(S), method, keep_zeros=keep_zeros)


def map_of(spectrum: Spectrum, method: str, *, keep_zeros: bool = False) -> SpectrumMap:
    """Find the map P of "clip" or "flip" for a symmetric S of this spectrum.

    Parameters
    ----------
    spectrum : of S
    method : "clip" or "flip"
    keep_zeros : whether "clip" keeps the null space, as M_clip is printed

    Notes
    -----
    JMLR prints M_clip with λ ≥ 0. Proposition 1 holds for λ > 0 only, since its proof
    drops the null space, and the sign of a numerical zero is chance: eigenvalues below
    the rounding error get a factor of zero, as sgn(0) gives for flip, unless `keep_zeros`.
    S̃ is the same.
    Of the eigenvectors that P keeps and those that it changes, the fewer are stored.
    Assumes checked input.
    """
    eigenvalues, vectors = spectrum
    of_zeros = float(keep_zeros and method == "clip")
    sign = np.sign(eigenvalues)
    sign[np.abs(eigenvalues) <= noise_floor(eigenvalues)] = of_zeros
    diagonal = np.maximum(sign, 0.0) if method == "clip" else sign
    kept, changed = diagonal != 0, diagonal != 1
    few = np.count_nonzero(changed) <= np.count_nonzero(kept)
    chosen, factors = (changed, diagonal - 1) if few else (kept, diagonal)
    return SpectrumMap(
        float(few), vectors[:, chosen], factors[chosen], eigenvalues[chosen], eigenvalues, 0.0
    )


def shift_map(S: Floats) -> SpectrumMap:
    """Find |min(λ_min, 0)| for a symmetric S; no linear map is consistent, so P = I.

    Queries keep their similarities, since a shift touches self-similarities alone
    (JMLR §2.2, after Wu et al.). Eigenvalues only, O(n³).
    """
    eigenvalues = eigh(S, eigvals_only=True, check_finite=False)
    lowest = float(eigenvalues.min(initial=0.0))
    shift = -lowest if lowest < -noise_floor(eigenvalues) else 0.0
    nothing = np.empty(0)
    return SpectrumMap(1.0, np.empty((len(S), 0)), nothing, nothing, eigenvalues, shift)


def modified(S: Floats, map_: SpectrumMap) -> Floats:
    """S̃ = S P (+ shift I), exactly symmetric.

    Notes
    -----
    Eigenvectors make it one product: S B diag(f) Bᵀ = B diag(λ f) Bᵀ. O(n² r), and no memory but
    for the result.
    """
    if map_.shift:
        return S + map_.shift * np.eye(len(S))
    kernel = np.empty_like(S)
    for start in range(0, len(S), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        np.matmul(map_.basis[part] * (map_.levels * map_.factors), map_.basis.T, out=kernel[part])
    make_symmetric(kernel)
    if map_.identity:
        kernel += S
    return kernel
