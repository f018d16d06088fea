import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from similearn import kri_weights, krr_weights, lime_weights
from similearn.errors import InputError, InputTypeError

FUNCTIONS = [krr_weights, kri_weights, lime_weights]
ALIKE = np.array([[5.0, 1, 1, 1], [1, 5, 4, 2], [1, 4, 5, 2], [1, 2, 2, 5]])


@pytest.mark.parametrize("weigh", FUNCTIONS)
def test_one_problem_a_batch_and_threads_agree(weigh):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((7, 5, 5))
    S, s = A + A.swapaxes(1, 2), rng.standard_normal((7, 5))
    batch = weigh(S, s, 0.5)
    assert_array_equal(weigh(S, s, 0.5, n_jobs=3), batch)
    assert_array_equal(np.array([weigh(S[i], s[i], 0.5) for i in range(7)]), batch)


def test_the_three_examples_of_the_paper():
    """JMLR §5.2.2: affinity; diversity; and their interaction."""
    first = kri_weights(5 * np.eye(4), [4, 3, 2, 1], 1.0)
    assert (np.diff(first) < 0).all() and first[3] == pytest.approx(0, abs=1e-12)
    second = kri_weights(ALIKE, [3, 3, 3, 3], 1.0)
    assert second[1] == pytest.approx(second[2]) and second[1] < second[3] < second[0]
    third = kri_weights(ALIKE, [2, 4, 3, 3], 1.0)
    assert third.argmax() == 1 and third[0] > third[2]
    for s in ([4, 3, 2, 1], [3, 3, 3, 3], [2, 4, 3, 3]):
        assert_allclose(krr_weights(ALIKE, s, 1.0), np.linalg.solve(ALIKE + np.eye(4), s))
        assert_allclose(kri_weights(ALIKE, s, 1e6), 0.25, atol=1e-5)
        assert_allclose(lime_weights(ALIKE, s, 1e6), 0.25, atol=1e-5)


@pytest.mark.parametrize("weigh", FUNCTIONS)
def test_messages(weigh):
    good = np.eye(2), np.ones(2)
    with pytest.raises(InputError, match=r"Got S \(2, 2\) and s \(3,\); expected \(k, k\)"):
        weigh(np.eye(2), np.ones(3), 1.0)
    with pytest.raises(InputError, match="not symmetric; pass its symmetric part"):
        weigh([[1.0, 0.5], [0.0, 1.0]], np.ones(2), 1.0)
    with pytest.raises(InputError, match="s contains NaN"):
        weigh(np.eye(2), [np.nan, 1.0], 1.0)
    with pytest.raises(InputError, match="S contains infinity"):
        weigh([[np.inf, 0.0], [0.0, 1.0]], np.ones(2), 1.0)
    for i, j in ((0, 0), (0, 1), (1, 0)):
        S = np.eye(2)
        S[i, j] = S[j, i] = np.nan
        with pytest.raises(InputError, match="S contains NaN"):
            weigh(S, np.ones(2), 1.0)
    with pytest.raises(InputError, match="S contains NaN"):
        weigh([[1.0, np.nan], [0.5, 1.0]], np.ones(2), 1.0)
    with pytest.raises(InputError, match="spectrum='square' is unknown"):
        weigh(*good, 1.0, "square")
    with pytest.raises(InputError, match=r"ridge=-1\.0 is out of range"):
        weigh(*good, -1.0)
    with pytest.raises(InputTypeError, match="ridge='1' must be a number"):
        weigh(*good, "1")
