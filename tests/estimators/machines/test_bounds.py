"""Bounds of JMLR §4, and the complexities that they rest on."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from similearn.errors import InputError
from similearn.estimators.machines.bounds import (
    features_complexity,
    jmlr_features_bound,
    jmlr_kernel_bound,
    kernel_complexity,
    truncated_hinge_risk,
)


def points(n=80, seed=0):
    X = np.random.default_rng(seed).standard_normal((n, 3))
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1.0)


def test_bounds_as_printed():
    chance = np.sqrt(np.log(2 / 0.1) / 200)
    assert_allclose(
        jmlr_kernel_bound(0.2, beta=2.0, kappa=1.5, n_samples=100, delta=0.1),
        0.2 + 4 * 3 / 10 + chance,
    )
    assert_allclose(
        jmlr_features_bound(0.1, beta=2.0, kappa=1.5, n_samples=100, n_prototypes=25, delta=0.1),
        0.1 + 4 * 2 * 2.25 * 0.5 + chance,
    )


def test_drawn_complexities_stay_below_what_the_proofs_say():
    X = points()
    S, beta = X @ X.T, 1.7
    mean, error = kernel_complexity(S, beta=beta, n_draws=4000, random_state=0)
    assert mean - 4 * error <= 2 * beta * np.sqrt(np.trace(S)) / 80 <= 2 * beta / np.sqrt(80)
    assert mean >= 0.5 * 2 * beta * np.sqrt(np.trace(S)) / 80  # Khintchine: the bound is sharp
    m = 20
    mean, error = features_complexity(S[m:, :m], beta=beta, n_draws=4000, random_state=0)
    kappa_squared = np.abs(S).max()
    jensen = 2 * beta / 80 * np.sqrt(np.sum(S[m:, :m] ** 2))
    assert mean - 4 * error <= jensen <= 2 * beta * kappa_squared * np.sqrt(m / 80)


def test_suprema_are_attained():
    """The complexity is a mean of suprema; draw one and find it by random search."""
    rng = np.random.default_rng(0)
    X = points(6)
    S = X @ X.T + 0.1 * np.eye(6)
    signs = np.random.RandomState(3).choice((-1.0, 1.0), size=(2, 6))
    expected = np.mean([2 * 0.7 / 6 * np.sqrt(s @ S @ s) for s in signs])
    assert_allclose(kernel_complexity(S, beta=0.7, n_draws=2, random_state=3)[0], expected)
    w = rng.standard_normal((20_000, 6))
    w *= 0.7 / np.sqrt(np.einsum("di,ij,dj->d", w, S, w))[:, None]
    best = np.abs(w @ S @ signs[0]).max() * 2 / 6
    supremum = 2 * 0.7 / 6 * np.sqrt(signs[0] @ S @ signs[0])
    assert 0.9 * supremum < best <= supremum * (1 + 1e-12)


def test_the_bound_of_theorem_1_holds_for_linear_functions():
    rng = np.random.default_rng(1)
    failures = 0
    for _ in range(40):
        X = points(60, seed=rng.integers(10**6))
        truth = np.sign(X[:, 0] + 0.2 * rng.standard_normal(60))
        w = rng.standard_normal(3)
        w *= 3.0 / np.linalg.norm(w)
        fresh = points(2000, seed=rng.integers(10**6))
        labels = np.sign(fresh[:, 0] + 0.2 * rng.standard_normal(2000))
        error = np.mean(labels * (fresh @ w) <= 0)
        risk = truncated_hinge_risk(X @ w, truth)
        failures += error > jmlr_kernel_bound(risk, beta=3.0, kappa=1.0, n_samples=60)
    assert failures <= 2


def test_bad_numbers_are_named():
    with pytest.raises(InputError, match="risk"):
        jmlr_kernel_bound(1.5, beta=1.0, kappa=1.0, n_samples=10)
    with pytest.raises(InputError, match="delta"):
        jmlr_kernel_bound(0.5, beta=1.0, kappa=1.0, n_samples=10, delta=0.0)
    with pytest.raises(InputError, match="n_prototypes=10"):
        jmlr_features_bound(0.5, beta=1.0, kappa=1.0, n_samples=10, n_prototypes=10)
    with pytest.raises(InputError, match="sign"):
        truncated_hinge_risk([0.1, 0.2], [0, 1])
