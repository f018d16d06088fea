import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import similearn
from similearn import LocalNearestMeansClassifier, Pairwise, PathSearchCV, Sources
from similearn.errors import InputError
from tests.thinning import drawn
from tests.uncalibrated import (
    BDAClassifier,
    FusedNeighborsClassifier,
    FusionClassifier,
    LocalBDAClassifier,
    LocalSDAClassifier,
    NeighborsClassifier,
)


def problem(n=50, n_classes=3, seed=0):
    """One similarity, one dissimilarity, two tables; the last 15 samples are queries."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n) * rng.integers(0, 2, n)
    y[: 2 * n_classes] = np.tile(np.arange(n_classes), 2)
    views = [rng.normal(size=(n, 3)) + 1.2 * rng.normal(size=(n_classes, 3))[y] for _ in range(4)]
    away = np.linalg.norm(views[1][:, None] - views[1][None], axis=2)
    X = Sources(
        {
            "alike": Pairwise(views[0] @ views[0].T, "similarity"),
            "apart": Pairwise(away, "dissimilarity"),
            "table": views[2],
            "other": views[3],
        }
    )
    train, test = np.arange(n - 15), np.arange(n - 15, n)
    return X[np.ix_(train, train)], y[train], X[np.ix_(test, train)], y[test]


COMPONENTS = [
    ("votes", NeighborsClassifier(4), "alike"),
    ("far", NeighborsClassifier(6, kind="dissimilarity"), "apart"),
    ("bda", LocalBDAClassifier(3), "table"),
    ("bayes", make_pipeline(StandardScaler(), GaussianNB()), "other"),
]


def test_equation_6():
    X, y, queries, _ = problem()
    parts = COMPONENTS[2:]
    bda = LocalBDAClassifier(3).fit(X["table"], y).predict_proba(queries["table"])
    bayes = clone(parts[1][1]).fit(X["other"], y).predict_proba(queries["other"])
    prior = np.bincount(y) / len(y)
    for choice, expected in (("each", bda * bayes), ("once", bda * bayes / prior)):
        model = FusionClassifier(parts, prior=choice).fit(X, y)
        expected /= expected.sum(axis=1, keepdims=True)
        assert_allclose(model.predict_proba(queries), expected, rtol=1e-9)
        assert_array_equal(model.predict(queries), expected.argmax(axis=1))


@pytest.mark.parametrize("prior", ["once", "each"])
@pytest.mark.parametrize("position", range(4))
def test_a_single_source_fused_is_itself(position, prior):
    X, y, queries, _ = problem()
    _, estimator, source = COMPONENTS[position]
    model = FusionClassifier([COMPONENTS[position]], prior=prior).fit(X, y)
    alone = clone(estimator).fit(X[source], y).predict_proba(queries[source])
    assert_allclose(model.predict_proba(queries), alone, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("temper", [None, 3])
def test_order_of_sources_does_not_matter(temper):
    X, y, queries, _ = problem()
    expected = FusionClassifier(COMPONENTS, temper=temper).fit(X, y).predict_proba(queries)
    backwards = FusionClassifier(COMPONENTS[::-1], temper=temper).fit(X, y)
    assert_allclose(backwards.predict_proba(queries), expected, rtol=1e-4 if temper else 1e-10)


def test_what_underflows_alone_still_counts_together():
    """One source is sure beyond underflow; the other, surer still, says the contrary."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 20)
    near, far = (rng.normal(size=(40, 1200)) + shift * y[:, None] for shift in (6, 20))
    X = Sources({"near": near, "far": far})
    parts = [("a", BDAClassifier(), "near"), ("b", BDAClassifier(), "far")]
    model = FusionClassifier(parts).fit(X, y)
    liar = Sources({"near": near[:20], "far": far[20:]})
    told = model.explain(liar)
    assert (told.terms["a"][:, 1] < -746).all() and (told.terms["b"][:, 0] < -746).all()
    assert_array_equal(model.predict(liar), np.ones(20))


