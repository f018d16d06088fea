"""Full conformal prediction by nearest neighbours, exactly, at about the cost of a search.

How strange a sample x of class g is among others: with ``a`` the mean dissimilarity to its
nearest samples of class g and ``b`` that to its nearest samples of other classes,

    strangeness = (a - b) / (|a| + |b|),

which for nonnegative dissimilarities orders samples as the ratio a / b does, and is defined
for similarities (as dissimilarities of the other sign) and for zeros, too. Of each there are
k, or as many as the class, or the rest, has.

Full conformal prediction asks, for each query and class g, how many members of g would be at
least as strange as the query if it were one of them. Taken literally that is a search among
all samples for each. But a query that joins class g changes a member of g only where it
replaces its k-th nearest, and never the samples of other classes near it (Cherubin,
Chatzikokolakis and Jaggi, Exact optimization of conformal predictors via incremental and
decremental learning, 2021): one comparison per query and sample.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import as_input, compiled, compiled_within

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

SAME = 1e-12
"""Strangenesses nearer than this are equal: their sums differ in rounding alone."""


class TrainingStrangeness(NamedTuple):
    """What is known of the training samples before any query comes.

    Parameters
    ----------
    codes : (n,) classes
    partial : (n,), dissimilarities to all but the last of the nearest of its own class, summed
    last : (n,), dissimilarity to the last, which a query may replace; inf if the class is so
        small that a query is added to it
    others : (n,), dissimilarities to the nearest of other classes, summed
    n_neighbors : k

    Notes
    -----
    All three are in units of a quarter of the mean, so that no sum overflows.
    """

    codes: Indices
    partial: Floats
    last: Floats
    others: Floats
    n_neighbors: int


def class_counts(codes: Indices, k: int) -> tuple[Indices, Indices]:
    """How many nearest of its own class, and of the others, make up the means of each class."""
    sizes = np.bincount(codes)
    return np.minimum(k, sizes), np.minimum(k, len(codes) - sizes)


def training_strangeness(
    own: list[Floats], others: list[Floats], codes: Indices, k: int
) -> TrainingStrangeness:
    """Gather the nearest of each training sample.

    Parameters
    ----------
    own : for each class g, (n_g, r), dissimilarities of its members to their nearest other
        members, nearest first; r is min(k, n_g - 1)
    others : for each class, (n_g, q), those to the nearest samples of other classes; q is
        min(k, n - n_g)
    codes : (n,) classes; the members of each are in the order of the training samples
    k : number of neighbours
    """
    n = len(codes)
    partial, last, far = np.empty(n), np.full(n, np.inf), np.empty(n)
    for g, (count, count_others) in enumerate(zip(*class_counts(codes, k), strict=True)):
        members = codes == g
        weighted = own[g] / (4 * count)
        partial[members] = weighted[:, : count - 1].sum(axis=1)
        if weighted.shape[1] == count:
            last[members] = weighted[:, -1]
        far[members] = (others[g] / (4 * count_others)).sum(axis=1)
    return TrainingStrangeness(codes, partial, last, far, k)


def strangeness(own: Floats, others: Floats) -> Floats:
    """Return (own - others) / (|own| + |others|), from -1 to 1; zero where both are zero."""
    total = np.abs(own) + np.abs(others)
    return np.divide(own - others, total, out=np.zeros_like(total), where=total > 0)


def stranger_counts(
    values: Floats, training: TrainingStrangeness, *, largest: bool
) -> tuple[Indices, Indices]:
    """How many members of each class are stranger than each query, if it were one of them.

    Parameters
    ----------
    values : (m, n), of the queries to the training samples
    training : from `training_strangeness`
    largest : whether large means near

    Returns
    -------
    at_least : (m, n_classes), members that are at least as strange
    above : (m, n_classes), members that are stranger

    Notes
    -----
    O(m (n + k² G)): one scan of each row finds the k nearest of every class, and the samples
    to which the query is nearer than their last neighbour; only those are looked at again.
    Before the first query, O(n log n). Assumes checked input.
    """
    codes, partial, last, others, k = training
    counts, counts_others = class_counts(codes, k)
    at_first = np.ones(len(codes))  # of classes that a query is added to: looked at again
    settled = np.isfinite(last)
    at_first[settled] = strangeness(partial + np.where(settled, last, 0.0), others)[settled]
    order = np.lexsort((at_first, codes))
    n_classes = len(counts)
    at_least = np.empty((len(values), n_classes), dtype=np.intp)
    above = np.empty_like(at_least)
    _count(
        as_input(values),
        -1.0 if largest else 1.0,
        as_input(codes, np.intp),
        partial,
        last,
        others,
        at_first,
        at_first[order],
        np.concatenate([[0], np.cumsum(np.bincount(codes))]).astype(np.intp),
        counts.astype(np.intp),
        counts_others.astype(np.intp),
        np.empty((n_classes, k)),
        at_least,
        above,
    )
    return at_least, above


@compiled
def _count(  # type: ignore[no-untyped-def]
    values, sign, codes, partial, last, others, at_first, ordered, starts, counts, counts_others,
    nearest, at_least, above,
):  # fmt: skip
    n_classes = len(nearest)
    touched = np.empty(len(codes), dtype=np.intp)
    limits, scores = np.empty(len(codes)), np.empty(n_classes)
    for j in range(len(codes)):
        limits[j] = last[j] * 4.0 * counts[codes[j]]
    for i in range(values.shape[0]):
        n_touched = _scan(values[i], sign, codes, limits, nearest, touched)
        _query_scores(nearest, counts, counts_others, scores)
        for g in range(n_classes):
            members = ordered[starts[g] : starts[g + 1]]
            at_least[i, g] = len(members) - np.searchsorted(members, scores[g] - SAME)
            above[i, g] = len(members) - np.searchsorted(members, scores[g] + SAME, side="right")
        for t in range(n_touched):
            j = touched[t]
            g = codes[j]
            own = partial[j] + min(last[j], sign * values[i, j] / (4.0 * counts[g]))
            score = _relative(own, others[j])
            at_least[i, g] += int(score >= scores[g] - SAME) - int(at_first[j] >= scores[g] - SAME)
            above[i, g] += int(score > scores[g] + SAME) - int(at_first[j] > scores[g] + SAME)


@compiled
def _relative(own, others):  # type: ignore[no-untyped-def]
    total = abs(own) + abs(others)
    return (own - others) / total if total > 0.0 else 0.0


@compiled_within
def _scan(row, sign, codes, limits, nearest, touched):  # type: ignore[no-untyped-def]
    """Fill the k nearest of each class, and return how many samples the query may change."""
    one, last = np.uintp(1), np.uintp(nearest.shape[1] - 1)
    nearest[:] = np.inf
    bounds = np.full(len(nearest), np.inf)  # the last of each class, side by side
    n_touched = np.uintp(0)
    for j in range(np.uintp(len(row))):
        d, g = sign * row[j], np.uintp(codes[j])
        if d <= limits[j]:
            touched[n_touched] = j
            n_touched += one
        if d < bounds[g]:
            place = last
            while place > 0 and nearest[g, place - one] > d:
                nearest[g, place] = nearest[g, place - one]
                place -= one
            nearest[g, place] = d
            bounds[g] = nearest[g, last]
    return n_touched


@compiled_within
def _query_scores(nearest, counts, counts_others, scores):  # type: ignore[no-untyped-def]
    """Strangeness of a query in each class.

    The nearest of all but one class are among the 2k nearest of all, if no class has more
    than k of them.
    """
    n_classes, k = nearest.shape
    merged, merged_codes = np.empty(2 * k), np.empty(2 * k, dtype=np.intp)
    taken, heads = np.zeros(n_classes, dtype=np.intp), nearest[:, 0].copy()
    n_merged = 0
    while n_merged < 2 * k:
        first = np.argmin(heads)
        if heads[first] == np.inf:
            break
        merged[n_merged], merged_codes[n_merged] = heads[first], first
        n_merged += 1
        taken[first] += 1
        heads[first] = nearest[first, taken[first]] if taken[first] < k else np.inf
    for g in range(n_classes):
        own, others, used = 0.0, 0.0, 0
        scale, scale_others = 1.0 / (4.0 * counts[g]), 1.0 / (4.0 * counts_others[g])
        for j in range(counts[g]):
            own += nearest[g, j] * scale
        for j in range(n_merged):
            if merged_codes[j] != g:
                others += merged[j] * scale_others
                used += 1
                if used == counts_others[g]:
                    break
        scores[g] = _relative(own, others)
