"""The default classifier where something is odd: names, labels, faults on the way, far numbers."""

import enum
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import NotFittedError

from similearn import NeighborsClassifier, Pairwise, SimilarityClassifier, Sources, write_report
from similearn.errors import InputError, KindWarning, SimilearnWarning
from similearn.selection.auto import trying

QUICK = {"effort": "quick", "progress": False}
N = 24
IDS = np.array([f"s{i:02}" for i in range(N)])
OTHER = np.roll(np.arange(N), 5)


def distances(one, other):
    return np.abs(one[:, None] - other)


rng = np.random.default_rng(0)
Y = np.array(["a", "b"] * (N // 2))
POINTS = rng.normal(size=N) + 2.0 * (Y == "b")
NEW = rng.normal(size=7) + 1.0
D, Q = distances(POINTS, POINTS), distances(NEW, POINTS)


def block(values, rows, columns):
    return Pairwise(values, "dissimilarity", row_ids=rows, column_ids=columns)


@pytest.mark.parametrize("model", [SimilarityClassifier(**QUICK), NeighborsClassifier()], ids=str)
def test_columns_that_are_named_otherwise_than_the_training_samples_are_refused(model):
    model.fit(block(D, IDS, IDS), Y)
    queries = Pairwise(Q[:, OTHER], "dissimilarity", column_ids=IDS[OTHER])
    with pytest.raises(InputError, match="Column 0 of X is 's19', but training sample 0 was 's00'"):
        model.predict_proba(queries)
    assert len(model.predict_proba(Pairwise(Q, "dissimilarity", column_ids=IDS))) == 7


def names_of_each_other(n=60):
    """Half of the samples name those of their class, the others name anybody."""
    draw = np.random.default_rng(3)
    y = np.arange(n) % 3
    speaks = np.arange(n) % 2 == 0
    S = np.where(speaks[:, None], y[:, None] == y, draw.random((n, n)) < 1 / 3).astype(float)
    S *= draw.random((n, n)) < 0.8
    np.fill_diagonal(S, 1.0)
    return S, y


def test_held_out_samples_of_a_plain_array_show_one_direction():
    S, y = names_of_each_other()
    train, test = np.arange(40), np.arange(40, 60)
    own = S[np.ix_(train, train)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SimilarityClassifier(progress=False, kind="similarity").fit(own, y[train])
        said = Pairwise(own, "similarity", one_way=True)
        same = SimilarityClassifier(progress=False).fit(said, y[train])
        both = SimilarityClassifier(progress=False).fit(Pairwise(own, "similarity"), y[train])
    assert "X is asymmetric, and new samples are expected with one direction" in model.notes_[0]
    assert both.notes_ == []
    assert model.leaderboard_["error"] == same.leaderboard_["error"]
    claimed, praised = model.leaderboard_.combined["error"], both.leaderboard_.combined["error"]
    with pytest.warns(SimilearnWarning, match="the reverse direction of these queries is unknown"):
        error = np.mean(model.predict(S[np.ix_(test, train)]) != y[test])
    assert praised < 0.1 < 0.25 <= min(claimed, error)  # silent samples cannot be told from rows


def test_cosine_distances_that_rounding_made_negative():
    angles = np.r_[POINTS, POINTS[:3]]  # some vectors twice: zeros off the diagonal, too
    rows = np.c_[np.cos(angles), np.sin(angles)]
    C, y = 1.0 - rows @ rows.T, np.r_[Y, Y[:3]]
    C[N, 0] = C[0, N] = -2e-16
    model = SimilarityClassifier(progress=False).fit(C, y)
    assert model.kind_ == "dissimilarity"
    assert model.leaderboard_["failure"] == [None] * len(model.leaderboard_)
    assert_allclose(model.predict_proba(C[:4] - 1e-17), model.predict_proba(C[:4]), atol=1e-9)


@pytest.mark.parametrize(
    "X",
    [block(D[OTHER], IDS[OTHER], IDS), pd.DataFrame(D[OTHER], index=IDS[OTHER], columns=IDS)],
    ids=["block", "frame"],
)
def test_rows_in_another_order_than_columns_are_refused(X):
    with pytest.raises(InputError, match=r"Row 0 of X is 's19' and column 0 is 's00'"):
        SimilarityClassifier(**QUICK).fit(X, Y[OTHER])


def test_frames_name_the_training_samples():
    model = SimilarityClassifier(**QUICK).fit(pd.DataFrame(D, index=IDS, columns=IDS), Y)
    queries = pd.DataFrame(Q, columns=IDS)
    assert_array_equal(model.reference_ids_, IDS)
    assert " s" in model.explain(queries).tell(0)
    plain = SimilarityClassifier(**QUICK).fit(D, Y)
    assert_array_equal(model.predict_proba(queries), plain.predict_proba(Q))
    assert plain.reference_ids_ is None


class Tree(enum.Enum):
    """Labels without an order."""

    OAK, ASH = 1, 2


@pytest.mark.parametrize(
    "labels",
    [[Tree.OAK, Tree.ASH] * 12, np.array([1, "a"] * 12, dtype=object)],
    ids=["enum", "mix"],
)
def test_labels_without_an_order_get_a_sentence(labels):
    with pytest.raises(InputError, match=r"Pass labels|make them all strings"):
        SimilarityClassifier(**QUICK).fit(D, labels)


def test_a_fit_that_fails_leaves_no_half_of_two():
    model = SimilarityClassifier(**QUICK).fit(D, Y)
    with pytest.raises(InputError, match="group"):
        model.fit(D, np.where(Y == "a", "yes", "no"), groups=np.zeros(N))
    with pytest.raises(NotFittedError):
        model.predict(Q)
    with pytest.raises(NotFittedError):
        model.predict_set(Q)
    assert len(model.fit(D, Y).predict(Q)) == 7


def test_a_member_whose_choice_fails_is_left_out(monkeypatch):
    chosen, calls = trying.chosen_point, []

    def once(*arguments):
        calls.append(1)
        if len(calls) == 2:
            raise MemoryError("no room")
        return chosen(*arguments)

    monkeypatch.setattr(trying, "chosen_point", once)
    model = SimilarityClassifier(**QUICK).fit(D, Y)
    (failure,) = [row["failure"] for row in model.leaderboard_.rows if row["failure"]]
    assert failure == "MemoryError: no room"


def test_far_queries_do_not_change_what_is_said_of_others():
    S = np.exp(-D)
    model = SimilarityClassifier(progress=False).fit(S, Y)
    far = np.exp(-Q) * 1e308
    far[0] = np.exp(-Q[0]) * 1e200
    together = model.predict_proba(far)
    assert np.isfinite(together).all()
    assert_allclose(together[:1], model.predict_proba(far[:1]), atol=1e-9)


def test_numbers_at_the_end_of_floats_are_taken_or_refused_in_our_words():
    wild = np.where(D > np.median(D), -1.7e308, 1.7e308)
    np.fill_diagonal(wild, 1.7e308)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = SimilarityClassifier(progress=False).fit(Pairwise(wild, "similarity"), Y)
        assert np.isfinite(model.predict_proba(wild)).all()
        huge = SimilarityClassifier(class_weight={"a": 1e308, "b": 1e308}, **QUICK).fit(D, Y)
        like = SimilarityClassifier(**QUICK).fit(D, Y)
        assert_allclose(huge.predict_proba(Q), like.predict_proba(Q), rtol=1e-6)
        table = np.where(Y == "a", 1.7e308, -1.7e308)[:, None]
        with pytest.raises(InputError, match="The source 'table' holds numbers beyond 1e\\+300"):
            SimilarityClassifier(**QUICK).fit(Sources({"table": table}), Y)


def test_faults_of_sources_name_the_source():
    train = Sources({"one": Pairwise(D, "dissimilarity"), "two": Pairwise(D**2, "dissimilarity")})
    model = SimilarityClassifier(**QUICK).fit(train, Y)
    one = Pairwise(Q, "dissimilarity")
    few = Pairwise(Q[:, 1:], "dissimilarity")
    with pytest.raises(InputError, match="source 'one' has 23 columns; expected the 24 training"):
        model.predict(Sources({"one": few, "two": few}))
    holes = Q.copy()
    holes[1, 2] = np.nan
    with pytest.raises(InputError, match="The source 'two' contains NaN at row 1, column 2"):
        model.predict(Sources({"one": one, "two": Pairwise(holes, "dissimilarity")}))
    told = model.explain(Sources({"one": one, "two": one})).tell(0)
    assert f"votes, values of {model.members_[0].source}:" in told or "no member votes" in told


def test_times_and_groups_without_a_number_are_refused():
    with pytest.raises(InputError, match="X holds values of type timedelta64"):
        SimilarityClassifier(**QUICK).fit(D.astype("m8[s]"), Y)
    groups = np.where(np.arange(N) == 3, np.nan, np.arange(N) % 6)
    with pytest.raises(InputError, match="groups holds NaN"):
        SimilarityClassifier(**QUICK).fit(D, Y, groups=groups)


@pytest.mark.parametrize("compares", [True, False])
def test_time_that_comparing_took_is_said_where_samples_were_compared(monkeypatch, compares):
    monkeypatch.setattr(trying, "now", iter(np.arange(0.0, 1e6, 10.0)).__next__)
    given = {"similarity": "euclidean"} if compares else {}
    with pytest.warns(match="limit of 1 s ended the search") as told:
        model = SimilarityClassifier(time_limit=1.0, **QUICK, **given)
        model.fit(POINTS[:, None] if compares else D, Y)
    said = ["Comparing the samples had taken all of it" in str(w.message) for w in told]
    assert any(said) == compares


@pytest.mark.parametrize("given", [Pairwise(D, "similarity"), D], ids=["block", "kind="])
def test_a_kind_that_labels_contradict_is_warned_of_whoever_said_it(given):
    y = np.where(POINTS > np.median(POINTS), "b", "a")
    with pytest.warns(KindWarning, match="X was taken as a similarity, but .* a dissimilarity"):
        SimilarityClassifier(kind="similarity", **QUICK).fit(given, y)


def test_a_report_on_a_model_alone(tmp_path):
    model = SimilarityClassifier(**QUICK).fit(D, Y)
    page = tmp_path / "page.html"
    write_report(model, page)
    assert "leaderboard" in page.read_text().lower() or "krr-knn" in page.read_text()
