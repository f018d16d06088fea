"""Edit distances and their relatives of strings and sequences, computed by rapidfuzz."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from similearn.errors import InputError
from similearn.similarities.shell.prepared import (
    Prepared,
    PreparedSimilarity,
    each_object,
    refuse_object,
)
from similearn.similarities.shell.registering import register

_EXPECTED = "strings, bytes or sequences of hashable items"


class _Edit(PreparedSimilarity):
    """What all share: objects, the module of rapidfuzz, and which of its four functions."""

    symmetric = True
    requires = ("rapidfuzz", "strings")
    releases_lock = True
    normalized: bool
    _module: str

    @property
    def range(self) -> tuple[float, float]:  # type: ignore[override]
        """Zero to one if normalized, else not bounded above."""
        return (0.0, 1.0) if self.normalized else (0.0, np.inf)

    def self_values(self, A: Any) -> np.ndarray:
        """Return ψ(a, a): zeros for a distance."""
        return np.zeros(len(A)) if self.kind == "dissimilarity" else super().self_values(A)

    def _prepare(self, objects: Any) -> tuple[list[Any]]:
        return (as_sequences(objects),)

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        from rapidfuzz import distance, process

        verb = "distance" if self.kind == "dissimilarity" else "similarity"
        scorer = getattr(
            getattr(distance, self._module), f"normalized_{verb}" if self.normalized else verb
        )
        # One worker here: the threads come from the loop over blocks.
        return process.cdist(
            a.parts[0],
            b.parts[0],
            scorer=scorer,
            scorer_kwargs=self._options(),
            dtype=np.float64,
            workers=1,
        )

    def _options(self) -> dict[str, Any]:
        return {}


@register("levenshtein")
class Levenshtein(_Edit):
    """Levenshtein distance: fewest insertions, deletions and substitutions from a to b.

    Parameters
    ----------
    normalized : bool, default=False
        Divide by the largest distance that strings of these lengths can have.
    insertion, deletion, substitution : int, default=1
        What each costs, not negative. With insertion ≠ deletion the distance is asymmetric.

    Notes
    -----
    Levenshtein (1966), by rapidfuzz: bit-parallel for unit costs, O(l² / 64) per pair of length l;
    O(l²) for other costs.

    Examples
    --------
    >>> from similearn.similarities import Levenshtein
    >>> Levenshtein()("kitten", "sitting")
    3.0
    """

    kind = "dissimilarity"
    _module = "Levenshtein"

    def __init__(
        self,
        *,
        normalized: bool = False,
        insertion: int = 1,
        deletion: int = 1,
        substitution: int = 1,
    ) -> None:
        self.normalized = normalized
        self.insertion = insertion
        self.deletion = deletion
        self.substitution = substitution

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Whether an insertion costs as much as a deletion."""
        return bool(self.insertion == self.deletion)

    def _options(self) -> dict[str, Any]:
        weights = (self.insertion, self.deletion, self.substitution)
        if any(isinstance(w, bool) or not isinstance(w, int) or w < 0 for w in weights):
            raise InputError(f"Costs are {weights}; expected integers that are not negative.")
        return {"weights": weights}


@register("damerau_levenshtein")
class DamerauLevenshtein(_Edit):
    """Damerau-Levenshtein distance: as Levenshtein's, and neighbours may change places.

    Parameters
    ----------
    normalized : bool, default=False
        Divide by the length of the longer string.

    Notes
    -----
    Unrestricted: text between letters that changed places may be edited too, so the
    triangle inequality holds. Damerau (1964), by rapidfuzz; O(l²) per pair of length l.

    Examples
    --------
    >>> from similearn.similarities import DamerauLevenshtein
    >>> DamerauLevenshtein()("ca", "abc")
    2.0
    """

    kind = "dissimilarity"
    _module = "DamerauLevenshtein"

    def __init__(self, *, normalized: bool = False) -> None:
        self.normalized = normalized


