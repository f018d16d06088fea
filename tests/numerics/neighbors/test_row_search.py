import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from similearn import (
    FusedNeighborsClassifier,
    LocalBDAClassifier,
    LocalNearestMeansClassifier,
    Sources,
)
from similearn.numerics.neighbors.row_search import nearest_rows, row_table
from tests.reference import neighbors as reference
from tests.thinning import drawn


def brute_force(queries, rows, k):
    distances = np.sqrt(((queries[:, None, :] - rows[None, :, :]) ** 2).sum(axis=2))
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(distances, order, axis=1)


@pytest.mark.parametrize("d", [1, 2, 3, 4, 7, 40])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_equals_brute_force(d, offset):
    rng = np.random.default_rng(d)
    rows, queries = rng.normal(size=(200, d)) + offset, rng.normal(size=(30, d)) + offset
    expected, distances = brute_force(queries, rows, 9)
    positions, found = nearest_rows(queries, row_table(rows), 9)
    assert_array_equal(positions, expected)
    assert_allclose(found, distances, rtol=1e-13)


integers = st.integers(-2, 2).map(float)


@given(arrays(float, (25, 3), elements=integers), arrays(float, (4, 3), elements=integers))
@drawn(60)
def test_ties_come_in_the_order_of_the_table(rows, queries):
    expected, distances = brute_force(queries, rows, 6)
    positions, found = nearest_rows(queries, row_table(rows), 6)
    assert_array_equal(positions, expected)
    assert_allclose(found, distances, rtol=1e-15)


def test_close_rows_far_from_the_center_are_told_apart():
    """|x|² + |y|² - 2 x·y has no correct digit here."""
    rows = np.array([[1e9, 0.0], [1e9, 3e-3], [1e9, 1e-3], [-1e9, 0.0]])
    positions, distances = nearest_rows(np.array([[1e9, 1.1e-3]]), row_table(rows), 3)
    assert_array_equal(positions, [[2, 0, 1]])
    assert_allclose(distances, [[1e-4, 1.1e-3, 1.9e-3]], rtol=1e-9)


@pytest.mark.parametrize("scale", [1e-300, 1e-170, 1e170, 1e300])
def test_values_whose_squares_overflow_or_vanish(scale):
    rng = np.random.default_rng(0)
    rows, queries = rng.normal(size=(40, 5)), rng.normal(size=(6, 5))
    expected, distances = brute_force(queries, rows, 7)
    positions, found = nearest_rows(queries * scale, row_table(rows * scale), 7)
    assert_array_equal(positions, expected)
    assert_allclose(found, distances * scale, rtol=1e-12)


def test_one_enormous_query_among_usual_ones():
    rng = np.random.default_rng(1)
    rows, queries = rng.normal(size=(30, 2)), rng.normal(size=(3, 2))
    alone = nearest_rows(queries, row_table(rows), 4)
    queries = np.vstack([queries, [[1e250, -1e250]]])
    together = nearest_rows(queries, row_table(rows), 4)
    assert_array_equal(together[0][:3], alone[0])
    assert np.isfinite(together[1]).all()


def test_skip_leaves_one_row_out():
    rows = np.random.default_rng(2).normal(size=(20, 3))
    skip = np.arange(20)
    skip[5] = -1
    positions, distances = nearest_rows(rows, row_table(rows), 19, skip=skip)
    assert positions[5, 0] == 5 and distances[5, 0] == 0
    for i in np.delete(np.arange(20), 5):
        assert_array_equal(np.sort(positions[i]), np.delete(np.arange(20), i))


def test_answers_do_not_depend_on_the_company():
    rng = np.random.default_rng(3)
    rows, queries = rng.integers(0, 3, size=(100, 4)).astype(float), rng.normal(size=(17, 4))
    table = row_table(rows)
    positions, distances = nearest_rows(queries, table, 10)
    for i in range(17):
        alone = nearest_rows(queries[i : i + 1], table, 10)
        assert_array_equal(alone[0][0], positions[i])
        assert_array_equal(alone[1][0], distances[i])


