"""Tangent distance and fuzzy image metric of grey images."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from similearn.errors import InputError
from similearn.numerics.objects.fuzzy import sugeno_distances
from similearn.numerics.objects.tangent import (
    TRANSFORMATIONS,
    one_sided_distances,
    orthonormal_rows,
    smoothed,
    tangents,
    two_sided_distances,
)
from similearn.similarities.shell.prepared import Prepared, PreparedSimilarity
from similearn.similarities.shell.registering import register


@register("tangent")
class TangentDistance(PreparedSimilarity):
    r"""Tangent distance: small shifts, turns and the like of an image cost nothing.

    One-sided, the distance of image a to the tangent plane of image b,

    .. math:: \psi(a, b) = \min_\beta \|a - (b + T_b \beta)\|,

    two-sided, the distance between both planes,

    .. math:: \psi(a, b) = \min_{\alpha, \beta} \|(a + T_a \alpha) - (b + T_b \beta)\|,

    where the columns of T are the derivatives of an image by each transformation.

    Parameters
    ----------
    sides : {1, 2}, default=2
        With one side, only b, the reference, may move: asymmetric, and much quicker.
    transformations : sequence of str, optional
        Out of "horizontal", "vertical" (shifts), "rotation", "scaling",
        "parallel_hyperbolic", "diagonal_hyperbolic" (the two shears) and "thickness".
        By default all seven.
    smoothing : float, default=0.9
        Width in pixels of the Gaussian that blurs the images before they are compared and
        derived; 0.9 suits strokes of two or three pixels, as in 16 × 16 digits, and 0.5 finer
        ones. With 0, derivatives are differences of neighbours.
    shape : (int, int), optional
        Height and width of images given as rows of pixels; by default they are square.

    Notes
    -----
    Simard, Le Cun and Denker (1993); Simard et al. (1998). Images are an array (n, h, w),
    a list of arrays (h, w), or rows of h w pixels. Tangents are computed and made
    orthonormal once for each image. A pair then costs O(t h w) with one side and
    O(t² h w + t³) with two, in matrix products, for t transformations.

    Images are continued beyond their border by the value there. Tangents that depend on
    others (of a blank image, all) are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn.similarities import TangentDistance
    >>> def spot(centre):
    ...     return np.exp(-(np.add.outer((np.arange(16) - 8.0) ** 2,
    ...                                  (np.arange(16) - centre) ** 2)) / 8)
    >>> plain = np.linalg.norm(spot(8.0) - spot(8.5))
    >>> bool(TangentDistance()(spot(8.0), spot(8.5)) < 0.1 * plain)
    True
    """

    kind = "dissimilarity"
    range = (0.0, np.inf)
    releases_lock = True

    def __init__(
        self,
        sides: int = 2,
        *,
        transformations: Sequence[str] | None = None,
        smoothing: float = 0.9,
        shape: tuple[int, int] | None = None,
    ) -> None:
        self.sides = sides
        self.transformations = transformations
        self.smoothing = smoothing
        self.shape = shape

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Whether both images may move."""
        return bool(self.sides == 2)

    def self_values(self, A: Any) -> np.ndarray:
        """Return zeros: an image lies in its own tangent plane."""
        return np.zeros(len(A))

    def _prepare(self, objects: Any) -> tuple[np.ndarray, np.ndarray]:
        chosen = self._checked_parameters()
        images = as_images(objects, self.shape)
        bases = orthonormal_rows(tangents(images, self.smoothing, chosen))
        points = np.ascontiguousarray(smoothed(images, self.smoothing).reshape(len(images), -1))
        return points, bases

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        (points, bases_a), (others, bases_b) = a.parts, b.parts
        if points.shape[1] != others.shape[1]:
            raise InputError(
                f"Images have {points.shape[1]} and {others.shape[1]} pixels; expected the same."
            )
        if self.sides == 1:
            return one_sided_distances(points, others, bases_b)
        return two_sided_distances(points, bases_a, others, bases_b)

    def _checked_parameters(self) -> tuple[str, ...]:
        if self.sides not in (1, 2):
            raise InputError(f"sides={self.sides!r}; expected 1 or 2.")
        if isinstance(self.smoothing, bool) or not 0 <= self.smoothing < np.inf:
            raise InputError(f"smoothing={self.smoothing!r}; expected a width in pixels, or 0.")
        if self.transformations is None:
            return TRANSFORMATIONS
        chosen = tuple(self.transformations)
        unknown = [name for name in chosen if name not in TRANSFORMATIONS]
        if unknown or not chosen:
            told = f"holds {unknown[0]!r}" if unknown else "is empty"
            raise InputError(f"transformations {told}; expected some of {TRANSFORMATIONS}.")
        return chosen


