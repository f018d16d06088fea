"""MinHash: signatures whose share of equal entries estimates Jaccard's coefficient."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_EMPTY = np.uint64(2**64 - 1)


def minhash_signatures(
    sets: Sequence[NDArray[np.int64]], n_hashes: int, seed: int
) -> NDArray[np.uint64]:
    """Least hash of every set under each of several hash functions.

    Parameters
    ----------
    sets : n arrays of codes, each without repetition
    n_hashes : how many hash functions x -> mix(a x + b mod 2^64), with a odd
    seed : which ones

    Returns
    -------
    (n, n_hashes). Two sets agree in one entry with the probability of their Jaccard coefficient
    (Broder 1997); empty sets agree with each other alone.

    Notes
    -----
    O(n_hashes × elements). Assumes checked input.
    """
    rng = np.random.default_rng(seed)
    factors = rng.integers(0, 2**63, n_hashes, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    offsets = rng.integers(0, 2**63, n_hashes, dtype=np.uint64)
    signatures = np.full((len(sets), n_hashes), _EMPTY)
    for i, codes in enumerate(sets):
        if len(codes):
            hashes = codes.view(np.uint64)[:, None] * factors + offsets
            # High bits depend on all lower ones, so they are folded down before the least is taken.
            hashes ^= hashes >> np.uint64(32)
            hashes *= np.uint64(0x9E3779B97F4A7C15)
            hashes ^= hashes >> np.uint64(29)
            signatures[i] = hashes.min(axis=0)
    return signatures
