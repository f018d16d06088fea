"""CDNN as the slides print it; slow on purpose."""

import numpy as np
from scipy.optimize import minimize


def all_triples(blocks, codes, n_targets, A):
    """List every (i, j, k), targets chosen by δ under A."""
    delta = reference_delta(blocks, A)
    n = len(codes)
    triples = []
    for i in range(n):
        mates = [j for j in range(n) if j != i and codes[j] == codes[i]]
        for j in sorted(mates, key=lambda j: (delta[i, j], j))[:n_targets]:
            triples += [(i, j, k) for k in range(n) if codes[k] != codes[i]]
    return triples


def reference_delta(blocks, A):
    n = blocks.shape[1]
    delta = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            delta[i, j] = blocks[:, i, j] @ A @ blocks[:, i, j]
    return delta


def reference_loss(blocks, triples, A):
    delta = reference_delta(blocks, A)
    return np.mean([max(delta[i, j] - delta[i, k] + 1, 0.0) for i, j, k in triples])


def reference_projection(Z, constraints, start):
    """Nearest symmetric matrix under smooth inequality constraints, by SLSQP.

    constraints : functions of the matrix that must be at least zero.
    """
    size = len(Z)

    def matrix(x):
        return (x.reshape(size, size) + x.reshape(size, size).T) / 2

    found = minimize(
        lambda x: ((x.reshape(size, size) - Z) ** 2).sum(),
        start.ravel(),
        jac=lambda x: 2 * (x.reshape(size, size) - Z).ravel(),
        constraints=[{"type": "ineq", "fun": lambda x, c=c: c(matrix(x))} for c in constraints],
        options={"ftol": 1e-15, "maxiter": 500},
    )
    return matrix(found.x)


def is_copositive(A, tol=1e-9):
    """Exact test for few rows: no principal submatrix has a negative value inside the cone.

    A is copositive unless some principal submatrix has an eigenvector v > 0 with a negative
    eigenvalue (Kaplan's criterion).
    """
    size = len(A)
    for subset in range(1, 2**size):
        chosen = [i for i in range(size) if subset >> i & 1]
        values, vectors = np.linalg.eigh(A[np.ix_(chosen, chosen)])
        for value, vector in zip(values, vectors.T, strict=True):
            vector = vector if vector.sum() > 0 else -vector
            if value < -tol and (vector > 0).all():
                return False
    return True
