import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from similearn import Pairwise, PathSearchCV
from similearn.errors import InputError
from similearn.estimators.sda.local_sda import REGULARIZATIONS
from similearn.numerics.scores.decide import bounded
from tests.estimators.sda.test_global_sda import sonar_like
from tests.reference import local_sda as reference
from tests.thinning import drawn
from tests.uncalibrated import LocalSDAClassifier, SDAClassifier

EXPONENTIAL = [name for name in REGULARIZATIONS if name != "dirichlet"]
N_TEST = 5


def problem(n_classes, kind="similarity", seed=0, n=34):
    S, codes = sonar_like(n + N_TEST, n_classes, seed)
    S = S if kind == "similarity" else S.max() - S
    train, test = slice(N_TEST, None), slice(N_TEST)
    return S[train, train], codes[train], S[test, train]


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
@pytest.mark.parametrize("n_classes, k", [(2, 8), (3, 5), (6, 9)])
@pytest.mark.parametrize("regularization", REGULARIZATIONS)
def test_posteriors_equal_the_equations(regularization, n_classes, k, kind):
    S, codes, queries = problem(n_classes, kind)
    model = LocalSDAClassifier(k, regularization=regularization, alpha=0.3, kind=kind)
    found = model.fit(S, codes).predict_proba(queries)
    literal = reference.Literal(S, codes, k, 0.3, kind == "similarity")
    expected = [literal.posterior(regularization, row) for row in queries]
    np.testing.assert_allclose(found, expected, atol=2e-5)


@pytest.mark.parametrize("degenerate", ["centroid", "single", "delta"])
@pytest.mark.parametrize("n_classes, k", [(2, 9), (3, 4)])
def test_without_regularization_degenerate_classes_follow_the_rule(degenerate, n_classes, k):
    S, codes, queries = problem(n_classes)
    model = LocalSDAClassifier(k, degenerate=degenerate).fit(S, codes)
    literal = reference.Literal(S, codes, k, 0.0, True)
    labels = [literal.plain_decision(row, degenerate) for row in queries]
    found = model.predict(queries)
    for decided, expected in zip(found, labels, strict=True):
        assert expected is None or decided == expected
    np.testing.assert_allclose(model.predict_proba(queries).sum(axis=1), 1)


def test_the_nearest_centroid_takes_over_where_a_class_has_few_neighbours():
    S, codes, _ = problem(2)
    query = np.where(codes == 0, 6.0, 2.0)[None, :]
    query[0, np.flatnonzero(codes == 1)[0]] = 7.0  # one neighbour of class 1, the nearest
    for degenerate, few in (("centroid", True), ("single", True), ("delta", False)):
        model = LocalSDAClassifier(5, degenerate=degenerate).fit(S, codes)
        assert (model.predict(query)[0] == 1) == few
    shares = LocalSDAClassifier(5).fit(S, codes).predict_proba(query)[0]
    np.testing.assert_allclose(shares, np.array([5, 6]) / 11)  # levels 2..10: one plus four, five


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_all_samples_as_neighbours_are_global_sda(kind):
    S, codes, queries = problem(3, kind)
    local = LocalSDAClassifier(len(codes), degenerate="delta", kind=kind).fit(S, codes)
    whole = SDAClassifier(kind=kind).fit(S, codes)
    np.testing.assert_allclose(
        local.predict_proba(queries), whole.predict_proba(queries), rtol=1e-8
    )


@pytest.mark.parametrize("regularization", EXPONENTIAL)
def test_no_weight_is_no_regularization(regularization):
    S, codes, queries = problem(2)
    plain = LocalSDAClassifier(16, degenerate="delta").fit(S, codes)
    model = LocalSDAClassifier(16, regularization=regularization, alpha=0.0).fit(S, codes)
    np.testing.assert_allclose(
        model.predict_proba(queries), plain.predict_proba(queries), rtol=1e-9, atol=1e-12
    )


def test_full_weight_is_the_regularizer_alone():
    S, codes, queries = problem(2)
    k, n = 30, len(codes)
    np.fill_diagonal(S, 10 + 0.001 * np.arange(n))  # no two sums tie: nearness would decide
    whole = SDAClassifier().fit(S, codes)
    joint = LocalSDAClassifier(n, regularization="histogram", alpha=1.0).fit(S, codes)
    np.testing.assert_allclose(
        joint.predict_proba(queries), whole.predict_proba(queries), rtol=1e-8
    )
    local = LocalSDAClassifier(k, regularization="global-rate", alpha=1.0).fit(S, codes)
    np.testing.assert_allclose(local.global_rates_, whole.rates_)
    means = LocalSDAClassifier(k, regularization="mean", alpha=1.0).fit(S, codes)
    np.testing.assert_allclose(
        means.predict_proba(queries), local.predict_proba(queries), rtol=1e-8
    )


