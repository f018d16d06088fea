"""Neighbours of all rows, in chunks as large as memory bears."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn import config_context

from similearn import Pairwise, stored_pairwise
from similearn.data.stored.whole_searches import all_nearest, bytes_of_a_row

S = sparse.random_array((50, 50), density=0.1, rng=np.random.default_rng(0), format="csr")
BLOCKS = {
    "dense": Pairwise(S.toarray(), "similarity"),
    "csr": Pairwise(S, "similarity"),
    "lazy": stored_pairwise(S.toarray(), "similarity"),
}


@pytest.mark.parametrize("form", BLOCKS)
def test_chunks_change_nothing(form):
    with config_context(working_memory=0.01):
        found = all_nearest(BLOCKS[form], 4, skip_self=True)
    for part, expected in zip(found, BLOCKS["dense"].nearest(4, skip_self=True), strict=True):
        assert_array_equal(part, expected)


def test_a_row_of_csr_takes_what_is_stored():
    wide = sparse.csr_array((np.ones(90), (np.arange(90) % 9, np.arange(90))), shape=(9, 10**6))
    queries = Pairwise(wide, "similarity", reverse=wide)
    assert bytes_of_a_row(queries) < 2000
    assert bytes_of_a_row(Pairwise(wide, "similarity")) < 1000
    assert bytes_of_a_row(BLOCKS["dense"]) == 16 * 50
    assert bytes_of_a_row(BLOCKS["lazy"]) == 0
