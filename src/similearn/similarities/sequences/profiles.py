"""Profiles of n-grams: how many short pieces two strings share."""

from typing import Any

import numpy as np

from similearn.data.checks import require_integer
from similearn.numerics.objects.intersection import histogram_intersections
from similearn.numerics.objects.ngrams import ngram_codes
from similearn.similarities.shell.prepared import (
    Prepared,
    PreparedSimilarity,
    each_object,
    refuse_object,
)
from similearn.similarities.shell.registering import register


@register("ngrams")
class NgramProfile(PreparedSimilarity):
    r"""The share of n-grams that two strings have in common.

    .. math:: \psi(a, b) = \frac{2 \sum_g \min(c_g(a), c_g(b))}{\sum_g c_g(a) + \sum_g c_g(b)}

    where :math:`c_g(a)` counts how often the n-gram g occurs in a.

    Parameters
    ----------
    shortest, longest : int, default=1 and 3
        Lengths of the n-grams; all from the shortest to the longest are counted.
    ends : bool, default=True
        Whether n-grams of two and more letters know the beginning and the end of the string.

    Notes
    -----
    Dice's coefficient of the bags of q-grams (Ukkonen 1992 has their distance). Case counts. Two
    strings without any n-gram are alike; one without and one with have nothing in common. N-grams
    are compared by a hash of 64 bits. No alignment: O(|a| + |b|) per pair after sorting once per
    string, so that it suits long sequences (k-mers: ``shortest=longest=k, ends=False``).

    Examples
    --------
    >>> from similearn.similarities import NgramProfile
    >>> NgramProfile(2, 2, ends=False)("night", "nacht")
    0.25
    """

    kind = "similarity"
    symmetric = True
    range = (0.0, 1.0)
    releases_lock = True

    def __init__(self, shortest: int = 1, longest: int = 3, *, ends: bool = True) -> None:
        self.shortest = shortest
        self.longest = longest
        self.ends = ends

    def self_values(self, A: Any) -> np.ndarray:
        """Return ones: a string shares all of its n-grams with itself."""
        return np.ones(len(A))

    def _prepare(self, objects: Any) -> tuple[Any, ...]:
        require_integer("shortest", self.shortest, low=1, high=1000)
        require_integer("longest", self.longest, low=self.shortest, high=1000)
        profiles = []
        for position, item in enumerate(each_object(objects, "strings")):
            if not isinstance(item, str):
                refuse_object(position, item, "a string")
            profiles.append(ngram_codes(item, self.shortest, self.longest, bool(self.ends)))
        return (profiles,)

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        one, other = _joined(a.parts[0]), _joined(b.parts[0])
        common = histogram_intersections(*one, *other)
        both = _totals(a.parts[0])[:, None] + _totals(b.parts[0])[None, :]
        return np.divide(2.0 * common, both, out=np.ones_like(common), where=both > 0)


def _joined(profiles: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, ...]:
    """Sparse histograms one after the other, and where each starts and ends."""
    ends = np.concatenate([[0], np.cumsum([len(codes) for codes, _ in profiles])])
    codes = np.concatenate([codes for codes, _ in profiles])
    heights = np.concatenate([counts for _, counts in profiles])
    return codes, heights, ends.astype(np.int64)


def _totals(profiles: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    return np.array([counts.sum() for _, counts in profiles])
