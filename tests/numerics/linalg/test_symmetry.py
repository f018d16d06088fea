import numpy as np
import pytest

from similearn.numerics.linalg.symmetry import equals_transpose


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 100])
def test_one_entry_decides(n):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n, n))
    values = values + values.T
    assert equals_transpose(values, 0.0)
    for i, j in rng.integers(0, n, (20, 2)):
        changed = values.copy()
        changed[i, j] += 1e-3
        assert equals_transpose(changed, 0.0) == (i == j)
        assert equals_transpose(changed, 1e-2)


def test_nan_is_not_symmetric_and_infinity_is():
    assert equals_transpose(np.full((2, 2), np.inf), 0.0)
    assert not equals_transpose(np.full((2, 2), np.nan), 1.0)
