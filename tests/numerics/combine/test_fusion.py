import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import log_softmax

from similearn.numerics.combine.fusion import LOG_FLOOR, best_exponents, fused, without_vetoes


def posteriors(C=3, n=50, G=4, seed=0, sharp=1.0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, G, n)
    codes[:G] = np.arange(G)
    logits = rng.normal(size=(C, n, G)) + 1.5 * np.eye(G)[codes]
    return log_softmax(sharp * logits, axis=2), codes, np.log(np.bincount(codes) / n)


def test_zeros_become_finite_and_keep_their_place():
    logs = np.array([[0.0, -np.inf, -5.0], [-np.inf, -2000.0, 0.0], [-1.0, -1.0, -1.0]])
    found = without_vetoes(logs)
    assert_allclose(found[0], [0.0, LOG_FLOOR, -5.0])
    assert_allclose(found[1], [-2000.0, -2000.0, 0.0])
    assert_array_equal(found[2], logs[2])
    assert (np.argsort(found, axis=1, kind="stable")[:, -1] == logs.argmax(axis=1))[:2].all()


def test_product_of_probabilities():
    terms, _, log_priors = posteriors()
    P, prior = np.exp(terms), np.exp(log_priors)
    each = fused(terms, np.ones(3), log_priors, once=False)
    assert_allclose(np.exp(each), P.prod(axis=0))
    once = fused(terms, np.ones(3), log_priors, once=True)
    assert_allclose(np.exp(once), prior * (P / prior).prod(axis=0))
    powers = np.array([0.5, 0.0, 2.0])
    tempered = fused(terms, powers, log_priors, once=True)
    assert_allclose(np.exp(tempered), prior * ((P / prior) ** powers[:, None, None]).prod(axis=0))


@pytest.mark.parametrize("once", [True, False])
@pytest.mark.parametrize("sharp", [0.2, 1.0, 300.0])
def test_exponents_are_a_minimum(once, sharp):
    terms, codes, log_priors = posteriors(n=200, sharp=sharp)

    def loss(powers):
        logs = log_softmax(fused(terms, powers, log_priors, once=once), axis=1)
        return -logs[np.arange(200), codes].mean() + ((powers - 1) ** 2).sum() / 400

    powers, converged = best_exponents(terms, codes, log_priors, once=once)
    assert converged and (powers >= 0).all()
    best = loss(powers)
    for c in range(3):
        for step in (-1e-3, 1e-3):
            moved = powers.copy()
            moved[c] = max(moved[c] * (1 + step), 0.0) if sharp > 1 else max(moved[c] + step, 0.0)
            assert loss(moved) >= best - 1e-10


def test_a_source_that_is_too_sure_is_tamed_and_noise_is_dropped():
    terms, codes, log_priors = posteriors(C=2, n=400)
    too_sure = log_softmax(20 * terms[0], axis=1)
    noise = log_softmax(3 * np.random.default_rng(1).normal(size=terms[0].shape), axis=1)
    found = best_exponents(
        np.stack([terms[1], too_sure, noise]), codes, log_priors, once=True
    ).values
    assert found[0] > 0.5
    assert found[1] < 0.2
    assert found[2] < 0.1


def test_exponents_stay_finite_where_nobody_errs():
    codes = np.arange(60) % 2
    terms = log_softmax(5 * np.eye(2)[codes], axis=1)[None]
    powers, converged = best_exponents(terms, codes, np.log([0.5, 0.5]), once=True)
    assert converged and 1 <= powers[0] < 10
