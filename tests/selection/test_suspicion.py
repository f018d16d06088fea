"""Wrong labels are found, and told with the neighbours that speak against them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from similearn import (
    NeighborsClassifier,
    Pairwise,
    PairwiseSimilarity,
    PathSearchCV,
    SimilarityClassifier,
    Sources,
    conformal_sets,
    suspicious_labels,
)
from similearn.errors import InputError

KNN = NeighborsClassifier(7, kind="dissimilarity")


def clusters(n=120, spread=0.6, seed=0, flipped=0):
    rng = np.random.default_rng(seed)
    codes = rng.integers(3, size=n)
    points = spread * rng.standard_normal((n, 2)) + 3.0 * np.array([[0, 0], [1, 0], [0, 1]])[codes]
    D = np.linalg.norm(points[:, None] - points, axis=2)
    wrong = rng.choice(n, flipped, replace=False)
    labels = codes.copy()
    labels[wrong] = (labels[wrong] + rng.integers(1, 3, size=flipped)) % 3
    return D, np.array(["a", "b", "c"])[labels], np.sort(wrong)


def test_flipped_labels_come_first():
    D, y, wrong = clusters(spread=0.4, flipped=8)
    ids = [f"s{i}" for i in range(120)]
    block = Pairwise(D, "dissimilarity", row_ids=ids, column_ids=ids)
    found = suspicious_labels(KNN, block, y)
    assert_array_equal(np.sort(found.samples[:8]), wrong)
    margins = found.given_probability - found.proposed_probability
    near = np.argsort(D[found.samples], axis=1, kind="stable")[:, 1:11]
    agreement = (y[near] == found.given[:, None]).mean(axis=1)
    assert (np.diff(margins + 0.5 * agreement) >= -1e-12).all()
    assert (found.given_probability < found.proposed_probability).all()
    assert_array_equal(found.given, y[found.samples])
    for sample, against, labels in zip(
        found.samples, found.against, found.against_labels, strict=True
    ):
        nearest = np.argsort(D[sample], kind="stable")[1:6]
        assert_array_equal(against, nearest[y[nearest] != y[sample]])
        assert_array_equal(labels, y[against])
    told = str(found)
    assert told.startswith(f"{len(found)} of 120 labels are suspicious\n  s")
    assert "of the 5 nearest are against: s" in told
    row = found.table()[0]
    assert row["sample"] == f"s{found.samples[0]}" and row["against"][0].startswith("s")


def test_a_plain_matrix_has_the_kind_that_the_model_found():
    D, y, wrong = clusters(60, spread=0.4, flipped=4)
    told = suspicious_labels(SimilarityClassifier(effort="quick").fit(D, y), D, y)
    same = suspicious_labels(
        SimilarityClassifier(kind="dissimilarity", effort="quick").fit(D, y), D, y
    )
    assert set(wrong) <= set(told.samples)
    assert "nearest are against" in str(told) and str(told) == str(same)


def test_a_search_has_said_it_already():
    D, y, wrong = clusters(flipped=8)
    search = PathSearchCV(KNN, {"n_neighbors": [5, 9]}, cv=5, keep_out_of_fold=True).fit(D, y)
    found = suspicious_labels(search, D, y)
    assert set(wrong) <= set(found.samples)
    own = search.oof_proba_[found.samples, np.searchsorted(search.classes_, found.given)]
    assert_allclose(found.given_probability, own)
    with pytest.raises(InputError, match="expected the labels that it was fitted to"):
        suspicious_labels(search, D[:50, :50], y[:50])


def test_objects_and_sources():
    names = ["anna", "anne", "hanna", "joanna", "otto", "lotto", "ottone", "blotto"]
    y = np.array(["a", "a", "a", "o", "o", "o", "o", "o"])
    model = make_pipeline(
        PairwiseSimilarity("levenshtein"), NeighborsClassifier(1, kind="dissimilarity")
    )
    found = suspicious_labels(model, names, y, cv=4)
    assert found.samples.tolist() == [3] and found.against[0].tolist() == [0, 2, 1]
    told = "  joanna: o (0.08), rather a (0.92); 3 of the 5 nearest are against: anna (a), "
    assert str(found).splitlines()[1].startswith(told)
    assert found.table()[0]["against"] == ["anna", "hanna", "anne"]
    D, y, _ = clusters(40)
    block = Pairwise(D, "dissimilarity")
    search = PathSearchCV(KNN, {}, cv=4, keep_out_of_fold=True).fit(block, y)
    told = suspicious_labels(search, Sources({"pairs": block}), y)
    assert told.against is not None and told.n_samples == 40


def test_lone_samples_and_nothing_to_tell():
    D, y, _ = clusters(60, spread=0.1)
    y = y.astype(object)
    y[7] = "lone"
    found = suspicious_labels(KNN, D, y)
    assert len(found) == 0 and str(found) == "0 of 60 labels are suspicious"
    assert found.table() == []


def test_what_cannot_be_judged():
    D, y, _ = clusters(30)
    with pytest.raises(InputError, match="has no predict_proba"):
        suspicious_labels(LinearSVC(), D, y)
    with pytest.raises(InputError, match="one class only"):
        suspicious_labels(KNN, D, ["a"] * 30)
    with pytest.raises(InputError, match="cv=1"):
        suspicious_labels(KNN, D, y, cv=1)
    with pytest.raises(InputError, match="Every class in y has one sample"):
        suspicious_labels(KNN, D, np.arange(30))


def test_conformal_sets_cover_as_often_as_is_asked():
    hits = []
    for seed in range(12):
        D, y, _ = clusters(240, spread=1.5, seed=seed)
        train, test = np.arange(140), np.arange(140, 240)
        cv = StratifiedKFold(10)
        search = PathSearchCV(KNN, {"n_neighbors": [9, 15]}, cv=cv, keep_out_of_fold=True)
        search.fit(D[np.ix_(train, train)], y[train])
        queries = D[np.ix_(test, train)]
        sets = conformal_sets(search, queries, y[train], coverage=0.8)
        assert_array_equal(search.predict_set(queries, coverage=0.8), sets)
        assert (sets <= conformal_sets(search, queries, y[train], coverage=0.95)).all()
        codes = np.searchsorted(search.classes_, y[test])
        hits.append(sets[np.arange(100), codes].mean())
    error = np.std(hits, ddof=1) / np.sqrt(len(hits))
    assert np.mean(hits) > 0.8 - 2 * error
    assert np.mean(hits) < 0.9  # votes tie, which is counted in favour of a label


def test_conformal_sets_need_what_a_search_kept():
    D, y, _ = clusters(30)
    with pytest.raises(InputError, match="keep_out_of_fold=True"):
        conformal_sets(NeighborsClassifier(3, kind="dissimilarity").fit(D, y), D, y)
    with pytest.raises(InputError, match="keep_out_of_fold=True"):
        PathSearchCV(KNN, {"n_neighbors": [3]}, cv=3).fit(D, y).predict_set(D)
