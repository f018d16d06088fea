"""Kernel ridge regression weights (JMLR 5.2.1), for one ridge or whole paths.

One point and a path share the same arithmetic, so a path gives what its points give, to the bit.
"""

from collections.abc import Sequence

import numpy as np

from similearn.numerics.compiling import compiled, compiled_fused
from similearn.numerics.linalg.eigen import (
    EPSILON,
    decompose,
    from_eigenvectors,
    make_eigen,
    to_eigenvectors,
)
from similearn.numerics.linalg.elimination import backward, eliminate, forward
from similearn.numerics.linalg.local_spectrum import (
    PINV,
    Floats,
    Indices,
    copy_upper,
    load,
    make_room,
    measure,
    rule_code,
    semidefinite_size,
    treat,
)
from similearn.numerics.neighbors.weights import add_by_class, as_batch, check_ridge

SPECTRA = ("pinv", "clip", "flip", "shift")


def krr_weights(
    S: Floats, s: Floats, ridge: float, spectrum: str = "pinv", *, near: Indices | None = None
) -> Floats:
    r"""Kernel ridge regression weights, :math:`w = (S + \lambda I)^{-1} s` (eq. 15).

    Parameters
    ----------
    S : (k, k) or (m, k, k). Symmetric similarities among each query's neighbours; with `near`,
        the symmetric matrix (n, n) from which they are gathered, without a copy of the blocks.
    s : (k,) or (m, k). Similarities of each query to its neighbours.
    ridge : :math:`\lambda`, zero or positive
    spectrum : what to do where S is not positive semidefinite. "pinv": the pseudo-inverse of
        :math:`S + \lambda I`; "clip", "flip", "shift": change the eigenvalues of S first.
    near : (m, k), optional. Columns of `S` that are each query's neighbours.

    Returns
    -------
    Weights in the shape of `s`. They may be negative and need not sum to one.

    Notes
    -----
    O(k^3 / 6) multiplications a query by elimination; an eigendecomposition only for blocks that
    are indefinite (clip, flip, shift) or too near singular. Eigenvalues of the matrix to be
    inverted that are below k epsilon of its largest are zero to the pseudo-inverse.
    """
    rule = rule_code(spectrum, SPECTRA)
    shape = np.shape(s)
    source, s, near = as_batch(S, s, near)
    weights = np.zeros_like(s)
    ridges = np.array([check_ridge(ridge, positive=False)])
    _weights(source, near, s, ridges, rule, weights)
    return weights.reshape(shape)


def krr_path_scores(
    S: Floats,
    s: Floats,
    codes: Indices,
    n_classes: int,
    ks: Sequence[int],
    ridges: Sequence[float],
    spectrum: str = "pinv",
    *,
    near: Indices | None = None,
) -> Floats:
    r"""Discriminants :math:`v_g^T (S_k + \lambda I)^{-1} s_k` for every k and every ridge.

    Parameters
    ----------
    S, s, spectrum, near : as in `krr_weights`, for a batch, with the K nearest neighbours,
        nearest first.
    codes : (m, K). Class codes of the neighbours.
    n_classes : number of classes G
    ks : (a,), each at most K, in any order
    ridges : (b,)

    Returns
    -------
    (m, a, b, G): for each cell the class sums of `krr_weights` of the first k neighbours.

    Notes
    -----
    One nested elimination for each ridge serves every k: O(b K^3 / 6 + b sum k^2) a query. Where
    it may not be used, one eigendecomposition for each k serves every ridge.
    """
    rule = rule_code(spectrum, SPECTRA)
    source, s, near = as_batch(S, s, near)
    sizes = np.asarray(ks, dtype=np.intp)
    checked = np.array([check_ridge(ridge, positive=False) for ridge in ridges])
    scores = np.zeros((len(s), len(sizes), len(checked), n_classes))
    codes = np.ascontiguousarray(codes, dtype=np.intp)
    _path(source, near, s, codes, sizes, checked, rule, scores)
    return scores


@compiled
def _weights(source, near, s, ridges, rule, weights):  # type: ignore[no-untyped-def]
    m, k = s.shape
    room, eigen = make_room(k), make_eigen(k)
    sizes = np.array([k])
    cells = np.zeros((1, 1, k))
    for query in range(m):
        load(source, near, query, room.block)
        _cells(s[query], sizes, ridges, rule, room, eigen, cells)
        weights[query] = cells[0, 0]


