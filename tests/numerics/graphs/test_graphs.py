"""NN-descent and the search along its graph, against object-by-object twins."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from similearn.numerics.graphs import nn_descent
from similearn.numerics.graphs.best_first import search_graph, with_reverse
from similearn.numerics.graphs.entering import NOBODY, Entries, first_of_each
from similearn.numerics.graphs.nn_descent import descend, joined_pairs
from similearn.numerics.neighbors.topk import top_k
from tests.reference.graphs import (
    reference_descent,
    reference_joined,
    reference_offers,
    reference_search,
)


def keys_of(n, d=4, levels=None, seed=0):
    """Keys of all pairs of random points; with few levels most of them tie."""
    points = np.random.default_rng(seed).normal(size=(n, d))
    keys = -np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    return keys if levels is None else np.round(keys * levels) / levels


def recall(columns, keys, k):
    near, exact = top_k(keys, k, skip=np.arange(len(keys)))
    assert near.shape == columns[:, :k].shape
    return np.mean(np.take_along_axis(keys, columns[:, :k], axis=1) >= exact[:, -1:])


def test_pairs_of_joins():
    rng = np.random.default_rng(1)
    new, old = rng.integers(-1, 12, size=(5, 4)), rng.integers(-1, 12, size=(5, 3))
    one, other = joined_pairs(new, old, 12)
    assert list(zip(one.tolist(), other.tolist(), strict=True)) == reference_joined(new, old)


@pytest.mark.parametrize("batches", [1, 4])
def test_offers_in_any_order_end_alike(batches):
    rng = np.random.default_rng(2)
    rows, columns = np.divmod(rng.permutation(9 * 20)[:120], 20)
    keys = rng.integers(3, size=120).astype(float)
    table = Entries(9, 4)
    for part in np.array_split(np.arange(120), batches):
        table.offer(rows[part], columns[part], keys[part])
    expected = reference_offers(zip(rows, columns, keys, strict=True), 9, 4)
    for i, row in enumerate(expected):
        assert list(zip(table.columns[i], table.keys[i], strict=True))[: len(row)] == row
        assert (table.columns[i, len(row) :] == NOBODY).all()
    assert_array_equal(table.holds(np.arange(9), table.columns[:, 0]), np.full(9, True))


def test_first_members_of_each_owner():
    found = first_of_each(np.array([2, 0, 2, 2]), np.array([7, 8, 9, 5]), 3, 2)
    assert_array_equal(found, [[8, -1], [-1, -1], [7, 9]])


@pytest.mark.parametrize("levels", [None, 2])
def test_descent_finds_what_its_twin_finds(levels):
    n, k = 150, 8
    keys = keys_of(n, levels=levels)
    found = descend(n, k, lambda i, j: keys[i, j], np.random.default_rng(0))
    twin, compared = reference_descent(n, k, lambda a, b: keys[a, b], np.random.default_rng(0))
    ours, theirs = recall(found.columns, keys, k), recall(np.array(twin), keys, k)
    assert ours > 0.95 and abs(ours - theirs) < 0.04
    assert 0.5 < found.n_compared / compared < 1.5
    assert_array_equal(found.keys, np.take_along_axis(keys, found.columns, axis=1))
    order = np.lexsort((found.columns, -found.keys), axis=1)
    assert_array_equal(order, np.broadcast_to(np.arange(k), (n, k)))


def test_descent_is_the_same_for_a_seed_and_bounded_batches(monkeypatch):
    keys = keys_of(90)
    tables = [descend(90, 5, lambda i, j: keys[i, j], np.random.default_rng(3)) for _ in range(2)]
    assert_array_equal(tables[0].columns, tables[1].columns)
    monkeypatch.setattr(nn_descent, "_PAIRS_AT_ONCE", 500)
    batched = descend(90, 5, lambda i, j: keys[i, j], np.random.default_rng(3))
    assert recall(batched.columns, keys, 5) > 0.9


@pytest.mark.parametrize(("n", "k"), [(2, 1), (3, 2), (6, 5)])
def test_descent_of_few_objects_is_exact(n, k):
    keys = keys_of(n)
    found = descend(n, k, lambda i, j: keys[i, j], np.random.default_rng(0))
    assert_array_equal(found.columns, top_k(keys, k, skip=np.arange(n))[0])


def test_search_equals_its_twin():
    keys = keys_of(130, levels=4)
    graph = top_k(keys, 5, skip=np.arange(130))[0][:100] % 100
    edges, starts = with_reverse(graph), np.arange(0, 100, 9)
    queries = np.arange(100, 130)

    def compare(rows, columns):
        assert (np.diff(rows) >= 0).all()
        return keys[queries[rows], columns]

    near, found = search_graph(30, 4, edges, compare, starts, width=8)
    for row, query in enumerate(queries):
        expected, _ = reference_search(4, edges, lambda c, q=query: keys[q, c], starts, 8)
        assert_array_equal(near[row], expected)
    assert_array_equal(found, np.take_along_axis(keys[queries], near, axis=1))


def test_search_leaves_an_island():
    """Each start is an island of its own: too few are seen, so all are compared."""
    keys = keys_of(12)
    edges = np.full((12, 2), -1)
    near, _ = search_graph(12, 3, edges, lambda i, j: keys[i, j], np.array([4]))
    assert_array_equal(near, top_k(keys, 3)[0])
