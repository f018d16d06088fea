"""Reports of data that nobody hopes for: they are written, and say what is the matter."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline

from similearn import (
    FusionClassifier,
    NeighborsClassifier,
    Pairwise,
    PairwiseSimilarity,
    Sources,
    datasets,
    write_report,
)
from similearn.errors import InputTypeError
from similearn.report.contents.gathering import (
    Asked,
    contents_of_comparison,
    contents_of_data,
    contents_of_model,
    visible,
)
from similearn.report.contents.judging import _told, judged_samples
from similearn.report.contents.suspects import MOST_SUSPECTS, doubted_of, suspects_of
from similearn.report.html.page import MOST_BYTES, rendered
from similearn.report.made.papers import registered_name
from similearn.report.made.provenance import data_fingerprint
from similearn.selection import suspicion
from similearn.selection.auto.reasons import CombinedExplanation
from tests.report.pages import data_of, two_methods

pytest.importorskip("jinja2")


def _block(n, n_classes=3):
    return datasets.make_similarities(n, n_classes, random_state=0, return_X_y=True)


def _with_empty_rows():
    X, y = _block(30)
    values = np.where(X.values > np.quantile(X.values, 0.8), X.values, 0.0)
    values[[5, 17]] = values[:, [5, 17]] = 0.0
    return Pairwise(sparse.csr_matrix(values), "similarity"), y


ODD = {
    "equal": lambda: (Pairwise(np.ones((12, 12)), "similarity"), np.arange(12) % 2),
    "zero": lambda: (Pairwise(np.zeros((12, 12)), "dissimilarity"), np.arange(12) % 3),
    "empty rows": _with_empty_rows,
    "huge": lambda: (Pairwise(_block(24)[0].values * 1e300, "similarity"), _block(24)[1]),
    "tiny": lambda: (Pairwise(_block(24)[0].values * 1e-300, "similarity"), _block(24)[1]),
    "one of a class": lambda: (_block(24)[0], np.r_[np.zeros(12), np.ones(11), 2]),
}


@pytest.mark.parametrize("name", ODD)
def test_a_model_of_odd_data_has_a_report(name):
    X, y = ODD[name]()
    model = NeighborsClassifier(3, kind=X.kind).fit(X, y)
    page = rendered(contents_of_model(model, X, y, Asked()))
    assert len(page.encode()) <= MOST_BYTES
    data = data_of(page)  # strict JSON: no NaN, no infinity
    assert data["samples"]["n"] == len(X) and data["glance"]["error"] is not None


@pytest.mark.parametrize(("n", "y"), [(1, None), (2, ["a", "b"]), (3, ["a", "a", "b"])])
def test_few_samples_are_shown(n, y):
    X = Pairwise(np.eye(n) + 0.2, "similarity")
    page = rendered(contents_of_data(X, y, Asked()))
    assert data_of(page)["pictures"] is not None
    learned = y is not None and len(set(y)) < n
    assert ("two samples of at least one of them" in page) == (y is not None and not learned)


def test_names_in_which_there_is_nothing_to_see_are_replaced():
    assert [visible(name) for name in ("a", " ", "\u200b\u202e", "")] == ["a", *["(blank)"] * 3]
    X, y = _block(20)
    names, labels = ["", "\u200b", *range(2, 20)], np.array(["a", " ", "b"])[y]
    contents = contents_of_model(NeighborsClassifier(3).fit(X, labels), X, labels, Asked(), names)
    assert contents.names[:3] == ["(blank) 0", "(blank) 1", "2"]
    assert "(blank)" in contents.class_names


def test_classes_that_the_model_does_not_know_are_told():
    X, y = _block(60)
    train, test = np.flatnonzero(y[:40] != 2), np.arange(40, 60)
    model = NeighborsClassifier(3).fit(X[np.ix_(train, train)], y[train])
    contents = contents_of_model(model, X[np.ix_(test, train)], y[test], Asked())
    count = int((y[test] == 2).sum())
    assert f"does not know the classes of {count} of them" in contents.judged.how
    assert all(suspect["given"] != -1 for suspect in contents.suspicious)
    rendered(contents)


def test_suspects_are_those_of_suspicious_labels():
    X, y = _block(90)
    wrong = y.copy()
    wrong[[3, 30, 60]] = (wrong[[3, 30, 60]] + 1) % 3
    model = NeighborsClassifier(5, weights="krr").fit(X, wrong)
    judged = judged_samples(model, X, wrong, [str(i) for i in range(90)])
    P, doubted = judged.probabilities, doubted_of(judged)
    whole = suspicion.least_trusted(P, judged.truth, X, doubted)
    assert set(whole) == set(doubted) and len(whole) < MOST_SUSPECTS
    assert [suspect["sample"] for suspect in suspects_of(judged, X)] == whole.tolist()
    for most in (1, 2, 5):  # fewer are the first of all, though not all were looked at
        few = suspicion.least_trusted(P, judged.truth, X, doubted, most)
        assert few.tolist() == whole[:most].tolist()


def test_a_model_is_called_what_it_is():
    fused = FusionClassifier([("a", NeighborsClassifier(3), "one")])
    assert registered_name(fused) is None
    assert registered_name(NeighborsClassifier(9, weights="krr")) == "krr-knn"
    X, y = _block(30)
    both = Sources({"one": X})
    page = rendered(contents_of_model(fused.fit(both, y), both, y, Asked()))
    assert "FusionClassifier: Naive Bayes over sources" in page and "local SDA times" not in page


def test_fingerprints_tell_data_apart():
    X, y = _block(12)
    other = Pairwise(X.values + 1e-9, X.kind)
    all_data = [X, other, Sources({"a": X}), Sources({"b": X}), ["one", "two"], ["one", "tow"]]
    found = [data_fingerprint(data, y) for data in all_data]
    assert len(set(found)) == len(found) and None not in found
    assert data_fingerprint(X, y) == found[0] != data_fingerprint(X, y[::-1])
    assert data_fingerprint(None, None) is None


def test_how_data_were_read_is_told():
    X, _ = _block(12)
    page = rendered(contents_of_data(X, None, Asked(notes=["7 of 144 values were missing."])))
    assert "7 of 144 values were missing." in page


def test_short_texts_name_themselves_and_equal_ones_do_not():
    words, y = ["ada", "eve", "ian", "bob"] * 2, [0, 0, 1, 1] * 2
    words[4:] = [f"{word}o" for word in words[4:]]
    model = make_pipeline(
        PairwiseSimilarity("levenshtein"), NeighborsClassifier(1, kind="dissimilarity")
    )
    contents = contents_of_model(model.fit(words, y), words, y, Asked())
    assert contents.names == words
    words[5] = words[1]
    contents = contents_of_model(model.fit(words, y), words, y, Asked())
    assert contents.names == [str(i) for i in range(8)]
    assert contents.objects[5] == {"text": "eve"}


def test_a_similarity_that_knows_the_labels_says_so():
    codes, y = np.random.default_rng(0).integers(3, size=(24, 3)), np.repeat([0, 1], 12)
    letters = np.array(list("ynu"))[codes]
    for function, X, told in (("value-difference", letters, 1), ("euclidean", codes, 0)):
        vote = NeighborsClassifier(3, kind="dissimilarity")
        model = make_pipeline(PairwiseSimilarity(function), vote).fit(X, y)
        notes = contents_of_model(model, X, y, Asked()).notes
        assert sum("learned from these very labels" in note for note in notes) == told


def test_samples_that_no_member_asked_are_no_neighbours():
    P = np.full((2, 2), 0.5)
    told = CombinedExplanation(
        classes=np.array([0, 1]),
        scores=np.log(P),
        decisions=np.array([0, 0]),
        terms={"knn": P},
        member_weights={"knn": 1.0},
        neighbors=np.array([[3, 1, 0], [0, 1, 2]]),
        values=np.ones((2, 3)),
        labels=np.zeros((2, 3), dtype=int),
        weights=np.array([[0.0, 0.4, 0.6], [0.0, 0.0, 0.0]]),
    )
    # Where none votes by neighbours, the nearest are told without weights.
    assert _told(told, np.arange(4)).neighbors.tolist() == [[0, 1, -1], [0, 1, 2]]


def test_methods_of_the_same_error_win_together():
    records = [record | {"error": 0.1} for record in two_methods()]
    (told, *_) = contents_of_comparison(records, Asked()).glance.recommendation
    assert told.endswith("have the lowest error.") and "knn" in told and "krr-knn" in told


def test_one_value_is_no_samples(tmp_path):
    X, y = datasets.make_similarities(12, random_state=0, return_X_y=True)
    model = NeighborsClassifier(3).fit(X, y)
    with pytest.raises(InputTypeError, match="Got one int; expected several samples"):
        write_report(model, tmp_path / "report.html", X=7, y=y)
