"""Whether a dissimilarity is good enough to learn from (DBoost §2)."""

from dataclasses import dataclass
from math import ceil, log
from numbers import Real
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from similearn.data.advice import Finding
from similearn.data.checks import require_random_state
from similearn.data.chunks import map_chunks
from similearn.data.pairwise import Pairwise
from similearn.errors import InputError
from similearn.estimators.shell.labels import class_codes, label_column
from similearn.estimators.shell.parameters import require_integer, require_positive
from similearn.numerics.pairs.good_dissimilarity import (
    binomial_interval,
    capped_means,
    chernoff_interval,
    jackknife_error,
    near_to_far,
    nearer_shares,
    weighted_shares,
)

_SHOWN_GAMMAS = (0.05, 0.1, 0.2, 0.3)
_TOLD_GAMMA = 0.1
_SHOWN_DELTA = 0.05
_MOST_PAIRS = 1e18
_STEEPNESS = 20.0
"""How sharply the smooth count of `weighted_goodness` bends at γ, in units of probability."""


class Estimate(NamedTuple):
    """An estimate and its confidence interval."""

    value: float
    low: float
    high: float

    def __str__(self):
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def pairs_needed(gamma, delta=0.05, *, bound=None):
    """How many random pairs of samples the theorems ask for.

    Parameters
    ----------
    gamma : float in (0, 1/2], the margin γ of a good dissimilarity
    delta : float in (0, 1), the extra error, and the chance to exceed it
    bound : float, optional
        B of an (ε, γ, B)-good dissimilarity.

    Returns
    -------
    int
        (1/γ²) ln(1/δ) for the vote of Theorem 3, which then errs on at most ε + δ; with
        `bound`, (4B²/γ²) ln(1/δ) for Theorem 5, where a combination of so many pairs errs
        at margin γ/B on at most ε + δ.

    Examples
    --------
    >>> from similearn import pairs_needed
    >>> pairs_needed(0.2, 0.05), pairs_needed(0.2, 0.05, bound=4)
    (75, 4794)
    """
    _require_share("gamma", gamma, 0.5)
    _require_share("delta", delta, 1.0)
    factor = 1.0
    if bound is not None:
        factor = 4.0 * _require_bound(bound) * bound
    needed = factor * -log(delta) / gamma / gamma
    if needed > _MOST_PAIRS:
        raise InputError(
            f"gamma={gamma:g} and bound={bound} ask for more than {_MOST_PAIRS:.0e} pairs; "
            "expected a larger gamma or a smaller bound."
        )
    return ceil(needed)


@dataclass(frozen=True, eq=False)
class Goodness:
    """What labelled samples say about Definitions 1 and 6; `print` it for a summary.

    Attributes
    ----------
    shares : (n,) estimates of g(z) = P(d(x, x′) < d(x, x″) | y′ = y, y″ ≠ y), one a sample
    low, high : (n,) bounds that hold for all g(z) at once
    pseudo : Estimate of the γ of pseudo γ-goodness, E g(z) - ½ (Definition 6)
    confidence : of all intervals
    """

    shares: np.ndarray
    low: np.ndarray
    high: np.ndarray
    pseudo: Estimate
    confidence: float

    def epsilon(self, gamma):
        """Estimate the ε for which the dissimilarity is strongly (ε, γ)-good (Definition 1)."""
        if not isinstance(gamma, Real) or not -0.5 <= gamma <= 0.5:
            raise InputError(f"gamma={gamma!r} is out of range; expected a number within ±1/2.")
        level = 0.5 + gamma
        at_most = np.count_nonzero(self.low < level)
        at_least = np.count_nonzero(self.high < level)
        low, high = binomial_interval(at_least, at_most, len(self.shares), self._error)
        return Estimate(float(np.mean(self.shares < level)), low, high)

    def gamma(self, epsilon):
        """Estimate the largest γ for which the dissimilarity is strongly (ε, γ)-good.

        It can be negative: then fewer than 1 - ε of the samples are nearer to their own class.
        """
        if not isinstance(epsilon, Real) or not 0 <= epsilon <= 1:
            raise InputError(f"epsilon={epsilon!r} is out of range; expected a number in [0, 1].")
        n = len(self.shares)
        bounds = [binomial_interval(count, count, n, self._error) for count in range(n + 1)]
        n_high = np.count_nonzero([high <= epsilon for _, high in bounds])
        n_low = np.count_nonzero([low <= epsilon for low, _ in bounds])
        low = np.sort(self.low)[min(n_high, n) - 1] if n_high else 0.0
        high = 1.0 if n_low > n else np.sort(self.high)[n_low - 1]
        below = int(np.floor(epsilon * n + 1e-9))
        value = 1.0 if below >= n else np.sort(self.shares)[below]
        return Estimate(*(float(share) - 0.5 for share in (value, low, high)))

    def n_pairs(self, gamma, delta=_SHOWN_DELTA):
        """Pairs that Theorem 3 asks for; the vote then errs on at most ``epsilon(gamma)`` + δ."""
        return pairs_needed(gamma, delta)

    @property
    def _error(self):
        """Error left to each side of the count, after half of all went to the bounds of g."""
        return (1.0 - self.confidence) / 4.0

    def __str__(self):
        lines = [f"pseudo γ-good: γ = {self.pseudo}"]
        lines += [
            f"strongly (ε, {gamma})-good: ε = {self.epsilon(gamma)}; the vote of "
            f"{self.n_pairs(gamma)} pairs then errs on at most ε + {_SHOWN_DELTA}"
            for gamma in _SHOWN_GAMMAS
        ]
        return "\n".join(lines)


