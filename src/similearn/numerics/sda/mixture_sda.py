"""Mixtures of exponential pmfs, one for each of several centroids (JMLR §6.1)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.compiling import compiled
from similearn.numerics.sda.maxent import RateTable, norm_of, rate_of

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
    n_components = units.shape[1]
    weights, rates = np.empty(n_components), np.zeros(n_components)
    log_norms = np.full(n_components, norm_of(table, 0.0))
    history = np.empty(max_iter)
    rounds, converged = _fit(table, units, shares.copy(), weights, rates, log_norms, history, tol)
    return Mixture(weights, rates, log_norms, history[:rounds], bool(converged))


@compiled
def _maximize(table, units, shares, weights, rates, log_norms):  # type: ignore[no-untyped-def]
    """M-step: exact for exponentials of given mean."""
    for component in range(units.shape[1]):
        total = shares[:, component].sum()
        weights[component] = total / len(units)
        if total > 0.0:
            mean = (shares[:, component] * units[:, component]).sum() / total
            rates[component] = rate_of(table, min(max(mean, 0.0), 1.0))
            log_norms[component] = norm_of(table, rates[component])


@compiled
def _expect(units, weights, rates, log_norms, shares):  # type: ignore[no-untyped-def]
    """E-step: fills shares, returns the log-likelihood."""
    likelihood = 0.0
    logs = np.empty(units.shape[1])
    for i in range(units.shape[0]):
        for c in range(units.shape[1]):
            distance = units[i, c] if rates[c] <= 0 else 1.0 - units[i, c]
            logs[c] = np.log(weights[c]) - abs(rates[c]) * distance - log_norms[c]
        top = logs.max()
        total = np.exp(logs - top).sum()
        shares[i] = np.exp(logs - top) / total
        likelihood += top + np.log(total)
    return likelihood


@compiled
def _fit(table, units, shares, weights, rates, log_norms, history, tol):  # type: ignore[no-untyped-def]
    for step in range(len(history)):
        _maximize(table, units, shares, weights, rates, log_norms)
        history[step] = _expect(units, weights, rates, log_norms, shares)
        if step > 0 and history[step] - history[step - 1] <= tol * len(units):
            return step + 1, True
    return len(history), False
