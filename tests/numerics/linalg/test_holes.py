"""Entries that are not known are filled from what is known of the same two samples."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from similearn.numerics.linalg.holes import column_means, filled_by_columns, filled_by_means


def filled_one_by_one(values, square, near_to_self):
    """The rule as it is written, entry by entry."""
    S = values.copy()
    n, m = S.shape
    if square:
        for i in range(n):
            for j in range(m):
                if np.isnan(values[i, j]) and not np.isnan(values[j, i]):
                    S[i, j] = values[j, i]
        own = [S[i, i] for i in range(n) if not np.isnan(S[i, i])]
        for i in range(n):
            if np.isnan(S[i, i]):
                S[i, i] = np.mean(own) if own else near_to_self
    off = {(i, j): S[i, j] for i in range(n) for j in range(m) if not (square and i == j)}
    known = {place: v for place, v in off.items() if not np.isnan(v)}
    total = np.mean(list(known.values()))

    def excess(axis, place):
        mine = [v for p, v in known.items() if p[axis] == place]
        return np.mean(mine) - total if mine else 0.0

    for i, j in off:
        if np.isnan(S[i, j]):
            guess = total + excess(0, i) + excess(1, j)
            S[i, j] = min(max(guess, min(known.values())), max(known.values()))
    return S


@pytest.mark.parametrize("shape", [(7, 7), (7, 5)])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_rule(shape, share):
    rng = np.random.default_rng(round(10 * share))
    S = rng.random(shape)
    S[rng.random(shape) < share] = np.nan
    square = shape[0] == shape[1]
    found, n_reverse, n_means = filled_by_means(S, square=square, near_to_self=1.0)
    assert_allclose(found, filled_one_by_one(S, square, 1.0))
    assert n_reverse + n_means == np.isnan(S).sum() and (n_reverse > 0) == square
    assert_array_equal(found[~np.isnan(S)], S[~np.isnan(S)])


def test_nothing_missing_or_nothing_known():
    S = np.arange(9.0).reshape(3, 3)
    found, *counts = filled_by_means(S, square=True, near_to_self=1.0)
    assert counts == [0, 0] and found is not S
    assert_array_equal(found, S)
    found, *counts = filled_by_means(np.full((2, 2), np.nan), square=True, near_to_self=3.0)
    assert_array_equal(found, [[3, 0], [0, 3]])
    assert counts == [0, 4]
    assert filled_by_means(np.empty((0, 3)), square=False, near_to_self=0.0)[0].shape == (0, 3)


def test_an_additive_table_comes_back():
    rng = np.random.default_rng(0)
    S = rng.random((30, 1)) + rng.random((1, 40))
    holes = rng.random(S.shape) < 0.2
    found, _, _ = filled_by_means(np.where(holes, np.nan, S), square=False, near_to_self=0.0)
    assert np.abs(found - S)[holes].mean() < 0.1 < np.abs(S.mean() - S)[holes].mean()


def test_rows_are_filled_by_themselves_and_means_of_columns():
    rng = np.random.default_rng(1)
    means = rng.random(40)
    additive = rng.random((30, 1)) + means
    holes = rng.random(additive.shape) < 0.5
    holes[3] = True
    known = np.where(holes, np.nan, additive)
    found, n_empty = filled_by_columns(known, means)
    assert n_empty == 1
    assert_array_equal(found[3], means)
    others = np.arange(30) != 3
    ends = np.fmax(np.fmax.reduce(known[others], axis=1), means.max())[:, None]
    assert_allclose(found[others], np.minimum(additive[others], ends))
    for row in range(30):
        assert_array_equal(filled_by_columns(known[[row]], means)[0][0], found[row])


def test_rows_without_means_of_columns_have_their_own():
    found, n_empty = filled_by_columns(np.array([[1, np.nan, 3], 3 * [np.nan]]), None)
    assert_array_equal(found, [[1, 2, 3], [0, 0, 0]])
    assert n_empty == 1


def test_what_is_filled_stays_within_what_row_and_columns_know():
    found, _ = filled_by_columns(np.array([[0.0, 9.0, np.nan, np.nan]]), np.array([3, 3, 1, 8.0]))
    assert_array_equal(found, [[0, 9, 2.5, 9]])


def test_means_of_columns_leave_out_the_diagonal_and_holes():
    S = np.array([[9, np.nan, 1], [8, 9, np.nan], [2, np.nan, 9.0]])
    assert_allclose(column_means(S, square=True), [5, 11 / 3, 1])
    assert_allclose(column_means(S, square=False), [19 / 3, 9, 5])
    assert_array_equal(column_means(np.full((2, 2), np.nan), square=True), [0, 0])
