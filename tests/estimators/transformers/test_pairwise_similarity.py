"""`PairwiseSimilarity`: scikit-learn's checks, blocks, pipelines, messages."""

import pickle
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from similearn import NeighborsClassifier, Pairwise, PairwiseSimilarity, datasets
from similearn.errors import InputError, InputTypeError, MissingExtraError
from similearn.similarities import (
    NgramProfile,
    Similarity,
    TverskyContrast,
    TverskyRatio,
    ValueDifference,
    register,
    registry,
)

WORDS = ["aabab", "abba", "baab", "bab", "abab", "xyyx", "xxy", "yyx", "yx", "xyxy"]
LABELS = np.array(["ab"] * 5 + ["xy"] * 5)


def shared(a, b):
    return len(set(a) & set(b))


def longer(a, b):
    return len(a) - 2 * len(b)


@parametrize_with_checks(
    [
        PairwiseSimilarity("euclidean"),
        PairwiseSimilarity("value_difference"),
        PairwiseSimilarity("euclidean", n_jobs=2),
    ]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


def test_training_block_and_queries_of_a_symmetric_function():
    compare = PairwiseSimilarity(shared, kind="similarity", symmetric=True)
    train = compare.fit_transform(WORDS)
    assert isinstance(train, Pairwise) and train.same_samples and train.kind == "similarity"
    assert_array_equal(train.values, [[shared(a, b) for b in WORDS] for a in WORDS])
    block = compare.transform(["abx", "q"])
    assert block.shape == (2, 10) and not block.same_samples and block.reverse is None
    assert_array_equal(block.values, [[shared(a, b) for b in WORDS] for a in ["abx", "q"]])
    assert_array_equal(block.self_values, [3, 1])


def test_queries_of_an_asymmetric_function_know_the_reverse():
    compare = PairwiseSimilarity(longer, kind="dissimilarity", symmetric=False).fit(WORDS)
    block = compare.transform(["abx", "q"])
    assert block.kind == "dissimilarity"
    assert_array_equal(block.values, [[longer(a, b) for b in WORDS] for a in ["abx", "q"]])
    assert_array_equal(block.reverse, [[longer(b, a) for b in WORDS] for a in ["abx", "q"]])
    assert_array_equal(block.self_values, [-3, -1])


def test_as_many_queries_as_references_are_not_the_same_samples():
    compare = PairwiseSimilarity(longer, kind="similarity", symmetric=False).fit(WORDS[:3])
    block = compare.transform(WORDS[3:6])
    assert not block.same_samples
    assert_array_equal(block.reverse, [[longer(b, a) for b in WORDS[:3]] for a in WORDS[3:6]])


@pytest.mark.parametrize(
    ("symmetric", "at_fit", "at_query"), [(True, 10 * 11 // 2, 30 + 3), (False, 100, 60 + 3)]
)
def test_number_of_evaluations(symmetric, at_fit, at_query):
    calls = Counter()

    def counted(a, b):
        calls["all"] += 1
        return 1.0

    compare = PairwiseSimilarity(counted, kind="similarity", symmetric=symmetric)
    compare.fit(WORDS)
    assert calls["all"] == 0
    compare.fit_transform(WORDS)
    assert calls["all"] == at_fit
    calls.clear()
    compare.transform(WORDS[:3])
    assert calls["all"] == at_query


def as_array(words):
    objects = np.empty(len(words), dtype=object)
    objects[:] = words
    return objects


@pytest.mark.parametrize(
    "container", [list, tuple, np.array, as_array, pd.Series], ids=lambda made: made.__name__
)
def test_cross_validation_on_collections_of_strings(container):
    compare = PairwiseSimilarity(shared, kind="similarity", symmetric=True)
    model = make_pipeline(compare, NeighborsClassifier(n_neighbors=3))
    assert not get_tags(compare).input_tags.pairwise
    assert not get_tags(model).input_tags.pairwise
    if container is tuple:
        assert model.fit(container(WORDS), LABELS).score(container(WORDS), LABELS) == 1
    else:
        assert_array_equal(cross_val_score(model, container(WORDS), LABELS, cv=2), 1)


@pytest.mark.parametrize("similarity", ["tversky_ratio", TverskyContrast(alpha=0.2, beta=0.9)])
def test_cross_validation_on_sets_rows_and_csr_agree(similarity):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    rows = (rng.random((40, 8)) < np.where(y[:, None] == (np.arange(8) < 4), 0.7, 0.2)).astype(int)
    sets = [set(np.flatnonzero(row).tolist()) for row in rows]
    model = make_pipeline(PairwiseSimilarity(similarity), NeighborsClassifier(n_neighbors=5))
    expected = cross_val_predict(model, rows, y, cv=4)
    assert (expected == y).mean() > 0.7
    for objects in (sets, as_array(sets), rows.astype(bool), sparse.csr_array(rows)):
        assert_array_equal(cross_val_predict(model, objects, y, cv=4), expected)


def test_labels_reach_a_learned_similarity_on_training_rows_only():
    seen = []

    class Spy(ValueDifference):
        def fit(self, objects, y=None):
            seen.append((objects.copy(), np.array(y)))
            return super().fit(objects, y)

    X, y = datasets.load_house_votes(return_X_y=True)
    X, y = X[:40], y[:40]
    model = make_pipeline(PairwiseSimilarity(Spy()), NeighborsClassifier(kind="dissimilarity"))
    cv = StratifiedKFold(4)
    cross_val_score(model, X, y, cv=cv)
    assert len(seen) == 4
    for (objects, labels), (train, _) in zip(seen, cv.split(X, y), strict=True):
        assert_array_equal(objects, X[train])
        assert_array_equal(labels, y[train])


def test_value_difference_of_training_rows_differs_from_that_of_all_rows():
    X, y = datasets.load_house_votes(return_X_y=True)
    compare = PairwiseSimilarity("value_difference").fit(X[:100], y[:100])
    alone = ValueDifference().fit(X[:100], y[:100])
    assert_array_equal(compare.transform(X[100:110]).values, alone.matrix(X[100:110], X[:100]))
    everything = ValueDifference().fit(X, y).matrix(X[100:110], X[:100])
    assert np.abs(compare.transform(X[100:110]).values - everything).max() > 0.01


def test_grid_search_over_functions_and_their_parameters():
    rng = np.random.default_rng(0)
    rows = rng.integers(2, size=(30, 5))
    model = make_pipeline(PairwiseSimilarity(TverskyRatio()), NeighborsClassifier(n_neighbors=3))
    grid = {"pairwisesimilarity__function__alpha": [0.5, 1.0, 2.0]}
    search = GridSearchCV(model, grid, cv=3).fit(rows, rows[:, 0])
    assert search.best_estimator_[0].function_.alpha in (0.5, 1.0, 2.0)
    grid = {"pairwisesimilarity__function": ["tversky_ratio", "tversky_contrast"]}
    assert GridSearchCV(model, grid, cv=3).fit(rows, rows[:, 0]).best_score_ > 0.5


def test_fit_leaves_the_given_similarity_alone():
    given = ValueDifference()
    PairwiseSimilarity(given).fit([["a"], ["b"]], [0, 1])
    assert not hasattr(given, "classes_")


def test_clone_and_pickle():
    compare = PairwiseSimilarity(TverskyRatio(alpha=0.3))
    block = compare.fit([{1}, {1, 2}]).transform([{2}])
    again = pickle.loads(pickle.dumps(compare)).transform([{2}])
    assert_array_equal(again.values, block.values)
    assert_array_equal(again.reverse, block.reverse)
    assert clone(compare).function.alpha == 0.3
    assert not hasattr(clone(compare), "references_")


def test_set_output_gives_frames():
    X = pd.DataFrame({"a": [0.0, 3.0], "b": [0.0, 4.0]}, index=["p", "q"])
    compare = PairwiseSimilarity().set_output(transform="pandas")
    frame = compare.fit_transform(X)
    assert list(frame.columns) == ["pairwisesimilarity0", "pairwisesimilarity1"]
    assert list(frame.index) == ["p", "q"]
    assert_array_equal(frame, [[0, 5], [5, 0]])
    assert_array_equal(compare.transform(X[:1]), [[0, 5]])


def test_a_dense_block_reads_as_an_array_and_a_sparse_one_refuses():
    block = PairwiseSimilarity().fit_transform([[0.0], [2.0]])
    assert_array_equal(np.asarray(block), [[0, 2], [2, 0]])
    assert_array_equal(np.vstack(list(block)), block.values)
    with pytest.raises(InputTypeError, match=r"use its \.values"):
        np.asarray(Pairwise(sparse.csr_array(np.eye(2)), "similarity"))


def test_metadata_routing():
    compare = PairwiseSimilarity(shared, kind="similarity", symmetric=True)
    with config_context(enable_metadata_routing=True):
        model = make_pipeline(compare, NeighborsClassifier(n_neighbors=3))
        assert_array_equal(cross_val_score(model, WORDS, LABELS, cv=2), 1)


def test_frames_of_categories():
    votes = datasets.load_house_votes()
    frame = pd.DataFrame(votes.data, columns=votes.feature_names)
    compare = PairwiseSimilarity("value_difference")
    expected = compare.fit_transform(votes.data, votes.target).values
    assert_array_equal(compare.fit_transform(frame, votes.target).values, expected)
    assert list(compare.feature_names_in_) == votes.feature_names
    as_categories = frame.astype("category")
    assert_array_equal(compare.fit_transform(as_categories, votes.target).values, expected)
    gaps = frame.replace("?", None)
    assert_array_equal(compare.fit_transform(gaps, votes.target).values, expected)


def test_the_kind_follows_the_data():
    model = make_pipeline(PairwiseSimilarity("euclidean"), NeighborsClassifier(n_neighbors=1))
    model.fit([[0.0], [1.0]], [0, 1])
    assert model[-1].kind_ == "dissimilarity"
    assert_array_equal(model.predict([[0.2], [0.9]]), [0, 1])


@pytest.mark.parametrize(
    ("compare", "X", "y", "error", "message"),
    [
        (PairwiseSimilarity("euclidian"), WORDS, None, InputError, "Did you mean 'euclidean'"),
        (PairwiseSimilarity(shared), WORDS, None, InputError, "shared is a plain function"),
        (PairwiseSimilarity("euclidean", kind="similarity"), [[1]], None, InputError, "leave kind"),
        (PairwiseSimilarity("value_difference"), [["a"]], None, InputError, "learned from labels"),
        (PairwiseSimilarity("value_difference"), [["a"]], [0, 1], ValueError, "inconsistent"),
        (PairwiseSimilarity("tversky_ratio"), "word", None, InputTypeError, "X is of type str"),
        (PairwiseSimilarity("tversky_ratio"), iter([{1}]), None, InputTypeError, "expected a coll"),
        (PairwiseSimilarity("tversky_ratio"), [], None, InputError, "holds no objects"),
        (PairwiseSimilarity("tversky_ratio"), np.float64(3), None, InputTypeError, "single value"),
        (
            PairwiseSimilarity("euclidean", progress="no"),
            [[1.0]],
            None,
            InputError,
            "progress='no'",
        ),
        (
            PairwiseSimilarity(shared, kind="similarity", symmetric=True),
            sparse.csr_array(np.eye(2)),
            None,
            InputTypeError,
            "X is sparse, but shared compares one pair",
        ),
        (
            PairwiseSimilarity(lambda a, b: None, kind="similarity", symmetric=False),
            WORDS,
            None,
            InputError,
            "returned None for objects 0 and 0",
        ),
    ],
)
def test_messages(compare, X, y, error, message):
    with pytest.raises(error, match=message):
        compare.fit_transform(X, y)


def test_a_bad_value_of_the_reverse_direction_names_its_pair():
    def one_way(a, b):
        return float("nan") if (a, b) == ("bab", "new") else 1.0

    compare = PairwiseSimilarity(one_way, kind="similarity", symmetric=False).fit(WORDS)
    with pytest.raises(InputError, match="returned nan for reference 3 and query 1"):
        compare.transform(["old", "new"])


def test_a_missing_extra_is_named():
    @register("needs_more")
    class NeedsMore(Similarity):
        requires = ("no_such_module", "bio")

    try:
        with pytest.raises(MissingExtraError, match=r'pip install "similearn\[bio\]"'):
            PairwiseSimilarity("needs_more").fit(WORDS)
    finally:
        del registry["needs_more"]


@pytest.mark.parametrize(
    "column",
    [
        pd.DataFrame({"word": WORDS}),
        np.array(WORDS)[:, None],
        np.array(WORDS, dtype=object)[:, None],
    ],
)
@pytest.mark.parametrize("function", ["levenshtein", shared])
def test_one_column_of_words_is_a_list_of_words(column, function):
    kind = None if isinstance(function, str) else "similarity"
    symmetric = None if isinstance(function, str) else True
    compare = PairwiseSimilarity(function, kind=kind, symmetric=symmetric)
    expected = compare.fit_transform(WORDS).values
    assert_array_equal(compare.fit_transform(column).values, expected)
    assert_array_equal(compare.transform(column[:3]).values, expected[:3])
    assert_array_equal(compare.fit(WORDS).transform(column).values, expected)


def test_one_column_of_sets_and_of_numbers():
    sets = [{"red"}, {"green"}, {"red", "round"}]
    compare = PairwiseSimilarity("tversky_ratio")
    expected = compare.fit_transform(sets).values
    assert_array_equal(compare.fit_transform(pd.DataFrame({"colours": sets})).values, expected)

    def first(a, b):
        return abs(a[0] - b[0])

    compare = PairwiseSimilarity(first, kind="dissimilarity", symmetric=True)
    assert_array_equal(compare.fit_transform(np.array([[1.0], [3.0]])).values, [[0, 2], [2, 0]])


def test_references_are_looked_at_once(monkeypatch):
    looked = Counter()

    def counting(self, objects):
        looked.update(objects)
        return prepare(self, objects)

    prepare = NgramProfile._prepare
    monkeypatch.setattr(NgramProfile, "_prepare", counting)
    compare = PairwiseSimilarity("ngrams")
    values = compare.fit_transform(["anna", "otto"])
    first = compare.transform(["hanna"])
    again = pickle.loads(pickle.dumps(compare))
    assert looked == {"anna": 1, "otto": 1, "hanna": 1}
    assert_array_equal(again.transform(["hanna"]).values, first.values)
    assert_array_equal(again.transform(["otto"]).values, values.values[1:])
    assert looked["anna"] == 2  # once more for the copy
