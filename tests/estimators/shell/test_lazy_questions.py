"""Local methods work on lazy blocks, with the bits of the dense ones; others compute or refuse."""

import pickle

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import similearn
from benchmarks.names import make_names
from similearn import (
    LocalSDAClassifier,
    LocalSVC,
    NeighborsClassifier,
    PairwiseSimilarity,
    PathSearchCV,
    SimilarityClassifier,
    SimilaritySVC,
    diagnose,
    neighbor_table,
)
from similearn.data.lazy import allowed_memory, lazy_block
from similearn.errors import InputError
from similearn.estimators.shell.base import PairwiseClassifier, PairwiseTransformer
from similearn.similarities import Levenshtein

NAMES, Y = make_names(110)
TRAIN, TEST, LABELS = NAMES[:80], NAMES[80:], Y[:80]
SIMILARITIES = {
    "dissimilarity": "levenshtein",
    "similarity": "jaro_winkler",
    "asymmetric": Levenshtein(insertion=2),
}
LOCAL = {
    "knn": NeighborsClassifier(7),
    "affinity": NeighborsClassifier(7, weights="affinity"),
    "krr": NeighborsClassifier(7, weights="krr", direction="query"),
    "kri": NeighborsClassifier(7, weights="kri", ridge=0.1),
    "lime": NeighborsClassifier(7, weights="lime"),
    "local-sda": LocalSDAClassifier(9),
    "joint": LocalSDAClassifier(9, regularization="joint"),
    "dirichlet": LocalSDAClassifier(9, regularization="dirichlet"),
    "adaptive": LocalSDAClassifier(9, regularization="adaptive"),
    "svm-knn": LocalSVC(9),
}


@pytest.fixture(params=SIMILARITIES, scope="module")
def compared(request):
    """Training and query blocks, dense and lazy."""
    made = []
    for lazy in (False, True):
        compare = PairwiseSimilarity(SIMILARITIES[request.param], lazy=lazy)
        made.append((compare.fit_transform(TRAIN), compare.transform(TEST)))
    return made


@pytest.mark.parametrize("name", LOCAL)
def test_local_methods_give_the_same_bits(compared, name):
    found = []
    for train, queries in compared:
        model = sklearn.clone(LOCAL[name]).fit(train, LABELS)
        told = model.explain(queries)
        found.append([model.predict_proba(queries), told.neighbors, told.values, told.weights])
        assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(queries), found[-1][0])
    for dense, lazy in zip(*found, strict=True):
        assert_array_equal(lazy, dense)


@pytest.mark.thinned
@pytest.mark.parametrize("cv", ["loo", 3])
@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (NeighborsClassifier(weights="krr"), {"n_neighbors": [2, 5, 8], "ridge": [0.1, 1.0]}),
        (NeighborsClassifier(), {"n_neighbors": [1, 4, 9]}),
        (LocalSVC(calibration="none"), {"n_neighbors": [4, 8], "C": [1.0]}),
    ],
)
def test_searches_give_the_same_scores(compared, cv, model, grid):
    found = []
    for train, queries in compared:
        search = PathSearchCV(model, grid, cv=cv).fit(train, LABELS)
        found.append([search.cv_results_["mean_test_score"], search.predict(queries)])
    for dense, lazy in zip(*found, strict=True):
        assert_array_equal(lazy, dense)


def test_cross_validation_cuts_objects(compared):
    found = [
        cross_val_predict(LocalSDAClassifier(7), train, LABELS, cv=3, method="predict_proba")
        for train, _ in compared
    ]
    assert_array_equal(*found)


def test_sets_of_labels_are_the_same(compared):
    found = [
        NeighborsClassifier(3).fit(train, LABELS).conformal_p_values(queries)
        for train, queries in compared
    ]
    assert_array_equal(*found)


def test_neighbours_of_all_samples_are_looked_up(monkeypatch):
    """Leave-one-out, the averages of local SDA and kneighbors read a table that is there."""
    lazy = PairwiseSimilarity("jaro_winkler", lazy=True).fit_transform(TRAIN)
    dense = PairwiseSimilarity("jaro_winkler").fit_transform(TRAIN)
    lazy.with_table(neighbor_table(TRAIN, 12, "jaro_winkler"))
    monkeypatch.setattr(lazy_block, "build_table", None)
    monkeypatch.setattr(lazy_block, "search_rows", None)
    grid = {"n_neighbors": [3, 12], "ridge": [0.1, 1.0]}
    krr = NeighborsClassifier(weights="krr")
    scores = [
        PathSearchCV(krr, grid, cv="loo", refit=False).fit(block, LABELS).cv_results_
        for block in (dense, lazy)
    ]
    assert_array_equal(*(found["mean_test_score"] for found in scores))
    model = LocalSDAClassifier(12, regularization="marginal")
    averages = [
        sklearn.clone(model).fit(block, LABELS).regularizers_[12][0] for block in (dense, lazy)
    ]
    assert_array_equal(*(average.log_values for average in averages))
    near = [NeighborsClassifier(12).fit(block, LABELS).kneighbors() for block in (dense, lazy)]
    assert_array_equal(near[0][1], near[1][1])


