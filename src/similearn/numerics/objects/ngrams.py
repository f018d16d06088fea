"""N-grams of strings as numbers."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.objects.intersection import Histograms, spans

_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplying loses nothing
_SHIFT = np.uint64(29)
_EDGE = 0x110000  # beyond the last letter of Unicode
_MOST_LETTERS = 1 << 21  # of texts that are looked at at once


def ngram_profiles(texts: Sequence[str], shortest: int, longest: int, ends: bool) -> Histograms:
    """How often each n-gram occurs in each of the texts.

    Parameters
    ----------
    texts : n strings
    shortest, longest : lengths of the n-grams
    ends : whether n-grams of two letters and more see a mark before and after the string

    Notes
    -----
    A bin is a hash of 64 bits of the length and the letters; two of a million distinct n-grams
    share one with a probability of 3e-8. O(letters × n) for each length n, and a sort.
    """
    parts = [_profiles(part, shortest, longest, ends) for part in _parts(texts)]
    lengths = np.concatenate([np.zeros(1, dtype=np.int64), *(np.diff(p.ends) for p in parts)])
    return Histograms(
        np.concatenate([np.zeros(0, dtype=np.int64), *(part.bins for part in parts)]),
        np.concatenate([np.zeros(0), *(part.heights for part in parts)]),
        np.cumsum(lengths),
    )


def _parts(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Stretches of the texts of bounded length, so that the work fits the memory."""
    start = total = 0
    for position, text in enumerate(texts):
        if total > _MOST_LETTERS:
            yield texts[start:position]
            start, total = position, 0
        total += len(text)
    yield texts[start:]


def _profiles(texts: Sequence[str], shortest: int, longest: int, ends: bool) -> Histograms:
    """Profiles of texts whose n-grams all fit the memory."""
    plain = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    marked, marked_lengths = _marked(plain, lengths) if ends else (plain, lengths)
    codes, owners = [], []
    for n in range(shortest, longest + 1):
        letters, each = (plain, lengths) if n == 1 else (marked, marked_lengths)
        n_found = np.maximum(each - n + 1, 0)
        at = spans(np.cumsum(each) - each, n_found)
        codes.append(_hashed(letters.astype(np.uint64), at, n))
        owners.append(np.repeat(np.arange(len(texts)), n_found))
    return _counted(np.concatenate(codes), np.concatenate(owners), len(texts))


def _marked(
    letters: NDArray[np.uint32], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The letters of all texts with a mark before and after each text that is not empty."""
    longer = lengths + 2 * (lengths > 0)
    marked = np.full(int(longer.sum()), _EDGE, dtype=np.uint32)
    marked[spans(np.cumsum(longer) - longer + 1, lengths)] = letters
    return marked, longer


def _hashed(letters: NDArray[np.uint64], at: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Codes of the n letters from each position on."""
    code = np.full(len(at), n, dtype=np.uint64)
    for i in range(n):
        code = (code + letters[at + i] + np.uint64(1)) * _FACTOR
        code ^= code >> _SHIFT
    return code.view(np.int64)


def _counted(codes: NDArray[np.int64], owners: NDArray[np.int64], n_texts: int) -> Histograms:
    """Histograms of codes, given the text that each code is of."""
    order = np.lexsort((codes, owners))
    codes, owners = codes[order], owners[order]
    new = np.ones(len(codes), dtype=bool)
    new[1:] = (codes[1:] != codes[:-1]) | (owners[1:] != owners[:-1])
    first = np.flatnonzero(new)
    counts = np.diff(np.append(first, len(codes))).astype(np.float64)
    ends = np.searchsorted(owners[first], np.arange(n_texts + 1))
    return Histograms(codes[first], counts, ends)
