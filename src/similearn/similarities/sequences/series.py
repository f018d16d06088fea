"""Dynamic time warping of series of numbers, by dtaidistance."""

from typing import Any

import numpy as np

from similearn.errors import InputError
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
