"""Units are powers of two, one at ordinary scales, and parameters follow them."""

import math

import numpy as np
import pytest

from similearn.numerics.linalg.units import FARTHEST, in_units, lengths, power_of_two, unit_of


@pytest.mark.parametrize("largest", [0.0, 1e-30, 1.0, -3.0, 1e30])
def test_ordinary_numbers_have_unit_one(largest):
    assert unit_of(np.array([[0.0, largest]])) == 1.0


@pytest.mark.parametrize("largest", [5e-324, -1e-310, 1e-300, 1e-40, 1e40, -1e300, 1.7e308])
def test_other_numbers_end_near_one(largest):
    unit = unit_of(np.array([0.0, largest, largest / 2]))
    assert math.frexp(unit)[0] == 0.5
    assert np.isfinite(1.0 / unit)
    assert abs(largest) / unit < 4.0
    assert abs(largest) / unit >= 0.5 or abs(largest) < 2.3e-308


def test_an_empty_array_has_unit_one():
    assert unit_of(np.empty((0, 3))) == 1.0


@pytest.mark.parametrize("power", [-1, 1, 2, 3])
def test_parameters_follow_exactly_or_stop_at_the_bound(power):
    for unit in (power_of_two(1e-40), 1.0, power_of_two(1e33)):
        expected = 0.3 * unit**power if unit == 1.0 else min(0.3 * unit**power, FARTHEST)
        assert in_units(0.3, unit, power) == max(expected, 1.0 / FARTHEST)
    for unit in (power_of_two(1e-300), power_of_two(1e300)):
        assert in_units(1e-300, unit, power) in (FARTHEST, 1.0 / FARTHEST) or abs(power) == 1
        assert np.isfinite(in_units(1e300, unit, power)) and in_units(1e-300, unit, power) > 0


def test_lengths_at_every_scale():
    scales = np.array([1e-320, 1e-200, 1.0, 1e200, 3e307])
    vectors = scales[:, None] * np.array([3.0, -4.0])
    np.testing.assert_allclose(lengths(vectors), 5.0 * scales, rtol=1e-15)
    np.testing.assert_array_equal(lengths(np.zeros((2, 3))), 0.0)
    assert lengths(np.array([[1.0, -np.inf]]))[0] == np.inf
