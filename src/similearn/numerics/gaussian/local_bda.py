"""The loops of local Bayesian discriminant analysis; the mathematics is in `bda.py` beside it.

Every query brings a small symmetric system, A u = b, of which b'u and log |A| are wanted. Positions
in inner loops are unsigned, as in `similearn.numerics.linalg.elimination`.
"""

import numpy as np

from similearn.numerics.compiling import as_input, compiled_fused, compiled_within
from similearn.numerics.linalg.elimination import DEFINITE, eliminate, forward

DIAGONAL_SHARE, IDENTITY_SHARE = 0.95, 0.05
# Beyond this many standard deviations squares are taken of scaled values.
FAR = 1e100
_LARGE_SQUARE = 1e280
# Sums of squares up to here need no scaling: no product of two pivots overflows.
_SAFE_SQUARE = 1e140


def fill_log_likelihoods(queries, rows, near, k, constant, scores):  # type: ignore[no-untyped-def]
    """Fill scores (m,) of queries (m, d) from the first k neighbours, `near` (m, K) of `rows`.

    Few features and values of usual size need no standardizing: the others have code of their
    own, which is compiled when it is needed.
    """
    queries, rows, near = as_input(queries), as_input(rows), as_input(near, np.intp)
    if k < queries.shape[1]:
        _fill_standardized(queries, rows, near, k, constant, scores)
        return
    _fill_centred(queries, rows, near, k, constant, scores)
    large = np.flatnonzero(np.isnan(scores))
    if len(large):
        found = np.empty(len(large))
        parts = as_input(queries[large]), rows, as_input(near[large], np.intp)
        _fill_standardized(*parts, k, constant, found)
        scores[large] = found


@compiled_fused
def _fill_centred(queries, rows, near, k, constant, scores):  # type: ignore[no-untyped-def]
    """Scores from the products of centred samples; NaN where those would be too large."""
    m, d = queries.shape
    samples, vectors = np.empty((k, d)), np.empty((3, d))
    A, b, inverse = np.empty((d, d)), np.empty(d), np.empty(d)
    # Arrays are handed on whole: counting who refers to a part of one would take longer than
    # what is done with it.
    for i in range(m):
        _gather(queries, rows, near, np.uintp(i), samples, vectors)
        np.dot(samples.T, samples, A)
        if _center(A, k, vectors, b):
            square, log_det = _solve(A, b, inverse)
            spread = (k + d + 4) * np.log(1.0 + square * k / (k + 1))
            scores[i] = constant - (log_det + spread) / 2
        else:
            scores[i] = np.nan


@compiled_fused
def _fill_standardized(queries, rows, near, k, constant, scores):  # type: ignore[no-untyped-def]
    """Scores for any number of features of any size: samples are brought to units of B^½."""
    m, d = queries.shape
    size = min(k, d)
    samples, vectors = np.empty((k, d)), np.empty((3, d))
    A, b, inverse, known = np.empty((size, size)), np.empty(size), np.empty(size), np.empty(3)
    for i in range(m):
        _gather(queries, rows, near, np.uintp(i), samples, vectors)
        _standardize(samples, vectors, A, b, known)
        square, log_det = _solve(A, b, inverse)
        if k < d:
            square = max(known[2] - square, 0.0)  # Woodbury
        spread = (k + d + 4) * np.log(known[1] + square * k / (k + 1))
        scores[i] = constant - (known[0] + log_det + spread) / 2


@compiled_within
def _gather(queries, rows, near, i, samples, vectors):  # type: ignore[no-untyped-def]
    """Copy the neighbours and query i, as differences from the first neighbour; sum the former.

    Features that are constant then have exactly no variance.
    """
    k, d = np.uintp(samples.shape[0]), np.uintp(samples.shape[1])
    query, first = queries[i], rows[near[i, 0]]
    deviation, total = vectors[0], vectors[1]
    for j in range(d):
        deviation[j] = query[j] - first[j]
        total[j] = 0.0
    for a in range(k):
        row, target = rows[np.uintp(near[i, a])], samples[a]
        for j in range(d):
            target[j] = row[j] - first[j]
            total[j] += target[j]


