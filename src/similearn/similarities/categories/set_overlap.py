"""Jaccard's coefficient of sets: exact, or estimated by MinHash."""

from typing import Any
from zlib import crc32

import numpy as np

from similearn.data.checks import require_integer
from similearn.numerics.objects.intersection import Histograms
from similearn.numerics.objects.minhash import minhash_signatures
from similearn.similarities.shell.prepared import (
    Prepared,
    PreparedSimilarity,
    each_object,
    refuse_object,
)
from similearn.similarities.shell.registering import register

_MOST_ENTRIES = 1 << 24  # of compared signatures at once


@register("jaccard_sets")
class JaccardSets(PreparedSimilarity):
    r"""Jaccard's coefficient of sets: what both have, as a share of what either has.

    .. math:: \psi(A, B) = \frac{|A \cap B|}{|A \cup B|}

    Parameters
    ----------
    n_hashes : int, optional
        Estimate it from so many hashes of each set (MinHash), with a standard error of at most
        0.5 / √n_hashes; it pays where sets have thousands of elements. By default it is exact.
    random_state : int, default=0
        Which hashes are drawn.

    Notes
    -----
    Jaccard (1901); MinHash: Broder (1997). Elements are texts and numbers, compared by a hash of
    64 bits. Two empty sets are alike. A pair costs what both hold; by MinHash, O(n_hashes).

    Examples
    --------
    >>> from similearn.similarities import JaccardSets
    >>> JaccardSets()({"fly", "lay eggs"}, {"fly", "swim", "lay eggs"}).__round__(3)
    0.667
    """

    kind = "similarity"
    symmetric = True
    range = (0.0, 1.0)
    releases_lock = True

    def __init__(self, n_hashes: int | None = None, *, random_state: int = 0) -> None:
        self.n_hashes = n_hashes
        self.random_state = random_state

    def self_values(self, A: Any) -> np.ndarray:
        """Return ones: a set shares everything with itself."""
        return np.ones(len(A))

    def _prepare(self, objects: Any) -> tuple[Any, ...]:
        sets = []
        for position, item in enumerate(each_object(objects, "sets")):
            if isinstance(item, str | bytes) or not hasattr(item, "__iter__"):
                refuse_object(position, item, "a set, or a list of texts or numbers")
            sets.append(np.unique([_code(position, one) for one in item]).astype(np.int64))
        if self.n_hashes is None:
            return (Histograms.of(sets),)
        n_hashes = require_integer("n_hashes", self.n_hashes, high=1 << 20)
        seed = require_integer("random_state", self.random_state, low=0)
        return (minhash_signatures(sets, n_hashes, seed),)

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        one, other = a.parts[0], b.parts[0]
        if self.n_hashes is not None:
            return _equal_shares(one, other)
        common = one.intersections(other)
        whole = one.totals[:, None] + other.totals[None, :] - common
        return np.divide(common, whole, out=np.ones_like(common), where=whole > 0)


def _code(position: int, element: Any) -> int:
    """A number of 64 bits for an element, the same in every run."""
    if isinstance(element, np.generic):
        element = element.item()
    if not isinstance(element, str | bytes | int | float | bool):
        refuse_object(position, element, "texts and numbers as elements of sets")
    if isinstance(element, float) and element.is_integer():
        element = int(element)  # 1.0 is 1, as in Python's own sets
    told = element if isinstance(element, bytes) else str(element).encode("utf-8", "surrogatepass")
    told = (b"t" if isinstance(element, str | bytes) else b"n") + told
    return (crc32(told) << 31) ^ crc32(told[::-1], 0x5EED)


def _equal_shares(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Shares of hashes in which two signatures agree, in pieces that fit the memory."""
    values = np.empty((len(one), len(other)))
    at_once = max(_MOST_ENTRIES // max(other.size, 1), 1)
    for start in range(0, len(one), at_once):
        part = one[start : start + at_once]
        equal = part[:, None, :] == other[None, :, :]
        values[start : start + at_once] = np.count_nonzero(equal, axis=2)
    return values / other.shape[1]
