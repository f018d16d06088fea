"""`PathSearchCV` does what `GridSearchCV` does, parameter by parameter."""

import inspect
from functools import partial

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from similearn import (
    BDAClassifier,
    LocalSVC,
    NeighborsClassifier,
    Pairwise,
    PathSearchCV,
    PrototypeFeatures,
    ProximityForestClassifier,
    RowRBFSimilarity,
    SDAClassifier,
)
from similearn.errors import InputError

rng = np.random.default_rng(0)
y = np.repeat(["blue", "green", "red"], 14)
points = rng.normal(size=(42, 3)) + 1.3 * np.repeat(np.eye(3), 14, axis=0)
S = np.exp(-0.5 * ((points[:, None] - points) ** 2).sum(axis=2))
GROUPS = np.arange(42) % 6
KRR = NeighborsClassifier(weights="krr", spectrum="pinv")
GRID = {"n_neighbors": [1, 5, 20], "ridge": [0.01, 1.0]}


def mean_margin(model, X, y):
    """A scoring function that scikit-learn knows nothing of."""
    p = model.predict_proba(X)
    return p[np.arange(len(y)), np.searchsorted(model.classes_, y)].mean()


def asks_for_more(model, X, y):
    """One that looks at parameters, at other samples and at what was learned."""
    part = X[: len(y) // 2]
    return np.mean(model.predict(part) == y[: len(part)]) + model.n_neighbors + model.priors_[0]


def two_at_once(model, X, y):
    labels = model.predict(X)
    return {"plain": accuracy_score(y, labels), "fair": balanced_accuracy_score(y, labels)}


def third(results):
    return int(np.argsort(results["rank_test_score"], kind="stable")[2])


def second_by_loss(results):
    return int(np.argsort(-results["mean_test_neg_log_loss"])[1])


# Every parameter of GridSearchCV, with settings to try (a dict: this and others together).
SETTINGS = {
    "estimator": [
        KRR,
        NeighborsClassifier(weights="affinity"),
        NeighborsClassifier(weights="kri", n_jobs=2),
        {
            "estimator": make_pipeline(RowRBFSimilarity(), "passthrough", NeighborsClassifier()),
            "param_grid": {"neighborsclassifier__n_neighbors": [1, 4, 9]},
        },
        {"estimator": LocalSVC(), "param_grid": {"C": [0.1, 1.0], "n_neighbors": [5, 9]}},
        {"estimator": SDAClassifier(), "param_grid": {"support": ["observed", "continuous"]}},
    ],
    "param_grid": [
        {"param_grid": {}},
        {"param_grid": {"n_neighbors": np.array([3, 5])}},
        {"param_grid": {"n_neighbors": range(2, 5), "costs": [None, 1.0 - np.eye(3)]}},
        {"param_grid": [{"n_neighbors": [3, 5]}, {"weights": ["affinity", "uniform"]}]},
        {
            "estimator": make_pipeline(RowRBFSimilarity(), KRR),
            "param_grid": [
                {
                    "neighborsclassifier": [KRR, NeighborsClassifier(weights="kri")],
                    "neighborsclassifier__n_neighbors": [2, 5],
                },
                {"neighborsclassifier": [SVC(kernel="precomputed")]},
                {
                    "rowrbfsimilarity": [RowRBFSimilarity(), RowRBFSimilarity(gamma=3.0)],
                    "neighborsclassifier__ridge": [0.1],
                },
            ],
        },
    ],
    "scoring": [
        None,
        "accuracy",
        "neg_log_loss",
        "roc_auc_ovr",
        make_scorer(log_loss, response_method="predict_proba", greater_is_better=False),
        mean_margin,
        {"scoring": asks_for_more, "cv": 3},
        {"scoring": ["accuracy", "neg_log_loss"], "refit": "neg_log_loss"},
        {"scoring": {"a": "accuracy", "b": mean_margin}, "refit": "b"},
        {"scoring": ("accuracy", "f1_macro"), "refit": False},
        {"scoring": two_at_once, "refit": "fair"},
    ],
    "n_jobs": [None, 1, 2],
    "refit": [
        True,
        False,
        third,
        {"refit": second_by_loss, "scoring": ["accuracy", "neg_log_loss"]},
        {"refit": "accuracy", "scoring": ["accuracy", "neg_log_loss"]},
    ],
    "cv": [
        None,
        3,
        StratifiedKFold(4, shuffle=True, random_state=1),
        KFold(5, shuffle=True, random_state=2),
        ShuffleSplit(4, test_size=0.3, random_state=3),
        {"cv": LeaveOneOut(), "param_grid": {"n_neighbors": [1, 5]}},
        list(StratifiedKFold(3).split(S, y)),
    ],
    "verbose": [0, 1, 2, 3],
    "pre_dispatch": ["2*n_jobs", "all", 1, {"pre_dispatch": 2, "n_jobs": 2}],
    "error_score": [
        np.nan,
        "raise",
        {"error_score": np.nan, "param_grid": {"n_neighbors": [3, 1000, 5]}},
        {"error_score": 0.25, "param_grid": {"n_neighbors": [3, 1000, 5]}},
        {
            "error_score": 0.0,
            "param_grid": {"n_neighbors": [3, 1000, 5]},
            "scoring": ["accuracy", "neg_log_loss"],
            "refit": "accuracy",
        },
        {"error_score": 0.0, "param_grid": {"n_neighbors": [1000, 5]}, "scoring": two_at_once}
        | {"refit": "plain"},
    ],
    "return_train_score": [
        False,
        True,
        {"return_train_score": True, "scoring": "neg_log_loss"},
        {"return_train_score": True, "scoring": two_at_once, "refit": "plain"},
        {
            "return_train_score": True,
            "estimator": make_pipeline(RowRBFSimilarity(), NeighborsClassifier()),
            "param_grid": {"neighborsclassifier__n_neighbors": [1, 4, 9]},
        },
    ],
}


def cases():
    """By default without those that say a default aloud: they search as the first one does."""
    parameters = inspect.signature(GridSearchCV).parameters
    defaults = {n: one.default for n, one in parameters.items()} | {"cv": 3}  # as `both` sets it
    for name, settings in SETTINGS.items():
        for i, s in enumerate(settings):
            marks = pytest.mark.exhaustive if repr(s) == repr(defaults[name]) else ()
            given = s if isinstance(s, dict) else {name: s}
            yield pytest.param(given, id=f"{name}-{i}", marks=marks)


CASES = list(cases())
OURS_ALONE = {"searched_by_path_"}


def test_every_parameter_of_grid_search_is_tried():
    theirs = inspect.signature(GridSearchCV).parameters
    assert set(SETTINGS) == set(theirs)
    ours = inspect.signature(PathSearchCV).parameters
    assert list(ours)[: len(theirs)] == list(theirs)
    assert {n for n in theirs if repr(ours[n].default) != repr(theirs[n].default)} == {"cv"}
    assert {n for n in ours if n not in theirs} == {"keep_out_of_fold", "ties", "progress"}


def fitted(search, X=S, y=y, **params):
    return {n for n in vars(search.fit(X, y, **params)) if n.endswith("_")}


def both(settings, X=S, y=y, **params):
    """Fit both searches, and compare all that they hold."""
    settings = {"estimator": KRR, "param_grid": GRID, "cv": 3} | settings
    ours, theirs = (cls(**settings) for cls in (PathSearchCV, GridSearchCV))
    assert fitted(ours, X, y, **params) - OURS_ALONE == fitted(theirs, X, y, **params)
    compare_tables(ours.cv_results_, theirs.cv_results_)
    assert (ours.n_splits_, ours.multimetric_) == (theirs.n_splits_, theirs.multimetric_)
    compare_choices(ours, theirs)
    if settings.get("refit", True) is not False:
        compare_predictions(ours, theirs, X)
    return ours, theirs


def compare_tables(ours, theirs):
    assert list(ours) == list(theirs)
    assert repr(ours["params"]) == repr(theirs["params"])
    for name, column in theirs.items():
        if name == "params":
            continue
        assert type(ours[name]) is type(column), name
        assert (ours[name].dtype, ours[name].shape) == (column.dtype, column.shape), name
        if name.startswith("param_"):
            assert repr(ours[name].tolist()) == repr(column.tolist())
            assert_array_equal(np.ma.getmaskarray(ours[name]), np.ma.getmaskarray(column))
        elif name.startswith("rank_"):
            assert_array_equal(ours[name], column, err_msg=name)
        elif "time" in name:
            assert (ours[name] >= 0).all()
        else:
            assert_allclose(ours[name], column, rtol=1e-9, atol=1e-12, err_msg=name)


def compare_choices(ours, theirs):
    """The same choice, or an equal of it that the estimator calls simpler."""
    assert hasattr(ours, "best_index_") == hasattr(theirs, "best_index_")
    if not hasattr(theirs, "best_index_"):
        return
    if hasattr(theirs, "best_score_"):
        assert ours.best_score_ == pytest.approx(theirs.best_score_, abs=1e-12)
    if callable(theirs.refit):
        assert ours.best_index_ == theirs.best_index_
    assert ours.best_params_ is ours.cv_results_["params"][ours.best_index_]


def compare_predictions(ours, theirs, X):
    assert_array_equal(ours.classes_, theirs.classes_)
    assert ours.n_features_in_ == theirs.n_features_in_
    assert ours.refit_time_ >= 0
    for name in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        assert hasattr(ours, name) == hasattr(theirs, name), name
    if ours.best_index_ != theirs.best_index_:
        return
    for name in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        if hasattr(theirs, name):
            assert_array_equal(getattr(ours, name)(X), getattr(theirs, name)(X))
    if not (callable(theirs.refit) or sklearn.get_config()["enable_metadata_routing"]):
        assert ours.score(X, y) == theirs.score(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning", "ignore:One or more")
@pytest.mark.parametrize("settings", CASES)
def test_the_same_as_grid_search(settings, capsys):
    ours, _ = both(settings)
    assert ours.searched_by_path_ == (not isinstance(ours.estimator, SDAClassifier))
    printed = capsys.readouterr().out
    assert (f"Fitting {ours.n_splits_} folds for each of" in printed) == (ours.verbose > 0)


def test_a_generator_of_splits():
    folds = StratifiedKFold(3)
    ours = PathSearchCV(KRR, GRID, cv=folds.split(S, y)).fit(S, y)
    theirs = GridSearchCV(KRR, GRID, cv=folds.split(S, y)).fit(S, y)
    compare_tables(ours.cv_results_, theirs.cv_results_)


def test_verbose_lines_tell_candidates_and_scores(capsys):
    search = PathSearchCV(KRR, {"n_neighbors": [3, 1000]}, cv=2, verbose=3)
    with pytest.warns(FitFailedWarning):
        search.fit(S, y)
    lines = capsys.readouterr().out.splitlines()[1:]
    assert len(lines) == 4 and lines[0].startswith("[CV 1/2] END")
    value = search.cv_results_["split0_test_score"][0]
    assert f"n_neighbors=3; score={value:.3f} total time=" in lines[0]
    assert "n_neighbors=1000; score=nan (failed)" in lines[1]


def test_groups_reach_the_splitter():
    ours, _ = both({"cv": GroupKFold(3)}, groups=GROUPS)
    assert ours.searched_by_path_
    whole = both(
        {"cv": GroupKFold(3), "estimator": SDAClassifier(), "param_grid": {}}, groups=GROUPS
    )
    assert not whole[0].searched_by_path_


WEIGHTS = np.linspace(0.1, 3.0, 42)
LINEAR = make_pipeline(PrototypeFeatures(), LogisticRegression(max_iter=2000))
POINTS = {"estimator": LINEAR, "param_grid": {"logisticregression__C": [0.01, 1.0]}}


def test_metadata_for_fit_goes_point_by_point():
    _, theirs = both(POINTS, logisticregression__sample_weight=WEIGHTS)
    plain = GridSearchCV(**POINTS, cv=4).fit(S, y)
    assert not np.array_equal(theirs.predict_proba(S), plain.predict_proba(S))  # they matter
    with pytest.raises(ValueError, match="fits failed"):
        forest = ProximityForestClassifier(2)
        PathSearchCV(forest, {"n_estimators": [1, 2]}, cv=3).fit(S, y, sample_weight=WEIGHTS)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def weighted_accuracy():
    return make_scorer(accuracy_score).set_score_request(sample_weight=True)


def test_routed_groups_and_weights_of_the_scorer(routing):
    unweighted = {"estimator": clone(KRR).set_fit_request(sample_weight=False)}
    settings = {"cv": GroupKFold(3), "scoring": weighted_accuracy(), "return_train_score": True}
    ours, theirs = both(settings | unweighted, groups=GROUPS, sample_weight=WEIGHTS)
    assert ours.searched_by_path_
    expected = theirs.score(S, y, sample_weight=WEIGHTS)
    if ours.best_index_ == theirs.best_index_:
        assert ours.score(S, y, sample_weight=WEIGHTS) == expected
    plain = make_scorer(accuracy_score).set_score_request(sample_weight=False)
    settings = {"scoring": {"w": weighted_accuracy(), "a": plain}, "refit": "w"}
    both(settings | unweighted, sample_weight=WEIGHTS)


def test_routed_weights_of_a_step(routing):
    linear = make_pipeline(
        PrototypeFeatures(),
        LogisticRegression(max_iter=2000).set_fit_request(sample_weight=True),
    )
    settings = POINTS | {"estimator": linear, "scoring": weighted_accuracy()}
    both(settings, sample_weight=WEIGHTS)


def test_routing_refuses_what_nobody_asked_for(routing):
    for search in (PathSearchCV, GridSearchCV):
        with pytest.raises((TypeError, ValueError), match="sample_weight"):
            search(KRR, GRID).fit(S, y, sample_weight=WEIGHTS)


@pytest.mark.filterwarnings("ignore::similearn.selection.failures.CandidateWarning")
def test_nested_searches_and_cross_validation():
    search = partial(PathSearchCV, KRR, GRID)
    scores = cross_val_score(search(cv=3), S, y, cv=3)
    assert scores.shape == (3,) and np.isfinite(scores).all()
    outer = GridSearchCV(search(cv=3), {"estimator__spectrum": ["pinv", "flip"]}, cv=2).fit(S, y)
    assert outer.best_estimator_.best_params_["n_neighbors"] in GRID["n_neighbors"]


def test_ties_alone_differ():
    """Where scikit-learn takes the first of equals, the largest neighbourhood is taken."""
    block = 1.0 * (y[:, None] == y)  # any neighbour is right
    grid = {"n_neighbors": [1, 3, 5, 2]}
    ours, theirs = both({"estimator": NeighborsClassifier(), "param_grid": grid}, X=block)
    assert theirs.best_params_ == {"n_neighbors": 1}
    assert ours.best_params_ == {"n_neighbors": 5}
    assert_array_equal(ours.cv_results_["rank_test_score"], 1)


def test_delegated_methods_are_there_when_the_estimator_has_them():
    names = ("predict_proba", "decision_function", "score_samples", "transform")
    names += ("inverse_transform", "explain")
    for estimator in (KRR, LocalSVC(calibration="none"), LINEAR, RowRBFSimilarity()):
        for refit in (True, False):
            ours = PathSearchCV(estimator, {}, refit=refit)
            for name in names:
                has = hasattr(estimator, name)
                assert hasattr(ours, name) == (refit and has), (estimator, name)


def test_frames_keep_their_names():
    pd = pytest.importorskip("pandas")
    names = [f"sample {i}" for i in range(len(y))]
    frame = pd.DataFrame(S, index=names, columns=names)
    for estimator, by_path in ((KRR, True), (SDAClassifier(), False)):
        search = PathSearchCV(estimator, {}, cv=3).fit(frame, pd.Series(y, index=names))
        assert search.searched_by_path_ == by_path
        assert search.feature_names_in_.tolist() == names
        assert_array_equal(search.predict(frame), clone(estimator).fit(S, y).predict(S))
    table = pd.DataFrame(points, columns=["a", "b", "c"])
    ours, _ = both({"estimator": BDAClassifier(), "param_grid": {}}, X=table)
    assert ours.feature_names_in_.tolist() == ["a", "b", "c"]


def test_lists_objects_and_columns_of_labels():
    ours = PathSearchCV(KRR, GRID, cv=3).fit(S.tolist(), y.tolist())
    theirs = GridSearchCV(KRR, GRID, cv=3).fit(S, y)
    compare_tables(ours.cv_results_, theirs.cv_results_)
    with pytest.warns(sklearn.exceptions.DataConversionWarning):
        ours = PathSearchCV(KRR, GRID, cv=3).fit(Pairwise(S, "similarity"), y[:, None])
    compare_tables(ours.cv_results_, theirs.cv_results_)


def test_bad_indices_from_a_callable():
    with pytest.raises(TypeError, match="expected an integer from 0 to"):
        PathSearchCV(KRR, GRID, cv=2, refit=lambda results: 0.5).fit(S, y)
    with pytest.raises(IndexError, match="refit returned 10;"):
        PathSearchCV(KRR, GRID, cv=2, refit=lambda results: 10).fit(S, y)


def test_a_metric_that_is_not_there():
    for scoring in (["accuracy"], two_at_once):
        with pytest.raises(InputError, match="refit='loss' names none of the metrics"):
            PathSearchCV(KRR, GRID, cv=2, scoring=scoring, refit="loss").fit(S, y)
