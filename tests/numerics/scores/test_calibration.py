"""Calibration against a plain grid search, and what it promises."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from similearn.numerics.scores.calibration import (
    SPREAD,
    Calibration,
    best_calibration,
    evidence_of,
    led_by,
)
from similearn.numerics.scores.temperature import inverse_temperature


def problem(n=200, n_classes=3, strength=1.0, wrong=0.0, seed=0):
    """Evidence whose softmax, at `strength`, is the truth, but for a share of wrong labels."""
    rng = np.random.default_rng(seed)
    evidence = rng.normal(size=(n, n_classes)) * 2
    probabilities = np.exp(strength * evidence)
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    codes = np.array([rng.choice(n_classes, p=p) for p in probabilities])
    flipped = rng.random(n) < wrong
    codes[flipped] = rng.integers(n_classes, size=flipped.sum())
    return evidence, codes, np.bincount(codes, minlength=n_classes) / n


def loss(calibration, evidence, codes, priors):
    own = calibration.probabilities(evidence, priors)[np.arange(len(codes)), codes]
    return -np.log(own).mean()


@pytest.mark.parametrize("strength", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("wrong", [0.0, 0.2])
def test_no_point_of_a_fine_grid_is_better(strength, wrong):
    evidence, codes, priors = problem(strength=strength, wrong=wrong)
    found = best_calibration(evidence, codes, priors)
    least = 1 / (len(codes) + len(priors))
    grid = [
        loss(Calibration(a, e), evidence, codes, priors)
        for a in np.geomspace(0.02, 20, 60)
        for e in np.concatenate([[least], np.linspace(least, 1, 50)])
    ]
    assert loss(found, evidence, codes, priors) <= min(grid) + 1e-3


def test_the_temperature_of_the_truth_is_found():
    evidence, codes, priors = problem(n=20_000, strength=0.7)
    assert_allclose(best_calibration(evidence, codes, priors).inverse_temperature, 0.7, rtol=0.05)


def test_wrong_labels_raise_the_smoothing():
    clean = best_calibration(*problem(n=3000, strength=5.0))
    noisy = best_calibration(*problem(n=3000, strength=5.0, wrong=0.2))
    assert clean.smoothing < 0.01
    assert 0.1 < noisy.smoothing < 0.3


def test_perfect_separation_stays_finite_and_never_says_never():
    evidence = np.repeat(np.eye(2), 10, axis=0) * 1e8
    codes = np.repeat([0, 1], 10)
    found = best_calibration(evidence, codes, np.array([0.5, 0.5]))
    P = found.probabilities(evidence, np.array([0.5, 0.5]))
    assert np.isfinite(found).all()
    assert P.min() >= 0.5 / (len(codes) + 2) - 1e-12
    assert_allclose(P.sum(axis=1), 1.0)


def test_constant_evidence_gives_the_priors():
    codes = np.array([0, 0, 0, 1])
    priors = np.array([0.75, 0.25])
    found = best_calibration(np.zeros((4, 2)), codes, priors)
    assert_allclose(found.probabilities(np.zeros((4, 2)), priors)[0], priors, atol=1e-9)


def test_shares_become_logarithms_and_nobody_voting_says_nothing():
    evidence = evidence_of(np.array([[2.0, 2.0, 0.0], [0.0, 0.0, 0.0]]), shares=True)
    assert_allclose(np.exp(evidence[0]), [0.5, 0.5, 0.0], atol=2e-4)
    assert np.ptp(evidence[1]) == 0.0


def test_a_class_ruled_out_is_as_bad_as_the_worst_of_its_row():
    scores = np.array([[-np.inf, 3.0, 1.0], [-np.inf, -np.inf, -np.inf]])
    assert_allclose(evidence_of(scores, shares=False), [[1.0, 3.0, 1.0], [0.0, 0.0, 0.0]])


def test_rows_do_not_depend_on_each_other():
    scores = np.array([[-np.inf, 3.0, 1.0], [5.0, -7.0, -np.inf]])
    alone = [evidence_of(row[None], shares=False)[0] for row in scores]
    assert_allclose(evidence_of(scores, shares=False), alone)


def pooled_one_by_one(p, winner):
    """The literal rule of `led_by`: take the most probable others in until the mean suffices."""
    others = sorted((g for g in range(len(p)) if g != winner), key=lambda g: -p[g])
    pool = [winner]
    while others and p[others[0]] > np.mean([p[g] for g in pool]):
        pool.append(others.pop(0))
    out = np.array(p)
    out[pool] = np.mean([p[g] for g in pool])
    return out


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_the_decided_class_leads_and_the_rest_is_near(n_classes):
    rng = np.random.default_rng(n_classes)
    P = rng.dirichlet(np.full(n_classes, 0.7), 200)
    winners = rng.integers(n_classes, size=200)
    led = led_by(P, winners)
    assert (led.argmax(axis=1) == winners).all()
    assert_allclose(led.sum(axis=1), 1.0, rtol=1e-14)
    expected = [pooled_one_by_one(p, w) for p, w in zip(P, winners, strict=True)]
    assert_allclose(led, expected, rtol=1e-8)
    leading = P.argmax(axis=1) == winners
    assert (led[leading] == P[leading]).all() and 0 < leading.sum() < 200


def test_smoothing_towards_a_frequent_class_does_not_change_decisions():
    evidence = np.log(np.array([[0.55, 0.45], [0.9, 0.1], [0.2, 0.8]]))
    priors, winners = np.array([0.1, 0.9]), np.array([0, 0, 1])
    found = Calibration(1.0, 0.5).decided(evidence, priors, winners)
    assert_allclose(found, [[0.5, 0.5], [0.5, 0.5], [0.15, 0.85]], rtol=1e-8)
    assert (found.argmax(axis=1) == winners).all()


def test_few_samples_that_are_all_right_stay_near_what_is_expected():
    evidence = np.repeat(np.eye(2), 10, axis=0)
    codes, priors = np.repeat([0, 1], 10), np.array([0.5, 0.5])
    free = best_calibration(evidence, codes, priors)
    near = best_calibration(evidence, codes, priors, spread=SPREAD)
    assert near.inverse_temperature < free.inverse_temperature
    usual = inverse_temperature(evidence, codes)
    assert abs(np.log(near.inverse_temperature / usual)) < 4 * SPREAD
    natural = best_calibration(evidence, codes, priors, natural=True, spread=SPREAD)
    assert abs(np.log(natural.inverse_temperature)) < 4 * SPREAD


def test_what_was_smoothed_before_is_hardly_smoothed_again():
    evidence = np.log(np.repeat([[0.98, 0.02], [0.02, 0.98]], 10, axis=0))
    codes, priors = np.repeat([0, 1], 10), np.array([0.5, 0.5])
    for natural in (False, True):
        options = {"natural": natural, "spread": SPREAD}
        once = best_calibration(evidence, codes, priors, **options)
        twice = best_calibration(evidence, codes, priors, smoothed=True, **options)
        assert_allclose(once.smoothing, 1 / 22)
        assert_allclose(twice.smoothing, 0.01 / 22)


def test_many_samples_overrule_what_is_expected():
    evidence, codes, priors = problem(n=20_000, strength=0.3)
    found = best_calibration(evidence, codes, priors, natural=True, spread=SPREAD)
    assert_allclose(found.inverse_temperature, 0.3, rtol=0.05)


def test_weights_count_as_repetitions():
    rng = np.random.default_rng(1)
    evidence, codes = rng.standard_normal((40, 3)), rng.integers(3, size=40)
    evidence[np.arange(40), codes] += 1.0
    twice = np.r_[np.arange(40), np.arange(0, 40, 2)]
    weights = np.where(np.arange(40) % 2 == 0, 2.0, 1.0)
    priors = np.full(3, 1 / 3)
    repeated = best_calibration(evidence[twice], codes[twice], priors)
    weighted = best_calibration(evidence, codes, priors, weights / weights.mean())
    assert_allclose(weighted, repeated, rtol=0.05, atol=0.01)
