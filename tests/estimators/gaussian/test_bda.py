import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import config_context
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

from similearn import LocalNearestMeansClassifier, Pairwise, PathSearchCV, Sources
from similearn.errors import InputError, InputTypeError
from similearn.numerics.scores.decide import bounded
from tests.reference.gaussian import local_bda, local_means
from tests.thinning import drawn
from tests.uncalibrated import BDAClassifier, LocalBDAClassifier

LOCAL = [
    LocalBDAClassifier(),
    LocalBDAClassifier(priors="neighborhood"),
    LocalNearestMeansClassifier(),
]


def problem(n=60, d=4, n_classes=3, seed=0):
    """Blobs of unequal size; integer labels 0, 1, ..."""
    rng = np.random.default_rng(seed)
    y = np.sort(rng.integers(0, n_classes, n) * rng.integers(0, 2, n))
    y[:n_classes] = np.arange(n_classes)
    X = rng.normal(size=(n, d)) + 1.5 * rng.normal(size=(n_classes, d))[y]
    order = rng.permutation(n)
    return X[order], y[order], rng.normal(size=(25, d)) * 2


@pytest.mark.parametrize("d", [1, 3, 12])
@pytest.mark.parametrize("k", [1, 2, 5, 1000])
def test_local_bda_equals_the_formula(k, d):
    X, y, queries = problem(d=d)
    model = LocalBDAClassifier(k).fit(X, y)
    log_priors = np.log(np.bincount(y) / len(y))
    expected = [local_bda(x, X, y, k, log_priors) for x in queries]
    assert_allclose(model.decision_function(queries), bounded(expected), rtol=1e-8)


@pytest.mark.parametrize("k", [1, 3, 1000])
def test_local_means_equal_the_formula(k):
    X, y, queries = problem()
    model = LocalNearestMeansClassifier(k).fit(X, y)
    expected = np.array([local_means(x, X, y, k) for x in queries])
    assert_allclose(model.decision_function(queries), -expected, rtol=1e-12)
    assert not hasattr(model, "predict_proba")


def test_limits_of_the_neighborhood():
    X, y, queries = problem()
    whole = LocalBDAClassifier(len(X)).fit(X, y)
    assert_allclose(
        whole.predict_proba(queries), BDAClassifier().fit(X, y).predict_proba(queries), rtol=1e-9
    )
    nearest = LocalNearestMeansClassifier(1).fit(X, y).predict(queries)
    assert_array_equal(nearest, KNeighborsClassifier(1).fit(X, y).predict(queries))
    means = LocalNearestMeansClassifier(len(X)).fit(X, y).predict(queries)
    assert_array_equal(means, NearestCentroid().fit(X, y).predict(queries))


def test_priors_of_the_neighborhood_are_shares_of_the_nearest_of_any_class():
    X, y, queries = problem()
    k = 7
    model = LocalBDAClassifier(k, priors="neighborhood").fit(X, y)
    near = KNeighborsClassifier(k).fit(X, y).kneighbors(queries, return_distance=False)
    with np.errstate(divide="ignore"):
        log_priors = np.log([np.bincount(row, minlength=3) / k for row in y[near]])
    expected = [local_bda(x, X, y, k, p) for x, p in zip(queries, log_priors, strict=True)]
    assert_allclose(model.decision_function(queries), bounded(expected), rtol=1e-8)
    assert np.isneginf(expected).any()
    assert_allclose(model.predict_proba(queries).sum(axis=1), 1.0)


@pytest.mark.parametrize("model", [BDAClassifier(), LocalBDAClassifier(3)])
def test_given_priors_move_the_scores(model):
    X, y, queries = problem()
    plain = model.set_params(priors=None).fit(X, y).decision_function(queries)
    uniform = model.set_params(priors=[2, 2, 2]).fit(X, y).decision_function(queries)
    expected = plain - np.log(np.bincount(y) / len(y)) + np.log(1 / 3)
    assert_allclose(uniform, expected, rtol=1e-12)
    for wrong in ([1, 2], [1, -1, 1], [0, 0, 0], "nonsense", [1, np.nan, 1]):
        with pytest.raises(InputError, match="priors"):
            model.set_params(priors=wrong).fit(X, y)


def test_costs_change_the_decision_as_the_algebra_says():
    X, y, queries = problem(d=1, n_classes=2)
    plain = LocalBDAClassifier(5).fit(X, y)
    p = plain.predict_proba(queries)[:, 1]
    costs = np.array([[0.0, 9.0], [1.0, 0.0]])  # missing class 1 is nine times as bad
    wary = LocalBDAClassifier(5, costs=costs).fit(X, y)
    assert_array_equal(wary.predict(queries), (9 * p > 1 - p).astype(int))
    assert (wary.predict(queries) != plain.predict(queries)).any()


@pytest.mark.parametrize("model", LOCAL)
def test_path_equals_refit(model):
    X, y, queries = problem()
    ks = [4, 1, 30, 2, 200]
    path = model.fit_path(X, y, [{"n_neighbors": k} for k in ks]).path_scores(queries)
    for scores, k in zip(path, ks, strict=True):
        refit = model.set_params(n_neighbors=k).fit(X, y).decision_function(queries)
        assert_array_equal(bounded(scores), refit)


