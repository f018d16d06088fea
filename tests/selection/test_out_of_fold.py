"""What a search keeps of the best candidate's predictions of held-out samples."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import (
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.pipeline import make_pipeline

from similearn import (
    LocalSVC,
    NeighborsClassifier,
    PathSearchCV,
    RowRBFSimilarity,
    SDAClassifier,
)
from similearn.errors import InputError

rng = np.random.default_rng(3)
y = np.array(["c", "a", "b"])[np.arange(45) % 3]
points = rng.normal(size=(45, 2)) + 1.5 * np.eye(3)[np.arange(45) % 3][:, :2]
S = np.exp(-((points[:, None] - points) ** 2).sum(axis=2))
GRID = {"n_neighbors": [1, 4, 9]}
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)


def search(model, grid, **settings):
    return PathSearchCV(model, grid, **{"cv": FOLDS, "keep_out_of_fold": True} | settings).fit(S, y)


@pytest.mark.parametrize("scoring", [None, "neg_log_loss"])
@pytest.mark.parametrize("refit", [True, False])
def test_probabilities_of_the_best_without_a_refit(scoring, refit):
    for weights in ("uniform", "krr"):
        model = NeighborsClassifier(weights=weights)
        found = search(model, GRID, scoring=scoring, refit=refit)
        best = clone(model).set_params(**found.best_params_)
        expected = cross_val_predict(best, S, y, cv=FOLDS, method="predict_proba")
        assert_allclose(found.oof_proba_, expected, atol=1e-12)
        assert not found.oof_proba_.mask.any() and not hasattr(found, "oof_scores_")


def test_calibrated_machines_keep_probabilities_though_accuracy_decides():
    found = search(LocalSVC(5), {"C": [0.1, 1.0]})
    best = LocalSVC(5, **found.best_params_)
    expected = cross_val_predict(best, S, y, cv=FOLDS, method="predict_proba")
    assert_allclose(found.oof_proba_, expected, atol=1e-9)


def test_point_by_point_and_pipelines():
    pipeline = make_pipeline(RowRBFSimilarity(), NeighborsClassifier())
    for model, grid in (
        (SDAClassifier(), {"support": ["observed", "continuous"]}),
        (pipeline, {"neighborsclassifier__n_neighbors": [1, 5]}),
    ):
        found = search(model, grid)
        best = clone(model).set_params(**found.best_params_)
        expected = cross_val_predict(best, S, y, cv=FOLDS, method="predict_proba")
        assert_allclose(found.oof_proba_, expected, atol=1e-12)
        assert_array_equal(found.classes_, ["a", "b", "c"])


def test_scores_where_there_are_no_probabilities():
    model = LocalSVC(5, calibration="none")
    found = search(model, {"C": [1.0]})
    expected = cross_val_predict(model, S, y, cv=FOLDS, method="decision_function")
    assert_allclose(found.oof_scores_, expected, atol=1e-12)
    assert not hasattr(found, "oof_proba_")


def test_a_fit_forgets_what_the_fit_before_it_kept():
    found = search(NeighborsClassifier(), GRID)
    assert found.predict_set(S).shape == (45, 3)
    found.set_params(keep_out_of_fold=False).fit(S, np.roll(y, 1))
    assert not hasattr(found, "oof_proba_")
    with pytest.raises(InputError, match="keep_out_of_fold=True"):
        found.predict_set(S)


def test_leaving_one_out():
    for calibration, near in (("none", 1e-12), ("temperature", 0.1)):  # from 45 or 44 samples
        found = search(NeighborsClassifier(calibration=calibration), GRID, cv="loo")
        best = NeighborsClassifier(**found.best_params_, calibration=calibration)
        expected = cross_val_predict(best, S, y, cv=KFold(45), method="predict_proba")
        assert_allclose(found.oof_proba_, expected, atol=near)


def test_samples_that_are_held_out_several_times_or_never():
    repeated = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    found = search(NeighborsClassifier(), GRID, cv=repeated)
    assert_allclose(found.oof_proba_.sum(axis=1), 1.0)
    sums = np.zeros((45, 3))
    best = NeighborsClassifier(**found.best_params_)
    for train, test in repeated.split(S, y):
        part = best.fit(S[np.ix_(train, train)], y[train])
        sums[test] += part.predict_proba(S[np.ix_(test, train)])
    assert_allclose(found.oof_proba_, sums / 2)
    splits = list(ShuffleSplit(2, test_size=0.2, random_state=0).split(S))
    found = search(NeighborsClassifier(), GRID, cv=splits)
    held_out = np.unique(np.concatenate([test for _, test in splits]))
    covered = np.isin(np.arange(45), held_out)
    assert_array_equal(found.oof_proba_.mask, np.repeat(~covered[:, None], 3, axis=1))
    assert_allclose(found.oof_proba_.data[~covered], 1 / 3)


@pytest.mark.filterwarnings("ignore::similearn.errors.SimilearnWarning", "ignore:One or more")
@pytest.mark.parametrize("model", [NeighborsClassifier(), LocalSVC(4, calibration="none")])
def test_a_fold_without_one_of_the_classes(model):
    a, others = np.flatnonzero(y == "a"), np.flatnonzero(y != "a")
    one, two = (others[np.arange(len(others)) // 2 % 2 == half] for half in (0, 1))
    splits = [(others, a), (np.r_[a, one], two), (np.r_[a, two], one)]
    found = search(model, {"n_neighbors": [4]}, cv=splits)
    if hasattr(found, "oof_proba_"):
        assert_array_equal(found.oof_proba_[a, 0], 0.0)
        assert_allclose(found.oof_proba_.sum(axis=1), 1.0)
    else:
        assert_array_equal(found.oof_scores_.mask[a], [[True, False, False]] * len(a))
        assert not found.oof_scores_.mask[others].any()
    kept = found.oof_proba_ if hasattr(found, "oof_proba_") else found.oof_scores_
    assert np.isfinite(kept.data).all()
