"""Earth mover's distance of histograms and of weighted sets of points."""

from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy

from similearn.errors import InputError
from similearn.similarities.shell.prepared import (
    Prepared,
    PreparedSimilarity,
    each_object,
    number_rows,
    refuse_object,
)
from similearn.similarities.shell.registering import register


@register("earth_mover")
class EarthMover(PreparedSimilarity):
    r"""Earth mover's distance of histograms: the least work that turns one into the other.

    .. math:: \psi(a, b) = \min_{F \ge 0} \sum_{ij} F_{ij} c_{ij}
              \quad\text{with}\quad F \mathbf 1 = a,\; F^T \mathbf 1 = b

    Parameters
    ----------
    ground : optional
        What moving between bins costs. None: the bins lie on a line, one apart. (d,): the
        bins lie on a line at these positions. (d, d): the costs c themselves, not
        negative, which may be asymmetric; needs POT.

    Notes
    -----
    Rubner et al. (2000), with each histogram divided by its sum. On a line it is the area
    between the two cumulative histograms: O(m n d). With costs, one linear program a
    pair, about O(d³ log d), by POT.

    Examples
    --------
    >>> from similearn.similarities import EarthMover
    >>> EarthMover()([1, 0, 0, 0], [0, 0, 1, 1])
    2.5
    """

    kind = "dissimilarity"
    range = (0.0, np.inf)
    accepts = "numbers"

    def __init__(self, ground: Any = None) -> None:
        self.ground = ground

    @property
    def symmetric(self) -> bool:  # type: ignore[override]
        """Whether moving earth costs as much in either direction."""
        return not self._has_costs or bool(np.array_equal(self.ground, np.transpose(self.ground)))

    @property
    def requires(self) -> tuple[str, str] | None:  # type: ignore[override]
        """POT, unless the bins lie on a line."""
        return ("ot", "emd") if self._has_costs else None

    @property
    def releases_lock(self) -> bool:  # type: ignore[override]
        """Whether the bins lie on a line."""
        return not self._has_costs

    @property
    def _has_costs(self) -> bool:
        return self.ground is not None and np.ndim(self.ground) == 2

    def _prepare(self, objects: Any) -> tuple[np.ndarray]:
        rows = number_rows(objects, name="The earth mover's distance", lowest=0.0)
        totals = rows.sum(axis=1, keepdims=True)
        if not np.all(totals > 0):
            raise InputError("A histogram is all zeros; the earth mover has nothing to move.")
        shares = rows / totals
        if self._has_costs:
            return (shares,)
        order, widths = self._line(rows.shape[1])
        return (np.cumsum(shares[:, order], axis=1)[:, :-1] * widths,)

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        rows, columns = a.parts[0], b.parts[0]
        if not self._has_costs:
            return scipy.spatial.distance.cdist(rows, columns, "cityblock")
        costs = self._costs(rows.shape[1])
        return np.array([[_least_work(x, y, costs) for y in columns] for x in rows])

    def _line(self, d: int) -> tuple[np.ndarray, np.ndarray]:
        """Order of the bins on the line, and the gaps between them."""
        positions = np.arange(d) if self.ground is None else np.asarray(self.ground, np.float64)
        if positions.shape != (d,) or not np.isfinite(positions).all():
            raise InputError(
                f"ground has shape {positions.shape}; expected {d} finite positions, or costs "
                f"({d}, {d})."
            )
        order = np.argsort(positions, kind="stable")
        return order, np.diff(positions[order])

    def _costs(self, d: int) -> np.ndarray:
        costs = np.ascontiguousarray(self.ground, dtype=np.float64)
        if costs.shape != (d, d) or not np.all((costs >= 0) & (costs < np.inf)):
            raise InputError(
                f"ground has shape {costs.shape}; expected finite costs ({d}, {d}), none negative."
            )
        return costs


@register("earth_mover_sets")
class EarthMoverSets(PreparedSimilarity):
    """Earth mover's distance of sets of points, with or without weights.

    An object is an array of points, (k,) or (k, d), which weigh the same, or a pair
    ``(points, weights)``. Moving one unit of weight costs the Euclidean distance.

    Notes
    -----
    Rubner et al. (2000), who call such an object a signature; weights are divided by their
    sum. Sets may differ in size. Points on a line are compared by SciPy, O(k log k) a
    pair; points in space by POT, one linear program per pair, about O(k³ log k).

    Examples
    --------
    >>> from similearn.similarities import EarthMoverSets
    >>> EarthMoverSets()([0.0, 1.0], ([0.0, 3.0], [1, 3]))
    1.75
    """

    kind = "dissimilarity"
    symmetric = True
    range = (0.0, np.inf)
    requires = ("ot", "emd")

    def check_installed(self) -> None:
        """Ask for nothing yet: POT is needed only for points that do not lie on a line."""

    def self_values(self, A: Any) -> np.ndarray:
        """Return zeros: nothing has to be moved."""
        return np.zeros(len(A))

    def _prepare(self, objects: Any) -> tuple[list[np.ndarray], list[np.ndarray]]:
        found = [
            _points_and_weights(position, item)
            for position, item in enumerate(each_object(objects, "sets of points"))
        ]
        if any(points.shape[1] > 1 for points, _ in found) and find_spec("ot") is None:
            super().check_installed()
        return [points for points, _ in found], [weights for _, weights in found]

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        values = [
            [_set_distance(x, u, y, v) for y, v in zip(*b.parts, strict=True)]
            for x, u in zip(*a.parts, strict=True)
        ]
        return np.array(values, dtype=np.float64).reshape(len(a), len(b))


def _points_and_weights(position: int, item: Any) -> tuple[np.ndarray, np.ndarray]:
    """Points (k, d) and shares (k,) of one object."""
    is_pair = isinstance(item, tuple) and len(item) == 2
    given, weights = item if is_pair else (item, None)
    try:
        points = np.asarray(given, dtype=np.float64)
        points = points[:, None] if points.ndim == 1 else points
        shares = np.ones(len(points)) if weights is None else np.asarray(weights, np.float64)
    except (TypeError, ValueError, IndexError):
        refuse_object(position, item, "points (k, d), or a tuple of points and weights")
    fits = points.ndim == 2 and points.size > 0 and shares.shape == (len(points),)
    if not fits or not np.isfinite(points).all() or not _are_weights(shares):
        raise InputError(
            f"Object {position} (counting from 0) cannot be used; expected finite points (k, d), "
            "at least one, and as many weights that are not negative and not all zero."
        )
    return points, shares / shares.sum()


def _are_weights(shares: np.ndarray) -> bool:
    return bool(np.all((shares >= 0) & (shares < np.inf)) and shares.sum() > 0)


def _set_distance(x: np.ndarray, u: np.ndarray, y: np.ndarray, v: np.ndarray) -> float:
    if x.shape[1] != y.shape[1]:
        raise InputError(f"Points have {x.shape[1]} and {y.shape[1]} coordinates.")
    if x.shape[1] > 1:
        return _least_work(u, v, scipy.spatial.distance.cdist(x, y))
    from scipy.stats import wasserstein_distance

    return float(wasserstein_distance(x[:, 0], y[:, 0], u, v))


def _least_work(a: np.ndarray, b: np.ndarray, costs: np.ndarray) -> float:
    from ot import emd2

    # Bins without earth only slow the linear program down.
    rows, columns = a > 0, b > 0
    return float(emd2(a[rows], b[columns], np.ascontiguousarray(costs[np.ix_(rows, columns)])))
