import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from similearn.numerics.linalg.plane import (
    binned,
    classical_plane,
    even_scale,
    order_by_first_axis,
    placed_between,
    squared_distances,
    stress,
)
from tests.reference import plane as reference


def distances(points):
    return np.sqrt(np.square(points[:, None] - points[None]).sum(axis=2))


@pytest.mark.parametrize("n", [12, 250])  # all eigenvalues, and Lanczos's method
def test_classical_plane_is_torgersons(n):
    rng = np.random.default_rng(0)
    D = distances(rng.normal(size=(n, 5)) * [5, 3, 1, 0.5, 0.1]) + rng.uniform(0, 0.1)
    np.fill_diagonal(D, 0)
    found, expected = classical_plane(D), reference.classical_plane(D)
    assert_allclose(np.abs(found), np.abs(expected), atol=1e-4 * np.abs(expected).max())


def test_points_of_a_plane_come_back():
    points = np.random.default_rng(1).normal(size=(30, 2))
    D = distances(points)
    assert_allclose(distances(classical_plane(D)), D, atol=1e-9)
    assert stress(D, classical_plane(D)) < 1e-6


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_or_equal_samples_have_a_place(n):
    assert_array_equal(classical_plane(np.zeros((n, n))), np.zeros((n, 2)))
    assert stress(np.zeros((n, n)), np.zeros((n, 2))) == 0
    assert sorted(order_by_first_axis(np.zeros((n, n)))) == list(range(n))


def test_stress_is_that_of_the_best_scale():
    rng = np.random.default_rng(2)
    D = distances(rng.normal(size=(15, 4)))
    plane = rng.normal(size=(15, 2))
    assert_allclose(stress(D, plane), reference.stress(D, plane), atol=1e-6)
    assert_allclose(stress(D, 7 * plane), stress(D, plane))
    assert_allclose(stress(D, np.zeros((15, 2))), 1.0)


def test_squared_distances_have_the_similarities_as_inner_products():
    S = np.random.default_rng(3).normal(size=(9, 9))
    S = S + S.T
    squares = squared_distances(S)
    J = np.eye(9) - 1 / 9
    np.fill_diagonal(S, S[~np.eye(9, dtype=bool)].max())
    assert (squares >= 0).all()
    assert_allclose(-0.5 * J @ squares @ J, J @ S @ J, atol=1e-12)


def test_others_lie_between_their_nearest_landmarks():
    rng = np.random.default_rng(4)
    landmarks, to_landmarks = rng.normal(size=(20, 2)), rng.uniform(0.1, 1, size=(6, 20))
    expected = reference.placed_between(to_landmarks, landmarks, 5)
    assert_allclose(placed_between(to_landmarks, landmarks, 5), expected, atol=1e-6)
    to_landmarks[0, 3] = 0.0
    assert_allclose(placed_between(to_landmarks, landmarks)[0], landmarks[3], atol=1e-6)


def test_order_runs_along_a_line():
    place = np.random.default_rng(5).permutation(40).astype(float)
    order = order_by_first_axis(np.abs(place[:, None] - place))
    along = place[order]
    assert (np.diff(along) > 0).all() or (np.diff(along) < 0).all()


def test_binned_are_means_of_squares():
    values = np.arange(49.0).reshape(7, 7)
    means, step = binned(values, 3)
    assert step == 3 and means.shape == (3, 3)
    assert means[0, 0] == values[:3, :3].mean() and means[2, 2] == values[6, 6]
    assert binned(values, 7)[1] == 1


def test_an_even_scale_gives_equal_parts_to_equal_counts():
    values = np.random.default_rng(0).lognormal(size=5000)
    points, shares = even_scale(values)
    placed = np.interp(values, points, shares)
    assert_allclose(np.histogram(placed, bins=4, range=(0, 1))[0], 1250, atol=15)
    assert points[0] == values.min() and points[-1] == values.max()


@pytest.mark.parametrize("values", [[3.0], [1.0, 1.0, 1.0], [0, 0, 0, 0, 0, 0, 1.0]])
def test_ties_of_a_scale_are_one_point(values):
    points, shares = even_scale(np.array(values))
    assert (np.diff(points) > 0).all() and (np.diff(shares) > 0).all()
    assert ((shares >= 0) & (shares <= 1)).all()
