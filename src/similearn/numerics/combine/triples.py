"""The hinge loss of triples (2) of CDNN and its gradient, without listing the triples.

A triple (i, j, k) asks that target j, one of the p nearest samples of i's own class, be nearer to
i than k of another class, by a margin of one:  (δ(i,j) - δ(i,k) + 1)₊.  Given the matrix of δ, all
triples are walked in a compiled loop that keeps counts of pairs alone; loss and gradient are sums
over the n(n-1)/2 pairs, whose vectors π are read in stretches. Millions of triples cost no memory.

Samples come class by class, so that those of other classes are two stretches of each row.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import compiled

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

STRETCH = 4096  # pairs worked on at once: a few hundred kB of temporaries


class Triples(NamedTuple):
    """All triples of n samples that are sorted by class.

    Attributes
    ----------
    pairs : (M, n(n-1)/2), π of the pairs i < j, row by row of the upper triangle
    starts, ends : (n,), where the class of each sample begins and ends
    targets : (n, p), positions of the nearest samples of the same class; -1 where a class is small
    n_triples : |T|
    """

    pairs: Floats
    starts: Indices
    ends: Indices
    targets: Indices
    n_triples: int

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.starts)


class Cut(NamedTuple):
    """A tangent of the mean hinge loss: loss(A) ≥ offset + <slope, A>, equal where it was taken."""

    slope: Floats  # (M, M), symmetric
    offset: float
    loss: float


def pair_vectors(blocks: Floats) -> Floats:
    """π of all pairs i < j, (M, n(n-1)/2), from symmetric blocks (M, n, n)."""
    return np.stack([block[np.triu_indices(block.shape[0], 1)] for block in blocks])


def class_ranges(codes: Indices) -> tuple[Indices, Indices]:
    """Where the class of each sample begins and ends; codes ascend."""
    starts = np.searchsorted(codes, codes, side="left").astype(np.intp)
    return starts, np.searchsorted(codes, codes, side="right").astype(np.intp)


def make_triples(pairs: Floats, codes: Indices, delta: Floats, n_targets: int) -> Triples:
    """Choose target neighbours by the dissimilarity `delta`, (n, n); codes ascend.

    Notes
    -----
    A sample of a class with no more than p others has all of them as targets.
    """
    starts, ends = class_ranges(codes)
    targets = np.full((len(codes), n_targets), -1, dtype=np.intp)
    _nearest_in_class(delta, starts, ends, targets)
    others = len(codes) - (ends - starts)
    count = int(((targets >= 0).sum(axis=1) * others).sum())
    return Triples(pairs, starts, ends, targets, count)


def combined(pairs: Floats, A: Floats) -> Floats:
    """δ = πᵀAπ of every pair, (N,), from (M, N): O(N M²)."""
    delta = np.empty(pairs.shape[1])
    for start in range(0, pairs.shape[1], STRETCH):
        part = pairs[:, start : start + STRETCH]
        np.einsum("mn,mn->n", A @ part, part, out=delta[start : start + STRETCH])
    return delta


def weighted_outer(pairs: Floats, weights: Floats) -> Floats:
    """Σ w ππᵀ over pairs, (M, M): O(N M²)."""
    total = np.zeros((len(pairs), len(pairs)))
    for start in range(0, pairs.shape[1], STRETCH):
        part = pairs[:, start : start + STRETCH]
        total += (part * weights[start : start + STRETCH]) @ part.T
    return (total + total.T) / 2


def square(values: Floats, n: int) -> Floats:
    """Symmetric matrix (n, n) with zero diagonal from its upper triangle (N,)."""
    matrix = np.zeros((n, n))
    _fill(values, matrix)
    return matrix


def delta_matrix(triples: Triples, A: Floats) -> Floats:
    """δ of all pairs of samples, (n, n)."""
    return square(combined(triples.pairs, A), triples.n_samples)


def mean_hinge(triples: Triples, delta: Floats) -> float:
    """Mean hinge loss of all triples at the dissimilarities `delta`, (n, n): O(n² p)."""
    total = _hinge_sum(delta, triples.targets, triples.starts, triples.ends)
    return float(total) / max(triples.n_triples, 1)


def tangent(triples: Triples, delta: Floats) -> Cut:
    """Loss and subgradient (2) at the dissimilarities `delta`, without the regularizer.

    Notes
    -----
    The slope is Σ over violated triples of (ππᵀ of (i,j) - ππᵀ of (i,k)) / |T|. Pairs are
    counted first, O(n² p), then weighed once each, O(n² M²).
    """
    counts = np.zeros_like(delta)
    total, active = _hinge_counts(delta, triples.targets, triples.starts, triples.ends, counts)
    folded = np.empty(triples.pairs.shape[1])
    _fold(counts, folded)
    count = max(triples.n_triples, 1)  # without a triple, in a small fold, there is no loss
    slope = weighted_outer(triples.pairs, folded) / count
    return Cut(slope, active / count, total / count)


def sampled_slope(triples: Triples, A: Floats, draws: Floats) -> Floats:
    """Subgradient of the mean hinge loss over r random triples, one for each row of `draws`.

    Parameters
    ----------
    draws : (r, 3), uniform in [0, 1): they choose the sample, its target, the other
    """
    sizes = (triples.targets >= 0).sum(axis=1)
    others = triples.n_samples - (triples.ends - triples.starts)
    shares = np.cumsum(sizes * others).astype(np.float64)
    samples = np.searchsorted(shares, draws[:, 0] * shares[-1], side="right")
    slope = np.zeros_like(A)
    _sampled(
        triples.pairs,
        A,
        triples.targets,
        sizes,
        triples.starts,
        triples.ends,
        samples,
        draws,
        slope,
    )
    return slope / len(draws)


@compiled
def _nearest_in_class(delta, starts, ends, targets):  # type: ignore[no-untyped-def]
    """Insert into a short sorted list; equally near samples in their order."""
    p = targets.shape[1]
    for i in range(len(starts)):
        kept, filled = targets[i], 0
        for j in range(starts[i], ends[i]):
            if j == i or (filled == p and delta[i, j] >= delta[i, kept[p - 1]]):
                continue
            place = min(filled, p - 1)
            while place > 0 and delta[i, kept[place - 1]] > delta[i, j]:
                kept[place] = kept[place - 1]
                place -= 1
            kept[place] = j
            filled = min(filled + 1, p)


@compiled
def _fill(values, matrix):  # type: ignore[no-untyped-def]
    position, n = 0, len(matrix)
    for i in range(n):
        for j in range(i + 1, n):
            matrix[i, j] = values[position]
            matrix[j, i] = values[position]
            position += 1


@compiled
def _fold(matrix, values):  # type: ignore[no-untyped-def]
    """Sum both directions of each pair."""
    position, n = 0, len(matrix)
    for i in range(n):
        for j in range(i + 1, n):
            values[position] = matrix[i, j] + matrix[j, i]
            position += 1


@compiled
def _hinge_sum(delta, targets, starts, ends):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(starts)):
        row = delta[i]
        for j in targets[i]:
            if j < 0:
                break
            limit, part = row[j] + 1.0, 0.0
            for k in range(starts[i]):
                part += max(limit - row[k], 0.0)
            for k in range(ends[i], len(row)):
                part += max(limit - row[k], 0.0)
            total += part
    return total


@compiled
def _hinge_counts(delta, targets, starts, ends, counts):  # type: ignore[no-untyped-def]
    """Sum of the hinge, violated triples; counts each pair as target (+) and as other (-)."""
    total, active = 0.0, 0
    for i in range(len(starts)):
        row, tally = delta[i], counts[i]
        for j in targets[i]:
            if j < 0:
                break
            limit, violated, part = row[j] + 1.0, 0.0, 0.0
            for stretch in range(2):
                first = 0 if stretch == 0 else ends[i]
                last = starts[i] if stretch == 0 else len(row)
                for k in range(first, last):
                    short = 1.0 if row[k] < limit else 0.0
                    part += short * (limit - row[k])
                    tally[k] -= short
                    violated += short
            tally[j] += violated
            total += part
            active += int(violated)
    return total, active


@compiled
def _pair_position(i, j, n):  # type: ignore[no-untyped-def]
    """Place of a pair in the upper triangle, row by row."""
    low, high = min(i, j), max(i, j)
    return low * (2 * n - low - 1) // 2 + high - low - 1


@compiled
def _form(pairs, position, A):  # type: ignore[no-untyped-def]
    total = 0.0
    for a in range(len(A)):
        part = 0.0
        for b in range(len(A)):
            part += A[a, b] * pairs[b, position]
        total += part * pairs[a, position]
    return total


@compiled
def _add_outer(pairs, position, sign, slope):  # type: ignore[no-untyped-def]
    for a in range(len(slope)):
        scaled = sign * pairs[a, position]
        for b in range(len(slope)):
            slope[a, b] += scaled * pairs[b, position]


@compiled
def _sampled(  # type: ignore[no-untyped-def]
    pairs, A, targets, sizes, starts, ends, samples, draws, slope
):
    n = len(starts)
    for r in range(len(samples)):
        i = samples[r]
        j = targets[i, int(draws[r, 1] * sizes[i])]
        k = int(draws[r, 2] * (n - ends[i] + starts[i]))
        if k >= starts[i]:
            k += ends[i] - starts[i]
        near, far = _pair_position(i, j, n), _pair_position(i, k, n)
        if _form(pairs, near, A) - _form(pairs, far, A) + 1.0 > 0.0:
            _add_outer(pairs, near, 1.0, slope)
            _add_outer(pairs, far, -1.0, slope)
