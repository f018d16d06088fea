"""Mixtures of exponential pmfs, one for each of several centroids (JMLR §6.1)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import as_input, compiled
from similearn.numerics.sda.maxent import RateTable, log_norms_of, rate_of_mean

Floats = NDArray[np.float64]

_AT_A_TIME = 256  # rounds


class Mixture(NamedTuple):
    """A fitted mixture of c components.

    Parameters
    ----------
    weights, rates, log_norms : (c,)
    history : log-likelihood after each E-step, never decreasing
    converged : whether the last growth was within the tolerance
    """

    weights: Floats
    rates: Floats
    log_norms: Floats
    history: Floats
    converged: bool


def fit_mixtures(
    table: RateTable, units: Floats, shares: Floats, *, max_iter: int, tol: float
) -> list[Mixture]:
    """Expectation-maximization of Σ_i log Σ_l w_l γ_l exp(λ_l u_il), for r problems.

    Parameters
    ----------
    table : of the support
    units : (r, n, c), unit similarities of the samples to the c centroids
    shares : (r, n, c), to start with: how much of each sample belongs to each component. A
        component of which nothing is has no weight, and stays so: problems of fewer have those.
    max_iter, tol : a problem ends after so many rounds, or when the mean log-likelihood of a
        sample grows by no more than `tol`

    Notes
    -----
    The M-step is exact: weights are mean shares, and the rate of a component is the one
    whose mean is the weighted mean of its similarities, within the caps of the table. The
    likelihood therefore never decreases, up to the 1e-11 of the table. O(r n c) each round.
    """
    nodes = np.stack([table.logits, table.slopes, table.log_norms, table.norm_slopes])
    known = as_input(nodes), table.step, table.low_cap, table.high_cap
    flat = np.zeros((3, units.shape[2]))  # to begin with: no weights, and rates of zero
    flat[2] = log_norms_of(table, flat[1])
    return [
        _fit_mixture(known, own, start, flat.copy(), max_iter, tol)
        for own, start in zip(units, shares, strict=True)
    ]


def _fit_mixture(
    table: tuple[Floats, float, float, float],
    units: Floats,
    shares: Floats,
    mixture: Floats,
    max_iter: int,
    tol: float,
) -> Mixture:
    """One problem, some rounds at a time, so that it can be interrupted in between."""
    totals, sums = shares.sum(axis=0), np.einsum("nc,nc->c", shares, units)
    history, before, converged = np.empty(0), -np.inf, False
    while not converged and len(history) < max_iter:
        reached = np.empty(min(max_iter - len(history), _AT_A_TIME))
        n_rounds, converged = _climb(
            *(as_input(units), *table, before, float(tol) * len(units)),
            *(totals, sums, mixture, reached),
        )
        history = np.concatenate([history, reached[:n_rounds]])
        before = float(history[-1])
    weights, rates, log_norms = mixture
    return Mixture(weights, rates, log_norms, history, bool(converged))


@compiled
def _climb(units, nodes, step, low, high, before, least, totals, sums, mixture, reached):  # type: ignore[no-untyped-def]
    """Rounds of one problem, as many as `reached` has room for.

    Parameters
    ----------
    units : (n, c)
    nodes, step, low, high : of the table, see `rate_of_mean`
    before, least : the log-likelihood so far; a round that adds no more than `least` is the last
    totals, sums : (c,), sums over samples of shares, and of shares times units; kept up to date
    mixture : (3, c), weights, rates and log-normalizers, to be filled
    reached : log-likelihoods after each round, to be filled

    Returns
    -------
    n_rounds, converged : how many were done, and whether the last one was
    """
    n, c = units.shape
    logs, heights = np.empty(c), np.empty(c)
    for number in range(len(reached)):
        for k in range(c):  # M-step: exact for exponentials of given mean
            mixture[0, k] = totals[k] / n
            if totals[k] > 0.0:
                mean = min(max(sums[k] / totals[k], 0.0), 1.0)
                mixture[1, k], mixture[2, k] = rate_of_mean(nodes, step, low, high, mean)
            heights[k] = np.log(mixture[0, k]) - mixture[2, k]
            totals[k] = sums[k] = 0.0
        likelihood = 0.0
        for i in range(n):  # E-step, in logarithms
            top, total = -np.inf, 0.0
            for k in range(c):
                rate = mixture[1, k]
                distance = units[i, k] if rate <= 0.0 else 1.0 - units[i, k]
                logs[k] = heights[k] - abs(rate) * distance
                top = max(top, logs[k])
            for k in range(c):
                logs[k] = np.exp(logs[k] - top)
                total += logs[k]
            for k in range(c):
                totals[k] += logs[k] / total
                sums[k] += logs[k] / total * units[i, k]
            likelihood += top + np.log(total)
        reached[number] = likelihood
        if likelihood - before <= least:
            return number + 1, True
        before = likelihood
    return len(reached), False
