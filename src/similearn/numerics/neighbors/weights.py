"""What weighted neighbours share: affinity weights, class sums, and the forms of a batch."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from similearn.errors import InputError
from similearn.numerics.neighbors.gather import gather_dense

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Entries of blocks that are worked on together: few enough for the processor's last cache, so
# many that NumPy's calls cost nothing beside what they do.
_ENTRIES_AT_ONCE = 1 << 19
# Sizes between these need no scaling.
_SMALL, _LARGE = 1e-100, 1e100


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


class Batch:
    """Problems of many queries: blocks among their neighbours, few at a time.

    Parameters
    ----------
    S : (k, k), (m, k, k); or (n, n), symmetric, with `near`
    s : (k,) or (m, k)
    near : (m, k), optional. Columns of `S` that are each query's neighbours.
    """

    def __init__(self, S: Floats, s: Floats, near: Indices | None = None) -> None:
        self.shape = np.shape(s)
        self.source: Floats
        self.near = near
        self.s = np.atleast_2d(np.ascontiguousarray(s, dtype=np.float64))
        S = np.asarray(S, dtype=np.float64)
        k = self.shape[-1] if self.shape else 0
        if near is not None:
            if len(self.shape) != 2 or near.shape != self.shape or S.ndim != 2:
                raise InputError(
                    f"Got S {S.shape}, near {near.shape}, s {self.shape}; expected (n, n), "
                    "(m, k), (m, k)."
                )
            # A symmetric matrix stored by columns is its own transpose: no copy is needed.
            self.source = S.T if S.flags.f_contiguous else np.ascontiguousarray(S)
        elif len(self.shape) not in (1, 2) or S.shape != (*self.shape, k) or k == 0:
            raise InputError(
                f"Got S {S.shape} and s {self.shape}; expected (k, k) and (k,), or (m, k, k) "
                "and (m, k)."
            )
        else:
            self.source = S.reshape(-1, k, k)

    def parts(self) -> Iterator[tuple[slice, Floats, Floats]]:
        """Yield slices of queries, their blocks (c, k, k) and rows (c, k).

        Blocks are good until the next ones: they are gathered into the same place.
        """
        m, k = self.s.shape
        at_once = max(min(_ENTRIES_AT_ONCE // k**2, m), 1)
        room = np.empty((at_once, k, k)) if self.near is not None else None
        for start in range(0, m, at_once):
            part = slice(start, min(start + at_once, m))
            if self.near is None or room is None:
                blocks = self.source[part]
            else:
                blocks = room[: part.stop - start]
                gather_dense(self.source, self.near[part], blocks)
            yield part, blocks, self.s[part]


def in_own_units(blocks: Floats, s: Floats, ridges: Floats) -> tuple[Floats, Floats, Floats]:
    """Scale each query's problem by a power of two: what minimizes it on the simplex stays.

    Parameters
    ----------
    blocks, s : (m, k, k) and (m, k)
    ridges : (r,)

    Returns
    -------
    blocks, s : those that are far from one scaled to it
    ridges : (m, r), scaled likewise, at least 1e-300 and at most 1e300
    """
    largest = np.maximum(np.abs(s).max(axis=1), largest_entries(blocks))
    exponents = exponents_beyond(largest)
    if exponents.any():
        s = np.ldexp(s, -exponents[:, None])
        blocks = np.ldexp(blocks, -exponents[:, None, None])
    with np.errstate(over="ignore"):
        scaled = np.ldexp(ridges, -exponents[:, None])
    return blocks, s, np.clip(scaled, 1e-300, 1e300)


def largest_entries(blocks: Floats) -> Floats:
    """Largest magnitude (m,) in each of (m, k, k) blocks, without a copy."""
    flat = blocks.reshape(len(blocks), -1)
    return np.maximum(flat.max(axis=1), -flat.min(axis=1))


def exponents_beyond(sizes: Floats) -> NDArray[np.int32]:
    """Binary exponents of sizes whose squares might over- or underflow; zero for all others."""
    usual = (sizes == 0.0) | ((sizes > _SMALL) & (sizes < _LARGE))
    return np.where(usual, 0, np.frexp(sizes)[1])


def class_sums(weights: Floats, codes: Indices, n_classes: int) -> Floats:
    """Sums (m, r, n_classes) of weights (m, r, k) by the classes (m, k) of the neighbours."""
    m, r, k = weights.shape
    sums = np.zeros(m * r * n_classes)
    places = np.arange(0, len(sums), n_classes).reshape(m, r, 1) + codes[:, None, :k]
    np.add.at(sums, places, weights)  # one after the other, as they come
    return sums.reshape(m, r, n_classes)


def check_ridge(ridge: float, *, positive: bool) -> float:
    """Refuse a ridge that leaves the weights undefined."""
    number = float(ridge)
    if not np.isfinite(number) or number < 0 or (positive and number == 0):
        bound = "positive" if positive else "zero or positive"
        raise InputError(f"ridge={ridge!r}; expected a finite number that is {bound}.")
    return number
