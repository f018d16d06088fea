"""Mixtures of exponential pmfs, one for each of several centroids (JMLR §6.1)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.sda.maxent import RateTable, log_norms_of, look_up

Floats = NDArray[np.float64]


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


def fit_mixture(
    table: RateTable, units: Floats, shares: Floats, *, max_iter: int, tol: float
) -> Mixture:
    """Expectation-maximization of Σ_i log Σ_l w_l γ_l exp(λ_l u_il).

    Parameters
    ----------
    table : of the support
    units : (n, c), unit similarities of the samples to the c centroids
    shares : (n, c), to start with: how much of each sample belongs to each component
    max_iter, tol : it ends after so many rounds, or when the mean log-likelihood of a sample
        grows by no more than `tol`

    Notes
    -----
    The M-step is exact: weights are mean shares, and the rate of a component is the one
    whose mean is the weighted mean of its similarities, within the caps of the table. The
    likelihood therefore never decreases, up to the 1e-11 of the table. O(n c) each round.
    """
    n, n_components = units.shape
    rates = np.zeros(n_components)
    log_norms = log_norms_of(table, rates)
    from_top = 1.0 - units
    history: list[float] = []
    for step in range(max_iter):
        totals = shares.sum(axis=0)
        weights, used = totals / n, totals > 0.0  # M-step: exact for exponentials of given mean
        means = np.einsum("ic,ic->c", shares, units)[used] / totals[used]
        rates[used], log_norms[used] = look_up(table, np.clip(means, 0.0, 1.0))
        shares, likelihood = _expected(units, from_top, weights, rates, log_norms)
        history.append(likelihood)
        if step > 0 and history[-1] - history[-2] <= tol * n:
            return Mixture(weights, rates, log_norms, np.array(history), True)
    return Mixture(weights, rates, log_norms, np.array(history), False)


def _expected(
    units: Floats, from_top: Floats, weights: Floats, rates: Floats, log_norms: Floats
) -> tuple[Floats, float]:
    """E-step: shares (n, c), and the log-likelihood; `log_pmf` in few calls, for finite rates."""
    with np.errstate(divide="ignore"):
        heights = np.log(weights) - log_norms
    logs = np.where(rates <= 0, units, from_top)
    logs *= -np.abs(rates)
    logs += heights
    tops = logs.max(axis=1, keepdims=True)
    logs -= tops
    shares = np.exp(logs, out=logs)
    totals = shares.sum(axis=1, keepdims=True)
    shares /= totals
    return shares, float(tops.sum() + np.log(totals).sum())
