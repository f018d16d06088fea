"""Projection on the sum of the semidefinite and the entrywise nonnegative matrices.

The nearest P + N to Z is found over N alone: with P the positive part of Z - N, what is left is
the negative part, and  h(N) = 1/2 |(Z - N)₋|²  is convex with a gradient of Lipschitz constant one.
A nonnegative diagonal is semidefinite already, so N has none.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MAX_ROUNDS = 20_000
TOLERANCE = 1e-12  # of a step; the answer is then good to 1e-8
CLOSE = 1e-8  # as near to the cone as makes no difference


class Split(NamedTuple):
    """A = P + N.

    Attributes
    ----------
    semidefinite : P, (M, M)
    nonnegative : N, (M, M), zero on the diagonal
    gap : how far from optimal, relative to the norm of Z
    """

    semidefinite: Floats
    nonnegative: Floats
    gap: float

    @property
    def matrix(self) -> Floats:
        """P + N."""
        return self.semidefinite + self.nonnegative


def project_on_spn(Z: Floats) -> Split:
    """Nearest P + N to a symmetric Z.

    Notes
    -----
    Accelerated projected gradients, restarted when they turn against the descent; the
    positive entries of Z are the first guess of N. At the optimum R = Z - P - N has -R ≥ 0
    and <R, N> = 0; the gap is the largest breach of both, max |min(N, -R)|. O(M³) per round.
    The answer is in the cone in any case, and good to 1e-8 of the norm of Z; to 1e-6 where Z
    lies on the boundary already, since h is flat to higher order there.
    """
    scale = float(np.linalg.norm(Z))
    N = np.maximum(Z, 0.0)
    np.fill_diagonal(N, 0.0)
    if scale == 0.0:
        return Split(N, N, 0.0)
    ahead, momentum, gap = N, 1.0, np.inf
    for _ in range(MAX_ROUNDS):
        rest = _negative_part(Z - ahead)
        stepped = np.maximum(ahead + rest, 0.0)
        np.fill_diagonal(stepped, 0.0)
        if np.vdot(ahead - stepped, stepped - N) > 0:
            momentum = 1.0
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        gap = float(np.abs(stepped - ahead).max()) / scale
        ahead = stepped + (momentum - 1) / following * (stepped - N)
        N, momentum = stepped, following
        if gap <= TOLERANCE or np.linalg.norm(rest) <= CLOSE * scale:
            break
    semidefinite = (Z - N) - _negative_part(Z - N)
    return Split(semidefinite, N, gap)


def _negative_part(matrix: Floats) -> Floats:
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * np.minimum(values, 0.0)) @ vectors.T
