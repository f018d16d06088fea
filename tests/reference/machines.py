"""Kernel and feature machines as their formulas are printed; slow on purpose."""

import numpy as np


def augmented_row(S, s, self_value, method):
    """First n entries of the last column of the modified bordered matrix (JMLR §2.2)."""
    bordered = np.block([[S, s[:, None]], [s[None, :], np.array([[self_value]])]])
    eigenvalues, vectors = np.linalg.eigh(bordered)
    changed = np.maximum(eigenvalues, 0) if method == "clip" else np.abs(eigenvalues)
    return ((vectors * changed) @ vectors.T)[:-1, -1]


def votes(decisions, n_classes):
    """Pairs won and summed decisions of one query; a zero is won by the first of a pair."""
    won, sums = np.zeros(n_classes), np.zeros(n_classes)
    pair = 0
    for g in range(n_classes):
        for h in range(g + 1, n_classes):
            won[h if decisions[pair] > 0 else g] += 1
            sums[h] += decisions[pair]
            sums[g] -= decisions[pair]
            pair += 1
    return won, sums


def potential_objective(alpha, S, y, epsilon):
    """Equation 6 of JMLR as printed."""
    return 0.5 * np.sum((y - S @ alpha) ** 2) + epsilon * np.abs(alpha).sum()


def lp_objective(w, b, S, y, C):
    """Equation 5 of JMLR as printed."""
    return np.abs(w).sum() + C * np.maximum(1 - y * (S @ w + b), 0).sum()


def robust_objective(alpha, S, y, rho):
    """Equation 2 of JMLR as printed, its inner minimum from the closed form for K."""
    v = y * alpha
    eigenvalues, vectors = np.linalg.eigh(S + np.outer(v, v) / (4 * rho))
    K = (vectors * np.maximum(eigenvalues, 0)) @ vectors.T
    return alpha.sum() - 0.5 * v @ K @ v + rho * np.sum((K - S) ** 2)


def robust_primal(v, S, y, C, rho):
    """Upper bound of equation 2 of JMLR: the best kernel for v, and its machine's primal value."""
    eigenvalues, vectors = np.linalg.eigh(S + np.outer(v, v) / (4 * rho))
    K = (vectors * np.maximum(eigenvalues, 0)) @ vectors.T
    fitted = K @ v
    # The hinge losses are piecewise linear in the intercept: the best is where one vanishes.
    losses = [np.maximum(1 - y * (fitted + b), 0).sum() for b in y - fitted]
    return 0.5 * v @ fitted + C * min(losses) + rho * np.sum((K - S) ** 2)
