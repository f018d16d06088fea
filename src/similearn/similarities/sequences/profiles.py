"""Profiles of n-grams: how many short pieces two strings share."""

from typing import Any

import numpy as np

from similearn.data.checks import require_integer
from similearn.numerics.objects.ngrams import ngram_profiles
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
    are compared by a hash of 64 bits. No alignment: O(n-grams that both have) per pair after
    sorting once, so that it suits long sequences (k-mers: ``shortest=longest=k, ends=False``).

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
        texts = list(each_object(objects, "strings"))
        for position, item in enumerate(texts):
            if not isinstance(item, str):
                refuse_object(position, item, "a string")
        return (ngram_profiles(texts, self.shortest, self.longest, bool(self.ends)),)

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        one, other = a.parts[0], b.parts[0]
        common = one.intersections(other)
        both = one.totals[:, None] + other.totals[None, :]
        return np.divide(2.0 * common, both, out=np.ones_like(common), where=both > 0)
