import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binomtest
from sklearn.metrics import confusion_matrix

from similearn.numerics.scores.judgement import (
    confusion,
    error_by_coverage,
    errs_more_p_value,
    reliability,
    wilson_interval,
)
from tests.reference import plane as reference


@pytest.mark.parametrize(("count", "n"), [(0, 10), (3, 10), (10, 10), (70, 1000)])
def test_wilson_interval_is_scipys(count, n):
    expected = binomtest(count, n).proportion_ci(method="wilson")
    assert_allclose(wilson_interval(count, n), (expected.low, expected.high), atol=1e-12)


def test_nothing_counted_says_nothing():
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_errs_more_is_the_binomial_test_of_disagreements():
    rng = np.random.default_rng(0)
    for _ in range(20):
        right, rival = rng.random((2, 30)) < rng.random((2, 1))
        lost, won = np.sum(~right & rival), np.sum(right & ~rival)
        expected = binomtest(lost, lost + won, alternative="greater").pvalue if lost + won else 1.0
        assert_allclose(errs_more_p_value(right, rival), expected, atol=1e-12)


def judged(n=60):
    rng = np.random.default_rng(0)
    confidence = np.round(rng.uniform(0, 1, n), 1)  # ties, and values on edges of bins
    return confidence, rng.uniform(size=n) < confidence


def test_reliability_counts_every_sample_once():
    confidence, right = judged()
    found = reliability(confidence, right)
    rows = np.column_stack([found.count, found.stated, found.right])
    assert_allclose(rows, reference.reliability(confidence, right, 10))
    error = sum(c * abs(s - r) for c, s, r in rows) / len(confidence)
    assert_allclose(found.error, error)


def test_error_by_coverage_refuses_ties_together():
    confidence, right = judged()
    coverage, error, threshold = error_by_coverage(confidence, right)
    assert_allclose(
        np.column_stack([coverage, error]), reference.error_by_coverage(confidence, right)
    )
    assert_array_equal(threshold, np.unique(confidence)[::-1])
    assert coverage[-1] == 1 and error[-1] == pytest.approx(1 - right.mean())


def test_confusion_is_scikit_learns():
    rng = np.random.default_rng(1)
    truth, decided = rng.integers(4, size=(2, 50))
    assert_array_equal(confusion(truth, decided, 4), confusion_matrix(truth, decided))
