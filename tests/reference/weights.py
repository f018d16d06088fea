"""JMLR section 5 as printed: slow on purpose, one query at a time."""

from itertools import combinations

import numpy as np


def spectrum(S, rule):
    """The local block after clip, flip or shift; unchanged for pinv."""
    if rule == "pinv":
        return S
    values, vectors = np.linalg.eigh(S)
    if rule == "clip":
        values = np.maximum(values, 0)
    elif rule == "flip":
        values = np.abs(values)
    else:
        values = values - min(values[0], 0)
    return vectors @ np.diag(values) @ vectors.T


def affinity(s):
    """w_i = a psi(x, x_i); negative similarities count nothing, and nothing at all is uniform."""
    positive = [max(value, 0.0) for value in s]
    if not any(positive):
        return np.full(len(s), 1 / len(s))
    return np.array(positive) / sum(positive)


def krr(S, s, ridge, rule):
    """Equation 15."""
    k = len(s)
    A = spectrum(S, rule) + ridge * np.eye(k)
    return np.linalg.pinv(A, hermitian=True, rcond=k * np.finfo(float).eps) @ s


def kri(S, s, ridge, rule):
    """Equation 12, by trying every support: exact, for small k."""
    k = len(s)
    A = spectrum(S, rule) + ridge * np.eye(k)
    best, weights = np.inf, None
    for size in range(1, k + 1):
        for support in combinations(range(k), size):
            w = np.zeros(k)
            P = list(support)
            bordered = np.block([[A[np.ix_(P, P)], np.ones((size, 1))], [np.ones((1, size)), 0]])
            w[P] = np.linalg.solve(bordered, [*s[P], 1.0])[:-1]
            value = 0.5 * w @ A @ w - s @ w
            if w.min() >= 0 and value < best:
                best, weights = value, w
    return weights


def kri_gap(S, s, ridge, rule, w):
    """Relative KKT gap of weights for equation 12."""
    A = spectrum(S, rule) + ridge * np.eye(len(s))
    gradient = A @ w - s
    scale = max(np.abs(s).max(), (np.abs(A) @ w).max())
    return (gradient[w > 0].max() - gradient.min()) / scale if scale else 0.0


def lime_gap(S, s, ridge, rule, w):
    """Relative KKT gap of positive weights for equation 10."""
    M = spectrum(S, rule)
    gradient = 2 * (M @ w - s) + ridge * np.log(w)
    scale = max(2 * np.abs(s).max(), 2 * (np.abs(M) @ w).max(), ridge)
    return (gradient.max() - gradient.min()) / scale


def lime_objective(S, s, ridge, rule, w):
    """Equation 10 without its constant psi(x, x)."""
    positive = w[w > 0]
    return w @ spectrum(S, rule) @ w - 2 * s @ w + ridge * positive @ np.log(positive)


def class_sums(w, codes, n_classes):
    """Equation 9 before its argmax."""
    return np.array([w[codes == g].sum() for g in range(n_classes)])
