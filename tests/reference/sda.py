"""Similarity discriminant analysis, equation by equation; slow on purpose."""

from functools import lru_cache

import numpy as np
from scipy.optimize import brentq


def pmf(levels, mean):
    """The exponential pmf on the levels with the given mean, by bisection; deltas at the ends."""
    return _pmf(tuple(levels), float(mean))


@lru_cache(maxsize=100_000)
def _pmf(levels, mean):
    levels = np.asarray(levels, dtype=float)
    if mean <= levels.min() or mean >= levels.max():
        return (levels == np.clip(mean, levels.min(), levels.max())).astype(float)

    def tilted(rate):
        weights = np.exp(rate * levels - (rate * levels).max())
        return weights / weights.sum()

    bound = 1e9 / np.ptp(levels)
    rate = brentq(lambda r: tilted(r) @ levels - mean, -bound, bound, xtol=1e-14, rtol=1e-14)
    return tilted(rate)


def centroid(S, members, large_is_near=True, own=True):
    """RegSDA eq. 1: the member of largest (least) sum-similarity to its class, first of equals.

    Without `own`, to the other members (JMLR §6).
    """
    among = S[np.ix_(members, members)]
    if not own:
        among = among - np.diag(np.diag(among))
    sums = among.sum(axis=0)
    return members[np.argmax(np.round(sums if large_is_near else -sums, 10))]


def local_model(S, codes, hood, n_classes, large_is_near=True):
    """Centroids {h: sample} and means {(g, h): mean} of one neighbourhood (eq. 1, 3)."""
    members = {g: [z for z in hood if codes[z] == g] for g in range(n_classes)}
    present = [g for g in members if members[g]]
    centroids = {h: centroid(S, members[h], large_is_near) for h in present}
    means = {(g, h): S[members[g], centroids[h]].mean() for g in present for h in present}
    return centroids, means


def neighborhood(row, k, large_is_near=True):
    """The k nearest columns, the first of equally near ones."""
    return np.argsort(-row if large_is_near else row, kind="stable")[:k]


def value_at(levels, probabilities, s):
    """Probability of one level."""
    return probabilities[np.argmin(np.abs(np.asarray(levels) - s))]


def global_posterior(S, codes, row, levels, n_classes, large_is_near=True):
    """JMLR eq. 17-20 for one query."""
    hood = range(len(codes))
    centroids, means = local_model(S, codes, hood, n_classes, large_is_near)
    scores = np.bincount(codes, minlength=n_classes) / len(codes)
    for (g, h), mean in means.items():
        scores[g] *= value_at(levels, pmf(levels, mean), row[centroids[h]])
    return scores / scores.sum()


def average_pmfs(S, codes, levels, k, n_classes, large_is_near=True):
    """RegSDA eq. 7 over the training samples whose neighbourhoods define a pmf."""
    sums, counts = {}, {}
    for row in S:
        hood = neighborhood(row, k, large_is_near)
        for pair, mean in local_model(S, codes, hood, n_classes, large_is_near)[1].items():
            sums[pair] = sums.get(pair, 0) + pmf(levels, mean)
            counts[pair] = counts.get(pair, 0) + 1
    return {pair: sums[pair] / counts[pair] for pair in sums}
