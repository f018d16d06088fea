"""Sugeno's fuzzy integral of differences."""

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import compiled

Floats = NDArray[np.float64]


def sugeno_distances(A: Floats, B: Floats) -> Floats:
    r"""Sugeno integral of the differences of all pairs of rows.

    Parameters
    ----------
    A : (m, p), B : (n, p), with values between 0 and 1

    Returns
    -------
    (m, n): :math:`\sup_\alpha \min(\alpha, \#\{k : |a_k - b_k| \ge \alpha\} / p)`

    Notes
    -----
    With the differences in falling order :math:`h_1 \ge h_2 \ge \dots` it is
    :math:`\max_k \min(h_k, k / p)`. Counting them into p bins finds where the two cross,
    so no pair is sorted: O(m n p). Assumes checked input.
    """
    values = np.empty((len(A), len(B)))
    _all_pairs(A, B, values)
    return values


@compiled
def _all_pairs(A, B, values):  # type: ignore[no-untyped-def]
    p = A.shape[1]
    differences = np.empty(p)
    counts = np.empty(p + 1, dtype=np.int64)
    for i in range(A.shape[0]):
        for j in range(B.shape[0]):
            counts[:] = 0
            for k in range(p):
                difference = abs(A[i, k] - B[j, k])
                differences[k] = difference
                counts[min(int(difference * p), p)] += 1
            values[i, j] = _crossing(differences, counts)


@compiled
def _crossing(differences, counts):  # type: ignore[no-untyped-def]
    """max_k min(h_k, k/p) from the differences and how many lie in [k/p, (k+1)/p)."""
    p = len(differences)
    k, above = p, counts[p]  # above: how many are at least k/p
    while above < k:
        k -= 1
        above += counts[k]
    if above == k:
        return k / p
    # h_{k+1} lies in bin k, where it is the (k + 1 - those above the bin)-th largest.
    in_bin = np.empty(counts[k])
    found = 0
    for difference in differences:
        if min(int(difference * p), p) == k:
            in_bin[found] = difference
            found += 1
    in_bin.sort()
    rank = k + 1 - (above - counts[k])
    return max(k / p, in_bin[found - rank])
