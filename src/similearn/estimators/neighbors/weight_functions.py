"""Diverse weights as plain functions, for one problem or a batch of them."""

import numpy as np

from similearn.data.checks import number_array, require_finite
from similearn.data.chunks import map_chunks
from similearn.errors import InputError
from similearn.estimators.neighbors.weighting import WEIGHTINGS
from similearn.estimators.shell.parameters import require_choice, require_positive
from similearn.estimators.shell.threads import one_blas_thread
from similearn.numerics.linalg.symmetry import blocks_are_sound


def krr_weights(S, s, ridge, spectrum="pinv", *, n_jobs=None):
    r"""Kernel ridge regression weights, :math:`w = (S + \lambda I)^{-1} s` (JMLR equation 15).

    Parameters
    ----------
    S : (k, k) or (m, k, k)
        Symmetric similarities among the k neighbours of each query.
    s : (k,) or (m, k)
        Similarities of each query to its neighbours.
    ridge : float
        λ, zero or positive.
    spectrum : {"pinv", "clip", "flip", "shift"}, default="pinv"
        What to do where S is not positive semidefinite.
    n_jobs : int, optional
        Threads, for a batch.

    Returns
    -------
    weights : in the shape of `s`
        They may be negative, and need not sum to one.

    Examples
    --------
    >>> from similearn import krr_weights
    >>> krr_weights([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.5] * 3, 0.1).round(2)
    array([0.25, 0.25, 0.45])
    """
    return _weights("krr", S, s, ridge, spectrum, n_jobs)


def kri_weights(S, s, ridge, spectrum="clip", *, n_jobs=None):
    r"""Kernel ridge interpolation weights, a pmf that rewards affinity and diversity.

    They minimize :math:`\frac12 w^T S w - s^T w + \frac{\lambda}{2} w^T w` on the simplex
    (JMLR eq. 12), exactly.

    Parameters
    ----------
    S : (k, k) or (m, k, k)
        Symmetric similarities among the k neighbours of each query.
    s : (k,) or (m, k)
        Similarities of each query to its neighbours.
    ridge : float
        λ, positive.
    spectrum : {"clip", "flip", "shift"}, default="clip"
        How to make S positive semidefinite where it is not.
    n_jobs : int, optional
        Threads, for a batch.

    Returns
    -------
    weights : in the shape of `s`, not negative, those of each query summing to one

    Examples
    --------
    >>> from similearn import kri_weights
    >>> kri_weights([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.5] * 3, 0.1).round(2)
    array([0.26, 0.26, 0.48])
    """
    return _weights("kri", S, s, ridge, spectrum, n_jobs)


def lime_weights(S, s, ridge, spectrum="clip", *, n_jobs=None):
    r"""Interpolation weights of maximum entropy, a pmf that rewards affinity and diversity.

    They minimize :math:`w^T S w - 2 s^T w - \lambda H(w)` on the simplex: JMLR eq. 10 with
    similarities for inner products. Mind that eq. 12, of `kri_weights`, halves the quadratic.

    Parameters
    ----------
    S : (k, k) or (m, k, k)
        Symmetric similarities among the k neighbours of each query.
    s : (k,) or (m, k)
        Similarities of each query to its neighbours.
    ridge : float
        λ, positive.
    spectrum : {"clip", "flip", "shift"}, default="clip"
        How to make S positive semidefinite where it is not.
    n_jobs : int, optional
        Threads, for a batch.

    Returns
    -------
    weights : in the shape of `s`, positive but for underflow, those of each query summing to one

    Examples
    --------
    >>> from similearn import lime_weights
    >>> lime_weights([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]], [0.5] * 3, 0.1).round(2)
    array([0.26, 0.26, 0.47])
    """
    return _weights("lime", S, s, ridge, spectrum, n_jobs)


def _weights(name, S, s, ridge, spectrum, n_jobs):
    weighting = WEIGHTINGS[name]
    require_choice("spectrum", spectrum, weighting.spectra)
    ridge = require_positive("ridge", ridge, zero=name == "krr")
    blocks, rows, shape = _shaped(S, s)

    def of_chunk(part):
        _check(blocks[part], rows[part], part.start)
        return weighting.of_blocks(blocks[part], rows[part], ridge, spectrum, near=None)[0]

    with one_blas_thread():  # blocks are small: its threads would mostly wait for each other
        parts = map_chunks(of_chunk, len(rows), row_bytes=64 * rows.shape[1], n_jobs=n_jobs)
    return np.concatenate(parts).reshape(shape)


def _shaped(S, s):
    """Return blocks (m, k, k), rows (m, k) and the shape to give back."""
    blocks = number_array("S", S, "similarities among the neighbours")
    rows = number_array("s", s, "similarities of the query to its neighbours")
    shape, k = rows.shape, rows.shape[-1] if rows.ndim else 0
    if rows.ndim not in (1, 2) or k == 0 or blocks.shape != (*shape, k):
        raise InputError(
            f"Got S {blocks.shape} and s {shape}; expected (k, k) and (k,) for one problem, or "
            "(m, k, k) and (m, k) for a batch."
        )
    return blocks.reshape(-1, k, k), rows.reshape(-1, k), shape


def _check(blocks, rows, first):
    """Refuse what is not finite or not symmetric; part of the work of a thread."""
    since = f", problems from {first} on," if first else ""
    require_finite(rows, f"s{since}")
    if not blocks_are_sound(blocks):
        require_finite(blocks.reshape(len(blocks), -1), f"S{since}")
        raise InputError(f"S{since} is not symmetric; pass its symmetric part, (S + S.T) / 2.")