@compiled_within
def _center(A, k, vectors, b):  # type: ignore[no-untyped-def]
    """Turn sums of products into (S + B) u = e; returns whether none was too large for that.

    The sum of squares about one of the k samples is at most k + 1 times that about their mean:
    correcting the one for the other loses few digits.
    """
    d, deviation, total = np.uintp(len(b)), vectors[0], vectors[1]
    squares, part, share = 0.0, 1.0 / k, 1.0 + DIAGONAL_SHARE * (len(b) + 3) / k
    for i in range(d):
        mean, row = total[i] * part, A[i]
        squares += row[i] + deviation[i] * deviation[i]
        for j in range(i, d):
            row[j] -= mean * total[j]
        row[i] = share * row[i] + IDENTITY_SHARE
        b[i] = deviation[i] - mean
    return squares < _SAFE_SQUARE


@compiled_within
def _standardize(samples, vectors, A, b, known):  # type: ignore[no-untyped-def]
    """Set up (I + W'W) u = e, or (I + W W') u = W e where that is smaller.

    `known` gets a summand of -2 log p, then the 1 of 1 + k/(k+1) e'u in the units of e, and e'e.
    """
    k, d = samples.shape
    deviation = vectors[0]
    log_det = _in_units(samples, deviation, vectors[1], vectors[2])
    far = 0.0
    for j in range(d):
        far = max(far, abs(deviation[j]))
    far = far if far > FAR else 1.0
    for j in range(d):
        deviation[j] /= far
    if k < d:
        np.dot(samples, samples.T, A)
        np.dot(samples, deviation, b)
    else:
        np.dot(samples.T, samples, A)
        for j in range(d):
            b[j] = deviation[j]
    for j in range(len(b)):
        A[j, j] += 1.0
    known[0] = log_det + 2 * (k + d + 4) * np.log(far)
    known[1], known[2] = 1 / far**2, np.dot(deviation, deviation)


@compiled_within
def _in_units(samples, deviation, shift, scale):  # type: ignore[no-untyped-def]
    """Turn differences from the first sample into those from the mean, in units of B^½.

    Returns log |B|.
    """
    k, d = np.uintp(samples.shape[0]), np.uintp(samples.shape[1])
    part = 1.0 / len(samples)
    for j in range(d):
        shift[j] = scale[j] = 0.0
    for a in range(k):
        row = samples[a]
        for j in range(d):
            shift[j] += row[j] * part  # so that sums of large values do not overflow
    for a in range(k):
        row = samples[a]
        for j in range(d):
            row[j] -= shift[j]
            scale[j] += row[j] * row[j]
    log_det = _scales(samples, scale)
    for j in range(d):
        deviation[j] = (deviation[j] - shift[j]) / scale[j]
        scale[j] = 1.0 / scale[j]
    for a in range(k):
        row = samples[a]
        for j in range(d):
            row[j] *= scale[j]
    return log_det


@compiled_within
def _scales(Z, squares):  # type: ignore[no-untyped-def]
    """Turn the sums of squares of centred features into the diagonal of B^½; log |B|."""
    k, d = Z.shape
    share = DIAGONAL_SHARE * (d + 3) / k
    log_det, product = 0.0, 1.0
    for j in range(d):
        if squares[j] < _LARGE_SQUARE:
            squares[j] = np.sqrt(share * squares[j] + IDENTITY_SHARE)
            product *= squares[j]
        else:
            largest, total = 0.0, 0.0
            for a in range(k):
                largest = max(largest, abs(Z[a, j]))
            for a in range(k):
                total += (Z[a, j] / largest) ** 2
            squares[j] = largest * np.sqrt(share * total)
            log_det += np.log(squares[j])
        if not 1e-150 < product < 1e150:  # logarithms are slow: one for many factors
            log_det += np.log(product)
            product = 1.0
    return 2 * (log_det + np.log(product))


@compiled_within
def _solve(A, b, inverse):  # type: ignore[no-untyped-def]
    """Find b' A^-1 b and log |A| of a single system, in place."""
    size = len(b)
    for j in range(size):
        inverse[j] = 0.0
    # All pivots are positive: zeros, as `inverse` still holds, bound them from below.
    eliminate(A, size, inverse, DEFINITE, inverse)
    forward(A, inverse, size, b)
    square, log_det, product = 0.0, 0.0, 1.0
    for j in range(size):
        square += b[j] * b[j] * inverse[j]
        product *= A[j, j]
        if not 1e-150 < product < 1e150:
            log_det += np.log(product)
            product = 1.0
    return square, log_det + np.log(product)
