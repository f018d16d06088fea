"""Sparse histograms, and how much two of them have in common."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_MOST_MATCHES = 1 << 20  # equal bins that are looked at at once, some 40 bytes each


class Histograms:
    """Sparse histograms one after the other; sliced and chosen from like a list.

    Parameters
    ----------
    bins, heights : the filled bins of all histograms, no bin twice in one of them
    ends : (n + 1,), where each histogram starts and ends

    Notes
    -----
    Which histograms fill a bin is sorted out once, at the first comparison with this collection
    on the right: keep a collection that is compared again and again.
    """

    def __init__(self, bins: Indices, heights: Floats, ends: Indices) -> None:
        self.bins, self.heights, self.ends = bins, heights, ends

    @classmethod
    def of(cls, bins: Sequence[Indices], heights: Sequence[Floats] | None = None) -> "Histograms":
        """Histograms of one array of bins each; without heights every one of them is one."""
        ends = np.concatenate([[0], np.cumsum([len(one) for one in bins])]).astype(np.int64)
        joined = np.concatenate([np.zeros(0, dtype=np.int64), *bins])
        high = np.ones(len(joined)) if heights is None else np.concatenate([np.zeros(0), *heights])
        return cls(joined, high, ends)

    def __len__(self) -> int:
        return len(self.ends) - 1

    def __getitem__(self, chosen: Any) -> "Histograms":
        """Return the histograms of a slice, or at some positions."""
        if isinstance(chosen, slice) and chosen.step in (None, 1):
            start, stop, _ = chosen.indices(len(self))
            ends = self.ends[start : max(stop, start) + 1]
            part = slice(ends[0], ends[-1])
            return Histograms(self.bins[part], self.heights[part], ends - ends[0])
        lengths = np.diff(self.ends)[chosen]
        at = spans(self.ends[:-1][chosen], lengths)
        ends = np.concatenate([[0], np.cumsum(lengths)])
        return Histograms(self.bins[at], self.heights[at], ends)

    @cached_property
    def totals(self) -> Floats:
        """Sum of the heights of each histogram, (n,)."""
        upto = np.concatenate([[0.0], np.cumsum(self.heights)])
        return np.diff(upto[self.ends])

    def intersections(self, other: "Histograms") -> Floats:
        """Sum over all bins of the smaller height, for all pairs.

        Returns
        -------
        (m, n)

        Notes
        -----
        A bin is looked up among those of the other side, O(log) each, and pairs are met only
        where both fill it: O(bins of the m histograms + bins in common), with a sort of the
        other side's bins before the first time. Assumes checked input.
        """
        bins, owners, heights = other._by_bin
        first = np.searchsorted(bins, self.bins)
        n_equal = np.searchsorted(bins, self.bins, side="right") - first
        upto = np.concatenate([[0], np.cumsum(n_equal)])[self.ends]
        values = np.empty((len(self), len(other)))
        start = 0
        while start < len(self):
            stop = int(np.searchsorted(upto, upto[start] + _MOST_MATCHES, side="right")) - 1
            stop = max(stop, start + 1)
            own = slice(self.ends[start], self.ends[stop])
            equal = spans(first[own], n_equal[own])
            rows = np.repeat(np.arange(stop - start), np.diff(upto[start : stop + 1]))
            common = np.minimum(np.repeat(self.heights[own], n_equal[own]), heights[equal])
            cells = rows * len(other) + owners[equal]
            size = (stop - start) * len(other)
            values[start:stop] = np.bincount(cells, common, size).reshape(stop - start, -1)
            start = stop
        return values

    @cached_property
    def _by_bin(self) -> tuple[Indices, Indices, Floats]:
        """All bins in rising order, with the histogram that fills each, and its height."""
        order = np.argsort(self.bins, kind="stable")
        owners = np.repeat(np.arange(len(self)), np.diff(self.ends))
        return self.bins[order], owners[order], self.heights[order]

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("bins", "heights", "ends")}


def spans(starts: Indices, lengths: Indices) -> Indices:
    """Positions start, start + 1, … of many stretches, one stretch after the other.

    Examples
    --------
    >>> spans(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    before = np.cumsum(lengths) - lengths
    return np.arange(int(lengths.sum())) + np.repeat(starts - before, lengths)
