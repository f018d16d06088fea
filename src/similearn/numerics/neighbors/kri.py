"""Kernel ridge interpolation weights (JMLR 5.2), for one ridge or whole paths."""

from collections.abc import Iterator, Sequence

import numpy as np

from similearn.numerics.linalg.local_spectrum import (
    Floats,
    Indices,
    check_spectrum,
    semidefinite,
    semidefinite_sizes,
)
from similearn.numerics.neighbors.simplex import guessed_supports, solve_on_simplex
from similearn.numerics.neighbors.weights import Batch, check_ridge, class_sums, in_own_units

SPECTRA = ("clip", "flip", "shift")


def kri_weights(
    S: Floats, s: Floats, ridge: float, spectrum: str = "clip", *, near: Indices | None = None
) -> Floats:
    r"""Kernel ridge interpolation weights: a pmf that rewards affinity and diversity (eq. 12).

    They minimize :math:`\frac12 w^T S w - s^T w + \frac{\lambda}{2} w^T w` on the simplex.

    Parameters
    ----------
    S : (k, k) or (m, k, k). Symmetric similarities among each query's neighbours; with `near`,
        the symmetric matrix (n, n) from which they are gathered, without a copy of the blocks.
    s : (k,) or (m, k). Similarities of each query to its neighbours.
    ridge : :math:`\lambda`, positive
    spectrum : "clip", "flip" or "shift", how to make S positive semidefinite where it is not
    near : (m, k), optional. Columns of `S` that are each query's neighbours.

    Returns
    -------
    Weights in the shape of `s`, not negative, each query's summing to one.

    Notes
    -----
    Exact, by an active-set method: O(k^3) per query with a small constant.
    """
    return kri_weights_and_gaps(S, s, ridge, spectrum, near=near)[0]


def kri_weights_and_gaps(
    S: Floats, s: Floats, ridge: float, spectrum: str = "clip", *, near: Indices | None = None
) -> tuple[Floats, Floats]:
    """`kri_weights`, and how far each query's weights are from optimal.

    Returns
    -------
    weights : in the shape of `s`
    gaps : () or (m,). The relative KKT gap: the largest gradient where the weight is positive,
        less the smallest gradient, over the largest entry of |s| and |S + ridge I| w.
    """
    batch = Batch(S, s, near)
    weights, gaps = np.empty(batch.s.shape), np.empty(len(batch.s))
    for part, _, found, gap in _solutions(batch, [batch.s.shape[1]], [ridge], spectrum):
        weights[part], gaps[part] = found[:, 0], gap[:, 0]
    return weights.reshape(batch.shape), gaps.reshape(batch.shape[:-1])


def kri_path_scores(
    S: Floats,
    s: Floats,
    codes: Indices,
    n_classes: int,
    ks: Sequence[int],
    ridges: Sequence[float],
    spectrum: str = "clip",
    *,
    near: Indices | None = None,
) -> tuple[Floats, Floats]:
    """Class sums of `kri_weights` of the first k neighbours, for every k and every ridge.

    Parameters
    ----------
    S, s, spectrum, near : as in `kri_weights`, for a batch, with the K nearest neighbours,
        nearest first.
    codes : (m, K). Class codes of the neighbours.
    n_classes : number of classes G
    ks : (a,), each at most K, in any order
    ridges : (b,), in any order

    Returns
    -------
    scores : (m, a, b, G)
    gaps : (m, a, b), as in `kri_weights_and_gaps`

    Notes
    -----
    Each problem starts from the support of the same ridge at the k before it. One
    eigendecomposition for each k whose block is indefinite.
    """
    batch = Batch(S, s, near)
    scores = np.empty((len(batch.s), len(ks), len(ridges), n_classes))
    gaps = np.empty(scores.shape[:3])
    for part, a, weights, gap in _solutions(batch, ks, ridges, spectrum):
        scores[part, a], gaps[part, a] = class_sums(weights, codes[part], n_classes), gap
    return scores, gaps


def _solutions(
    batch: Batch, ks: Sequence[int], ridges: Sequence[float], spectrum: str
) -> Iterator[tuple[slice, int, Floats, Floats]]:
    """Yield queries, the position of a k, and their weights (c, b, k) and gaps (c, b) for it."""
    check_spectrum(spectrum, SPECTRA)
    checked = np.array([check_ridge(ridge, positive=True) for ridge in ridges])
    order, largest = np.argsort(ks, kind="stable"), max(ks)
    for part, blocks, s in batch.parts():
        blocks, s, scaled = in_own_units(blocks, s, checked)
        sizes = semidefinite_sizes(blocks)
        supports = np.ones((len(s), len(checked), largest), dtype=np.bool_)
        for a in order:
            k = ks[a]
            M = semidefinite(blocks, k, sizes, spectrum)
            if a == order[0]:
                supports[:, :, :k] = guessed_supports(M, s[:, :k], scaled)
            support = np.ascontiguousarray(supports[:, :, :k])
            weights, gaps = solve_on_simplex(M, s[:, :k], scaled, support)
            supports[:, :, :k] = support
            yield part, int(a), weights, gaps
