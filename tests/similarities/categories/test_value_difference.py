"""The value difference metric."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imblearn.metrics.pairwise import ValueDifferenceMetric
from numpy.testing import assert_allclose, assert_array_equal

from similearn.errors import InputError
from similearn.similarities import ValueDifference
from tests.reference.similarities import value_difference
from tests.thinning import drawn


def problem(n=30, d=4, n_values=3, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(n_values, size=(n, d))
    X[:n_values] = np.arange(n_values)[:, None]  # every value occurs, as imblearn wants
    return X, rng.integers(n_classes, size=n)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("r", [1, 2, 3])
def test_equals_imbalanced_learn(k, r):
    X, y = problem()
    theirs = ValueDifferenceMetric(k=k, r=r).fit(X, y)
    ours = ValueDifference(q=k, r=r).fit(X, y)
    assert_allclose(ours.matrix(X[:7], X), theirs.pairwise(X[:7], X), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("q", [1, 2])
def test_stanfill_and_waltz_weigh_by_the_first_row(q):
    X, y = problem(n=20, d=3)
    weighted = ValueDifference(q, weighted=True).fit(X, y)
    expected = [
        [
            sum(
                np.linalg.norm(weighted.probabilities_[f][weighted.values_[f][a[f]]])
                * value_difference([a[f]], [b[f]], X[:, [f]].tolist(), y.tolist(), q, q)
                for f in range(3)
            )
            for b in X.tolist()
        ]
        for a in X[:5].tolist()
    ]
    assert_allclose(weighted.matrix(X[:5], X), expected, rtol=1e-12, atol=1e-14)
    assert not weighted.symmetric and ValueDifference(q).symmetric


@pytest.mark.parametrize("q", [1, 2])
def test_default_r_is_the_plain_double_sum(q):
    X, y = problem()
    theirs = ValueDifferenceMetric(k=q, r=q).fit(X, y).pairwise(X)
    assert_allclose(ValueDifference(q).fit(X, y).matrix(X, X), theirs, rtol=1e-12, atol=1e-14)


@given(st.integers(0, 10**6), st.sampled_from([1, 1.5, 2]), st.sampled_from([1, 2]))
@drawn(20)
def test_matches_the_formula_as_printed(seed, q, r):
    X, y = problem(n=12, d=3, seed=seed)
    queries = np.random.default_rng(seed + 1).integers(5, size=(4, 3))  # 3 and 4 are unseen
    expected = [
        [value_difference(a, b, X.tolist(), y.tolist(), q, r) for b in X.tolist()]
        for a in queries.tolist()
    ]
    metric = ValueDifference(q, r=r).fit(X, y)
    assert_allclose(metric.matrix(queries, X), expected, rtol=1e-12, atol=1e-14)
    assert metric(queries[0], X[0]) == pytest.approx(expected[0][0])


def test_block_is_exactly_symmetric_with_zero_diagonal():
    X, y = problem(n=60, d=9, n_values=5)
    D = ValueDifference().fit(X, y).matrix(X, X)
    assert_array_equal(D, D.T)
    assert_array_equal(np.diag(D), 0)
    assert_array_equal(ValueDifference().fit(X, y).self_values(X), 0)


def test_strings_objects_and_numbers_agree():
    X, y = problem()
    expected = ValueDifference().fit(X, y).matrix(X, X)
    names = np.array(["yes", "no", "?"])[X]
    for table in (names, names.astype(object), names.tolist(), pd.DataFrame(names), X * 1.0):
        assert_array_equal(ValueDifference().fit(table, y).matrix(table, table), expected)


def test_missing_values_are_one_more_value():
    X, y = problem()
    expected = ValueDifference().fit(X, y).matrix(X, X)
    gaps = X.astype(object)
    places = np.argwhere(X == 2)
    for i, f in places:
        gaps[i, f] = [None, float("nan"), np.nan, pd.NA, pd.NaT][(i + f) % 5]
    assert_array_equal(ValueDifference().fit(gaps, y).matrix(gaps, gaps), expected)
    numbers = np.where(X == 2, np.nan, X)
    assert_array_equal(ValueDifference().fit(numbers, y).matrix(numbers, gaps), expected)


def test_unseen_value_has_the_class_priors():
    metric = ValueDifference(1).fit([["a"], ["a"], ["b"], ["b"]], [0, 0, 0, 1])
    # P(.|a) = (1, 0), priors = (3/4, 1/4)
    assert metric(["new"], ["a"]) == pytest.approx(0.5)
    assert metric(["new"], ["newer"]) == 0
    assert metric([None], ["b"]) == pytest.approx(0.5)


def test_mixed_list_keeps_numbers_and_text_apart():
    metric = ValueDifference().fit([[1, "x"], ["1", "x"]], [0, 1])
    assert metric([1, "x"], ["1", "x"]) == 2
    assert metric([1.0, "x"], [True, "x"]) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ValueDifference().fit([["a"]], None), "learned from labels"),
        (lambda: ValueDifference(0).fit([["a"]], [1]), "q=0; expected a positive number"),
        (lambda: ValueDifference(r="x").fit([["a"]], [1]), "r='x'; expected a positive"),
        (lambda: ValueDifference().fit([["a"], ["b", "c"]], [1, 2]), "expected a table"),
        (lambda: ValueDifference().fit([["a"]], [1]).matrix([["a", "b"]], [["a"]]), "training had"),
        (lambda: ValueDifference().fit([["a"]] * 9, np.linspace(0, 1, 9)), "continuous"),
        (lambda: ValueDifference().fit([["a"]] * 9, [0, 1]), "inconsistent numbers"),
    ],
)
def test_messages(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_wrong_width_is_our_error():
    with pytest.raises(InputError, match="Rows have 2 attributes; training had 1"):
        ValueDifference().fit([["a"]], [1]).matrix([["a", "b"]], [["a"]])
