"""Paths give what refitting gives, cell by cell."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut
from sklearn.pipeline import make_pipeline

from similearn import (
    FusedNeighborsClassifier,
    LocalNearestMeansClassifier,
    Pairwise,
    PathSearchCV,
    PrototypeFeatures,
    RowRBFSimilarity,
    Sources,
    datasets,
)
from similearn.errors import AsymmetryWarning, InputError
from similearn.selection.paths import hides_reverse
from similearn.selection.ties import simplest_of_best
from tests.uncalibrated import NeighborsClassifier


def tied_problem(n=45, n_classes=3, asymmetric=False, seed=0):
    """Similarities on a few levels, so that neighbours, votes and scores tie."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    S = np.rint(4 * rng.random((n, n)) + (y[:, None] == y)) / 4
    if not asymmetric:
        S = (S + S.T) / 2
    np.fill_diagonal(S, 1.5)
    return S, np.array(["red", "green", "blue"])[y]


ESTIMATORS = {
    "votes": (NeighborsClassifier(), {"n_neighbors": [1, 2, 3, 7, 20]}),
    "affinity": (NeighborsClassifier(weights="affinity"), {"n_neighbors": [5, 1, 2, 30]}),
    "two weights": (
        NeighborsClassifier(),
        {"n_neighbors": [1, 4, 9], "weights": ["affinity", "uniform"]},
    ),
    "list of grids": (
        NeighborsClassifier(),
        [{"n_neighbors": [3, 5]}, {"weights": ["affinity"], "n_neighbors": [4]}],
    ),
    "krr": (
        NeighborsClassifier(weights="krr"),
        {
            "n_neighbors": [1, 5, 20],
            "ridge": [0.1, 1e-3, 10.0],
            "spectrum": ["pinv", "flip"],
        },
    ),
    "kri": (
        NeighborsClassifier(weights="kri"),
        {"n_neighbors": [7, 1, 20], "ridge": [1e-6, 0.1, 1e6], "spectrum": ["clip", "shift"]},
    ),
    "lime": (NeighborsClassifier(weights="lime"), {"n_neighbors": [3, 9], "ridge": [0.1, 1.0]}),
    "pipeline": (
        make_pipeline(RowRBFSimilarity(), NeighborsClassifier()),
        {"neighborsclassifier__n_neighbors": [1, 5, 9], "rowrbfsimilarity__gamma": [0.1, 1.0]},
    ),
}


def compare_with_grid_search(estimator, grid, X, y, **settings):
    settings = {"cv": KFold(3, shuffle=True, random_state=0)} | settings
    ours = PathSearchCV(estimator, grid, **settings).fit(X, y)
    theirs = GridSearchCV(estimator, grid, **settings).fit(X, y)
    assert ours.searched_by_path_
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    assert set(ours.cv_results_) == set(theirs.cv_results_)
    for name, column in theirs.cv_results_.items():
        if "test" in name:
            assert_allclose(ours.cv_results_[name], column, rtol=1e-9, atol=1e-12, err_msg=name)
        elif name.startswith("param_"):
            assert ours.cv_results_[name].tolist() == column.tolist()
    return ours, theirs


@pytest.mark.thinned
@pytest.mark.parametrize("case", ESTIMATORS)
@pytest.mark.parametrize("scoring", [None, "neg_log_loss", "f1_macro"])
def test_path_equals_refit(case, scoring):
    S, y = tied_problem()
    ours, theirs = compare_with_grid_search(*ESTIMATORS[case], S, y, scoring=scoring)
    assert ours.best_score_ == pytest.approx(theirs.best_score_)
    assert ours.best_estimator_.get_params()  # refitted
    assert_array_equal(ours.predict(S), ours.best_estimator_.predict(S))


@pytest.mark.thinned
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("weights", ["uniform", "krr", "kri"])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_path_equals_refit_on_asymmetric_and_sparse_blocks(n_jobs, weights, store):
    S, y = tied_problem(asymmetric=True)
    block = Pairwise(store(np.where(S < 0.4, 0.0, S)), "similarity")
    grid = {"n_neighbors": [1, 3, 5, 9]}
    compare_with_grid_search(NeighborsClassifier(weights=weights), grid, block, y, n_jobs=n_jobs)


