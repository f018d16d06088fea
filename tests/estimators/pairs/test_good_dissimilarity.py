from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import binomtest, norm
from sklearn import config_context

from similearn import (
    DissimilarityVoteClassifier,
    Pairwise,
    goodness,
    pairs_needed,
    stored_pairwise,
    weighted_goodness,
)
from similearn.errors import InputError, InputTypeError
from similearn.estimators.pairs.good_dissimilarity import goodness_findings
from similearn.numerics.pairs.good_dissimilarity import (
    binomial_interval,
    capped_means,
    chernoff_interval,
    near_to_far,
    weighted_shares,
)
from tests.reference.dboost import nearer_share, weighted_share
from tests.thinning import drawn

# Proposition 7: places P, M of the first class and N, Q of the second. P and Q are nearer to
# all of their own class; M is nearest to N, and N to M, so that g = 0.45 there.
PLACES = np.array([[0.0, 3.0, 3.5, 4.0], [3, 2, 1, 3.5], [3.5, 1, 2, 3], [4, 3.5, 3, 0]])
SHARES = np.array([0.45, 0.55])


def counter_example(n, seed, m=0):
    """Symmetric dissimilarities of n samples, their labels, and of m queries, theirs."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n + m)
    clear = rng.random(n + m) < SHARES[0]
    place = np.where(y == 0, np.where(clear, 0, 1), np.where(clear, 3, 2))
    D = PLACES[np.ix_(place, place)]
    return D[:n, :n], y[:n], D[n:, :n], y[n:]


def clouds(n=30, n_classes=2, seed=0, levels=None):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = rng.standard_normal((n, 2)) + y[:, None]
    X = np.round(X * levels) / levels if levels else X
    return np.sqrt(((X[:, None] - X) ** 2).sum(axis=2)), y


@pytest.mark.parametrize(("n_classes", "levels"), [(2, None), (3, None), (2, 1), (3, 1)])
def test_shares_and_the_jackknife_by_literal_loops(n_classes, levels):
    D, y = clouds(24, n_classes, levels=levels)
    found = goodness(D, y, kind="dissimilarity", n_jobs=2)
    shares = [nearer_share(D, y, i) for i in range(24)]
    assert_allclose(found.shares, shares)
    assert_allclose(found.pseudo.value, np.mean(shares) - 0.5)
    without = []
    for j in range(24):
        rest = np.delete(np.arange(24), j)
        part, labels = D[np.ix_(rest, rest)], y[rest]
        without.append(np.mean([nearer_share(part, labels, i) for i in range(23)]))
    error = np.sqrt(23 / 24 * np.sum((np.array(without) - np.mean(shares)) ** 2))
    assert_allclose(found.pseudo.high - found.pseudo.value, norm.ppf(0.975) * error)


def test_similarities_turn_the_sign_and_order_is_all():
    D, y = clouds(40, 3)
    expected = goodness(D, y, kind="dissimilarity")
    for other in (
        goodness(np.exp(-D), y, kind="similarity"),
        goodness(Pairwise(D**3, "dissimilarity"), y),
        goodness(np.exp(D), y, kind="dissimilarity"),
    ):
        assert_array_equal(other.shares, expected.shares)
        assert other.pseudo == expected.pseudo


def test_known_goodness_is_found_and_covered():
    """ε(γ) is 0.55 for γ above -0.05; E g - ½ is 0.1975."""
    D, y, *_ = counter_example(2000, 3)
    found = goodness(D, y, kind="dissimilarity", n_jobs=2)
    assert_allclose(found.epsilon(0.2), 0.55, atol=0.05)
    assert found.epsilon(0.2).low < 0.55 < found.epsilon(0.2).high
    assert_allclose(found.pseudo, 0.1975, atol=0.05)
    assert_allclose(found.gamma(0.5).value, -0.05, atol=0.03)
    assert_allclose(found.gamma(0.6).value, 0.5, atol=0.01)
    for epsilon, truth in ((0.5, -0.05), (0.7, 0.5)):
        estimate = found.gamma(epsilon)
        assert estimate.low <= truth <= estimate.high


def test_intervals_cover_the_truth_as_often_as_they_say():
    covered = np.zeros(2)
    for seed in range(100):
        D, y, *_ = counter_example(60, seed)
        found = goodness(D, y, kind="dissimilarity", confidence=0.9)
        epsilon = found.epsilon(0.2)
        covered += [
            epsilon.low <= 0.55 <= epsilon.high,
            found.pseudo.low <= 0.1975 <= found.pseudo.high,
        ]
    assert covered[0] >= 90
    assert 80 <= covered[1] <= 98


def test_bounds_of_all_samples_share_half_of_the_error():
    D, y = clouds(60)
    found = goodness(D, y, kind="dissimilarity", confidence=0.9)
    for p in (found.low, found.high):
        inside = (p > 0) & (p < 1) & (found.shares > 0) & (found.shares < 1)
        q, p = found.shares[inside], p[inside]
        divergence = q * np.log(q / p) + (1 - q) * np.log((1 - q) / (1 - p))
        assert_allclose(2 * 60 * np.exp(-29 * divergence), 0.05)  # 29 of the own class
        assert inside.any()


def test_pseudo_goodness_does_not_let_the_vote_learn():
    """Proposition 7: pseudo γ-good, yet the vote is wrong more often than not."""
    D, y, E, z = counter_example(1500, 1, 500)
    found = goodness(D, y, kind="dissimilarity")
    assert found.pseudo.low > 0.1
    assert found.epsilon(0.0).value > 0.5
    assert found.epsilon(0.2).low > 0.5
    for n_pairs in (3000, None):
        vote = DissimilarityVoteClassifier(n_pairs, random_state=0).fit(D, y)
        assert np.mean(vote.predict(E) != z) > 0.5


def test_strong_goodness_lets_the_vote_learn():
    """Theorem 3: ε + δ is kept by the number of pairs that it asks for."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=1200)
    X = 1.2 * y[:, None] + rng.standard_normal((1200, 3))
    D = np.sqrt(((X[:, None] - X[:700]) ** 2).sum(axis=2))
    found = goodness(D[:700], y[:700], kind="dissimilarity")
    for gamma in (0.1, 0.2):
        vote = DissimilarityVoteClassifier(found.n_pairs(gamma, 0.05), random_state=1)
        error = np.mean(vote.fit(D[:700], y[:700]).predict(D[700:]) != y[700:])
        assert error <= found.epsilon(gamma).high + 0.05


