"""Centroids and mean similarities of neighbourhoods: what SDA is made of.

A neighbourhood is a list of training samples. The whole training set is one of them, so
that global SDA (JMLR §6) is local SDA (RegSDA eq. 1-3) with all samples as neighbours.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.numerics.compiling import as_input, compiled, compiled_within
from similearn.numerics.sda.support import Support, to_unit

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
    """Wrap an array or CSR matrix without copying it, if it is in C order."""
    dense: Any = np.empty((0, 0))
    data: Any = np.empty(0)
    indices = indptr = np.empty(0, dtype=np.int32)
    if sparse.issparse(values):
        data, indices, indptr = values.data, values.indices, values.indptr
    else:
        dense = values
    positions = (as_input(indices, indices.dtype), as_input(indptr, indptr.dtype))
    return Entries(as_input(dense), as_input(data), *positions, absent)


def neighborhoods(
    entries: Entries,
    support: Support,
    near: Indices,
    known: Indices,
    codes: Indices,
    n_classes: int,
    *,
    large_is_near: bool,
    own: bool = True,
) -> Neighborhoods:
    """Local centroids (RegSDA eq. 1) and mean similarities to them (eq. 3).

    Parameters
    ----------
    entries : the training block, ψ(row, column)
    support : Ω
    near : (m, k), neighbours of each query, nearest first
    known : (m,), how many of them count; the rest are unknown to a sparse block
    codes : (n,), classes of the training samples
    n_classes : int
    large_is_near : whether a centroid has the largest sum to its class, or the least
    own : whether a sample's similarity to itself is part of its sum

    Notes
    -----
    Sums that agree to 1e-12 tie; the nearest to the query wins. Two members always tie where
    ψ is symmetric and self-similarities are equal. Cost for each query: O(Σ_g k_g² + k G) reads
    of the training block, and no copy of it.
    """
    m = len(near)
    counts = np.zeros((m, n_classes))
    centroids = np.zeros((m, n_classes), dtype=np.intp)
    means = np.zeros((m, n_classes, n_classes))
    width = max(near.shape[1], n_classes + 1)
    _neighborhoods(
        *entries,
        *support[:3],
        1.0 if large_is_near else -1.0,
        own,
        as_input(near, np.intp),
        as_input(known, np.intp),
        as_input(codes, np.intp),
        counts,
        centroids,
        means,
        np.empty((4, width), dtype=np.intp),
        np.empty((2, width)),
    )
    return Neighborhoods(counts, centroids, means)


def whole(
    entries: Entries,
    support: Support,
    codes: Indices,
    n_classes: int,
    *,
    large_is_near: bool,
    own: bool = True,
) -> Neighborhoods:
    """The neighbourhood that holds all training samples: global SDA."""
    near = np.arange(len(codes), dtype=np.intp)[None, :]
    known = np.array([len(codes)])
    return neighborhoods(
        entries, support, near, known, codes, n_classes, large_is_near=large_is_near, own=own
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
    found = to_unit(support, _at(entries, near[:, :, None], stats.centroids[:, None, :]))
    alike = np.searchsorted(edges, found, side="right")
    alike = alike == np.searchsorted(edges, units, side="right")[:, None, :]
    alike &= (np.arange(near.shape[1]) < known[:, None])[:, :, None]
    for g in range(stats.means.shape[1]):
        matches[:, g] = (alike & (codes[near] == g)[:, :, None]).sum(axis=1)
    return np.where(stats.present[:, None, :], matches, 0.0)


def _at(entries: Entries, rows: Indices, columns: Indices) -> Floats:
    """Entries at positions that are broadcast against each other."""
    if len(entries.dense):
        return entries.dense[rows, columns]
    width = int(max(entries.indices.max(initial=0), columns.max(initial=0))) + 1
    lengths = np.diff(entries.indptr)
    stored = np.repeat(np.arange(len(lengths)), lengths) * width + entries.indices
    wanted = rows * width + columns
    if not len(stored):
        return np.full(wanted.shape, entries.absent)
    inside = np.minimum(np.searchsorted(stored, wanted), len(stored) - 1)
    return np.where(stored[inside] == wanted, entries.data[inside], entries.absent)


@compiled
def _read(  # type: ignore[no-untyped-def]
    dense, data, indices, indptr, absent, low, width, factor, i, columns, start, stop, units
):
    """Unit similarities of row i to some columns; a call for each entry would cost more."""
    for j in range(start, stop):
        column = columns[j]
        if dense.shape[0] > 0:
            value = dense[i, column]
        else:
            left, right = indptr[i], indptr[i + 1]
            while left < right:
                middle = (left + right) // 2
                if indices[middle] < column:
                    left = middle + 1
                else:
                    right = middle
            stored = left < indptr[i + 1] and indices[left] == column
            value = data[left] if stored else absent
        unit = (value * factor - low) / width
        unit = unit if unit > 0.0 else 0.0
        units[j - start] = unit if unit < 1.0 else 1.0


@compiled_within
def _group(samples, codes, counts, ordered, starts):  # type: ignore[no-untyped-def]
    """Order samples by class; starts[g] is where class g begins. Fills counts."""
    for sample in samples:
        counts[codes[sample]] += 1.0
    place = 0
    for g in range(len(counts)):
        starts[g + 1] = place  # for now; filling moves it to where the class ends
        place += int(counts[g])
    starts[0] = 0
    for sample in samples:
        g = codes[sample]
        ordered[starts[g + 1]] = sample
        starts[g + 1] += 1


@compiled
def _neighborhoods(  # type: ignore[no-untyped-def]
    dense, data, indices, indptr, absent, low, width, factor, sign, own,
    near, known, codes, counts, centroids, means, places, room,
):  # fmt: skip
    n_classes, nothing = counts.shape[1], np.intp(0)
    ordered, starts, present, chosen = places[0], places[1], places[2], places[3]
    sums, units = room[0], room[1]
    for i in range(near.shape[0]):
        _group(near[i, : known[i]], codes, counts[i], ordered, starts)
        n_present = nothing
        for g in range(n_classes):
            start, size = starts[g], starts[g + 1] - starts[g]
            if size == 0:
                continue
            for a in range(size):
                sums[a] = 0.0
            for b in range(start, start + size):  # eq. 1: sums of similarities to all members
                _read(
                    dense, data, indices, indptr, absent, low, width, factor,
                    ordered[b], ordered, start, start + size, units,
                )  # fmt: skip
                if not own:
                    units[b - start] = 0.0
                for a in range(size):
                    sums[a] += sign * units[a]
            best = 0
            for a in range(1, size):
                if sums[a] > sums[best] + 1e-12 * size:
                    best = a
            centroids[i, g] = ordered[start + best]
            present[n_present], chosen[n_present] = g, ordered[start + best]
            n_present += 1
        for p in range(n_present):  # eq. 3: mean similarities to every centroid
            g = present[p]
            for b in range(starts[g], starts[g + 1]):
                _read(
                    dense, data, indices, indptr, absent, low, width, factor,
                    ordered[b], chosen, nothing, n_present, units,
                )  # fmt: skip
                for q in range(n_present):
                    means[i, g, present[q]] += units[q]
            for q in range(n_present):
                means[i, g, present[q]] /= starts[g + 1] - starts[g]