@pytest.mark.parametrize("model", LOCAL)
def test_leaving_one_out_equals_refit(model):
    X, y, _ = problem(n=30)
    ks = [1, 3, 50]
    candidates = [{"n_neighbors": k} for k in ks]
    path = model.fit_path(X, y, candidates, leave_one_out=True).path_scores(X)
    for scores, k in zip(path, ks, strict=True):
        expected = cross_val_predict(
            model.set_params(n_neighbors=k), X, y, cv=LeaveOneOut(), method="decision_function"
        )
        assert_allclose(bounded(scores), expected, rtol=1e-12)


def test_leaving_the_only_sample_of_a_class_out_makes_it_impossible():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 0, 1]
    for model in (LocalBDAClassifier(), LocalNearestMeansClassifier()):
        scores = model.fit_path(X, y, [{"n_neighbors": 2}], leave_one_out=True).path_scores(X)[0]
        assert np.isneginf(scores[3, 1]) and np.isfinite(scores[3, 0])
        assert np.isfinite(scores[:3]).all()


def test_searches_agree():
    X, y, _ = problem(n_classes=2)
    grid = {"n_neighbors": [1, 2, 5, 9]}
    for scoring in ("accuracy", "neg_log_loss"):
        plain = GridSearchCV(LocalBDAClassifier(), grid, cv=4, scoring=scoring).fit(X, y)
        path = PathSearchCV(LocalBDAClassifier(), grid, cv=4, scoring=scoring).fit(X, y)
        assert path.searched_by_path_
        for column in ("mean_test_score", "split2_test_score"):
            assert_allclose(path.cv_results_[column], plain.cv_results_[column], rtol=1e-12)


@pytest.mark.parametrize(
    "model", [BDAClassifier(), LocalBDAClassifier(6), LocalNearestMeansClassifier(6)]
)
def test_chunks_and_threads_change_nothing(model):
    X, y, queries = problem()
    expected = model.fit(X, y).decision_function(queries)
    with config_context(working_memory=0.01):
        found = model.set_params(n_jobs=2).decision_function(queries)
    assert_allclose(found, expected, rtol=1e-13)


def test_explain_adds_up():
    X, y, queries = problem()
    for model in (BDAClassifier(), LocalBDAClassifier(4), LocalBDAClassifier(4, priors=[1, 1, 2])):
        told = model.fit(X, y).explain(queries)
        assert_allclose(sum(told.terms.values()), told.scores)
        assert_array_equal(told.decisions, model.predict(queries))
    sizes = np.minimum(4, np.bincount(y))
    assert told.neighbors.shape == (len(queries), sizes.sum())
    assert (np.diff(told.values, axis=1) >= 0).all()
    away = np.linalg.norm(queries[:, None] - X[told.neighbors], axis=2)
    assert_allclose(told.values, away, rtol=1e-12)
    assert_array_equal(told.labels, y[told.neighbors])
    assert_allclose(told.weights.sum(axis=1), 3.0)
    assert "log-likelihood" in told.tell(0)


rows = st.lists(st.sampled_from([0.0, 1.0, 1e-300, 1e300, -1e300, 1e150]), min_size=2, max_size=2)


@given(st.lists(rows, min_size=4, max_size=9), rows, st.integers(1, 4))
@drawn(80)
def test_probabilities_of_extreme_and_repeated_samples_are_finite(table, query, k):
    X = np.array(table)
    y = np.arange(len(X)) % 2
    for model in (BDAClassifier(), LocalBDAClassifier(k)):
        probabilities = model.fit(X, y).predict_proba(np.vstack([X, query]))
        assert np.isfinite(probabilities).all()
        assert_allclose(probabilities.sum(axis=1), 1.0)


def test_log_probabilities_do_not_underflow():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(20, 400)), rng.normal(size=(20, 400)) + 9])
    model = LocalBDAClassifier(10).fit(X, [0] * 20 + [1] * 20)
    assert model.predict_proba(X[:1])[0, 1] == 0
    scores = model.explain(X[:1]).scores[0]
    assert model.predict_log_proba(X[:1])[0, 1] == pytest.approx(scores[1] - scores[0])


def test_messages():
    X, y, _ = problem()
    X[3, 2] = np.nan
    with pytest.raises(InputError, match="NaN at row 3, column 2"):
        LocalBDAClassifier().fit(X, y)
    X[3, 2] = 0.0
    with pytest.raises(InputError, match="n_neighbors=0 is too small"):
        LocalBDAClassifier(0).fit(X, y)
    with pytest.raises(InputTypeError, match="got Sources"):
        LocalBDAClassifier().fit(Sources({"a": X}), y)
    model = BDAClassifier().fit(X, y)
    with pytest.raises(InputError, match="4 features"):
        model.predict(X[:, :3])


def test_a_block_is_read_as_features():
    X, y, _ = problem(n=20, n_classes=2)
    S = X @ X.T
    block = Pairwise(S, "similarity")
    expected = LocalBDAClassifier(3).fit(S, y).predict_proba(S)
    assert_array_equal(LocalBDAClassifier(3).fit(block, y).predict_proba(block), expected)
