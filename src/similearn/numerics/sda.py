"""Centroids and mean similarities of neighbourhoods: what SDA is made of.

A neighbourhood is a list of training samples. The whole training set is one of them, so
that global SDA (JMLR §6) is local SDA (RegSDA eq. 1-3) with all samples as neighbours.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.numerics.compiling import compiled
from similearn.numerics.support import Support

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


class Entries(NamedTuple):
    """A block that compiled code can read, dense or CSR; the other kind is empty.

    Parameters
    ----------
    dense : (m, n) or (0, 0)
    data, indices, indptr : CSR with sorted indices
    absent : value of what is not stored; infinite, hence farthest, if unknown
    """

    dense: Floats
    data: Floats
    indices: NDArray[Any]
    indptr: NDArray[Any]
    absent: float


class Neighborhoods(NamedTuple):
    """Statistics of m neighbourhoods over G classes.

    Parameters
    ----------
    counts : (m, G), neighbours of each class
    centroids : (m, G), training samples; 0 where a class is absent
    means : (m, G, G), mean unit similarity of class g to the centroid of class h; 0 where
        either is absent
    """

    counts: Floats
    centroids: Indices
    means: Floats

    @property
    def present(self) -> NDArray[np.bool_]:
        """(m, G), whether a class has a neighbour."""
        return self.counts > 0

    @property
    def defined(self) -> NDArray[np.bool_]:
        """(m, G, G), whether both classes of a pair have one."""
        return self.present[:, :, None] & self.present[:, None, :]


def entries_of(values: Any, absent: float) -> Entries:
    """Wrap an array or CSR matrix without copying it."""
    if sparse.issparse(values):
        return Entries(np.empty((0, 0)), values.data, values.indices, values.indptr, absent)
    none = np.empty(0, dtype=np.int32)
    return Entries(values, np.empty(0), none, none, absent)


def neighborhoods(
    entries: Entries,
    support: Support,
    near: Indices,
    known: Indices,
    codes: Indices,
    n_classes: int,
    *,
    large_is_near: bool,
) -> Neighborhoods:
    """Local centroids (RegSDA eq. 1) and mean similarities to them (eq. 3).

    Parameters
    ----------
    entries : the training block, ψ(row, column)
    support : Ω
    near : (m, k), neighbours of each query
    known : (m,), how many of them count; the rest are unknown to a sparse block
    codes : (n,), classes of the training samples
    n_classes : int
    large_is_near : whether a centroid has the largest sum to its class, or the least

    Notes
    -----
    Sums that agree to 1e-12 tie; the first training sample wins. Cost for each query:
    O(Σ_g k_g² + k G) reads of the training block, and no copy of it.
    """
    m = len(near)
    counts = np.zeros((m, n_classes))
    centroids = np.zeros((m, n_classes), dtype=np.intp)
    means = np.zeros((m, n_classes, n_classes))
    sign = 1.0 if large_is_near else -1.0
    _neighborhoods(entries, support, near, known, codes, sign, counts, centroids, means)
    return Neighborhoods(counts, centroids, means)


def whole(
    entries: Entries, support: Support, codes: Indices, n_classes: int, *, large_is_near: bool
) -> Neighborhoods:
    """The neighbourhood that holds all training samples: global SDA."""
    near = np.arange(len(codes), dtype=np.intp)[None, :]
    known = np.array([len(codes)])
    return neighborhoods(
        entries, support, near, known, codes, n_classes, large_is_near=large_is_near
    )


def units_at(entries: Entries, support: Support, columns: Indices) -> Floats:
    """Unit similarities (m, r) of each row of a block to r columns of its own."""
    units = np.empty(columns.shape)
    _units_at(entries, support, columns, units)
    return units


def match_counts(
    entries: Entries,
    support: Support,
    near: Indices,
    known: Indices,
    codes: Indices,
    stats: Neighborhoods,
    units: Floats,
) -> Floats:
    """Neighbours of class g whose level of similarity to centroid h is the query's, (m, G, G)."""
    matches = np.zeros_like(stats.means)
    queries = nearest_levels(support.levels, units)
    _match_counts(
        entries, support, near, known, codes, stats.counts, stats.centroids, queries, matches
    )
    return matches


