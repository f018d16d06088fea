import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from similearn.errors import InputError
from similearn.numerics.neighbors import simplex
from similearn.numerics.neighbors.kri import (
    SPECTRA,
    kri_path_scores,
    kri_weights,
    kri_weights_and_gaps,
)
from similearn.numerics.neighbors.krr import krr_weights
from similearn.numerics.scores.decide import running_class_sums
from tests.numerics.local_problems import KINDS, local_problems
from tests.reference import weights as reference
from tests.thinning import drawn

RIDGES = (1e-6, 1e-3, 0.1, 1.0, 10.0, 1e6)
DIVERSE = np.array([[5.0, 1, 1, 1], [1, 5, 4, 2], [1, 4, 5, 2], [1, 2, 2, 5]])


@pytest.mark.thinned
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spectrum", SPECTRA)
@pytest.mark.parametrize("k", [1, 2, 5, 8])
def test_equation_12_by_every_support(kind, spectrum, k):
    S, s = local_problems(kind, 3, k)
    for ridge in RIDGES:
        if kind == "large" and ridge < 1e-3:
            continue  # the conditioning leaves nothing to compare
        w = kri_weights(S, s, ridge, spectrum)
        for i in range(3 if k < 8 else 1):  # which has 255 supports
            expected = reference.kri(S[i], s[i], ridge, spectrum)
            assert_allclose(w[i], expected, rtol=0, atol=1e-6)


@pytest.mark.thinned
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spectrum", SPECTRA)
@pytest.mark.parametrize("k", [1, 2, 9, 32, 70])
def test_every_problem_is_optimal(kind, spectrum, k):
    S, s = local_problems(kind, 8, k, seed=k)
    for ridge in RIDGES:
        w, gaps = kri_weights_and_gaps(S, s, ridge, spectrum)
        assert (w >= 0).all()
        assert_allclose(w.sum(axis=1), 1.0, rtol=1e-14)
        assert gaps.max() <= 1e-12
        for i in range(8):
            assert reference.kri_gap(S[i], s[i], ridge, spectrum, w[i]) <= 1e-8


@pytest.mark.parametrize("k", [8, 40])
def test_rounded_and_tied_problems_are_optimal(k):
    rng = np.random.default_rng(k)
    A = rng.integers(-1, 2, size=(200, k, 4)).astype(float)
    S, s = A @ A.swapaxes(1, 2), rng.integers(-3, 4, size=(200, k)).astype(float)
    for ridge in RIDGES:
        assert kri_weights_and_gaps(S, s, ridge)[1].max() <= 1e-12


def test_the_fallback_finds_the_same_optimum(monkeypatch):
    S, s = local_problems("singular", 20, 10)
    expected = kri_weights(S, s, 0.1)
    monkeypatch.setattr(simplex, "_settle", lambda *_: None)  # nothing settles by exchanges
    found, gaps = kri_weights_and_gaps(S, s, 0.1)
    assert_allclose(found, expected, atol=1e-12)
    assert gaps.max() <= 1e-12


@pytest.mark.parametrize("spectrum", SPECTRA)
def test_gathered_equals_blocks(spectrum):
    rng = np.random.default_rng(3)
    A = rng.standard_normal((40, 40))
    full, near = A + A.T, np.argsort(rng.random((9, 40)), axis=1)[:, :12]
    s = rng.standard_normal((9, 12))
    blocks = full[near[:, :, None], near[:, None, :]]
    expected = kri_weights(blocks, s, 0.5, spectrum)
    assert_array_equal(kri_weights(full, s, 0.5, spectrum, near=near), expected)
    one, gap = kri_weights_and_gaps(blocks[4], s[4], 0.5, spectrum)
    assert_array_equal(one, expected[4])
    assert gap.shape == ()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("spectrum", SPECTRA)
def test_path_equals_points(kind, spectrum):
    S, s = local_problems(kind, 4, 21)
    codes = np.random.default_rng(1).integers(3, size=(4, 21))
    ks, ridges = [5, 1, 2, 3, 8, 21, 13], [10.0, 1e-6, 0.1, 1e6, 1e-3]
    path, gaps = kri_path_scores(S, s, codes, 3, ks, ridges, spectrum)
    assert gaps.shape == (4, 7, 5) and gaps.max() <= 1e-12
    for a, k in enumerate(ks):
        for b, ridge in enumerate(ridges):
            w = kri_weights(S[:, :k, :k], s[:, :k], ridge, spectrum)
            tolerance = 1e-6 if kind == "large" and ridge < 1e-2 else 1e-9
            assert_allclose(
                path[:, a, b], running_class_sums(w, codes, 3, np.array([k]))[:, 0], atol=tolerance
            )


