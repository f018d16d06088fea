"""Neighbours that are known already: put in order, and with the sample itself among them."""

import numpy as np

from similearn.data.values import Floats, Indices

Found = tuple[Indices, Floats]


def with_selves(others: Found, selves: Floats, largest: bool) -> Found:
    """Neighbours among all samples, oneself included, from the K nearest of the others.

    They are K too, or all there are: the one after those may be another one.
    """
    near, values = others
    n, k = near.shape
    near = np.column_stack([near, np.arange(n)])
    near, values = in_order(near, np.column_stack([values, selves]), largest)
    known = n if k == n - 1 else k
    return near[:, :known], values[:, :known]


def in_order(near: Indices, values: Floats, largest: bool) -> Found:
    """Sort each row: nearest first, equally near ones in column order."""
    order = np.lexsort((near, -values if largest else values), axis=1)
    return np.take_along_axis(near, order, axis=1), np.take_along_axis(values, order, axis=1)


def spread_out(n: int, codes: Indices | None, most: int) -> Indices:
    """Positions of some `most` samples, evenly spaced; of each class its share, at least eight."""
    if codes is None:
        return np.unique(np.linspace(0, n - 1, most).astype(np.intp))
    chosen = []
    for g in np.unique(codes):
        members = np.flatnonzero(codes == g)
        share = min(max(most * len(members) // n, 8), len(members))
        chosen.append(members[np.linspace(0, len(members) - 1, share).astype(np.intp)])
    return np.sort(np.concatenate(chosen))
