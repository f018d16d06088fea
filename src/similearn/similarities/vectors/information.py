"""Relative entropy of discrete distributions."""

from typing import Any

import numpy as np
from scipy.special import xlogy

from similearn.errors import InputError
from similearn.similarities.shell.prepared import Prepared, PreparedSimilarity, number_rows
from similearn.similarities.shell.registering import register


@register("relative_entropy")
class RelativeEntropy(PreparedSimilarity):
    r"""Relative entropy (Kullback-Leibler divergence) of two discrete distributions.

    .. math:: \psi(a, b) = \sum_i p_i \log(p_i / q_i),\quad
              p = (1 - \epsilon) \frac{a}{\sum a} + \frac{\epsilon}{d}

    and q likewise from b: the nats lost when outcomes of a are coded with the code of b.

    Parameters
    ----------
    smoothing : float, default=0.001
        ε, the share of the uniform distribution that is mixed into every row, so that no
        outcome of a is impossible under b. It is a share, hence means the same for counts
        and for probabilities, and bounds the values by log(d / ε). With 0, a row of B that
        lacks what a row of A has is refused, since the relative entropy is infinite.

    Notes
    -----
    Kullback and Leibler (1951); asymmetric. Rows are counts or probabilities, not
    negative, divided by their sums. One matrix product, O(m n d).

    Examples
    --------
    >>> from similearn.similarities import RelativeEntropy
    >>> near, far = RelativeEntropy().matrix([[8, 2, 0]], [[7, 3, 0], [0, 2, 8]])[0]
    >>> bool(0 < near < 0.1 < 5 < far)
    True
    """

    kind = "dissimilarity"
    symmetric = False
    range = (0.0, np.inf)
    accepts = "numbers"
    releases_lock = True

    def __init__(self, smoothing: float = 0.001) -> None:
        self.smoothing = smoothing

    def self_values(self, A: Any) -> np.ndarray:
        """Return zeros: nothing is lost with the right code."""
        return np.zeros(len(A))

    def _prepare(self, objects: Any) -> tuple[np.ndarray]:
        if isinstance(self.smoothing, bool) or not 0 <= self.smoothing < 1:
            raise InputError(f"smoothing={self.smoothing!r}; expected a share from 0 to below 1.")
        rows = number_rows(objects, name="Relative entropy", lowest=0.0)
        totals = rows.sum(axis=1, keepdims=True)
        if not np.all(totals > 0):
            raise InputError("A row is all zeros; relative entropy compares distributions.")
        return ((1 - self.smoothing) * rows / totals + self.smoothing / rows.shape[1],)

    def _compare(self, a: Prepared, b: Prepared) -> np.ndarray:
        p, q = a.parts[0], b.parts[0]
        impossible = q == 0
        if impossible.any() and np.any((p > 0) @ impossible.T):
            raise InputError(
                "A row has outcomes that another lacks, so their relative entropy is infinite; "
                "set smoothing above 0, such as 0.001."
            )
        crossed = p @ np.log(np.where(impossible, 1.0, q)).T
        # Rounding must not take equal rows below zero.
        return np.maximum(xlogy(p, p).sum(axis=1)[:, None] - crossed, 0.0)
