import numpy as np
import pytest
from numpy.testing import assert_allclose

from similearn.similarities import Euclidean


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1.0, 1e160, 1e300])
def test_scale_of_numbers_does_not_matter(scale):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    found = Euclidean().matrix(A * scale, B * scale)
    expected = np.sqrt(((A[:, None] - B) ** 2).sum(axis=2))
    assert_allclose(found / scale, expected, rtol=1e-12)


def test_a_distance_does_not_depend_on_other_rows():
    A = np.array([[1e-300, 0.0], [1e300, 1.0], [0.0, 0.0]])
    whole = Euclidean().matrix(A, A)
    assert whole[0, 2] == 1e-300 == Euclidean().matrix(A[[0]], A[[2]])[0, 0]
    assert whole[1, 2] == 1e300
