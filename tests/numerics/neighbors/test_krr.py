import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from similearn.errors import InputError
from similearn.numerics.neighbors.krr import SPECTRA, krr_path_scores, krr_weights
from similearn.numerics.scores.decide import running_class_sums
from tests.numerics.local_problems import KINDS, local_problems
from tests.reference import weights as reference
from tests.thinning import drawn


@pytest.mark.thinned
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spectrum", SPECTRA)
@pytest.mark.parametrize("k", [1, 2, 7, 33])
def test_equation_15(kind, spectrum, k):
    S, s = local_problems(kind, 6, k)
    for ridge in (1e-3, 0.1, 10.0):
        w = krr_weights(S, s, ridge, spectrum)
        for i in range(6):
            A = reference.spectrum(S[i], spectrum) + ridge * np.eye(k)
            expected = reference.krr(S[i], s[i], ridge, spectrum)
            # Neither side can be more accurate than the condition of the system allows.
            tolerance = 1e-13 * np.linalg.cond(A) * (1e-300 + np.abs(expected).max())
            assert_allclose(w[i], expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("spectrum", SPECTRA)
def test_singular_systems_get_the_pseudo_inverse(spectrum):
    S = np.array([[1.0, 0, 0], [0, -1.0, 0], [0, 0, 1.0]])
    s = np.array([2.0, 3.0, 4.0])
    expected = {
        "pinv": [1.0, 0.0, 2.0],
        "clip": [1.0, 3.0, 2.0],
        "flip": [1.0, 1.5, 2.0],
        "shift": [2 / 3, 3.0, 4 / 3],
    }
    assert_allclose(krr_weights(S, s, 1.0, spectrum), expected[spectrum], atol=1e-14)


def test_without_a_ridge_duplicates_share_their_weight():
    S = np.array([[2.0, 2.0], [2.0, 2.0]])
    assert_allclose(krr_weights(S, np.array([4.0, 4.0]), 0.0), [1.0, 1.0])
    assert_array_equal(krr_weights(np.zeros((2, 2)), np.ones(2), 0.0), [0.0, 0.0])


def test_indefinite_and_well_conditioned_without_diagonal():
    S = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert_allclose(krr_weights(S, np.array([1.0, 2.0]), 0.0), [2.0, 1.0])


@pytest.mark.parametrize("spectrum", SPECTRA)
def test_gathered_equals_blocks(spectrum):
    rng = np.random.default_rng(3)
    A = rng.standard_normal((40, 40))
    full, near = A + A.T, np.argsort(rng.random((9, 40)), axis=1)[:, :12]
    s = rng.standard_normal((9, 12))
    blocks = full[near[:, :, None], near[:, None, :]]
    expected = krr_weights(blocks, s, 0.5, spectrum)
    assert_array_equal(krr_weights(full, s, 0.5, spectrum, near=near), expected)
    assert_array_equal(krr_weights(np.asfortranarray(full), s, 0.5, spectrum, near=near), expected)
    assert_array_equal(krr_weights(blocks[4], s[4], 0.5, spectrum), expected[4])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spectrum", SPECTRA)
def test_path_equals_points_to_the_bit(kind, spectrum):
    S, s = local_problems(kind, 5, 21)
    codes = np.random.default_rng(1).integers(3, size=(5, 21))
    ks, ridges = [5, 1, 2, 3, 8, 21, 13], [10.0, 1e-3, 0.1, 1.0]
    path = krr_path_scores(S, s, codes, 3, ks, ridges, spectrum)
    assert path.shape == (5, 7, 4, 3)
    for a, k in enumerate(ks):
        for b, ridge in enumerate(ridges):
            w = krr_weights(S[:, :k, :k], s[:, :k], ridge, spectrum)
            assert_array_equal(path[:, a, b], running_class_sums(w, codes, 3, np.array([k]))[:, 0])


def test_path_gathers_too():
    rng = np.random.default_rng(3)
    A = rng.standard_normal((40, 40))
    full, near = A @ A.T, np.argsort(rng.random((9, 40)), axis=1)[:, :12]
    s, codes = rng.standard_normal((9, 12)), rng.integers(2, size=(9, 12))
    blocks = full[near[:, :, None], near[:, None, :]]
    grid = ([3, 12], [0.1, 1.0])
    assert_array_equal(
        krr_path_scores(full, s, codes, 2, *grid, near=near),
        krr_path_scores(blocks, s, codes, 2, *grid),
    )


@given(
    arrays(float, (5, 5), elements=st.floats(-3, 3)),
    arrays(float, 5, elements=st.floats(-3, 3)),
    st.integers(0, 4),
    st.floats(0.01, 5),
)
@drawn(60)
def test_design_goal_1_raising_affinity_never_lowers_the_weight(A, s, i, rise):
    # For definite systems: the derivative of w_i by s_i is a diagonal entry of the inverse.
    S, raised = A @ A.T, s.copy()
    raised[i] += rise
    before, after = krr_weights(S, s, 0.5), krr_weights(S, raised, 0.5)
    assert after[i] >= before[i] - 1e-12 * np.abs(before).max()


def test_unknown_spectrum_is_refused():
    with pytest.raises(InputError, match="'square' is not one of 'pinv', 'clip'"):
        krr_weights(np.eye(2), np.ones(2), 1.0, "square")
