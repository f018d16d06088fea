"""How good a dissimilarity is for learning (DBoost, Definitions 1, 4 and 6)."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, xlogy

from similearn.numerics.compiling import compiled

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def nearer_shares(farness: Floats, rows: Indices, codes: Indices) -> tuple[Floats, Floats]:
    """Estimate g(z) = P(d(x, x') < d(x, x'') | y' = y, y'' ≠ y) for some samples.

    Parameters
    ----------
    farness : (m, n), larger is farther; row i holds sample ``rows[i]`` against all samples
    rows : (m,)
    codes : (n,) classes, each of at least three samples

    Returns
    -------
    shares : (m,) share of all pairs (x', x'') without x itself; a tie does not count as nearer
    without : (n,) sums, over the m samples but j, of their shares if j were not there

    Notes
    -----
    O(m n log n). Assumes checked input.
    """
    shares, without = np.empty(len(rows)), np.zeros(len(codes))
    orders = np.argsort(farness, axis=1)
    _count_nearer(farness, orders, rows, codes, shares, without)
    return shares, without


def near_to_far(farness: Floats) -> NDArray[np.int32]:
    """Each row's samples from near to far, (m, n)."""
    return np.argsort(farness, axis=1).astype(np.int32)


def weighted_shares(
    farness: Floats,
    orders: NDArray[np.int32],
    codes: Indices,
    weights: Floats,
    slopes: Floats | None = None,
) -> tuple[Floats, Floats]:
    """`nearer_shares` of all samples where x' and x'' are drawn by weights (Definition 4).

    Parameters
    ----------
    farness : (n, n), larger is farther
    orders : (n, n), see `near_to_far`
    codes : (n,) classes
    weights : (n,) nonnegative
    slopes : (n,), optional

    Returns
    -------
    shares : (n,)
    gradient : (n,) of Σᵢ slopesᵢ sharesᵢ with respect to the weights; zero without slopes

    Notes
    -----
    O(n²). Assumes checked input.
    """
    shares, gradient = np.empty(len(codes)), np.zeros(len(codes))
    slopes = np.zeros(len(codes)) if slopes is None else slopes
    _weigh_nearer(farness, orders, codes, weights, slopes, shares, gradient)
    return shares, gradient


def capped_means(weights: Floats, codes: Indices, n_classes: int, cap: float) -> Floats:
    """The nearest weights within [0, cap] that average one in every class."""
    projected = np.empty_like(weights)
    for g in range(n_classes):
        own = codes == g
        low, high = weights[own].min() - cap, weights[own].max()
        for _ in range(60):
            middle = (low + high) / 2
            mean = np.clip(weights[own] - middle, 0.0, cap).mean()
            low, high = (middle, high) if mean > 1.0 else (low, middle)
        projected[own] = np.clip(weights[own] - (low + high) / 2, 0.0, cap)
    return projected


def chernoff_interval(shares: Floats, counts: Floats, log_error: float) -> tuple[Floats, Floats]:
    """Means that are compatible with observed means of variables in [0, 1].

    Parameters
    ----------
    shares : (m,) observed
    counts : (m,) independent observations behind each; for a two-sample U-statistic the
        smaller of its samples, by Hoeffding's (1963) argument
    log_error : -ln of the error allowed on each side

    Returns
    -------
    low, high : (m,) the p with counts · KL(share ‖ p) = log_error on either side
    """

    def solve(inside: Floats, outside: Floats) -> Floats:
        for _ in range(60):
            middle = (inside + outside) / 2
            fits = counts * _divergence(shares, middle) <= log_error
            inside, outside = np.where(fits, middle, inside), np.where(fits, outside, middle)
        return outside

    return solve(shares, np.zeros_like(shares)), solve(shares, np.ones_like(shares))


def binomial_interval(n_low: int, n_high: int, n: int, error: float) -> tuple[float, float]:
    """Clopper and Pearson's bounds on a probability seen at least n_low, at most n_high times."""
    low = float(betaincinv(n_low, n - n_low + 1, error)) if n_low > 0 else 0.0
    high = float(betaincinv(n_high + 1, n - n_high, 1.0 - error)) if n_high < n else 1.0
    return low, high


def jackknife_error(mean: float, without: Floats) -> float:
    """Standard error of a mean of which `without` holds the values with each sample left out."""
    n = len(without)
    return float(np.sqrt((n - 1) / n * np.sum((without - mean) ** 2)))


def _divergence(p: Floats, q: Floats) -> Floats:
    """Kullback-Leibler divergence of coins."""
    with np.errstate(divide="ignore", invalid="ignore"):
        heads = xlogy(p, p) - xlogy(p, q)
        tails = xlogy(1 - p, 1 - p) - xlogy(1 - p, 1 - q)
    return heads + tails


@compiled
def _sweep(row, order, itself, codes, weights, gained):  # type: ignore[no-untyped-def]
    """Go through samples from near to far, and weigh the pairs (x', x'') with x' nearer.

    Fills in, for each sample, the weight of the partners with which it makes such a pair.
    Returns the weight of all such pairs, of all x' and of all x''.
    """
    n, mine = len(order), codes[itself]
    all_same, all_other = -weights[itself], 0.0
    for j in range(n):
        if codes[j] == mine:
            all_same += weights[j]
        else:
            all_other += weights[j]
    same, other, wins, start = 0.0, 0.0, 0.0, 0
    while start < n:
        stop = start
        same_here = 0.0
        while stop < n and row[order[stop]] == row[order[start]]:
            j = order[stop]
            if codes[j] != mine:
                gained[j] = same
                wins += same * weights[j]
                other += weights[j]
            elif j != itself:
                same_here += weights[j]
            stop += 1
        for j in order[start:stop]:
            if codes[j] == mine:
                gained[j] = all_other - other
        same += same_here
        start = stop
    return wins, all_same, all_other


@compiled
def _count_nearer(farness, orders, rows, codes, shares, without):  # type: ignore[no-untyped-def]
    n = len(codes)
    ones, gained = np.ones(n), np.empty(n)
    for i in range(len(rows)):
        itself = rows[i]
        wins, same, other = _sweep(farness[i], orders[i], itself, codes, ones, gained)
        shares[i] = wins / (same * other)
        for j in range(n):
            if codes[j] != codes[itself]:
                without[j] += (wins - gained[j]) / (same * (other - 1.0))
            elif j != itself:
                without[j] += (wins - gained[j]) / ((same - 1.0) * other)


@compiled
def _weigh_nearer(farness, orders, codes, weights, slopes, shares, gradient):  # type: ignore[no-untyped-def]
    n = len(codes)
    gained = np.empty(n)
    for i in range(n):
        wins, same, other = _sweep(farness[i], orders[i], i, codes, weights, gained)
        total = same * other
        shares[i] = wins / total if total > 0.0 else 0.0
        if slopes[i] == 0.0 or total <= 0.0:
            continue
        for j in range(n):
            if codes[j] != codes[i]:
                gradient[j] += slopes[i] * (gained[j] / total - shares[i] / other)
            elif j != i:
                gradient[j] += slopes[i] * (gained[j] / total - shares[i] / same)
