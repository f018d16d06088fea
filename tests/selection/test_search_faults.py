"""Whatever is wrong with a search gets one sentence, and each warning is given once."""

import re
import warnings

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GroupKFold, KFold
from sklearn.pipeline import Pipeline, make_pipeline

from similearn import (
    NeighborsClassifier,
    PathSearchCV,
    RowRBFSimilarity,
    SDAClassifier,
    SimilaritySVC,
    explain,
)
from similearn.errors import ConvergenceWarning, InputError, InputTypeError, SimilearnWarning
from similearn.selection.candidates import grouped_by_fit
from similearn.selection.ties import simplest_of_best

rng = np.random.default_rng(5)
y = np.arange(36) % 3
points = rng.normal(size=(36, 2)) + 1.5 * np.eye(3)[y][:, :2]
S = np.exp(-((points[:, None] - points) ** 2).sum(axis=2))
KNN = NeighborsClassifier()


@pytest.mark.parametrize(
    ("grid", "told"),
    [
        ([], "holds no candidate"),
        ({"n_neighbors": []}, "n_neighbors"),
        ({"n_neighbors": 3}, "n_neighbors"),
        ({"n_neighbours": [3]}, "n_neighbours"),
        ({"weights__C": [3]}, "param_grid cannot be used"),
        ({"n_neighbors": "357"}, "n_neighbors"),
        ({"n_neighbors": [[3]]}, "fits of the search failed"),
        (5, "param_grid"),
        (None, "param_grid"),
        ([5], "param_grid"),
    ],
)
def test_bad_grids(grid, told):
    with pytest.raises((InputError, InputTypeError), match=told):
        PathSearchCV(KNN, grid, cv=3).fit(S, y)


@pytest.mark.parametrize(
    "settings",
    [
        {"n_jobs": "x"},
        {"cv": "lou"},
        {"scoring": "precise"},
        {"refit": 3},
        {"keep_out_of_fold": "yes"},
        {"progress": 2},
        {"error_score": "rise"},
        {"refit": lambda results: 1},
        {"scoring": {"a": 5}, "refit": "a"},
        {"pre_dispatch": "1/0", "n_jobs": 2},
        {"refit": lambda results: "first"},
    ],
)
def test_bad_settings(settings):
    with pytest.raises((InputError, InputTypeError), match=next(iter(settings))):
        PathSearchCV(KNN, {"n_neighbors": [3]}, **settings).fit(S, y)


def test_bad_samples():
    search = PathSearchCV(KNN, {"n_neighbors": [3]}, cv=3, refit=False)
    with pytest.raises(InputError, match="square block"):
        search.fit(S[:, :30], y)
    with pytest.raises(InputError, match=r"All 3 fits of the search failed.*one class"):
        search.fit(S, np.zeros(36))
    with pytest.raises(InputError, match="inconsistent"):
        search.fit(S, y[:30])
    with pytest.raises(InputError, match=r"cannot split.*Pass them as fit\(X, y, groups"):
        PathSearchCV(KNN, {}, cv=GroupKFold(3)).fit(S, y)
    with pytest.raises(InputError, match="gives no split"):
        PathSearchCV(KNN, {}, cv=[]).fit(S, y)


def test_failures_are_told_once():
    search = PathSearchCV(KNN, {"n_neighbors": [1, 40, 3, 50]}, cv=4)
    with pytest.warns(FitFailedWarning, match="8 of 16 fits of the search failed") as given:
        search.fit(S, y)
    ours = [w for w in given if issubclass(w.category, SimilearnWarning)]
    assert len(ours) == 1 and "n_neighbors=40 is larger than 27" in str(ours[0].message)
    assert np.isnan(search.cv_results_["mean_test_score"]).tolist() == [False, True, False, True]


@pytest.mark.parametrize("model", [KNN, SDAClassifier()], ids=["path", "points"])
def test_no_warning_of_another_library_comes_through(model):
    """Neither of the splitter, nor of fits and scores that fail, nor of scores that are NaN."""

    def fails(model, X, y):
        raise RuntimeError("no score today")

    few = np.where(np.arange(36) < 34, y, 9)
    searches = [
        (PathSearchCV(model, {}, cv=3), few, "smallest class has 2 members, fewer than the 3"),
        (PathSearchCV(model, {}, cv=3, scoring=fails), y, "Scoring failed .*no score today"),
        (PathSearchCV(model, {"costs": [None, "x"]}, cv=3), y, "3 of 6 fits .*costs"),
    ]
    for search, labels, told in searches:
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            search.fit(S, labels)
        assert any(re.search(told, str(w.message)) for w in given)
        assert all(issubclass(w.category, SimilearnWarning) for w in given)


