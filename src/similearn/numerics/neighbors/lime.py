"""Linear interpolation with maximum entropy (JMLR eq. 10), in similarities.

With similarities for inner products, eq. 10 reads: minimize w'Sw - 2 s'w - ridge H(w) on the
simplex, but for the constant psi(x, x). Compare eq. 12, which halves the quadratic: the ridge of
`lime_weights` stands against w'Sw, that of `kri_weights` against 1/2 w'Sw.
"""

from typing import NamedTuple

import numpy as np

from similearn.numerics.compiling import compiled
from similearn.numerics.linalg.eigen import EPSILON, make_eigen
from similearn.numerics.linalg.elimination import backward, eliminate, forward
from similearn.numerics.linalg.local_spectrum import (
    Floats,
    Indices,
    load,
    make_room,
    rule_code,
    semidefinite_size,
    treated_block,
)
from similearn.numerics.neighbors.weights import as_batch, check_ridge

SPECTRA = ("clip", "flip", "shift")


class Logs(NamedTuple):
    """Working arrays of Newton's method in the logarithms of k weights."""

    factor: Floats  # (k, k), the Newton system
    inverse: Floats  # (k,), reciprocals of its pivots
    least: Floats  # (k,), zeros: any positive pivot will do
    logs: Floats  # (k,), log w; exact also where w underflows
    trial: Floats  # (k,), log w after a step
    step: Floats  # (k,)
    root: Floats  # (k,), square root of w
    pull: Floats  # (k,), S w
    slope: Floats  # (k,), gradient less its mean under w
    right: Floats  # (k,), right-hand side


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
    Newton's method in log w, for a ridge that falls to the one asked for: O(k^3) a step, about
    four steps for each power of ten between the similarities and the ridge.
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
    rule = rule_code(spectrum, SPECTRA)
    shape = np.shape(s)
    source, s, near = as_batch(S, s, near)
    weights, gaps = np.zeros_like(s), np.zeros(len(s))
    _weights(source, near, s, check_ridge(ridge, positive=True), rule, weights, gaps)
    return weights.reshape(shape), gaps.reshape(shape[:-1])


@compiled
def _weights(source, near, s, ridge, rule, weights, gaps):  # type: ignore[no-untyped-def]
    m, k = s.shape
    room, work, eigen = make_room(k), _make_logs(k), make_eigen(k)
    for query in range(m):
        load(source, near, query, room.block)
        M = room.block
        if semidefinite_size(room) < k:
            M = room.factor
            treated_block(room.block, k, rule, eigen, M)
        gaps[query] = _solve(M, s[query], ridge, work, weights[query])


@compiled
def _make_logs(size):  # type: ignore[no-untyped-def]
    """Allocate the working arrays for the given number of neighbours."""
    return Logs(
        np.zeros((size, size)),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
        np.zeros(size),
    )


@compiled
def _solve(M, s, ridge, work, w):  # type: ignore[no-untyped-def]
    """Follow the solution from uniform weights down to the ridge; returns the relative KKT gap."""
    k = len(s)
    work.logs[:] = -np.log(k)
    size = 2.0 * max(np.abs(M).max(), np.abs(s).max())
    current = max(ridge, size)
    while True:
        # On the way a rough solution will do: it only has to be a good start for the next.
        enough = 16.0 * EPSILON * (size + ridge) if current == ridge else 0.1 * current
        value = _evaluate(M, s, current, work.logs, work, w)
        for _ in range(100):
            if _slope(s, current, work, w) <= enough:
                break
            _newton_step(M, current, size, work, w)
            moved = _search(M, s, current, size, value, work, w)
            if not moved:
                break
            value = _evaluate(M, s, current, work.logs, work, w)
        if current == ridge:
            return _relative_gap(M, s, ridge, work, w)
        current = max(0.1 * current, ridge)


@compiled
def _evaluate(M, s, ridge, logs, work, w):  # type: ignore[no-untyped-def]
    """Normalize logs; fill w and S w; returns the objective."""
    k = len(s)
    highest, total = logs.max(), 0.0
    for i in range(k):
        total += np.exp(logs[i] - highest)
    shift = highest + np.log(total)
    pull = work.pull
    for i in range(k):
        logs[i] -= shift
        w[i] = np.exp(logs[i])
        pull[i] = 0.0
    for j in range(k):
        row = M[j]
        for i in range(pull.size):
            pull[i] += w[j] * row[i]
    value = 0.0
    for i in range(k):
        value += w[i] * (pull[i] - 2.0 * s[i] + ridge * logs[i])
    return value


