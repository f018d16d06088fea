"""Tversky's contrast and ratio models."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from similearn.errors import InputError
from similearn.similarities import TverskyContrast, TverskyRatio
from tests.reference.similarities import as_row, tversky_contrast, tversky_ratio
from tests.thinning import drawn

D = 6
sets = st.lists(st.sets(st.integers(0, D - 1)), min_size=1, max_size=5)
numbers = st.sampled_from([0.0, 0.3, 0.5, 1.0, 2.0])
salience = st.none() | st.lists(st.sampled_from([0.0, 0.1, 0.7, 1.0, 3.0]), min_size=D, max_size=D)


def forms(objects):
    rows = np.array([as_row(item, D) for item in objects])
    return [rows, rows.astype(bool), rows.tolist(), sparse.csr_array(rows)]


@given(sets, sets, numbers, numbers, numbers, salience)
@drawn(40)
def test_match_the_formulas_on_sets_and_on_rows(A, B, theta, alpha, beta, weights):
    named = {} if weights is None else dict(enumerate(weights))
    contrast = TverskyContrast(theta, alpha=alpha, beta=beta)
    ratio = TverskyRatio(alpha=alpha, beta=beta)
    expected = (
        [[tversky_contrast(a, b, theta, alpha, beta, named) for b in B] for a in A],
        [[tversky_ratio(a, b, alpha, beta, named) for b in B] for a in A],
    )
    for model, values in zip((contrast, ratio), expected, strict=True):
        model.set_params(weights=None if weights is None else named)
        assert_allclose(model.matrix(A, B), values, rtol=1e-12, atol=1e-12)
        model.set_params(weights=weights)
        for a, b in zip(forms(A), forms(B), strict=True):
            assert_allclose(model.matrix(a, b), values, rtol=1e-12, atol=1e-12)


@given(sets, numbers, numbers)
@drawn(20)
def test_swapping_objects_swaps_alpha_and_beta(A, alpha, beta):
    S = TverskyRatio(alpha=alpha, beta=beta).matrix(A, A)
    assert_allclose(TverskyRatio(alpha=beta, beta=alpha).matrix(A, A), S.T, rtol=1e-14)
    assert np.all((S >= 0) & (S <= 1))
    assert TverskyRatio(alpha=alpha, beta=beta).symmetric == (alpha == beta)


def test_limit_cases_are_jaccard_and_dice():
    A, B = {1, 2, 3}, {2, 3, 4, 5}
    assert TverskyRatio()(A, B) == pytest.approx(2 / 5)
    assert TverskyRatio(alpha=0.5, beta=0.5)(A, B) == pytest.approx(2 * 2 / (3 + 4))


def test_zero_over_zero():
    inclusion = TverskyRatio(alpha=0.0, beta=1.0)
    assert TverskyRatio()(set(), set()) == 1
    assert TverskyRatio()(set(), {1}) == 0
    assert inclusion({1}, set()) == 0  # 0/0, yet they differ
    assert inclusion(set(), {1}) == 0
    assert TverskyRatio(weights={1: 0.0})({1}, set()) == 1  # a feature that counts for nothing


def test_self_values_are_the_diagonal():
    A = [{1, 2}, set(), {3}]
    for model in (TverskyContrast(2.0, weights={1: 0.5}), TverskyRatio(alpha=0.2)):
        assert_array_equal(model.self_values(A), np.diag(model.matrix(A, A)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: TverskyRatio(alpha=-1.0)({1}, {2}), r"alpha=-1.0; expected a number"),
        (lambda: TverskyContrast("much")({1}, {2}), r"theta='much'; expected a number"),
        (lambda: TverskyRatio().matrix([[0, 2]], [[0, 1]]), "values other than 0 and 1"),
        (lambda: TverskyRatio().matrix([[0, np.nan]], [[0, 1]]), "values other than 0 and 1"),
        (lambda: TverskyRatio().matrix(["ab"], ["cd"]), "sets or binary rows; got neither"),
        (lambda: TverskyRatio().matrix([[0], [0, 1]], [[0]]), "sets or binary rows; got neither"),
        (lambda: TverskyRatio().matrix([[0, 1]], [[1]]), "Rows have 2 and 1 features"),
        (lambda: TverskyRatio(weights=[1.0])({1}, {2}), "weights is not a mapping"),
        (lambda: TverskyRatio(weights=[1.0]).matrix([[0, 1]], [[0, 1]]), "expected one for each"),
        (lambda: TverskyRatio(weights={1: -2})({1}, {2}), "negative or infinite"),
    ],
)
def test_messages(call, message):
    with pytest.raises(InputError, match=message):
        call()
