"""What weighted neighbours share: affinity weights, class sums, and the forms of a batch."""

import numpy as np
from numpy.typing import NDArray

from similearn.errors import InputError
from similearn.numerics.compiling import compiled

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

NOT_GATHERED = np.empty((0, 0), dtype=np.intp)


def affinity_weights(s: Floats) -> Floats:
    r"""Weights in proportion to the similarity, :math:`w_i = a\,\psi(x, x_i)` (JMLR section 7).

    A negative similarity gets weight zero; where no similarity is positive, every neighbour
    gets weight 1/k. The weights of each query are therefore a pmf, whatever the similarities.

    Parameters
    ----------
    s : (k,) or (m, k). Similarities of each query to its neighbours.

    Returns
    -------
    Weights in the shape of `s`.

    Notes
    -----
    Cost O(m k). Scaled by the largest first, so that no finite input overflows.
    """
    positive = np.maximum(s, 0.0)
    highest = positive.max(axis=-1, keepdims=True)
    none = highest == 0.0
    scaled = np.where(none, 1.0, positive / np.where(none, 1.0, highest))
    return scaled / scaled.sum(axis=-1, keepdims=True)


@compiled
def add_by_class(weights, codes, sums):  # type: ignore[no-untyped-def]
    """Add one query's weights to its class sums, in the order of the neighbours."""
    for j in range(len(weights)):
        sums[codes[j]] += weights[j]


def as_batch(S: Floats, s: Floats, near: Indices | None) -> tuple[Floats, Floats, Indices]:
    """Bring one problem, a batch, or a matrix to gather from, into the form of the row loops.

    Returns
    -------
    source : (m, k, k), or (n, n) with `near`
    s : (m, k)
    near : (m, k), or empty without it
    """
    s = np.ascontiguousarray(s, dtype=np.float64)
    S = np.asarray(S, dtype=np.float64)
    if near is not None:
        # A symmetric matrix stored by columns is its own transpose: no copy is needed.
        source = S.T if S.flags.f_contiguous else np.ascontiguousarray(S)
        if s.ndim != 2 or near.shape != s.shape or source.ndim != 2:
            raise InputError(
                f"Got S {S.shape}, near {near.shape}, s {s.shape}; expected (n, n), (m, k), (m, k)."
            )
        return source, s, np.ascontiguousarray(near, dtype=np.intp)
    if s.ndim not in (1, 2) or S.shape != (*s.shape, s.shape[-1]) or s.shape[-1] == 0:
        raise InputError(
            f"Got S {S.shape} and s {s.shape}; expected (k, k) and (k,), or (m, k, k) and (m, k)."
        )
    if s.ndim == 1:
        S, s = S[None], s[None]
    return np.ascontiguousarray(S), s, NOT_GATHERED


def check_ridge(ridge: float, *, positive: bool) -> float:
    """Refuse a ridge that leaves the weights undefined."""
    if not np.isfinite(ridge) or ridge < 0 or (positive and ridge == 0):
        bound = "positive" if positive else "zero or positive"
        raise InputError(f"ridge={ridge!r}; expected a finite number that is {bound}.")
    return float(ridge)
