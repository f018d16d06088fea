"""Centroids and mean similarities of neighbourhoods: what SDA is made of.

A neighbourhood is a list of training samples. The whole training set is one of them, so
that global SDA (JMLR §6) is local SDA (RegSDA eq. 1-3) with all samples as neighbours.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.numerics.compiling import compiled
from similearn.numerics.sda.support import Support

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


def match_counts(
    entries: Entries,
    support: Support,
    near: Indices,
    known: Indices,
    codes: Indices,
    stats: Neighborhoods,
    units: Floats,
    edges: Floats,
) -> Floats:
    """Neighbours of class g as similar to centroid h as the query is, (m, G, G).

    Parameters
    ----------
    entries, support, near, known, codes, stats : as for, and from, `neighborhoods`
    units : (m, G), unit similarity of the query to the centroid h
    edges : (B - 1,), inner edges of the intervals within which similarities count as equal
    """
    matches = np.zeros_like(stats.means)
    queries = np.searchsorted(edges, units, side="right")
    _match_counts(
        entries, support, near, known, codes, stats.counts, stats.centroids, queries, edges, matches
    )
    return matches


@compiled
def _read(entries, support, i, columns, units):  # type: ignore[no-untyped-def]
    """Unit similarities of row i to the columns; a call for each entry would cost more."""
    if entries.dense.shape[0] > 0:
        row = entries.dense[i]
        for j in range(len(columns)):
            units[j] = row[columns[j]]
    else:
        low, high = entries.indptr[i], entries.indptr[i + 1]
        for j in range(len(columns)):
            position = low + np.searchsorted(entries.indices[low:high], columns[j])
            stored = position < high and entries.indices[position] == columns[j]
            units[j] = entries.data[position] if stored else entries.absent
    least, width, factor = support.low, support.width, support.factor
    for j in range(len(columns)):
        units[j] = min(max((units[j] * factor - least) / width, 0.0), 1.0)


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
def _centroid(entries, support, members, sign, sums, units):  # type: ignore[no-untyped-def]
    """The member with the largest (or least) sum-similarity to all members (eq. 1)."""
    n = len(members)
    sums[:n] = 0.0
    for z in members:
        _read(entries, support, z, members, units)
        for a in range(n):
            sums[a] += sign * units[a]
    best = 0
    for a in range(1, n):
        if sums[a] > sums[best] + 1e-12 * n:
            best = a
    return members[best]


@compiled
def _mean_units(entries, support, members, present, centroids, units, means):  # type: ignore[no-untyped-def]
    """Mean unit similarity of the members of one class to every centroid (eq. 3)."""
    for z in members:
        _read(entries, support, z, centroids, units)
        for j in range(len(present)):
            means[present[j]] += units[j]
    for h in present:
        means[h] /= len(members)


@compiled
def _neighborhoods(  # type: ignore[no-untyped-def]
    entries, support, near, known, codes, sign, counts, centroids, means
):
    k, n_classes = near.shape[1], counts.shape[1]
    ordered, sums, units = np.empty(k, dtype=np.intp), np.empty(k), np.empty(k)
    starts = np.empty(n_classes + 1, dtype=np.intp)
    for i in range(near.shape[0]):
        _group(np.sort(near[i, : known[i]]), codes, counts[i], ordered, starts)
        present = np.flatnonzero(counts[i])
        for g in present:
            members = ordered[starts[g] : starts[g + 1]]
            centroids[i, g] = _centroid(entries, support, members, sign, sums, units)
        chosen = centroids[i][present]
        for g in present:
            members = ordered[starts[g] : starts[g + 1]]
            _mean_units(entries, support, members, present, chosen, units, means[i, g])


@compiled
def _match_counts(  # type: ignore[no-untyped-def]
    entries, support, near, known, codes, counts, centroids, queries, edges, matches
):
    units = np.empty(counts.shape[1])
    for i in range(near.shape[0]):
        present = np.flatnonzero(counts[i])
        chosen = centroids[i][present]
        for z in near[i, : known[i]]:
            _read(entries, support, z, chosen, units)
            for j in range(len(present)):
                h = present[j]
                interval = np.searchsorted(edges, units[j], side="right")
                matches[i, codes[z], h] += interval == queries[i, h]