def test_components_that_rule_out_every_class_leave_the_decision_to_others():
    y = np.array([0, 0, 1, 1, 2, 2])
    tables = {name: np.array([[0.0], [0.0], [1.0], [1.0], [9.0], [9.0]]) for name in "abc"}
    X = Sources(tables)
    parts = [(f"knn_{name}", KNeighborsClassifier(2), name) for name in "abc"]
    model = FusionClassifier(parts).fit(X, y)
    queries = Sources({"a": [[0.0]], "b": [[1.0]], "c": [[1.0]]})
    probabilities = model.predict_proba(queries)
    assert np.isfinite(model.decision_function(queries)).all()
    assert probabilities.argmax() == 1
    disagreeing = Sources({"a": [[0.0]], "b": [[1.0]], "c": [[9.0]]})
    assert_allclose(model.predict_proba(disagreeing), np.full((1, 3), 1 / 3))


def test_explain_adds_up():
    X, y, queries, _ = problem()
    for prior, temper in (("once", None), ("each", None), ("once", 3)):
        told = FusionClassifier(COMPONENTS, prior=prior, temper=temper).fit(X, y).explain(queries)
        assert_allclose(sum(told.terms.values()), told.scores)
        names = [name for name, _, _ in COMPONENTS] + ["prior"] * (prior == "once")
        assert list(told.terms) == names
    assert "bda of" in told.tell(0)


def test_costs_change_the_decision_as_the_algebra_says():
    X, y, queries, _ = problem(n_classes=2)
    parts = COMPONENTS[2:]
    costs = np.array([[0.0, 30.0], [1.0, 0.0]])
    plain = FusionClassifier(parts).fit(X, y)
    p = plain.predict_proba(queries)[:, 1]
    wary = FusionClassifier(parts, costs=costs).fit(X, y)
    assert_array_equal(wary.predict(queries), (30 * p > 1 - p).astype(int))
    assert (wary.predict(queries) != plain.predict(queries)).any()


def test_tempering_by_hand():
    X, y, _, _ = problem()
    parts = COMPONENTS[2:]
    cv = StratifiedKFold(3)
    model = FusionClassifier(parts, temper=cv, prior="each").fit(X, y)
    assert (model.exponents_ >= 0).all() and not np.allclose(model.exponents_, 1, atol=0.01)
    held_out = [
        cross_val_predict(e, X[source], y, cv=cv, method="predict_log_proba")
        for _, e, source in parts
    ]

    def loss(exponents):
        scores = sum(b * logs for b, logs in zip(exponents, held_out, strict=True))
        logs = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        pull = ((exponents - 1) ** 2).sum() / 2
        return -logs[np.arange(len(y)), y].sum() + pull

    for c in range(2):
        for step in (-0.01, 0.01):
            moved = model.exponents_.copy()
            moved[c] = max(moved[c] + step, 0)
            assert loss(moved) >= loss(model.exponents_) - 1e-9


def test_tempering_notices_a_source_that_is_said_twice():
    X, y, _, _ = problem()
    once = FusionClassifier([("a", BDAClassifier(), "table")], temper=5).fit(X, y)
    parts = [(name, BDAClassifier(), "table") for name in "ab"]
    twice = FusionClassifier(parts, temper=5).fit(X, y)
    assert_allclose(twice.exponents_.sum(), once.exponents_.sum(), rtol=0.2)


def test_parameters_of_components():
    model = FusionClassifier(COMPONENTS)
    parameters = model.get_params()
    assert parameters["bda__n_neighbors"] == 3
    assert parameters["bayes__gaussiannb__var_smoothing"] == 1e-9
    assert "bda" not in model.get_params(deep=False)
    copy = clone(model)
    copy.set_params(bda__n_neighbors=9, bayes__gaussiannb__var_smoothing=1e-3, prior="each")
    assert copy.get_params()["bda__n_neighbors"] == 9
    assert model.get_params()["bda__n_neighbors"] == 3
    copy.set_params(bda=BDAClassifier(), votes__n_neighbors=2)
    assert (
        isinstance(copy.components[2][1], BDAClassifier.func) and copy.components[2][2] == "table"
    )
    assert copy.components[0][1].n_neighbors == 2
    with pytest.raises(ValueError, match="nonsense"):
        copy.set_params(nonsense=1)
    with pytest.raises(ValueError, match="nonsense"):
        copy.set_params(votes__nonsense=1)
    X, y, queries, _ = problem()
    before = clone(COMPONENTS[0][1]).get_params()
    copy.fit(X, y)
    assert (
        not hasattr(copy.components[0][1], "classes_") and before == COMPONENTS[0][1].get_params()
    )
    again = pickle.loads(pickle.dumps(copy))
    assert_array_equal(again.predict_proba(queries), copy.predict_proba(queries))


