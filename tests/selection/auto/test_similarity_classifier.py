"""The default classifier: what it takes, promises, says and survives."""

import copy
import pickle
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold

from similearn import NeighborsClassifier, Pairwise, SimilarityClassifier, Sources, datasets
from similearn.errors import AsymmetryWarning, InputError, KindWarning, SimilearnWarning
from similearn.numerics.scores.calibration import LEAST_SHARE, SMOOTHED_ALREADY, SPREAD
from similearn.numerics.scores.ensemble import PRIOR_SAMPLES
from similearn.selection.auto import portfolio as portfolio_module
from similearn.selection.auto import similarity_classifier as module
from similearn.selection.auto import trying as search_module
from similearn.selection.auto.leaderboard import Leaderboard
from similearn.selection.auto.members import INTERRUPTED, LEAST_WEIGHT, FittedMember
from similearn.selection.auto.portfolio import RULE

QUICK = {"effort": "quick"}


@pytest.fixture(scope="module")
def problem():
    bunch = datasets.make_similarities(90, n_classes=3, indefinite=0.2, random_state=0)
    train, test = np.arange(60), np.arange(60, 90)
    S, y = bunch.data, bunch.target
    return S[np.ix_(train, train)], y[train], S[np.ix_(test, train)], y[test]


@pytest.fixture(scope="module")
def fitted(problem):
    S, y, _, _ = problem
    return SimilarityClassifier().fit(S, y)


def test_weights_probabilities_and_decisions(problem, fitted):
    _, _, queries, truth = problem
    P = fitted.predict_proba(queries)
    assert_allclose(P.sum(axis=1), 1.0)
    assert P.min() > 0.0  # it never says never
    assert_allclose(fitted.weights_.sum(), 1.0)
    assert (np.diff(fitted.weights_) <= 0).all()
    assert_array_equal(fitted.predict(queries), fitted.classes_[P.argmax(axis=1)])
    assert (fitted.predict(queries) == truth).mean() > 0.8


def test_probabilities_are_the_calibrated_mean_of_calibrated_members(problem, fitted):
    queries = problem[2]
    shared = fitted._shared(fitted._queries(queries))
    parts = [
        member.calibration.probabilities(member.evidence(shared, 3), fitted.priors_)
        for member in fitted.members_
    ]
    mean = sum(w * p for w, p in zip(fitted.weights_, parts, strict=True))
    a, e = fitted.calibration_
    sharp = mean**a / (mean**a).sum(axis=1, keepdims=True)
    assert_allclose(fitted.predict_proba(queries), (1 - e) * sharp + e * fitted.priors_)


def test_a_query_does_not_depend_on_the_others(problem, fitted):
    queries = problem[2]
    assert_allclose(
        fitted.predict_proba(queries)[:1], fitted.predict_proba(queries[[0]]), rtol=1e-9
    )


def test_any_number_of_jobs_gives_the_same_bits(problem):
    S, y, queries, _ = problem
    one, two = (SimilarityClassifier(n_jobs=n, **QUICK).fit(S, y) for n in (1, 2))
    assert_array_equal(one.predict_proba(queries), two.predict_proba(queries))
    assert_array_equal(one.weights_, two.weights_)


def test_the_leaderboard_tells_all_that_was_tried(fitted):
    rows = fitted.leaderboard_.rows
    assert {row["method"] for row in rows} >= {"knn", "krr-knn", "krein-svm", "dboost"}
    assert_allclose(sum(row["weight"] for row in rows), 1.0)
    assert [row["log_loss"] for row in rows] == sorted(row["log_loss"] for row in rows)
    assert all(row["failure"] is None and row["parameters"] for row in rows)
    frame = fitted.leaderboard_.to_frame()
    assert len(frame) == len(rows) and "tried" not in frame
    for i, row in enumerate(rows):
        chosen = [
            p for p in row["tried"] if {k: p[k] for k in p if k != "error"} == row["parameters"]
        ]
        assert_allclose([p["error"] for p in chosen], row["error"])
        assert row["errs_more"][i] is None and len(row["errs_more"]) == len(rows)
    assert "log-loss" in str(fitted.leaderboard_)


