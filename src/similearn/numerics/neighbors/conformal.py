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

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
Unsigned = NDArray[np.uintp]

SAME = 1e-12
"""Strangenesses nearer than this are equal: their sums differ in rounding alone."""


class TrainingStrangeness(NamedTuple):
    """What is known of the training samples before any query comes, in the order of classes.

    Parameters
    ----------
    places : (n,), where each training sample is found below: class after class, each from a
        multiple of eight on, so that eight samples are of one class
    starts, sizes : (n_classes,), where each class begins, and how many members it has
    limits : (N,), dissimilarity to the last of the nearest of its own class, which a nearer query
        replaces; inf if the class is so small that a query is added to it
    samples : (N, 4), dissimilarities to all but the last of the nearest of its own class, summed;
        to the last; to the nearest of other classes, summed; and the strangeness by them, which
        is 1 in a class that a query is added to
    ordered : (N,), the strangenesses of each class, sorted
    scales : (n_classes, 2), what makes a sum of own and of other neighbours a quarter of a mean
    counts : (n_classes, 2), how many neighbours are summed
    n_neighbors : k

    Notes
    -----
    The `samples` are in units of a quarter of the mean, so that no sum overflows.
    """

    places: NDArray[np.uint32]
    starts: Unsigned
    sizes: Unsigned
    limits: Floats
    samples: Floats
    ordered: Floats
    scales: Floats
    counts: Unsigned
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
    n, counts = len(codes), np.stack(class_counts(codes, k), axis=1)
    partial, last, far = np.empty(n), np.full(n, np.inf), np.empty(n)
    for g, (count, count_others) in enumerate(counts):
        members = codes == g
        weighted = own[g] / (4 * count)
        partial[members] = weighted[:, : count - 1].sum(axis=1)
        if weighted.shape[1] == count:
            last[members] = weighted[:, -1]
        far[members] = (others[g] / (4 * count_others)).sum(axis=1)
    settled = np.isfinite(last)
    at_first = np.ones(n)  # of classes that a query is added to: looked at again
    at_first[settled] = strangeness(partial + np.where(settled, last, 0.0), far)[settled]
    return _by_class(codes, np.stack([partial, last, far, at_first], axis=1), counts, k)


def _by_class(codes: Indices, samples: Floats, counts: Indices, k: int) -> TrainingStrangeness:
    """Put all that is known of the samples in the order of their classes."""
    sizes = np.bincount(codes)
    ends = np.cumsum(-(-sizes // 8) * 8)
    starts = np.concatenate([[0], ends[:-1]])
    in_order = np.arange(len(codes)) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
    places = np.empty(len(codes), dtype=np.uint32)
    places[np.argsort(codes, kind="stable")] = in_order
    # Gaps before the next class are never read.
    placed, limits, ordered = np.zeros((ends[-1], 4)), np.zeros(ends[-1]), np.zeros(ends[-1])
    placed[places] = samples
    with np.errstate(over="ignore"):  # infinite limits are no limits: looked at again
        limits[places] = samples[:, 1] * 4.0 * counts[codes, 0]
    ordered[in_order] = samples[np.lexsort((samples[:, 3], codes)), 3]
    return TrainingStrangeness(
        places=places,
        starts=starts.astype(np.uintp),
        sizes=sizes.astype(np.uintp),
        limits=limits,
        samples=placed,
        ordered=ordered,
        scales=np.divide(0.25, counts, dtype=np.float64),
        counts=counts.astype(np.uintp),
        n_neighbors=k,
    )


def strangeness(own: Floats, others: Floats) -> Floats:
    """Return (own - others) / (|own| + |others|), from -1 to 1; zero where both are zero."""
    total = np.abs(own) + np.abs(others)
    return np.divide(own - others, total, out=np.zeros_like(total), where=total > 0)
