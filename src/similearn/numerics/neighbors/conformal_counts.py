"""How many training samples are stranger than a query: the counts of conformal prediction.

The samples lie in the order of their classes, so that what is asked of a class is asked of a
stretch of memory, by loops without branches, which become vectors of the processor. What has to
be put in order are a few samples of each class, and they are ranked by counting: a branch that
cannot be foreseen takes as long as tens of comparisons.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import as_input, compiled, compiled_within
from similearn.numerics.neighbors.conformal import SAME, TrainingStrangeness

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_STEPS = np.uintp(10)  # towards a bound of the candidates; more would not spare any
_ZERO, _ONE, _EIGHT = np.uintp(0), np.uintp(1), np.uintp(8)
_UP = np.uintp(15)  # added, then masked out: the next multiple of 16, which is whole vectors
_LARGEST = np.finfo(np.float64).max


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
    at_least : (m, n_classes), members that are at least as strange; -1 if a value of the query
        is NaN or infinite
    above : (m, n_classes), members that are stranger

    Notes
    -----
    O(m (n + k² G)): scans of each row find the few samples that may be among the k nearest of
    their class, or may have the query among their own; only those are looked at again. The
    scans see whether all values are finite; all else is assumed checked.
    """
    at_least = np.empty((len(values), len(training.sizes)), dtype=np.intp)
    above = np.empty_like(at_least)
    known = [as_input(part, part.dtype) for part in training[:-1]]
    sign = -1.0 if largest else 1.0
    _count(*[as_input(values), sign, *known, *_work(training), at_least, above])
    return at_least, above


