import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from similearn import NeighborsClassifier
from similearn.experiments.reproduction.readings import ShiftedRidgeNeighbors
from tests.experiments.data import small_problem


def test_shifted_weights_are_those_of_footnote_5():
    block, y = small_problem(30, 3)
    S = block.values
    plain = NeighborsClassifier(6, weights="krr", ridge=0.5).fit(S, y)
    shifted = ShiftedRidgeNeighbors(6, weights="krr", ridge=0.5).fit(S, y)
    found = plain.explain(S)
    weights = found.weights - found.weights.mean(axis=1, keepdims=True) + 1 / 6
    expected = np.array([(weights * (found.labels == c)).sum(axis=1) for c in plain.classes_]).T
    assert_allclose(shifted.decision_function(S), expected, atol=1e-8)


def test_shifted_weights_under_a_large_ridge_are_votes():
    block, y = small_problem(30, 3)
    S = block.values
    votes = NeighborsClassifier(5).fit(S, y).predict(S)
    shifted = ShiftedRidgeNeighbors(5, weights="krr", ridge=1e9).fit(S, y)
    assert_array_equal(shifted.predict(S), votes)
