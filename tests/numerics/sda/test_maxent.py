import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize

from similearn.numerics.sda.maxent import exact_rates, log_norms_of, log_pmf, look_up, rate_table
from similearn.numerics.sda.support import (
    MAX_LEVELS,
    Support,
    continuous_support,
    from_unit,
    observed_support,
    spaced_support,
    to_unit,
)
from tests.reference import sda as reference
from tests.thinning import drawn


def support_of(levels, log_counts=None):
    levels = np.asarray(levels, dtype=float)
    log_counts = np.zeros(len(levels)) if log_counts is None else log_counts
    return Support(0.0, 1.0, 1.0, levels, log_counts, False)


def pmfs(support, means, find=exact_rates):
    table = rate_table(support)
    arguments = (support, table, means) if find is exact_rates else (table, means)
    rates, log_norms = find(*arguments)
    logs = log_pmf(rates[:, None], log_norms[:, None], support.levels)
    return np.exp(logs + support.log_counts)


IRREGULAR = [0, 1e-6, 0.2, 0.2000001, 0.7, 1.0]
SUPPORTS = [np.linspace(0, 1, n) for n in (2, 3, 9, 101, 1024)] + [np.array(IRREGULAR)]


@pytest.mark.parametrize("levels", SUPPORTS, ids=len)
def test_pmfs_sum_to_one_and_have_their_means(levels):
    means = np.random.default_rng(0).uniform(0, 1, 500)
    means = np.concatenate([means, 10.0 ** -np.arange(1, 13), 1 - 10.0 ** -np.arange(1, 13)])
    found = pmfs(support_of(levels), means)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_allclose(found @ levels, means, rtol=1e-12)
    np.testing.assert_allclose(found @ (1 - levels), 1 - means, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(pmfs(support_of(levels), means, look_up), found, atol=1e-9)


@pytest.mark.parametrize("levels", [*SUPPORTS[:4], IRREGULAR], ids=len)
def test_pmfs_equal_the_reference(levels):
    means = np.array([1e-9, 0.01, 0.3, 0.5, 0.77, 0.999])
    expected = [reference.pmf(levels, mean) for mean in means]
    np.testing.assert_allclose(pmfs(support_of(levels), means), expected, atol=1e-10)


def test_rates_equal_nelder_mead_as_in_the_paper():
    levels = np.linspace(0, 1, 101)
    support = support_of(levels)
    for mean in (0.2, 0.61):
        dual = minimize(
            lambda r, mean=mean: np.log(np.exp(r[0] * (levels - mean)).sum()),
            [0.0],
            method="Nelder-Mead",
            options={"xatol": 1e-10, "fatol": 1e-14},
        )
        weights = np.exp(dual.x[0] * levels)
        found = pmfs(support, np.array([mean]))[0]
        np.testing.assert_allclose(found, weights / weights.sum(), atol=1e-8)


def test_means_at_the_ends_are_deltas():
    support = support_of(np.linspace(0, 1, 11))
    rates, log_norms = exact_rates(support, rate_table(support), np.array([0.0, 1.0]))
    assert rates.tolist() == [-np.inf, np.inf]
    logs = log_pmf(rates[:, None], log_norms[:, None], support.levels)
    assert logs[0].tolist() == [0.0] + [-np.inf] * 10
    assert logs[1].tolist() == [-np.inf] * 10 + [0.0]


def test_looked_up_deltas_are_deltas_to_machine_precision_and_finite():
    support = support_of(np.linspace(0, 1, 11))
    rates, log_norms = look_up(rate_table(support), np.array([0.0, 1.0]))
    logs = log_pmf(rates[:, None], log_norms[:, None], support.levels)
    assert np.isfinite(logs).all()
    np.testing.assert_allclose(np.exp(logs), np.eye(11)[[0, 10]], atol=1e-15)


def test_one_level_has_probability_one():
    support = observed_support(np.full((3, 3), 7.0), symmetric=True, absent=0.0)
    assert support.levels.tolist() == [0.0]
    for find in (exact_rates, look_up):
        assert pmfs(support, np.zeros(2), find).tolist() == [[1.0], [1.0]]


def test_one_level_has_one_pmf_whatever_the_mean():
    support = support_of([0.3])
    rates, log_norms = exact_rates(support, rate_table(support), np.array([1e-300, 0.3, 0.9]))
    np.testing.assert_array_equal(rates, 0.0)
    np.testing.assert_allclose(log_norms, 0.0)


def test_log_normalizers_of_given_rates():
    levels = np.linspace(0, 1, 33)
    rates = np.array([-900.0, -3.0, -1e-3, 0.0, 1e-4, 2.0, 700.0])
    expected = np.log(np.exp(-np.abs(rates)[:, None] * levels).sum(axis=1))
    found = log_norms_of(rate_table(support_of(levels)), rates)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-15)