@register("optimal_string_alignment")
class OptimalStringAlignment(_Edit):
    """Optimal string alignment: as Damerau-Levenshtein, but no letter is edited twice.

    Parameters
    ----------
    normalized : bool, default=False
        Divide by the length of the longer string.

    Notes
    -----
    Quicker than the unrestricted distance, O(l² / 64) per pair of length l by rapidfuzz, but not a
    metric: d(ca, abc) = 3 though d(ca, ac) = 1 and d(ac, abc) = 1.

    Examples
    --------
    >>> from similearn.similarities import OptimalStringAlignment
    >>> OptimalStringAlignment()("ca", "abc")
    3.0
    """

    kind = "dissimilarity"
    _module = "OSA"

    def __init__(self, *, normalized: bool = False) -> None:
        self.normalized = normalized


@register("indel")
class Indel(_Edit):
    """Indel distance: fewest insertions and deletions from a to b.

    Parameters
    ----------
    normalized : bool, default=False
        Divide by the sum of both lengths.

    Notes
    -----
    ``len(a) + len(b) - 2 LCS(a, b)``, by rapidfuzz; O(l² / 64) per pair of length l.

    Examples
    --------
    >>> from similearn.similarities import Indel
    >>> Indel()("lewenstein", "levenshtein")
    3.0
    """

    kind = "dissimilarity"
    _module = "Indel"

    def __init__(self, *, normalized: bool = False) -> None:
        self.normalized = normalized


@register("longest_common_subsequence")
class LongestCommonSubsequence(_Edit):
    """Length of the longest sequence of letters that both have in the same order.

    Parameters
    ----------
    normalized : bool, default=True
        Divide by the length of the longer string.

    Notes
    -----
    By rapidfuzz; O(l² / 64) per pair of length l.

    Examples
    --------
    >>> from similearn.similarities import LongestCommonSubsequence
    >>> LongestCommonSubsequence()("human", "chimpanzee")
    0.4
    """

    kind = "similarity"
    _module = "LCSseq"

    def __init__(self, *, normalized: bool = True) -> None:
        self.normalized = normalized


@register("jaro")
class Jaro(_Edit):
    """Jaro's similarity: shared letters not far apart, less for those out of order.

    Notes
    -----
    Jaro (1989), by rapidfuzz; between 0 and 1. O(l² / 64) per pair of length l.

    Examples
    --------
    >>> from similearn.similarities import Jaro
    >>> round(Jaro()("martha", "marhta"), 3)
    0.944
    """

    kind = "similarity"
    normalized = True
    _module = "Jaro"


@register("jaro_winkler")
class JaroWinkler(_Edit):
    """Jaro-Winkler similarity: Jaro's, more for strings that begin alike.

    Parameters
    ----------
    prefix_weight : float, default=0.1
        What each of at most four letters of a common beginning adds, at most 0.25.

    Notes
    -----
    Winkler (1990), by rapidfuzz, which adds for a beginning only where Jaro's similarity
    exceeds 0.7; between 0 and 1. O(l² / 64) per pair of length l.

    Examples
    --------
    >>> from similearn.similarities import JaroWinkler
    >>> round(JaroWinkler()("martha", "marhta"), 3)
    0.961
    """

    kind = "similarity"
    normalized = True
    _module = "JaroWinkler"

    def __init__(self, *, prefix_weight: float = 0.1) -> None:
        self.prefix_weight = prefix_weight

    def _options(self) -> dict[str, Any]:
        if not 0 <= self.prefix_weight <= 0.25:
            raise InputError(
                f"prefix_weight={self.prefix_weight!r}; expected a number from 0 to 0.25."
            )
        return {"prefix_weight": self.prefix_weight}


def as_sequences(objects: Any) -> list[Any]:
    """Return strings and sequences as rapidfuzz takes them; None and numbers are refused."""
    items = list(each_object(objects, _EXPECTED))
    for position, item in enumerate(items):
        if isinstance(item, np.ndarray) and item.ndim == 1:
            items[position] = item.tolist()
        elif isinstance(item, bytearray) or not isinstance(item, Sequence):
            refuse_object(position, item, f"{_EXPECTED}; fill in or drop what is missing")
    return items
