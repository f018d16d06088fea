"""Jaccard's coefficient of sets, and its estimate by MinHash."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from similearn.errors import InputError
from similearn.similarities import JaccardSets
from tests.reference.similarities import jaccard
from tests.thinning import drawn

elements = st.one_of(st.text("ab", max_size=2), st.integers(-3, 3), st.just(2.5))
sets = st.lists(st.frozensets(elements, max_size=6), min_size=1, max_size=4)


@given(sets, sets)
@drawn(40)
def test_is_the_share_of_common_elements(A, B):
    assert_allclose(JaccardSets().matrix(A, B), [[jaccard(a, b) for b in B] for a in A])


def test_minhash_is_within_its_standard_error():
    rng = np.random.default_rng(1)
    pairs = [
        (set(range(n)) | set(range(1000, 1000 + m)), set(range(n)) | set(range(2000, 2000 + k)))
        for n, m, k in rng.integers(1, 300, size=(30, 3))
    ]
    gaps = [
        JaccardSets(1024, random_state=seed)(*pair) - jaccard(*pair)
        for seed, pair in enumerate(pairs)
    ]
    assert np.abs(gaps).max() < 4 * 0.5 / 32
    assert abs(np.mean(gaps)) < 3 * 0.5 / 32 / np.sqrt(len(pairs))


def test_lists_are_sets_and_text_is_none():
    assert JaccardSets()(["a", "a", "b"], ["b"]) == 0.5
    assert JaccardSets()({1}, {1.0}) == 1.0 and JaccardSets()({1}, {"1"}) == 0.0
    for objects in (["ab"], [{("a", 1)}], [3]):
        with pytest.raises(InputError, match="expected"):
            JaccardSets().matrix(objects, objects)
