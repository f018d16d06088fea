"""Changes of values that keep their order, as objects that processes can be sent."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from similearn.data.checks import refuse_below_zero
from similearn.data.values import Floats, Kind
from similearn.numerics.linalg.units import divided

_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class OneMinusScaled:
    """Dissimilarities d to similarities 1 - d / amount, as `similearn.convert` has them."""

    amount: float
    kind: ClassVar[Kind | None] = "similarity"

    def __call__(self, d: Floats) -> Floats:
        """Return the similarities of dissimilarities of any shape."""
        with np.errstate(over="ignore"):
            return np.clip(1.0 - _nonnegative(d, self.amount) / self.amount, -_LARGEST, _LARGEST)


@dataclass(frozen=True)
class MaxMinus:
    """Dissimilarities d to similarities amount - d, as `similearn.convert` has them."""

    amount: float
    kind: ClassVar[Kind | None] = "similarity"

    def __call__(self, d: Floats) -> Floats:
        """Return the similarities of dissimilarities of any shape."""
        with np.errstate(over="ignore"):
            return np.clip(self.amount - _nonnegative(d, self.amount), -_LARGEST, _LARGEST)


@dataclass(frozen=True)
class Divided:
    """Values divided by a unit, those beyond 1e300 of them counted as so many."""

    amount: float
    kind: ClassVar[Kind | None] = None

    def __call__(self, values: Any) -> Any:
        """Return the values in units, of an array of any shape or of CSR."""
        return divided(values, self.amount, 1e300)


@dataclass(frozen=True)
class Clipped:
    """Values within plus and minus an amount."""

    amount: float
    kind: ClassVar[Kind | None] = None

    def __call__(self, values: Floats) -> Floats:
        """Return the values of an array of any shape, clipped."""
        return np.clip(values, -self.amount, self.amount)


CHANGES: dict[str, Any] = {"one-minus-scaled": OneMinusScaled, "max-minus": MaxMinus}
"""Of dissimilarities to similarities, by the names of `DissimilarityToSimilarity`."""


def _nonnegative(d: Floats, largest: float) -> Floats:
    refuse_below_zero(d, largest)
    return d
