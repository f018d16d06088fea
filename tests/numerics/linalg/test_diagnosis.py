"""Triples, single entries and centring."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from similearn.numerics.linalg.diagnosis import (
    double_centered,
    entries_at,
    negative_spectrum,
    triples,
)


@pytest.mark.parametrize("n", [3, 4, 7])
def test_all_triples(n):
    found = triples(n, 1000, np.random.default_rng(0))
    assert_array_equal(found, list(combinations(range(n), 3)))


def test_random_triples_are_distinct_inside_and_uniform():
    found = triples(6, 19, np.random.default_rng(0))
    assert found.shape == (19, 3)
    many = np.concatenate([triples(6, 19, np.random.default_rng(s)) for s in range(1000)])
    assert (np.diff(many, axis=1) > 0).all() and many.min() == 0 and many.max() == 5
    _, counts = np.unique(many, axis=0, return_counts=True)
    assert len(counts) == 20
    assert_allclose(counts, 950, rtol=0.15)


def test_entries_of_sparse_blocks():
    values = sparse.csr_array(([0.0, 2.0, 3.0], ([0, 1, 3], [2, 0, 3])), shape=(4, 5))
    rows, columns = np.indices((4, 5)).reshape(2, -1)
    expected = np.full((4, 5), np.inf)
    expected[0, 2], expected[1, 0], expected[3, 3] = 0, 2, 3
    assert_array_equal(entries_at(values, rows, columns, np.inf), expected.ravel())
    empty = sparse.csr_array((4, 5))
    assert_array_equal(entries_at(empty, rows[:2], columns[:2], -1.0), [-1, -1])


def test_double_centring_recovers_inner_products():
    points = np.random.default_rng(0).normal(size=(8, 3))
    centered = points - points.mean(axis=0)
    D = np.linalg.norm(points[:, None] - points, axis=2)
    assert_allclose(double_centered(D), centered @ centered.T, atol=1e-12)


def test_negative_spectrum_of_known_eigenvalues():
    Q, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))
    S = Q @ np.diag([4.0, 3.0, 0.0, -1.0, -2.0]) @ Q.T
    assert_allclose(negative_spectrum((S + S.T) / 2), (0.4, 0.3))
    assert negative_spectrum(np.zeros((3, 3))) == (0.0, 0.0)
