import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.stats import rankdata
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from similearn import LocalSVC, Pairwise, SpectrumTransformer
from similearn.errors import AsymmetryWarning, InputError
from tests.reference.neighbors import reference_top_k, reference_vote
from tests.thinning import drawn
from tests.uncalibrated import LocalSDAClassifier, NeighborsClassifier

levels = arrays(float, (9, 7), elements=st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0]))


def problem(n=40, m=15, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    A, B = rng.random((n, 4)), rng.random((m, 4))
    return A @ A.T, rng.integers(n_classes, size=n), B @ A.T


@drawn(100)
@given(levels, st.integers(1, 7), st.sampled_from(["uniform", "affinity"]))
def test_labels_follow_equation_9(values, k, weights):
    y = np.array([0, 1, 2, 0, 1, 2, 0])
    model = NeighborsClassifier(k, weights=weights).fit(np.eye(7), y)
    near = reference_top_k(values, k, largest=True)
    for i, label in enumerate(model.predict(values)):
        affinities = np.maximum(values[i, near[i]], 0) if weights == "affinity" else np.ones(k)
        affinities = affinities if affinities.sum() else np.ones(k)
        assert label == reference_vote(affinities, y[near[i]], 3)


@drawn(50)
@given(levels, st.integers(1, 7))
def test_votes_see_only_the_order(values, k):
    """Monotone invariance, and a dissimilarity is a similarity turned round."""
    y = np.array([0, 1, 2, 0, 1, 2, 0])
    votes = NeighborsClassifier(k).fit(np.eye(7), y).predict_proba(values)
    stretched = NeighborsClassifier(k).fit(np.eye(7), y).predict_proba(np.exp(3 * values))
    far = NeighborsClassifier(k, kind="dissimilarity").fit(1 - np.eye(7), y).predict_proba(-values)
    assert_array_equal(votes, stretched)
    assert_array_equal(votes, far)


@drawn(50)
@given(st.permutations(range(40)), st.sampled_from(["uniform", "affinity"]))
def test_permuting_samples_changes_nothing(order, weights):
    S, y, T = problem()
    order = np.array(order)
    model = NeighborsClassifier(7, weights=weights)
    expected = model.fit(S, y).predict_proba(T)
    shuffled = model.fit(S[np.ix_(order, order)], y[order]).predict_proba(T[:, order])
    assert_allclose(shuffled, expected, atol=1e-12)


@drawn(20)
@given(st.sampled_from([1e-300, 1e-3, 7.0, 1e300]))
def test_scaling_similarities_changes_nothing(factor):
    S, y, T = problem()
    model = NeighborsClassifier(7, weights="affinity").fit(S, y)
    expected = model.predict_proba(T)
    assert_allclose(model.fit(factor * S, y).predict_proba(factor * T), expected, rtol=1e-9)


def test_same_answers_as_scikit_learn():
    S, y, T = problem(200, 100, 5)
    ours = NeighborsClassifier(9, kind="dissimilarity").fit(10 - S, y)
    theirs = KNeighborsClassifier(9, metric="precomputed").fit(10 - S, y)
    assert_allclose(ours.predict_proba(10 - T), theirs.predict_proba(10 - T), atol=1e-11)


@pytest.mark.parametrize("weights", ["uniform", "affinity"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_probabilities_and_labels_agree(weights, n_classes):
    S, y, T = problem(n_classes=n_classes)
    model = NeighborsClassifier(4, weights=weights).fit(S, y)
    p, scores = model.predict_proba(T), model.decision_function(T)
    assert_allclose(p.sum(axis=1), 1)
    assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(T))
    assert_allclose(np.exp(model.predict_log_proba(T)), p)
    if n_classes == 2:
        assert_array_equal((scores > 0).astype(int), model.predict(T))
        assert_array_equal(rankdata(scores.round(10)), rankdata(p[:, 1].round(10)))
    else:
        assert_array_equal(scores.argmax(axis=1), model.predict(T))


@pytest.mark.parametrize("values", [[-1.0, -2.0, -3.0], [0.0, 0.0, 0.0], [1e308, 1e308, 1e308]])
def test_affinities_of_no_use_count_alike(values):
    model = NeighborsClassifier(3, weights="affinity").fit(np.eye(3), [0, 1, 1])
    assert_allclose(model.predict_proba([values]), [[1 / 3, 2 / 3]], atol=1e-11)


def test_sparse_blocks_of_both_kinds():
    S, y, T = problem()
    S, T = np.where(S > 1, S, 0), np.where(T > 1, T, 0)
    dense = NeighborsClassifier(5).fit(S, y).predict_proba(T)
    assert_array_equal(NeighborsClassifier(5).fit(sparse.csr_array(S), y).predict_proba(T), dense)
    stored = NeighborsClassifier(5).fit(S, y).predict_proba(sparse.csr_array(T))
    assert_array_equal(stored, dense)


def test_a_query_without_known_neighbours_gets_the_priors():
    D = sparse.csr_array(np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]))
    model = NeighborsClassifier(2, kind="dissimilarity").fit(D, [0, 1, 1])
    p = model.predict_proba(sparse.csr_array(np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 3.0]])))
    assert_allclose(p, [[1 / 3, 2 / 3], [0, 1]], atol=1e-11)


