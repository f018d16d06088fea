from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, wilcoxon

from similearn.experiments.comparisons.statistics import (
    fewest_splits,
    holm_adjusted,
    not_significantly_worse,
    signed_rank_p_value,
)
from tests.thinning import drawn


def by_all_signs(differences):
    """The null distribution as defined: every pattern of signs is equally likely."""
    differences = differences[differences != 0]
    ranks = rankdata(np.abs(differences))
    seen = ranks[differences > 0].sum()
    patterns = np.array(list(product([0, 1], repeat=len(ranks))))
    return np.mean(patterns @ ranks >= seen - 1e-9)


@pytest.mark.parametrize("n", [1, 5, 12, 20])
def test_equals_scipy_exact_without_ties(n):
    for seed in range(10):
        differences = np.random.default_rng(seed).normal(0.3, size=n)
        expected = wilcoxon(differences, alternative="greater", method="exact").pvalue
        assert signed_rank_p_value(differences) == pytest.approx(expected, rel=1e-10)


@drawn(60)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=9).filter(any))
def test_exact_with_ties_and_zeros(steps):
    differences = np.array(steps) / 20
    assert signed_rank_p_value(differences) == pytest.approx(by_all_signs(np.array(steps)))


def test_close_to_scipy_approximation_for_many_tied_pairs():
    differences = np.random.default_rng(3).integers(-4, 6, size=200) / 100
    expected = wilcoxon(differences, alternative="greater", method="asymptotic").pvalue
    assert signed_rank_p_value(differences) == pytest.approx(expected, abs=2e-3)


def test_rounding_does_not_break_ties():
    # 0.3 - 0.1 and 0.4 - 0.2 differ in the last bit, 0.25 - 0.05 is a third form of 0.2.
    differences = np.array([0.3 - 0.1, 0.2 - 0.4, 0.25 - 0.05, 0.6 - 0.6000000000000001])
    assert signed_rank_p_value(differences) == pytest.approx(by_all_signs(np.array([1, -1, 1])))


def test_all_zero_differences_are_no_difference():
    assert signed_rank_p_value(np.zeros(20)) == 1.0


def test_best_and_not_significantly_worse():
    rng = np.random.default_rng(0)
    good = rng.uniform(0.1, 0.2, size=20)
    errors = {"worse": good + 0.05, "good": good, "same": good.copy(), "close": good[::-1] + 0.001}
    marked = not_significantly_worse(errors)
    assert set(marked) == {"good", "same", "close"}
    assert marked["good"] == marked["same"] == 1.0
    assert marked["close"] >= 0.05


def test_nothing_to_compare():
    assert not_significantly_worse({}) == {}


def test_fewest_splits_is_where_the_test_can_first_reject():
    n = fewest_splits()
    assert (
        signed_rank_p_value(np.arange(1.0, n + 1)) < 0.05 <= signed_rank_p_value(np.arange(1.0, n))
    )


def test_holm_multiplies_by_what_is_left_and_never_falls():
    adjusted = holm_adjusted({"a": 0.04, "b": 0.01, "c": 0.03, "d": 0.9})
    assert adjusted == pytest.approx({"a": 0.09, "b": 0.04, "c": 0.09, "d": 0.9})
    assert list(adjusted) == ["a", "b", "c", "d"]
    assert holm_adjusted({"a": 0.5, "b": 0.9}) == {"a": 1.0, "b": 1.0}
    assert holm_adjusted({}) == {}