def goodness(X, y, *, kind=None, confidence=0.95, n_jobs=None):
    """Estimate how good a dissimilarity (or similarity) is, from labelled samples.

    Parameters
    ----------
    X : Pairwise, or an array (n, n) with `kind`; samples with themselves
    y : (n,) labels; at least three samples of every class
    kind : {"similarity", "dissimilarity"}, needed where X is not a `Pairwise`
    confidence : float, default=0.95, of each interval
    n_jobs : int, optional
        Threads.

    Returns
    -------
    Goodness

    Notes
    -----
    A sample is compared by all pairs of the others, O(n² log n), a chunk of samples at a time, so
    that a lazy block is never whole; ties do not count as nearer, as in the definitions. With more
    than two classes, x″ is of any other class. Asymmetric data count by the mean of both
    directions, as in the classifiers. An entry that is not stored in a sparse dissimilarity is
    farther than all others.

    *Intervals.* Given z, the estimate of g(z) is a two-sample U-statistic, so Chernoff's bound
    holds with the smaller of its two samples (Hoeffding 1963); spending half of the error on
    all n samples together, all bounds of g hold at once. The true indicators of g(z) < ½ + γ
    are independent, and get the other half by Clopper and Pearson. The interval of ε is thus
    valid for any n and distribution, and wide. That of pseudo-goodness is the normal one with
    the jackknife's standard error.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import goodness
    >>> points = np.concatenate([np.linspace(0, 1, 50), np.linspace(2, 3, 50)])[:, None]
    >>> found = goodness(abs(points - points.T), np.arange(100) // 50, kind="dissimilarity")
    >>> print(found.epsilon(0.1))
    0.000 [0.000, 0.043]
    """
    _require_share("confidence", confidence, 1.0)
    block, codes = _checked(X, y, kind)
    n = len(codes)

    def count(some):
        return nearer_shares(_farness(block, some), np.arange(n)[some], codes)

    parts = map_chunks(count, n, row_bytes=24 * n, n_jobs=n_jobs)
    shares = np.concatenate([part for part, _ in parts])
    without = sum(part for _, part in parts) / (n - 1)
    same = np.bincount(codes)[codes] - 1
    smaller = np.minimum(same, n - 1 - same).astype(float)
    low, high = chernoff_interval(shares, smaller, log(4 * n / (1 - confidence)))
    mean = float(shares.mean())
    half = float(ndtri((1 + confidence) / 2)) * jackknife_error(mean, without)
    pseudo = Estimate(mean - 0.5, max(mean - half, 0.0) - 0.5, min(mean + half, 1.0) - 0.5)
    return Goodness(shares, low, high, pseudo, confidence)


def goodness_findings(block, y):
    """What `similearn inspect` tells of goodness; nothing without enough labels."""
    if y is None:
        return []
    sizes = np.unique(np.asarray(y), return_counts=True)[1]
    if len(sizes) < 2 or sizes.min() < 3:
        return []
    found = goodness(block, y)
    average = (
        "By so much more than half the time a random sample of the same class is nearer than one "
        "of another class. An average alone does not promise that votes of pairs learn (DBoost, "
        "Proposition 7)."
    )
    each = (
        f"This share of the samples is not clearly nearer to its own class. The votes of "
        f"{found.n_pairs(_TOLD_GAMMA)} random pairs (pair-vote) err on at most so many and "
        f"{_SHOWN_DELTA:.0%} more (DBoost, Theorem 3); where it is large, dboost weighs the pairs."
    )
    return [
        Finding(
            "Own class nearer than chance",
            f"{found.pseudo} (pseudo-goodness γ, with 95 % interval)",
            average,
        ),
        Finding(
            "Samples not clearly nearer to their class",
            f"{found.epsilon(_TOLD_GAMMA)} (strong goodness ε for γ = {_TOLD_GAMMA})",
            each,
        ),
    ]


class WeightedGoodness(NamedTuple):
    """What `weighted_goodness` found.

    Attributes
    ----------
    epsilon : Estimate for the weighted samples (Definition 4)
    unweighted : Estimate of the same without weights, on the same judges
    weights : (n,) density ratios p̃(x | y) / p(x | y), within [0, √B], mean one in each class
    n_pairs : pairs that Theorem 5 asks for
    """

    epsilon: Estimate
    unweighted: Estimate
    weights: np.ndarray
    n_pairs: int