GRID = {"votes__n_neighbors": [1, 3, 8], "bda__n_neighbors": [2, 5], "prior": ["once", "each"]}


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss"])
def test_searches_agree(scoring):
    X, y, queries, _ = problem()
    model = FusionClassifier(COMPONENTS)
    plain = GridSearchCV(model, GRID, cv=3, scoring=scoring, error_score="raise").fit(X, y)
    path = PathSearchCV(model, GRID, cv=3, scoring=scoring, error_score="raise").fit(X, y)
    assert path.searched_by_path_
    for i in range(3):
        column = f"split{i}_test_score"
        assert_allclose(path.cv_results_[column], plain.cv_results_[column], rtol=1e-9)
    assert path.predict(queries).shape == (15,)


def test_search_with_tempering_goes_point_by_point():
    X, y, _, _ = problem()
    model = FusionClassifier(COMPONENTS[2:], temper=3)
    search = PathSearchCV(model, {"bda__n_neighbors": [2, 5]}, cv=3, error_score="raise")
    assert not search.fit(X, y).searched_by_path_


def test_path_equals_refit():
    X, y, queries, _ = problem()
    candidates = [
        {"votes__n_neighbors": 2, "bda__n_neighbors": 4},
        {"votes__n_neighbors": 7},
        {"bda__n_neighbors": 1, "far__n_neighbors": 3},
        {},
    ]
    path = FusionClassifier(COMPONENTS).fit_path(X, y, candidates).path_scores(queries)
    for scores, candidate in zip(path, candidates, strict=True):
        model = clone(FusionClassifier(COMPONENTS)).set_params(**candidate).fit(X, y)
        assert_allclose(scores, model.decision_function(queries), rtol=1e-12)


def test_a_block_serves_classifiers_of_features_too():
    X, y, queries, _ = problem()
    parts = [("pairs", NeighborsClassifier(4), "alike"), ("rows", LocalBDAClassifier(4), "alike")]
    model = FusionClassifier(parts).fit(X, y)
    rows = LocalBDAClassifier(4).fit(X["alike"].values, y)
    expected = rows.predict_log_proba(queries["alike"].values)
    assert_allclose(model.explain(queries).terms["rows"], expected)
    scores = GridSearchCV(model, {"rows__n_neighbors": [2, 3]}, cv=3, error_score="raise")
    assert scores.fit(X, y).best_score_ > 0


def test_the_papers_fusion_of_sda_and_bda():
    """Every k and α of both from one fit of each, equal to refitting; probabilities multiply."""
    X, y, queries, _ = problem()
    sda = LocalSDAClassifier(4, regularization="joint")
    parts = [("sda", sda, "alike"), ("bda", LocalBDAClassifier(3), "table")]
    model = FusionClassifier(parts, prior="each").fit(X, y)
    alone = [clone(e).fit(X[source], y).predict_proba(queries[source]) for _, e, source in parts]
    product = alone[0] * alone[1]
    expected = product / product.sum(axis=1, keepdims=True)
    assert_allclose(model.predict_proba(queries), expected, rtol=1e-8, atol=1e-12)
    candidates = [
        {"sda__n_neighbors": k, "sda__alpha": alpha, "bda__n_neighbors": b}
        for k, alpha, b in ((3, 0.1, 2), (9, 0.5, 2), (3, 0.5, 6))
    ]
    path = clone(model).fit_path(X, y, candidates).path_scores(queries)
    for scores, candidate in zip(path, candidates, strict=True):
        refit = clone(model).set_params(**candidate).fit(X, y)
        assert_allclose(scores, refit.decision_function(queries), rtol=1e-9)


