"""Linear interpolation with maximum entropy (JMLR eq. 10), in similarities.

With similarities for inner products, eq. 10 reads: minimize w'Sw - 2 s'w - ridge H(w) on the
simplex, but for the constant psi(x, x). Compare eq. 12, which halves the quadratic: the ridge of
`lime_weights` stands against w'Sw, that of `kri_weights` against 1/2 w'Sw.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from similearn.numerics.linalg.local_spectrum import (
    EPSILON,
    Floats,
    Indices,
    check_spectrum,
    semidefinite,
    semidefinite_sizes,
)
from similearn.numerics.neighbors.weights import Batch, check_ridge, class_sums, in_own_units

SPECTRA = ("clip", "flip", "shift")

_LEAST_RIDGE = 1e-20
_MOST_STEPS = 100


def lime_weights(
    S: Floats, s: Floats, ridge: float, spectrum: str = "clip", *, near: Indices | None = None
) -> Floats:
    r"""Interpolation weights of maximum entropy, a pmf that rewards affinity and diversity.

    They minimize :math:`w^T S w - 2 s^T w - \lambda H(w)` on the simplex (eq. 10).

    Parameters
    ----------
    S : (k, k) or (m, k, k). Symmetric similarities among each query's neighbours; with `near`,
        the symmetric matrix (n, n) from which they are gathered, without a copy of the blocks.
    s : (k,) or (m, k). Similarities of each query to its neighbours.
    ridge : :math:`\lambda`, positive
    spectrum : "clip", "flip" or "shift", how to make S positive semidefinite where it is not
    near : (m, k), optional. Columns of `S` that are each query's neighbours.

    Returns
    -------
    Weights in the shape of `s`, positive but for underflow, each query's summing to one.

    Notes
    -----
    Newton's method in log w, for a ridge that falls to the one asked for: O(k^3) per step, about
    four steps for each power of ten between the similarities and the ridge. All queries step
    together, each with a ridge and a length of its own. A ridge below 1e-20 of the similarities,
    far below their rounding, counts as that.
    """
    return lime_weights_and_gaps(S, s, ridge, spectrum, near=near)[0]


def lime_weights_and_gaps(
    S: Floats, s: Floats, ridge: float, spectrum: str = "clip", *, near: Indices | None = None
) -> tuple[Floats, Floats]:
    """`lime_weights`, and how far each query's weights are from optimal.

    Returns
    -------
    weights : in the shape of `s`
    gaps : () or (m,). The relative KKT gap: the largest less the smallest entry of the gradient
        2 S w - 2 s + ridge log w, over the largest entry of 2|s|, 2|S| w and the ridge.
    """
    batch = Batch(S, s, near)
    weights, gaps = np.empty(batch.s.shape), np.empty(len(batch.s))
    for part, _, _, found, gap in _solutions(batch, [batch.s.shape[1]], [ridge], spectrum):
        weights[part], gaps[part] = found, gap
    return weights.reshape(batch.shape), gaps.reshape(batch.shape[:-1])


def lime_path_scores(
    S: Floats,
    s: Floats,
    codes: Indices,
    n_classes: int,
    ks: Sequence[int],
    ridges: Sequence[float],
    spectrum: str = "clip",
    *,
    near: Indices | None = None,
) -> tuple[Floats, Floats]:
    """Class sums of `lime_weights` of the first k neighbours, for every k and every ridge.

    Parameters and what is returned are as in `similearn.numerics.neighbors.kri.kri_path_scores`.
    Entropy has no nested solution: only the blocks and their spectra are shared.
    """
    batch = Batch(S, s, near)
    scores = np.empty((len(batch.s), len(ks), len(ridges), n_classes))
    gaps = np.empty(scores.shape[:3])
    for part, a, b, weights, gap in _solutions(batch, ks, ridges, spectrum):
        sums = class_sums(weights[:, None], codes[part], n_classes)
        scores[part, a, b], gaps[part, a, b] = sums[:, 0], gap
    return scores, gaps


def _solutions(
    batch: Batch, ks: Sequence[int], ridges: Sequence[float], spectrum: str
) -> Iterator[tuple[slice, int, int, Floats, Floats]]:
    """Yield queries, positions of a k and a ridge, and their weights (c, k) and gaps (c,)."""
    check_spectrum(spectrum, SPECTRA)
    checked = np.array([check_ridge(ridge, positive=True) for ridge in ridges])
    for part, blocks, s in batch.parts():
        blocks, s, scaled = in_own_units(blocks, s, checked)
        sizes = semidefinite_sizes(blocks)
        for a, k in enumerate(ks):
            M = semidefinite(blocks, k, sizes, spectrum)
            for b in range(len(checked)):
                yield part, a, b, *_solve(M, s[:, :k], scaled[:, b])


class _State(NamedTuple):
    """Weights of queries, and what follows from them whatever the ridge."""

    logs: Floats  # (m, k), log w; exact also where w underflows
    w: Floats  # (m, k)
    pull: Floats  # (m, k), S w

    def of(self, rows: Indices) -> "_State":
        return _State(self.logs[rows], self.w[rows], self.pull[rows])

    def objective(self, s: Floats, ridge: Floats) -> Floats:
        return (self.w * (self.pull - 2.0 * s + ridge[:, None] * self.logs)).sum(axis=1)


def _solve(M: Floats, s: Floats, ridge: Floats) -> tuple[Floats, Floats]:
    """Follow the solutions from uniform weights down to the ridges; weights and relative gaps."""
    m, k = s.shape
    size = 2.0 * np.maximum(np.abs(M).max(axis=(1, 2)), np.abs(s).max(axis=1))
    ridge = np.maximum(ridge, _LEAST_RIDGE * size)
    weights, gaps = np.empty((m, k)), np.empty(m)
    logs, current, steps = np.full((m, k), -np.log(k)), np.maximum(ridge, size), np.zeros(m)
    rows = np.arange(m)  # of the queries under way
    while len(rows):
        at = M[rows], s[rows]
        state = _evaluated(at[0], logs)
        spread = _slope(at[1], current, state)[1]
        # On the way a rough solution will do: it only has to be a good start for the next.
        last = current == ridge[rows]
        rounding = 16.0 * EPSILON * (size + ridge)[rows]
        enough = np.where(last, rounding, np.maximum(0.1 * current, rounding))
        settled = (spread <= enough) | (steps >= _MOST_STEPS)
        done = settled & last
        weights[rows[done]] = state.w[done]
        gaps[rows[done]] = spread[done] / _terms(*at, ridge[rows], state.w)[done]
        current = np.where(settled, np.maximum(0.1 * current, ridge[rows]), current)
        steps = np.where(settled, 0, steps + 1)
        kept = np.flatnonzero(~done)
        rows, current, steps = rows[kept], current[kept], steps[kept]
        if len(rows):
            logs, moved = _newton_step(M[rows], s[rows], current, size[rows], state.of(kept))
            steps[~moved] = _MOST_STEPS
    return weights, gaps


def _evaluated(M: Floats, logs: Floats) -> _State:
    """Normalize logs; weights and S w."""
    highest = logs.max(axis=1, keepdims=True)
    logs = logs - (highest + np.log(np.exp(logs - highest).sum(axis=1, keepdims=True)))
    w = np.exp(logs)
    return _State(logs, w, (w[:, None, :] @ M)[:, 0])


def _slope(s: Floats, ridge: Floats, state: _State) -> tuple[Floats, Floats]:
    """Gradient less its mean under w, and its largest less its smallest entry."""
    slope = 2.0 * (state.pull - s) + ridge[:, None] * state.logs
    slope -= (state.w * slope).sum(axis=1, keepdims=True)
    return slope, slope.max(axis=1) - slope.min(axis=1)


def _terms(M: Floats, s: Floats, ridge: Floats, w: Floats) -> Floats:
    """The largest terms whose difference the gradient is."""
    pull = (w[:, None, :] @ np.abs(M))[:, 0]
    return np.maximum(2.0 * np.maximum(pull, np.abs(s)).max(axis=1), ridge)


def _newton_step(
    M: Floats, s: Floats, ridge: Floats, size: Floats, state: _State
) -> tuple[Floats, NDArray[np.bool_]]:
    """New logs (m, k) after a step that lowers the objective; and whether there was one.

    The system is ridge I + 2 R C R, with R = diag(sqrt w) and C the similarities centred under
    w. Centring is the constraint that steps keep the sum of w; R keeps the system symmetric, and
    its eigenvalues above the ridge, however small some weights are. It is lifted by the rounding
    that could hide this.
    """
    k, root = s.shape[1], np.sqrt(state.w)
    slope = _slope(s, ridge, state)[0]
    pull, mean = state.pull, (state.w * state.pull).sum(axis=1)[:, None, None]
    lifted = ridge + k * EPSILON * (size + ridge)
    A = (M - pull[:, None, :]) - (pull[:, :, None] - mean)
    A *= 2.0 * root[:, :, None] * root[:, None, :]
    A[:, np.arange(k), np.arange(k)] += lifted[:, None]
    step = np.linalg.solve(A, (-root * slope)[:, :, None])[:, :, 0]
    # Along sqrt(w), where the sum of w would change, there is only rounding over the ridge.
    step -= (root * step).sum(axis=1, keepdims=True) * root
    share = root * step
    change = (share[:, None, :] @ M)[:, 0] - (pull * share).sum(axis=1, keepdims=True)
    # Where w is tiny, the step follows from the Newton equations.
    tiny = state.w <= 1e-6
    from_equations = -(slope + 2.0 * change) / ridge[:, None]
    step = np.where(tiny, from_equations, step / np.where(tiny, 1.0, root))
    return _line_search(M, s, ridge, size, state, slope, step)


def _line_search(
    M: Floats, s: Floats, ridge: Floats, size: Floats, state: _State, slope: Floats, step: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """Go along the step as far as the objective falls enough."""
    value, fall = state.objective(s, ridge), (state.w * slope * step).sum(axis=1)
    rounding = size + ridge * (state.w * np.abs(state.logs)).sum(axis=1)
    # No weight exceeds one, so no logarithm has to climb far above zero.
    room = 1.0 - state.logs
    length = np.minimum(1.0, np.divide(room, step, out=0.0 * step + 1.0, where=step > room).min(1))
    logs, left = state.logs.copy(), np.arange(len(s))
    for _ in range(60):
        trial = state.logs[left] + length[left, None] * step[left]
        reached = _evaluated(M[left], trial).objective(s[left], ridge[left])
        allowed = 1e-4 * length[left] * fall[left] + 16.0 * EPSILON * rounding[left]
        enough = reached <= value[left] + allowed
        logs[left[enough]] = trial[enough]
        left = left[~enough]
        if not len(left):
            break
        length[left] *= 0.5
    moved = np.ones(len(s), dtype=np.bool_)
    moved[left] = False
    return logs, moved
