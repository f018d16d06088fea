"""Quantized similarities."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

from similearn import PairwiseSimilarity
from similearn.errors import InputError
from similearn.similarities import (
    Euclidean,
    FunctionSimilarity,
    Quantized,
    TverskyRatio,
    ValueDifference,
    evaluate_square,
)

RNG = np.random.default_rng(0)
ROWS = RNG.standard_normal((40, 3))


@pytest.mark.parametrize("n_levels", [2, 3, 15])
def test_levels_of_equal_width(n_levels):
    D = Euclidean().matrix(ROWS, ROWS)
    off = D[~np.eye(40, dtype=bool)]
    edges = np.linspace(off.min(), off.max(), n_levels + 1)
    expected = np.clip(np.digitize(D, edges) - 1, 0, n_levels - 1)
    model = Quantized(n_levels=n_levels).fit(ROWS)
    assert_array_equal(model.matrix(ROWS, ROWS), expected)
    assert model(ROWS[0], ROWS[7]) == expected[0, 7]
    assert_array_equal(model.self_values(ROWS), 0)
    assert model.range == (0, n_levels - 1)


def test_levels_of_equal_counts():
    model = Quantized(n_levels=4, spacing="quantile").fit(ROWS)
    levels = model.matrix(ROWS, ROWS)[~np.eye(40, dtype=bool)]
    assert_array_equal(np.bincount(levels.astype(int)), [390, 390, 390, 390])


def test_order_is_kept():
    values = np.sort(Euclidean().matrix(ROWS[:1], ROWS)[0])
    assert np.all(np.diff(Quantized(n_levels=5).fit(ROWS)._levels(values)) >= 0)


def test_says_what_its_base_says():
    model = Quantized(TverskyRatio(alpha=2.0))
    assert (model.kind, model.symmetric, model.accepts) == ("similarity", False, "objects")
    learned = Quantized(ValueDifference())
    assert learned.learned and learned.needs_fit and learned.kind == "dissimilarity"
    with pytest.raises(InputError, match="learned from labels"):
        learned.fit([["a"], ["b"]])


def test_of_a_plain_function_and_through_the_transformer():
    gap = FunctionSimilarity(abs_gap, kind="dissimilarity", symmetric=True)
    model = Quantized(gap, n_levels=3)
    assert not model.has_matrix
    block = PairwiseSimilarity(model).fit_transform([0, 1, 5, 9])
    assert_array_equal(block.values[0], [0, 0, 1, 2])
    assert_array_equal(evaluate_square(model.fit([0, 1, 5, 9]), [0, 9]), [[0, 2], [2, 0]])


def abs_gap(a, b):
    return abs(a - b)


def test_thresholds_from_a_sample():
    many = Quantized(n_objects=10, random_state=3).fit(ROWS)
    again = Quantized(n_objects=10, random_state=3).fit(ROWS.tolist())
    assert_array_equal(many.thresholds_, again.thresholds_)
    assert not np.array_equal(many.thresholds_, Quantized().fit(ROWS).thresholds_)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Quantized(n_levels=1), "n_levels=1"),
        (Quantized(n_objects=1), "n_objects=1"),
        (Quantized(spacing="log"), "spacing='log'"),
        (Quantized("euclidian"), "Did you mean 'euclidean'"),
    ],
)
def test_messages(model, message):
    with pytest.raises(InputError, match=message):
        model.fit(ROWS)


def test_needs_pairs_and_fit():
    with pytest.raises(InputError, match="got 1 object"):
        Quantized().fit(ROWS[:1])
    with pytest.raises(NotFittedError):
        Quantized().matrix(ROWS, ROWS)
