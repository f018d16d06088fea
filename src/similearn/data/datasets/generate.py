"""Generated problems: as hard, as indefinite, asymmetric and sparse as asked."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.spatial.distance import cdist
from scipy.special import ndtr
from sklearn.utils import Bunch

from similearn.data.checks import (
    require_flag,
    require_integer,
    require_kind,
    require_number,
    require_random_state,
)
from similearn.data.pairwise import Pairwise
from similearn.data.values import Floats, Indices, Kind
from similearn.errors import InputError


def make_similarities(
    n_samples: int = 200,
    n_classes: int = 2,
    *,
    bayes_error: float = 0.1,
    indefinite: float = 0.0,
    asymmetry: float = 0.0,
    sparsity: float = 0.0,
    noise: float = 0.0,
    kind: Kind = "similarity",
    n_latent: int | None = None,
    return_X_y: bool = False,
    random_state: Any = 0,
) -> Any:
    r"""Generate a classification problem of pairwise similarities with known Bayes error.

    Each sample has a hidden position z in a space of p dimensions, drawn from its class's
    Gaussian with unit covariance; class means are equally far from each other, classes
    equally likely. Similarities are made from the positions alone:

    .. math:: \psi(a, b) = e^{\eta (h_b - h_a)/2} \Bigl[ e^{-\|z_a - z_b\|^2 / 2p}
        - c\, e^{-\|v_a - v_b\|^2 / 2\lceil p/2 \rceil} \Bigr] + \sigma \varepsilon_{ab}

    where v is the first half of z, the prominences h and the symmetric errors ε are standard
    normal, c is `indefinite`, η `asymmetry` and σ `noise`.

    Parameters
    ----------
    n_samples, n_classes : int
    bayes_error : float, default=0.1
        The Bayes error that the problem shall have, above 0 and below 1 - 1/n_classes.
    indefinite : float in [0, 1], default=0
        Weight of a second kernel that is subtracted: what is alike in the first half of the
        dimensions counts as less similar, and objects need not be most similar to
        themselves. Class means lie across all dimensions, so that the negative part carries
        class information too. At 1 the negative eigenvalues have half of the mass, at 0,
        without noise and asymmetry, the block is positive definite.
    asymmetry : float, default=0
        How much more similar all samples are to the prominent ones than these are to them.
    sparsity : float in [0, 1), default=0
        Share of the pairs, the least near ones, that is not stored; the block is then CSR.
    noise : float, default=0
        Standard deviation σ of the errors; 0.1 already gives negative eigenvalues a fifth of
        the mass at n = 150 and a third at n = 1000, while neighbours hardly suffer.
    kind : {"similarity", "dissimilarity"}
        A dissimilarity is :math:`\sqrt{\max\psi - \psi}`; at the defaults of the other
        parameters that is a metric, the distance in the kernel's space over √2.
    n_latent : int, optional
        The dimension p, at least n_classes; by default three more.
    return_X_y : bool, default=False
        Return ``(data, target)`` rather than a Bunch.
    random_state : int, RandomState or None, default=0

    Returns
    -------
    Bunch with

    - data : (n, n) `Pairwise`, dense, or CSR if sparsity > 0
    - target : (n,) integers 0 to n_classes - 1
    - bayes_error : float
    - latent : (n, p) positions z
    - means : (n_classes, p) class means

    Notes
    -----
    `bayes_error` is the error of the best possible observer, who sees the position z of a
    query and knows the class means; the nearest mean is then the Bayes rule, with error
    :math:`1 - \int \Phi(t + \delta/\sqrt2)^{G-1} \varphi(t)\,dt` for means δ apart. Who sees
    similarities to any number of labelled samples instead sees less, since given the
    positions they do not depend on the query's class: no classifier has a smaller error
    in expectation, and noise, sparsity or few samples make it larger.

    Cost: O(n² p).

    Examples
    --------
    >>> from similearn import datasets
    >>> problem = datasets.make_similarities(100, 3, bayes_error=0.2, indefinite=0.5)
    >>> problem.data
    <Pairwise: similarity, 100 × 100>
    >>> round(problem.bayes_error, 6)
    0.2
    """
    n_samples = require_integer("n_samples", n_samples)
    n_classes = require_integer("n_classes", n_classes, low=2)
    p = n_classes + 3 if n_latent is None else require_integer("n_latent", n_latent)
    _check(n_classes, p, bayes_error, kind)
    _check_shares(indefinite, asymmetry, sparsity, noise)
    rng = require_random_state(random_state)
    hidden = draw_latent(n_samples, n_classes, p, bayes_error, rng)
    similarity = _gaussian_kernel(hidden.positions)
    if indefinite:
        similarity -= indefinite * _gaussian_kernel(hidden.positions[:, : -(-p // 2)])
    if asymmetry:
        factors = np.exp(asymmetry / 2 * rng.standard_normal(n_samples))
        similarity *= factors[None, :] / factors[:, None]
    if noise:
        similarity += noise * _symmetric_errors(n_samples, rng)
    block = _block(similarity, kind, sparsity)
    if require_flag("return_X_y", return_X_y):
        return block, hidden.labels
    return Bunch(
        data=block,
        target=hidden.labels,
        bayes_error=latent_bayes_error(hidden.separation, n_classes),
        latent=hidden.positions,
        means=hidden.means,
    )


@dataclass(frozen=True)
class Latent:
    """Hidden positions (n, p), labels (n,), class means (G, p) and their distance δ."""

    positions: Floats
    labels: Indices
    means: Floats
    separation: float


def draw_latent(n: int, n_classes: int, p: int, bayes_error: float, rng: Any) -> Latent:
    """Draw labels and positions of a Gaussian problem with the given Bayes error."""
    separation = separation_for(bayes_error, n_classes)
    axes = np.linalg.qr(rng.standard_normal((p, n_classes)))[0]
    means = separation / np.sqrt(2) * axes.T  # orthogonal axes: all means δ apart
    labels = rng.randint(n_classes, size=n)
    positions = means[labels] + rng.standard_normal((n, p))
    return Latent(positions, labels, means, separation)


def latent_bayes_error(separation: float, n_classes: int) -> float:
    """Error of the nearest mean for G unit Gaussians whose means are all δ apart."""

    def right(t: float) -> float:
        # Along its own axis a sample stands at t + δ/√2; it is right if all others are below.
        density = np.exp(-t * t / 2) / np.sqrt(2 * np.pi)
        return float(ndtr(t + separation / np.sqrt(2)) ** (n_classes - 1) * density)

    return 1.0 - float(quad(right, -12, 12, epsabs=1e-12, limit=200)[0])


def separation_for(bayes_error: float, n_classes: int) -> float:
    """Distance δ of class means at which the Bayes error is the given one."""
    return float(
        brentq(lambda delta: latent_bayes_error(delta, n_classes) - bayes_error, 0.0, 40.0)
    )


def _gaussian_kernel(positions: Floats) -> Floats:
    """exp(-‖z - z'‖² / 2p)."""
    squared = cdist(positions, positions, "sqeuclidean")
    kernel: Floats = np.exp(squared / (-2 * positions.shape[1]))
    return kernel


def _symmetric_errors(n: int, rng: Any) -> Floats:
    upper: Floats = np.triu(rng.standard_normal((n, n)))
    upper += np.triu(upper, 1).T
    return upper


def _block(similarity: Floats, kind: Kind, sparsity: float) -> Pairwise:
    values = similarity if kind == "similarity" else np.sqrt(similarity.max() - similarity)
    if not sparsity:
        return Pairwise(values, kind)
    # The diagonal stays; both directions of a pair go or stay together.
    nearer = np.maximum(similarity, similarity.T)
    np.fill_diagonal(nearer, np.inf)
    off_diagonal = nearer[np.triu_indices(len(nearer), 1)]
    threshold = np.quantile(off_diagonal, sparsity) if len(off_diagonal) else 0.0
    rows, columns = np.nonzero(nearer >= threshold)
    stored = sparse.csr_array((values[rows, columns], (rows, columns)), shape=values.shape)
    return Pairwise(stored, kind)


def _check(n_classes: int, p: int, bayes_error: float, kind: str) -> None:
    if p < n_classes:
        raise InputError(f"n_latent={p!r}; expected at least n_classes={n_classes}.")
    highest = 1 - 1 / n_classes
    expected = (
        f"at least 1e-6 and less than {highest:.3g}, the error of guessing among {n_classes} "
        "classes"
    )
    below = float(np.nextafter(highest, 0))
    require_number("bayes_error", bayes_error, low=1e-6, high=below, expected=expected)
    require_kind(kind)


def _check_shares(indefinite: float, asymmetry: float, sparsity: float, noise: float) -> None:
    below_one = float(np.nextafter(1.0, 0.0))
    for name, value, high, expected in (
        ("indefinite", indefinite, 1.0, "a share from 0 to 1"),
        ("sparsity", sparsity, below_one, "a share from 0 to less than 1"),
        ("asymmetry", asymmetry, 50.0, "a number from 0 to 50"),
        ("noise", noise, 1e100, "a number from 0 to 1e100"),
    ):
        require_number(name, value, low=0.0, high=high, expected=expected)