def test_explain_names_members_and_neighbours(problem, fitted):
    told = fitted.explain(problem[2])
    assert_allclose(
        np.exp(told.scores), fitted.predict_proba(problem[2])
    )  # the scores are log-probabilities
    assert len(told.terms) == len(fitted.members_)
    text = told.tell(0)
    assert fitted.members_[0].name in text
    assert "share" in text and "probabilities" in text
    assert str(told).count("query") >= 3


@pytest.mark.parametrize("form", ["array", "csr", "dissimilarity", "frame"])
def test_every_form_of_a_matrix(problem, form):
    S, y, queries, truth = problem
    top = S.values.max()
    train, test = {
        "array": lambda: (S.values, queries.values),
        "csr": lambda: (sparse.csr_array(S.values), sparse.csr_array(queries.values)),
        "dissimilarity": lambda: (top - S.values, top - queries.values),
        "frame": lambda: (pytest.importorskip("pandas").DataFrame(S.values), queries.values),
    }[form]()
    model = SimilarityClassifier(**QUICK).fit(train, y)
    assert model.kind_ == ("dissimilarity" if form == "dissimilarity" else "similarity")
    assert (model.predict(test) == truth).mean() > 0.8


def test_a_diagonal_that_tells_nothing_is_asked_about():
    ring = np.roll(np.eye(6), 1, axis=1)  # the adjacency of a graph: zeros are most frequent
    with pytest.raises(InputError, match="Say kind="):
        SimilarityClassifier(**QUICK).fit(ring + ring.T, [0, 0, 0, 1, 1, 1])


def test_objects_need_nothing_but_a_similarity():
    names = ["anna", "anne", "hanna", "joanna", "nanna", "otto", "lotto", "ottone", "tottori"]
    y = ["a"] * 5 + ["o"] * 4
    pytest.importorskip("rapidfuzz")
    model = SimilarityClassifier(similarity="levenshtein", **QUICK).fit(names, y)
    assert list(model.predict(["hannah", "motto"])) == ["a", "o"]


def test_a_similarity_learned_from_labels_never_sees_held_out_labels(monkeypatch):
    votes, party = datasets.load_house_votes(return_X_y=True)
    seen = []
    model = SimilarityClassifier(similarity="value_difference", **QUICK)
    original = module.all_tried

    def spy(data, *args, **kwargs):
        cut = data.cut
        data.cut = lambda name, train, out: seen.append(len(train)) or cut(name, train, out)
        return original(data, *args, **kwargs)

    monkeypatch.setattr(module, "all_tried", spy)
    model.fit(votes[:60], party[:60])
    assert set(seen) == {40}  # three folds, each compared anew
    assert model.predict_proba(votes[60:70]).shape == (10, 2)


def test_every_source_is_tried(problem):
    S, y, queries, truth = problem
    noise = np.random.default_rng(0).normal(size=(90, 2))
    X = Sources({"good": S, "table": noise[:60]})
    model = SimilarityClassifier(**QUICK).fit(X, y)
    assert {row["source"] for row in model.leaderboard_.rows} == {"good", "table"}
    held_out = Sources({"good": queries, "table": noise[60:]})
    assert (model.predict(held_out) == truth).mean() > 0.8
    with pytest.raises(InputError, match="'table' is missing"):
        model.predict(Sources({"good": queries}))


def test_small_classes_work_and_are_told():
    rng = np.random.default_rng(0)
    y = np.array([0] * 12 + [1] * 10 + [2] * 2 + [3])
    points = rng.normal(size=(25, 2)) + 4 * y[:, None]
    D = np.linalg.norm(points[:, None] - points, axis=2)
    model = SimilarityClassifier(**QUICK).fit(Pairwise(D, "dissimilarity"), y)
    assert any("one sample" in note for note in model.notes_)
    assert model.predict_proba(D[:3]).shape == (3, 4)


