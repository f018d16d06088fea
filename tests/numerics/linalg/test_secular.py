"""Changes of an eigendecomposition against fresh ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from similearn.numerics.linalg.augmented import augmented_rows
from similearn.numerics.linalg.secular import negative_part
from similearn.numerics.linalg.spectrum import Spectrum
from tests.reference.machines import augmented_row
from tests.thinning import drawn

KINDS = ("indefinite", "psd", "negative", "low rank", "identity", "zero", "duplicated", "large")


def symmetric_matrix(kind, n, seed=0):
    A = np.random.default_rng(seed).standard_normal((n, n))
    copies = np.arange(n) // 2
    return {
        "indefinite": A + A.T,
        "psd": A @ A.T,
        "negative": -A @ A.T,
        "low rank": np.outer(A[0], A[0]) - np.outer(A[-1], A[-1]) * (n > 1),
        "identity": np.eye(n),
        "zero": np.zeros((n, n)),
        "duplicated": (A + A.T)[np.ix_(copies, copies)],
        "large": 1e8 * (A + A.T),
    }[kind]


@pytest.mark.thinned
@pytest.mark.parametrize("method", ["clip", "flip"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [1, 2, 9, 30])
def test_augmented_rows_equal_a_fresh_decomposition(kind, n, method):
    S = symmetric_matrix(kind, n)
    scale = max(np.abs(S).max(), 1.0)
    rng = np.random.default_rng(1)
    s, own = scale * rng.standard_normal((5, n)), scale * rng.standard_normal(5)
    s[0], own[0] = S[0], S[0, 0]  # a query equal to a training sample
    s[1] = 0.0
    rows = augmented_rows(Spectrum.of(S), s, own, method)
    expected = [augmented_row(S, s[i], own[i], method) for i in range(5)]
    assert_allclose(rows, expected, atol=1e-12 * n * scale)


entries = st.floats(-4, 4).map(lambda x: round(x, 1))  # coarse: equal eigenvalues do happen


@drawn(60)
@given(arrays(float, (5, 5), elements=entries), arrays(float, 6, elements=entries))
def test_augmented_rows_of_any_small_matrix(A, border):
    S = A + A.T
    rows = augmented_rows(Spectrum.of(S), border[None, :5], border[5:], "clip")
    assert_allclose(rows[0], augmented_row(S, border[:5], border[5], "clip"), atol=1e-11)


@pytest.mark.thinned
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sigma", [1e-60, 1e-14, 1e-3, 1.0, 50.0, 1e20])
@pytest.mark.parametrize("unit", [1e-40, 1.0, 1e40])
def test_rank_one_change(kind, sigma, unit):
    """In units of S: no threshold may mix σ, v and eigenvalues."""
    S = symmetric_matrix(kind, 12)
    scale = max(np.abs(S).max(), 1.0)
    v = np.random.default_rng(2).standard_normal(12)
    eigenvalues, vectors = np.linalg.eigh(S + sigma * np.outer(v, v))
    negative = np.minimum(eigenvalues, 0.0)
    spectrum = Spectrum.of(S)
    poles, z = unit * spectrum.eigenvalues, np.sqrt(unit) * (v @ spectrum.vectors)
    sums, change = negative_part(poles, z, 1 / sigma, 0.0)
    before = np.minimum(spectrum.eigenvalues, 0.0)
    size = max(scale, sigma)
    expected = negative @ negative - before @ before
    assert_allclose(change / unit**2, expected, rtol=1e-9, atol=1e-13 * size**2)
    found = spectrum.vectors @ sums / sigma
    assert_allclose(found / unit**1.5, vectors @ (negative * (v @ vectors)), atol=1e-11 * size)


@pytest.mark.parametrize("sigma", [1e-30, 1e-17, 1e-12])
def test_a_change_below_rounding_keeps_its_first_order(sigma):
    S = symmetric_matrix("indefinite", 12)
    spectrum = Spectrum.of(S)
    z = np.random.default_rng(2).standard_normal(12)
    _, change = negative_part(spectrum.eigenvalues, z, 1 / sigma, 0.0)
    first_order = 2 * np.minimum(spectrum.eigenvalues, 0.0) @ (z * z)
    assert_allclose(change / sigma, first_order, rtol=1e-9)


def test_queries_do_not_see_each_other():
    S = symmetric_matrix("indefinite", 20)
    s = np.random.default_rng(3).standard_normal((7, 20))
    spectrum, own = Spectrum.of(S), np.ones(7)
    together = augmented_rows(spectrum, s, own, "flip")
    alone = [augmented_rows(spectrum, s[i : i + 1], own[:1], "flip")[0] for i in range(7)]
    assert_allclose(together, alone, atol=1e-12)