def test_beyond_working_memory_a_sample_tells_of_all_values(monkeypatch):
    monkeypatch.setattr(lazy_block, "SAMPLE", 40)
    with sklearn.config_context(working_memory=0.01):
        compare = PairwiseSimilarity("levenshtein")
        train, queries = compare.fit_transform(TRAIN), compare.transform(TEST)
        assert train.is_lazy and queries.is_lazy
        for model in LOCAL.values():
            model = sklearn.clone(model).fit(train, LABELS)
            shares = model.predict_proba(queries)
            assert np.isfinite(shares).all() and np.allclose(shares.sum(axis=1), 1)
    assert "values" not in vars(train) and "values" not in vars(queries)


def test_global_methods_compute_the_block_or_name_what_works_without(monkeypatch, compared):
    (dense, dense_queries), (lazy, queries) = compared
    found = [
        SimilaritySVC(spectrum="clip").fit(train, LABELS).predict_proba(asked)
        for train, asked in ((dense, dense_queries), (lazy, queries))
    ]
    assert_array_equal(*found)
    monkeypatch.setattr(allowed_memory, "machine_bytes", lambda: 1000)
    fresh = PairwiseSimilarity("levenshtein", lazy=True).fit_transform(TRAIN)
    with pytest.raises(InputError, match=r"SimilaritySVC needs all values: 80 × 80.*Neighbors"):
        SimilaritySVC().fit(fresh, LABELS)


PUBLIC = {name: getattr(similearn, name) for name in similearn.__all__ if name[0].isupper()}
WHOLE = {
    name: cls
    for name, cls in PUBLIC.items()
    if isinstance(cls, type) and issubclass(cls, PairwiseClassifier | PairwiseTransformer)
    if cls._asks_only is False or name == "DBoostClassifier"
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", sorted(WHOLE))
def test_what_needs_the_whole_matrix_names_a_form_that_does_not(monkeypatch, name):
    train = PairwiseSimilarity("levenshtein", lazy=True).fit_transform(TRAIN)
    monkeypatch.setattr(allowed_memory, "machine_bytes", lambda: 80 * 80 * 8)
    monkeypatch.setattr(lazy_block, "SAMPLE", 16)
    monkeypatch.setattr(lazy_block, "working_bytes", lambda: 100)
    with pytest.raises(InputError, match=f"{name} needs all values") as told:
        WHOLE[name]().fit(train, LABELS)
    form = WHOLE[name]._scalable_form
    assert form in str(told.value)
    rivals = (make_pipeline, LinearSVC, LinearDiscriminantAnalysis)
    known = PUBLIC | {one.__name__: one for one in rivals}
    eval(form.replace("500", "20"), known).fit(train, LABELS)
    assert "values" not in vars(train)


def test_the_door_speaks_of_lazy_blocks_as_of_others():
    compare = PairwiseSimilarity("levenshtein", lazy=True)
    train, queries = compare.fit_transform(TRAIN), compare.transform(TEST)
    with pytest.raises(InputError, match="80 rows but there are 79 labels"):
        NeighborsClassifier().fit(train, LABELS[:79])
    with pytest.raises(InputError, match="square block"):
        NeighborsClassifier().fit(queries, Y[80:])
    model = NeighborsClassifier().fit(train, LABELS)
    with pytest.raises(InputError, match="must be the 80 training samples"):
        model.predict(queries[:, :79])
    with pytest.raises(InputError, match="model was fitted to a dissimilarity"):
        model.predict(PairwiseSimilarity("jaro_winkler", lazy=True).fit(TRAIN).transform(TEST))
    with pytest.raises(InputError, match="not of samples with themselves"):
        NeighborsClassifier().fit(compare.transform(TRAIN), LABELS)


def test_a_pipeline_never_makes_the_matrix(monkeypatch):
    monkeypatch.setattr(lazy_block, "all_values", None)
    model = make_pipeline(
        PairwiseSimilarity("jaro_winkler", lazy=True), NeighborsClassifier(5, weights="kri")
    )
    lazy = model.fit(TRAIN, LABELS).predict(TEST)
    assert_array_equal(
        lazy, model.set_params(pairwisesimilarity__lazy=False).fit(TRAIN, LABELS).predict(TEST)
    )


def test_diagnosis_of_a_sample_tells_of_all(monkeypatch):
    dense, lazy = (
        PairwiseSimilarity("levenshtein", lazy=lazy).fit_transform(TRAIN) for lazy in (False, True)
    )
    assert diagnose(lazy, LABELS) == diagnose(dense, LABELS)
    monkeypatch.setattr(lazy_block, "SAMPLE", 40)
    fresh = PairwiseSimilarity("levenshtein", lazy=True).fit_transform(TRAIN)
    with sklearn.config_context(working_memory=0.01):
        told = diagnose(fresh, LABELS)
        assert (told.n, sum(told.class_sizes.values())) == (80, 80) and told.spectrum_samples < 60
        fresh.with_table(neighbor_table(TRAIN, 2, "levenshtein"))
        told = diagnose(fresh, LABELS)
    assert told.neighbor_error == diagnose(dense, LABELS).neighbor_error


def test_the_default_tries_what_works_without_the_matrix(monkeypatch):
    block = PairwiseSimilarity("jaro_winkler", lazy=True).fit_transform(TRAIN)
    monkeypatch.setattr(allowed_memory, "machine_bytes", lambda: 1000)
    model = SimilarityClassifier(effort="quick", progress=False).fit(block, LABELS)
    failed = [row["failure"] for row in model.leaderboard_.rows]
    assert None in failed and any("needs all values" in str(failure) for failure in failed)
    compare = PairwiseSimilarity("jaro_winkler", lazy=True).fit(TRAIN)
    shares = model.predict_proba(compare.transform(TEST))
    assert np.isfinite(shares).all()
