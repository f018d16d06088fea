"""Every class that declares a path keeps its promises, whoever adds it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, LeaveOneOut, ParameterGrid
from sklearn.utils import get_tags

import similearn
from similearn import (
    CDNNClassifier,
    DBoostClassifier,
    DissimilarityCombiner,
    FusionClassifier,
    LocalSDAClassifier,
    LocalSVC,
    NeighborsClassifier,
    NormalClassifier,
    Pairwise,
    PathSearchCV,
    SimilaritySVC,
    Sources,
)

rng = np.random.default_rng(7)
N_TRAIN, N = 30, 42
y = np.array(["blue", "green", "red"])[np.arange(N) % 3]
points = rng.normal(size=(N, 3)) + 1.2 * np.eye(3)[np.arange(N) % 3]
D = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
S = np.exp(-D)

# Values to try for each parameter that any path has; a new one must be added here.
VALUES = {
    "C": [0.1, 1.0, 10.0],
    "alpha": [0.2, 0.7],
    "epsilon": [0.1, 0.5],
    "n_neighbors": [4, 9, 1],
    "n_pairs": [20, 50],
    "n_estimators": [3, 8],
    "n_rounds": [3, 8],
    "rho": [0.5, 10.0],
    "ridge": [0.1, 1.0],
    "shrinkage": [0.1, 0.6],
}
# Instances for classes that need arguments, or whose parameters change what the path does; without
# a calibration where that would take three more fits of what is slow.
PLAIN = {"calibration": "none"}
INSTANCES = {
    "CDNNClassifier": [CDNNClassifier(DissimilarityCombiner(ridge=0.1), **PLAIN)],
    "DBoostClassifier": [DBoostClassifier(n_pairs=20), DBoostClassifier(base="sign", **PLAIN)],
    "FusionClassifier": [
        FusionClassifier([("votes", NeighborsClassifier(), "pairs")]),
        FusionClassifier(
            [
                ("krr", NeighborsClassifier(weights="krr"), "pairs"),
                ("normal", NormalClassifier(**PLAIN), "rows"),
            ],
            **PLAIN,
        ),
    ],
    "LocalSDAClassifier": [
        LocalSDAClassifier(),
        *(LocalSDAClassifier(regularization=r, **PLAIN) for r in ("joint", "mean", "adaptive")),
    ],
    "LocalSVC": [LocalSVC(), LocalSVC(calibration="none"), LocalSVC(spectrum="flip")],
    "NeighborsClassifier": [
        *(NeighborsClassifier(weights=w) for w in ("uniform", "affinity", "krr", "kri", "lime")),
        NeighborsClassifier(kind="dissimilarity"),
        NeighborsClassifier(weights="krr", spectrum="flip", costs=1.0 - np.eye(3)),
    ],
    "SimilaritySVC": [SimilaritySVC(), SimilaritySVC(spectrum="krein", calibration="none")],
}


def public_paths():
    """Instances of all public classes that declare a path."""
    classes = {name: getattr(similearn, name) for name in similearn.__all__}
    for name, cls in classes.items():
        if isinstance(cls, type) and getattr(cls, "_path", ()):
            yield from map(seeded, INSTANCES.get(name) or [cls()])


def seeded(model):
    has_seed = "random_state" in model.get_params()
    return model.set_params(random_state=0) if has_seed else model


PATHS = [pytest.param(model, id=repr(model)[:80]) for model in public_paths()]
LEAVING = [p for p in PATHS if p.values[0]._path_leaves_one_out]


def once_by_default(params):
    """The first instance of every class; the paths of the others are compared cell by cell."""
    seen = set()
    for param in params:
        marks = pytest.mark.exhaustive if type(param.values[0]) in seen else ()
        seen.add(type(param.values[0]))
        yield pytest.param(*param.values, id=param.id, marks=marks)


def samples(model):
    """What a model is fitted to."""
    if isinstance(model, FusionClassifier):
        return Sources({"pairs": Pairwise(S, "similarity"), "rows": points})
    if not get_tags(model).input_tags.pairwise:
        return points
    return (
        Pairwise(D, "dissimilarity") if model.kind == "dissimilarity" else Pairwise(S, "similarity")
    )


def cut(X, rows, columns):
    return X[rows] if X is points else X[np.ix_(rows, columns)]


def candidates_of(model, most=12):
    values = {name: VALUES[name.rsplit("__")[-1]] for name in model._path}
    return list(ParameterGrid(values))[:most]


def without_calibration(model):
    """With one, leaving one out calibrates by all samples, each scored without itself."""
    able = "calibration" in model.get_params()
    return clone(model).set_params(**PLAIN) if able else clone(model)


def assert_equal_cells(path, scores, single, X, candidate=0, tol=1e-7):
    """Scores of a path give what a single fit gives, in every public form."""
    assert_array_equal(path.classes_[path._decide(scores)], single.predict(X))
    expected = single.decision_function(X)
    assert_allclose(path._decision_scores(scores), expected, rtol=tol, atol=tol)
    if hasattr(single, "predict_proba"):
        told = path._probabilities(scores, candidate)
        assert_allclose(told, single.predict_proba(X), rtol=tol, atol=tol)


def test_paths_are_found():
    assert len({type(p.values[0]) for p in PATHS}) > 10
    assert set(INSTANCES) <= {type(p.values[0]).__name__ for p in PATHS}


@pytest.mark.parametrize("model", PATHS)
def test_path_scores_equal_refitting_cell_by_cell(model):
    X, candidates = samples(model), candidates_of(model)
    train, test = np.arange(N_TRAIN), np.arange(N_TRAIN, N)
    known, queries = cut(X, train, train), cut(X, test, train)
    path = clone(model).fit_path(known, y[train], candidates)
    scores = path.path_scores(queries)
    assert scores.shape == (len(candidates), len(test), 3)
    for place, candidate in enumerate(candidates):
        single = clone(model).set_params(**candidate).fit(known, y[train])
        assert_equal_cells(path, scores[place], single, queries, place)


@pytest.mark.parametrize("model", LEAVING)
def test_leaving_one_out_equals_refitting_n_times(model):
    model, X, rows = without_calibration(model), samples(model), np.arange(18)
    block, labels, candidates = cut(X, rows, rows), y[rows], candidates_of(model, most=4)
    path = clone(model).fit_path(block, labels, candidates, leave_one_out=True)
    scores = path.path_scores(block)
    for candidate, part in zip(candidates, scores, strict=True):
        for i in rows:
            rest = np.delete(rows, i)
            single = clone(model).set_params(**candidate).fit(cut(X, rest, rest), y[rest])
            assert_equal_cells(path, part[i : i + 1], single, cut(X, [i], rest))


@pytest.mark.parametrize("model", LEAVING)
def test_a_plain_fit_forgets_the_path(model):
    """Among them all n training samples as neighbours, one more than without oneself."""
    X = samples(model)
    used = clone(model).fit_path(X, y, candidates_of(model), leave_one_out=True)
    largest = {"n_neighbors": N}
    used = used.set_params(**largest).fit(X, y)
    fresh = clone(model).set_params(**largest).fit(X, y)
    assert set(vars(used)) == set(vars(fresh)) | ({"_leaves_one_out"} & set(vars(used)))
    assert_array_equal(used.decision_function(X), fresh.decision_function(X))


@pytest.mark.parametrize("model", list(once_by_default(PATHS)))
def test_a_search_equals_a_search_point_by_point(model):
    grid = {name: VALUES[name.rsplit("__")[-1]][:2] for name in model._path}
    settings = {"cv": 2, "scoring": "neg_log_loss" if hasattr(model, "predict_proba") else None}
    X = samples(model)
    ours = PathSearchCV(model, grid, **settings).fit(X, y)
    theirs = GridSearchCV(model, grid, **settings).fit(X, y)
    assert ours.searched_by_path_
    for name, column in theirs.cv_results_.items():
        if "_test_" in name:
            assert_allclose(ours.cv_results_[name], column, rtol=1e-6, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("model", list(once_by_default(LEAVING)))
def test_a_search_by_leaving_one_out(model):
    grid = {name: VALUES[name.rsplit("__")[-1]][:2] for name in model._path}
    rows = np.arange(21)
    block = cut(samples(model), rows, rows)
    ours = PathSearchCV(model, grid, cv="loo").fit(block, y[rows])
    theirs = GridSearchCV(model, grid, cv=LeaveOneOut()).fit(block, y[rows])
    assert ours.n_splits_ == theirs.n_splits_
    means = [search.cv_results_["mean_test_score"] for search in (ours, theirs)]
    assert_allclose(*means, rtol=1e-12)
