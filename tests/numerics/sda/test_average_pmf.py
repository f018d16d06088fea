import numpy as np
import pytest

from similearn.numerics.sda.average_pmf import (
    add_counts,
    average_log_pmf,
    average_pmfs,
    interval_log_masses,
    no_counts,
    node_places,
)
from similearn.numerics.sda.centroids import Neighborhoods
from similearn.numerics.sda.maxent import capped_rates, log_pmf, rate_table
from similearn.numerics.sda.support import Support, few_intervals


def support_of(n_levels):
    levels = np.linspace(0, 1, n_levels)
    return Support(0.0, 1.0, 1.0, levels, np.zeros(n_levels), False)


def averaged(support, means, present=None):
    """Average the pmfs of means (m, G, G); uniform pmfs stand in where there are none."""
    m, n_classes, _ = means.shape
    counts = np.ones((m, n_classes)) if present is None else present.astype(float)
    stats = Neighborhoods(counts, np.zeros((m, n_classes), dtype=np.intp), means)
    table = rate_table(support)
    found = no_counts(table, n_classes)
    add_counts(found, node_places(table, stats), stats)
    other = capped_rates(support, table, np.full((n_classes, n_classes), support.levels.mean()))
    return average_pmfs(support, table, found, *other)


def exact(support, means):
    table = rate_table(support)
    rates, log_norms = capped_rates(support, table, means)
    return np.exp(log_pmf(rates[:, None], log_norms[:, None], support.levels)).mean(axis=0)


@pytest.mark.parametrize("n_levels", [2, 9, 101, 1024])
def test_averages_equal_averages_of_pmfs(n_levels):
    rng = np.random.default_rng(0)
    means = rng.beta(0.6, 0.6, (50, 2, 2))
    means[:5] = 1.0  # deltas among them
    means[5:9] = 0.0
    support = support_of(n_levels)
    found = averaged(support, means)
    for g, h in np.ndindex(2, 2):
        pmf = np.exp(found.log_values[g, h])
        np.testing.assert_allclose(pmf, exact(support, means[:, g, h]), rtol=2e-4, atol=1e-12)
        assert pmf.sum() == pytest.approx(1, abs=1e-6)
        assert pmf @ support.levels == pytest.approx(means[:, g, h].mean(), abs=1e-6)


def test_many_classes_take_coarser_nodes_and_fewer_levels():
    rng = np.random.default_rng(0)
    means = rng.uniform(0.05, 0.95, (6, 90, 90))
    support = support_of(1024)
    found = averaged(support, means)
    assert found.log_values.size <= 1 << 22
    rows = np.exp(found.log_values[3, 7])
    expected = np.interp(found.levels, support.levels, exact(support, means[:, 3, 7]))
    np.testing.assert_allclose(rows, expected, rtol=5e-3)


def test_absent_classes_do_not_count_and_deltas_alone_are_replaced():
    support = support_of(5)
    means = np.full((4, 2, 2), 0.3)
    means[:, 1, 1] = 1.0
    present = np.array([[1, 1], [1, 0], [1, 1], [1, 0]])
    means[[1, 3], 0, 1] = 0.9  # not defined there, so without effect
    found = averaged(support, means, present)
    np.testing.assert_allclose(
        np.exp(found.log_values[0, 1]), exact(support, np.array([0.3])), rtol=1e-5
    )
    np.testing.assert_allclose(np.exp(found.log_values[1, 1]), np.full(5, 0.2))


def test_between_levels_logarithms_are_linear():
    support = support_of(5)
    found = averaged(support, np.full((1, 2, 2), 0.4))
    units = np.array([[0.0, 1.0], [0.25, 0.3], [0.125, 0.9]])
    logs = average_log_pmf(found, units)
    for g, h in np.ndindex(2, 2):
        expected = np.interp(units[:, h], support.levels, found.log_values[g, h])
        np.testing.assert_allclose(logs[:, g, h], expected)


@pytest.mark.parametrize("n_levels", [7, 300])
def test_intervals_hold_all_the_probability(n_levels):
    support = support_of(n_levels)
    edges = few_intervals(support.levels)
    assert len(edges) + 1 == min(n_levels, 16)
    found = averaged(support, np.random.default_rng(0).uniform(0.2, 0.9, (5, 2, 2)))
    masses = np.exp(interval_log_masses(found, support, edges))
    np.testing.assert_allclose(masses.sum(axis=2), 1, atol=1e-6)
    if n_levels == 7:
        np.testing.assert_allclose(masses, np.exp(found.log_values))
