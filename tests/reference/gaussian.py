"""Local BDA and local means as printed; slow on purpose."""

import math

import numpy as np


def bda_log_likelihood(x, samples):
    """Fusing eq. 1, determinants d×d, sums over the samples, times (2π)^(-d/2)."""
    k, d = samples.shape
    q = d + 3
    mean = samples.mean(axis=0)
    scatter = sum(np.outer(row - mean, row - mean) for row in samples)
    B = 0.95 * q * np.diag(np.diag(scatter / k)) + 0.05 * np.eye(d)
    away = k * np.outer(x - mean, x - mean) / (k + 1)
    return (
        d / 2 * math.log(2 * k / (k + 1))
        - d / 2 * math.log(2 * math.pi)
        + math.lgamma((k + d + 4) / 2)
        - math.lgamma((k + 4) / 2)
        + (k + d + 3) / 2 * np.linalg.slogdet(scatter + B)[1]
        - (k + d + 4) / 2 * np.linalg.slogdet(scatter + away + B)[1]
    )


def nearest_of(x, samples, k):
    """The k nearest samples, nearest first; ties in their order."""
    distances = np.sqrt(((samples - x) ** 2).sum(axis=1))
    return samples[np.argsort(distances, kind="stable")[:k]]


def local_bda(x, X, y, k, log_priors):
    """Log-posteriors up to a constant, one for each class 0, 1, ..."""
    return np.array(
        [
            bda_log_likelihood(x, nearest_of(x, X[y == g], k)) + log_prior
            for g, log_prior in enumerate(log_priors)
        ]
    )


def local_means(x, X, y, k):
    """Distances to the mean of the k nearest of each class."""
    means = [nearest_of(x, X[y == g], k).mean(axis=0) for g in np.unique(y)]
    return np.array([np.sqrt(((x - mean) ** 2).sum()) for mean in means])
