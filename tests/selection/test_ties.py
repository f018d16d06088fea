"""Candidates that decide equally well: whose probabilities mean something is taken."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from similearn import (
    DissimilarityToSimilarity,
    NeighborsClassifier,
    Pairwise,
    PathSearchCV,
    SDAClassifier,
    SimilaritySVC,
)
from similearn.errors import InputError
from similearn.experiments.comparisons.problems import BlockProblem
from similearn.experiments.comparisons.runner import Unit
from similearn.experiments.comparisons.splitting import tuning_folds
from similearn.experiments.registry import get_method
from similearn.experiments.tuning import tuned
from similearn.selection.held_out import mean_log_loss
from similearn.selection.ties import simplest_of_best

FOLDS = StratifiedKFold(5)


def families(n_each=50, seed=0):
    """Dissimilarities of three well separated families, as a PHYLIP matrix may hold."""
    rng = np.random.default_rng(seed)
    y = np.repeat(["a", "b", "c"], n_each)
    points = 0.5 * rng.standard_normal((len(y), 6)) + 5 * np.eye(3, 6)[np.repeat(range(3), n_each)]
    gaps = np.linalg.norm(points[:, None] - points, axis=2)
    return Pairwise(gaps, "dissimilarity"), y


@pytest.mark.parametrize("name", ["knn", "svm-clip"])
def test_separated_families_are_told_apart_with_confidence(name):
    X, y = families()
    folds = tuning_folds(y, 0, 0)
    minded = tuned(get_method(name), X, folds).fit(X, y)
    simplest = tuned(get_method(name), X, folds, ties="simplest").fit(X, y)
    assert minded.best_score_ == simplest.best_score_ == 1.0
    # 128 of 150 neighbours, or C = 0.001; a calibration makes the best of it.
    assert simplest.predict_proba(X).max(axis=1).min() < 0.95
    assert minded.predict_proba(X).max(axis=1).min() > 0.95
    if name == "knn":
        assert simplest.best_params_ == {"n_neighbors": 128}
        assert minded.best_params_["n_neighbors"] < 128
        raw = NeighborsClassifier(128, kind="dissimilarity", calibration="none").fit(X, y)
        assert raw.predict_proba(X).max() < 0.5


def test_losses_are_those_of_the_held_out_samples():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], 12)
    S = (y[:, None] == y) + 4.0 * rng.random((36, 36))
    S = S + S.T
    grid = {"n_neighbors": [1, 3, 5, 9, 15, 25]}
    always_one = lambda model, X, truth: 1.0  # noqa: E731 - all candidates tie
    votes = NeighborsClassifier(calibration="none")
    found = PathSearchCV(votes, grid, cv=FOLDS, scoring=always_one).fit(S, y)
    losses = []
    for k in grid["n_neighbors"]:
        votes = NeighborsClassifier(k, calibration="none")
        said = cross_val_predict(votes, S, y, cv=FOLDS, method="predict_proba")
        folds = [log_loss(y[test], said[test]) for _, test in FOLDS.split(S, y)]
        losses.append(np.mean(folds))
    assert found.best_index_ == np.argmin(losses) != 5
    together = PathSearchCV(votes, grid, cv="loo", scoring=always_one).fit(S, y)
    assert together.best_params_["n_neighbors"] < 25


def test_machines_are_calibrated_for_the_tied_alone(monkeypatch):
    X, y = families(15)
    asked = []
    real = SimilaritySVC.calibration_losses
    monkeypatch.setattr(
        SimilaritySVC,
        "calibration_losses",
        lambda self, X, y, c: asked.append(c) or real(self, X, y, c),
    )
    model = make_pipeline(DissimilarityToSimilarity(), SimilaritySVC())
    grid = {"similaritysvc__C": [1e-3, 1.0, 10.0]}
    PathSearchCV(model, grid, cv=FOLDS, ties="simplest").fit(X, y)
    PathSearchCV(model, {"similaritysvc__C": [1.0]}, cv=FOLDS).fit(X, y)
    assert asked == []
    found = PathSearchCV(model, grid, cv=FOLDS).fit(X, y)
    assert asked == [[{"C": 1e-3}, {"C": 1.0}, {"C": 10.0}]]
    assert found.predict_proba(X).max(axis=1).min() > 0.9
    kept = PathSearchCV(model, grid, cv=FOLDS, keep_out_of_fold=True).fit(X, y)
    assert len(asked) == 1  # known from the folds
    assert kept.predict_proba(X).max(axis=1).min() > 0.9


@pytest.mark.parametrize("calibration", ["temperature", "none"])
def test_calibration_losses(calibration):
    X, y = families(10)
    S = DissimilarityToSimilarity().fit_transform(X)
    model = SimilaritySVC(calibration=calibration)
    losses = model.calibration_losses(S, y, [{"C": 0.1}, {"C": 10.0}])
    assert losses.shape == (2,)
    if calibration == "none":
        assert np.isnan(losses).all()
        return
    codes = np.unique(y, return_inverse=True)[1]
    single = SimilaritySVC(C=10.0).fit(S, y)
    said, known = single._folded_scores(S, codes, [{"C": 10.0}])
    assert_array_equal(known, np.arange(len(y)))  # every sample is in a third that is held out
    rate, smoothing = single.calibration_
    weights = np.exp(rate * said[0])
    shares = (1 - smoothing) * weights / weights.sum(axis=1, keepdims=True) + smoothing / 3
    assert_allclose(losses[1], log_loss(codes, shares), rtol=1e-6)


def test_the_simplest_wherever_no_loss_is_known():
    candidates = [{"k": 1}, {"k": 5}, {"k": 9}]
    means = np.array([0.9, 0.9, 0.9])
    table = np.array([0.3, 0.1, 0.1 + 1e-12])
    assert simplest_of_best(means, candidates, ("k",), losses_of=lambda tied: table[tied]) == 2
    table[2] = 0.2
    assert simplest_of_best(means, candidates, ("k",), losses_of=lambda tied: table[tied]) == 1
    table[0] = np.nan
    assert simplest_of_best(means, candidates, ("k",), losses_of=lambda tied: table[tied]) == 2
    alone = np.array([0.9, 0.8, 0.8])
    assert simplest_of_best(alone, candidates, ("k",), losses_of=pytest.fail) == 0
    X, y = families(10)
    S = DissimilarityToSimilarity().fit_transform(X)
    machine = SimilaritySVC(calibration="none")
    assert PathSearchCV(machine, {"C": [1.0, 1e-3]}, cv=FOLDS).fit(S, y).best_params_["C"] == 1e-3
    points = PathSearchCV(SDAClassifier(), {"support": ["observed", "continuous"]}, cv=FOLDS)
    assert not points.fit(S, y).searched_by_path_


def test_a_class_never_seen_counts_as_missed():
    P = np.array([[0.5, 0.5], [1.0, 0.0]])
    told = mean_log_loss(P, np.array(["b", "d"]), np.array(["b", "z"]))
    assert told == pytest.approx((np.log(2) - np.log(np.finfo(float).eps)) / 2)


def test_an_unknown_rule():
    with pytest.raises(InputError, match="'ties' parameter of PathSearchCV"):
        PathSearchCV(NeighborsClassifier(), {}, ties="first").fit(np.eye(4), [0, 0, 1, 1])


def test_the_tables_of_the_papers_keep_their_rule():
    X, y = families(10)
    problem = BlockProblem("families", X, y)
    knn = get_method("knn")
    assert Unit(problem, knn, 0, 0, "jmlr-3").ties == "simplest"
    assert Unit(problem, knn, 0, 0).ties == "log-loss"


@pytest.mark.filterwarnings("error")
def test_numbers_of_any_type_and_size_are_compared():
    grid = [np.float32(1.0), 1e300, 10**400, np.int8(3), -(10**400), None]
    candidates = [{"C": value} for value in grid]
    means = np.ones(len(grid))
    assert simplest_of_best(means, candidates, ["-C"]) == 4
    assert simplest_of_best(means, candidates, ["C"]) == 2
