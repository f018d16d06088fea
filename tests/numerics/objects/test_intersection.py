"""Sparse histograms against dictionaries."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from similearn.numerics.objects import intersection
from similearn.numerics.objects.intersection import Histograms
from tests.thinning import drawn

counts = st.lists(st.dictionaries(st.integers(0, 6), st.integers(1, 4)), min_size=1, max_size=5)


def histograms(dictionaries):
    bins = [np.array(sorted(one), dtype=np.int64) for one in dictionaries]
    return Histograms.of(bins, [np.array([one[b] for b in sorted(one)]) for one in dictionaries])


@given(counts, counts, st.sampled_from([1, 3, 1 << 20]))
@drawn(60)
def test_intersections_are_sums_of_the_smaller_height(A, B, at_once):
    before, intersection._MOST_MATCHES = intersection._MOST_MATCHES, at_once
    try:
        found = histograms(A).intersections(histograms(B))
    finally:
        intersection._MOST_MATCHES = before
    expected = [[sum(min(h, b.get(k, 0)) for k, h in a.items()) for b in B] for a in A]
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(histograms(A).totals, [sum(a.values()) for a in A])


@pytest.mark.parametrize("chosen", [slice(1, 3), slice(0, 0), np.array([2, 0, 2]), slice(None)])
def test_chosen_like_a_list(chosen):
    held = [{1: 1.0}, {}, {1: 2.0, 5: 3.0}, {7: 1.0}]
    listed = np.array(held, dtype=object)[chosen].tolist()
    again = pickle.loads(pickle.dumps(histograms(held)[chosen]))
    np.testing.assert_array_equal(again.ends, np.cumsum([0, *map(len, listed)]))
    np.testing.assert_array_equal(again.bins, [b for one in listed for b in sorted(one)])
    np.testing.assert_array_equal(again.heights, [one[b] for one in listed for b in sorted(one)])
