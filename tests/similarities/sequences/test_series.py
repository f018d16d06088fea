"""Dynamic time warping and edit distance with real penalty, against their tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from similearn.errors import InputError, MissingExtraError
from similearn.similarities import DynamicTimeWarping, EditRealPenalty, get_similarity
from similearn.similarities.shell import similarity
from tests.reference.similarities import dynamic_time_warping, edit_real_penalty
from tests.thinning import drawn


def series(seed, n=4, width=()):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((rng.integers(1, 8), *width)) for _ in range(n)]


@given(st.integers(0, 10**6), st.sampled_from([(), (2,)]))
@drawn(15)
def test_is_the_table(seed, width):
    pytest.importorskip("dtaidistance")
    A, B = series(seed, 3, width), series(seed + 1, 4, width)
    expected = [[dynamic_time_warping(a, b) for b in B] for a in A]
    assert_allclose(DynamicTimeWarping().matrix(A, B), expected, rtol=1e-10)


def test_window():
    pytest.importorskip("dtaidistance")
    rng = np.random.default_rng(0)
    A = rng.standard_normal((3, 9))
    for window in (1, 2, 4):
        expected = [[dynamic_time_warping(a, b, window) for b in A] for a in A]
        assert_allclose(DynamicTimeWarping(window).matrix(A, A), expected, atol=1e-10)
    assert_allclose(DynamicTimeWarping(1).matrix(A, A)[0, 1], np.linalg.norm(A[0] - A[1]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: DynamicTimeWarping()([1.0, np.nan], [1.0]), "Series 0 .* finite"),
        (lambda: DynamicTimeWarping()([], [1.0]), "at least one"),
        (lambda: DynamicTimeWarping()("abc", [1.0]), "Series 0 .* cannot be used"),
        (lambda: DynamicTimeWarping(0)([1.0], [1.0]), "window=0"),
        (lambda: DynamicTimeWarping()([1.0], [[1.0, 2.0]]), "different numbers of measurements"),
    ],
)
def test_messages(call, message):
    pytest.importorskip("dtaidistance")
    with pytest.raises(InputError, match=message):
        call()


def test_without_dtaidistance_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(similarity, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r'"similearn\[series\]"'):
        get_similarity("dynamic_time_warping")


@given(st.integers(0, 10**6), st.sampled_from([0.0, 1.5]))
@drawn(10)
def test_real_penalty_is_its_recursion_and_a_metric(seed, gap):
    A = [one[:5] for one in series(seed, 4)]
    expected = [[edit_real_penalty(list(a), list(b), gap) for b in A] for a in A]
    values = EditRealPenalty(gap).matrix(A, A)
    assert_allclose(values, expected, atol=1e-12)
    assert (values[:, None, :] <= values[:, :, None] + values[None, :, :] + 1e-9).all()


def test_real_penalty_messages():
    with pytest.raises(InputError, match="2 measurements at a time; expected one"):
        EditRealPenalty().matrix([np.ones((3, 2))], [np.ones((3, 2))])
    with pytest.raises(InputError, match="gap=nan is out of range"):
        EditRealPenalty(np.nan).matrix([[1.0]], [[1.0]])
