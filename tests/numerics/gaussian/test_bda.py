import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import dblquad, quad
from scipy.stats import multivariate_t

from similearn.numerics.gaussian.bda import (
    local_log_likelihoods,
    local_mean_distances,
    predictive_density,
)
from tests.reference.gaussian import bda_log_likelihood
from tests.thinning import drawn


@pytest.mark.parametrize("k", [1, 2, 6])
def test_density_integrates_to_one_in_one_dimension(k):
    samples = np.random.default_rng(k).normal(size=(k, 1)) * 3
    density = predictive_density(samples)
    total, _ = quad(lambda x: np.exp(density.log_density(np.array([[x]])))[0], -np.inf, np.inf)
    assert total == pytest.approx(1.0, abs=1e-7)


def test_density_integrates_to_one_in_two_dimensions():
    rng = np.random.default_rng(0)
    samples = rng.normal(size=(5, 2)) @ np.array([[1.0, 0.8], [0.0, 0.5]])
    density = predictive_density(samples)

    def by_angle(t, u):
        """The plane folded into a square, x = tan t."""
        x = np.array([[np.tan(t), np.tan(u)]])
        return np.exp(density.log_density(x)[0]) / (np.cos(t) * np.cos(u)) ** 2

    half = np.pi / 2
    total, _ = dblquad(by_angle, -half, half, -half, half, epsabs=1e-5, epsrel=1e-5)
    assert total == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize(("k", "d"), [(1, 1), (4, 1), (3, 7), (7, 7), (9, 4)])
def test_density_is_the_student_t_of_the_derivation(k, d):
    rng = np.random.default_rng(10 * k + d)
    samples, queries = rng.normal(size=(k, d)), rng.normal(size=(5, d)) * 2
    centered = samples - samples.mean(axis=0)
    scatter = centered.T @ centered
    A = scatter + np.diag(0.95 * (d + 3) * np.diag(scatter) / k + 0.05)
    expected = multivariate_t(samples.mean(axis=0), A * (k + 1) / (k * (k + 4)), df=k + 4)
    found = predictive_density(samples).log_density(queries)
    assert_allclose(found, expected.logpdf(queries), rtol=1e-10)


@pytest.mark.parametrize(
    ("k", "d"), [(1, 1), (1, 5), (2, 30), (30, 2), (8, 8), (9, 8), (8, 9), (50, 40), (40, 50)]
)
def test_global_and_local_equal_the_printed_formula(k, d):
    rng = np.random.default_rng(k + 100 * d)
    rows, queries = rng.normal(size=(k + 5, d)), rng.normal(size=(4, d))
    near = np.array([rng.permutation(k + 5)[:k] for _ in queries])
    expected = [bda_log_likelihood(x, rows[i]) for x, i in zip(queries, near, strict=True)]
    local = local_log_likelihoods(queries, rows, near, np.array([k]))[:, 0]
    assert_allclose(local, expected, rtol=1e-10, atol=1e-10)
    alone = [
        predictive_density(rows[i]).log_density(x[None])[0]
        for x, i in zip(queries, near, strict=True)
    ]
    assert_allclose(alone, expected, rtol=1e-10, atol=1e-10)


def test_every_k_equals_its_own_call():
    rng = np.random.default_rng(0)
    rows, queries = rng.normal(size=(40, 6)), rng.normal(size=(5, 6))
    near = np.array([rng.permutation(40)[:20] for _ in queries])
    ks = np.array([20, 1, 6, 7, 3])
    together = local_log_likelihoods(queries, rows, near, ks)
    distances = local_mean_distances(queries, rows, near, ks)
    for position, k in enumerate(ks):
        few, only = near[:, :k], np.array([k])
        alone = local_log_likelihoods(queries, rows, few, only)[:, 0]
        assert np.array_equal(together[:, position], alone)
        alone = local_mean_distances(queries, rows, few, only)[:, 0]
        assert np.array_equal(distances[:, position], alone)
        means = rows[few].mean(axis=1)
        assert_allclose(alone, np.linalg.norm(queries - means, axis=1), rtol=1e-12)


@pytest.mark.parametrize(("k", "d"), [(12, 7), (7, 12), (35, 33)])
def test_the_company_of_a_query_changes_nothing(k, d):
    rng = np.random.default_rng(k)
    rows, queries = rng.normal(size=(60, d)), rng.normal(size=(37, d))
    rows[5] *= 1e80  # its neighbourhoods need scaling, the others do not
    near = np.array([rng.permutation(60)[:k] for _ in queries])
    assert 0 < (near == 5).any(axis=1).sum() < len(queries)
    together = local_log_likelihoods(queries, rows, near, np.array([k]))[:, 0]
    for i in range(len(queries)):
        one = slice(i, i + 1)
        alone = local_log_likelihoods(queries[one], rows, near[one], np.array([k]))
        assert alone[0, 0] == together[i]


def test_no_query_at_all():
    rows = np.eye(3)
    near = np.empty((0, 2), dtype=np.intp)
    assert local_log_likelihoods(np.empty((0, 3)), rows, near, np.array([2, 1])).shape == (0, 2)


@pytest.mark.parametrize("outlier", [1e3, 1e6])
def test_neighbours_far_from_the_first_one(outlier):
    rng = np.random.default_rng(0)
    rows, query = rng.normal(size=(90, 3)), rng.normal(size=(1, 3))
    rows[0] += outlier
    near = np.arange(90)[None]
    found = local_log_likelihoods(query, rows, near, np.array([90]))[0, 0]
    assert found == pytest.approx(bda_log_likelihood(query[0], rows), rel=1e-11)


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 2**16))
@drawn(50)
def test_moving_and_permuting_features_changes_nothing(k, d, seed):
    rng = np.random.default_rng(seed)
    rows, queries = rng.normal(size=(k, d)), rng.normal(size=(3, d))
    near, ks = np.tile(np.arange(k), (3, 1)), np.array([k])
    scores = local_log_likelihoods(queries, rows, near, ks)
    move, order = rng.normal(size=d) * 100, rng.permutation(d)
    moved = local_log_likelihoods(queries + move, rows + move, near, ks)
    assert_allclose(moved, scores, rtol=1e-8, atol=1e-8)
    turned = local_log_likelihoods(queries[:, order].copy(), rows[:, order].copy(), near, ks)
    assert_allclose(turned, scores, rtol=1e-9, atol=1e-9)


def test_constant_features_have_no_variance_however_far_they_are():
    rows = np.full((7, 3), 1e15 / 3)
    rows[:, 0] = np.arange(7)
    query = rows[:1].copy()
    near = np.arange(7)[None]
    found = local_log_likelihoods(query, rows, near, np.array([7]))[0, 0]
    plain = np.column_stack([np.arange(7.0), np.zeros((7, 2))])
    assert found == pytest.approx(bda_log_likelihood(plain[0], plain), rel=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e120, 1e160, 1e300])
@pytest.mark.parametrize(("k", "d"), [(4, 2), (2, 4)])
def test_extreme_values_stay_finite_and_agree(scale, k, d):
    rng = np.random.default_rng(0)
    rows, queries = rng.normal(size=(k, d)) * scale, rng.normal(size=(3, d)) * scale
    rows[:, 0] = 0.0  # no variance at all, and a query that is infinitely far in its units
    near = np.tile(np.arange(k), (3, 1))
    local = local_log_likelihoods(queries, rows, near, np.array([k]))[:, 0]
    assert np.isfinite(local).all()
    assert_allclose(predictive_density(rows).log_density(queries), local, rtol=1e-9)