@pytest.mark.parametrize("regularization", REGULARIZATIONS)
def test_a_class_without_neighbours_stays_possible(regularization):
    S, codes, queries = problem(6, n=40)
    model = LocalSDAClassifier(3, regularization=regularization, alpha=0.1).fit(S, codes)
    assert np.isfinite(model.decision_function(queries)).all()
    assert (model.predict_proba(queries) > 0).all()


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("regularization", ["joint", "marginal", "histogram", "adaptive"])
def test_one_neighbour_is_enough_for_its_class(k, regularization):
    """Every local pmf is a delta; global ones stand in, and the nearest class wins."""
    S, codes, _ = problem(2)
    model = LocalSDAClassifier(k, regularization=regularization).fit(S, codes)
    queries = np.where(codes == np.array([[0], [1]]), 9.0, 2.0)
    assert model.predict(queries).tolist() == [0, 1]


@pytest.mark.thinned
@pytest.mark.parametrize("n_classes", [2, 50])
@pytest.mark.parametrize("regularization", [None, *REGULARIZATIONS])
def test_path_scores_equal_separate_fits(n_classes, regularization):
    S, codes, queries = problem(n_classes, n=2 * n_classes + 20)
    candidates = [{"n_neighbors": k, "alpha": alpha} for k in (1, 4, 9) for alpha in (0.0, 0.2)]
    model = LocalSDAClassifier(regularization=regularization)
    scores = clone(model).fit_path(S, codes, candidates).path_scores(queries)
    for candidate, found in zip(candidates, scores, strict=True):
        one = clone(model).set_params(**candidate).fit(S, codes)
        np.testing.assert_array_equal(found, one._all_scores(one._queries(queries)))


@pytest.mark.parametrize("regularization", [None, "joint", "marginal"])
def test_path_search_is_grid_search(regularization):
    S, codes, _ = problem(3, n=45)
    grid = {"n_neighbors": [1, 3, 8, 16], "alpha": [1e-6, 0.1, 0.9]}
    model = LocalSDAClassifier(regularization=regularization)
    path = PathSearchCV(model, grid, cv=3, scoring="neg_log_loss").fit(S, codes)
    search = GridSearchCV(model, grid, cv=3, scoring="neg_log_loss").fit(S, codes)
    np.testing.assert_allclose(
        path.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"]
    )
    assert path.best_params_ == search.best_params_


def test_decisions_rank_as_probabilities_do():
    S, codes, queries = problem(2)
    for model in (LocalSDAClassifier(7), LocalSDAClassifier(7, regularization="joint")):
        scores = model.fit(S, codes).decision_function(queries)
        order = np.argsort(scores, kind="stable")
        assert (np.diff(model.predict_proba(queries)[order, 1]) >= 0).all()


NUMBERS = st.sampled_from([0.0, 1.0, 0.5, 0.25, -2.0, 1e-300, 1e300, -1e300])


@drawn(100)
@given(
    arrays(float, (9, 9), elements=NUMBERS),
    arrays(float, (3, 9), elements=NUMBERS),
    arrays(int, (9,), elements=st.integers(0, 3)),
    st.integers(1, 9),
    st.sampled_from([None, *REGULARIZATIONS]),
    st.sampled_from(["observed", 2, 11]),
    st.sampled_from([0.0, 1e-6, 0.5, 1.0]),
    st.sampled_from(["similarity", "dissimilarity"]),
)
def test_probabilities_are_finite_and_normalized(
    S, queries, codes, k, regularization, support, alpha, kind
):
    codes[:2] = [0, 1]
    model = LocalSDAClassifier(
        k, regularization=regularization, support=support, alpha=alpha, kind=kind
    )
    model.fit(Pairwise(S, kind), codes)
    block = Pairwise(queries, kind, reverse=queries)
    probabilities = model.predict_proba(block)
    assert np.isfinite(probabilities).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    if regularization is not None and 0 < alpha:
        assert np.isfinite(model._all_scores(model._queries(block))).all()


