"""The pyramid match of sets of vectors."""

from typing import Any

import numpy as np

from similearn.errors import InputError
from similearn.numerics.objects.intersection import Histograms
from similearn.similarities.shell.prepared import Prepared, PreparedSimilarity, each_object
from similearn.similarities.shell.registering import register


@register("pyramid_match")
class PyramidMatch(PreparedSimilarity):
    r"""Pyramid match: how many vectors of two sets meet, and in how fine a grid.

    .. math:: \tilde\psi(A, B) = \sum_{i=0}^{L-1} 2^{-i} (I_i - I_{i-1}),\qquad
              \psi(A, B) = \frac{\tilde\psi(A, B)}{\sqrt{\tilde\psi(A, A) \tilde\psi(B, B)}}

    where I_i is the number of vectors that find a partner in a grid of side `finest` · 2^i,
    the intersection of the two histograms, and I_{-1} = 0: a match first made in a coarser
    grid counts for less.

    Parameters
    ----------
    finest : float, default=1.0
        Side of the finest cells. Vectors nearer than that may count as the same.
    n_levels : int, default=10
        L, how often the side is doubled, and one. Vectors that share no cell of the coarsest
        grid do not match.
    normalized : bool, default=True
        Divide by the geometric mean of the matches of both sets with themselves, so that
        larger sets do not match better.

    Notes
    -----
    Grauman and Darrell (2007), eq. 6 and 8, with cells aligned at the origin; positive
    semidefinite. Sets are arrays (k, d), and k may differ. Differences of intersections
    telescope into one intersection of all levels' histograms, with heights
    :math:`2^{-i} - 2^{-i-1}` (the last :math:`2^{-L+1}`) for each vector. O(k d L) for a
    set, O(k L) for a pair. Cells are told apart by a hash of 64 bits.

    Examples
    --------
    >>> from similearn.similarities import PyramidMatch
    >>> A, B = [[0.5, 0.5], [5.5, 0.5]], [[0.6, 0.4], [6.5, 0.5]]
    >>> PyramidMatch()(A, B)
    0.625
    """

    kind = "similarity"
    symmetric = True
    releases_lock = True

    def __init__(self, finest: float = 1.0, *, n_levels: int = 10, normalized: bool = True) -> None:
        self.finest = finest
        self.n_levels = n_levels
        self.normalized = normalized

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """Zero to one if normalized, else not bounded above."""
        return (0.0, 1.0) if self.normalized else (0.0, np.inf)

    def self_values(self, A: Any) -> np.ndarray:
        """Return ones if normalized, else the size of each set."""
        sizes = self.prepare(A).parts[1]
        return np.ones(len(sizes)) if self.normalized else sizes

    def _prepare(self, objects: Any) -> tuple[Histograms, np.ndarray]:
        if isinstance(self.finest, bool) or not 0 < self.finest < np.inf:
            raise InputError(f"finest={self.finest!r}; expected a positive side.")
        if isinstance(self.n_levels, bool) or not 1 <= self.n_levels <= 60:
            raise InputError(f"n_levels={self.n_levels!r}; expected a number from 1 to 60.")
        sets = as_vector_sets(objects, reach=self.finest * 2.0**62)
        pyramids = [_pyramid(vectors, self.finest, self.n_levels) for vectors in sets]
        sizes = np.array([len(vectors) for vectors in sets], dtype=np.float64)
        filled, heights = zip(*pyramids, strict=True)
        return Histograms.of(filled, heights), sizes

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        (one, sizes_a), (other, sizes_b) = a.parts, b.parts
        matches = one.intersections(other)
        if not self.normalized:
            return matches
        return np.minimum(matches / np.sqrt(sizes_a[:, None] * sizes_b[None, :]), 1.0)


def as_vector_sets(objects: Any, *, reach: float = np.inf) -> list[np.ndarray]:
    """Return each set as floats (k, d), with the same d and numbers below `reach`."""
    sets: list[np.ndarray] = []
    for position, item in enumerate(each_object(objects, "sets of vectors")):
        try:
            vectors = np.asarray(item, dtype=np.float64)
        except (TypeError, ValueError):
            vectors = np.empty(0)
        if vectors.ndim != 2 or vectors.size == 0 or not np.all(np.abs(vectors) < reach):
            raise InputError(
                f"Set {position} (counting from 0) cannot be used; expected finite vectors of "
                "shape (k, d), at least one."
            )
        if sets and vectors.shape[1] != sets[0].shape[1]:
            raise InputError(
                f"Set {position} has vectors of {vectors.shape[1]} numbers, set 0 of "
                f"{sets[0].shape[1]}; expected the same."
            )
        sets.append(vectors)
    return sets


def _pyramid(vectors: np.ndarray, finest: float, n_levels: int) -> tuple[np.ndarray, np.ndarray]:
    """Hashes of the filled cells of all levels in rising order, and their heights."""
    cells = np.floor(vectors / finest).astype(np.int64)
    hashes, heights = [], []
    for level in range(n_levels):
        weight = 2.0**-level * (0.5 if level < n_levels - 1 else 1.0)
        found, counts = np.unique(_hashed(cells >> level, level), return_counts=True)
        hashes.append(found)
        heights.append(weight * counts)
    order = np.argsort(np.concatenate(hashes))
    return np.concatenate(hashes)[order], np.concatenate(heights)[order]


def _hashed(cells: np.ndarray, level: int) -> np.ndarray:
    """One number of 64 bits for each row of cells of one level."""
    hashes = np.full(len(cells), level, dtype=np.uint64)
    for column in cells.T.astype(np.uint64):
        hashes = _mixed(hashes ^ _mixed(column))
    return hashes.view(np.int64)


def _mixed(numbers: np.ndarray) -> np.ndarray:
    """Spread the bits, one to one: the finalizer of splitmix64."""
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))
