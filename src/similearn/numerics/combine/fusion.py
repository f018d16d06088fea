"""Products of the posteriors of several sources, in log space, and how far to trust each."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from similearn.numerics.scores.decide import log_softmax

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

LOG_FLOOR = float(np.log(np.finfo(float).tiny))
"""What the logarithm of an exact zero counts as, unless the row holds something lower: -708."""


def without_vetoes(logs: Floats) -> Floats:
    """Replace -inf in log-probabilities (..., n_classes) by a finite value.

    It becomes `LOG_FLOOR`, or the lowest finite entry of its row where that is lower, so
    that the order of the classes is kept.
    """
    possible = ~np.isneginf(logs)
    lowest = np.where(possible, logs, np.inf).min(axis=-1, keepdims=True)
    return np.where(possible, logs, np.minimum(lowest, LOG_FLOOR))


def prior_exponent(exponents: Floats, *, once: bool) -> float:
    """Power of the prior beside the posteriors, such that it counts once in all, or as it comes."""
    return 1.0 - float(exponents.sum()) if once else 0.0


def fused(terms: Floats, exponents: Floats, log_priors: Floats, *, once: bool) -> Floats:
    r"""Log-scores of classes from the log-posteriors of independent sources.

    Parameters
    ----------
    terms : (C, ..., n_classes), finite: log P(g | source c)
    exponents : (C,), by default ones
    log_priors : (n_classes,)
    once : whether the prior counts once, as Bayes' rule has it, or in every source

    Returns
    -------
    (..., n_classes): :math:`\sum_c \beta_c \log P(g|c)`, and if `once` plus
    :math:`(1 - \sum_c \beta_c) \log P(g)`

    Notes
    -----
    Fusing eq. 6 for any number of sources; as printed with ``once=False``.
    """
    scores = np.tensordot(exponents, terms, axes=1)
    return scores + prior_exponent(exponents, once=once) * log_priors


class Exponents(NamedTuple):
    """Result of `best_exponents`."""

    values: Floats
    converged: bool


def best_exponents(terms: Floats, codes: Indices, log_priors: Floats, *, once: bool) -> Exponents:
    """Powers of the sources that make the known classes of held-out samples most probable.

    Parameters
    ----------
    terms : (C, n, n_classes), finite log-posteriors of samples not seen in training
    codes : (n,), their classes
    log_priors : (n_classes,)
    once : as in `fused`

    Returns
    -------
    values : (C,), at least zero
    converged : whether the minimizer says so

    Notes
    -----
    Minimizes the mean log-loss plus Σ (β - 1)² / (2n): a Gaussian prior of variance one
    about the plain product, which keeps powers finite where the sources never err. Convex.
    Assumes checked input.
    """
    n = len(codes)
    evidence = terms - log_priors if once else terms
    evidence = evidence - evidence.mean(axis=2, keepdims=True)  # constants of a row cancel
    start = log_priors if once else np.zeros_like(log_priors)
    true = np.take_along_axis(evidence, codes[None, :, None], axis=2)[:, :, 0]

    def objective(exponents: Floats) -> tuple[float, Floats]:
        logs = log_softmax(np.tensordot(exponents, evidence, axes=1) + start)
        expected = (np.exp(logs) * evidence).sum(axis=2)
        loss = -logs[np.arange(n), codes].mean() + ((exponents - 1) ** 2).sum() / (2 * n)
        return loss, (expected - true).mean(axis=1) + (exponents - 1) / n

    found = minimize(
        objective,
        np.ones(len(terms)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * len(terms),
        options={"maxiter": 1000, "ftol": 1e-14, "gtol": 1e-8},
    )
    return Exponents(found.x, bool(found.success))
