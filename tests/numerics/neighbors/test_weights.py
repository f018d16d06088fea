import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose

from similearn.errors import InputError
from similearn.numerics.neighbors.kri import kri_weights
from similearn.numerics.neighbors.krr import krr_weights
from similearn.numerics.neighbors.lime import lime_weights
from similearn.numerics.neighbors.weights import affinity_weights
from tests.numerics.local_problems import local_problems
from tests.thinning import drawn

any_finite = arrays(float, (3, 5), elements=st.floats(allow_nan=False, allow_infinity=False))


def test_affinity_is_proportional():
    assert_allclose(affinity_weights(np.array([[4.0, 3.0, 2.0, 1.0]])), [[0.4, 0.3, 0.2, 0.1]])


@pytest.mark.parametrize(
    ("s", "expected"),
    [
        ([0.0, 0.0], [0.5, 0.5]),
        ([-1.0, -3.0], [0.5, 0.5]),
        ([2.0, -3.0], [1.0, 0.0]),
        ([1e300, 1e300], [0.5, 0.5]),
        ([1e-300, 3e-300], [0.25, 0.75]),
        ([5e-324, 0.0], [1.0, 0.0]),
        ([1e300, 1e-300], [1.0, 0.0]),
        ([7.0], [1.0]),
    ],
)
def test_affinity_where_it_is_not_proportional(s, expected):
    assert_allclose(affinity_weights(np.array(s)), expected)


@given(any_finite)
@drawn(50)
def test_affinity_is_always_a_pmf_that_never_falls_with_similarity(s):
    with np.errstate(all="raise", under="ignore"):
        w = affinity_weights(s)
    assert_allclose(w.sum(axis=1), 1.0)
    assert (w >= 0).all()
    order = np.argsort(s, axis=1)
    assert (np.diff(np.take_along_axis(w, order, axis=1), axis=1) >= 0).all()


@pytest.mark.parametrize(
    ("S", "s", "ridge", "message"),
    [
        (np.eye(3), np.ones(2), 1.0, "expected"),
        (np.ones((2, 3, 3)), np.ones(3), 1.0, "expected"),
        (np.eye(3), np.ones(3), -1.0, "ridge"),
        (np.eye(3), np.ones(3), np.nan, "ridge"),
    ],
)
def test_impossible_requests_are_refused(S, s, ridge, message):
    with pytest.raises(InputError, match=message):
        krr_weights(S, s, ridge)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["psd", "indefinite", "constant", "zero"])
@pytest.mark.parametrize(
    ("of_S", "of_s", "ridge"),
    [
        (1e-300, 1e-300, 1e-300),
        (1e300, 1e300, 1e300),
        (1e300, 1e-300, 1.0),
        (1e-300, 1e300, 1e-300),
        (1.0, 1.0, 1e300),
        (1.0, 1.0, 1e-300),
    ],
)
def test_finite_input_of_any_scale_has_finite_weights(kind, of_S, of_s, ridge):
    S, s = local_problems(kind, 3, 7)
    S, s = of_S * S / max(np.abs(S).max(), 1e-9), of_s * s / np.abs(s).max()
    assert np.isfinite(krr_weights(S, s, ridge)).all()
    for weigh in (kri_weights, lime_weights):
        w = weigh(S, s, ridge)
        assert (w >= 0).all()
        assert_allclose(w.sum(axis=1), 1.0)