@compiled
def _slope(s, ridge, work, w):  # type: ignore[no-untyped-def]
    """Gradient less its mean under w; returns its largest less its smallest entry."""
    mean = 0.0
    for i in range(len(s)):
        work.slope[i] = 2.0 * (work.pull[i] - s[i]) + ridge * work.logs[i]
        mean += w[i] * work.slope[i]
    for i in range(len(s)):
        work.slope[i] -= mean
    return work.slope.max() - work.slope.min()


@compiled
def _newton_system(M, ridge, work, w):  # type: ignore[no-untyped-def]
    """Write ridge I + 2 R C R, with R = diag(sqrt w) and C the similarities centred under w.

    Centring is the constraint that steps keep the sum of w; R keeps the system symmetric, and
    its eigenvalues above the ridge, however small some weights are.
    """
    k = len(w)
    mean = 0.0
    for i in range(k):
        work.root[i] = np.sqrt(w[i])
        mean += w[i] * work.pull[i]
    for i in range(k):
        row, source = work.factor[i], M[i]
        offset, twice = work.pull[i] - mean, 2.0 * work.root[i]
        for j in range(i, k):
            row[j] = twice * work.root[j] * ((source[j] - work.pull[j]) - offset)
        row[i] += ridge


@compiled
def _newton_step(M, ridge, size, work, w):  # type: ignore[no-untyped-def]
    """Newton's step in log w."""
    k = len(w)
    _newton_system(M, ridge, work, w)
    lift = 0.0
    for _ in range(60):
        if eliminate(work.factor, k, work.least, True, work.inverse) == k:
            break
        # Rounding hides that the system is definite: lift it by as much.
        lift = max(2.0 * lift, k * EPSILON * (size + ridge))
        _newton_system(M, ridge + lift, work, w)
    for i in range(k):
        work.right[i] = -work.root[i] * work.slope[i]
    forward(work.factor, work.inverse, k, work.right)
    backward(work.factor, work.inverse, k, work.right, work.step)
    # Along sqrt(w), where the sum of w would change, there is only rounding over the ridge.
    excess = 0.0
    for i in range(k):
        excess += work.root[i] * work.step[i]
    for i in range(k):
        work.step[i] -= excess * work.root[i]
    _unscale(M, ridge + lift, work, w)


@compiled
def _unscale(M, ridge, work, w):  # type: ignore[no-untyped-def]
    """Turn sqrt(w) times the step into the step, from the Newton equations where w is tiny."""
    k = len(w)
    change, mean = work.right, 0.0
    change[:] = 0.0
    for j in range(k):
        row, share = M[j], work.root[j] * work.step[j]
        for i in range(change.size):
            change[i] += share * row[i]
        mean += work.pull[j] * share
    for i in range(k):
        if w[i] > 1e-6:
            work.step[i] /= work.root[i]
        else:
            work.step[i] = -(work.slope[i] + 2.0 * (change[i] - mean)) / ridge


@compiled
def _search(M, s, ridge, size, value, work, w):  # type: ignore[no-untyped-def]
    """Go along the step as far as the objective falls enough; whether it did."""
    k = len(s)
    fall, rounding, length = 0.0, size, 1.0
    for i in range(k):
        fall += w[i] * work.slope[i] * work.step[i]
        rounding += ridge * w[i] * abs(work.logs[i])
        # No weight exceeds one, so no logarithm has to climb far above zero.
        if work.step[i] * length > 1.0 - work.logs[i]:
            length = (1.0 - work.logs[i]) / work.step[i]
    for _ in range(60):
        for i in range(k):
            work.trial[i] = work.logs[i] + length * work.step[i]
        reached = _evaluate(M, s, ridge, work.trial, work, w)
        if reached <= value + 1e-4 * length * fall + 16.0 * EPSILON * rounding:
            work.logs[:] = work.trial
            return True
        length *= 0.5
    _evaluate(M, s, ridge, work.logs, work, w)
    return False


@compiled
def _relative_gap(M, s, ridge, work, w):  # type: ignore[no-untyped-def]
    """Spread of the gradient relative to its largest term."""
    gap = _slope(s, ridge, work, w)
    scale = ridge
    for i in range(len(s)):
        terms = 0.0
        for j in range(len(s)):
            terms += abs(M[i, j]) * w[j]
        scale = max(scale, 2.0 * terms, 2.0 * abs(s[i]))
    return gap / scale
