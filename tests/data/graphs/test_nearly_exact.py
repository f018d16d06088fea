"""Tables of neighbours that are not exact: found, measured, kept, and searched for queries."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import log_loss

import similearn
from benchmarks.names import make_names
from similearn import NeighborsClassifier, NeighborTable, PairwiseSimilarity, neighbor_table
from similearn.data.graphs import descent_tables, query_search, search_choice
from similearn.data.graphs.search_choice import chosen_search, seconds_per_pair
from similearn.errors import ApproximationWarning, InputError, MissingExtraError
from similearn.similarities import Levenshtein, get_similarity
from similearn.similarities.shell.object_pairs import ObjectPairs

NAMES, PEOPLES = make_names(500)


def longer(a, b):
    """An asymmetric function with ties."""
    return abs(len(a) - len(b)) + (0.5 if a < b else 0.0)


def shared_letters(a, b):
    return len(set(a) & set(b)) / len(set(a) | set(b))


FUNCTIONS = {
    "strings": ("levenshtein", {}),
    "asymmetric strings": (Levenshtein(insertion=2), {}),
    "asymmetric function": (longer, {"kind": "dissimilarity", "symmetric": False}),
    "sets": (shared_letters, {"kind": "similarity", "symmetric": True}),
}


@pytest.mark.parametrize("case", FUNCTIONS)
def test_descent_of_any_objects(case):
    function, told = FUNCTIONS[case]
    names = NAMES[:200]
    block = PairwiseSimilarity(function, **told).fit_transform(names)
    table = neighbor_table(names, 6, function, **told, method="descent", random_state=0)
    assert table.method == "descent" and table.recall_ > 0.9
    both = block.symmetrized().values
    assert_array_equal(table.values, np.take_along_axis(both, table.neighbors, axis=1))
    exact = block.nearest(6, skip_self=True)[1]
    near = exact[:, -1:] - table.values if block.kind == "dissimilarity" else table.values
    least = 0 if block.kind == "dissimilarity" else exact[:, -1:]
    assert abs(np.mean(near >= least) - table.recall_) < 0.05


def test_descent_does_not_depend_on_workers_but_on_the_seed():
    told = {"method": "descent", "random_state": 4}
    one, two = (neighbor_table(NAMES, 5, "levenshtein", n_jobs=n, **told) for n in (1, 2))
    assert_array_equal(one.neighbors, two.neighbors)
    assert one.n_compared == two.n_compared
    other = neighbor_table(NAMES, 5, "levenshtein", method="descent", random_state=5)
    assert not np.array_equal(other.neighbors, one.neighbors)


def test_index_values_are_exact():
    X = np.random.default_rng(0).normal(size=(300, 6))
    for function in ("euclidean", "cosine_similarity"):
        block = PairwiseSimilarity(function).fit_transform(X)
        table = neighbor_table(X, 5, function, method="index")
        assert table.method == "index" and table.recall_ > 0.95
        assert_allclose(table.values, np.take_along_axis(block.values, table.neighbors, axis=1))
    with pytest.raises(InputError, match="has no index"):
        neighbor_table(NAMES, 5, "levenshtein", method="index")


def test_index_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "usearch.index", None)
    with pytest.raises(MissingExtraError, match=r"similearn\[ann\]"):
        neighbor_table(np.eye(4), 2, method="index")


def test_choice_is_by_speed_and_size():
    source = ObjectPairs(get_similarity("levenshtein"), NAMES)
    assert 0 < seconds_per_pair(source) < 1e-3

    class Many:
        shape, name, kind = (10_000, 10_000), "slow", "similarity"

    slow = chosen_search(Many(), 10, timed=lambda source: 1e-3)
    assert slow.method == "descent" and "NN-descent" in slow.reason
    assert chosen_search(Many(), 10, timed=lambda source: 3e-8).method == "exact"
    Many.shape = (100_000, 100_000)
    assert chosen_search(Many(), 10, timed=lambda source: 3e-8).method == "exact"
    Many.shape, Many.indexed = (10_000_000, 10_000_000), (None, "l2sq")
    assert chosen_search(Many(), 10, timed=lambda source: 3e-8).method == "index"
    Many.shape = (1500, 1500)
    assert chosen_search(Many(), 200, timed=lambda source: 1.0).method == "exact"
    assert "hardly more" in neighbor_table(NAMES[:50], 2, "levenshtein").reason


def test_auto_descends_where_exact_takes_too_long(monkeypatch):
    monkeypatch.setattr(search_choice, "PATIENCE", 0.0)
    monkeypatch.setattr(search_choice, "LEAST_GAIN", 0.0)
    table = neighbor_table(NAMES[:100], 3, "levenshtein", random_state=0)
    assert table.method == "descent" and "NN-descent takes" in table.reason
    assert "by descent with recall" in repr(table)


def test_low_recall_is_warned_of(monkeypatch):
    monkeypatch.setattr(descent_tables, "LEAST_RECALL", 1.1)
    with pytest.warns(ApproximationWarning, match="of the true nearest"):
        neighbor_table(NAMES[:60], 3, "levenshtein", method="descent", random_state=0)


def test_files_keep_recall_and_method(tmp_path):
    path = tmp_path / "table.npz"
    told = {"method": "descent", "random_state": 0, "path": path}
    table = neighbor_table(NAMES[:80], 4, "levenshtein", **told)
    again = NeighborTable.load(path)
    assert (again.method, again.recall_) == ("descent", table.recall_)
    read = neighbor_table(NAMES[:80], 3, "levenshtein", path=path)
    assert read.method == "descent"
    assert_array_equal(read.neighbors, table.neighbors[:, :3])
    with pytest.raises(InputError, match="method='descent', but method='exact'"):
        neighbor_table(NAMES[:80], 4, "levenshtein", method="exact", path=path)
    with pytest.raises(InputError, match="guess"):
        NeighborTable(table.neighbors, table.values, table.kind, method="guess")


@pytest.fixture
def searched(monkeypatch):
    """Training names, queries, and a model fitted to a table that is not exact."""
    monkeypatch.setattr(query_search, "FEW", 100)
    compare = PairwiseSimilarity("levenshtein", lazy=True)
    block = compare.fit_transform(NAMES[:400])
    table = neighbor_table(block, 20, method="descent", random_state=0)
    model = NeighborsClassifier(8).fit(block.with_table(table), PEOPLES[:400])
    return compare, table, model


def test_queries_are_searched_along_the_table(searched):
    compare, table, model = searched
    assert model.recall_ == table.recall_
    near = model.kneighbors(compare.transform(NAMES[400:]))[0]
    exact = NeighborsClassifier(8).fit(compare.fit_transform(NAMES[:400]), PEOPLES[:400])
    assert not hasattr(exact, "recall_")
    true = exact.kneighbors(compare.transform(NAMES[400:]))[0]
    assert np.mean(near <= true[:, -1:]) > 0.9
    few = model.kneighbors(compare.transform(NAMES[410:415]))[0]
    assert_array_equal(few, near[10:15])


def test_probabilities_stay_calibrated(searched):
    compare, _, model = searched
    exact = NeighborsClassifier(8).fit(compare.fit_transform(NAMES[:400]), PEOPLES[:400])
    queries = compare.transform(NAMES[400:])
    nearly, truly = (log_loss(PEOPLES[400:], one.predict_proba(queries)) for one in (model, exact))
    assert abs(nearly - truly) < 0.02


def test_model_files_keep_the_graph(searched, tmp_path):
    compare, _, model = searched
    affine = NeighborsClassifier(8, weights="affinity").fit(model._training, PEOPLES[:400])
    for one in (model, affine):
        similearn.save(one, tmp_path / "m.simi")
        again = similearn.load(tmp_path / "m.simi")
        queries = compare.transform(NAMES[400:420])
        assert again.estimator.recall_ == one.recall_
        assert_array_equal(again.predict_proba(queries), one.predict_proba(queries))
    assert_array_equal(affine.graph_, model.graph_)
