"""The papers' test: which methods are not significantly worse than the best one."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

Floats = NDArray[np.float64]

LEVEL = 0.05
# Error rates are fractions of few samples: differences that agree to this many decimals
# are tied, and rounding must not break the tie.
_DECIMALS = 10


def signed_rank_p_value(differences: Floats) -> float:
    """One-sided Wilcoxon signed-rank test that paired differences tend to be positive.

    Parameters
    ----------
    differences : (n,) one for each pair

    Returns
    -------
    p : the probability, if every sign were tossed by a fair coin, of a sum of positive
        ranks at least as large as the one seen. One where all differences are zero.

    Notes
    -----
    Zero differences are dropped (Wilcoxon 1945) and tied ones share their mean rank. The
    null distribution is exact also with ties, where `scipy.stats.wilcoxon` turns to a
    normal approximation: sums of ranks are counted one rank at a time, O(n³).
    """
    rounded = np.round(np.asarray(differences, dtype=np.float64), _DECIMALS)
    differences = rounded[rounded != 0].astype(np.float64)
    if not len(differences):
        return 1.0
    # Mean ranks are multiples of one half: doubled, they index an array of sums.
    ranks = np.rint(2 * rankdata(np.abs(differences))).astype(np.intp)
    chance = np.zeros(ranks.sum() + 1)
    chance[0] = 1.0
    for rank in ranks:
        chance[rank:] = (chance[rank:] + chance[:-rank]) / 2
        chance[:rank] /= 2
    seen = ranks[differences > 0].sum()
    return float(min(chance[seen:].sum(), 1.0))


def not_significantly_worse(errors: Mapping[str, Floats], level: float = LEVEL) -> dict[str, float]:
    """Compare each method with the best one, split by split.

    Parameters
    ----------
    errors : for each method its (n,) errors on the same splits in the same order
    level : significance level of the papers

    Returns
    -------
    p_values : of the methods with the lowest mean error (these are 1) and of all whose
        errors are not significantly larger than theirs, as the papers print in bold
        (JMLR §7.3). Where several are best, the first one is compared with.
    """
    means = {name: round(float(np.mean(e)), _DECIMALS) for name, e in errors.items()}
    best = min(means, key=means.__getitem__, default=None)
    if best is None:
        return {}
    p_values = {name: signed_rank_p_value(e - errors[best]) for name, e in errors.items()}
    return {
        name: 1.0 if means[name] == means[best] else p
        for name, p in p_values.items()
        if p >= level or means[name] == means[best]
    }


def fewest_splits(level: float = LEVEL) -> int:
    """Count the splits below which the test can never call a difference significant."""
    return int(np.floor(-np.log2(level))) + 1


def holm_adjusted(p_values: Mapping[str, float]) -> dict[str, float]:
    """P-values of several tests, such that one below the level by chance is rarer than it.

    Parameters
    ----------
    p_values : one for each test

    Returns
    -------
    adjusted : Holm (1979): the i-th smallest of m times m - i + 1, never below one before it
    """
    adjusted: dict[str, float] = {}
    largest = 0.0
    for i, name in enumerate(sorted(p_values, key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - i) * p_values[name]))
        adjusted[name] = largest
    return {name: adjusted[name] for name in p_values}
