"""Intersections of sparse histograms."""

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import compiled

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


def histogram_intersections(
    bins_a: Indices,
    heights_a: Floats,
    ends_a: Indices,
    bins_b: Indices,
    heights_b: Floats,
    ends_b: Indices,
) -> Floats:
    """Sum over all bins of the smaller height, for all pairs of sparse histograms.

    Parameters
    ----------
    bins_a, heights_a : the filled bins of all histograms, one histogram after the other,
        each with its bins in rising order
    ends_a : (m + 1,), where each histogram starts and ends
    bins_b, heights_b, ends_b : likewise, n histograms

    Returns
    -------
    (m, n)

    Notes
    -----
    Two sorted lists are merged for every pair: O(filled bins of both). Assumes checked input.
    """
    values = np.empty((len(ends_a) - 1, len(ends_b) - 1))
    _merge_all(bins_a, heights_a, ends_a, bins_b, heights_b, ends_b, values)
    return values


@compiled
def _merge_all(bins_a, heights_a, ends_a, bins_b, heights_b, ends_b, values):  # type: ignore[no-untyped-def]
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            total = 0.0
            p, q = ends_a[i], ends_b[j]
            while p < ends_a[i + 1] and q < ends_b[j + 1]:
                if bins_a[p] == bins_b[q]:
                    total += min(heights_a[p], heights_b[q])
                    p += 1
                    q += 1
                elif bins_a[p] < bins_b[q]:
                    p += 1
                else:
                    q += 1
            values[i, j] = total
