"""The best cut of each pair of samples, exactly, without sorting what cannot win.

A pair (x', x'') orders all samples by δ(x) = far(x, x') - far(x, x''), where far is d² for
dissimilarities and -s for similarities; a stump sends x to the near side of x' if δ(x) < v
(DBoost eq. 5). Its loss is half of real AdaBoost.MH's normalizer Z (Schapire and Singer
1999), Σ_l √(W₊W₋) over both sides.

Weights are multiples of `GRAIN` and sum to about one, so every sum of them is exact in
floating point, whatever its order: all ways to the best cut agree to the last bit.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import as_input, compiled, compiled_within
from similearn.numerics.pairs.far import Farness, far_of

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

GRAIN = 2.0**-50
"""Weights are rounded to multiples of this share of the total."""

SLACK = 1e-12
"""Relative rounding that a bound may suffer; a bucket is only dropped beyond it."""


class Cut(NamedTuple):
    """The best cut found: its loss, the position of its pair, and the values of δ around it."""

    loss: float
    pair: int
    low: float
    high: float


def best_cut(
    D: Floats,
    far: Farness,
    pairs: Indices,
    members: Indices,
    weights: Floats,
    marked: Indices,
) -> Cut:
    """Find the pair and threshold of least loss among all cuts of all pairs.

    Parameters
    ----------
    D : (n, n) entries; row a holds those of all samples with prototype a
    far : what far means
    pairs : (p, 2) prototypes x' and x''
    members : (m,) the samples that are cut
    weights : (m, K) of members and labels, multiples of `GRAIN`
    marked : (m,) the label that each member has, or -1 for none

    Returns
    -------
    Cut. Of equally good cuts the first pair wins, and of one pair the lowest threshold. The
    pair is -1 if no pair tells any two members apart.

    Notes
    -----
    The loss is concave in the weights (W₊, W₋) of one side, so its least value over a box of
    them lies in a corner: the cuts within a bucket of δ cannot be better than the corners of
    the box that the bucket spans. Only buckets that may beat the best cut known are sorted:
    O(p m K), and O(p m log m) at worst. Assumes checked input.
    """
    D, found = as_input(D), np.array([np.inf, -1.0, 0.0])
    _search_cuts(D, far.sign, far.scale, far.squared, pairs, members, weights, marked, found)
    loss, pair, low = found
    if pair < 0:
        return Cut(np.inf, -1, np.inf, np.inf)
    deltas = np.empty(len(members))
    _fill_deltas(D, far.sign, far.scale, far.squared, pairs[int(pair)], members, deltas)
    high = deltas[deltas > low].min(initial=np.inf)
    return Cut(float(loss), int(pair), float(low), float(high))


def best_sign(
    D: Floats,
    far: Farness,
    pairs: Indices,
    members: Indices,
    weights: Floats,
    marked: Indices,
) -> Cut:
    """Find the pair of least loss with the threshold at zero (DBoost eq. 4); see `best_cut`."""
    D, found = as_input(D), np.array([np.inf, -1.0])
    _search_signs(D, far.sign, far.scale, far.squared, pairs, members, weights, marked, found)
    return Cut(float(found[0]), int(found[1]), 0.0, 0.0)


def threshold(cut: Cut) -> float:
    """The middle between the values around a cut; strictly above the lower one."""
    middle = cut.low / 2 + cut.high / 2
    return middle if middle > cut.low else cut.high


@compiled
def _loss(plus, minus, all_plus, all_minus):  # type: ignore[no-untyped-def]
    """Half of Z for one label: √(W₊W₋) on both sides of a cut."""
    return np.sqrt(plus * minus) + np.sqrt((all_plus - plus) * (all_minus - minus))


@compiled
def _fill_deltas(D, sign, scale, squared, pair, members, deltas):  # type: ignore[no-untyped-def]
    """Fill in δ of each member; returns the least and the greatest."""
    one, other = D[pair[0]], D[pair[1]]
    low, high = np.inf, -np.inf
    for i in range(len(members)):
        delta = far_of(one[members[i]], sign, scale, squared)
        delta -= far_of(other[members[i]], sign, scale, squared)
        deltas[i] = delta
        low, high = min(low, delta), max(high, delta)
    return low, high


@compiled_within
def _find_buckets(deltas, low, high, n_buckets, buckets):  # type: ignore[no-untyped-def]
    """Put members into buckets of equal width."""
    factor = n_buckets / (high - low)
    if not np.isfinite(factor):  # δ varies less than floating point can divide
        factor = 0.0
    for i in range(len(deltas)):
        buckets[i] = min(int((deltas[i] - low) * factor), n_buckets - 1)


@compiled_within
def _sum_buckets(buckets, weights, marked, plus, total):  # type: ignore[no-untyped-def]
    """Sum weights from the lowest bucket on: ``plus[b]`` and ``total[b]`` are before bucket b."""
    n_labels = weights.shape[1]
    for bucket in range(len(plus)):
        for label in range(n_labels):
            plus[bucket, label] = total[bucket, label] = 0.0
    if n_labels == 1:  # without branches: twice as fast
        for i in range(len(buckets)):
            total[buckets[i] + 1, 0] += weights[i, 0]
            plus[buckets[i] + 1, 0] += weights[i, 0] if marked[i] == 0 else 0.0
    else:
        for i in range(len(buckets)):
            for label in range(n_labels):
                total[buckets[i] + 1, label] += weights[i, label]
            plus[buckets[i] + 1, marked[i]] += weights[i, marked[i]]
    for bucket in range(len(plus) - 1):
        for label in range(n_labels):
            plus[bucket + 1, label] += plus[bucket, label]
            total[bucket + 1, label] += total[bucket, label]


@compiled_within
def _bound_buckets(plus, total, bounds, ends):  # type: ignore[no-untyped-def]
    """Bound the losses of all cuts in each bucket from below.

    Returns the least bound, and the least loss at the end of a bucket.
    """
    n_buckets = len(bounds)
    for bucket in range(n_buckets):
        bounds[bucket] = ends[bucket] = 0.0
    for label in range(plus.shape[1]):
        all_plus = plus[n_buckets, label]
        all_minus = total[n_buckets, label] - all_plus
        old_plus, old_minus, old_end = 0.0, 0.0, np.sqrt(all_plus * all_minus)
        for bucket in range(n_buckets):
            new_plus = plus[bucket + 1, label]
            new_minus = total[bucket + 1, label] - new_plus
            end = _loss(new_plus, new_minus, all_plus, all_minus)
            one = _loss(new_plus, old_minus, all_plus, all_minus)
            other = _loss(old_plus, new_minus, all_plus, all_minus)
            bounds[bucket] += min(min(end, old_end), min(one, other))
            ends[bucket] += end
            old_plus, old_minus, old_end = new_plus, new_minus, end
    bound, least = np.inf, np.inf
    for bucket in range(n_buckets):
        bound, least = min(bound, bounds[bucket]), min(least, ends[bucket])
    return bound, least


@compiled_within
def _group_by_bucket(buckets, starts, order):  # type: ignore[no-untyped-def]
    """Sort members by bucket: those of bucket b are ``order[starts[b]:starts[b + 1]]``."""
    for bucket in range(len(starts)):
        starts[bucket] = 0
    for bucket in buckets:
        starts[bucket + 1] += 1
    for bucket in range(len(starts) - 1):
        starts[bucket + 1] += starts[bucket]
    for i in range(len(buckets) - 1, -1, -1):
        starts[buckets[i] + 1] -= 1
        order[starts[buckets[i] + 1]] = i
    for bucket in range(len(starts) - 1):  # filling moved every start one place down
        starts[bucket] = starts[bucket + 1]
    starts[len(starts) - 1] = len(buckets)


@compiled_within
def _sort(order, first, last, deltas):  # type: ignore[no-untyped-def]
    """Sort ``order[first:last]`` by δ, in place, by a heap: O(m log m) whatever the order is."""
    size = last - first
    for step in range(size // 2 + size - 1):  # make the heap, then take the greatest away
        root, end = size // 2 - 1 - step, size
        if root < 0:
            end += root
            order[first], order[first + end] = order[first + end], order[first]
            root = 0
        sifted = order[first + root]
        child = 2 * root + 1
        while child < end:
            if child + 1 < end and deltas[order[first + child]] < deltas[order[first + child + 1]]:
                child += 1
            if not deltas[sifted] < deltas[order[first + child]]:
                break
            order[first + root] = order[first + child]
            root, child = child, 2 * child + 1
        order[first + root] = sifted


@compiled_within
def _search_bucket(  # type: ignore[no-untyped-def]
    order, starts, bucket, deltas, high, weights, marked, plus, total, running, best
):
    """Try every cut after a member of one bucket; returns the least loss and its lower value."""
    first, last = starts[bucket], starts[bucket + 1]
    everything, n_labels = plus.shape[0] - 1, plus.shape[1]
    _sort(order, first, last, deltas)
    for label in range(n_labels):
        running[0, label], running[1, label] = plus[bucket, label], total[bucket, label]
    best_low = np.nan
    for position in range(first, last):
        i = order[position]
        for label in range(n_labels):
            running[1, label] += weights[i, label]
        if marked[i] >= 0:
            running[0, marked[i]] += weights[i, marked[i]]
        tied = position + 1 < last and deltas[order[position + 1]] == deltas[i]
        if tied or deltas[i] == high:
            continue
        loss = 0.0
        for label in range(n_labels):
            all_plus, near_plus = plus[everything, label], running[0, label]
            all_minus = total[everything, label] - all_plus
            loss += _loss(near_plus, running[1, label] - near_plus, all_plus, all_minus)
        if loss < best:
            best, best_low = loss, deltas[i]
    return best, best_low


@compiled
def _search_cuts(D, sign, scale, squared, pairs, members, weights, marked, found):  # type: ignore[no-untyped-def]
    m, n_labels = weights.shape
    n_buckets = max(min(m // 8, 128), 2)
    deltas, buckets = np.empty(m), np.empty(m, np.intp)
    plus, total = np.empty((n_buckets + 1, n_labels)), np.empty((n_buckets + 1, n_labels))
    bounds, ends, running = np.empty(n_buckets), np.empty(n_buckets), np.empty((2, n_labels))
    starts, order = np.empty(n_buckets + 1, np.intp), np.empty(m, np.intp)
    for pair in range(len(pairs)):
        low, high = _fill_deltas(D, sign, scale, squared, pairs[pair], members, deltas)
        if low == high:
            continue
        _find_buckets(deltas, low, high, n_buckets, buckets)
        _sum_buckets(buckets, weights, marked, plus, total)
        bound, least = _bound_buckets(plus, total, bounds, ends)
        limit = min(found[0], least) * (1.0 + SLACK)
        if bound > limit:
            continue
        _group_by_bucket(buckets, starts, order)
        for bucket in range(n_buckets):  # only those that may beat the best
            if starts[bucket] == starts[bucket + 1] or bounds[bucket] > limit:
                continue
            loss, lower = _search_bucket(
                order, starts, bucket, deltas, high, weights, marked, plus, total, running, found[0]
            )
            if loss < found[0]:
                found[0], found[1], found[2] = loss, pair, lower
                limit = min(limit, loss * (1.0 + SLACK))


@compiled
def _search_signs(D, sign, scale, squared, pairs, members, weights, marked, found):  # type: ignore[no-untyped-def]
    m, n_labels = weights.shape
    deltas = np.empty(m)
    sums = np.empty((4, n_labels))  # of the near side: marked, all; of both sides: the same
    for pair in range(len(pairs)):
        low, high = _fill_deltas(D, sign, scale, squared, pairs[pair], members, deltas)
        if low >= 0.0 or high < 0.0:
            continue
        for label in range(n_labels):
            sums[0, label] = sums[1, label] = sums[2, label] = sums[3, label] = 0.0
        for i in range(m):
            near = 1.0 if deltas[i] < 0.0 else 0.0
            for label in range(n_labels):
                sums[1, label] += near * weights[i, label]
                sums[3, label] += weights[i, label]
            if marked[i] >= 0:
                sums[0, marked[i]] += near * weights[i, marked[i]]
                sums[2, marked[i]] += weights[i, marked[i]]
        loss = 0.0
        for label in range(n_labels):
            plus, all_plus = sums[0, label], sums[2, label]
            loss += _loss(plus, sums[1, label] - plus, all_plus, sums[3, label] - all_plus)
        if loss < found[0]:
            found[0], found[1] = loss, pair
