import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

from similearn import Pairwise, PathSearchCV, Sources
from similearn.errors import InputError
from tests.estimators.combine.test_fusion import problem
from tests.uncalibrated import FusedNeighborsClassifier, NeighborsClassifier


def votes(X, y, queries, k, n_classes):
    """Count hands, source by source."""
    counts = np.zeros((len(queries), n_classes))
    for name in X:
        block = queries[name]
        if isinstance(block, Pairwise):
            away = block.values if block.kind == "dissimilarity" else -block.values
        else:
            away = np.linalg.norm(block[:, None] - X[name][None], axis=2)
        near = np.argsort(away, axis=1, kind="stable")[:, :k]
        counts += np.eye(n_classes)[y[near]].sum(axis=1)
    return counts


@pytest.mark.parametrize("k", [1, 4, 9])
def test_votes_of_all_sources_are_counted_together(k):
    X, y, queries, _ = problem()
    model = FusedNeighborsClassifier(k).fit(X, y)
    expected = votes(X, y, queries, k, 3) / (4 * k)
    assert_allclose(model.predict_proba(queries), expected, atol=1e-10)
    assert (expected[np.arange(15), model.predict(queries)] == expected.max(axis=1)).all()


def test_one_source_is_the_nearest_neighbour_rule():
    X, y, queries, _ = problem()
    alone = FusedNeighborsClassifier(5, sources=["alike"]).fit(X, y)
    expected = NeighborsClassifier(5).fit(X["alike"], y)
    assert_array_equal(alone.predict_proba(queries), expected.predict_proba(queries["alike"]))
    table = FusedNeighborsClassifier(5, sources=["table"]).fit(X, y)
    expected = KNeighborsClassifier(5).fit(X["table"], y)
    found = table.predict_proba(queries)
    assert_allclose(found, expected.predict_proba(queries["table"]), atol=1e-10)


def test_order_of_sources_does_not_matter():
    X, y, queries, _ = problem()
    expected = FusedNeighborsClassifier(3).fit(X, y)
    names = list(X)[::-1]
    found = FusedNeighborsClassifier(3, sources=names).fit(X, y)
    assert_allclose(found.predict_proba(queries), expected.predict_proba(queries), rtol=1e-12)
    assert_array_equal(found.predict(queries), expected.predict(queries))


def test_a_tie_goes_to_the_class_with_the_nearer_members():
    """Two votes each: b holds both first places, a both second ones."""
    near = Pairwise([[0.2, 0.9]], "similarity")
    training = Pairwise(np.eye(2), "similarity")
    X = Sources({"one": training, "two": training})
    model = FusedNeighborsClassifier(2).fit(X, ["a", "b"])
    assert model.predict(Sources({"one": near, "two": near}))[0] == "b"


def test_path_equals_refit_and_leaves_one_out():
    X, y, queries, _ = problem()
    ks = [4, 1, 20]
    candidates = [{"n_neighbors": k} for k in ks]
    path = FusedNeighborsClassifier().fit_path(X, y, candidates).path_scores(queries)
    own = FusedNeighborsClassifier().fit_path(X, y, candidates, leave_one_out=True).path_scores(X)
    for scores, left_out, k in zip(path, own, ks, strict=True):
        model = FusedNeighborsClassifier(k)
        assert_array_equal(scores, clone(model).fit(X, y).decision_function(queries))
        expected = cross_val_predict(model, X, y, cv=LeaveOneOut(), method="decision_function")
        assert_array_equal(left_out, expected)


def test_searches_agree():
    X, y, _, _ = problem()
    grid = {"n_neighbors": [1, 2, 7], "sources": [None, ["alike", "table"]]}
    plain = GridSearchCV(FusedNeighborsClassifier(), grid, cv=3, error_score="raise").fit(X, y)
    path = PathSearchCV(FusedNeighborsClassifier(), grid, cv=3, error_score="raise").fit(X, y)
    assert path.searched_by_path_
    assert_allclose(path.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])


def test_a_query_without_known_neighbours_gets_the_frequencies():
    D = sparse.csr_array(np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]))
    X = Sources({"far": Pairwise(D, "dissimilarity")})
    model = FusedNeighborsClassifier(2).fit(X, [0, 0, 1])
    unknown = Pairwise(sparse.csr_array((1, 3)), "dissimilarity", reverse=None)
    found = model.predict_proba(Sources({"far": unknown}))
    assert_allclose(found, [[2 / 3, 1 / 3]])


def test_explain_and_costs():
    X, y, queries, _ = problem(n_classes=2)
    told = FusedNeighborsClassifier(3).fit(X, y).explain(queries)
    assert list(told.terms) == list(X) and told.neighbors.shape == (15, 12)
    assert_allclose(sum(told.terms.values()), told.scores, atol=1e-10)
    p = told.scores[:, 1]
    wary = FusedNeighborsClassifier(3, costs=[[0, 20], [1, 0]]).fit(X, y)
    assert_array_equal(wary.predict(queries), (20 * p > 1 - p).astype(int))


def test_messages():
    X, y, queries, _ = problem()
    with pytest.raises(InputError, match="square block"):
        FusedNeighborsClassifier().fit(X["table"], y)
    with pytest.raises(InputError, match="asks for source 'nowhere'"):
        FusedNeighborsClassifier(sources=["nowhere"]).fit(X, y)
    with pytest.raises(InputError, match="sources is empty"):
        FusedNeighborsClassifier(sources=[]).fit(X, y)
    with pytest.raises(InputError, match="n_neighbors=36 is larger than 35"):
        FusedNeighborsClassifier(36).fit(X, y)
    model = FusedNeighborsClassifier().fit(X, y)
    with pytest.raises(InputError, match="asks for source 'alike'; X holds pairs"):
        model.predict(queries["alike"])