def test_example_1_affinity():
    # S = 5 I: w_i = (s_i + level) / (5 + ridge), clipped at zero.
    w = kri_weights(5 * np.eye(4), np.array([4.0, 3.0, 2.0, 1.0]), 1.0)
    assert_allclose(w, [0.5, 1 / 3, 1 / 6, 0.0], atol=1e-15)
    w = kri_weights(5 * np.eye(4), np.array([4.0, 3.0, 2.0, 1.0]), 7.0)
    assert_allclose(w, 0.25 + np.array([1.5, 0.5, -0.5, -1.5]) / 12)


def test_example_2_diversity():
    for ridge in np.geomspace(1e-3, 1e3, 13):
        w = kri_weights(DIVERSE, np.full(4, 3.0), ridge)
        assert_allclose(w[1], w[2])
        assert w[0] > w[3] > w[1]
        v = krr_weights(DIVERSE, np.full(4, 3.0), ridge)
        assert_allclose(v[1], v[2])
        assert v[0] > v[3] > v[1]


def test_example_3_both_goals():
    s = np.array([2.0, 4.0, 3.0, 3.0])
    w = kri_weights(DIVERSE, s, 0.1)
    # "The affinity goal allots the largest weight to x_2 ... x_3 receiving little weight."
    assert w.argmax() == 1
    assert w[0] > w[2]
    assert krr_weights(DIVERSE, s, 0.1)[[0, 2]] @ [1, -1] > 0


problem = arrays(float, (5, 5), elements=st.floats(-3, 3))
vector = arrays(float, 5, elements=st.floats(-3, 3))


@given(problem, vector, st.integers(0, 4), st.floats(0.01, 5), st.sampled_from(SPECTRA))
@drawn(60)
def test_design_goal_1_raising_affinity_never_lowers_the_weight(A, s, i, rise, spectrum):
    # Convexity alone gives this, in the interior and on every face: the optimum is a monotone
    # function of s, so (w' - w)'(s' - s) >= 0, which is rise * (w'_i - w_i).
    raised = s.copy()
    raised[i] += rise
    before, after = (kri_weights(A + A.T, t, 0.5, spectrum) for t in (s, raised))
    assert after[i] >= before[i] - 1e-9


@given(problem, vector, st.permutations(range(5)), st.floats(0.05, 1))
@drawn(60)
def test_design_goal_2_raising_similarity_between_neighbours(A, s, order, ridge):
    # What holds always, also on faces: raising psi(x_i, x_j) = psi(x_j, x_i) lowers the product
    # w_i w_j (the optimal value's derivative by it), hence the weight of at least one of the two.
    i, j = order[:2]
    S = A @ A.T + np.eye(5)
    raised = S.copy()
    raised[i, j] += 0.5
    raised[j, i] += 0.5
    before, after = (kri_weights(M, s, ridge) for M in (S, raised))
    assert after[i] * after[j] <= before[i] * before[j] + 1e-9


@given(problem, vector, st.permutations(range(5)))
@drawn(60)
def test_design_goal_2_as_the_paper_derives_it(A, s, order):
    # Equation 14: from an interior optimum, one entry (i, j) raised gives a steepest descent
    # that lowers w_i. Where S is a small part of the ridge the step is along it, and so is the
    # new optimum: w_i falls.
    i, j = order[:2]
    S = 0.01 * (A + A.T)
    before = kri_weights(S, 0.05 * s, 5.0, "shift")
    assume(before.min() > 1e-3)
    M = reference.spectrum(S, "shift")
    M[i, j] += 1e-3  # the objective sees it, the (now asymmetric) gradient too: solve KKT
    k = 5
    bordered = np.block([[M + 5.0 * np.eye(k), np.ones((k, 1))], [np.ones((1, k)), 0]])
    after = np.linalg.solve(bordered, [*(0.05 * s), 1.0])[:-1]
    assert after[i] < before[i]


def test_limits_of_the_ridge():
    S, s = local_problems("psd", 5, 12)
    assert_allclose(kri_weights(S, s, 1e9), np.full((5, 12), 1 / 12), atol=1e-6)
    nearest = kri_weights(np.zeros((5, 12, 12)), s, 1e-9)
    assert_array_equal(nearest, np.eye(12)[np.zeros(5, dtype=int)])


@pytest.mark.parametrize(("ridge", "spectrum"), [(0.0, "clip"), (1.0, "pinv")])
def test_what_has_no_unique_answer_is_refused(ridge, spectrum):
    with pytest.raises(InputError):
        kri_weights(np.eye(2), np.ones(2), ridge, spectrum)
