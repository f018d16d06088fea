"""Kernel ridge regression weights (JMLR 5.2.1), for one ridge or whole paths.

One point and a path share the same arithmetic, so a path gives what its points give, to the bit.
"""

from collections.abc import Sequence

import numpy as np

from similearn.numerics.compiling import as_input, compiled_fused, compiled_within
from similearn.numerics.linalg.elimination import INDEFINITE, ONE, backward, eliminate, forward
from similearn.numerics.linalg.local_spectrum import (
    EPSILON,
    Floats,
    Indices,
    check_spectrum,
    leading,
    semidefinite_sizes,
    treated_values,
)
from similearn.numerics.neighbors.weights import (
    Batch,
    check_ridge,
    exponents_beyond,
    largest_entries,
)

LARGEST_WEIGHT = 1e300
"""Bound on the weights, where similarities that differ by as many powers would exceed it."""

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
    Weights in the shape of `s`, at most 1e300 in magnitude. They may be negative and need not
    sum to one.

    Notes
    -----
    O(k^3 / 6) multiplications per query by elimination; an eigendecomposition only for blocks that
    are indefinite (clip, flip, shift) or too near singular. Eigenvalues of the matrix to be
    inverted that are below k epsilon of its largest are zero to the pseudo-inverse.
    """
    # Where every neighbour is a class of its own, the class sums are the weights.
    batch = Batch(S, s, near)
    k = batch.s.shape[1]
    codes = np.broadcast_to(np.arange(k), batch.s.shape)
    return _all_scores(batch, codes, k, [k], [ridge], spectrum).reshape(batch.shape)


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
    One nested elimination for each ridge serves every k: O(b K^3 / 6 + b sum k^2) per query. Where
    it may not be used, one eigendecomposition for each k serves every ridge.
    """
    return _all_scores(Batch(S, s, near), codes, n_classes, ks, ridges, spectrum)


def _all_scores(
    batch: Batch,
    codes: Indices,
    n_classes: int,
    ks: Sequence[int],
    ridges: Sequence[float],
    spectrum: str,
) -> Floats:
    check_spectrum(spectrum, SPECTRA)
    sizes = np.asarray(ks, dtype=np.intp)
    checked = np.array([check_ridge(ridge, positive=False) for ridge in ridges])
    scores = np.zeros((len(batch.s), len(sizes), len(checked), n_classes))
    for part, blocks, s in batch.parts():
        largest = np.maximum(largest_entries(blocks), checked.max(initial=0.0))
        of_blocks, of_s = exponents_beyond(largest), exponents_beyond(np.abs(s).max(axis=1))
        scaled = np.ldexp(checked, -of_blocks[:, None])
        if of_blocks.any() or of_s.any():
            blocks = np.ldexp(blocks, -of_blocks[:, None, None])
            s = np.ldexp(s, -of_s[:, None])
        _fill_scores(blocks, s, codes[part], sizes, scaled, spectrum, scores[part])
        if of_blocks.any() or of_s.any():
            with np.errstate(over="ignore"):
                unscaled = np.ldexp(scores[part], (of_s - of_blocks)[:, None, None, None])
            scores[part] = np.clip(unscaled, -LARGEST_WEIGHT, LARGEST_WEIGHT)
        elif not np.isfinite(scores[part]).all():  # a ridge as small as the largest value is large
            bounded = np.clip(scores[part], -LARGEST_WEIGHT, LARGEST_WEIGHT)
            scores[part] = np.nan_to_num(bounded)
    return scores


def _fill_scores(
    blocks: Floats,
    s: Floats,
    codes: Indices,
    sizes: Indices,
    ridges: Floats,
    spectrum: str,
    scores: Floats,
) -> None:
    """Fill scores (m, a, b, G) for sizes (a,) and ridges (m, b)."""
    m, K = s.shape
    trusted = np.full(m, K) if spectrum == "pinv" else semidefinite_sizes(blocks)
    done = np.zeros(scores.shape[:3], dtype=np.bool_)
    codes = np.ascontiguousarray(codes)
    _by_elimination(
        as_input(blocks),
        as_input(s),
        as_input(codes, np.intp),
        as_input(sizes, np.intp),
        as_input(ridges),
        as_input(trusted, np.intp),
        np.empty((K, K)),
        np.empty((7, K)),
        scores,
        done,
    )
    if done.all():
        return
    for a, k in enumerate(sizes):
        rest = np.flatnonzero(~done[:, a].all(axis=1))
        if len(rest):
            weights = _by_eigenvalues(leading(blocks[rest], k), s[rest, :k], ridges[rest], spectrum)
            for x, b in np.argwhere(~done[rest, a]):
                np.add.at(scores[rest[x], a, b], codes[rest[x], :k], weights[x, b])


