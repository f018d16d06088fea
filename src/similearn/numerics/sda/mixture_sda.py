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


def fit_mixtures(
    table: RateTable, units: Floats, shares: Floats, *, max_iter: int, tol: float
) -> list[Mixture]:
    """Expectation-maximization of Σ_i log Σ_l w_l γ_l exp(λ_l u_il), for r problems at once.

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
    r, n, c = units.shape
    weights, rates = np.zeros((r, c)), np.zeros((r, c))
    log_norms = log_norms_of(table, rates)
    histories: list[list[float]] = [[] for _ in range(r)]
    converged, left, from_top = np.zeros(r, dtype=bool), np.arange(r), 1.0 - units
    before = np.full(r, -np.inf)
    for _ in range(max_iter):
        totals = shares.sum(axis=1)
        problem, component = np.nonzero(totals > 0.0)
        weights[left] = totals / n  # M-step: exact for exponentials of given mean
        means = np.einsum("rnc,rnc->rc", shares, units)[problem, component]
        means = np.clip(means / totals[problem, component], 0.0, 1.0)
        own = left[problem], component
        rates[own], log_norms[own] = look_up(table, means)
        shares, reached = _expected(units, from_top, weights[left], rates[left], log_norms[left])
        for i, likelihood in zip(left, reached, strict=True):
            histories[i].append(likelihood)
        ended = reached - before <= tol * n
        converged[left[ended]] = True
        before = reached
        if ended.any():
            go_on = ~ended
            units, from_top, shares = units[go_on], from_top[go_on], shares[go_on]
            left, before = left[go_on], before[go_on]
        if not len(left):
            break
    return [
        Mixture(weights[i], rates[i], log_norms[i], np.array(histories[i]), bool(converged[i]))
        for i in range(r)
    ]


def _expected(
    units: Floats, from_top: Floats, weights: Floats, rates: Floats, log_norms: Floats
) -> tuple[Floats, Floats]:
    """E-step: shares (r, n, c), and log-likelihoods (r,); `log_pmf` for finite rates."""
    with np.errstate(divide="ignore"):
        heights = np.log(weights) - log_norms
    logs = np.where((rates <= 0)[:, None], units, from_top)
    logs *= -np.abs(rates)[:, None]
    logs += heights[:, None]
    # Components are few: a call for each is quicker than reductions of so short an axis.
    tops = logs[:, :, 0].copy()
    for component in range(1, logs.shape[2]):
        np.maximum(tops, logs[:, :, component], out=tops)
    logs -= tops[:, :, None]
    shares = np.exp(logs, out=logs)
    totals = shares[:, :, 0].copy()
    for component in range(1, logs.shape[2]):
        totals += shares[:, :, component]
    shares /= totals[:, :, None]
    return shares, tops.sum(axis=1) + np.log(totals).sum(axis=1)
