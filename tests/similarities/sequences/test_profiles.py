"""Profiles of n-grams, against n-grams that are counted as strings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from similearn.errors import InputError
from similearn.similarities import NgramProfile
from tests.reference.similarities import ngrams
from tests.thinning import drawn

texts = st.lists(st.text("abcé\U0001f600", max_size=7), min_size=1, max_size=4)


@given(texts, texts, st.integers(1, 3), st.integers(0, 2), st.booleans())
@drawn(40)
def test_is_the_count_of_common_pieces(A, B, shortest, more, ends):
    model = NgramProfile(shortest, shortest + more, ends=ends)
    expected = [[ngrams(a, b, shortest, shortest + more, ends) for b in B] for a in A]
    assert_allclose(model.matrix(A, B), expected)


@pytest.mark.parametrize(
    ("model", "objects", "message"),
    [
        (NgramProfile(0), ["a"], "shortest=0 is too small"),
        (NgramProfile(3, 2), ["a"], "longest=2 is too small; expected at least 3"),
        (NgramProfile(), ["a", 3], "Object 1 .*expected a string"),
    ],
)
def test_messages(model, objects, message):
    with pytest.raises(InputError, match=message):
        model.matrix(objects, objects)
