"""The numbers behind a diagnosis: spectra, triangles, single entries, rows as features."""

from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigvalsh

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def double_centered(D: Floats) -> Floats:
    """-½ J D² J with J = I - 11ᵀ/n: the inner products, if D were Euclidean distances.

    Parameters
    ----------
    D : (n, n), symmetric

    Returns
    -------
    (n, n)
    """
    squares = np.square(D)
    of_rows = squares.mean(axis=1)
    return -0.5 * (squares - of_rows[:, None] - of_rows[None, :] + of_rows.mean())


def negative_spectrum(S: Floats) -> tuple[float, float]:
    """Share of negative eigenvalues, and their share of the sum of all magnitudes.

    Parameters
    ----------
    S : (n, n), symmetric

    Notes
    -----
    What is below n times the rounding error of the largest magnitude counts as zero.
    Scaling does not change the answer. O(n³). Assumes checked input.
    """
    largest = np.abs(S).max(initial=0.0)
    if largest == 0:
        return 0.0, 0.0
    eigenvalues = eigvalsh(S / largest, check_finite=False)
    magnitudes = np.abs(eigenvalues)
    negative = eigenvalues < -len(S) * np.finfo(np.float64).eps * magnitudes.max()
    return float(negative.mean()), float(magnitudes[negative].sum() / magnitudes.sum())


def triples(n: int, most: int, rng: np.random.Generator) -> Indices:
    """All (t, 3) triples i < j < k if there are at most `most`, else that many at random.

    Random triples are distinct inside, sorted, and may repeat one another.
    """
    if comb(n, 3) <= most:
        i, j = np.triu_indices(n, k=1)
        rest = n - 1 - j
        ends = np.cumsum(rest)
        offsets = np.arange(rest.sum()) - np.repeat(ends - rest, rest)
        return np.stack(
            [np.repeat(i, rest), np.repeat(j, rest), np.repeat(j + 1, rest) + offsets], 1
        )
    # Uniform on triples without repetition: each draw steps over those already taken.
    first = rng.integers(n, size=most)
    second = rng.integers(n - 1, size=most)
    second += second >= first
    third = rng.integers(n - 2, size=most)
    third += third >= np.minimum(first, second)
    third += third >= np.maximum(first, second)
    return np.sort(np.stack([first, second, third], axis=1), axis=1)


def violates_triangle(a: Floats, b: Floats, c: Floats, slack: float) -> NDArray[np.bool_]:
    """Whether the longest of three sides exceeds the sum of the others by more than `slack`."""
    longest = np.maximum(np.maximum(a, b), c)
    return longest - (a + b + c - longest) > slack


class StoredEntries:
    """Entries of a CSR block by their places, for many questions; `absent` where none is stored.

    Notes
    -----
    O(stored entries) once, and O(log of them) for each place. Assumes sorted indices.
    """

    def __init__(self, values: Any, absent: float) -> None:
        sizes = np.diff(values.indptr)
        rows = np.repeat(np.arange(values.shape[0], dtype=np.int64), sizes)
        self._n, self._absent, self._data = values.shape[1], absent, values.data
        self._keys = rows * self._n + values.indices

    def at(self, rows: Indices, columns: Indices) -> Floats:
        """Return the entries at (rows, columns), arrays of one shape."""
        wanted = rows.astype(np.int64) * self._n + columns
        if not self._keys.size:
            return np.full(wanted.shape, self._absent)
        found = np.minimum(np.searchsorted(self._keys, wanted), self._keys.size - 1)
        return np.where(self._keys[found] == wanted, self._data[found], self._absent)


def entries_at(values: Any, rows: Indices, columns: Indices, absent: float) -> Floats:
    """Return the entries at the given places; of CSR, `absent` where nothing is stored."""
    if not sparse.issparse(values):
        return values[rows, columns]
    return StoredEntries(values, absent).at(rows, columns)


def row_distances(rows: Floats) -> Floats:
    """Squared Euclidean distances (n, n) between rows, rounding errors set to zero. O(n² d)."""
    gram = rows @ rows.T
    squares = np.diag(gram)
    distances = squares[:, None] + squares[None, :] - 2 * gram
    distances[distances < 1e-12 * np.abs(squares).max(initial=0.0)] = 0.0
    return distances