def test_weights_mend_the_counter_example():
    """Definition 4: with B = 4, twice the weight on P and Q makes every sample good."""
    D, y, *_ = counter_example(300, 2)
    found = weighted_goodness(D, y, gamma=0.2, bound=4.0, kind="dissimilarity")
    assert found.unweighted.value > 0.4
    assert found.epsilon.value == 0.0
    assert found.epsilon.high < 0.05
    assert found.weights.max() <= 2 + 1e-9
    assert_allclose([found.weights[y == g].mean() for g in (0, 1)], 1)
    assert found.n_pairs == pairs_needed(0.2, 0.05, bound=4.0)
    useless = weighted_goodness(D, y, gamma=0.2, bound=1.0, kind="dissimilarity")
    assert_allclose(useless.weights, 1, atol=1e-9)
    assert useless.epsilon == useless.unweighted == found.unweighted


@drawn(15)
@given(st.integers(0, 1000), st.sampled_from([2, 3]), st.sampled_from([None, 1]))
def test_weighted_shares_and_their_gradient(seed, n_classes, levels):
    D, y = clouds(12, n_classes, seed, levels)
    rng = np.random.default_rng(seed)
    weights, slopes = rng.random(12) + 0.1, rng.standard_normal(12)
    orders = near_to_far(D)
    shares, gradient = weighted_shares(D, orders, y, weights, slopes)
    assert_allclose(shares, [weighted_share(D, y, weights, i) for i in range(12)])
    for j in range(12):
        step = 1e-6 * np.eye(12)[j]
        up, down = (weighted_shares(D, orders, y, weights + s, None)[0] for s in (step, -step))
        assert_allclose(gradient[j], slopes @ (up - down) / 2e-6, atol=1e-7)


@drawn(40)
@given(st.integers(0, 10**6), st.sampled_from([1.0, 1.5, 4.0]))
def test_projected_weights_are_the_nearest(seed, cap):
    rng = np.random.default_rng(seed)
    codes = np.arange(10) % 2
    weights = 3 * rng.standard_normal(10)
    found = capped_means(weights, codes, 2, cap)
    assert (found >= 0).all()
    assert (found <= cap).all()
    for g in (0, 1):
        own = codes == g
        assert_allclose(found[own].mean(), 1)
        # No feasible point is nearer: the way to any other makes an obtuse angle.
        for _ in range(5):
            other = capped_means(rng.random(10) * cap, codes, 2, cap)
            assert (weights - found)[own] @ (other - found)[own] <= 1e-6


