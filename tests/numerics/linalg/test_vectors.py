"""Vectors as values of compiled code, against NumPy."""

import numba
import numpy as np
import pytest
from numba import literally

from similearn.numerics.compiling import compiled
from similearn.numerics.linalg.vectors import LANES, put, spread, take, take_run, total, where_less

PRECISIONS = (np.float32, np.float64)


@compiled
def arithmetic(a, b, out):
    one, other = take(a, (np.uintp(0),)), take(b, (np.uintp(0),))
    put(out, (np.uintp(0),), one + other)
    put(out, (np.uintp(1),), one - other)
    put(out, (np.uintp(2),), one * other)
    put(out, (np.uintp(3),), one / other)
    put(out, (np.uintp(4),), 2.0 * one - 1)
    put(out, (np.uintp(5),), spread(7, a))
    put(out, (np.uintp(6),), 3.5)


@pytest.mark.parametrize("second", PRECISIONS)
@pytest.mark.parametrize("first", PRECISIONS)
def test_arithmetic(first, second):
    rng = np.random.default_rng(0)
    a, b = rng.random((1, LANES)).astype(first), rng.random((1, LANES)).astype(second)
    out = np.empty((7, LANES))
    arithmetic(a, b, out)
    expected = [a[0] + b[0], a[0] - b[0], a[0] * b[0], a[0] / b[0], 2 * a[0] - 1]
    np.testing.assert_array_equal(out[:4], expected[:4])
    np.testing.assert_allclose(out[4], expected[4], rtol=np.finfo(first).eps * 8)
    assert (out[5] == 7).all() and (out[6] == 3.5).all()


@compiled
def chosen(a, out):
    put(out, (), where_less(take(a, ()), 0.5, spread(1.0, a), -1.0))


def test_nan_is_not_less():
    a = np.linspace(0.0, 1.0, LANES)
    a[3] = np.nan
    out = np.empty(LANES)
    chosen(a, out)
    np.testing.assert_array_equal(out, np.where(a < 0.5, 1.0, -1.0))


@compiled
def added_up(a, count):
    count = literally(count)
    return total(take_run(a, (np.uintp(1), np.uintp(2)), count))


@pytest.mark.parametrize("count", [1, 2, 4, 16])
def test_a_run_begins_anywhere(count):
    a = np.arange(60.0).reshape(3, 20)
    assert added_up(a, count) == a[1, 2 : 2 + count].sum()


def test_counts_must_be_constants():
    @numba.njit
    def taken(a, count):
        return total(take_run(a, (np.uintp(0),), count))

    with pytest.raises(numba.TypingError):
        taken(np.arange(16.0), 4)