@given(st.integers(0, 10**6), st.sampled_from(["once", "each"]))
@drawn(15)
def test_probabilities_are_finite_and_normalized(seed, prior):
    X, y, queries, _ = problem(n=30, seed=seed)
    model = FusionClassifier(COMPONENTS[:3], prior=prior).fit(X, y)
    probabilities = model.predict_proba(queries)
    assert np.isfinite(probabilities).all()
    assert_allclose(probabilities.sum(axis=1), 1.0)


@pytest.mark.parametrize("components", [None, [], COMPONENTS[:1], [("new", *COMPONENTS[0][1:])]])
def test_components_that_are_changed_after_fit_are_named(components):
    X, y, queries, _ = problem()
    model = FusionClassifier(COMPONENTS[:2]).fit(X, y)
    model.components = components
    with pytest.raises(InputError, match="set since then"):
        model.predict(queries)


def test_messages():
    X, y, queries, _ = problem()

    def fit(components, **settings):
        return FusionClassifier(components, **settings).fit(X, y)

    with pytest.raises(InputError, match="square block"):
        FusionClassifier(COMPONENTS).fit(X["table"], y)
    with pytest.raises(InputError, match="asks for source 'alike'; X holds pairs"):
        FusionClassifier(COMPONENTS[:1]).fit(X["alike"], y)
    with pytest.raises(InputError, match="asks for source 'nowhere'; X holds alike"):
        fit([("a", BDAClassifier(), "nowhere")])
    with pytest.raises(InputError, match="is a table of features, but NeighborsClassifier"):
        fit([("a", NeighborsClassifier(), "table")])
    with pytest.raises(InputError, match="gives no probabilities"):
        fit([("a", LocalNearestMeansClassifier(), "table")])
    for wrong in ([], [("a", BDAClassifier())], "nonsense", None):
        with pytest.raises(InputError, match="list of"):
            fit(wrong)
    for names in (("a", "a"), ("a__b", "c"), ("prior", "c")):
        with pytest.raises(InputError, match="cannot be named"):
            fit([(name, BDAClassifier(), "table") for name in names])
    with pytest.raises(InputError, match="prior='twice'"):
        fit(COMPONENTS, prior="twice")
    with pytest.raises(InputError, match="square"):
        FusionClassifier(COMPONENTS).fit(queries, y[:15])
    lonely = np.where(np.arange(len(y)) == 0, 7, y)
    with pytest.raises(InputError, match="two samples of every class"):
        FusionClassifier(COMPONENTS[2:], temper=3).fit(X, lonely)
    model = fit(COMPONENTS)
    with pytest.raises(InputError, match="must be the 35 training samples"):
        model.predict(queries["table"])
    with pytest.raises(InputError, match="X holds table"):
        model.predict(Sources({"table": queries["table"]}))


@pytest.mark.parametrize(
    "model", [FusionClassifier(COMPONENTS[2:3]), FusedNeighborsClassifier(3)], ids=["bda", "knn"]
)
def test_columns_of_tables_are_found_by_name(model, tmp_path):
    """They were read by position, whatever a frame called them."""
    X, y, queries, _ = problem()

    def named(X, columns, alike):
        tables = {n: pd.DataFrame(X[n], columns=list("abc"))[columns] for n in ("table", "other")}
        return Sources(tables | ({"alike": X["alike"]} if alike else {}))

    alike = isinstance(model, similearn.FusedNeighborsClassifier)
    fitted = clone(model).fit(named(X, list("abc"), alike), y)
    expected = fitted.predict_proba(named(queries, list("abc"), alike))
    turned = named(queries, list("cab"), alike)
    assert_array_equal(fitted.predict_proba(turned), expected)
    with pytest.raises(InputError, match="'table' has no column 'c', which it had at fit"):
        fitted.predict(named(queries, list("ab"), alike))
    similearn.save(fitted, tmp_path / "m")
    assert_array_equal(similearn.load(tmp_path / "m").predict_proba(turned), expected)