def test_scores_that_fail_or_are_nan():
    def fails(model, X, y):
        raise RuntimeError("no score today")

    for model in (KNN, SDAClassifier()):  # by path, and point by point
        search = PathSearchCV(model, {}, cv=3, scoring=lambda model, X, y: np.nan)
        with pytest.warns(SimilearnWarning, match="of every candidate is NaN"):
            search.fit(S, y)
        assert search.best_index_ == 0 and np.isnan(search.best_score_)
    search = PathSearchCV(KNN, {}, cv=3, scoring=fails, refit=False)
    told, nan = r"Scoring failed 3 times.*no score today", "of every candidate is NaN"
    with pytest.warns(SimilearnWarning, match=nan), pytest.warns(SimilearnWarning, match=told):
        search.fit(S, y)
    assert search.best_index_ == 0 and np.isnan(search.best_score_)
    with pytest.raises(RuntimeError, match="no score today"):
        PathSearchCV(KNN, {}, cv=3, scoring=fails, error_score="raise").fit(S, y)
    with pytest.raises(InputError, match="expected one number"):
        PathSearchCV(KNN, {}, cv=3, scoring=lambda model, X, y: [1, 2]).fit(S, y)


def test_leave_one_out_has_no_model_to_look_at():
    search = PathSearchCV(KNN, {}, cv="loo", scoring=lambda m, X, y: m.priors_[0])
    told, nan = r"Use cv=LeaveOneOut\(\)", "of every candidate is NaN"
    with pytest.warns(SimilearnWarning, match=nan), pytest.warns(SimilearnWarning, match=told):
        search.fit(S, y)
    with pytest.raises(InputError, match=r"Use cv=LeaveOneOut\(\)"):
        search.set_params(error_score="raise").fit(S, y)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_search_warns_once_of_what_did_not_converge(n_jobs):
    model, grid = SimilaritySVC(max_iter=1, calibration="none"), {"C": [0.1, 1.0, 10.0]}
    search = PathSearchCV(model, grid, cv=4, n_jobs=n_jobs, refit=False)
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        search.fit(S, y)
    told = [str(w.message) for w in given if issubclass(w.category, ConvergenceWarning)]
    assert len(told) == 1
    assert "max_iter=1 before" in told[0] and "(3 more such warnings in this search.)" in told[0]


def test_values_that_cannot_be_hashed_or_look_alike():
    long = np.arange(5000.0)
    other = long.copy()
    other[2500] = -1.0  # printed alike
    candidates = [{"k": k, "v": v} for v in (long, other, [1, 2]) for k in (1, 2)]
    groups = grouped_by_fit(candidates, {"k"})
    assert [positions for _, positions in groups] == [[0, 1], [2, 3], [4, 5]]
    numbers = grouped_by_fit([{"v": 1}, {"v": True}, {"v": 1.0}, {"v": 1}], set())
    assert [positions for _, positions in numbers] == [[0, 3], [1], [2]]


def test_ties_among_values_that_are_no_numbers():
    candidates = [{"n": None}, {"n": 3}, {"n": "all"}, {}]
    assert simplest_of_best(np.ones(4), candidates, ("n",), {"n": 7}) == 3
    assert simplest_of_best(np.ones(4), candidates, ("-n",), {"n": 7}) == 1
    assert simplest_of_best(np.ones(3), candidates[::2] * 2, ("n",)) == 0


def test_explanations_through_searches_and_pipelines():
    plain = NeighborsClassifier(4).fit(S, y)
    search = PathSearchCV(KNN, {"n_neighbors": [4]}, cv=3).fit(S, y)
    pipeline = make_pipeline(RowRBFSimilarity(), PathSearchCV(KNN, {"n_neighbors": [4]}, cv=3))
    around = PathSearchCV(make_pipeline(RowRBFSimilarity(), KNN), {}, cv=3)
    assert search.explain(S).tell(2) == plain.explain(S).tell(2) == explain(search, S).tell(2)
    transformed = RowRBFSimilarity().fit_transform(S)
    expected = NeighborsClassifier(4).fit(transformed, y).explain(transformed).tell(1)
    assert explain(pipeline.fit(S, y), S).tell(1) == expected
    assert len(around.fit(S, y).explain(S)) == 36
    assert len(explain(make_pipeline(KNN).fit(S, y), S)) == 36
    with pytest.raises(InputError, match="cannot explain"):
        explain(RowRBFSimilarity(), S)
    assert not hasattr(PathSearchCV(KNN, {}, refit=False), "explain")