def test_costs_enter_the_path():
    S, y = tied_problem(n_classes=2)
    estimator = NeighborsClassifier(costs=[[0, 5], [1, 0]])
    compare_with_grid_search(estimator, {"n_neighbors": [1, 3, 8, 20]}, S, y)


def test_several_metrics():
    S, y = tied_problem()
    scoring = ["accuracy", "neg_log_loss"]
    grid = {"n_neighbors": [1, 5, 15]}
    ours, theirs = compare_with_grid_search(
        NeighborsClassifier(), grid, S, y, scoring=scoring, refit="neg_log_loss"
    )
    assert ours.best_params_ == theirs.best_params_
    assert ours.score(S, y) == pytest.approx(theirs.score(S, y))
    with pytest.raises(InputError, match="refit=True names none of the metrics"):
        PathSearchCV(NeighborsClassifier(), grid, scoring=scoring).fit(S, y)


@pytest.mark.thinned
@pytest.mark.parametrize("case", ["votes", "affinity", "two weights", "krr", "kri", "lime"])
@pytest.mark.parametrize("scoring", [None, "neg_log_loss"])
def test_leave_one_out_equals_refitting_n_times(case, scoring):
    S, y = tied_problem(n=22)
    estimator, grid = ESTIMATORS[case]
    grid = grid | {"n_neighbors": [k for k in grid["n_neighbors"] if k < 22]}
    ours = PathSearchCV(estimator, grid, cv="loo", scoring=scoring).fit(S, y)
    if scoring is None:
        theirs = GridSearchCV(estimator, grid, cv=LeaveOneOut()).fit(S, y)
        expected = theirs.cv_results_["mean_test_score"]
    else:
        expected = [
            mean_log_score(estimator.set_params(**p), S, y) for p in ours.cv_results_["params"]
        ]
    assert ours.n_splits_ == 22
    assert_allclose(ours.cv_results_["mean_test_score"], expected, rtol=1e-9, atol=1e-12)


def mean_log_score(estimator, S, y):
    logs = []
    for i in range(len(y)):
        rest = np.delete(np.arange(len(y)), i)
        model = estimator.fit(S[np.ix_(rest, rest)], y[rest])
        p = model.predict_proba(S[np.ix_([i], rest)])[0, model.classes_ == y[i]][0]
        logs.append(np.log(max(p, np.finfo(float).eps)))
    return np.mean(logs)


def test_leave_one_out_in_a_pipeline_goes_fold_by_fold():
    S, y = tied_problem(n=24)
    estimator, grid = ESTIMATORS["pipeline"]
    ours = PathSearchCV(estimator, grid, cv="loo").fit(S, y)
    theirs = GridSearchCV(estimator, grid, cv=LeaveOneOut()).fit(S, y)
    assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])


def test_estimators_without_a_path_are_refitted():
    S, y = tied_problem()
    estimator = make_pipeline(PrototypeFeatures(), LogisticRegression(max_iter=2000))
    grid = {"logisticregression__C": [0.01, 1.0]}
    ours = PathSearchCV(estimator, grid, cv=3).fit(S, y)
    theirs = GridSearchCV(estimator, grid, cv=3).fit(S, y)
    assert not ours.searched_by_path_
    assert ours.best_params_ == theirs.best_params_
    assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])


@pytest.mark.filterwarnings("ignore::similearn.errors.SimilearnWarning")
@pytest.mark.parametrize("cv", [3, "loo"])
def test_a_candidate_that_cannot_be_fitted_fails_alone(cv):
    S, y = tied_problem(n=30)
    grid = {"n_neighbors": [1, 30]}
    search = PathSearchCV(NeighborsClassifier(), grid, cv=cv).fit(S, y)
    assert np.isnan(search.cv_results_["mean_test_score"]).tolist() == [False, True]
    assert search.best_params_ == {"n_neighbors": 1}
    with pytest.raises(InputError, match="n_neighbors=30 is larger than"):
        PathSearchCV(NeighborsClassifier(), grid, cv=cv, error_score="raise").fit(S, y)


