import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import brier_score_loss, log_loss

from similearn.errors import InputError
from similearn.experiments.comparisons.scores import (
    Scoring,
    balanced_error,
    brier_score,
    mean_cost,
    mean_log_loss,
)

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


def test_balanced_error_and_cost():
    y, told = np.array(["a", "a", "a", "b"]), np.array(["a", "a", "b", "a"])
    assert balanced_error(told, y) == pytest.approx((1 / 3 + 1) / 2)
    costs = {("a", "b"): 7.0}
    assert mean_cost(told, np.array(["a", "b"]), y, costs) == pytest.approx((1 + 7) / 4)
    assert mean_cost(told, np.array(["a", "b"]), np.array(["a", "a", "a", "z"]), costs) == 2.0


@pytest.mark.parametrize("name", ["log-loss", "balanced-error", "cost"])
def test_what_parameters_are_chosen_by(name):
    class Model:
        classes_ = np.array(["a", "b"])

        def predict_proba(self, X):
            return np.array([[0.9, 0.1], [0.9, 0.1], [0.4, 0.6], [0.8, 0.2]])

        def predict(self, X):
            return self.classes_[self.predict_proba(X).argmax(axis=1)]

    y = np.array(["a", "a", "a", "b"])
    scoring = Scoring(name, {("a", "b"): 7.0} if name == "cost" else None)
    expected = {
        "log-loss": -np.log([0.9, 0.9, 0.4, 0.2]).mean(),
        "balanced-error": 2 / 3,
        "cost": 2,
    }
    assert scoring.scorer()(Model(), None, y) == pytest.approx(-expected[name])
    assert not scoring.is_usual and Scoring().is_usual and Scoring().scorer() is None


@pytest.mark.parametrize(("name", "message"), [("luck", "unknown"), ("cost", "needs costs")])
def test_scorings_that_mean_nothing(name, message):
    with pytest.raises(InputError, match=message):
        Scoring(name)