def test_cutting_the_work_changes_nothing(monkeypatch):
    rng = np.random.default_rng(4)
    rows, queries = rng.normal(size=(50, 3)), rng.normal(size=(23, 3))
    skip = rng.integers(-1, 50, size=23)
    expected = nearest_rows(queries, row_table(rows), 8, skip=skip)
    monkeypatch.setattr("similearn.numerics.neighbors.row_search._ENTRIES_AT_ONCE", 200)
    found = nearest_rows(queries, row_table(rows), 8, skip=skip)
    for one, other in zip(found, expected, strict=True):
        assert_array_equal(one, other)


def test_extreme_distances():
    rows = np.array([[3e200, 4e200], [3e-200, 4e-200], [0.0, 0.0]])
    found = nearest_rows(np.zeros((1, 2)), row_table(rows), 3)
    assert_array_equal(found[0], [[2, 1, 0]])
    assert_allclose(found[1], [[0.0, 5e-200, 5e200]], rtol=1e-15)


def assert_order_of_exact_arithmetic(queries, rows, k):
    positions, _ = nearest_rows(queries, row_table(rows), k)
    expected = [reference.nearest_rows(query, rows, k) for query in queries.tolist()]
    assert_array_equal(positions, expected)


@pytest.mark.parametrize("d", [2, 5, 8, 11, 30])
@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300])
def test_permuted_and_mirrored_coordinates_are_equally_far(d, scale):
    rng = np.random.default_rng(d)
    rows = scale * rng.permuted(np.tile(rng.normal(size=d), (40, 1)), axis=1)
    rows[::3] *= -1
    for k in (1, 20, 40):
        positions, distances = nearest_rows(np.zeros((1, d)), row_table(rows), k)
        assert_array_equal(positions, [np.arange(k)])
        assert len(np.unique(distances)) == 1
    beside = scale * np.full((2, d), 0.3)  # permutations stay equally far from the diagonal
    for same_sign in (rows[::3], rows[1::3]):
        positions, _ = nearest_rows(beside, row_table(same_sign), 10)
        assert_array_equal(positions, np.tile(np.arange(10), (2, 1)))


@pytest.mark.parametrize("d", [1, 3, 8, 11])
@pytest.mark.parametrize("offset", [0.0, 1e8, 2.0**40])
@pytest.mark.parametrize("step", [1.0, 0.125])
def test_ties_of_a_grid_are_those_of_exact_arithmetic(d, offset, step):
    rng = np.random.default_rng(d)
    rows = offset + step * rng.integers(-3, 4, size=(60, d))
    queries = offset + step * rng.integers(-3, 4, size=(10, d))
    assert_order_of_exact_arithmetic(queries, rows, 15)


@given(st.lists(st.integers(0, 7), min_size=20, max_size=20), st.integers(0, 1000))
@drawn(30)
def test_duplicated_rows_come_in_their_order(which, seed):
    rng = np.random.default_rng(seed)
    distinct = rng.normal(size=(8, 6))
    assert_order_of_exact_arithmetic(rng.normal(size=(3, 6)), distinct[which], 9)


@pytest.mark.parametrize(
    "model",
    [LocalBDAClassifier(1), LocalNearestMeansClassifier(1), FusedNeighborsClassifier(1)],
    ids=lambda model: type(model).__name__,
)
def test_first_of_equals_is_the_neighbour(model):
    rng = np.random.default_rng(4)
    rows = rng.permuted(np.tile(rng.normal(size=9), (40, 1)), axis=1)
    y, queries = np.arange(40) % 2, np.full((3, 9), 0.7)
    if isinstance(model, FusedNeighborsClassifier):
        rows, queries = Sources({"t": rows}), Sources({"t": queries})
    told = model.fit(rows, y).explain(queries)
    assert_array_equal(told.neighbors[:, 0], 0)