def _work(training: TrainingStrangeness) -> list[Any]:
    """Arrays in which one query after the other is worked at."""
    k, n_classes, n = training.n_neighbors, len(training.sizes), len(training.limits)
    flags = np.zeros(n, dtype=np.bool_)
    return [
        np.empty(n),  # a row in the order of classes
        np.empty(n + 16),  # the nearest of its parts
        flags,
        flags.view(np.uint64),
        np.empty(n // 8 + 1, dtype=np.uintp),  # eights of flags
        np.empty(n + 1, dtype=np.uintp),  # samples of a class to look at
        np.empty(n + 1, dtype=np.uintp),  # samples that the query may change,
        np.empty(n_classes, dtype=np.uintp),  # and where those of each class end
        np.empty(2 * k + 48 - 2 * k % 16),  # candidates, as many as whole vectors hold
        np.full((n_classes, k + 1), np.inf),  # the k nearest of each class, and an end
        np.empty(n_classes),  # their sums
        np.empty(n_classes, dtype=np.uintp),  # how many of them are merged
        np.empty(2 * k),  # at most k of one class, and k others
        np.empty(2 * k, dtype=np.uintp),  # their classes
    ]


@compiled
def _count(  # type: ignore[no-untyped-def]
    values, sign, places, starts, sizes, limits, samples, ordered, scales, counts,
    row, best, flags, words, chosen, hits, touched, ends, pool, nearest, own, taken, merged, codes,
    at_least, above,
):  # fmt: skip
    n_classes, k = np.uintp(len(sizes)), np.uintp(nearest.shape[1]) - _ONE
    for i in range(np.uintp(values.shape[0])):
        for j in range(np.uintp(values.shape[1])):
            row[np.uintp(places[j])] = sign * values[i, j]
        n_touched, sound = _ZERO, True
        for g in range(n_classes):
            begin, end = starts[g], starts[g] + sizes[g]
            bound = _bound(row, begin, end, k, best)
            n_hits = _find(row, limits, begin, end, bound, flags, words, chosen, hits)
            h, filled, more = _ZERO, _ZERO, True
            while more:
                while h < n_hits and filled < np.uintp(len(pool)):
                    t, d = hits[h], row[hits[h]]
                    sound &= abs(d) <= _LARGEST
                    touched[n_touched], pool[filled] = t, d
                    n_touched += np.uintp(d <= limits[t])
                    filled += np.uintp(d < bound)
                    h += _ONE
                more = h < n_hits
                own[g] = _rank(pool, filled, bound, nearest[g], counts[g, 0], scales[g, 0])
                if more:  # the k nearest so far stay in the pool
                    filled, bound = k, nearest[g, k - _ONE]
                    for p in range(k):
                        pool[p] = nearest[g, p]
            ends[g] = n_touched
        n_merged, before = _merge(nearest, taken, merged, codes), _ZERO
        for g in range(n_classes):
            rest, left = 0.0, counts[g, 1]
            for p in range(n_merged):
                used = (codes[p] != g) & (left > _ZERO)
                rest += merged[p] * scales[g, 1] if used else 0.0
                left -= np.uintp(used)
            score, end = _relative(own[g], rest), starts[g] + sizes[g]
            least, most = score - SAME, score + SAME
            lower = _first_at_least(ordered, starts[g], end, least)
            upper = lower
            while upper < end and ordered[upper] <= most:
                upper += _ONE
            many, fewer = np.intp(end - lower), np.intp(end - upper)
            for change in range(before, ends[g]):
                t = touched[change]
                d, last = row[t] * scales[g, 0], samples[t, 1]
                score = _relative(samples[t, 0] + (d if d < last else last), samples[t, 2])
                many += np.intp(score >= least) - np.intp(samples[t, 3] >= least)
                fewer += np.intp(score > most) - np.intp(samples[t, 3] > most)
            before = ends[g]
            at_least[i, g], above[i, g] = many if sound else -1, fewer if sound else -1


@compiled_within
def _bound(row, begin, end, k, best):  # type: ignore[no-untyped-def]
    """A value of a class that k of its values, and few more, reach; inf if the class is small.

    The class is folded, and the nearer of each two values kept, while enough are left. Each of
    those stands for samples of its own: the k-th of them is such a bound, or what is a bit
    farther, and found by fewer comparisons.
    """
    size, parts = end - begin, max(k + (k >> _ONE), _UP)
    half = ((size >> _ONE) + _UP) & ~_UP
    folded = size - half if parts <= half < size else _ZERO
    for p in range(folded):
        d, other = row[begin + p], row[begin + half + p]
        best[p] = other if other < d else d
    size = half if folded > _ZERO else _ZERO
    for p in range(folded, size):
        best[p] = row[begin + p]
    half = ((size >> _ONE) + _UP) & ~_UP
    while parts <= half < size:
        for p in range(size - half):
            d, other = best[p], best[half + p]
            best[p] = other if other < d else d
        size = half
        half = ((size >> _ONE) + _UP) & ~_UP
    low, high = -np.inf, np.inf
    for step in range(_STEPS):
        d = best[step]  # one of them, as values may be skewed, or the middle
        d = d if (low < d) & (d < high) else 0.5 * low + 0.5 * high
        reached = _ZERO
        for p in range(size):
            reached += np.uintp(best[p] <= d)
        low, high = low if reached >= k else d, d if reached >= k else high
    return high


@compiled_within
def _find(row, limits, begin, end, bound, flags, words, chosen, hits):  # type: ignore[no-untyped-def]
    """List the samples of a class to look at; returns how many there are."""
    for t in range(begin, end):
        d = row[t]
        flags[t] = not ((d > limits[t]) & (d >= bound) & (d <= _LARGEST))
    n_chosen, n_hits = _ZERO, _ZERO
    for word in range(begin // _EIGHT, (end + _EIGHT - _ONE) // _EIGHT):
        chosen[n_chosen] = word
        n_chosen += np.uintp(words[word] != 0)
    for c in range(n_chosen):
        for t in range(_EIGHT * chosen[c], _EIGHT * chosen[c] + _EIGHT):
            hits[n_hits] = t
            n_hits += np.uintp(flags[t])
    return n_hits


@compiled_within
def _rank(pool, filled, bound, nearest, count, scale):  # type: ignore[no-untyped-def]
    """Fill the nearest of a class in order, and return their scaled sum.

    They are of those in the pool, all below the bound, and the bound itself where they are few.
    """
    k, padded = np.uintp(len(nearest)) - _ONE, (filled + _UP) & ~_UP
    for p in range(filled, padded):
        pool[p] = np.inf
    for p in range(count):
        nearest[p] = -np.inf
    for p in range(filled):
        d, rank = pool[p], _ZERO
        for q in range(padded):
            rank += np.uintp(pool[q] < d)
        nearest[min(rank, k)] = d
    nearest[min(filled, k)] = bound
    nearest[k] = np.inf
    total, d = 0.0, -np.inf
    for p in range(count):  # equal values share a rank, and leave the next ones free
        d = nearest[p] if nearest[p] > d else d
        nearest[p] = d
        total += d * scale
    return total


@compiled_within
def _merge(nearest, taken, merged, codes):  # type: ignore[no-untyped-def]
    """List the nearest of all classes in order, until k remain without whichever class."""
    n_classes, k = np.uintp(nearest.shape[0]), np.uintp(nearest.shape[1]) - _ONE
    for g in range(n_classes):
        taken[g] = 0
    n_merged, most = _ZERO, _ZERO
    while n_merged < k + most:
        nearer, first = np.inf, _ZERO
        for g in range(n_classes):
            d = nearest[g, taken[g]]
            first ^= (first ^ g) & (_ZERO - np.uintp(d < nearer))  # no branch
            nearer = d if d < nearer else nearer
        if nearer == np.inf:
            break
        merged[n_merged], codes[n_merged] = nearer, first
        n_merged += _ONE
        taken[first] += _ONE
        most = max(most, taken[first])
    return n_merged


@compiled_within
def _first_at_least(ordered, begin, end, value):  # type: ignore[no-untyped-def]
    first, size = begin, end - begin
    while size > _ZERO:
        half = size >> _ONE
        below = ordered[first + half] < value
        first = first + half + _ONE if below else first
        size = size - half - _ONE if below else half
    return first


@compiled
def _relative(own, others):  # type: ignore[no-untyped-def]
    total = abs(own) + abs(others)
    return (own - others) / total if total > 0.0 else 0.0
