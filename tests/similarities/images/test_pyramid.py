"""Pyramid match, against histograms as dictionaries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from similearn.errors import InputError
from similearn.similarities import PyramidMatch
from tests.reference.similarities import pyramid_match
from tests.thinning import drawn


def sets(seed, n=4, d=3):
    rng = np.random.default_rng(seed)
    return [6 * rng.standard_normal((rng.integers(1, 9), d)) for _ in range(n)]


@given(st.integers(0, 10**6), st.sampled_from([0.3, 1.0, 4.0]), st.sampled_from([1, 2, 6]))
@drawn(25)
def test_is_its_sum_over_levels(seed, finest, n_levels):
    A, B = sets(seed, 3), sets(seed + 1, 4)
    expected = np.array([[pyramid_match(a, b, finest, n_levels) for b in B] for a in A])
    model = PyramidMatch(finest, n_levels=n_levels, normalized=False)
    assert_allclose(model.matrix(A, B), expected, rtol=1e-12, atol=1e-12)
    sizes = np.sqrt(np.outer([len(a) for a in A], [len(b) for b in B]))
    model.set_params(normalized=True)
    assert_allclose(model.matrix(A, B), expected / sizes, rtol=1e-12, atol=1e-12)


def test_self_values():
    A = sets(0)
    assert_array_equal(PyramidMatch().self_values(A), 1)
    raw = PyramidMatch(normalized=False)
    assert_allclose(raw.self_values(A), np.diag(raw.matrix(A, A)))
    assert_array_equal(raw.self_values(A), [len(a) for a in A])


def test_positive_semidefinite():
    A = sets(3, n=30)
    assert np.linalg.eigvalsh(PyramidMatch().matrix(A, A)).min() > -1e-12


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PyramidMatch(0)([[1.0]], [[1.0]]), "finest=0"),
        (lambda: PyramidMatch(n_levels=0)([[1.0]], [[1.0]]), "n_levels=0"),
        (lambda: PyramidMatch()([1.0], [[1.0]]), "Set 0 .* cannot be used"),
        (lambda: PyramidMatch()([[np.inf]], [[1.0]]), "Set 0 .* cannot be used"),
        (lambda: PyramidMatch().matrix([[[1.0]], [[1.0, 2.0]]], [[[1.0]]]), "Set 1 has vectors"),
    ],
)
def test_messages(call, message):
    with pytest.raises(InputError, match=message):
        call()
