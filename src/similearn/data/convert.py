"""Explicit conversions: nothing in the library turns one kind into the other silently.

Every function takes a `Pairwise` and returns a `Pairwise`, its reverse direction and
self-similarities converted as well and its ids kept; or takes an array (CSR, frame) of
the kind that its documentation names and returns an array (CSR).

A conversion must be the same for training and for queries. Where it depends on the data
(`maximum`, `minimum`), a block of samples with themselves uses its own and a block of queries has
to be given those of its training block: ``max_minus(S_test, maximum=S_train.values.max())``.
"""

import math
from typing import Any

import numpy as np

from similearn.data.checks import (
    ROUNDING,
    number_array,
    require_finite,
    require_number,
)
from similearn.data.conversions.convertible import Convertible
from similearn.data.edges.completing import fill_missing as fill_missing
from similearn.data.pairwise import Pairwise
from similearn.data.values import Floats
from similearn.errors import InputError
from similearn.numerics.linalg.units import largest_magnitude, power_of_two


def one_minus_scaled(D: Any, *, maximum: float | None = None) -> Any:
    """Similarity 1 - D / maximum: one at distance zero, zero at the maximum.

    In a sparse D an absent entry (unknown, far) becomes zero similarity.

    Parameters
    ----------
    D : Pairwise of dissimilarities, or an array (m, n) of them
    maximum : optional
        The largest entry of D if it is a block of samples with themselves; a block of
        queries needs that of its training block. Larger entries become negative.

    Examples
    --------
    >>> from similearn import convert
    >>> convert.one_minus_scaled([[0.0, 2.0], [2.0, 0.0]]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    block = Convertible(D, "one_minus_scaled", needs="dissimilarity")
    top = block.maximum(maximum)
    block.refuse_negative(top)
    if top <= 0:
        raise InputError(
            f"The largest dissimilarity is {top:g}; expected more than 0, so that 1 - d / max is a "
            "similarity."
        )
    block.refuse_beyond(top)
    return block.mapped(lambda d: 1.0 - d / top, kind="similarity")


def gaussian_similarity(D: Any, *, sigma: float) -> Any:
    """Similarity exp(-D² / sigma).

    In a sparse D an absent entry (unknown, far) becomes zero similarity. The square is
    taken of D / √sigma in float64, so that integers cannot wrap around.

    Parameters
    ----------
    D : Pairwise of dissimilarities, or an array (m, n) of them
    sigma : positive, in units of D²

    Examples
    --------
    >>> from similearn import convert
    >>> convert.gaussian_similarity([[0.0, 2.0]], sigma=4.0).round(3).tolist()
    [[1.0, 0.368]]
    """
    sigma = require_number("sigma", sigma, low=5e-324, expected="a positive number")
    block = Convertible(D, "gaussian_similarity", needs="dissimilarity")
    root = np.sqrt(sigma)
    block.refuse_negative(root)  # what is far below it is zero
    return block.mapped(lambda d: np.exp(-np.square(d / root)), kind="similarity")


def exponential_similarity(D: Any, *, scale: float) -> Any:
    """Similarity exp(-D / scale).

    In a sparse D an absent entry (unknown, far) becomes zero similarity.

    Parameters
    ----------
    D : Pairwise of dissimilarities, or an array (m, n) of them
    scale : positive, in units of D

    Examples
    --------
    >>> from similearn import convert
    >>> convert.exponential_similarity([[0.0, 2.0]], scale=2.0).round(3).tolist()
    [[1.0, 0.368]]
    """
    scale = require_number("scale", scale, low=5e-324, expected="a positive number")
    block = Convertible(D, "exponential_similarity", needs="dissimilarity")
    block.refuse_negative(scale)
    return block.mapped(lambda d: np.exp(-d / scale), kind="similarity")


def negate(X: Any) -> Any:
    """-X: a similarity from a dissimilarity, or the other way round, in the same order.

    A sparse block is refused: an absent entry is far, and would come out nearest.

    Parameters
    ----------
    X : Pairwise, or a dense array (m, n)

    Examples
    --------
    >>> from similearn import Pairwise, convert
    >>> convert.negate(Pairwise([[0.0, 2.0], [2.0, 0.0]], "dissimilarity"))
    <Pairwise: similarity, 2 × 2>
    """
    block = Convertible(X, "negate", dense="an absent entry is far and would come out as nearest")
    return block.mapped(np.negative, kind=block.opposite)


def max_minus(X: Any, *, maximum: float | None = None) -> Any:
    """Maximum - X: a dissimilarity from a similarity, or the other way round.

    Parameters
    ----------
    X : Pairwise, or a dense array (m, n)
    maximum : optional
        The largest entry of X if it is a block of samples with themselves; a block of
        queries needs that of its training block. Larger entries become negative.

    Notes
    -----
    In a sparse dissimilarity an absent entry (unknown, far) becomes zero similarity. A
    sparse similarity is refused: each of its zeros would have to be stored.

    Examples
    --------
    >>> from similearn import Pairwise, convert
    >>> convert.max_minus(Pairwise([[5.0, 2.0], [2.0, 5.0]], "similarity")).values.tolist()
    [[0.0, 3.0], [3.0, 0.0]]
    """
    block = Convertible(X, "max_minus")
    if block.kind != "dissimilarity":
        block.refuse_sparse("every zero would become the maximum and would have to be stored")
    top = block.maximum(maximum)
    block.refuse_beyond(top)
    return block.mapped(lambda values: top - values, kind=block.opposite)


def distance_from_inner_products(S: Any, *, column_self_values: Any = None) -> Any:
    r"""Distance :math:`d_{ij} = \sqrt{s_{ii} + s_{jj} - 2 s_{ij}}` if S were inner products.

    Parameters
    ----------
    S : Pairwise of similarities, or a dense array (n, n) of them
    column_self_values : (n,), optional
        The self-similarities of the references. A block of samples with themselves
        knows them; a block of queries needs them, besides its own `self_values`.

    Notes
    -----
    Of an indefinite S some of these squares are negative: that is an error here, since
    no distance has them. Rounding (1e-10 of the largest entry) counts as zero. A sparse
    block is refused: nearly every distance would have to be stored.

    Examples
    --------
    >>> from similearn import convert
    >>> convert.distance_from_inner_products([[0.0, 0.0], [0.0, 25.0]]).tolist()
    [[0.0, 5.0], [5.0, 0.0]]
    """
    name = "distance_from_inner_products"
    block = Convertible(
        S, name, needs="similarity", dense="zeros become distances and would have to be stored"
    )
    rows, columns = block.self_values, column_self_values
    if columns is None:
        columns = block.self_values if block.same_samples else None
    if rows is None or columns is None:
        raise InputError(
            f"{name} needs the self-similarities of the queries (Pairwise(..., self_values=...)) "
            "and of the references (column_self_values=...); a block of queries does not know them."
        )
    of_columns = number_array("column_self_values", columns, "one number per column")
    if of_columns.shape != (block.values.shape[1],):
        raise InputError(
            f"column_self_values has shape {of_columns.shape}; expected one for each of "
            f"{block.values.shape[1]} columns."
        )
    require_finite(of_columns, "column_self_values")
    largest = max(largest_magnitude(part) for part in (block.values, rows, of_columns))
    # In such units no sum overflows; the root of a unit is exact.
    unit = (power_of_two(math.sqrt(largest)) / 2) ** 2
    together = np.add.outer(rows / unit, of_columns / unit)
    return block.mapped(
        lambda s: (
            math.sqrt(unit) * _root_of(together - 2 * (s / unit), name)
            if s.ndim == 2
            else np.zeros_like(s)
        ),
        kind="dissimilarity",
    )


def symmetrize(X: Any) -> Any:
    """½(X + Xᵀ): the mean of both directions, ½(ψ(x, xᵢ) + ψ(xᵢ, x)) (JMLR §7.2).

    Where a sparse dissimilarity knows one direction only, that one is taken.

    Parameters
    ----------
    X : Pairwise, or a dense array (n, n)
        A block of queries must know its reverse direction.

    Examples
    --------
    >>> from similearn import Pairwise, convert
    >>> convert.symmetrize(Pairwise([[5.0, 1.0], [3.0, 5.0]], "similarity")).values.tolist()
    [[5.0, 2.0], [2.0, 5.0]]
    """
    block = Convertible(X, "symmetrize")
    if not block.same_samples and block.reverse is None:
        m, n = block.values.shape
        raise InputError(
            f"symmetrize got a block of {m} queries against {n} references whose reverse "
            "direction is unknown; expected Pairwise(values, kind, reverse=...) with reverse[i, j] "
            "= ψ(reference j, query i), or a block of samples with themselves."
        )
    if not isinstance(X, Pairwise):
        return block.values / 2 + block.values.T / 2  # halves first: nothing overflows
    mean = X.both_directions()
    return X.with_values(mean, reverse=None if X.reverse is None else mean)


def minmax_scale(X: Any, *, minimum: float | None = None, maximum: float | None = None) -> Any:
    """(X - minimum) / (maximum - minimum): from zero to one, the kind unchanged.

    Parameters
    ----------
    X : Pairwise, or a dense array (m, n)
    minimum, maximum : optional
        Those of X if it is a block of samples with themselves; a block of queries needs
        those of its training block. Entries beyond them come out below zero or above one.

    Notes
    -----
    Absent entries of a sparse similarity count as zeros and stay so, which needs a
    minimum of zero. Those of a sparse dissimilarity are unknown and stay so.

    Examples
    --------
    >>> from similearn import Pairwise, convert
    >>> convert.minmax_scale(Pairwise([[5.0, 1.0], [3.0, 5.0]], "similarity")).values.tolist()
    [[1.0, 0.0], [0.5, 1.0]]
    """
    block = Convertible(X, "minmax_scale")
    low, high = block.minimum(minimum), block.maximum(maximum)
    if not low < high:
        raise InputError(
            f"minmax_scale needs minimum < maximum, got {low:g} and {high:g}; a block of equal "
            "entries says nothing about which samples are near."
        )
    if low != 0 and block.kind == "similarity":
        block.refuse_sparse(f"the minimum is {low:g}, so zeros would have to be stored")
    unit = power_of_two(max(abs(low), abs(high)))  # in which high - low cannot overflow
    low, high = low / unit, high / unit
    return block.mapped(lambda values: (values / unit - low) / (high - low), kind=block.kind)


def _root_of(squares: Floats, name: str) -> Floats:
    rounding = ROUNDING * np.abs(squares).max(initial=0.0)
    n_negative = int(np.count_nonzero(squares < -rounding))
    if n_negative:
        raise InputError(
            f"{name} got similarities that are no inner products: {n_negative} squared distances "
            "are negative. Make them positive semi-definite before (SpectrumTransformer), or use "
            "max_minus."
        )
    return np.sqrt(np.maximum(squares, 0.0))
