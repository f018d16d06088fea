import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from scipy import sparse

from similearn.numerics.neighbors import topk
from similearn.numerics.neighbors.topk import top_k, top_k_csr
from tests.reference.neighbors import reference_top_k
from tests.thinning import drawn


@pytest.fixture(autouse=True, scope="module")
def machine_code():
    """No row is among the first of its process, unless a test says so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(topk, "ENTRIES_BY_NUMPY", 0)
        yield


levels = st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 1e300, -1e300])
blocks = arrays(float, st.tuples(st.integers(1, 4), st.integers(2, 40)), elements=levels)


@pytest.mark.parametrize("by_numpy", [False, True])
@drawn(100)
@given(blocks, st.booleans(), st.booleans(), st.data())
def test_top_k_matches_a_stable_sort(by_numpy, values, largest, leave_out, data):
    m, n = values.shape
    k = data.draw(st.integers(1, n - leave_out))
    skip = np.arange(m) % n if leave_out else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(topk, "ENTRIES_BY_NUMPY", 10**12 if by_numpy else 0)
        patch.setattr(topk, "is_loaded", lambda function: False)
        columns, nearest = top_k(values, k, largest=largest, skip=skip)
    expected = reference_top_k(values, k, largest, skip)
    assert_array_equal(columns, expected)
    assert_array_equal(nearest, np.take_along_axis(values, expected, axis=1))


@pytest.mark.parametrize("shape", ["random", "ascending", "descending", "constant", "levels"])
@pytest.mark.parametrize("k", [1, 7, 100])
def test_long_rows_and_their_bound(shape, k):
    rng = np.random.default_rng(0)
    values = {
        "random": rng.random((3, 3000)),
        "ascending": np.tile(np.arange(3000.0), (3, 1)),
        "descending": np.tile(-np.arange(3000.0), (3, 1)),
        "constant": np.ones((3, 3000)),
        "levels": rng.integers(4, size=(3, 3000)).astype(float),
    }[shape]
    for largest in (True, False):
        for skip in (None, np.array([2999, 0, 1500])):
            columns, _ = top_k(values, k, largest=largest, skip=skip)
            assert_array_equal(columns, reference_top_k(values, k, largest, skip))


def test_only_the_first_rows_of_a_process_are_searched_by_numpy(monkeypatch):
    monkeypatch.setattr(topk, "ENTRIES_BY_NUMPY", 64 * (100 + topk._ROW))
    first = topk._FirstRows()
    sizes = [60, 5, 4, 1]
    assert [first.are_over(m, 100) for m in sizes] == [False, True, False, True]


def test_loaded_code_is_used_at_once(monkeypatch):
    values = np.arange(12.0).reshape(3, 4)
    top_k(values, 2)
    monkeypatch.setattr(topk, "_by_partition", None)  # not called
    monkeypatch.setattr(topk, "ENTRIES_BY_NUMPY", 10**12)
    assert_array_equal(top_k(values, 1)[0], [[3], [3], [3]])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(("n", "k"), [(5, 2), (1000, 3), (1003, 32), (600, 300)])
def test_a_row_that_is_not_finite_has_no_nearest(bad, n, k):
    rows = np.random.default_rng(0).standard_normal((4, n))
    for place in (0, n // 2, n - 1):
        for several in (slice(place, place + 1), slice(place % 2, n, 2)):
            values = rows.copy()
            values[2, several] = bad
            for largest in (True, False):
                for skip in (None, np.array([0, 1, place, 3])):
                    columns, nearest = top_k(values, k, largest=largest, skip=skip)
                    assert_array_equal(np.isnan(nearest).all(axis=1), [False, False, True, False])
                    assert_array_equal(columns[2], 0)
                    others = None if skip is None else skip[[0, 1, 3]]
                    expected = reference_top_k(rows[[0, 1, 3]], k, largest, others)
                    assert_array_equal(columns[[0, 1, 3]], expected)


def test_many_equally_near():
    rng = np.random.default_rng(0)
    values = np.where(rng.random((6, 900)) < 0.5, 1.0, rng.integers(3, size=(6, 900)))
    for k in (1, 5, 60):
        for largest in (True, False):
            columns, _ = top_k(values, k, largest=largest)
            assert_array_equal(columns, reference_top_k(values, k, largest, None))


@drawn(150)
@given(blocks, st.booleans(), st.booleans(), st.data())
def test_sparse_equals_filled_in(values, largest, leave_out, data):
    m, n = values.shape
    k = data.draw(st.integers(1, n - leave_out))
    skip = np.arange(m) % n if leave_out else None
    block = sparse.csr_array(values)
    absent = 0.0 if largest else np.inf  # unknown: farther than everything
    filled = np.where(values == 0, absent, values)
    columns, nearest = top_k_csr(block, k, largest=largest, absent=absent, skip=skip)
    expected = reference_top_k(filled, k, largest, skip)
    assert_array_equal(columns, expected)
    assert_array_equal(nearest, np.take_along_axis(filled, expected, axis=1))


def test_stored_zeros_of_a_dissimilarity_are_near():
    block = sparse.csr_array((np.zeros(1), [2], [0, 1]), shape=(1, 4))
    columns, nearest = top_k_csr(block, 2, largest=False, absent=np.inf)
    assert columns.tolist() == [[2, 0]] and nearest.tolist() == [[0.0, np.inf]]
