"""What far means to a pair of prototypes: a rising function of the entries, safe to square."""

from typing import NamedTuple

import numpy as np

from similearn.numerics.compiling import compiled

FARTHEST = 2.0**500
"""Beyond so many units all is equally far: the square is finite."""


class Farness(NamedTuple):
    """How far grows with an entry: ``sign · (scale · entry)``, squared with its sign if asked."""

    sign: float
    scale: float
    squared: bool


def farness(largest: float, *, large_is_near: bool, squared: bool) -> Farness:
    """Scale entries by a power of two, so that no square overflows; `largest` becomes about 1."""
    exponent = int(np.frexp(largest)[1]) if largest > 0 else 0
    scale = float(np.ldexp(1.0, int(np.clip(-exponent, -1000, 1000))))
    return Farness(-1.0 if large_is_near else 1.0, scale, squared and not large_is_near)


@compiled
def far_of(entry, sign, scale, squared):  # type: ignore[no-untyped-def]
    """Farness of one entry, for compiled code."""
    scaled = min(max(sign * scale * entry, -FARTHEST), FARTHEST)
    return scaled * abs(scaled) if squared else scaled
