"""Costs of mistakes: a matrix, a dict of label pairs, or as rare as the class is."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from similearn import NeighborsClassifier, PathSearchCV, SimilaritySVC
from similearn.errors import InputError, InputTypeError
from similearn.estimators.shell.parameters import require_costs

CLASSES = np.array(["cat", "dog", "owl"])


def rare_class(seed=0, n=300):
    """Two overlapping classes, of which the second has a tenth of the samples."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.1, "rare", "usual")
    points = rng.standard_normal((n, 2)) + 1.3 * (y == "rare")[:, None]
    return np.exp(-((points[:, None] - points) ** 2).sum(axis=2)), y


def test_a_dict_is_the_matrix_whose_other_mistakes_cost_one():
    matrix = require_costs({("dog", "owl"): 5, ("cat", "cat"): -1.0}, CLASSES)
    assert_array_equal(matrix, [[-1, 1, 1], [1, 0, 5], [1, 1, 0]])
    assert_array_equal(require_costs({}, CLASSES), 1 - np.eye(3))


def test_balanced_costs_are_the_rarity_of_what_is_missed():
    matrix = require_costs("balanced", CLASSES, np.array([0.5, 0.25, 0.25]))
    assert_allclose(matrix, [[0, 4 / 3, 4 / 3], [2 / 3, 0, 4 / 3], [2 / 3, 4 / 3, 0]])
    assert_array_equal(
        require_costs("balanced", CLASSES, np.full(3, 1 / 3)), require_costs({}, CLASSES)
    )


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ({("cat", "fox"): 1.0}, "names 'fox', which is no class"),
        ({"cat": 1.0}, "expected a pair of labels"),
        ({("cat", "dog"): np.inf}, "large finite number"),
        ("even", "costs='even' is unknown"),
        ("balanced", "known with calibration='temperature' only"),
    ],
)
def test_costs_that_mean_nothing(costs, message):
    with pytest.raises(InputError, match=message):
        require_costs(costs, CLASSES)
    with pytest.raises(InputTypeError, match="expected a number"):
        require_costs({("cat", "dog"): "much"}, CLASSES)


def test_decisions_by_dict_and_matrix_are_the_same():
    S, y = rare_class()
    by_pairs = NeighborsClassifier(9, costs={("usual", "rare"): 9}).fit(S, y)
    by_matrix = NeighborsClassifier(9, costs=[[0, 1], [9, 0]]).fit(S, y)
    assert_array_equal(by_pairs.predict(S), by_matrix.predict(S))
    assert by_pairs.classes_.tolist() == ["rare", "usual"]


@pytest.mark.parametrize("model", [NeighborsClassifier(25), SimilaritySVC()])
def test_balanced_costs_find_the_rare_class(model):
    S, y = rare_class()
    train, test = np.arange(0, 300, 2), np.arange(1, 300, 2)

    def balanced(costs):
        fitted = model.set_params(costs=costs).fit(S[np.ix_(train, train)], y[train])
        told = fitted.predict(S[np.ix_(test, train)])
        return np.mean([np.mean(told[y[test] == label] != label) for label in fitted.classes_])

    assert balanced("balanced") < balanced(None) - 0.05


def test_a_search_weighs_the_probabilities_of_each_candidate():
    S, y = rare_class(1)
    grid = {"n_neighbors": [3, 9, 27]}
    model = NeighborsClassifier(costs={("usual", "rare"): 9})
    found = PathSearchCV(model, grid, cv=3).fit(S, y)
    points = PathSearchCV(model, grid | {"weights": ["uniform"]}, cv=3).fit(S, y)
    assert_array_equal(found.cv_results_["mean_test_score"], points.cv_results_["mean_test_score"])
    assert found.best_estimator_.calibration_ is not None
