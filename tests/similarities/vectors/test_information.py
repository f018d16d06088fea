"""Relative entropy, against its sum and SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import entropy

from similearn.errors import InputError
from similearn.similarities import RelativeEntropy
from tests.reference.similarities import relative_entropy
from tests.thinning import drawn

seeds = st.integers(0, 10**6)


@given(seeds, st.sampled_from([1e-6, 0.001, 0.3]))
@drawn(20)
def test_relative_entropy_is_its_sum(seed, smoothing):
    counts = np.random.default_rng(seed).integers(4, size=(4, 5)) + np.eye(4, 5)
    expected = [[relative_entropy(a, b, smoothing) for b in counts] for a in counts]
    values = RelativeEntropy(smoothing).matrix(counts, counts)
    assert_allclose(values, expected, rtol=1e-10, atol=1e-12)
    assert values.max() <= np.log(5 / smoothing)


def test_relative_entropy_without_smoothing_is_scipys():
    rng = np.random.default_rng(0)
    P, Q = rng.random((3, 6)), rng.random((2, 6))
    P[0, 2] = 0  # impossible under a, possible under b: no harm
    expected = [[entropy(p, q) for q in Q] for p in P]
    assert_allclose(RelativeEntropy(0).matrix(P, Q), expected, rtol=1e-12)
    assert_allclose(RelativeEntropy(0).matrix(7 * P, Q / 3), expected, rtol=1e-12)
    with pytest.raises(InputError, match="infinite; set smoothing above 0"):
        RelativeEntropy(0).matrix(Q, P)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: RelativeEntropy()([0, 0], [1, 1]), "all zeros"),
        (lambda: RelativeEntropy()([-1, 2], [1, 1]), "at least 0"),
        (lambda: RelativeEntropy(1)([1, 2], [1, 1]), "smoothing=1"),
        (lambda: RelativeEntropy()([np.nan, 2], [1, 1]), "NaN or infinity"),
        (lambda: RelativeEntropy()("ab", "cd"), "rows of numbers"),
    ],
)
def test_messages(call, message):
    with pytest.raises(InputError, match=message):
        call()
