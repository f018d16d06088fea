import numpy as np
import pytest
from numpy.testing import assert_allclose

from similearn.numerics.linalg.eigen import (
    columns_from_eigenvectors,
    decompose,
    from_eigenvectors,
    make_eigen,
    to_eigenvectors,
)
from tests.numerics.local_problems import KINDS, local_problems


def special(kind, k):
    beside = np.diag(np.ones(k - 1), 1) + np.diag(np.ones(k - 1), -1)
    return {
        "diagonal": np.diag(np.arange(k) - 2.0),
        "tridiagonal": beside,
        # Wilkinson's matrix: eigenvalues in pairs that agree to many digits.
        "pairs": beside + np.diag(np.abs(np.arange(k) - k // 2).astype(float)),
        "graded": np.diag(10.0 ** -np.arange(k)) + 1e-9 * beside,
        "exchange": np.eye(k)[::-1].copy(),
    }[kind]


def check(A):
    k = len(A)
    eigen, U = make_eigen(k), np.eye(k)
    decompose(A, k, eigen)
    columns_from_eigenvectors(eigen, k, U)
    tolerance = 1e-13 * max(1e-300, np.abs(A).max()) * k
    assert_allclose(U.T @ U, np.eye(k), atol=1e-12)
    assert_allclose(np.sort(eigen.values), np.linalg.eigvalsh(A), rtol=0, atol=tolerance)
    assert_allclose(U * eigen.values @ U.T, A, rtol=0, atol=tolerance)
    x = np.arange(1.0, k + 1)
    there, back = x.copy(), x.copy()
    to_eigenvectors(eigen, k, there)
    from_eigenvectors(eigen, k, back)
    assert_allclose(there, U.T @ x, atol=1e-11 * k)
    assert_allclose(back, U @ x, atol=1e-11 * k)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [1, 2, 3, 16, 65])
def test_local_blocks(kind, k):
    check(local_problems(kind, 1, k)[0][0])


@pytest.mark.parametrize("kind", ["diagonal", "tridiagonal", "pairs", "graded", "exchange"])
@pytest.mark.parametrize("k", [1, 2, 3, 21])
def test_special_matrices(kind, k):
    check(special(kind, k))


def test_a_leading_block_in_larger_room():
    A = local_problems("indefinite", 1, 9)[0][0]
    eigen = make_eigen(9)
    decompose(A, 9, eigen)
    decompose(A, 5, eigen)
    assert_allclose(np.sort(eigen.values[:5]), np.linalg.eigvalsh(A[:5, :5]), atol=1e-13)


@pytest.mark.parametrize("scale", [5e-324, 1e-310, 1e-200, 1e200, 1e300])
def test_extreme_scales(scale):
    A = np.array([[1.0, -2.0, 0.0], [-2.0, 0.0, 3.0], [0.0, 3.0, -1.0]])
    eigen = make_eigen(3)
    decompose(scale * A, 3, eigen)
    expected = np.linalg.eigvalsh(A)
    assert_allclose(np.sort(eigen.values) / scale, expected, rtol=max(1e-13, 1e-323 / scale))
