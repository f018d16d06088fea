"""N-grams of a string as numbers."""

import numpy as np
from numpy.typing import NDArray

_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that multiplying loses nothing
_SHIFT = np.uint64(29)
_EDGE = 0x110000  # beyond the last letter of Unicode


def ngram_codes(
    text: str, shortest: int, longest: int, ends: bool
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Codes of the distinct n-grams of a string in rising order, and how often each occurs.

    Parameters
    ----------
    shortest, longest : lengths of the n-grams
    ends : whether n-grams of two letters and more see a mark before and after the string

    Notes
    -----
    A code is a hash of 64 bits of the length and the letters; two of a million distinct n-grams
    share one with a probability of 3e-8. O(|text| (longest - shortest + 1)), and a sort.
    """
    letters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    edge = np.array([_EDGE], dtype=np.uint64)
    marked = np.concatenate([edge, letters, edge]) if ends and len(letters) else letters
    parts = []
    for n in range(shortest, longest + 1):
        row = letters if n == 1 else marked
        if len(row) < n:
            continue
        code = np.full(len(row) - n + 1, n, dtype=np.uint64)
        for i in range(n):
            code = (code + row[i : len(row) - n + 1 + i] + np.uint64(1)) * _FACTOR
            code ^= code >> _SHIFT
        parts.append(code.view(np.int64))
    if not parts:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    codes, counts = np.unique(np.concatenate(parts), return_counts=True)
    return codes, counts.astype(np.float64)
