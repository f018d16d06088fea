"""Kernel ridge interpolation weights (JMLR 5.2), for one ridge or whole paths."""

from collections.abc import Sequence

import numpy as np

from similearn.numerics.compiling import compiled
from similearn.numerics.linalg.eigen import make_eigen
from similearn.numerics.linalg.local_spectrum import (
    Floats,
    Indices,
    load,
    make_room,
    rule_code,
    semidefinite_size,
    treated_block,
)
from similearn.numerics.neighbors.simplex import guess_support, make_corner, solve_on_simplex
from similearn.numerics.neighbors.weights import add_by_class, as_batch, check_ridge

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
    Exact, by an active-set method: O(k^3) a query with a small constant.
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
    rule = rule_code(spectrum, SPECTRA)
    shape = np.shape(s)
    source, s, near = as_batch(S, s, near)
    weights, gaps = np.zeros_like(s), np.zeros(len(s))
    ridges = np.array([check_ridge(ridge, positive=True)])
    _weights(source, near, s, ridges, rule, weights, gaps)
    return weights.reshape(shape), gaps.reshape(shape[:-1])


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
) -> Floats:
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
    (m, a, b, G)

    Notes
    -----
    Each problem starts from the support of the same ridge at the k before it, or of the next
    larger ridge. One eigendecomposition for each k whose block is indefinite.
    """
    rule = rule_code(spectrum, SPECTRA)
    source, s, near = as_batch(S, s, near)
    sizes = np.asarray(ks, dtype=np.intp)
    checked = np.array([check_ridge(ridge, positive=True) for ridge in ridges])
    up, down = np.argsort(sizes, kind="stable"), np.argsort(-checked, kind="stable")
    scores = np.zeros((len(s), len(sizes), len(checked), n_classes))
    codes = np.ascontiguousarray(codes, dtype=np.intp)
    _path(source, near, s, codes, sizes[up], checked[down], rule, scores)
    return scores[:, np.argsort(up)][:, :, np.argsort(down)]


@compiled
def _weights(source, near, s, ridges, rule, weights, gaps):  # type: ignore[no-untyped-def]
    m, k = s.shape
    room, corner, eigen = make_room(k), make_corner(k), make_eigen(k)
    cells, sizes = np.zeros((1, 1, k)), np.array([k])
    for query in range(m):
        load(source, near, query, room.block)
        gaps[query] = _cells(s[query], sizes, ridges, rule, room, corner, eigen, cells)
        weights[query] = cells[0, 0]


@compiled
def _path(source, near, s, codes, sizes, ridges, rule, scores):  # type: ignore[no-untyped-def]
    largest = sizes.max()
    room, corner, eigen = make_room(largest), make_corner(largest), make_eigen(largest)
    cells = np.zeros((len(sizes), len(ridges), largest))
    for query in range(s.shape[0]):
        load(source, near, query, room.block)
        _cells(s[query], sizes, ridges, rule, room, corner, eigen, cells)
        for a in range(len(sizes)):
            for b in range(len(ridges)):
                add_by_class(cells[a, b, : sizes[a]], codes[query], scores[query, a, b])


@compiled
def _cells(s, sizes, ridges, rule, room, corner, eigen, cells):  # type: ignore[no-untyped-def]
    """Weights of one query for every size (ascending) and ridge (descending); the worst gap."""
    trusted = semidefinite_size(room)
    supports = np.ones((len(ridges), len(room.least)), dtype=np.bool_)
    worst = 0.0
    for a in range(len(sizes)):
        k, M = sizes[a], room.block
        if k > trusted:
            M = room.factor
            treated_block(room.block, k, rule, eigen, M)
        scale = _largest_on_diagonal(M, k)
        for b in range(len(ridges)):
            support = supports[b, :k]
            if a == 0 and b == 0:
                guess_support(M, s[:k], ridges[b], support, corner, cells[a, b, :k])
            elif a == 0:
                support[:] = supports[b - 1, :k]
            gap = solve_on_simplex(M, s[:k], ridges[b], scale, support, corner, cells[a, b, :k])
            worst = max(worst, gap)
    return worst


@compiled
def _largest_on_diagonal(M, k):  # type: ignore[no-untyped-def]
    """Bound the entries of a positive semidefinite block."""
    largest = 0.0
    for i in range(k):
        largest = max(largest, M[i, i])
    return largest
