"""Tangent distance and fuzzy image metric."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from similearn.errors import InputError
from similearn.numerics.objects import tangent as numerics
from similearn.numerics.objects.tangent import TRANSFORMATIONS, orthonormal_rows, smoothed, tangents
from similearn.similarities import FuzzyImageMetric, TangentDistance, evaluate_block
from tests.reference.similarities import sugeno, tangent_distance
from tests.thinning import drawn

SIZE = 40


def picture(x, y):
    """Two smooth blobs, alike under no transformation."""
    first = np.exp(-((x - 4) ** 2 + (y + 3) ** 2) / 40)
    return first + 0.7 * np.exp(-((x + 5) ** 2 / 30 + (y - 4) ** 2 / 60))


def transformed(name, t):
    """The picture moved by t, analytically; thickness by its definition, f + t |∇f|²."""
    x = np.arange(SIZE) - (SIZE - 1) / 2
    y = x[:, None]
    if name == "thickness":
        h = 1e-5
        f_x = (picture(x + h, y) - picture(x - h, y)) / (2 * h)
        f_y = (picture(x, y + h) - picture(x, y - h)) / (2 * h)
        return picture(x, y) + 20 * t * (f_x**2 + f_y**2)
    moved = {
        "horizontal": lambda: (x + 20 * t, y),
        "vertical": lambda: (x, y + 20 * t),
        "rotation": lambda: (x * np.cos(t) + y * np.sin(t), y * np.cos(t) - x * np.sin(t)),
        "scaling": lambda: ((1 + t) * x, (1 + t) * y),
        "parallel_hyperbolic": lambda: ((1 + t) * x, (1 - t) * y),
        "diagonal_hyperbolic": lambda: (x + t * y, y + t * x),
    }
    return picture(*moved[name]())


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("smoothing", [0, 0.9])
@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_invariant_to_first_order(name, smoothing, sides):
    """What is left of a small movement vanishes relative to the movement itself.

    Down to a floor: the grid's own error, and with smoothing also that blurring commutes
    with shifts and turns alone.
    """
    floor = 0.03 if smoothing == 0 else 0.07
    model = TangentDistance(sides, transformations=[name], smoothing=smoothing)
    rest = []
    for t in (0.02, 0.01):
        still, moved = picture_at_rest(), transformed(name, t)
        size = np.linalg.norm(smoothed(np.array([still - moved]), smoothing))
        rest.append(model(still, moved) / size)
    # Second order: half the movement leaves half the share.
    assert rest[1] < max(0.7 * rest[0], floor) and rest[1] < 0.07


@pytest.mark.parametrize("name", ["rotation", "scaling", "horizontal"])
def test_other_transformations_do_not_explain_it(name):
    other = {"rotation": "thickness", "scaling": "rotation", "horizontal": "vertical"}[name]
    still, moved = picture_at_rest(), transformed(name, 0.02)
    model = TangentDistance(2, transformations=[other], smoothing=0)
    assert model(still, moved) > 0.5 * np.linalg.norm(still - moved)


def picture_at_rest():
    return transformed("scaling", 0.0)


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("smoothing", [0, 0.9])
@given(st.integers(0, 10**6))
@drawn(5)
def test_is_least_squares(sides, smoothing, seed):
    rng = np.random.default_rng(seed)
    A, B = rng.random((3, 6, 7)), rng.random((20, 6, 7))
    B[0] = 0.5  # blank: no tangents
    model = TangentDistance(sides, smoothing=smoothing)
    of_a, of_b = (tangents(X, smoothing, TRANSFORMATIONS) for X in (A, B))
    a, b = smoothed(A, smoothing), smoothed(B, smoothing)
    expected = [
        [
            tangent_distance(a[i], b[j], of_b[j] if sides == 1 else [*of_a[i], *of_b[j]])
            for j in range(len(B))
        ]
        for i in range(len(A))
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numerics, "_FLOATS_AT_ONCE", 300)  # several stretches of columns
        assert_allclose(model.matrix(A, B), expected, rtol=1e-8, atol=1e-10)
    assert_allclose(model.matrix(A, B), expected, rtol=1e-8, atol=1e-10)
    assert model.symmetric == (sides == 2)


def test_shorter_than_the_euclidean_distance_and_zero_for_itself():
    rng = np.random.default_rng(0)
    A = rng.random((5, 16, 16))
    flat = smoothed(A, 0.9).reshape(5, -1)
    plain = np.linalg.norm(flat[:, None] - flat[None], axis=2)
    one, two = (TangentDistance(sides).matrix(A, A) for sides in (1, 2))
    assert np.all(two <= np.minimum(one, one.T) + 1e-12) and np.all(one <= plain + 1e-12)
    for values in (one, two):
        assert_array_equal(np.diag(values), 0)
    assert_allclose(two, two.T, atol=1e-12)


def test_forms_of_images():
    rng = np.random.default_rng(0)
    images = rng.random((4, 5, 8))
    model = TangentDistance()
    expected = model.matrix(images, images)
    rows = images.reshape(4, -1)
    for form in (list(images), images.tolist()):
        assert_array_equal(model.matrix(form, form), expected)
    with_shape = TangentDistance(shape=(5, 8))
    for form in (rows, sparse.csr_array(rows)):
        assert_array_equal(with_shape.matrix(form, form), expected)
    assert_allclose(evaluate_block(model, images, images, n_jobs=2), expected, atol=1e-12)
    square = rng.random((3, 9))
    assert_array_equal(model.matrix(square, square), model.matrix(*[square.reshape(3, 3, 3)] * 2))


def test_bases_are_orthonormal_or_zero():
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((2, 4, 9))
    vectors[0, 2] = vectors[0, 0] - 2 * vectors[0, 1]
    vectors[1, 0] = 0
    Q = orthonormal_rows(vectors)
    expected = np.array([np.diag([1, 1, 0, 1]), np.diag([0, 1, 1, 1])])
    assert_allclose(Q @ Q.swapaxes(1, 2), expected, atol=1e-14)
    assert vectors[1, 1, 0] != Q[1, 1, 0]


greys = arrays(float, (3, 9), elements=st.floats(0, 1))


@given(greys, greys)
@drawn(40)
def test_fuzzy_image_metric_is_the_sugeno_integral(A, B):
    values = FuzzyImageMetric().matrix(A, B)
    assert_allclose(values, [[sugeno(np.abs(a - b)) for b in B] for a in A], atol=1e-12)


@given(greys)
@drawn(40)
def test_fuzzy_image_metric_is_a_metric(A):
    D = FuzzyImageMetric().matrix(A, A)
    assert_array_equal(D, D.T)
    assert np.all(D[0, 1] <= D[0, 2] + D[2, 1] + 1e-12)
    assert_array_equal(np.diag(D), 0)


def test_fuzzy_image_metric_scales_grey_values():
    rng = np.random.default_rng(0)
    A = rng.random((4, 6, 6))
    expected = FuzzyImageMetric().matrix(A, A)
    assert_allclose(FuzzyImageMetric(low=-1).matrix(2 * A - 1, 2 * A - 1), expected, atol=1e-12)
    assert FuzzyImageMetric()(np.zeros((3, 3)), np.ones((3, 3))) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: TangentDistance(3)(np.ones((4, 4)), np.ones((4, 4))), "sides=3"),
        (lambda: TangentDistance(smoothing=-1)(np.ones((4, 4)), np.ones((4, 4))), "smoothing=-1"),
        (
            lambda: TangentDistance(transformations=["zoom"])(np.ones((4, 4)), np.ones((4, 4))),
            "holds 'zoom'",
        ),
        (lambda: TangentDistance()(np.ones(12), np.ones(12)), r"Rows of 12 pixels.*say\s+shape"),
        (lambda: TangentDistance()(np.ones((4, 4)), np.ones((5, 5))), "16 and 25 pixels"),
        (lambda: TangentDistance()(np.ones((1, 4)), np.ones((1, 4))), "lower or narrower"),
        (lambda: TangentDistance().matrix(["a"], ["b"]), "Expected grey images"),
        (lambda: TangentDistance()([[np.nan, 1], [1, 1]], [[1, 1], [1, 1]]), "NaN"),
        (lambda: FuzzyImageMetric()([0, 16], [0, 1]), "from 0 to 16, beyond low=0 and high=1"),
        (lambda: FuzzyImageMetric(high=0)([0, 1], [0, 1]), "expected low < high"),
        (lambda: FuzzyImageMetric()([0, 1], [0, 1, 1]), "2 and 3 pixels"),
    ],
)
def test_messages(call, message):
    with pytest.raises(InputError, match=message):
        call()
