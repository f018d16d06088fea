"""How local pmfs are regularized: one entry for each value of ``regularization``."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

import numpy as np

from similearn.numerics.sda import local_sda as numerics
from similearn.numerics.sda.average_pmf import (
    add_counts,
    average_log_pmf,
    average_pmfs,
    interval_log_masses,
    no_counts,
    node_places,
)
from similearn.numerics.sda.local_sda import RateList
from similearn.numerics.sda.maxent import capped_rates, log_pmf, look_up
from similearn.numerics.sda.support import few_intervals, to_unit


@dataclass(frozen=True)
class Regularization:
    """What a value of ``regularization`` means; equations are RegSDA's.

    Parameters
    ----------
    scores : ``(queries, alpha)`` to log-posteriors (m, G) up to a constant, with `queries` of
        `LocalQueries`
    learn : ``(trained, near, known, in_chunks)`` to whatever the training neighbourhoods (n, k)
        teach, with `trained` of `Trained`; None if nothing
    average : ``(queries, learned)`` to log-probabilities (m, G, G) of the regularizing pmf; None
        where there is none
    """

    scores: Callable
    learn: Callable | None = None
    average: Callable | None = None


def _joint(queries, alpha):
    return numerics.joint(queries.local, queries.average, queries.trained.log_priors, alpha)


def _marginal(queries, alpha):
    return numerics.marginal(queries.local, queries.average, queries.trained.log_priors, alpha)


def _global_rate(queries, alpha):
    trained = queries.trained
    return numerics.blended_rates(
        trained.table, queries.local, trained.rates, trained.log_priors, alpha
    )


def _average_rate(queries, alpha):
    trained, others = queries.trained, numerics.average_rates(queries.local)
    return numerics.blended_rates(trained.table, queries.local, others, trained.log_priors, alpha)


def _mean(queries, alpha):
    trained = queries.trained
    return numerics.blended_means(
        trained.table, queries.local, trained.means, trained.log_priors, alpha
    )


def _dirichlet(queries, alpha):
    references, local = queries.trained.references, queries.local
    log_masses, edges = queries.learned[1:]
    matches = references.matches(queries.near, queries.known, local.stats, local.units, edges)
    intervals = np.searchsorted(edges, local.units, side="right")
    masses = log_masses[:, np.arange(references.n_classes), intervals].swapaxes(0, 1)
    log_priors = queries.trained.log_priors
    return numerics.dirichlet(local, queries.average, matches, masses, log_priors, alpha)


def _learn_average(trained, near, known, in_chunks):
    """P_ave (eq. 7)."""
    references, table = trained.references, trained.table
    counts, lock = no_counts(table, references.n_classes), Lock()

    def add(rows):
        stats = references.neighborhoods(near[rows], known[rows])
        places = node_places(table, stats)
        with lock:
            add_counts(counts, places, stats)

    in_chunks(add)
    return (average_pmfs(references.support, table, counts, trained.rates, trained.log_norms),)


def _learn_intervals(trained, near, known, in_chunks):
    """P_ave, and its masses of few intervals of Ω."""
    (average,) = _learn_average(trained, near, known, in_chunks)
    support = trained.references.support
    edges = few_intervals(support.levels)
    return average, interval_log_masses(average, support, edges), edges


def _learn_histogram(trained, near, known, in_chunks):
    """Rates of the pooled similarities of all training neighbourhoods."""
    references = trained.references

    def pool(rows):
        stats = references.neighborhoods(near[rows], known[rows])
        sizes = np.where(stats.defined, stats.counts[:, :, None], 0.0)
        return (sizes * stats.means).sum(axis=0), sizes.sum(axis=0)

    totals, sizes = (sum(part) for part in zip(*in_chunks(pool), strict=True))
    means = np.divide(totals, sizes, out=np.zeros_like(totals), where=sizes > 0)
    means = np.where((means > 0) & (means < 1), means, trained.means)
    return capped_rates(references.support, trained.table, means)


def _learn_rates(trained, near, known, in_chunks):
    """The pmfs of every training neighbourhood."""

    def fit(rows):
        stats = trained.references.neighborhoods(near[rows], known[rows])
        interior = stats.defined & (stats.means > 0) & (stats.means < 1)
        return *look_up(trained.table, stats.means), interior

    parts = zip(*in_chunks(fit), strict=True)
    return RateList(*(np.concatenate(part) for part in parts))


def _average_at(queries, learned):
    return average_log_pmf(learned[0], queries.local.units)


def _histogram_at(queries, learned):
    return log_pmf(*learned, queries.local.units[:, None, :])


def _adaptive_at(queries, learned):
    trained, references = queries.trained, queries.trained.references
    nearness = to_unit(references.support, queries.values)
    nearness = nearness if references.large_is_near else 1.0 - nearness
    units = queries.local.units[:, None, :]
    return numerics.adaptive_average(
        learned,
        queries.near,
        queries.known,
        nearness + 1e-12,  # all alike where all are farthest
        queries.local,
        log_pmf(trained.rates, trained.log_norms, units),
    )


REGULARIZATIONS = {
    "joint": Regularization(_joint, _learn_average, _average_at),
    "marginal": Regularization(_marginal, _learn_average, _average_at),
    "global-rate": Regularization(_global_rate),
    "average-rate": Regularization(_average_rate),
    "mean": Regularization(_mean),
    "histogram": Regularization(_joint, _learn_histogram, _histogram_at),
    "adaptive": Regularization(_joint, _learn_rates, _adaptive_at),
    "dirichlet": Regularization(_dirichlet, _learn_intervals, _average_at),
}
