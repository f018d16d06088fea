"""Small support vector machines against a general solver, and SVM-KNN against libsvm."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import LinearConstraint, minimize
from sklearn.svm import SVC

from similearn.numerics.linalg.spectrum import modified, shift_map, spectrum_map
from similearn.numerics.machines.local_svc import local_svm_scores
from similearn.numerics.machines.smo import solve_svm
from tests.numerics.local_problems import local_problems


def dual_objective(v, K, signs):
    return 0.5 * v @ K @ v - signs @ v


def solved(K, signs, C, tol=1e-9):
    v, gradient = np.empty(len(signs)), np.empty(len(signs))
    intercept, ended = solve_svm(
        K.copy(), len(v), signs, np.full(len(signs), C), tol, 10**6, v, gradient
    )
    return v, intercept, ended


@pytest.mark.parametrize("C", [1e-3, 0.3, 10.0])
def test_smo_reaches_the_optimum_of_a_general_solver(C):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((9, 4))
    K, signs = A @ A.T, np.where(np.arange(9) % 3 == 0, 1.0, -1.0)
    v, _, ended = solved(K, signs, C)
    assert ended
    assert_allclose(v.sum(), 0.0, atol=1e-12)
    bounds = [(0, C) if sign > 0 else (-C, 0) for sign in signs]
    reference = minimize(
        dual_objective,
        np.zeros(9),
        (K, signs),
        jac=lambda v, K, signs: K @ v - signs,
        bounds=bounds,
        constraints=LinearConstraint(np.ones(9), 0, 0),
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert dual_objective(v, K, signs) <= reference.fun + 1e-8 * max(1, abs(reference.fun))


def test_smo_satisfies_the_optimality_conditions():
    S, _ = local_problems("psd", 20, 12)
    rng = np.random.default_rng(1)
    for K in S:
        signs = np.where(rng.random(12) < 0.4, 1.0, -1.0)
        signs[:2] = 1.0, -1.0
        v, intercept, ended = solved(K, signs, 1.0)
        margins = signs * (K @ v + intercept)
        alpha = signs * v
        assert ended and (alpha >= 0).all() and (alpha <= 1.0).all()
        assert (margins[alpha == 0] >= 1 - 1e-6).all()
        assert (margins[alpha == 1.0] <= 1 + 1e-6).all()
        assert_allclose(margins[(alpha > 0) & (alpha < 1.0)], 1.0, atol=1e-6)


def neighbourhoods(kind, n_classes, m=30, k=14):
    """Blocks with neighbours of their own, laid out as one big matrix."""
    blocks, s = local_problems(kind, m, k, seed=n_classes)
    if kind == "singular":  # elsewhere the dual has many solutions, and they disagree
        s = np.einsum("mij,mj->mi", blocks, s)
    S = np.zeros((m * k, m * k))
    for i, block in enumerate(blocks):
        S[i * k : (i + 1) * k, i * k : (i + 1) * k] = block
    near = np.arange(m * k).reshape(m, k)
    codes = np.random.default_rng(5).integers(n_classes, size=(m, k))
    codes[0] = 1  # one class alone
    return blocks, S, near, s, codes


@pytest.mark.thinned
@pytest.mark.parametrize("spectrum", ["clip", "flip", "shift"])
@pytest.mark.parametrize("kind", ["psd", "indefinite", "singular", "duplicated", "negative"])
@pytest.mark.parametrize(("n_classes", "C"), [(2, 1e-3), (2, 5.0), (4, 0.5)])
def test_svm_knn_is_libsvm_on_each_neighbourhood(kind, spectrum, n_classes, C):
    blocks, S, near, s, codes = neighbourhoods(kind, n_classes)
    scores, failed = local_svm_scores(
        S, near, s, codes, n_classes, np.array([14]), np.array([C]), spectrum, 10**5
    )
    assert failed == 0
    assert scores[0, 0].argmax() == 1
    for i in range(1, len(s)):
        present = np.unique(codes[i])
        map_ = shift_map(blocks[i]) if spectrum == "shift" else spectrum_map(blocks[i], spectrum)
        svc = SVC(C=C, kernel="precomputed", tol=1e-7, break_ties=n_classes > 2)
        svc.fit(modified(blocks[i], map_), codes[i])
        row = map_.rows(s[i : i + 1])
        expected = svc.decision_function(row)[0]
        if n_classes == 2:
            found = scores[0, i, 1] - scores[0, i, 0]
            assert_allclose(found, expected, atol=2e-4 * max(1, abs(expected)))
        elif len(present) == n_classes:
            assert_array_equal(scores[0, i].argmax(), np.argmax(expected))


def test_candidates_equal_single_calls_in_any_order():
    _, S, near, s, codes = neighbourhoods("indefinite", 3)
    ks, Cs = np.array([14, 5, 9, 5]), np.array([1.0, 10.0, 0.1, 0.1])
    together, _ = local_svm_scores(S, near, s, codes, 3, ks, Cs, "clip", 10**5)
    for i in range(4):
        k = ks[i]
        alone, _ = local_svm_scores(
            S, near[:, :k], s[:, :k], codes[:, :k], 3, ks[i : i + 1], Cs[i : i + 1], "clip", 10**5
        )
        assert_array_equal(alone[0], together[i])


def test_a_class_without_neighbours_loses():
    S = np.eye(4)
    near, s = np.arange(4)[None], np.array([[0.9, 0.8, 0.1, 0.1]])
    codes = np.array([[3, 3, 1, 1]])
    scores, _ = local_svm_scores(S, near, s, codes, 4, np.array([4]), np.ones(1), "clip", 1000)
    assert_array_equal(np.argsort(-scores[0, 0])[:2], [3, 1])
    assert_array_equal(np.round(scores[0, 0]), [0, 2, 0, 3])


def test_machines_that_are_given_up_are_counted():
    _, S, near, s, codes = neighbourhoods("indefinite", 2)
    _, failed = local_svm_scores(S, near, s, codes, 2, np.array([14]), np.array([1e4]), "clip", 2)
    assert failed > 20
