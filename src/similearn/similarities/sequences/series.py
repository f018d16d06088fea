"""Distances of series of numbers that may differ in length: time warping, edit distance."""

from typing import Any

import numpy as np

from similearn.data.checks import require_number
from similearn.errors import InputError
from similearn.numerics.objects.real_penalty import real_penalty_distances
from similearn.similarities.shell.prepared import Prepared, PreparedSimilarity, each_object
from similearn.similarities.shell.registering import register


@register("dynamic_time_warping")
class DynamicTimeWarping(PreparedSimilarity):
    r"""Dynamic time warping: distance of two series where time may stretch.

    .. math:: \psi(a, b) = \min_{\text{paths}} \Bigl(\sum_{(s, t)} \|a_s - b_t\|^2\Bigr)^{1/2}

    over paths of steps (1, 0), (0, 1) and (1, 1) from the first pair of times to the last.

    Parameters
    ----------
    window : int, optional
        Sakoe-Chiba band: pairs of times further than this from the diagonal are not
        allowed. By default all are.

    Notes
    -----
    Sakoe and Chiba (1978), by dtaidistance's C code, all pairs of a block in one call.
    Series may differ in length; each is (length,), or (length, d) for d measurements at a
    time. No metric: the triangle inequality fails. O(l²) per pair of length l, O(window · length)
    with a window.

    Examples
    --------
    >>> from similearn.similarities import DynamicTimeWarping
    >>> DynamicTimeWarping()([0, 0, 1, 2, 1], [0, 1, 2, 2, 1, 1])
    0.0
    """

    kind = "dissimilarity"
    symmetric = True
    range = (0.0, np.inf)
    requires = ("dtaidistance", "series")

    def __init__(self, window: int | None = None) -> None:
        self.window = window

    def self_values(self, A: Any) -> np.ndarray:
        """Return zeros: a series is at no distance from itself."""
        return np.zeros(len(A))

    def _prepare(self, objects: Any) -> tuple[list[np.ndarray]]:
        window = self.window
        if window is not None and (isinstance(window, bool) or not window >= 1):
            raise InputError(f"window={window!r}; expected a whole number of at least 1, or None.")
        return (as_series(objects),)

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        from dtaidistance import dtw, dtw_ndim

        rows, columns = a.parts[0], b.parts[0]
        m, n = len(rows), len(columns)
        series = rows + columns
        widths = {one.shape[1:] for one in series}
        if len(widths) > 1:
            raise InputError("Series have different numbers of measurements at a time.")
        module = dtw if widths == {()} else dtw_ndim
        values = module.distance_matrix(
            series,
            window=self.window,
            block=((0, m), (m, m + n)),
            compact=True,
            use_c=dtw.dtw_cc is not None,
        )
        return np.array(values, dtype=np.float64).reshape(m, n)


@register("edit_real_penalty")
class EditRealPenalty(PreparedSimilarity):
    r"""Edit distance with real penalty: a metric of series where time may shift.

    Series are edited into each other: a pair of values costs their difference, a value without
    partner its difference from the value that stands for a gap.

    .. math:: \psi(a, b) = \min_{\text{edits}} \sum_{(s, t)} |a_s - b_t| +
              \sum_{s\ \text{alone}} |a_s - g| + \sum_{t\ \text{alone}} |b_t - g|

    Parameters
    ----------
    gap : float, default=0
        g, the value that stands for a gap; zero suits series that are centred.

    Notes
    -----
    Chen and Ng (2004). Unlike dynamic time warping it obeys the triangle inequality. Series are
    (length,), of any length. O(|a| |b|) per pair, compiled.

    Examples
    --------
    >>> from similearn.similarities import EditRealPenalty
    >>> EditRealPenalty()([0, 1, 2], [1, 2, 3])
    3.0
    """

    kind = "dissimilarity"
    symmetric = True
    range = (0.0, np.inf)
    releases_lock = True

    def __init__(self, gap: float = 0.0) -> None:
        self.gap = gap

    def self_values(self, A: Any) -> np.ndarray:
        """Return zeros: a series is at no distance from itself."""
        return np.zeros(len(A))

    def _prepare(self, objects: Any) -> tuple[list[np.ndarray]]:
        require_number("gap", self.gap, expected="a finite number")
        series = as_series(objects)
        for position, one in enumerate(series):
            if one.ndim != 1:
                raise InputError(
                    f"Series {position} (counting from 0) has {one.shape[1]} measurements at a "
                    "time; expected one: (length,)."
                )
        return (series,)

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        rows, columns = _joined(a.parts[0]), _joined(b.parts[0])
        return real_penalty_distances(*rows, *columns, float(self.gap))


def _joined(series: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    ends = np.concatenate([[0], np.cumsum([len(one) for one in series])]).astype(np.int64)
    return np.concatenate(series), ends


def as_series(objects: Any) -> list[np.ndarray]:
    """Return each series as contiguous floats, (length,) or (length, d); gaps are refused."""
    series = []
    for position, item in enumerate(each_object(objects, "series of numbers")):
        try:
            one = np.ascontiguousarray(item, dtype=np.float64)
        except (TypeError, ValueError):
            one = np.empty(0)
        if np.ndim(item) not in (1, 2) or one.size == 0 or not np.isfinite(one).all():
            raise InputError(
                f"Series {position} (counting from 0) cannot be used; expected finite numbers, "
                "at least one, of shape (length,) or (length, d). Fill in gaps first."
            )
        series.append(one)
    return series