@register("fuzzy_image")
class FuzzyImageMetric(PreparedSimilarity):
    r"""Fuzzy image metric: Sugeno's fuzzy integral of the differences of grey values.

    .. math:: \psi(a, b) = \sup_{\alpha \in [0, 1]} \min\bigl(\alpha,\;
              \mu\{k : |a_k - b_k| \ge \alpha\}\bigr)

    with μ the share of pixels and grey values scaled to 0 … 1: the largest α such that a
    share α of the pixels differs by α or more.

    Parameters
    ----------
    low, high : float, default=0 and 1
        Grey values of black and white; -1 and 1 for USPS. Values beyond are refused.

    Notes
    -----
    After Li, Chen and Chi (2002), who base their metric on the Sugeno integral; the measure
    of pixels is ours, the uniform one, which makes it the metric of Ky Fan. Few pixels that
    differ much, or many that differ little, hardly count. Images are (h, w) or rows of
    pixels. O(m n p) for p pixels.

    Examples
    --------
    >>> from similearn.similarities import FuzzyImageMetric
    >>> FuzzyImageMetric()([0.0, 0.0, 0.0, 0.0], [0.9, 0.4, 0.3, 0.0])
    0.4
    """

    kind = "dissimilarity"
    symmetric = True
    range = (0.0, 1.0)
    releases_lock = True

    def __init__(self, *, low: float = 0.0, high: float = 1.0) -> None:
        self.low = low
        self.high = high

    def self_values(self, A: Any) -> np.ndarray:
        """Return zeros: no pixel differs."""
        return np.zeros(len(A))

    def _prepare(self, objects: Any) -> tuple[np.ndarray]:
        if not -np.inf < self.low < self.high < np.inf:
            raise InputError(f"low={self.low!r}, high={self.high!r}; expected low < high.")
        grey = _finite_array(objects)
        if grey.size and (grey.min() < self.low or grey.max() > self.high):
            raise InputError(
                f"Grey values run from {grey.min():g} to {grey.max():g}, beyond low={self.low:g} "
                f"and high={self.high:g}; say which values are black and white."
            )
        rows = (grey.reshape(len(grey), -1) - self.low) / (self.high - self.low)
        return (np.ascontiguousarray(rows),)

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        rows, columns = a.parts[0], b.parts[0]
        if rows.shape[1] != columns.shape[1]:
            raise InputError(
                f"Images have {rows.shape[1]} and {columns.shape[1]} pixels; expected the same."
            )
        return sugeno_distances(rows, columns)


def as_images(objects: Any, shape: tuple[int, int] | None) -> np.ndarray:
    """Return images as floats (n, h, w)."""
    grey = _finite_array(objects)
    if grey.ndim == 2:
        side = round(grey.shape[1] ** 0.5)
        shape = (side, side) if shape is None else (int(shape[0]), int(shape[1]))
        if shape[0] * shape[1] != grey.shape[1]:
            raise InputError(
                f"Rows of {grey.shape[1]} pixels are not images of {shape[0]} × {shape[1]}; say "
                "shape=(height, width)."
            )
        grey = grey.reshape(-1, *shape)
    if min(grey.shape[1:]) < 2:
        raise InputError("Images are lower or narrower than two pixels; they have no derivatives.")
    return grey


def _finite_array(objects: Any) -> np.ndarray:
    """Return images or rows of pixels as one array of finite floats."""
    if hasattr(objects, "toarray"):
        objects = objects.toarray()
    try:
        grey = np.asarray(objects, dtype=np.float64)
    except (TypeError, ValueError):
        grey = np.empty(0)
    if grey.ndim not in (2, 3):
        raise InputError(
            "Expected grey images of one size: an array (n, h, w), or rows of pixels (n, h w)."
        )
    if not np.isfinite(grey).all():
        raise InputError("Images hold NaN or infinity; expected finite grey values.")
    return grey