def test_a_member_that_fails_is_left_out_with_its_reason(problem, monkeypatch):
    S, y, queries, _ = problem
    whole = search_module.held_out_evidence

    def failing(member, *args):
        if member.name == "knn":
            raise InputError("no neighbours today")
        return whole(member, *args)

    monkeypatch.setattr(search_module, "held_out_evidence", failing)
    model = SimilarityClassifier(**QUICK).fit(S, y)
    failed = [row for row in model.leaderboard_.rows if row["failure"]]
    assert [(row["method"], row["failure"]) for row in failed] == [("knn", "no neighbours today")]
    assert "left out: no neighbours today" in str(model.leaderboard_)
    assert np.isfinite(model.predict_proba(queries)).all()


def test_all_failing_is_an_error_with_all_reasons(problem, monkeypatch):
    S, y, _, _ = problem

    def failing(member, *args):
        raise InputError(f"not {member.name}")

    monkeypatch.setattr(search_module, "held_out_evidence", failing)
    with pytest.raises(InputError, match="knn: not knn; krr-knn: not krr-knn"):
        SimilarityClassifier(**QUICK).fit(S, y)


def test_the_rule_is_the_one_that_stored_results_are_named_by():
    """Who changes a constant of the rule says it in `RULE`, so that results are made again."""
    constants = (PRIOR_SAMPLES, SPREAD, LEAST_SHARE, SMOOTHED_ALREADY)
    assert (*constants, LEAST_WEIGHT, search_module.MOST_CALIBRATED, RULE) == (
        *(1.0, 0.5, 1e-4, 0.01, 0.02, 8),
        "mixture, prior of one sample, calibrated once more, temperatures near what is expected, "
        "smoothed once",
    )


def test_a_time_limit_combines_what_is_there(problem, monkeypatch):
    S, y, queries, _ = problem
    ticks = iter(np.arange(0.0, 1e6))
    monkeypatch.setattr(search_module, "now", lambda: next(ticks))
    with pytest.warns(SimilearnWarning, match="time limit"):
        model = SimilarityClassifier(time_limit=2.0).fit(S, y)
    assert {member.name for member in model.members_} <= {"knn", "krr-knn"}
    assert any("time limit" in (row["failure"] or "") for row in model.leaderboard_.rows)
    assert np.isfinite(model.predict_proba(queries)).all()