def test_costs_change_the_decision_as_the_algebra_says():
    S, y, T = problem(n_classes=2)
    p = NeighborsClassifier(6).fit(S, y).predict_proba(T)
    costs = [[0, 4], [1, 0]]  # deciding 0 where 1 is true costs more
    model = NeighborsClassifier(6, costs=costs).fit(S, y)
    assert_array_equal(model.predict(T), (4 * p[:, 1] > p[:, 0]).astype(int))
    assert_array_equal(model.predict_proba(T), p)


def test_explain_names_neighbours():
    block = Pairwise(
        [[1, 0.8, 0.1], [0.8, 1, 0.2], [0.1, 0.2, 1]],
        "similarity",
        row_ids=["ann", "bob", "cy"],
        column_ids=["ann", "bob", "cy"],
    )
    model = NeighborsClassifier(2, weights="affinity").fit(block, ["x", "x", "y"])
    why = model.explain(Pairwise([[0.1, 0.4, 0.6]], "similarity", row_ids=["dee"]))
    assert why.neighbors.tolist() == [[2, 1]] and why.labels.tolist() == [["y", "x"]]
    assert_allclose(why.weights, [[0.6, 0.4]])
    assert "query dee: y" in str(why) and "neighbour cy (y): value 0.6, weight 0.6" in str(why)
    assert len(model.explain(block)) == 3


def test_asymmetric_training_warns_once_when_queries_lack_the_reverse():
    S, y, T = problem()
    S = S + np.triu(S)
    model = NeighborsClassifier(3).fit(S, y)
    with pytest.warns(AsymmetryWarning, match="reverse direction of these queries is unknown") as w:
        model.predict(T)
    assert len(w) == 1
    model.predict(Pairwise(T, "similarity", reverse=T))  # no warning: they are errors in tests


def test_reverse_direction_counts():
    model = NeighborsClassifier(1).fit(np.eye(2), [0, 1])
    forward = np.array([[0.6, 0.5]])
    assert model.predict(forward).tolist() == [0]
    assert model.predict(Pairwise(forward, "similarity", reverse=[[0.0, 0.5]])).tolist() == [1]


def test_cross_validation_of_an_asymmetric_block_uses_both_directions():
    S, y, _ = problem()
    S = S + np.triu(S)
    mean = cross_val_score(NeighborsClassifier(3), (S + S.T) / 2, y, cv=5)
    assert_array_equal(
        cross_val_score(NeighborsClassifier(3), Pairwise(S, "similarity"), y, cv=5), mean
    )


@pytest.mark.parametrize(
    "wrap", [np.asarray, lambda S: Pairwise(S, "similarity"), sparse.csr_array]
)
def test_scikit_learn_tools_work(wrap):
    S, y, _ = problem()
    model = make_pipeline(SpectrumTransformer("flip"), NeighborsClassifier(3))
    p = cross_val_predict(model, wrap(S), y, cv=4, method="predict_proba")
    assert p.shape == (40, 3)
    grid = {"neighborsclassifier__n_neighbors": [1, 5]}
    search = GridSearchCV(model, grid, cv=3).fit(wrap(S), y)
    assert search.predict(wrap(S)).shape == (40,)
    again = pickle.loads(pickle.dumps(clone(model).fit(wrap(S), y)))
    assert again.score(wrap(S), y) > 0.3


