from itertools import combinations

import numpy as np
import pytest

from similearn.numerics.neighbors.medoids import k_medoids
from similearn.numerics.sda.maxent import log_pmf, look_up, rate_table
from similearn.numerics.sda.mixture_sda import fit_mixtures
from similearn.numerics.sda.support import Support


def table_of(n_levels):
    levels = np.linspace(0, 1, n_levels)
    return levels, rate_table(Support(0.0, 1.0, 1.0, levels, np.zeros(n_levels), False))


def fit_mixture(table, units, shares, **options):
    return fit_mixtures(table, units[None], shares[None], **options)[0]


def literal(table, units, shares, n_rounds):
    """Expectation-maximization as it is written down, by the table's own vectors."""
    for _ in range(n_rounds):
        weights = shares.mean(axis=0)
        rates, log_norms = look_up(table, (shares * units).sum(axis=0) / shares.sum(axis=0))
        logs = np.log(weights) + log_pmf(rates, log_norms, units)
        likelihood = np.logaddexp.reduce(logs, axis=1)
        shares = np.exp(logs - likelihood[:, None])
    return weights, rates, log_norms, likelihood.sum()


@pytest.mark.parametrize("n_levels", [2, 3, 21, 400])
@pytest.mark.parametrize("n_rounds", [1, 2, 30, 300])
def test_rounds_are_those_of_the_literal_algorithm(n_levels, n_rounds):
    rng = np.random.default_rng(n_levels)
    levels, table = table_of(n_levels)
    units = levels[rng.integers(0, n_levels, (25, 3))]
    if n_rounds < 300:  # later nothing is left of it
        units[:, 2] = levels[-1]  # a delta from the first round on
    shares = rng.dirichlet(np.ones(3), 25)
    fitted = fit_mixture(table, units, shares, max_iter=n_rounds, tol=-np.inf)
    assert len(fitted.history) == n_rounds and not fitted.converged
    weights, rates, log_norms, likelihood = literal(table, units, shares, n_rounds)
    np.testing.assert_allclose(fitted.weights, weights, rtol=1e-8)
    np.testing.assert_allclose(fitted.rates, rates, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(fitted.log_norms, log_norms, rtol=1e-7, atol=1e-10)
    assert fitted.history[-1] == pytest.approx(likelihood, rel=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_the_likelihood_never_decreases(seed):
    rng = np.random.default_rng(seed)
    levels, table = table_of(21)
    units = levels[rng.integers(0, 21, (40, 3))]
    units[:10, 0] = 1.0  # a component may become a delta
    shares = rng.dirichlet(np.ones(3), 40)
    fitted = fit_mixture(table, units, shares, max_iter=300, tol=0.0)
    assert len(fitted.history) > 5
    assert (np.diff(fitted.history) >= -1e-9).all()
    assert fitted.weights.sum() == pytest.approx(1)
    logs = np.log(fitted.weights) + log_pmf(fitted.rates, fitted.log_norms, units)
    assert np.log(np.exp(logs).sum(axis=1)).sum() == pytest.approx(fitted.history[-1])


def test_the_end_is_a_stationary_point():
    rng = np.random.default_rng(1)
    levels, table = table_of(11)
    units = np.sort(levels[rng.integers(0, 11, (30, 2))], axis=1)
    fitted = fit_mixture(table, units, rng.dirichlet([1, 1], 30), max_iter=5000, tol=1e-13)
    assert fitted.converged
    logs = np.log(fitted.weights) + log_pmf(fitted.rates, fitted.log_norms, units)
    shares = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
    np.testing.assert_allclose(shares.mean(axis=0), fitted.weights, atol=1e-4)
    means = np.exp(log_pmf(fitted.rates[:, None], fitted.log_norms[:, None], levels)) @ levels
    np.testing.assert_allclose((shares * units).sum(axis=0) / shares.sum(axis=0), means, atol=1e-4)


def test_no_convergence_is_told():
    levels, table = table_of(11)
    units = levels[np.random.default_rng(0).integers(0, 11, (30, 2))]
    fitted = fit_mixture(table, units, np.full((30, 2), 0.5), max_iter=1, tol=0.0)
    assert not fitted.converged and len(fitted.history) == 1


def test_problems_do_not_depend_on_each_other():
    rng = np.random.default_rng(2)
    levels, table = table_of(11)
    units = levels[rng.integers(0, 11, (3, 30, 2))]
    shares = rng.dirichlet([1, 1], (3, 30))
    units[1, :, 1], shares[1] = 0.0, [1.0, 0.0]  # one of a single component
    together = fit_mixtures(table, units, shares, max_iter=200, tol=1e-9)
    assert len({len(one.history) for one in together}) > 1
    assert together[1].weights.tolist() == [1.0, 0.0]
    lone = fit_mixture(table, units[1, :, :1], shares[1, :, :1], max_iter=200, tol=1e-9)
    assert lone.rates[0] == pytest.approx(together[1].rates[0])
    for i, one in enumerate(together):
        alone = fit_mixture(table, units[i], shares[i], max_iter=200, tol=1e-9)
        np.testing.assert_allclose(one.history, alone.history, rtol=1e-12)
        np.testing.assert_allclose(one.rates, alone.rates, rtol=1e-9)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_medoids_are_as_good_as_the_best_of_clear_groups(k):
    rng = np.random.default_rng(k)
    points = np.repeat(np.arange(k), 5)[:, None] * 10.0 + rng.normal(size=(5 * k, 2))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    nearness = 1 - distances / distances.max()
    best = max(
        combinations(range(5 * k), k), key=lambda chosen: nearness[:, list(chosen)].max(1).sum()
    )
    assert k_medoids(nearness, k).tolist() == list(best)


def test_medoids_are_distinct_even_among_copies():
    assert k_medoids(np.ones((4, 4)), 3).tolist() == [0, 1, 2]
    assert k_medoids(np.zeros((2, 2)), 2).tolist() == [0, 1]