def test_comparing_objects_takes_of_the_time(monkeypatch):
    """What a function of pairs took is over when the methods begin: only the quickest are tried."""
    seconds = [0.0]
    monkeypatch.setattr(search_module, "now", lambda: seconds[0])

    def distance(a, b):
        seconds[0] += 1.0
        return float(abs(a - b))

    model = SimilarityClassifier(similarity=distance, kind="dissimilarity", time_limit=100.0)
    with pytest.warns(SimilearnWarning, match="time limit of 100 s"):
        model.fit(list(np.arange(24.0)), np.arange(24) // 12)
    assert {member.name for member in model.members_} <= {"knn", "krr-knn"}


def test_a_member_whose_reason_speaks_of_a_time_limit_ends_no_search(problem, monkeypatch):
    S, y, _, _ = problem
    whole = search_module.held_out_evidence

    def failing(member, *args):
        if member.name == "knn":
            raise InputError("my own time limit")
        return whole(member, *args)

    monkeypatch.setattr(search_module, "held_out_evidence", failing)
    model = SimilarityClassifier(**QUICK).fit(S, y)
    assert model.leaderboard_["failure"].count("my own time limit") == 1
    assert not any("ended the search" in note for note in model.notes_)


def test_a_member_that_fails_in_the_last_fit_is_a_failure_among_others(problem, monkeypatch):
    S, y, queries, _ = problem
    whole, first = FittedMember.of, []

    def failing(tried, *args):
        first[:] = first or [tried.member.name]
        if tried.member.name in first:
            raise MemoryError("all samples are too many")
        return whole(tried, *args)

    monkeypatch.setattr(FittedMember, "of", failing)
    model = SimilarityClassifier(**QUICK).fit(S, y)
    last = model.leaderboard_.rows[-1]
    assert last["method"] == first[0] and "too many" in last["failure"]
    assert last["log_loss"] is None and set(last["errs_more"]) == {None}
    assert all(row["errs_more"][-1] is None for row in model.leaderboard_.rows)
    assert np.isfinite(model.predict_proba(queries)).all()


def test_an_interruption_combines_what_is_there(problem, monkeypatch):
    S, y, queries, _ = problem
    whole = search_module.held_out_evidence

    def interrupted(member, *args):
        if member.name == "dboost":
            raise KeyboardInterrupt
        return whole(member, *args)

    monkeypatch.setattr(search_module, "held_out_evidence", interrupted)
    with pytest.warns(SimilearnWarning, match="interrupted"):
        model = SimilarityClassifier().fit(S, y)
    told = dict(zip(model.leaderboard_["method"], model.leaderboard_["failure"], strict=True))
    assert told["dboost"] == INTERRUPTED and told["knn"] is None
    assert np.isfinite(model.predict_proba(queries)).all()


def test_an_interruption_of_the_last_fits_keeps_what_is_fitted(problem, monkeypatch):
    S, y, queries, _ = problem
    whole, calls = FittedMember.of, []

    def interrupted(tried, *args):
        calls.append(tried.member.name)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return whole(tried, *args)

    monkeypatch.setattr(FittedMember, "of", interrupted)
    with pytest.warns(SimilearnWarning, match="last fits were interrupted"):
        model = SimilarityClassifier(**QUICK).fit(S, y)
    assert [member.name for member in model.members_] == calls[:1]
    assert INTERRUPTED in model.leaderboard_["failure"]
    assert np.isfinite(model.predict_proba(queries)).all()
    calls[:] = ["none is fitted yet"]
    with pytest.raises(KeyboardInterrupt):
        SimilarityClassifier(**QUICK).fit(S, y)


def test_labels_that_speak_against_the_diagonal_are_told():
    points = np.r_[np.arange(0.0, 3.0, 0.1), np.arange(6.0, 9.0, 0.1)]
    S, y = np.exp(-abs(points[:, None] - points)), np.arange(60) // 30
    model = SimilarityClassifier(**QUICK).fit(S, y)
    assert model.notes_ == ["X was taken as a similarity, by its diagonal."]
    np.fill_diagonal(S, 0.0)  # as if no sample were near to itself
    with pytest.warns(KindWarning, match=r"as a dissimilarity.*Pairwise\(X, 'similarity'\)"):
        model = SimilarityClassifier(**QUICK).fit(S, y)
    assert model.kind_ == "dissimilarity"  # it is said, and left to the user
    model = SimilarityClassifier(**QUICK).fit(Pairwise(S, "similarity"), y)
    assert model.kind_ == "similarity" and model.notes_ == []
    noise = np.random.default_rng(0).normal(size=(60, 60)) - 0.1 * np.eye(60)
    noise[0, 0] -= 30.0
    with pytest.raises(
        InputError, match=r"some are negative \(the smallest is -29.97.*kind='similarity'"
    ):
        SimilarityClassifier(**QUICK).fit(noise, y)


def test_a_plain_function_compares_objects_in_both_orders():
    names = [*"aaab aaba abaa baaa abab bbba".split(), *"ccd cdc dcc cccd dccc ccdd".split()]

    def letters_lost(a, b):
        return float(len(set(a) - set(b)) + abs(a.count(a[0]) - b.count(a[0])))

    model = SimilarityClassifier(similarity=letters_lost, kind="dissimilarity", **QUICK)
    model.fit(names, ["a"] * 6 + ["c"] * 6)
    assert list(model.predict(["aabb", "cddc"])) == ["a", "c"]
    with pytest.raises(InputError, match="say kind='similarity'"):
        SimilarityClassifier(similarity=letters_lost).fit(names, ["a"] * 6 + ["c"] * 6)


def test_a_balanced_error_counts_classes_alike():
    points = np.r_[np.arange(0.0, 3.0, 0.1), 10.0, 11.0]
    model = SimilarityClassifier(kind="dissimilarity", **QUICK)
    model.fit(abs(points[:, None] - points), ["a"] * 30 + ["a", "b"])  # b is never held out
    assert model.leaderboard_.combined["balanced_error"] == model.leaderboard_.combined["error"]
    y = np.array(["a"] * 30 + ["b"] * 2)
    y[[3, 15]] = "b"  # half of the second class is among the first
    row = model.fit(abs(points[:, None] - points), y).leaderboard_.rows[0]
    assert row["balanced_error"] > 2 * row["error"]


def test_the_leaderboard_is_a_frame_where_pandas_is_there(fitted, monkeypatch):
    board, frame = fitted.leaderboard_, fitted.leaderboard_.to_frame()
    assert list(board.columns) == list(frame.columns)
    assert board.sort_values("error").equals(frame.sort_values("error"))
    assert board[["method", "weight"]].equals(frame[["method", "weight"]])
    assert board[frame["weight"] > 0].equals(frame[frame["weight"] > 0])
    assert board[:2].equals(frame[:2]) and board[lambda f: f["weight"] > 0].equals(
        frame[frame["weight"] > 0]
    )
    assert "error" in board and "errors" not in board and board.rows[1] in board
    assert list(board) == board.rows == pickle.loads(pickle.dumps(copy.copy(board))).rows
    assert pd.DataFrame(board)["log_loss"].equals(frame["log_loss"])
    with pytest.raises(AttributeError, match=r"no attribute 'sorted_values'.*DataFrame"):
        _ = board.sorted_values
    with pytest.raises(InputError, match=r"no column 0\. There are method"):
        board[0]
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert not hasattr(board, "columns") and board["method"] == list(frame["method"])
    with pytest.raises(AttributeError, match="no attribute 'columns': A frame needs pandas"):
        _ = board.columns


def test_the_leaderboard_judges_the_combination(fitted):
    combined = fitted.leaderboard_.combined
    assert_allclose(combined["log_loss"], -np.log(fitted.held_out_).mean())
    assert combined["log_loss"] <= min(fitted.leaderboard_["log_loss"]) + 0.01
    assert 0.0 <= combined["error"] <= 0.2 and combined["error_se"] >= 0.0
    assert 0.0 <= combined["balanced_error"] <= 0.25
    assert str(fitted.leaderboard_).splitlines()[1].startswith("combined ")
    with pytest.raises(InputError, match=r"no column 'loss'\. There are method, source"):
        fitted.leaderboard_["loss"]


def test_costs_and_clone(problem, fitted):
    S, y, queries, _ = problem
    costs = np.array([[0, 1, 1], [1, 0, 1], [1e6, 1e6, 0]])
    model = clone(fitted).set_params(costs=costs, **QUICK).fit(S, y)
    assert 2 not in model.predict(queries)


def test_bad_parameters_are_sentences(problem):
    S, y, _, _ = problem
    with pytest.raises(InputError, match="effort='huge' is unknown"):
        SimilarityClassifier(effort="huge").fit(S, y)
    with pytest.raises(InputError, match="time_limit"):
        SimilarityClassifier(time_limit=-1.0).fit(S, y)


def test_no_warning_on_ordinary_data(problem):
    S, y, queries, _ = problem
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SimilarityClassifier(**QUICK).fit(S, y).predict_proba(queries)


def test_classes_of_one_sample_only_are_refused():
    with pytest.raises(InputError, match="Every class in y has one sample"):
        SimilarityClassifier(effort="quick").fit(np.eye(6), np.arange(6))


def test_three_samples_are_enough():
    S = Pairwise([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]], "similarity")
    model = SimilarityClassifier().fit(S, ["a", "a", "b"])
    assert list(model.predict(S.of_same_samples(False))) == ["a", "a", "b"]


