"""JMLR §2: the identities of spectrum modification, and Proposition 1."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from similearn.numerics.linalg.spectrum import Spectrum, modified, shift_map, spectrum_map
from tests.thinning import drawn

symmetric = arrays(float, (6, 6), elements=st.floats(-5, 5)).map(lambda A: A + A.T)


def kernel(S, method):
    return modified(S, shift_map(S) if method == "shift" else spectrum_map(S, method))


@drawn(60)
@given(symmetric, st.sampled_from(["clip", "flip", "shift"]), st.permutations(range(6)))
def test_result_is_positive_semidefinite_and_follows_permutations(S, method, order):
    K = kernel(S, method)
    tolerance = 1e-9 * (1 + np.abs(S).max())
    assert np.linalg.eigvalsh(K).min() >= -tolerance
    ix = np.ix_(order, order)
    assert_allclose(kernel(S[ix], method), K[ix], atol=tolerance)
    assert_allclose(kernel(3 * S, method), 3 * K, atol=3 * tolerance)


@drawn(60)
@given(symmetric, st.sampled_from(["clip", "flip"]))
def test_the_map_for_queries_is_consistent(S, method):
    """T(s_i) is row i of the modified matrix (§2.2)."""
    map_ = spectrum_map(S, method)
    assert_allclose(map_.rows(S), modified(S, map_), atol=1e-9 * (1 + np.abs(S).max()))


@drawn(60)
@given(symmetric, symmetric)
def test_clip_is_the_nearest_psd_matrix(S, other):
    psd = other @ other.T / (1 + np.abs(other).max())
    distance = np.linalg.norm(kernel(S, "clip") - S)
    for t in (0.0, 0.01, 0.5, 1.0):
        rival = (1 - t) * kernel(S, "clip") + t * psd
        assert distance <= np.linalg.norm(rival - S) + 1e-9


@drawn(60)
@given(symmetric)
def test_flip_has_the_singular_values(S):
    spectrum = np.linalg.eigvalsh(kernel(S, "flip"))[::-1]
    assert_allclose(spectrum, np.linalg.svd(S, compute_uv=False), atol=1e-9 * (1 + np.abs(S).max()))


@drawn(60)
@given(symmetric)
def test_shift_leaves_off_diagonals_alone(S):
    off = ~np.eye(6, dtype=bool)
    assert (kernel(S, "shift")[off] == S[off]).all()


@pytest.mark.parametrize("rank", [2, 5, 9])
def test_proposition_1(rank):
    """Least-squares embedding of a query gives P_clip s, singular matrices included."""
    rng = np.random.default_rng(rank)
    A = rng.standard_normal((9, rank))
    S = A * np.where(np.arange(rank) % 3 == 1, -1, 1) @ A.T
    map_ = spectrum_map(S, "clip")
    values, vectors = np.linalg.eigh(modified(S, map_))
    kept = values > 1e-9
    X = np.sqrt(values[kept])[:, None] * vectors[:, kept].T
    s = rng.standard_normal(9)
    x = np.linalg.lstsq(X.T, s, rcond=None)[0]
    assert_allclose(X.T @ x, map_.rows(s[None])[0], atol=1e-8)


def test_zero_and_positive_definite_matrices():
    for method in ("clip", "flip", "shift"):
        assert_allclose(kernel(np.zeros((3, 3)), method), 0)
        assert_allclose(kernel(np.diag([1.0, 2.0, 3.0]), method), np.diag([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("n", [1, 2, 5, 256, 300])
def test_decomposing_within_the_matrix_gives_the_same_bits_and_the_matrix_back(n):
    S = np.random.default_rng(n).normal(size=(n, n))
    S += S.T
    kept = S.copy()
    for found, wanted in zip(Spectrum.within(S), Spectrum.of(kept), strict=True):
        assert_array_equal(found, wanted)
    assert_array_equal(S, kept)


def test_what_is_not_ours_to_change_or_not_symmetric_to_the_bit_is_copied():
    S = np.eye(4) + 1e-15 * np.arange(16.0).reshape(4, 4)
    fixed = np.eye(3)
    fixed.flags.writeable = False
    for matrix in (S, fixed, np.asfortranarray(S)):
        kept = matrix.copy()
        assert_array_equal(Spectrum.within(matrix).vectors, Spectrum.of(kept).vectors)
        assert_array_equal(matrix, kept)