def test_progress_counts_groups_and_folds(monkeypatch):
    seen = []

    class Reporter:
        def __init__(self, total, description):
            seen.append(total)

        def advance(self, count):
            seen.append(count)

        def close(self):
            pass

    monkeypatch.setattr("similearn.data.progress_bar._Lines", Reporter)
    monkeypatch.setattr("similearn.data.progress_bar._Bar", Reporter)
    grid = {"weights": ["uniform", "affinity"], "n_neighbors": [1, 3, 5]}
    PathSearchCV(KNN, grid, cv=4, progress=True).fit(S, y)
    assert seen == [8] + [1] * 8


@pytest.mark.parametrize("model", [KNN, DummyClassifier()])  # by paths, and point by point
def test_splits_of_the_users_own(model):
    halves = [(np.arange(18), np.arange(18, 36))]
    for split, told in (
        ((np.arange(18) + 0.5, np.arange(18, 36)), "An array of float64 cannot be an index"),
        (([0, 1, 2], [36]), "positions from 0 to 35"),
        (5, r"cv=\[5\] cannot split X"),
    ):
        with pytest.raises(InputError, match=told):
            PathSearchCV(model, {}, cv=[split]).fit(S, y)
    masks = [tuple(np.isin(np.arange(36), part) for part in halves[0])]
    found = [PathSearchCV(model, {}, cv=cv).fit(S, y) for cv in (halves, masks)]
    assert found[0].best_score_ == found[1].best_score_


def test_a_splitter_that_splits_nothing():
    class Splitter(KFold):
        def split(self, X, y=None, groups=None):
            return [3]

    with pytest.raises(InputError, match="cv holds 3; expected pairs of positions"):
        PathSearchCV(KNN, {}, cv=Splitter(2)).fit(S, y)


class Speechless(DummyClassifier):
    """Fitted, it cannot answer."""

    def predict(self, X):
        raise ValueError("no answer today")


def test_candidates_that_cannot_answer_have_failed_scores():
    grid = {"model": [NeighborsClassifier(), Speechless()]}
    search = PathSearchCV(Pipeline([("model", KNN)]), grid, cv=3, keep_out_of_fold=True)
    with pytest.warns(SimilearnWarning, match=r"Scoring failed 3 times.*no answer today"):
        search.fit(S, y)
    assert search.best_index_ == 0 and np.isnan(search.cv_results_["mean_test_score"][1])


@pytest.mark.parametrize("model", [KNN, DummyClassifier()])
@pytest.mark.filterwarnings("error")
def test_infinite_scores_are_no_warning_of_numpy(model):
    search = PathSearchCV(model, {}, cv=2, scoring=lambda model, X, y: np.inf).fit(S, y)
    assert search.best_score_ == np.inf


def test_a_class_is_no_estimator():
    with pytest.raises(InputTypeError, match=r"expected an estimator: NeighborsClassifier\(\)"):
        PathSearchCV(NeighborsClassifier, {}).fit(S, y)


class Labelled:
    """An array with names of its own, such as xarray's, which NumPy's open meshes cannot cut."""

    def __init__(self, values):
        self.values, self.shape = values, values.shape

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.values, dtype=dtype)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        raise IndexError("Unlabeled multi-dimensional array cannot be used for indexing")


def test_arrays_of_other_libraries_are_cut_as_numbers():
    search = PathSearchCV(KNN, {"n_neighbors": [1, 3]}, cv=3)
    expected = search.fit(S, y).cv_results_["mean_test_score"]
    found = search.fit(Labelled(S), y).cv_results_["mean_test_score"]
    np.testing.assert_array_equal(found, expected)


def test_labels_that_refuse_to_be_read_get_a_sentence():
    class Unwilling:
        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("no labels today")

    with pytest.raises(InputError, match="no labels today"):
        PathSearchCV(KNN, {"n_neighbors": [1, 3]}, cv=3).fit(S, Unwilling())


def test_labels_that_are_missing_are_asked_for():
    with pytest.raises(InputError, match="NeighborsClassifier requires y to be passed"):
        PathSearchCV(KNN, {"n_neighbors": [1, 3]}, cv=3).fit(S)


def test_labels_of_several_columns_get_a_sentence():
    with pytest.raises(InputError, match="Pass y as a vector of 36 labels"):
        PathSearchCV(KNN, {"n_neighbors": [1, 3]}, cv=3).fit(S, np.column_stack([y, y]))
