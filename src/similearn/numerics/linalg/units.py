"""The unit of numbers: a power of two, so that to divide by it rounds nothing.

Squares, cubes and sums of squares of numbers beyond 1e±100 overflow or vanish. Methods divide
such numbers by their unit, and parameters that are in units of the data follow.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

ORDINARY = 2.0**-100, 2.0**100
"""Largest magnitudes, about 1e±30, of numbers that are left as they are."""

FARTHEST = 1e100
"""Magnitude, in units, beyond which numbers of a query and parameters count as this."""

LARGEST_COST = 1e12
"""Largest cost of errors times a kernel: beyond it, rounding of decisions exceeds their margin."""


def unit_of(values: Any) -> float:
    """The power of two above the largest magnitude in an array; one if that is ordinary or zero.

    Parameters
    ----------
    values : array of any shape, finite
    """
    largest = largest_magnitude(values)
    return 1.0 if ORDINARY[0] <= largest <= ORDINARY[1] else power_of_two(largest)


def largest_magnitude(values: Any) -> float:
    """Largest magnitude in an array of any shape; zero if it is empty."""
    return max(float(np.max(values, initial=0.0)), -float(np.min(values, initial=0.0)))


def lengths(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Euclidean lengths (m,) of vectors (m, d), safe from overflow and underflow."""
    with np.errstate(invalid="ignore"):  # of vectors that are not finite
        _, exponents = np.frexp(np.abs(vectors).max(axis=1, initial=0.0))
    scaled = np.ldexp(vectors, -exponents[:, None])
    with np.errstate(over="ignore"):
        return np.ldexp(np.sqrt(np.einsum("ij,ij->i", scaled, scaled)), exponents)


def power_of_two(magnitude: float) -> float:
    """The power of two above a magnitude; one above zero. Its reciprocal is finite, too."""
    if magnitude == 0.0:
        return 1.0
    return math.ldexp(1.0, min(max(math.frexp(magnitude)[1], -1022), 1022))


def divided(values: Any, unit: float, most: float = FARTHEST) -> Any:
    """An array, or a CSR matrix, in units; beyond `most` of them a number counts as so many."""
    if sparse.issparse(values):
        found = values.copy()
        found.data = divided(values.data, unit, most)
        return found
    with np.errstate(over="ignore"):
        found = np.asarray(values / unit)
    return np.clip(found, -most, most, out=found)


def divided_where_needed(values: Any, unit: float) -> Any:
    """`divided`, but where the unit is one the array itself: for those who only read it."""
    return values if unit == 1.0 else divided(values, unit)


def in_units(parameter: float, unit: float, power: int, most: float = FARTHEST) -> float:
    """A positive parameter times unit**power; where a unit is used at all, within `most`."""
    if unit == 1.0:
        return parameter
    exponent = math.log2(parameter) + power * math.log2(unit)
    if abs(exponent) >= math.log2(most):
        return most if exponent > 0 else 1.0 / most
    mantissa, own = math.frexp(parameter)
    return math.ldexp(mantissa, own + power * (math.frexp(unit)[1] - 1))
