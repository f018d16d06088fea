"""The message about NaN and infinite entries names the place."""

import numpy as np
import pytest
from scipy import sparse

from similearn.data.checks import require_finite
from similearn.errors import InputError


def block_with(bad, rows, columns, shape=(7, 9)):
    values = np.arange(float(np.prod(shape))).reshape(shape)
    values[rows, columns] = bad
    return values


def test_finite_blocks_pass():
    for values in (np.ones((3, 4)), np.ones((0, 4)), np.ones(3), np.ones((2, 2), dtype=int)):
        require_finite(values)
    require_finite(sparse.csr_array(np.eye(3)))


def test_large_entries_whose_sum_overflows_pass():
    require_finite(np.full((40, 40), 1e307))
    require_finite(np.array([[1.7e308, 1.7e308], [-1.7e308, -1.7e308]]))


@pytest.mark.parametrize(
    ("bad", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")]
)
def test_first_place_of_a_dense_block(bad, word):
    with pytest.raises(InputError, match=f"X contains {word} at row 3, column 5 .counting from 0."):
        require_finite(block_with(bad, [3], [5]))


def test_opposite_infinities_are_found():
    with pytest.raises(InputError, match=r"infinity at row 1, column 0 .*first of 2 NaN or inf"):
        require_finite(block_with([np.inf, -np.inf], [1, 2], [0, 3]))


def test_row_major_order_and_count():
    values = block_with(np.nan, [5, 2, 2], [0, 8, 4])
    with pytest.raises(
        InputError, match=r"scores contains NaN at row 2, column 4 .*first of 3 NaN"
    ):
        require_finite(values, "scores")
    with pytest.raises(InputError, match="NaN at row 0, column 5 "):
        require_finite(values.T)


def test_many_chunks():
    values = np.zeros((700, 900))
    values[650, 7] = values[699, 899] = np.nan
    with pytest.raises(InputError, match=r"row 650, column 7 .*first of 2 "):
        require_finite(values)


def test_sparse_block_names_row_and_column():
    matrix = sparse.csr_array(
        (np.array([1.0, np.nan, np.inf]), (np.array([0, 4, 5]), np.array([2, 6, 0]))), shape=(7, 9)
    )
    with pytest.raises(InputError, match=r"row 4, column 6 .*missing='zero' where it is read"):
        require_finite(matrix)


def test_vector():
    with pytest.raises(InputError, match=r"self_values contains NaN at position 1 \(counting"):
        require_finite(np.array([0.0, np.nan]), "self_values")