def test_ties_go_to_the_simplest():
    candidates = [{"k": 1, "r": 2.0}, {"k": 5, "r": 1.0}, {"k": 5, "r": 0.1}, {"k": 9, "r": 9.0}]
    means = np.array([0.9, 0.9, 0.9 + 1e-16, 0.8])
    assert simplest_of_best(means, candidates, ("k", "r")) == 1
    assert simplest_of_best(means, candidates, ("k", "-r")) == 2
    assert simplest_of_best(means, candidates, ()) == 0
    assert simplest_of_best(np.array([np.nan, 0.1, np.nan, 0.0]), candidates, ("k",)) == 1


def test_nothing_is_computed_or_changed_outside_fit():
    estimator, grid = NeighborsClassifier(3), {"n_neighbors": [1, 2]}
    S, y = tied_problem(n=20)
    search = PathSearchCV(estimator, grid, cv=2, refit=False).fit(S, y)
    assert not hasattr(estimator, "classes_") and grid == {"n_neighbors": [1, 2]}
    assert not hasattr(search, "best_estimator_")


def test_leave_one_out_of_a_plain_asymmetric_matrix_shows_one_direction():
    """One fit knows both directions of all pairs, which queries will not have."""
    S, y = datasets.make_similarities(
        40, n_classes=2, asymmetry=0.8, random_state=1, return_X_y=True
    )
    S, grid = np.asarray(S), {"n_neighbors": [1, 3, 5, 9]}

    def scores(X, cv):
        search = PathSearchCV(NeighborsClassifier(kind="similarity"), grid, cv=cv, refit=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AsymmetryWarning)
            return search.fit(X, y).cv_results_["mean_test_score"]

    both, one = Pairwise(S, "similarity"), Pairwise(S, "similarity", one_way=True)
    assert_allclose(scores(S, "loo"), scores(S, LeaveOneOut()))
    assert_allclose(scores(S, "loo"), scores(one, "loo"))
    assert_allclose(scores(one, "loo"), scores(one, LeaveOneOut()))
    assert_allclose(scores(both, "loo"), scores(both, LeaveOneOut()))
    assert not np.allclose(scores(both, "loo"), scores(one, "loo"))


def test_leave_one_out_of_a_table_of_features_is_one_fit(monkeypatch):
    """Rows of features have no direction: each sample had been left out by a fit of its own."""
    fits, original = [], LocalNearestMeansClassifier.fit
    monkeypatch.setattr(
        LocalNearestMeansClassifier,
        "fit",
        lambda self, X, y: fits.append(len(y)) or original(self, X, y),
    )
    X, y = np.random.default_rng(0).normal(size=(30, 3)), np.arange(30) % 2
    for table in (X, X[:3, :3].repeat(10, axis=0)):
        search = PathSearchCV(LocalNearestMeansClassifier(), {"n_neighbors": [1, 2]}, cv="loo")
        search.fit(table, y)
        assert search.n_splits_ == 30 and set(fits) <= {30} and len(fits) <= 2
        fits.clear()


def test_leave_one_out_among_sources_shows_one_direction_where_a_block_says_so():
    S, y = datasets.make_similarities(
        30, n_classes=2, asymmetry=0.8, random_state=1, return_X_y=True
    )
    for one_way in (False, True):
        block = Pairwise(np.asarray(S), "similarity", one_way=one_way)
        X = Sources({"a": block, "t": block.values[:, :2]})
        assert hides_reverse(X) == one_way
    scores = [
        PathSearchCV(FusedNeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=cv, refit=False)
        .fit(X, y)
        .cv_results_["mean_test_score"]
        for cv in ("loo", LeaveOneOut())
    ]
    assert_allclose(*scores)