def weighted_goodness(
    X, y, *, gamma, bound=4.0, delta=0.05, kind=None, confidence=0.95, n_steps=100, random_state=0
):
    """Estimate ε of (ε, γ, B)-goodness by looking for weights that make it small.

    Definition 4 lets x′ and x″ be drawn from other densities, up to √B times the true ones;
    which, it does not say. Half of the samples serve to choose weights (projected ascent on a
    smooth count of the samples with g̃(z) ≥ ½ + γ), the other half judges them.

    Parameters
    ----------
    X, y, kind, confidence : as for `goodness`
    gamma : float in (0, 1/2], the margin γ
    bound : float, at least 1, B
    delta : float in (0, 1), for `n_pairs`
    n_steps : int, default=100, steps of the ascent
    random_state : chooses the two halves

    Returns
    -------
    WeightedGoodness

    Notes
    -----
    Better weights may exist: ε is estimated from above. Its interval (Clopper and Pearson) is
    for new samples that are compared with these same weighted ones. O(n_steps n²) and one
    sort of each row.

    Examples
    --------
    >>> from similearn import datasets, weighted_goodness
    >>> D, y = datasets.make_similarities(60, kind="dissimilarity", return_X_y=True)
    >>> print(weighted_goodness(D, y, gamma=0.1).epsilon)
    0.333 [0.173, 0.528]
    """
    _require_share("gamma", gamma, 0.5)
    _require_share("confidence", confidence, 1.0)
    cap = _require_bound(bound) ** 0.5
    require_integer("n_steps", n_steps)
    block, codes = _checked(X, y, kind)
    farness = _farness(block)
    orders = near_to_far(farness)
    rng = np.random.default_rng(require_random_state(random_state).randint(2**31 - 1))
    chooses = np.zeros(len(codes), dtype=bool)
    chooses[rng.permutation(len(codes))[: len(codes) // 2]] = True
    level = 0.5 + gamma
    start = np.ones(len(codes))
    weights = _ascend(farness, orders, codes, start, chooses, level, cap, n_steps)

    def judged(w):
        below = weighted_shares(farness, orders, codes, w)[0][~chooses] < level
        count, n = np.count_nonzero(below), len(below)
        return Estimate(count / n, *binomial_interval(count, count, n, (1 - confidence) / 2))

    needed = pairs_needed(gamma, delta, bound=bound)
    return WeightedGoodness(judged(weights), judged(start), weights, needed)


def _ascend(farness, orders, codes, weights, chooses, level, cap, n_steps):
    """Raise the smooth count of good samples; a step that does not is halved."""
    n_classes = codes.max() + 1

    def loss(shares):
        return np.logaddexp(0.0, -_STEEPNESS * (shares[chooses] - level)).mean()

    shares, _ = weighted_shares(farness, orders, codes, weights)
    best, step = loss(shares), 1.0
    for _ in range(n_steps):
        slopes = np.where(chooses, 1.0 / (1.0 + np.exp(_STEEPNESS * (shares - level))), 0.0)
        _, gradient = weighted_shares(farness, orders, codes, weights, slopes)
        largest = np.abs(gradient).max()
        if largest == 0.0 or step < 1e-6:
            break
        tried = capped_means(weights + step * gradient / largest, codes, n_classes, cap)
        shares_tried, _ = weighted_shares(farness, orders, codes, tried)
        if loss(shares_tried) < best:
            weights, shares, best, step = tried, shares_tried, loss(shares_tried), 1.5 * step
        else:
            step /= 2
    return weights


def _farness(block, rows=slice(None)):
    """Dense values of some rows, larger is farther, of both directions."""
    values = block.rows(rows, both=True, unknown=np.inf)
    return -values if block.large_is_near else values


def _checked(X, y, kind):
    if not isinstance(X, Pairwise):
        if kind is None:
            raise InputError(
                "goodness got values whose kind is unknown; say kind='similarity' (large means "
                "near) or kind='dissimilarity', or pass a Pairwise."
            )
        X = Pairwise(X, kind)
    if not X.same_samples:
        m, n = X.shape
        raise InputError(
            f"goodness got a block of {m} queries against {n} references; expected samples against "
            "themselves, a square block."
        )
    if len(X) == 0:
        raise InputError("goodness got an empty block; expected samples of at least two classes.")
    X.require_finite()
    classes, codes = class_codes(label_column(y, len(X)))
    smallest = np.bincount(codes).min()
    if smallest < 3:
        raise InputError(
            f"y holds {len(classes)} classes, the smallest of {smallest} samples; expected at "
            "least two classes of at least three samples each."
        )
    return X, codes.astype(np.intp)


def _require_share(name, value, high):
    if require_positive(name, value) > high or (value == 1.0):
        raise InputError(f"{name}={value} is out of range; expected a number in (0, {high:g}).")


def _require_bound(bound):
    if require_positive("bound", bound) < 1.0:
        raise InputError(f"bound={bound} is too small; densities cannot all shrink: at least 1.")
    return float(bound)
