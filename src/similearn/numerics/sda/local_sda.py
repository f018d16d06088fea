"""Local SDA: posteriors of a neighbourhood, and the ways to regularize them (RegSDA §IV).

Arrays (m, G, G) are indexed [query, class g, centroid h]. A class h without neighbours has
no centroid, so its factor is left out for all g alike; a class g without neighbours has no
pmfs of its own, and only the regularizer's, with prior α P̃(g).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.sda.centroids import Neighborhoods
from similearn.numerics.sda.maxent import RateTable, log_norms_of, log_pmf, look_up

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


class LocalModel(NamedTuple):
    """The exponential pmfs of m neighbourhoods, at the queries.

    Parameters
    ----------
    stats : centroids, counts and means
    units : (m, G), similarity of the query to the centroid h
    rates : (m, G, G)
    log_pmfs : (m, G, G); 0 where h is absent, -inf where only g is
    log_prior : (m, G), shares of the classes in the neighbourhood
    """

    stats: Neighborhoods
    units: Floats
    rates: Floats
    log_pmfs: Floats
    log_prior: Floats


class RateList(NamedTuple):
    """The pmfs of every training sample's neighbourhood.

    Parameters
    ----------
    rates, log_norms : (n, G, G)
    interior : (n, G, G), whether there is a pmf and it is no delta
    """

    rates: Floats
    log_norms: Floats
    interior: NDArray[np.bool_]


def local_model(table: RateTable, stats: Neighborhoods, units: Floats) -> LocalModel:
    """Fit the pmfs of eq. 2-3 by the table and evaluate them."""
    rates, log_norms = look_up(table, stats.means)
    logs = log_pmf(rates, log_norms, units[:, None, :])
    absent = np.where(stats.present[:, None, :], -np.inf, 0.0)
    shares = stats.counts / np.maximum(stats.counts.sum(axis=1, keepdims=True), 1.0)
    with np.errstate(divide="ignore"):
        log_prior = np.log(shares)
    return LocalModel(stats, units, rates, np.where(stats.defined, logs, absent), log_prior)


def unregularized(local: LocalModel) -> Floats:
    """Log-posteriors (m, G) up to a constant, eq. 2."""
    return local.log_prior + local.log_pmfs.sum(axis=2)


def joint(local: LocalModel, average: Floats, log_global: Floats, alpha: float) -> Floats:
    """Eq. 10: (1 - α) P(T|g) P(g) + α P̃(T|g) P̃(g), in logarithms.

    Parameters
    ----------
    local : see `local_model`
    average : (m, G, G), log-probabilities of the regularizer
    log_global : (G,), priors of the training set
    alpha : in [0, 1]
    """
    kept, added = _logs(alpha)
    regular = np.where(local.stats.present[:, None, :], average, 0.0).sum(axis=2)
    return np.logaddexp(kept + unregularized(local), added + log_global + regular)


def marginal(local: LocalModel, average: Floats, log_global: Floats, alpha: float) -> Floats:
    """Eq. 8-9: every pmf is mixed with its average; parameters as for `joint`."""
    kept, added = _logs(alpha)
    mixed = np.logaddexp(kept + local.log_pmfs, added + average)
    return _product(local, np.where(local.stats.defined, mixed, average), log_global, alpha)


def blended_rates(
    table: RateTable, local: LocalModel, others: Floats, log_global: Floats, alpha: float
) -> Floats:
    """Eq. 4: rates (1 - α) λ + α λ̃, with λ̃ of shape (G, G) or (m, 1, 1)."""
    rates = np.where(local.stats.defined, (1.0 - alpha) * local.rates + alpha * others, others)
    logs = log_pmf(rates, log_norms_of(table, rates), local.units[:, None, :])
    return _product(local, logs, log_global, alpha)


def average_rates(local: LocalModel) -> Floats:
    """Mean (m, 1, 1) of the rates of each neighbourhood; deltas, which have none, left out."""
    means = local.stats.means
    finite = local.stats.defined & (means > 0) & (means < 1)
    totals = np.where(finite, local.rates, 0.0).sum(axis=(1, 2), keepdims=True)
    return totals / np.maximum(finite.sum(axis=(1, 2), keepdims=True), 1)


def blended_means(
    table: RateTable, local: LocalModel, others: Floats, log_global: Floats, alpha: float
) -> Floats:
    """§IV-B: means (1 - α) m + α m̃, with m̃ of shape (G, G)."""
    own = local.stats.means
    means = np.where(local.stats.defined, (1.0 - alpha) * own + alpha * others, others)
    rates, log_norms = look_up(table, np.clip(means, 0.0, 1.0))
    logs = log_pmf(rates, log_norms, local.units[:, None, :])
    return _product(local, logs, log_global, alpha)


def dirichlet(
    local: LocalModel,
    average: Floats,
    matches: Floats,
    log_masses: Floats,
    log_global: Floats,
    alpha: float,
) -> Floats:
    """Posterior means of multinomial pmfs under Dirichlet priors.

    The prior of P(s_h | g) has mean P_ave and the weight of κ = α k / (1 - α) neighbours, so
    that the pmf of a class that fills the neighbourhood is mixed as in eq. 8; a class of
    fewer neighbours trusts them less. The multinomial is over intervals of Ω; within an
    interval the pmf is proportional to P_ave.

    Parameters
    ----------
    local, average, log_global, alpha : as for `joint`
    matches : (m, G, G), neighbours of class g in the query's interval of similarity to h
    log_masses : (m, G, G), log-probability of that interval under P_ave
    """
    counts = local.stats.counts[:, :, None]
    k = counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        observed = np.log((1.0 - alpha) * matches) - log_masses
        prior = np.log(alpha * k)
        shares = np.logaddexp(observed, prior) - np.log((1.0 - alpha) * counts + alpha * k)
    logs = np.where(local.stats.defined, average + shares, average)
    return _product(local, logs, log_global, alpha)


def adaptive_average(
    fitted: RateList,
    near: Indices,
    known: Indices,
    weights: Floats,
    local: LocalModel,
    alternative: Floats,
) -> Floats:
    """P_ave over the query's neighbours, weighted, (m, G, G).

    Parameters
    ----------
    fitted : pmfs of the training samples' neighbourhoods
    near, known, weights : (m, k), (m,) and (m, k), neighbours of the queries, how many count,
        and their positive weights
    local : pmfs of the queries' neighbourhoods
    alternative : (m, G, G), used where no neighbour has a pmf that is no delta
    """
    shape = local.log_pmfs.shape
    units = np.broadcast_to(local.units[:, None, :], shape)
    tops, sums, total = np.full(shape, -np.inf), np.zeros(shape), np.zeros(shape)
    for j in range(near.shape[1]):
        z = near[:, j]
        counted = fitted.interior[z] & (j < known)[:, None, None]
        logs = log_pmf(fitted.rates[z], fitted.log_norms[z], units)
        higher = np.where(counted, np.maximum(tops, logs), tops)
        with np.errstate(invalid="ignore"):  # nothing counted yet: -inf less -inf
            added = weights[:, j, None, None] * np.exp(logs - higher)
            sums = np.where(counted, sums * np.exp(tops - higher), sums)
        sums += np.where(counted, added, 0.0)
        total += np.where(counted, weights[:, j, None, None], 0.0)
        tops = higher
    with np.errstate(divide="ignore", invalid="ignore"):
        averages = tops + np.log(sums / total)
    return np.where(local.stats.present[:, None, :] & (total > 0.0), averages, alternative)


def _logs(alpha: float) -> tuple[float, float]:
    with np.errstate(divide="ignore"):
        return float(np.log1p(-alpha)), float(np.log(alpha))


def _product(local: LocalModel, logs: Floats, log_global: Floats, alpha: float) -> Floats:
    """Eq. 9 with regularized pmfs: the neighbourhood's priors, and α P̃(g) for absent classes."""
    log_prior = np.where(local.stats.present, local.log_prior, _logs(alpha)[1] + log_global)
    return log_prior + np.where(local.stats.present[:, None, :], logs, 0.0).sum(axis=2)
