"""Cones of matrices A for which πᵀAπ is a dissimilarity: projections and violated half-spaces.

A symmetric matrix is a vector here, its upper triangle with √2 on what is off the diagonal, so that
inner products and distances are those of Frobenius. Every cone projects to 1e-8 (relative), and
gives, for a matrix outside, normals of half-spaces that contain the cone but not the matrix.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from similearn.numerics.combine.spn import project_on_spn
from similearn.numerics.combine.triples import combined

Floats = NDArray[np.float64]

TOLERANCE = 1e-8
N_WORST = 16  # violated half-spaces that are added at once
MAX_ROUNDS = 500


class Cone(Protocol):
    """What the solvers need of a closed convex cone of symmetric M × M matrices."""

    def pack(self, matrix: Floats) -> Floats:
        """Coordinates (d,) of a symmetric matrix, such that inner products are kept."""
        ...

    def unpack(self, vector: Floats) -> Floats:
        """Symmetric matrix (M, M) from its coordinates."""
        ...

    def project(self, vector: Floats) -> Floats:
        """Nearest element of the cone."""
        ...

    def normals(self, vector: Floats, nearest: Floats | None = None) -> Floats:
        """Unit normals (c, d) of violated half-spaces normal · a ≥ 0; none inside the cone.

        `nearest` is the projection of the vector, if it is known already.
        """
        ...

    def first_normals(self) -> Floats:
        """Half-spaces to begin with, (c, d)."""
        ...


def pack_symmetric(matrix: Floats) -> Floats:
    """Upper triangle with √2 off the diagonal: (M(M+1)/2,)."""
    rows, columns = np.triu_indices(len(matrix))
    return matrix[rows, columns] * np.where(rows == columns, 1.0, np.sqrt(2.0))


def unpack_symmetric(vector: Floats) -> Floats:
    """Invert `pack_symmetric`."""
    size = int((np.sqrt(8 * len(vector) + 1) - 1) / 2 + 0.5)
    rows, columns = np.triu_indices(size)
    matrix = np.zeros((size, size))
    matrix[rows, columns] = vector / np.where(rows == columns, 1.0, np.sqrt(2.0))
    matrix[columns, rows] = matrix[rows, columns]
    return matrix


def project_on_ball(vector: Floats, radius: float) -> Floats:
    """Nearest point of norm at most `radius`.

    Applied to the projection on a cone it gives the projection on cone ∩ ball.
    """
    norm = float(np.linalg.norm(vector))
    return vector if norm <= radius else vector * (radius / norm)


def project_on_simplex(vector: Floats) -> Floats:
    """Nearest nonnegative vector that sums to one: O(d log d)."""
    descending = np.sort(vector)[::-1]
    levels = (np.cumsum(descending) - 1.0) / np.arange(1, len(vector) + 1)
    last = np.flatnonzero(descending > levels)[-1]
    return np.maximum(vector - levels[last], 0.0)


def project_on_half_spaces(vector: Floats, normals: Floats) -> tuple[Floats, Floats]:
    """Nearest point with normals · a ≥ 0, and the multipliers of the normals.

    Notes
    -----
    The dual is a nonnegative least-squares problem, min |vector + normalsᵀ μ| over μ ≥ 0,
    solved exactly by an active-set method; the answer is vector + normalsᵀ μ.
    """
    if not len(normals):
        return vector, np.zeros(0)
    multipliers, _ = nnls(normals.T, -vector, maxiter=50 * sum(normals.shape))
    return vector + multipliers @ normals, multipliers


@dataclass(frozen=True)
class Diagonal:
    """Nonnegative diagonal matrices: weights of the blocks, up to the scale of a simplex."""

    size: int

    def pack(self, matrix: Floats) -> Floats:
        """Return the diagonal; of a gradient, the part that diagonal matrices feel."""
        return matrix.diagonal().copy()

    def unpack(self, vector: Floats) -> Floats:
        """Return the diagonal matrix."""
        return np.diag(vector)

    def project(self, vector: Floats) -> Floats:
        """Negative weights become zero."""
        return np.maximum(vector, 0.0)

    def normals(self, vector: Floats, nearest: Floats | None = None) -> Floats:
        """All half-spaces are known from the start."""
        return np.empty((0, self.size))

    def first_normals(self) -> Floats:
        """The weights themselves."""
        return np.eye(self.size)


@dataclass(frozen=True)
class _Symmetric:
    """Coordinates of all symmetric matrices, and diagonals that are not negative."""

    size: int

    def pack(self, matrix: Floats) -> Floats:
        """See `pack_symmetric`."""
        return pack_symmetric(matrix)

    def unpack(self, vector: Floats) -> Floats:
        """See `unpack_symmetric`."""
        return unpack_symmetric(vector)

    def first_normals(self) -> Floats:
        """Entries of the diagonal."""
        return np.stack([pack_symmetric(np.outer(e, e)) for e in np.eye(self.size)])


@dataclass(frozen=True)
class Semidefinite(_Symmetric):
    """Positive semidefinite matrices: those of weighted feature spaces, also rotated ones."""

    def project(self, vector: Floats) -> Floats:
        """Negative eigenvalues become zero."""
        values, vectors = np.linalg.eigh(unpack_symmetric(vector))
        return pack_symmetric((vectors * np.maximum(values, 0.0)) @ vectors.T)

    def normals(self, vector: Floats, nearest: Floats | None = None) -> Floats:
        """Outer products of the eigenvectors with negative eigenvalues."""
        values, vectors = np.linalg.eigh(unpack_symmetric(vector))
        outside = values < -TOLERANCE * np.abs(values).max()
        found = [pack_symmetric(np.outer(v, v)) for v in vectors[:, outside].T]
        return np.reshape(found, (len(found), len(vector)))


@dataclass(frozen=True)
class SemidefinitePlusNonnegative(_Symmetric):
    """P + N, P positive semidefinite and N ≥ 0: πᵀAπ ≥ 0 for every π ≥ 0, seen or not.

    Copositive matrices of at most four rows are all of this form.
    """

    def project(self, vector: Floats) -> Floats:
        """Split the matrix, see `similearn.numerics.combine.spn`."""
        return pack_symmetric(project_on_spn(unpack_symmetric(vector)).matrix)

    def normals(self, vector: Floats, nearest: Floats | None = None) -> Floats:
        """The deepest one, the way back to the cone, made exactly semidefinite and nonnegative."""
        nearest = self.project(vector) if nearest is None else nearest
        back = unpack_symmetric(nearest - vector)  # semidefinite; nonnegative but for rounding
        back = pack_symmetric(back + max(0.0, -float(back.min())))
        length, slack = np.linalg.norm(back), TOLERANCE * np.linalg.norm(vector)
        if length <= slack or -(back @ vector) <= slack * length:  # a step of mere rounding
            return np.empty((0, len(vector)))
        return (back / length)[None]


@dataclass(frozen=True)
class Polyhedral(_Symmetric):
    """πᵀAπ ≥ 0 for all given π: the polyhedral relaxation of the copositive cone.

    Parameters
    ----------
    size : M
    pairs : (M, N), the π; those of zero length say nothing
    """

    pairs: Floats
    lengths: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        squares = np.einsum("mn,mn->n", self.pairs, self.pairs)  # the norm of ππᵀ
        object.__setattr__(self, "lengths", np.where(squares > 0, squares, np.inf))

    def project(self, vector: Floats) -> Floats:
        """Add the most violated half-spaces and solve the small QP, until none is violated."""
        point, known = vector, self.first_normals()
        for _ in range(MAX_ROUNDS):
            point, multipliers = project_on_half_spaces(vector, known)
            fresh = self._violated(point, TOLERANCE * float(np.linalg.norm(vector)) / 10)
            if not len(fresh):
                break
            known = np.vstack([known[multipliers > 0], fresh])
        return point

    def normals(self, vector: Floats, nearest: Floats | None = None) -> Floats:
        """The most violated of all pairs."""
        return self._violated(vector, TOLERANCE * float(np.linalg.norm(vector)) / 10)

    def first_normals(self) -> Floats:
        """None: the diagonal may be negative where no pair forbids it."""
        return np.empty((0, self.size * (self.size + 1) // 2))

    def _violated(self, vector: Floats, slack: float) -> Floats:
        depths = -combined(self.pairs, unpack_symmetric(vector)) / self.lengths
        violated = np.flatnonzero(depths > slack)
        if len(violated) > N_WORST:  # sort none but the candidates
            least = np.partition(depths[violated], -N_WORST)[-N_WORST]
            violated = violated[depths[violated] >= least]
        worst = violated[np.argsort(-depths[violated], kind="stable")][:N_WORST]
        found = [self._normal(place) for place in worst]
        return np.reshape(found, (len(found), len(vector)))

    def _normal(self, place: int) -> Floats:
        vector = self.pairs[:, place]
        return pack_symmetric(np.outer(vector, vector)) / self.lengths[place]
