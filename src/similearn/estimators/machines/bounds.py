r"""Generalization bounds of machines on similarities (JMLR §4), and what they rest on.

Both theorems bound the error of every function of a class by its truncated hinge risk on the
training samples, twice the Rademacher complexity of the class, and a term for chance. The
complexities of a given sample can be drawn, and compared with the bounds that the proofs put in
their place.
"""

from numbers import Real

import numpy as np

from similearn.data.checks import number_array, require_random_state
from similearn.errors import InputError
from similearn.estimators.shell.parameters import require_integer, require_positive


def truncated_hinge_risk(decisions, signs):
    """Mean of min(max(1 - y f, 0), 1), the empirical risk of JMLR equation 8.

    Parameters
    ----------
    decisions : (n,) values f
    signs : (n,) labels, 1 or -1

    Returns
    -------
    float

    Examples
    --------
    >>> from similearn import truncated_hinge_risk
    >>> truncated_hinge_risk([2.0, 0.5, -3.0], [1, 1, 1])
    0.5
    """
    decisions = number_array("decisions", decisions, "one number for each sample")
    signs = number_array("signs", signs, "1 or -1 for each sample")
    if decisions.shape != signs.shape or not np.isin(signs, (-1.0, 1.0)).all():
        raise InputError(
            f"Got decisions {decisions.shape} and signs {signs.shape}; expected one sign, 1 or -1, "
            "for each decision."
        )
    return float(np.clip(1.0 - signs * decisions, 0.0, 1.0).mean())


def jmlr_kernel_bound(risk, *, beta, kappa, n_samples, delta=0.05):
    r"""Bound on the error of a machine with similarities as kernel (JMLR §4, Theorem 1).

    .. math:: \hat R + 4\beta\kappa\sqrt{1/n} + \sqrt{\ln(2/\delta)/(2n)}

    Parameters
    ----------
    risk : float, the `truncated_hinge_risk` on the n training samples, eq. (8)
    beta : float, bound on the norm, wᵀSw <= β²
    kappa : float, ψ(a, a) <= κ² for all a
    n_samples : int, n, training samples
    delta : float, the probability with which the bound may fail

    Returns
    -------
    float
        Holds with probability 1 - δ for all such functions at once, for a positive
        definite similarity. A bound above one says nothing.

    See Also
    --------
    jmlr_features_bound : similarities as features instead.
    cdnn_generalization_bound : of nearest neighbours by combined dissimilarities.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import jmlr_kernel_bound, truncated_hinge_risk
    >>> risk = truncated_hinge_risk([2.0, 0.5, -3.0, 0.1], [1, 1, -1, -1])
    >>> round(risk, 3)
    0.375
    >>> round(jmlr_kernel_bound(risk, beta=1.0, kappa=1.0, n_samples=4000), 3)
    0.46
    """
    _require_counts(n_samples, delta)
    size = _positive("beta", beta) * _positive("kappa", kappa)
    complexity = 4.0 * size * np.sqrt(1.0 / n_samples)
    return float(_risk(risk) + complexity + _chance(n_samples, delta))


def jmlr_features_bound(risk, *, beta, kappa, n_samples, n_prototypes, delta=0.05):
    r"""Bound on the error of a machine with m similarities as features (JMLR §4, Theorem 2).

    .. math:: \hat R + 4\beta\kappa^2\sqrt{m/n} + \sqrt{\ln(2/\delta)/(2n)}

    Parameters
    ----------
    risk : float, the `truncated_hinge_risk` on the n - m training samples that are no prototypes
    beta : float, bound on the norm, wᵀw <= β²
    kappa : float, ψ(a, b) <= κ² for all a and b
    n_samples : int, n, training samples
    n_prototypes : int, m < n, prototypes among them
    delta : float, the probability with which the bound may fail

    Returns
    -------
    float
        Holds with probability 1 - δ for all such functions at once. A bound above one says
        nothing.

    Notes
    -----
    The proof needs abs(ψ(a, b)) <= κ², which the paper states without the absolute
    value.

    Examples
    --------
    >>> from similearn import jmlr_features_bound
    >>> few, all_but_one = (
    ...     jmlr_features_bound(0.1, beta=1.0, kappa=1.0, n_samples=4000, n_prototypes=m)
    ...     for m in (10, 3999))
    >>> round(few, 3), round(all_but_one, 3)
    (0.321, 4.121)
    """
    _require_counts(n_samples, delta)
    require_integer(
        "n_prototypes",
        n_prototypes,
        high=n_samples - 1,
        high_means="number of training samples less one",
    )
    kappa = _positive("kappa", kappa)
    complexity = 4.0 * _positive("beta", beta) * kappa * kappa * np.sqrt(n_prototypes / n_samples)
    return float(_risk(risk) + complexity + _chance(n_samples, delta))


def kernel_complexity(S, *, beta, n_draws=1000, random_state=None):
    r"""Rademacher complexity of {wᵀs : wᵀSw <= β²} on a sample, by Monte Carlo.

    The supremum over the class is :math:`\frac{2\beta}{n}\sqrt{\sigma^T S\sigma}`; its mean over
    random signs σ is at most :math:`\frac{2\beta}{n}\sqrt{\mathrm{tr} S}`, hence
    at most 2βκ/√n.

    Parameters
    ----------
    S : (n, n), symmetric and positive semidefinite
    beta : bound on the norm
    n_draws : draws of the signs
    random_state : int, RandomState or None

    Returns
    -------
    mean, standard error
    """
    S = number_array("S", S, "a matrix")
    signs = _draws(len(S), n_draws, random_state)
    squares = np.maximum(np.einsum("di,di->d", signs @ S, signs), 0.0)
    return _summary(2.0 * _positive("beta", beta) / len(S) * np.sqrt(squares))


def features_complexity(features, *, beta, n=None, n_draws=1000, random_state=None):
    r"""Rademacher complexity of {wᵀs : wᵀw <= β²} on a sample, by Monte Carlo.

    The supremum over the class is :math:`\frac{2\beta}{n}\|\sum_i \sigma_i \tilde s_i\|`.

    Parameters
    ----------
    features : (n - m, m) similarities of the other samples to the prototypes
    beta : bound on the norm
    n : number of all training samples, as in the paper's proof; by default n - m + m
    n_draws : draws of the signs
    random_state : int, RandomState or None

    Returns
    -------
    mean, standard error
    """
    features = number_array("features", features, "a table")
    n = sum(features.shape) if n is None else n
    signs = _draws(len(features), n_draws, random_state)
    lengths = np.linalg.norm(signs @ features, axis=1)
    return _summary(2.0 * _positive("beta", beta) / n * lengths)


def _draws(n, n_draws, random_state):
    require_integer("n_draws", n_draws, low=2)
    return require_random_state(random_state).choice((-1.0, 1.0), size=(n_draws, n))


def _summary(suprema):
    return float(suprema.mean()), float(suprema.std(ddof=1) / np.sqrt(len(suprema)))


def _chance(n, delta):
    return np.sqrt(np.log(2.0 / delta) / (2.0 * n))


def _positive(name, value):
    return require_positive(name, value, zero=True)


def _risk(risk):
    if not isinstance(risk, Real) or not 0 <= risk <= 1:
        raise InputError(f"risk={risk!r} is out of range; a truncated hinge risk is in [0, 1].")
    return float(risk)


def _require_counts(n, delta):
    require_integer("n_samples", n)
    if not isinstance(delta, Real) or not 0 < delta < 1:
        raise InputError(f"delta={delta!r} is out of range; expected a probability within (0, 1).")