def test_asymmetric_data_with_both_directions(problem):
    S, y, queries, truth = problem
    skew = np.random.default_rng(0).uniform(0.9, 1.1, size=S.shape)
    train = Pairwise(S.values * skew, "similarity")
    test = Pairwise(queries.values, "similarity", reverse=queries.values, same_samples=False)
    model = SimilarityClassifier(**QUICK).fit(train, y)
    assert (model.predict(test) == truth).mean() > 0.8


def test_too_many_samples_for_an_effort_are_told(problem, monkeypatch):
    S, y, queries, _ = problem
    monkeypatch.setitem(portfolio_module.MOST_DECOMPOSED, "quick", 50)
    model = SimilarityClassifier(**QUICK).fit(S, y)
    failed = {row["method"]: row["failure"] for row in model.leaderboard_.rows if row["failure"]}
    assert set(failed) == {"indefinite-fisher", "krein-svm"}
    assert "60 samples are more than the 50 that effort='quick'" in failed["krein-svm"]
    assert np.isfinite(model.predict_proba(queries)).all()


def test_a_member_that_fails_on_all_samples_is_left_out(problem, monkeypatch):
    S, y, queries, _ = problem
    fit = NeighborsClassifier.fit

    def failing(self, X, y):
        if self.weights == "krr" and len(X) == 60:
            raise MemoryError
        return fit(self, X, y)

    monkeypatch.setattr(NeighborsClassifier, "fit", failing)
    model = SimilarityClassifier(**QUICK).fit(S, y)
    failed = {row["method"]: row["failure"] for row in model.leaderboard_.rows if row["failure"]}
    assert failed == {"krr-knn": "MemoryError"}
    assert_allclose(model.weights_.sum(), 1.0)
    assert np.isfinite(model.predict_proba(queries)).all()