def _by_eigenvalues(blocks: Floats, s: Floats, ridges: Floats, spectrum: str) -> Floats:
    """Weights (m, b, k) for every ridge from one eigendecomposition of each block."""
    values, vectors = np.linalg.eigh(blocks)
    values = treated_values(values, spectrum)[:, None, :] + ridges[:, :, None]
    along = s[:, None, :] @ vectors
    highest = largest_entries(blocks)[:, None]
    highest = np.maximum(highest, np.abs(values).max(axis=2))[:, :, None]
    kept = np.abs(values) > s.shape[1] * EPSILON * highest
    along = np.divide(np.broadcast_to(along, values.shape), values, out=0.0 * values, where=kept)
    back = vectors.swapaxes(1, 2)
    # One ridge at a time: a product of several rows at once may round otherwise.
    return np.concatenate([along[:, b : b + 1] @ back for b in range(ridges.shape[1])], axis=1)


@compiled_fused
def _by_elimination(  # type: ignore[no-untyped-def]
    blocks, s, codes, sizes, ridges, trusted, F, room, scores, done
):
    """Every size from one nested elimination for each ridge; `done` says where it may be used."""
    largest, least, inverse, y, w = room[0], room[1], room[2], room[3], room[4]
    K = np.uintp(s.shape[1])
    for q in range(np.uintp(s.shape[0])):
        _measure(blocks, q, largest)
        for b in range(np.uintp(ridges.shape[1])):
            ridge = ridges[q, b]
            _load(blocks, s, q, ridge, F, largest, least, y)
            usable = eliminate(F, np.intp(K), least, INDEFINITE, inverse)
            usable = usable if usable < trusted[q] else trusted[q]
            forward(F, inverse, usable, y)
            definite = 0
            while definite < usable and inverse[definite] > 0.0:
                definite += 1
            for a in range(np.uintp(len(sizes))):
                k = sizes[a]
                if k > usable:
                    continue
                backward(F, inverse, k, y, w)
                if k > definite and not _refined(blocks, s, q, k, ridge, F, room):
                    continue
                done[q, a, b] = True
                for j in range(np.uintp(k)):
                    scores[q, a, b, np.uintp(codes[q, j])] += w[j]


@compiled_within
def _measure(blocks, q, largest):  # type: ignore[no-untyped-def]
    """Find the largest magnitude in each leading block."""
    K = np.uintp(len(largest))
    for j in range(K):
        largest[j] = 0.0
    for i in range(K):
        for j in range(i, K):
            size = abs(blocks[q, i, j])
            largest[j] = size if size > largest[j] else largest[j]
    for j in range(ONE, K):
        largest[j] = largest[j] if largest[j] > largest[j - ONE] else largest[j - ONE]


@compiled_within
def _load(blocks, s, q, ridge, F, largest, least, y):  # type: ignore[no-untyped-def]
    """Copy the upper triangle of one block, with the ridge, and the bounds of its pivots."""
    K = np.uintp(len(y))
    for i in range(K):
        for j in range(i, K):
            F[i, j] = blocks[q, i, j]
        F[i, i] += ridge
        y[i] = s[q, i]
        # A thousand times the noise of an eigenvalue: a pivot is no smaller than the smallest.
        least[i] = 1e3 * (i + ONE) * EPSILON * (largest[i] + ridge)


@compiled_within
def _refined(blocks, s, q, k, ridge, F, room):  # type: ignore[no-untyped-def]
    """Refine a solution of an indefinite system; whether its residual is down to rounding."""
    inverse, w, residual, step = room[2], room[4], room[5], room[6]
    end = np.uintp(k)
    for _ in range(4):
        worst, size_w, size_s = 0.0, 0.0, 0.0
        for i in range(end):
            residual[i] = s[q, i] - ridge * w[i]
            size_w += abs(w[i])
            size_s = abs(s[q, i]) if abs(s[q, i]) > size_s else size_s
        for j in range(end):  # row by row of the symmetric block: whole vectors are added
            for i in range(end):
                residual[i] -= blocks[q, j, i] * w[j]
        for i in range(end):
            worst = abs(residual[i]) if abs(residual[i]) > worst else worst
        if worst <= 1e-14 * ((room[0, end - ONE] + ridge) * size_w + size_s):
            return True
        forward(F, inverse, k, residual)
        backward(F, inverse, k, residual, step)
        for i in range(end):
            w[i] += step[i]
    return False