@compiled
def _path(source, near, s, codes, sizes, ridges, rule, scores):  # type: ignore[no-untyped-def]
    largest = sizes.max()
    room, eigen = make_room(largest), make_eigen(largest)
    cells = np.zeros((len(sizes), len(ridges), largest))
    for query in range(s.shape[0]):
        load(source, near, query, room.block)
        _cells(s[query], sizes, ridges, rule, room, eigen, cells)
        for a in range(len(sizes)):
            for b in range(len(ridges)):
                add_by_class(cells[a, b, : sizes[a]], codes[query], scores[query, a, b])


@compiled
def _cells(s, sizes, ridges, rule, room, eigen, cells):  # type: ignore[no-untyped-def]
    """Weights of one query for every size and ridge, from room.block."""
    measure(room.block, room.largest)
    trusted = len(room.largest) if rule == PINV else semidefinite_size(room)
    done = np.zeros((len(sizes), len(ridges)), dtype=np.bool_)
    for b in range(len(ridges)):
        _by_elimination(s, sizes, ridges[b], trusted, room, cells[:, b], done[:, b])
    for a in range(len(sizes)):
        if not done[a].all():
            _by_eigenvalues(s, sizes[a], ridges, rule, room, eigen, cells[a], done[a])


@compiled
def _by_elimination(s, sizes, ridge, trusted, room, weights, done):  # type: ignore[no-untyped-def]
    """Every size from one nested elimination; `done` says for which sizes it may be used."""
    size = len(room.largest)
    copy_upper(room.block, size, ridge, room.factor)
    for j in range(size):
        # A thousand times the noise of an eigenvalue: a pivot is no smaller than the smallest.
        room.least[j] = 1e3 * (j + 1) * EPSILON * (room.largest[j] + ridge)
        room.first[j] = s[j]
    trusted = min(trusted, eliminate(room.factor, size, room.least, False, room.inverse))
    forward(room.factor, room.inverse, trusted, room.first)
    definite = 0
    while definite < trusted and room.inverse[definite] > 0.0:
        definite += 1
    for a in range(len(sizes)):
        k = sizes[a]
        if k <= trusted:
            backward(room.factor, room.inverse, k, room.first, weights[a])
            done[a] = k <= definite or _refined(s, k, ridge, room, weights[a])


@compiled
def _refined(s, k, ridge, room, w):  # type: ignore[no-untyped-def]
    """Refine a solution of an indefinite system; whether its residual is down to rounding."""
    residual, step = room.second, room.third
    for _ in range(4):
        _residual(s, ridge, room.block, w, residual[:k])
        worst, size_w, size_s = 0.0, 0.0, 0.0
        for i in range(k):
            worst = max(worst, abs(residual[i]))
            size_w += abs(w[i])
            size_s = max(size_s, abs(s[i]))
        if worst <= 1e-14 * ((room.largest[k - 1] + ridge) * size_w + size_s):
            return True
        forward(room.factor, room.inverse, k, residual)
        backward(room.factor, room.inverse, k, residual, step)
        for i in range(k):
            w[i] += step[i]
    return False


@compiled_fused
def _residual(s, ridge, block, w, residual):  # type: ignore[no-untyped-def]
    """Fill in s - (S + ridge I) w, row by row of the symmetric block: whole vectors are added."""
    for i in range(residual.size):
        residual[i] = s[i] - ridge * w[i]
    for j in range(residual.size):
        row, weight = block[j, : residual.size], w[j]
        for i in range(residual.size):
            residual[i] -= row[i] * weight


@compiled
def _by_eigenvalues(s, k, ridges, rule, room, eigen, weights, done):  # type: ignore[no-untyped-def]
    """Every ridge that is not done from one eigendecomposition."""
    decompose(room.block, k, eigen)
    values, along = eigen.values[:k], room.second[:k]
    treat(values, rule)
    along[:] = s[:k]
    to_eigenvectors(eigen, k, along)
    for b in range(len(ridges)):
        if done[b]:
            continue
        w = weights[b, :k]
        highest = room.largest[k - 1]
        for j in range(k):
            highest = max(highest, abs(values[j] + ridges[b]))
        for j in range(k):
            value = values[j] + ridges[b]
            w[j] = along[j] / value if abs(value) > k * EPSILON * highest else 0.0
        from_eigenvectors(eigen, k, w)