def test_a_constant_similarity_leaves_the_neighbourhoods_shares():
    codes = np.array([0, 0, 0, 1, 0, 1, 1, 1])
    queries = np.full((1, 8), 3.0)
    for regularization in ("marginal", "global-rate", "mean", "dirichlet"):
        model = LocalSDAClassifier(5, regularization=regularization).fit(
            np.full((8, 8), 3.0), codes
        )
        np.testing.assert_allclose(model.predict_proba(queries), [[0.8, 0.2]], rtol=1e-6)


@pytest.mark.parametrize("regularization", [None, "joint", "adaptive", "dirichlet"])
def test_sparse_similarities_equal_dense_ones(regularization):
    S, codes, queries = problem(3)
    S, queries = np.where(S < 6, 0.0, S), np.where(queries < 6, 0.0, queries)
    model = LocalSDAClassifier(7, regularization=regularization)
    dense = clone(model).fit(S, codes).predict_proba(queries)
    found = clone(model).fit(sparse.csr_array(S), codes).predict_proba(sparse.csr_array(queries))
    np.testing.assert_array_equal(found, dense)


def test_a_query_without_known_neighbours_gets_the_class_frequencies():
    D = sparse.csr_array(np.array([[0, 1.0, 2], [1, 0, 2], [2, 2, 0]]))
    model = LocalSDAClassifier(2, regularization="joint", kind="dissimilarity")
    model.fit(Pairwise(D, "dissimilarity"), [0, 0, 1])
    query = Pairwise(sparse.csr_array((1, 3)), "dissimilarity", same_samples=False)
    np.testing.assert_allclose(model.predict_proba(query), [[2 / 3, 1 / 3]])


def test_costs_change_the_decision_as_expected_cost_says():
    S, codes, queries = problem(3)
    costs = np.array([[0, 40.0, 1], [1, 0, 1], [1, 1, 0]])
    model = LocalSDAClassifier(9, regularization="joint", costs=costs).fit(S, codes)
    expected = (model.predict_proba(queries) @ costs.T).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(queries), expected)
    free = clone(model).set_params(costs=None).fit(S, codes)
    assert (free.predict(S) != model.predict(S)).any()


def test_threads_chunks_and_pickling_change_nothing():
    S, codes, queries = problem(3)
    model = LocalSDAClassifier(6, regularization="adaptive").fit(S, codes)
    expected = model.predict_proba(queries)
    threaded = clone(model).set_params(n_jobs=2).fit(S, codes)
    np.testing.assert_array_equal(threaded.predict_proba(queries), expected)
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).predict_proba(queries), expected
    )


def test_explanations_name_neighbours_centroids_and_terms():
    S, codes, queries = problem(3)
    model = LocalSDAClassifier(6, degenerate="delta").fit(S, np.array(list("abc"))[codes])
    told = model.explain(queries)
    total = told.terms["log prior"] + told.terms["local log-likelihood"]
    np.testing.assert_allclose(bounded(total), told.scores)
    for row, centroids in zip(told.neighbors, told.terms["centroid"], strict=True):
        assert set(centroids) - {-1} <= set(row)
    joint = LocalSDAClassifier(6, regularization="joint").fit(S, codes).explain(queries)
    assert "regularizer's log-likelihood" in joint.tell(0)


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_neighbors": 0},
        {"n_neighbors": 99},
        {"alpha": -0.1},
        {"alpha": 1.5},
        {"regularization": "ridge"},
        {"degenerate": "knn"},
        {"support": "continuous"},
    ],
)
def test_impossible_parameters_are_refused(parameters):
    S, codes, _ = problem(2)
    with pytest.raises(InputError, match=next(iter(parameters))):
        LocalSDAClassifier(**parameters).fit(S, codes)


def test_of_two_tied_members_the_nearest_to_the_query_is_the_centroid():
    S = np.array([[9.0, 5, 1, 0], [5, 9, 2, 1], [1, 2, 9, 6], [0, 1, 6, 9]])
    y, queries = np.array([0, 0, 1, 1]), np.array([[7.0, 8, 2, 3], [8, 7, 3, 2]])
    for order in ([0, 1, 2, 3], [1, 0, 3, 2], [3, 1, 0, 2]):
        model = LocalSDAClassifier(4).fit(S[np.ix_(order, order)], y[order])
        places = model.explain(queries[:, order]).terms["centroid"].astype(int)
        assert np.array(order)[places].tolist() == [[1, 3], [0, 2]]
