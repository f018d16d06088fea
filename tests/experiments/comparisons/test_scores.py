import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import brier_score_loss, log_loss

from similearn.experiments.comparisons.scores import brier_score, mean_log_loss

CLASSES = np.array(["a", "b", "c"])


@pytest.fixture
def drawn():
    rng = np.random.default_rng(0)
    return rng.dirichlet(np.ones(3), size=50), rng.choice(CLASSES, size=50)


def test_scores_are_scikit_learns(drawn):
    probabilities, y = drawn
    assert_allclose(mean_log_loss(probabilities, CLASSES, y), log_loss(y, probabilities))
    two, truth = probabilities[:, :2] / probabilities[:, :2].sum(axis=1, keepdims=True), y == "a"
    binary = brier_score_loss(truth, two[:, 1])
    assert_allclose(brier_score(two, np.array([False, True]), truth), 2 * binary)


def test_a_class_never_seen_is_missed_whatever_is_said():
    probabilities = np.array([[0.5, 0.5]])
    unseen = np.array(["z"])
    assert brier_score(probabilities, CLASSES[:2], unseen) == pytest.approx(1.5)
    assert mean_log_loss(probabilities, CLASSES[:2], unseen) == pytest.approx(
        -np.log(np.finfo(float).eps)
    )


def test_without_probabilities_there_are_no_scores():
    assert mean_log_loss(None, CLASSES, CLASSES) is None
    assert brier_score(None, CLASSES, CLASSES) is None
