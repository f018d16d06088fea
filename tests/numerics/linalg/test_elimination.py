"""Eliminations against NumPy and against each other."""

import numpy as np
import pytest

from similearn.numerics.linalg.elimination import backward, eliminate, forward

SIZES = (1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 19, 20, 23, 33, 64, 101)


def definite(size, rng):
    X = rng.standard_normal((size, size + 2))
    return X @ X.T + np.eye(size)


def solved(A, b):
    F, y, x = A.copy(), b.copy(), np.empty(len(b))
    inverse, least = np.empty(len(b)), np.zeros(len(b))
    assert eliminate(F, len(b), least, True, inverse) == len(b)
    forward(F, inverse, len(b), y)
    backward(F, inverse, len(b), y, x)
    return F, inverse, x


@pytest.mark.parametrize("size", SIZES)
def test_solutions(size):
    rng = np.random.default_rng(size)
    A, b = definite(size, rng), rng.standard_normal(size)
    F, inverse, x = solved(A, b)
    L = np.linalg.cholesky(A)
    np.testing.assert_allclose(np.triu(F), np.triu((L * L.diagonal()).T), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(inverse, L.diagonal() ** -2.0, rtol=1e-9)
    np.testing.assert_allclose(A @ x, b, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("size", SIZES)
def test_a_leading_block_gives_what_it_would_give_alone(size):
    A = definite(128, np.random.default_rng(0))
    whole, inverse, _ = solved(A, np.ones(128))
    alone, own, _ = solved(A[:size, :size], np.ones(size))
    np.testing.assert_array_equal(np.triu(whole[:size, :size]), np.triu(alone))
    np.testing.assert_array_equal(inverse[:size], own)


@pytest.mark.parametrize("size, bad", [(5, 2), (16, 7), (33, 32), (64, 0)])
def test_it_stops_at_the_first_pivot_that_is_not_positive(size, bad):
    A = np.eye(size)
    A[bad, bad] = -1.0
    inverse, least = np.empty(size), np.zeros(size)
    assert eliminate(A.copy(), size, least, True, inverse) == bad
    assert eliminate(A.copy(), size, least, False, inverse) == size