def test_counts_are_repeated_levels():
    few = support_of([0.0, 0.4, 1.0], np.log([1.0, 3.0, 2.0]))
    means = np.array([1e-7, 0.2, 0.5, 0.9])
    rates, log_norms = exact_rates(few, rate_table(few), means)
    for mean, rate, log_norm in zip(means, rates, log_norms, strict=True):
        repeated = np.array([0.0, 0.4, 0.4, 0.4, 1.0, 1.0])
        logs = log_pmf(rate, log_norm, repeated)
        assert np.exp(logs).sum() == pytest.approx(1)
        assert np.exp(logs) @ repeated == pytest.approx(mean)


def test_continuous_densities_integrate_to_one():
    support = continuous_support(np.array([[2.0, 6.0]]), absent=0.0)
    means = np.array([1e-3, 0.05, 0.4999, 0.5, 0.51, 0.97])
    table = rate_table(support)
    for rates, log_norms in (exact_rates(support, table, means), look_up(table, means)):
        grid = np.linspace(0, 1, 200_001)
        for mean, rate, log_norm in zip(means, rates, log_norms, strict=True):
            density = np.exp(log_pmf(rate, log_norm, grid))
            assert np.trapezoid(density, grid) == pytest.approx(1, abs=1e-5)
            assert np.trapezoid(density * grid, grid) == pytest.approx(mean, abs=1e-6)


@drawn(60)
@given(
    st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=12),
    st.floats(0, 1),
    st.sampled_from([1.0, 1e-300, 1e-308, 5e-324]),
)
def test_any_finite_values_make_a_support(values, mean, factor):
    values = np.array([values]) * factor
    support = observed_support(values, symmetric=False, absent=0.0)
    assert support.levels[0] == 0.0 and support.levels[-1] in (0.0, 1.0)
    assert np.isfinite(to_unit(support, values)).all()
    mean = np.array([mean if len(support.levels) > 1 else 0.0])
    found = pmfs(support, mean, look_up)
    assert found.sum() == pytest.approx(1, abs=1e-6)


def test_observed_support_keeps_few_values_and_groups_many():
    few = observed_support(np.array([[2.0, 5.0], [3.0, 2.0]]), symmetric=False, absent=0.0)
    np.testing.assert_allclose(few.levels, [0, 1 / 3, 1])
    np.testing.assert_allclose(from_unit(few, few.levels), [2, 3, 5])
    values = np.random.default_rng(0).normal(size=(300, 300))
    many = observed_support(values, symmetric=False, absent=0.0)
    assert len(many.levels) <= MAX_LEVELS
    assert (many.levels[0], many.levels[-1]) == (0.0, 1.0)
    assert np.exp(many.log_counts).sum() == pytest.approx(values.size, rel=1e-3)


def test_grouping_stays_within_its_bound():
    values = np.random.default_rng(0).normal(size=(120, 120)) ** 3
    grouped = observed_support(values, symmetric=False, absent=0.0)
    cells = 2.0**27 - 1
    units = np.unique(np.round(to_unit(grouped, values) * cells)) / cells  # as documented
    for rate in (-200.0, -20.0, 3.0, 50.0):
        near = units if rate <= 0 else 1 - units
        exact = np.log(np.exp(-abs(rate) * near).sum())
        found = log_norms_of(rate_table(grouped), np.array([rate]))[0]
        assert -1e-9 <= exact - found <= (rate / 1022) ** 2 / 8 + 1e-9


def test_symmetric_blocks_give_the_same_support_from_one_triangle():
    values = np.random.default_rng(1).normal(size=(60, 60))
    values += values.T
    one = observed_support(values, symmetric=True, absent=0.0)
    both = observed_support(values, symmetric=False, absent=0.0)
    np.testing.assert_array_equal(one.levels, both.levels)


def test_entries_that_are_not_stored_count_if_they_have_a_value():
    values = sparse.csr_array(np.array([[3.0, 0.0], [0.0, 2.0]]))
    with_zero = observed_support(values, symmetric=False, absent=0.0)
    assert from_unit(with_zero, with_zero.levels).tolist() == [0, 2, 3]
    unknown = observed_support(values, symmetric=False, absent=np.inf)
    assert from_unit(unknown, unknown.levels).tolist() == [2, 3]


def test_spaced_levels():
    support = spaced_support(np.array([[1.0, 9.0]]), 5, absent=0.0)
    np.testing.assert_allclose(from_unit(support, support.levels), [1, 3, 5, 7, 9])
    assert spaced_support(np.ones((2, 2)), 5, absent=0.0).levels.tolist() == [0.0]
