"""A few eigenvalues by Lanczos's method are those among all of them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import eigh

from similearn.numerics.linalg.pseudo_euclidean import centred_gram, centred_rows, embedding
from similearn.numerics.linalg.spectrum import leading_eigenpairs


def symmetric(eigenvalues, seed=0):
    n = len(eigenvalues)
    Q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(n, n)))
    return (Q * eigenvalues) @ Q.T


def falling(n, negative):
    values = 10.0 * 0.97 ** np.arange(n)
    values[1::3] *= -1.0 if negative else 1.0
    return values


@pytest.mark.parametrize("which", ["LA", "LM"])
@pytest.mark.parametrize("negative", [False, True])
@pytest.mark.parametrize("n", [40, 240])
def test_they_are_the_largest_of_all(n, negative, which):
    S = symmetric(falling(n, negative))
    values, vectors = leading_eigenpairs(S, 10, which)
    every = eigh(S, eigvals_only=True)
    size = np.abs if which == "LM" else np.asarray
    largest = every[np.argsort(-size(every))[:10]]
    found = np.argsort(-size(values))[:10]
    assert_allclose(values[found], largest, rtol=1e-12)
    assert_allclose(S @ vectors, vectors * values, atol=1e-11)
    assert len(values) == (10 if n == 240 else n)  # of few, all are there


@pytest.mark.parametrize(
    "eigenvalues",
    [
        np.zeros(220),
        np.ones(220),
        np.repeat([3.0, -2.0, 1.0, 0.0], [2, 3, 1, 214]),
        np.repeat([5.0, -5.0, 0.1], 220 // 3 + 1)[:220],
    ],
    ids=["none", "all alike", "rank 6", "many of the same size"],
)
def test_degenerate_matrices(eigenvalues):
    S = symmetric(eigenvalues)
    S = (S + S.T) / 2.0
    values, place = embedding(S, 5)
    largest = np.sort(np.abs(eigenvalues))[::-1][:5]
    kept = largest[largest > 1e-9]
    assert_allclose(np.abs(values), kept if len(kept) else [0.0], rtol=1e-9)
    coordinates = S @ place
    assert_allclose(coordinates.T @ coordinates, np.diag(np.abs(values)), atol=1e-8)


def test_few_coordinates_are_the_first_of_all():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(400, 8)) * 0.6 ** np.arange(8)
    D = np.linalg.norm(points[:, None] - points, axis=2) ** 1.2  # not Euclidean
    gram, means = centred_gram(D)
    few_values, few = embedding(gram, 6)
    all_values, everything = embedding(gram)
    assert_allclose(few_values, all_values[:6], rtol=1e-11)
    assert_allclose(few, everything[:, :6], atol=1e-9)
    assert_allclose(centred_rows(D, means), gram, atol=1e-12)
