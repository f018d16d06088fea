"""Probabilities of all classifiers are calibrated on samples that they were not learned from."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import log_loss

import similearn
from similearn import (
    DBoostClassifier,
    FusedNeighborsClassifier,
    FusionClassifier,
    IndefiniteFisherClassifier,
    LocalBDAClassifier,
    LocalSDAClassifier,
    LocalSVC,
    NeighborsClassifier,
    NormalClassifier,
    Pairwise,
    PathSearchCV,
    SDAClassifier,
    SimilaritySVC,
    Sources,
)
from similearn.estimators.probabilities.calibrated import MOST_LEFT_OUT

VOTES = [
    ("pairs", NeighborsClassifier(5), "pairs"),
    ("rows", LocalBDAClassifier(4), "rows"),
]
MODELS = [
    NeighborsClassifier(1),
    NeighborsClassifier(7, weights="affinity"),
    NeighborsClassifier(5, weights="krr", ridge=0.01),
    NeighborsClassifier(5, weights="kri", ridge=0.01),
    LocalSDAClassifier(8),
    SDAClassifier(),
    IndefiniteFisherClassifier(1e-3),
    DBoostClassifier(60, 20, random_state=0),
    FusedNeighborsClassifier(3),
    FusionClassifier(VOTES),
    LocalBDAClassifier(4),
    NormalClassifier("own", shrinkage=0.01),
    SimilaritySVC(),
    LocalSVC(8),
]


def problem(seed=0, n=150):
    """Three overlapping classes of unequal sizes; 90 train, the others are queries."""
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    points = rng.standard_normal((n, 3)) + 1.2 * np.eye(3)[y]
    S = np.exp(-((points[:, None] - points) ** 2).sum(axis=2) / 4)
    return points, S, y


def data_for(model, rows, columns, points, S):
    cut = Pairwise(S[np.ix_(rows, columns)], "similarity", same_samples=len(rows) == len(columns))
    if isinstance(model, LocalBDAClassifier | NormalClassifier):
        return points[rows]
    if isinstance(model, FusionClassifier | FusedNeighborsClassifier):
        return Sources({"pairs": cut, "rows": points[rows]})
    return cut


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_decisions_stay_and_nothing_is_worse_than_before_or_the_class_shares(model):
    told = []
    for seed in range(3):
        points, S, y = problem(seed)
        train, test = np.arange(90), np.arange(90, 150)
        X, queries = (data_for(model, rows, train, points, S) for rows in (train, test))
        fitted = clone(model).fit(X, y[train])
        plain = clone(model).set_params(calibration="none").fit(X, y[train])
        assert_array_equal(fitted.predict(queries), plain.predict(queries))
        assert_array_equal(fitted.decision_function(queries), plain.decision_function(queries))
        said = fitted.predict_proba(queries)
        assert_array_equal(fitted.classes_[said.argmax(axis=1)], fitted.predict(queries))
        assert (said > 0).all() and len(fitted.calibration_) == 2
        assert_allclose(np.exp(fitted.predict_log_proba(queries)), said)
        shares = np.tile(np.bincount(y[train]) / 90, (60, 1))
        own = plain.predict_proba(queries) if hasattr(plain, "predict_proba") else shares
        told.append([log_loss(y[test], p) for p in (said, own, shares)])
    after, before, frequencies = np.mean(told, axis=0)
    assert after < frequencies and after < before + 0.06


def test_one_neighbour_is_as_sure_as_it_is_right():
    _, S, y = problem(1, 600)
    model = NeighborsClassifier(1).fit(S, y)
    near = S.copy()
    np.fill_diagonal(near, -1)
    right = np.mean(y[near.argmax(axis=1)] == y)
    stated = model.predict_proba(S).max(axis=1).mean()
    assert abs(stated - right) < 0.03


@pytest.mark.parametrize("model", [NeighborsClassifier(3), SimilaritySVC()], ids=str)
def test_nobody_is_surer_than_so_many_samples_allow(model):
    y = np.repeat([0, 1], 20)
    S = np.equal.outer(y, y) + 0.01 * np.random.default_rng(0).random((40, 40))
    P = model.fit(S + S.T, y).predict_proba(S + S.T)
    assert model.calibration_.smoothing >= 1 / 42
    assert P.min() >= 0.5 / 42


def test_at_most_a_thousand_samples_are_scored(monkeypatch):
    _, S, y = problem(2, 90)
    asked = []
    real = NeighborsClassifier._scores_without_self
    monkeypatch.setattr(
        NeighborsClassifier,
        "_scores_without_self",
        lambda self, q, rows, c: asked.append(rows) or real(self, q, rows, c),
    )
    monkeypatch.setattr("similearn.estimators.probabilities.calibrated.MOST_LEFT_OUT", 40)
    NeighborsClassifier(3).fit(S, y)
    assert sum(len(range(90)[rows]) for rows in asked) == 30 and MOST_LEFT_OUT == 1000


def test_few_samples_smooth_without_a_temperature():
    S = np.array([[1, 0.8, 0.1], [0.8, 1, 0.2], [0.1, 0.2, 1]])
    model = NeighborsClassifier(1).fit(S, ["a", "a", "b"])
    a, smoothing = model.calibration_
    assert a == 1.0 and 0 < smoothing <= 0.5
    alone = NeighborsClassifier(1).fit(np.eye(2), ["a", "b"])  # each class is gone with its sample
    assert_allclose(alone.predict_proba([[0.9, 0.1]]), [[0.75, 0.25]], atol=1e-3)


def test_costs_weigh_calibrated_probabilities():
    _, S, y = problem(3)
    costs = np.array([[0.0, 1, 5], [1, 0, 5], [1, 1, 0]])
    plain = NeighborsClassifier(4).fit(S, y)
    model = NeighborsClassifier(4, costs=costs).fit(S, y)
    assert_array_equal(model.predict(S), (plain.predict_proba(S) @ costs.T).argmin(axis=1))


def test_a_search_finds_candidates_without_calibrating_and_calibrates_the_best(monkeypatch):
    _, S, y = problem(4)
    calls = []
    real = NeighborsClassifier._calibrate
    monkeypatch.setattr(
        NeighborsClassifier,
        "_calibrate",
        lambda self, d, c, k: calls.append(self.calibration) or real(self, d, c, k),
    )
    grid = {"n_neighbors": [1, 3, 5, 9, 20]}
    found = PathSearchCV(NeighborsClassifier(), grid, cv=4).fit(S, y)
    assert calls.count("temperature") == 1  # the refit
    assert len(found.best_estimator_.calibration_) == 2


def test_a_wrong_word_is_refused():
    _, S, y = problem(5)
    with pytest.raises(similearn.errors.InputError, match="calibration='platt' is unknown"):
        NeighborsClassifier(calibration="platt").fit(S, y)
