from unittest.mock import patch

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from similearn import (
    LocalNearestMeansClassifier,
    NeighborsClassifier,
    PairwiseSimilarity,
    PathSearchCV,
    SimilarityClassifier,
    SimilaritySVC,
)
from similearn.estimators.probabilities.answers import labels_and_probabilities
from similearn.estimators.shell.base import ScoreClassifier

POINTS = np.random.default_rng(3).normal(size=(30, 2))
Y = np.where(POINTS[:, 0] + POINTS[:, 1] ** 2 > 0.5, "yes", "no")
NEW = np.random.default_rng(4).normal(size=(7, 2))
COMPARED = PairwiseSimilarity("rbf")

OURS = {
    "alone": NeighborsClassifier(3, kind="similarity"),
    "costs": NeighborsClassifier(3, kind="similarity", costs=[[0, 5], [1, 0]]),
    "machine": SimilaritySVC(),
    "search": PathSearchCV(NeighborsClassifier(kind="similarity"), {"n_neighbors": [1, 3]}, cv=3),
    "default": SimilarityClassifier(effort="quick"),
    "pipeline": make_pipeline(COMPARED, NeighborsClassifier(3)),
}


def queries_of(name):
    blocks = COMPARED.fit(POINTS)
    both = (POINTS, NEW) if name == "pipeline" else (blocks.fit_transform(POINTS), None)
    return both if both[1] is not None else (both[0], blocks.transform(NEW))


@pytest.mark.parametrize("name", OURS)
def test_both_answers_come_from_scores_that_are_computed_once(name):
    train, new = queries_of(name)
    model = OURS[name].fit(train, Y)
    labels, probabilities = model.predict(new), model.predict_proba(new)
    inner = model.best_estimator_ if name == "search" else model
    inner = inner[-1] if name == "pipeline" else inner
    computed = type(inner)._all_scores
    with patch.object(type(inner), "_all_scores", autospec=True, side_effect=computed) as scores:
        found = labels_and_probabilities(model, new)
    assert sum(call.args[0] is inner for call in scores.call_args_list) == 1
    assert isinstance(inner, ScoreClassifier)
    assert_array_equal(found[0], labels)
    assert_array_equal(found[1], probabilities)


def test_a_method_without_probabilities_has_none():
    model = LocalNearestMeansClassifier(3).fit(POINTS, Y)
    labels, probabilities = labels_and_probabilities(model, NEW)
    assert_array_equal(labels, model.predict(NEW))
    assert probabilities is None


@pytest.mark.parametrize("last", [LogisticRegression(), LinearSVC()])
def test_classifiers_of_others_are_asked_for_each(last):
    model = make_pipeline(COMPARED, last).fit(POINTS, Y)
    labels, probabilities = labels_and_probabilities(model, NEW)
    assert_array_equal(labels, model.predict(NEW))
    if hasattr(last, "predict_proba"):
        assert_array_equal(probabilities, model.predict_proba(NEW))
    else:
        assert probabilities is None
