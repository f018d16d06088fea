"""Explicit conversions: nothing in the library turns one kind into the other silently.

Every function takes a `Pairwise` and returns a `Pairwise`, its reverse direction and
self-similarities converted as well and its ids kept; or takes an array (CSR, frame) of
the kind that its documentation names and returns an array (CSR).

A conversion must be the same for training and for queries. Where it depends on the data
(`maximum`, `minimum`), a block of samples with themselves uses its own and a block of queries has
to be given those of its training block: ``max_minus(S_test, maximum=S_train.values.max())``.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from similearn.data.checks import (
    ROUNDING,
    number_array,
    refuse_below_zero,
    require_finite,
    require_number,
)
from similearn.data.edges.completing import fill_missing as fill_missing
from similearn.data.pairwise import Pairwise
from similearn.data.values import Floats, Kind, Values, as_values
from similearn.errors import InputError
from similearn.numerics.linalg.units import largest_magnitude, power_of_two

_LARGEST = float(np.finfo(np.float64).max)
_OPPOSITE: dict[Kind, Kind] = {"similarity": "dissimilarity", "dissimilarity": "similarity"}


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
    block = _Block(D, "one_minus_scaled", needs="dissimilarity")
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
    block = _Block(D, "gaussian_similarity", needs="dissimilarity")
    block.refuse_negative()
    root = np.sqrt(sigma)
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
    block = _Block(D, "exponential_similarity", needs="dissimilarity")
    block.refuse_negative()
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
    block = _Block(X, "negate", dense="an absent entry is far and would come out as nearest")
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
    block = _Block(X, "max_minus")
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
    block = _Block(
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
    block = _Block(X, "symmetrize")
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
    block = _Block(X, "minmax_scale")
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


class _Block:
    """A checked `Pairwise` or array, and how to give back the same."""

    def __init__(
        self, X: Any, name: str, *, needs: Kind | None = None, dense: str | None = None
    ) -> None:
        self.source, self.name = X, name
        is_pairwise = isinstance(X, Pairwise)
        self.values: Values = X.values if is_pairwise else as_values(X, "X")
        self.kind: Kind | None = X.kind if is_pairwise else needs
        self.reverse: Values | None = X.reverse if is_pairwise else None
        m, n = self.values.shape
        self.same_samples = bool(X.same_samples) if is_pairwise else m == n
        if needs is not None and self.kind != needs:
            raise InputError(
                f"{name} got a {self.kind}; expected a {needs}. Name another conversion (see "
                "similearn.convert), or the right kind where the block is made."
            )
        if dense is not None:
            self.refuse_sparse(dense)
        if self.kind is None and sparse.issparse(self.values):
            raise InputError(
                f"{name} got a plain sparse matrix; whether its absent entries are zeros or "
                "unknown depends on the kind. Wrap it: Pairwise(X, kind='similarity')."
            )
        require_finite(self.values)
        if self.reverse is not None:
            require_finite(self.reverse, "reverse")

    @property
    def opposite(self) -> Kind | None:
        return None if self.kind is None else _OPPOSITE[self.kind]

    @property
    def self_values(self) -> Floats | None:
        known = self.source.self_values if isinstance(self.source, Pairwise) else None
        if known is None and self.same_samples:
            return np.asarray(self.values.diagonal(), dtype=np.float64)
        return known

    def refuse_sparse(self, reason: str) -> None:
        if sparse.issparse(self.values):
            m, n = self.values.shape
            raise InputError(
                f"{self.name} cannot keep a block sparse: {reason}. If {m * n * 8 / 1e6:.0f} MB "
                "fit, fill it first with .toarray()."
            )

    def refuse_negative(self, largest: float = 0.0) -> None:
        for values in (self.values, self.reverse):
            if values is not None:
                refuse_below_zero(values, largest)

    def refuse_beyond(self, top: float) -> None:
        """In a sparse result nothing may fall below the zero of absent entries."""
        if sparse.issparse(self.values) and self._stored_extreme(np.max) > top:
            raise InputError(
                f"{self.name} got a sparse block with entries above maximum={top:g}: they would "
                "come out farther than unknown ones. Give all blocks one larger maximum."
            )

    def _stored_extreme(self, reduce: Callable[..., Any]) -> float:
        blocks = [self.values] if self.reverse is None else [self.values, self.reverse]
        return float(reduce([_extreme(values, reduce, with_zero=False) for values in blocks]))

    def maximum(self, given: float | None) -> float:
        return self._bound("maximum", given, np.max)

    def minimum(self, given: float | None) -> float:
        return self._bound("minimum", given, np.min)

    def _bound(self, which: str, given: float | None, reduce: Callable[..., Any]) -> float:
        if given is not None:
            return require_number(which, given, expected="a finite number")
        if not self.same_samples:
            m, n = self.values.shape
            raise InputError(
                f"{self.name} got a block of {m} queries against {n} references without "
                f"{which}=; give that of the training block, so that both are converted alike."
            )
        return _extreme(self.values, reduce, with_zero=self.kind == "similarity")

    def mapped(self, function: Callable[[Any], Any], *, kind: Kind | None) -> Any:
        values = _mapped(self.values, function)
        if not isinstance(self.source, Pairwise):
            return values
        X = self.source
        return X.with_values(
            values,
            kind=kind,
            reverse=None if X.reverse is None else _mapped(X.reverse, function),
            self_values=None if X.self_values is None else _mapped(X.self_values, function),
        )


def _mapped(values: Values, function: Callable[[Any], Any]) -> Values:
    """Apply to all entries, of CSR to the stored ones; what overflows is the largest number."""
    if sparse.issparse(values):
        changed = _mapped(values.data, function)
        return sparse.csr_array((changed, values.indices, values.indptr), shape=values.shape)
    with np.errstate(over="ignore"):
        return np.clip(function(values), -_LARGEST, _LARGEST)


def _extreme(values: Values, reduce: Callable[..., Any], *, with_zero: bool) -> float:
    """Return the largest or smallest entry; absent entries are zeros if `with_zero`."""
    if not sparse.issparse(values):
        return float(reduce(values)) if values.size else 0.0
    extreme = float(reduce(values.data)) if values.nnz else 0.0
    has_absent = values.nnz < values.shape[0] * values.shape[1]
    return float(reduce([extreme, 0.0])) if with_zero and has_absent else extreme


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