def test_groups_are_held_out_together(problem, monkeypatch):
    S, y, _, _ = problem
    groups = np.arange(60) // 3
    seen = []
    keep = module.all_tried

    def watched(data, codes, stages, folds, **options):
        seen.extend(folds)
        return keep(data, codes, stages, folds, **options)

    monkeypatch.setattr(module, "all_tried", watched)
    model = SimilarityClassifier(**QUICK).fit(S, y, groups=[f"person {g}" for g in groups])
    assert model.notes_ == [] and len(seen) == 3
    for train, held_out in seen:
        assert not set(groups[train]) & set(groups[held_out])
    assert_array_equal(np.sort(np.concatenate([h for _, h in seen])), np.arange(60))


def test_copies_in_one_group_earn_no_praise():
    rng = np.random.default_rng(0)
    points = np.repeat(rng.normal(size=(30, 2)), 4, axis=0) + 1e-3 * rng.normal(size=(120, 2))
    y = np.repeat(rng.permutation(np.arange(30) % 2), 4)  # labels mean nothing but the group
    D = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    groups = np.repeat(np.arange(30), 4)
    plain = SimilarityClassifier(**QUICK).fit(D, y)
    grouped = SimilarityClassifier(**QUICK).fit(D, y, groups=groups)
    assert plain.leaderboard_.rows[0]["error"] < 0.1 < 0.25 < grouped.leaderboard_.rows[0]["error"]


def test_groups_of_a_whole_class_stay_in_training(problem):
    S, y, _, _ = problem
    groups = np.arange(60) % 7
    groups[y == 2] = 99
    model = SimilarityClassifier(**QUICK).fit(S, y, groups=groups)
    count = np.count_nonzero(y == 2)
    assert model.notes_ == [
        f"Samples never held out, as their groups hold all of a class: {count}."
    ]


@pytest.mark.parametrize(
    ("groups", "match"),
    [([1, 2], "one group for each of the 60"), (None, "Every class in y has one group")],
)
def test_groups_that_cannot_be(problem, groups, match):
    S, y, _, _ = problem
    with pytest.raises(InputError, match=match):
        SimilarityClassifier(**QUICK).fit(S, y, groups=y if groups is None else groups)


def test_what_all_members_warn_of_is_said_once(problem):
    S, y, _, _ = problem
    lopsided = S.values * np.random.default_rng(0).uniform(0.8, 1.2, size=S.shape)
    model = SimilarityClassifier(kind="similarity", **QUICK).fit(lopsided, y)
    for ask in (model.predict_proba, model.explain):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ask(lopsided[:2])
        assert [w.category for w in caught] == [AsymmetryWarning]


