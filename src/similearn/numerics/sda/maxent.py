"""Maximum-entropy pmfs of given mean: exponentials γ e^{λs} on a support Ω (JMLR eq. 19-20).

For a fixed Ω the rate λ depends on the mean alone and grows with it. One table over Ω,
inverted by monotone interpolation, therefore serves all means; `exact_rates` polishes by
Newton's method. All means and values here are unit coordinates, see
`similearn.numerics.sda.support`, and rates refer to them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import compiled
from similearn.numerics.sda.support import Support

Floats = NDArray[np.float64]

_HALF = 2048
_NEGLIGIBLE = 40.0  # e^-40 does not change a sum in double precision
_DELTA = 36.0  # e^-36 = 2^-52: a delta to machine precision
_CONTINUOUS_CAP = 2.0**52


class RateTable(NamedTuple):
    """Rates and normalizers at nodes λ = sinh(t), t evenly spaced and symmetric about 0.

    Parameters
    ----------
    step : spacing of t
    logits : (N,), log(mean / (1 - mean)), nondecreasing
    slopes : (N,), dt / dlogit
    log_norms : (N,), log Σ e^{-|λ| d} with d the distance from the end that λ favours
    norm_slopes : (N,), their derivatives by t
    low_cap, high_cap : the rates beyond which a pmf is a delta to machine precision
    """

    step: float
    logits: Floats
    slopes: Floats
    log_norms: Floats
    norm_slopes: Floats
    low_cap: float
    high_cap: float


def rate_table(support: Support) -> RateTable:
    """Tabulate rates for one support.

    Notes
    -----
    4097 nodes reach from cap to cap. Cubic Hermite interpolation leaves an error of about
    step⁴/384 in t, 1e-11 for evenly spaced levels. O(4097 L) exponentials at most.
    """
    low_cap, low_end = _reach(support.levels, support.log_counts, support.continuous)
    high_cap, high_end = _reach(
        1.0 - support.levels[::-1], support.log_counts[::-1], support.continuous
    )
    step = float(np.arcsinh(max(low_end, high_end, 1.0))) / _HALF
    nodes = step * np.arange(-_HALF, _HALF + 1)
    near, variances, log_norms = _moments_of_all(
        support.levels, support.log_counts, support.continuous, np.sinh(nodes)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        logits = np.where(nodes <= 0, 1.0, -1.0) * (np.log(near) - np.log1p(-near))
        slopes = near * (1.0 - near) / variances / np.cosh(nodes)
    logits = np.maximum.accumulate(np.nan_to_num(logits, nan=0.0))
    norm_slopes = np.where(nodes <= 0, 1.0, -1.0) * near * np.cosh(nodes)
    slopes = _monotone(slopes, logits, step)
    return RateTable(step, logits, slopes, log_norms, norm_slopes, -low_cap, high_cap)


def look_up(table: RateTable, means: Floats) -> tuple[Floats, Floats]:
    """Rates and log-normalizers of means, any shape, from the table alone.

    A mean at an end of Ω has an infinite rate; here it gets the cap of the table, a delta to
    machine precision whose logarithm is finite everywhere. See `log_pmf`.
    """
    flat = np.ascontiguousarray(means).ravel()
    found, log_norms = np.empty_like(flat), np.empty_like(flat)
    _look_up(table, flat, found, log_norms)
    return found.reshape(means.shape), log_norms.reshape(means.shape)


def log_norms_of(table: RateTable, rates: Floats) -> Floats:
    """Log-normalizers of rates between the caps of the table, any shape."""
    flat = np.ascontiguousarray(rates).ravel()
    log_norms = np.empty_like(flat)
    _norms_at(table, flat, log_norms)
    return log_norms.reshape(rates.shape)


def exact_rates(support: Support, table: RateTable, means: Floats) -> tuple[Floats, Floats]:
    """Rates and log-normalizers of means, polished to machine precision.

    Parameters
    ----------
    support, table : Ω and its table
    means : any shape, in [0, 1]

    Returns
    -------
    rates, log_norms : same shape. A mean at an end has rate -inf or inf: a Kronecker delta.

    Notes
    -----
    Safeguarded Newton steps on the logit of the mean, bracketed by nodes of the table; one
    or two steps of O(L) each. Beyond the table two levels only have any probability, and
    the rate is theirs in closed form.
    """
    flat = np.ascontiguousarray(means).ravel()
    found, log_norms = np.empty_like(flat), np.empty_like(flat)
    _exact_rates(
        support.levels, support.log_counts, support.continuous, table, flat, found, log_norms
    )
    return found.reshape(means.shape), log_norms.reshape(means.shape)


def capped_rates(support: Support, table: RateTable, means: Floats) -> tuple[Floats, Floats]:
    """`exact_rates` between the caps of the table: deltas with finite logarithms."""
    rates, log_norms = exact_rates(support, table, means)
    capped = np.clip(rates, table.low_cap, table.high_cap)
    return capped, np.where(capped == rates, log_norms, log_norms_of(table, capped))


def log_pmf(rates: Floats, log_norms: Floats, units: Floats) -> Floats:
    """Log-probabilities of unit coordinates, broadcast against rates and log-normalizers."""
    distance = np.where(rates <= 0, units, 1.0 - units)
    delta = np.isinf(rates)
    exponents = np.where(delta, 0.0, -np.abs(np.where(delta, 0.0, rates)) * distance)
    impossible = delta & (distance > 0)
    return np.where(impossible, -np.inf, exponents - log_norms)


def _reach(distances: Floats, log_counts: Floats, continuous: bool) -> tuple[float, float]:
    """Sizes of the cap and of the last node on one side, distances ascending from its end."""
    if continuous:
        return _CONTINUOUS_CAP, _CONTINUOUS_CAP
    if len(distances) < 2:
        return 0.0, 0.0
    largest = 1e26  # a level nearer to the end than 1e-25 is not told from it
    cap = (_DELTA + max(log_counts[1] - log_counts[0], 0.0)) / distances[1]
    end = cap
    if len(distances) > 2:
        ratio = log_counts[2:].max() - log_counts[1] + np.log(distances[-1] / distances[1])
        end = (_NEGLIGIBLE + max(ratio, 0.0)) / max(distances[2] - distances[1], 1.0 / largest)
    return min(cap, largest), min(max(cap, end), largest)


def _monotone(slopes: Floats, logits: Floats, step: float) -> Floats:
    """Bound slopes by three times the neighbouring secants, so that cubics are monotone."""
    with np.errstate(divide="ignore"):
        secants = step / np.diff(logits)
    bound = 3.0 * np.minimum(np.append(secants, np.inf), np.insert(secants, 0, np.inf))
    bound = np.minimum(bound, np.finfo(float).max)
    return np.clip(np.nan_to_num(slopes, nan=np.inf), 0.0, bound)


@compiled
def _continuous_moments(size):  # type: ignore[no-untyped-def]
    """Mean and variance of the distance from the favoured end, log-normalizer; |λ| = size."""
    a, b = size, size * size
    if size < 0.2:
        mean = 0.5 - a * (1 / 12 - b * (1 / 720 - b * (1 / 30240 - b / 1209600)))
        variance = 1 / 12 - b * (1 / 240 - b * (1 / 6048 - b / 172800))
        return mean, variance, -a / 2 + b * (1 / 24 - b * (1 / 2880 - b / 181440))
    tail = np.exp(-a)
    mean = 1 / a - tail / (1 - tail)
    return mean, 1 / b - tail / (1 - tail) ** 2, np.log1p(-tail) - np.log(a)


@compiled
def _moments(levels, log_counts, continuous, rate):  # type: ignore[no-untyped-def]
    """Mean and variance of the distance from the favoured end, and the log-normalizer."""
    size = abs(rate)
    if continuous:
        return _continuous_moments(size)
    n = len(levels)
    weight, first, second = 0.0, 0.0, 0.0
    for j in range(n):
        at = j if rate <= 0 else n - 1 - j
        distance = levels[at] if rate <= 0 else 1.0 - levels[at]
        if size * distance > 800.0:  # underflows, whatever the counts
            break
        share = np.exp(log_counts[at] - size * distance)
        weight += share
        first += share * distance
        second += share * distance * distance
    mean = first / weight
    return mean, max(second / weight - mean * mean, 0.0), np.log(weight)


@compiled
def _moments_of_all(levels, log_counts, continuous, rates):  # type: ignore[no-untyped-def]
    means, variances, log_norms = np.empty(len(rates)), np.empty(len(rates)), np.empty(len(rates))
    for i in range(len(rates)):
        means[i], variances[i], log_norms[i] = _moments(levels, log_counts, continuous, rates[i])
    return means, variances, log_norms


@compiled
def _hermite(x, start, end, start_slope, end_slope):  # type: ignore[no-untyped-def]
    """Cubic on [0, 1] with given values and slopes at its ends."""
    rise = end - start
    left, right = start_slope - rise, end_slope - rise
    return start + x * (rise + (1 - x) * ((1 - x) * left - x * right))


@compiled
def _interval(logits, logit):  # type: ignore[no-untyped-def]
    """The last node but one at or below the logit."""
    low, high = 0, len(logits) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if logits[middle] <= logit:
            low = middle
        else:
            high = middle
    return low


@compiled
def _position(table, logit):  # type: ignore[no-untyped-def]
    """Find t of a logit: monotone cubic interpolation."""
    i = _interval(table.logits, logit)
    extent = table.logits[i + 1] - table.logits[i]
    start = (i - _HALF) * table.step
    if not extent > 0.0:
        return start
    x = min(max((logit - table.logits[i]) / extent, 0.0), 1.0)
    slopes = extent * table.slopes[i], extent * table.slopes[i + 1]
    t = _hermite(x, start, start + table.step, slopes[0], slopes[1])
    return min(max(t, start), start + table.step)


@compiled
def _norm_at(table, t):  # type: ignore[no-untyped-def]
    """Log-normalizer at t."""
    place = t / table.step + _HALF
    i = min(max(int(place), 0), len(table.logits) - 2)
    kink = 1.0 if i == _HALF else 0.0  # at λ = 0 distances change from one end to the other
    return _hermite(
        place - i,
        table.log_norms[i],
        table.log_norms[i + 1],
        table.step * (table.norm_slopes[i] - kink),
        table.step * table.norm_slopes[i + 1],
    )


@compiled
def rate_of(table, mean):  # type: ignore[no-untyped-def]
    """Rate of one mean, between the caps."""
    if mean <= 0.0:
        return table.low_cap
    if mean >= 1.0:
        return table.high_cap
    rate = np.sinh(_position(table, np.log(mean / (1.0 - mean))))
    return min(max(rate, table.low_cap), table.high_cap)


@compiled
def norm_of(table, rate):  # type: ignore[no-untyped-def]
    """Log-normalizer of one rate between the caps."""
    return _norm_at(table, np.arcsinh(rate))


@compiled
def node_place(table, mean):  # type: ignore[no-untyped-def]
    """Position of the rate of one mean among the nodes, counted from 0, between the caps."""
    low, high = np.arcsinh(table.low_cap), np.arcsinh(table.high_cap)
    if mean <= 0.0:
        t = low
    elif mean >= 1.0:
        t = high
    else:
        t = min(max(_position(table, np.log(mean / (1.0 - mean))), low), high)
    return t / table.step + _HALF


@compiled
def _look_up(table, means, rates, log_norms):  # type: ignore[no-untyped-def]
    for i in range(len(means)):
        rates[i] = rate_of(table, means[i])
        log_norms[i] = norm_of(table, rates[i])


@compiled
def _norms_at(table, rates, log_norms):  # type: ignore[no-untyped-def]
    for i in range(len(rates)):
        log_norms[i] = norm_of(table, rates[i])


@compiled
def _two_level_rate(levels, log_counts, continuous, mean):  # type: ignore[no-untyped-def]
    """Rate of a mean beyond the table, where only the two outermost levels count."""
    if continuous:
        return -1.0 / mean if mean < 0.5 else 1.0 / (1.0 - mean)
    n = len(levels)
    end, other, sign = (0, 1, 1.0) if mean < 0.5 else (n - 1, n - 2, -1.0)
    near = mean if mean < 0.5 else 1.0 - mean
    gap = abs(levels[other] - levels[end])
    odds = np.log(near) - np.log(gap - near) + log_counts[end] - log_counts[other]
    return sign * odds / gap


@compiled
def _logit_and_slope(levels, log_counts, continuous, rate):  # type: ignore[no-untyped-def]
    """Logit of the mean at a rate, its derivative, the log-normalizer and the nearer mean."""
    near, variance, log_norm = _moments(levels, log_counts, continuous, rate)
    logit = np.log(near) - np.log1p(-near)
    return (logit if rate <= 0 else -logit), variance / (near * (1.0 - near)), log_norm, near


@compiled
def _polished(levels, log_counts, continuous, table, logit):  # type: ignore[no-untyped-def]
    """Rate and log-normalizer of a logit inside the table."""
    i = _interval(table.logits, logit)
    low, high = np.sinh((i - _HALF) * table.step), np.sinh((i + 1 - _HALF) * table.step)
    rate = np.sinh(_position(table, logit))
    for _ in range(60):
        reached, slope, log_norm, near = _logit_and_slope(levels, log_counts, continuous, rate)
        low, high = (rate, high) if reached < logit else (low, rate)
        change = (logit - reached) / slope if slope > 0 else np.inf
        if abs(change) <= 1e-8 * max(abs(rate), 1.0):  # the square of it is below rounding
            return rate + change, log_norm + (near if rate <= 0 else -near) * change
        following = rate + change
        rate = following if low < following < high else low / 2 + high / 2
        if rate == low or rate == high:
            break
    return rate, _moments(levels, log_counts, continuous, rate)[2]


@compiled
def _exact_rates(  # type: ignore[no-untyped-def]
    levels, log_counts, continuous, table, means, rates, log_norms
):
    top = len(levels) - 1
    for i in range(len(means)):
        if means[i] <= 0.0 or means[i] >= 1.0:
            rates[i] = -np.inf if means[i] <= 0.0 else np.inf
            log_norms[i] = -np.inf if continuous else log_counts[0 if means[i] <= 0.0 else top]
            continue
        logit = np.log(means[i]) - np.log1p(-means[i])
        if table.logits[0] < logit < table.logits[-1]:
            rates[i], log_norms[i] = _polished(levels, log_counts, continuous, table, logit)
        else:
            rates[i] = _two_level_rate(levels, log_counts, continuous, means[i])
            log_norms[i] = _moments(levels, log_counts, continuous, rates[i])[2]
