"""Edit distance with real penalty of series."""

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import compiled

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


def real_penalty_distances(
    values_a: Floats, ends_a: Indices, values_b: Floats, ends_b: Indices, gap: float
) -> Floats:
    """Edit distance with real penalty of all pairs of series.

    Parameters
    ----------
    values_a, values_b : all series, one after the other
    ends_a, ends_b : (m + 1,) and (n + 1,), where each starts and ends
    gap : the value that stands where a series has a gap

    Returns
    -------
    (m, n)

    Notes
    -----
    Chen and Ng (2004), eq. 4: the least sum of |a_s - b_t| over pairs and of |a_s - gap|,
    |b_t - gap| over gaps. O(|a| |b|) per pair with one row of memory. Assumes checked input.
    """
    values = np.empty((len(ends_a) - 1, len(ends_b) - 1))
    longest = int(np.diff(ends_b).max(initial=0))
    _all_distances(values_a, ends_a, values_b, ends_b, gap, np.empty(longest + 1), values)
    return values


@compiled
def _all_distances(values_a, ends_a, values_b, ends_b, gap, row, values):  # type: ignore[no-untyped-def]
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            b = values_b[ends_b[j] : ends_b[j + 1]]
            row[0] = 0.0
            for t in range(len(b)):
                row[t + 1] = row[t] + abs(b[t] - gap)
            for s in range(ends_a[i], ends_a[i + 1]):
                a = values_a[s]
                skip_a = abs(a - gap)
                diagonal = row[0]
                row[0] += skip_a
                for t in range(len(b)):
                    best = min(
                        diagonal + abs(a - b[t]), row[t + 1] + skip_a, row[t] + abs(b[t] - gap)
                    )
                    diagonal = row[t + 1]
                    row[t + 1] = best
            values[i, j] = row[len(b)]
