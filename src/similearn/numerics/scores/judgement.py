"""How good decisions and probabilities are: intervals, reliability, error against coverage."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.intp]

Z95 = 1.959963984540054
"""Normal quantile of a 95 % interval."""


def wilson_interval(count: float, n: int, z: float = Z95) -> tuple[float, float]:
    """Interval of a share `count` / `n` (Wilson 1927); (0, 1) where nothing was counted."""
    if n == 0:
        return 0.0, 1.0
    share, slack = count / n, z * z / n
    middle = (share + slack / 2) / (1 + slack)
    half = np.sqrt(share * (1 - share) * slack + slack * slack / 4) / (1 + slack)
    return max(float(middle - half), 0.0), min(float(middle + half), 1.0)


def errs_more_p_value(right: Flags, rival: Flags) -> float:
    """One-sided exact test that a method errs more than a rival on the same samples (McNemar 1947).

    Parameters
    ----------
    right, rival : (n,) whether the decisions of the two are right

    Returns
    -------
    p : the probability, if each of the samples on which just one of them is right went to either
        by a fair coin, of at least as many that only the rival gets right. One where they agree.
    """
    lost, won = int((~right & rival).sum()), int((right & ~rival).sum())
    # The upper tail of a binomial: at least `lost` of `lost + won` fair coins.
    return 1.0 if lost == 0 else float(special.betainc(lost, won + 1, 0.5))


@dataclass(frozen=True, eq=False)
class Reliability:
    """Bins of stated probability, those without samples left out.

    Parameters
    ----------
    low, high : (b,) edges of the bins
    count : (b,) samples
    stated : (b,) mean probability that the model gave its decision
    right : (b,) share of right decisions
    error : mean of |stated - right| over samples (expected calibration error)
    """

    low: Floats
    high: Floats
    count: Indices
    stated: Floats
    right: Floats
    error: float


def reliability(confidence: Floats, right: Flags, n_bins: int = 10) -> Reliability:
    """Compare stated probabilities with how often they were right.

    Parameters
    ----------
    confidence : (n,) probability of the decided class, within [0, 1]
    right : (n,) whether the decision was right
    """
    place = np.clip(np.ceil(confidence * n_bins).astype(np.intp) - 1, 0, n_bins - 1)
    count = np.bincount(place, minlength=n_bins)
    kept = np.flatnonzero(count)
    stated = np.bincount(place, weights=confidence, minlength=n_bins)[kept] / count[kept]
    shares = np.bincount(place, weights=right, minlength=n_bins)[kept] / count[kept]
    total = max(int(count.sum()), 1)
    error = float((count[kept] * np.abs(stated - shares)).sum() / total)
    return Reliability(kept / n_bins, (kept + 1) / n_bins, count[kept], stated, shares, error)


def error_by_coverage(confidence: Floats, right: Flags) -> tuple[Floats, Floats, Floats]:
    """Error of what is decided if all samples below a confidence are refused.

    Parameters
    ----------
    confidence : (n,)
    right : (n,)

    Returns
    -------
    coverage, error, threshold : (t,) one for each distinct confidence, the surest first.
        Equally sure samples are decided or refused together.
    """
    order = np.argsort(-confidence, kind="stable")
    sure, wrong = confidence[order], np.cumsum(~right[order])
    last = np.flatnonzero(np.append(np.diff(sure) != 0, True)) if len(sure) else order
    decided = last + 1
    return decided / max(len(sure), 1), wrong[last] / decided, sure[last]


def confusion(truth: Indices, decided: Indices, n_classes: int) -> Indices:
    """Counts (n_classes, n_classes): rows are true classes, columns decisions."""
    cells = np.bincount(truth * n_classes + decided, minlength=n_classes**2)
    return cells.reshape(n_classes, n_classes)
