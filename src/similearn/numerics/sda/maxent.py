"""Maximum-entropy pmfs of given mean: exponentials γ e^{λs} on a support Ω (JMLR eq. 19-20).

For a fixed Ω the rate λ depends on the mean alone and grows with it. One table over Ω,
inverted by monotone interpolation, therefore serves all means; `exact_rates` polishes by
Newton's method. All means and values here are unit coordinates, see
`similearn.numerics.sda.support`, and rates refer to them.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import compiled_within
from similearn.numerics.sda.support import Support

Floats = NDArray[np.float64]

_HALF = 2048
_NEGLIGIBLE = 40.0  # e^-40 does not change a sum in double precision
_DELTA = 36.0  # e^-36 = 2^-52: a delta to machine precision
_CONTINUOUS_CAP = 2.0**52
_LARGEST = 1e26  # rate: a level nearer to the end than 1e-25 is not told from it
_UNDERFLOWS = 800.0  # e^-800 is 0, whatever the counts
_AT_A_TIME = 64


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
    near, variances, log_norms = _moments(support, np.sinh(nodes))
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
    places = _place(table, means)
    rates = np.clip(np.sinh(places), table.low_cap, table.high_cap)
    rates = np.where(means <= 0.0, table.low_cap, np.where(means >= 1.0, table.high_cap, rates))
    return rates, _norm_at(table, places)


@compiled_within
def rate_of_mean(nodes, step, low_cap, high_cap, mean):  # type: ignore[no-untyped-def]
    """`look_up` of one mean, for compiled code.

    Parameters
    ----------
    nodes : (4, N), logits, slopes, log-normalizers and their slopes of a table
    step, low_cap, high_cap : of the table
    mean : in [0, 1]
    """
    last = nodes.shape[1] - 2
    if mean <= 0.0 or mean >= 1.0:
        rate = low_cap if mean <= 0.0 else high_cap
        t = np.arcsinh(rate)
    else:
        logit = np.log(mean / (1.0 - mean))
        i, end = 0, last + 1  # the last node, but for the very last, at or below the logit
        while end - i > 1:
            middle = (i + end) // 2
            if nodes[0, middle] <= logit:
                i = middle
            else:
                end = middle
        start, extent = (i - _HALF) * step, nodes[0, i + 1] - nodes[0, i]
        t = start
        if extent > 0.0:
            x = min(max((logit - nodes[0, i]) / extent, 0.0), 1.0)
            t = _cubic(x, start, start + step, extent * nodes[1, i], extent * nodes[1, i + 1])
            t = min(max(t, start), start + step)
        t = min(max(t, np.arcsinh(low_cap)), np.arcsinh(high_cap))
        rate = min(max(np.sinh(t), low_cap), high_cap)
    place = t / step + _HALF
    i = min(max(int(place), 0), last)
    kink = 1.0 if i == _HALF else 0.0  # as in `_norm_at`
    rise, end_rise = step * (nodes[3, i] - kink), step * nodes[3, i + 1]
    return rate, _cubic(place - i, nodes[2, i], nodes[2, i + 1], rise, end_rise)


def log_norms_of(table: RateTable, rates: Floats) -> Floats:
    """Log-normalizers of rates between the caps of the table, any shape."""
    return _norm_at(table, np.arcsinh(rates))


def node_place(table: RateTable, means: Floats) -> Floats:
    """Positions of the rates of means among the nodes, counted from 0, between the caps."""
    return _place(table, means) / table.step + _HALF


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
    flat = np.ravel(means)
    low = flat <= 0.0
    rates = np.where(low, -np.inf, np.inf)
    first, last = (-np.inf, -np.inf) if support.continuous else support.log_counts[[0, -1]]
    log_norms = np.where(low, first, last)
    with np.errstate(divide="ignore", invalid="ignore"):
        logits = np.log(flat) - np.log1p(-flat)
    between = ~low & (flat < 1.0)
    tabulated = between & (table.logits[0] < logits) & (logits < table.logits[-1])
    rates[tabulated], log_norms[tabulated] = _polished(support, table, logits[tabulated])
    beyond = between & ~tabulated
    rates[beyond] = _two_level_rates(support, flat[beyond])
    log_norms[beyond] = _moments(support, rates[beyond])[2]
    return rates.reshape(means.shape), log_norms.reshape(means.shape)


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
    nearest = max(distances[1], 1.0 / _LARGEST)  # the caps are at most _LARGEST anyway
    cap = (_DELTA + max(log_counts[1] - log_counts[0], 0.0)) / nearest
    end = cap
    if len(distances) > 2:
        ratio = log_counts[2:].max() - log_counts[1] + np.log(distances[-1] / nearest)
        end = (_NEGLIGIBLE + max(ratio, 0.0)) / max(distances[2] - distances[1], 1.0 / _LARGEST)
    return min(cap, _LARGEST), min(max(cap, end), _LARGEST)


def _monotone(slopes: Floats, logits: Floats, step: float) -> Floats:
    """Bound slopes by three times the neighbouring secants, so that cubics are monotone."""
    with np.errstate(divide="ignore"):
        secants = step / np.diff(logits)
    bound = 3.0 * np.minimum(np.append(secants, np.inf), np.insert(secants, 0, np.inf))
    bound = np.minimum(bound, np.finfo(float).max)
    return np.clip(np.nan_to_num(slopes, nan=np.inf), 0.0, bound)


def _continuous_moments(sizes: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean and variance of the distance from the favoured end, log-normalizer; |λ| = sizes."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # of what is not taken
        a, b = sizes, sizes * sizes
        tail = np.exp(-a)
        mean = 1 / a - tail / (1 - tail)
        variance = 1 / b - tail / (1 - tail) ** 2
        log_norm = np.log1p(-tail) - np.log(a)
        series = (
            0.5 - a * (1 / 12 - b * (1 / 720 - b * (1 / 30240 - b / 1209600))),
            1 / 12 - b * (1 / 240 - b * (1 / 6048 - b / 172800)),
            -a / 2 + b * (1 / 24 - b * (1 / 2880 - b / 181440)),
        )
    small = sizes < 0.2
    mean, variance, log_norm = (
        np.where(small, one, other)
        for one, other in zip(series, (mean, variance, log_norm), strict=True)
    )
    return mean, variance, log_norm


def _moments(support: Support, rates: Floats) -> tuple[Floats, Floats, Floats]:
    """Means and variances (r,) of the distance from the favoured end, and log-normalizers.

    The rates are taken in order of size, some at a time: the larger, the fewer levels count.
    """
    if support.continuous:
        return _continuous_moments(np.abs(rates))
    sums = np.empty((len(rates), 3))
    sides = (
        (rates <= 0, support.levels, support.log_counts),
        (rates > 0, 1.0 - support.levels[::-1], support.log_counts[::-1]),
    )
    for of_side, distances, log_counts in sides:
        powers = np.stack([np.ones(len(distances)), distances, distances**2], axis=1)
        chosen = np.flatnonzero(of_side)
        chosen = chosen[np.argsort(np.abs(rates[chosen]))]
        for start in range(0, len(chosen), _AT_A_TIME):
            part = chosen[start : start + _AT_A_TIME]
            sizes = np.abs(rates[part])
            reach = _UNDERFLOWS / sizes[0] if sizes[0] > 0.0 else np.inf
            n = int(np.searchsorted(distances, reach, side="right"))
            shares = np.multiply.outer(-sizes, distances[:n])
            shares += log_counts[:n]
            sums[part] = np.exp(shares, out=shares) @ powers[:n]
    weights, first, second = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        means = first / weights
        variances = np.maximum(second / weights - means * means, 0.0)
        log_norms = np.log(weights)
    alone = weights == 0.0  # of a single level, far from the end: nothing but it counts
    if alone.any():
        low = rates[alone] <= 0
        means[alone] = np.where(low, support.levels[0], 1.0 - support.levels[-1])
        ends = np.where(low, support.log_counts[0], support.log_counts[-1])
        variances[alone] = 0.0
        log_norms[alone] = ends - np.abs(rates[alone]) * means[alone]
    return means, variances, log_norms


def _hermite(x: Floats, start: Floats, end: Floats, start_slope: Floats, end_slope: Floats) -> Any:
    """Cubics on [0, 1] with given values and slopes at its ends."""
    rise = end - start
    left, right = start_slope - rise, end_slope - rise
    return start + x * (rise + (1 - x) * ((1 - x) * left - x * right))


_cubic = compiled_within(_hermite)  # the same formula for one number, within compiled code


def _interval(table: RateTable, logits: Floats) -> Any:
    """The last node, but for the very last, at or below each logit."""
    found = np.searchsorted(table.logits, logits, side="right") - 1
    return np.clip(found, 0, len(table.logits) - 2)


def _position(table: RateTable, logits: Floats) -> Floats:
    """Find t of logits: monotone cubic interpolation."""
    i = _interval(table, logits)
    below = table.logits[i]
    extent = table.logits[i + 1] - below
    start = (i - _HALF) * table.step
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.clip((logits - below) / extent, 0.0, 1.0)
        end = start + table.step
        t = _hermite(x, start, end, extent * table.slopes[i], extent * table.slopes[i + 1])
        return np.where(extent > 0.0, np.clip(t, start, end), start)


def _place(table: RateTable, means: Floats) -> Floats:
    """Find t of means, between the caps."""
    low, high = np.arcsinh(table.low_cap), np.arcsinh(table.high_cap)
    with np.errstate(divide="ignore", invalid="ignore"):
        logits = np.log(means / (1.0 - means))
    t = np.clip(_position(table, logits), low, high)
    return np.where(means <= 0.0, low, np.where(means >= 1.0, high, t))


def _norm_at(table: RateTable, t: Floats) -> Any:
    """Log-normalizers at t."""
    place = t / table.step + _HALF
    i = np.clip(place.astype(np.intp), 0, len(table.logits) - 2)
    kink = i == _HALF  # at λ = 0 distances change from one end to the other
    return _hermite(
        place - i,
        table.log_norms[i],
        table.log_norms[i + 1],
        table.step * (table.norm_slopes[i] - kink),
        table.step * table.norm_slopes[i + 1],
    )


def _two_level_rates(support: Support, means: Floats) -> Floats:
    """Rates of means beyond the table, where only the two outermost levels count."""
    low = means < 0.5
    near = np.where(low, means, 1.0 - means)
    sign = np.where(low, 1.0, -1.0)
    if support.continuous:
        return -sign / near
    n = len(support.levels)
    if n == 1:  # one pmf only, whatever the mean
        return np.zeros(len(means))
    end, other = np.where(low, 0, n - 1), np.where(low, 1, n - 2)
    gap = np.abs(support.levels[other] - support.levels[end])
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        odds = np.log(near) - np.log(gap - near)
        odds += support.log_counts[end] - support.log_counts[other]
        rates = np.clip(sign * odds / gap, -_LARGEST, _LARGEST)
    # A mean beyond the second level, where levels are too near to the end to be told from it.
    return np.where(near < gap, rates, -sign * _LARGEST)


def _polished(support: Support, table: RateTable, logits: Floats) -> tuple[Floats, Floats]:
    """Rates and log-normalizers of logits inside the table, by Newton's method in brackets."""
    i = _interval(table, logits)
    low, high = np.sinh((i - _HALF) * table.step), np.sinh((i + 1 - _HALF) * table.step)
    rates, log_norms = np.sinh(_position(table, logits)), np.empty(len(logits))
    left = np.arange(len(logits))
    for _ in range(60):
        rate, wanted = rates[left], logits[left]
        near, variance, log_norm = _moments(support, rate)
        favoured = np.where(rate <= 0, 1.0, -1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            reached = favoured * (np.log(near) - np.log1p(-near))
            change = (wanted - reached) * (near * (1.0 - near)) / variance
        change = np.where(variance > 0, change, np.inf)
        low[left] = np.where(reached < wanted, rate, low[left])
        high[left] = np.where(reached < wanted, high[left], rate)
        done = np.abs(change) <= 1e-8 * np.maximum(np.abs(rate), 1.0)  # its square is rounding
        moved = rate + change
        inside = (low[left] < moved) & (moved < high[left])
        rates[left] = np.where(done | inside, moved, low[left] / 2 + high[left] / 2)
        log_norms[left[done]] = (log_norm + favoured * near * change)[done]
        left = left[~done]
        narrow = (rates[left] == low[left]) | (rates[left] == high[left])
        log_norms[left[narrow]] = _moments(support, rates[left[narrow]])[2]
        left = left[~narrow]
        if not len(left):
            return rates, log_norms
    log_norms[left] = _moments(support, rates[left])[2]
    return rates, log_norms