def test_metadata_routing():
    S, y, _ = problem()
    with config_context(enable_metadata_routing=True):
        assert len(cross_val_score(NeighborsClassifier(3), S, y, cv=3)) == 3
        search = GridSearchCV(NeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=3).fit(S, y)
    assert search.best_score_ > 0


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_threads_and_chunks_change_nothing(n_jobs):
    S, y, T = problem(60, 50)
    expected = NeighborsClassifier(5).fit(S, y).predict_proba(T)
    with config_context(working_memory=1e-3):
        got = NeighborsClassifier(5, n_jobs=n_jobs).fit(S, y).predict_proba(T)
    assert_array_equal(got, expected)


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_kneighbors_of_queries_and_of_training_samples(kind):
    S, y, Q = problem()
    large = kind == "similarity"
    model = NeighborsClassifier(4, kind=kind).fit(S, y)
    values, neighbors = model.kneighbors(Q)
    assert_array_equal(neighbors, reference_top_k(Q, 4, large))
    assert_array_equal(values, np.take_along_axis(Q, neighbors, axis=1))
    assert_array_equal(model.kneighbors(Q, 2, return_distance=False), neighbors[:, :2])
    among = model.kneighbors(n_neighbors=3, return_distance=False)
    assert_array_equal(among, reference_top_k(S, 3, large, skip=np.arange(len(S))))


def test_kneighbors_equals_scikit_learns():
    points = np.random.default_rng(0).normal(size=(30, 2))
    D = np.linalg.norm(points[:, None] - points, axis=2)
    ours = NeighborsClassifier(3, kind="dissimilarity").fit(D, np.arange(30) % 2)
    theirs = KNeighborsClassifier(3, metric="precomputed").fit(D, np.arange(30) % 2)
    for X in (None, D[:5]):
        for one, other in zip(ours.kneighbors(X), theirs.kneighbors(X), strict=True):
            assert_allclose(one, other)


@pytest.mark.parametrize("model", [NeighborsClassifier(3), LocalSVC(3), LocalSDAClassifier(3)])
def test_kneighbors_messages(model):
    S, y, *_ = problem()
    model = clone(model).fit(S, y)
    with pytest.raises(InputError, match="n_neighbors=40 is larger than 39"):
        model.kneighbors(n_neighbors=40)
    with pytest.raises(InputError, match="n_neighbors=0 is too small"):
        model.kneighbors(S, 0)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.kneighbors(S)[1], model.kneighbors(S)[1])
    with pytest.raises(InputError, match="needs the training block, which is not kept in a file"):
        again.kneighbors()


@pytest.mark.parametrize("weights", ["affinity", "krr", "kri", "lime"])
def test_weights_by_one_direction_of_asymmetric_data(weights):
    rng = np.random.default_rng(0)
    S = Pairwise(rng.random((20, 20)) + np.eye(20), "similarity")
    y = np.arange(15) % 3
    train, test = (
        S[np.ix_(np.arange(15), np.arange(15))],
        S[np.ix_(np.arange(15, 20), np.arange(15))],
    )
    one = NeighborsClassifier(5, weights=weights, direction="query").fit(train, y)
    both = NeighborsClassifier(5, weights=weights).fit(train, y)
    near, values = one.explain(test).neighbors, one.explain(test).values
    assert_array_equal(near, both.explain(test).neighbors)
    assert_array_equal(values, np.take_along_axis(test.values, near, axis=1))
    assert np.abs(one.predict_proba(test) - both.predict_proba(test)).max() > 1e-3
    paths = NeighborsClassifier(5, weights=weights, direction="query")
    paths.fit_path(train, y, [{"n_neighbors": 5}])
    assert_allclose(paths.path_scores(test)[0], one._all_scores(test), atol=1e-8)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("model", [NeighborsClassifier(3), LocalSDAClassifier(3), LocalSVC(3)])
def test_queries_are_checked_by_the_search(model, bad):
    rng = np.random.default_rng(0)
    A = rng.random((30, 4))
    S, y = A @ A.T, np.arange(30) % 2
    model = clone(model).set_params(n_jobs=2).fit(S, y)
    queries = S[:9].copy()
    queries[7, 5] = bad
    for ask in (model.predict, model.decision_function, model.kneighbors, model.explain):
        for X in (queries, np.repeat(queries, 2, axis=1)[:, ::2]):
            with pytest.raises(InputError, match=r"^X contains .* at row 7, column 5 "):
                ask(X)


@pytest.mark.parametrize(
    "changed", [{"n_neighbors": "x"}, {"weights": "nonsense"}, {"weights": "kri"}]
)
def test_parameters_that_are_changed_after_fit_are_named(changed):
    S = np.exp(-np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0))))
    model = NeighborsClassifier(3).fit(S, np.arange(12) % 2).set_params(**changed)
    with pytest.raises(InputError, match="set since then"):
        model.predict(S[:2])