def test_samples_without_a_share_are_not_told():
    D = abs(np.arange(12.0)[:, None] - np.arange(12.0)) + 50 * (
        np.arange(12)[:, None] // 6 != np.arange(12) // 6
    )
    model = SimilarityClassifier(**QUICK).fit(D, np.arange(12) // 6)
    told = model.explain(D[:1]).tell(0)
    assert "share" in told and "share 0.000" not in told


def test_groups_are_routed(problem):
    S, y, _, _ = problem
    with config_context(enable_metadata_routing=True):
        model = SimilarityClassifier(**QUICK).set_fit_request(groups=True)
        search = GridSearchCV(model, {"effort": ["quick"]}, cv=GroupKFold(2))
        search.fit(S.values, y, groups=np.arange(60) // 3)
    assert search.best_score_ > 0.5


def test_many_samples_try_fewer_neighbors_and_many_classes_fewer_rounds():
    (kri,) = (m for m in portfolio_module.PORTFOLIO if m.name == "kri-knn")
    assert max(kri.at_size(2000, 2).grid["n_neighbors"]) == 128
    assert max(kri.at_size(2001, 2).grid["n_neighbors"]) == 64
    assert kri.at_size(2001, 2).grid["ridge"] == kri.grid["ridge"]
    boosting = next(m for m in portfolio_module.PORTFOLIO if m.name == "dboost")
    rounds = {g: boosting.at_size(500, g).grid["n_estimators"] for g in (2, 60, 139, 5000)}
    assert rounds[2] == rounds[60] == boosting.grid["n_estimators"]
    assert rounds[139] == (10, 25, 50, 100) and rounds[5000] == (10,)


def test_sets_hold_the_true_label_as_often_as_is_asked():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], 120)
    points = rng.normal(size=(360, 2)) + 1.6 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    S = np.exp(-0.5 * ((points[:, None] - points) ** 2).sum(axis=2))
    train, test = np.arange(0, 360, 2), np.arange(1, 360, 2)
    model = SimilarityClassifier(kind="similarity", effort="quick")
    model.fit(S[np.ix_(train, train)], y[train])
    queries = S[np.ix_(test, train)]
    for coverage in (0.8, 0.95):
        sets = model.predict_set(queries, coverage)
        for g in range(3):
            covered = sets[y[test] == g, g].mean()
            assert covered == pytest.approx(coverage, abs=2.5 * np.sqrt(0.2 * 0.8 * 2 / 60))
    assert (model.predict_set(queries, 0.8) <= model.predict_set(queries, 0.95)).all()
    with pytest.raises(InputError, match="coverage"):
        model.predict_set(queries, 1.5)


def test_what_was_held_out_is_kept_by_sample():
    rng = np.random.default_rng(0)
    y = np.r_[np.zeros(12, int), np.ones(12, int), [2]]
    points = np.r_[rng.normal(size=12), 5 + rng.normal(size=12), [20.0]]
    points[3] = 5.0  # its label is not to be believed
    model = SimilarityClassifier(kind="dissimilarity", effort="quick")
    model.fit(abs(points[:, None] - points), y)
    assert np.isnan(model.held_out_[24]) and not np.isnan(model.held_out_[:24]).any()
    assert model.held_out_[:24].argmin() == 3


def test_columns_of_the_leaderboard_stand_below_each_other_whatever_a_source_is_called():
    row = {"error": 0.1, "log_loss": 0.2, "weight": 0.5, "seconds": 1.0, "failure": None}
    rows = [row | {"method": "indefinite-fisher", "source": "smith-waterman:normalized=True"}]
    rows += [row | {"method": "knn", "source": "ngrams"}]
    rows += [row | {"method": "knn", "source": "x", "failure": "it is no use"}]
    head, *lines = str(Leaderboard(rows)).splitlines()
    assert [line.index("10.00") + 5 for line in lines[:2]] == [head.index("error %") + 7] * 2
    assert lines[2].index("left out") == len(rows[0]["method"]) + len(rows[0]["source"]) + 4
    assert str(Leaderboard([])).startswith("method")


def test_a_printed_leaderboard_tells_standard_errors_within_80_columns(fitted):
    board = fitted.leaderboard_
    head, *lines = str(board).splitlines()
    assert max(map(len, [head, *lines])) <= 80
    of_error, of_loss = (i + 1 for i, sign in enumerate(head) if sign == "±")
    for line, row in zip(lines, [board.combined, *board.rows], strict=True):
        assert line[:of_error].split()[-1] == f"{100 * row['error_se']:.2f}"
        assert line[:of_loss].split()[-1] == f"{row['log_loss_se']:.3f}"