def nearest_levels(levels: Floats, units: Floats) -> Indices:
    """Positions of the levels nearest to unit coordinates; halfway goes up."""
    middles = (levels[1:] + levels[:-1]) / 2
    return np.searchsorted(middles, units, side="right")


@compiled
def _unit(entries, support, i, j):  # type: ignore[no-untyped-def]
    """Unit similarity of row i to column j."""
    if entries.dense.shape[0] > 0:
        value = entries.dense[i, j]
    else:
        value = entries.absent
        low, high = entries.indptr[i], entries.indptr[i + 1]
        position = low + np.searchsorted(entries.indices[low:high], j)
        if position < high and entries.indices[position] == j:
            value = entries.data[position]
    return min(max((value * support.factor - support.low) / support.width, 0.0), 1.0)


@compiled
def _group(samples, codes, counts, ordered, starts):  # type: ignore[no-untyped-def]
    """Order samples by class; starts[g] is where class g begins. Fills counts."""
    for sample in samples:
        counts[codes[sample]] += 1.0
    starts[0] = 0
    for g in range(len(counts)):
        starts[g + 1] = starts[g] + int(counts[g])
    filled = starts[:-1].copy()
    for sample in samples:
        ordered[filled[codes[sample]]] = sample
        filled[codes[sample]] += 1


@compiled
def _centroid(entries, support, members, sign, sums):  # type: ignore[no-untyped-def]
    """The member with the largest (or least) sum-similarity to all members (eq. 1)."""
    sums[: len(members)] = 0.0
    for z in members:
        for a in range(len(members)):
            sums[a] += sign * _unit(entries, support, z, members[a])
    best = 0
    for a in range(1, len(members)):
        if sums[a] > sums[best] + 1e-12 * len(members):
            best = a
    return members[best]


@compiled
def _neighborhoods(  # type: ignore[no-untyped-def]
    entries, support, near, known, codes, sign, counts, centroids, means
):
    k, n_classes = near.shape[1], counts.shape[1]
    ordered, sums = np.empty(k, dtype=np.intp), np.empty(k)
    starts = np.empty(n_classes + 1, dtype=np.intp)
    for i in range(near.shape[0]):
        _group(np.sort(near[i, : known[i]]), codes, counts[i], ordered, starts)
        for g in range(n_classes):
            if counts[i, g] > 0:
                members = ordered[starts[g] : starts[g + 1]]
                centroids[i, g] = _centroid(entries, support, members, sign, sums)
        for g in range(n_classes):
            _mean_units(
                entries,
                support,
                ordered[starts[g] : starts[g + 1]],
                counts[i],
                centroids[i],
                means[i, g],
            )


@compiled
def _mean_units(entries, support, members, counts, centroids, means):  # type: ignore[no-untyped-def]
    """Mean unit similarity of the members of one class to every centroid (eq. 3)."""
    for z in members:
        for h in range(len(counts)):
            if counts[h] > 0:
                means[h] += _unit(entries, support, z, centroids[h])
    for h in range(len(counts)):
        if len(members) > 0:
            means[h] /= len(members)


@compiled
def _units_at(entries, support, columns, units):  # type: ignore[no-untyped-def]
    for i in range(columns.shape[0]):
        for j in range(columns.shape[1]):
            units[i, j] = _unit(entries, support, i, columns[i, j])


@compiled
def _match_counts(  # type: ignore[no-untyped-def]
    entries, support, near, known, codes, counts, centroids, queries, matches
):
    middles = (support.levels[1:] + support.levels[:-1]) / 2
    for i in range(near.shape[0]):
        for z in near[i, : known[i]]:
            for h in range(counts.shape[1]):
                if counts[i, h] > 0:
                    unit = _unit(entries, support, z, centroids[i, h])
                    if np.searchsorted(middles, unit, side="right") == queries[i, h]:
                        matches[i, codes[z], h] += 1.0
