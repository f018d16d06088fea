import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from similearn.numerics.neighbors.running_topk import (
    NOBODY,
    empty_table,
    floors_of,
    merge_tables,
    offer_tile,
)
from tests.reference.neighbors import reference_top_k
from tests.thinning import drawn


def tied_block(rng, m, n):
    """Few distinct values, so that ties decide."""
    return rng.integers(6, size=(m, n)).astype(float)


@given(st.integers(0, 2**32 - 1), st.booleans(), st.integers(1, 9))
@drawn(40)
def test_tiles_of_both_sides_equal_a_sort(seed, largest, k):
    rng = np.random.default_rng(seed)
    V = tied_block(rng, 23, 150)
    of_rows, of_columns = empty_table(23, k), empty_table(150, k)
    for top, bottom in ((0, 5), (5, 23)):
        for left, right in ((0, 40), (40, 41), (41, 150)):
            offer_tile(
                V[top:bottom, left:right],
                tuple(part[top:bottom] for part in of_rows),
                tuple(part[left:right] for part in of_columns),
                first_row=top,
                first_column=left,
                largest=largest,
            )
    assert_array_equal(of_rows[1], reference_top_k(V, k, largest))
    assert_array_equal(of_columns[1], reference_top_k(V.T, k, largest))
    sign = 1 if largest else -1
    assert_array_equal(sign * of_rows[0], np.take_along_axis(V, of_rows[1], axis=1))


def test_upper_and_skipped_entries_are_passed_over():
    V = tied_block(np.random.default_rng(0), 9, 9)
    table = empty_table(9, 9)
    offer_tile(V, table, upper=True)
    for i, row in enumerate(table[1]):
        assert sorted(row[row != NOBODY]) == list(range(i + 1, 9))
    skip = np.array([3, 0, -1, 8, 1, 1, 2, 5, 8])
    table = empty_table(9, 4)
    offer_tile(V, table, skip=skip)
    assert_array_equal(table[1], reference_top_k(V, 4, True, skip))


@pytest.mark.parametrize("with_floors", [False, True])
def test_merging_in_any_order_gives_the_same(with_floors):
    rng = np.random.default_rng(1)
    V = tied_block(rng, 7, 200)
    for _ in range(5):
        whole = empty_table(7, 6)
        for start in rng.permutation(np.arange(0, 200, 20)):
            floors = floors_of(whole, start) if with_floors else None
            part = empty_table(7, 6, floors)
            offer_tile(V[:, start : start + 20], part, first_column=start)
            merge_tables(whole, part)
        assert_array_equal(whole[1], reference_top_k(V, 6, True))