def test_binomial_interval_is_that_of_scipy():
    for count, n in ((0, 20), (3, 20), (20, 20)):
        expected = binomtest(count, n).proportion_ci(0.9, method="exact")
        assert_allclose(binomial_interval(count, count, n, 0.05), expected)


def test_chernoff_interval_at_the_ends_and_inside():
    shares, counts = np.array([1.0, 0.0, 0.3]), np.full(3, 50.0)
    low, high = chernoff_interval(shares, counts, 4.0)
    assert_allclose(low[0], np.exp(-4 / 50))
    assert_allclose(high[1], 1 - np.exp(-4 / 50))
    assert (high[0], low[1]) == (1.0, 0.0)
    for p in (low[2], high[2]):
        divergence = 0.3 * np.log(0.3 / p) + 0.7 * np.log(0.7 / (1 - p))
        assert_allclose(50 * divergence, 4.0)


def test_numbers_of_pairs():
    assert pairs_needed(0.1, np.exp(-1)) == 100
    assert pairs_needed(0.5, np.exp(-1)) == 4
    assert pairs_needed(0.1, np.exp(-1), bound=3) == 3600
    found = goodness(*clouds(60), kind="dissimilarity")
    assert found.n_pairs(0.1) == pairs_needed(0.1, 0.05)
    assert f"the vote of {pairs_needed(0.1)} pairs" in str(found)
    assert f"ε = {found.epsilon(0.1)}" in str(found)


def test_findings_for_people():
    D, y = clouds(60)
    block = Pairwise(D, "dissimilarity")
    average, each = goodness_findings(block, y)
    found = goodness(block, y)
    assert average.value.startswith(f"{found.pseudo} (")
    assert each.value.startswith(f"{found.epsilon(0.1)} (")
    assert f"votes of {pairs_needed(0.1)} random pairs" in each.advice
    assert goodness_findings(block, None) == []
    assert goodness_findings(block, [0] * 58 + [1] * 2) == []


def test_unknown_dissimilarities_are_farthest():
    D, y = clouds(30)
    known = D < np.median(D)
    rows, columns = np.nonzero(known)
    block = sparse.csr_array((D[known], (rows, columns)), shape=D.shape)
    expected = goodness(np.where(known, D, 1e6), y, kind="dissimilarity")
    found = goodness(Pairwise(block, "dissimilarity"), y)
    assert_array_equal(found.shares, expected.shares)


def test_messages():
    D, y = clouds(12)
    with pytest.raises(InputError, match="kind is unknown"):
        goodness(D, y)
    with pytest.raises(InputError, match="5 queries against 12"):
        goodness(Pairwise(D[:5], "dissimilarity"), y[:5])
    with pytest.raises(InputError, match="X has 12 rows but there are 5 labels"):
        goodness(D, y[:5], kind="dissimilarity")
    with pytest.raises(InputError, match="the smallest of 2 samples"):
        goodness(D, [0] * 10 + [1] * 2, kind="dissimilarity")
    with pytest.raises(InputError, match="confidence=1"):
        goodness(D, y, kind="dissimilarity", confidence=1.0)
    with pytest.raises(InputError, match=r"gamma=0\.7 is out of range"):
        pairs_needed(0.7)
    with pytest.raises(InputTypeError, match="delta='a' must be a number"):
        pairs_needed(0.1, "a")
    with pytest.raises(InputError, match=r"bound=0\.5 is too small"):
        pairs_needed(0.1, bound=0.5)
    found = goodness(D, y, kind="dissimilarity")
    with pytest.raises(InputError, match="gamma=2 is out of range"):
        found.epsilon(2)
    with pytest.raises(InputError, match="epsilon=-1 is out of range"):
        found.gamma(-1)


@pytest.mark.parametrize("function", [goodness, partial(weighted_goodness, gamma=0.1)])
def test_an_empty_block_is_a_sentence(function):
    with pytest.raises(InputError, match="empty block"):
        function(np.zeros((0, 0)), [], kind="similarity")


def test_a_lazy_block_is_never_whole():
    D, y = clouds(24)
    lazy = stored_pairwise(D, "dissimilarity")
    with config_context(working_memory=0.003):
        found = goodness(lazy, y)
    assert "values" not in vars(lazy)
    plain = goodness(D, y, kind="dissimilarity")
    assert_array_equal(found.shares, plain.shares)
    assert_allclose(found.pseudo, plain.pseudo, rtol=1e-12)
