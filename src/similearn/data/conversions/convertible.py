"""What a conversion is given, a block or a plain array, and how it gives back the same."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from similearn.data.checks import refuse_below_zero, require_finite, require_number
from similearn.data.pairwise import Pairwise
from similearn.data.values import Floats, Kind, Values, as_values
from similearn.errors import InputError

_LARGEST = float(np.finfo(np.float64).max)
_OPPOSITE: dict[Kind, Kind] = {"similarity": "dissimilarity", "dissimilarity": "similarity"}


class Convertible:
    """A checked `Pairwise` or array, and how to give back the same.

    Parameters
    ----------
    X : block or array
    name : of the conversion, for messages
    needs : the kind that it takes, if it takes one only
    dense : why it takes no sparse block, if it takes none
    """

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
        """The other kind; None of a plain array whose kind is open."""
        return None if self.kind is None else _OPPOSITE[self.kind]

    @property
    def self_values(self) -> Floats | None:
        """ψ(query, query), if known."""
        known = self.source.self_values if isinstance(self.source, Pairwise) else None
        if known is None and self.same_samples:
            return np.asarray(self.values.diagonal(), dtype=np.float64)
        return known

    def refuse_sparse(self, reason: str) -> None:
        """Refuse a block that the conversion would fill."""
        if sparse.issparse(self.values):
            m, n = self.values.shape
            raise InputError(
                f"{self.name} cannot keep a block sparse: {reason}. If {m * n * 8 / 1e6:.0f} MB "
                "fit, fill it first with .toarray()."
            )

    def refuse_negative(self, largest: float = 0.0) -> None:
        """Refuse what is negative by more than the rounding of numbers as large as `largest`."""
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
        return float(reduce([extreme_of(values, reduce, with_zero=False) for values in blocks]))

    def maximum(self, given: float | None) -> float:
        """The largest value: the given one, or that of samples with themselves."""
        return self._bound("maximum", given, np.max)

    def minimum(self, given: float | None) -> float:
        """The smallest value, likewise."""
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
        return extreme_of(self.values, reduce, with_zero=self.kind == "similarity")

    def mapped(self, function: Callable[[Any], Any], *, kind: Kind | None) -> Any:
        """What was given, with a function of its values, and of another kind."""
        values = mapped_values(self.values, function)
        if not isinstance(self.source, Pairwise):
            return values
        X = self.source
        return X.with_values(
            values,
            kind=kind,
            reverse=None if X.reverse is None else mapped_values(X.reverse, function),
            self_values=None if X.self_values is None else mapped_values(X.self_values, function),
        )


def mapped_values(values: Values, function: Callable[[Any], Any]) -> Values:
    """Apply to all entries, of CSR to the stored ones; what overflows is the largest number."""
    if sparse.issparse(values):
        changed = mapped_values(values.data, function)
        return sparse.csr_array((changed, values.indices, values.indptr), shape=values.shape)
    with np.errstate(over="ignore"):
        return np.clip(function(values), -_LARGEST, _LARGEST)


def extreme_of(values: Values, reduce: Callable[..., Any], *, with_zero: bool) -> float:
    """Return the largest or smallest entry; absent entries are zeros if `with_zero`."""
    if not sparse.issparse(values):
        return float(reduce(values)) if values.size else 0.0
    extreme = float(reduce(values.data)) if values.nnz else 0.0
    has_absent = values.nnz < values.shape[0] * values.shape[1]
    return float(reduce([extreme, 0.0])) if with_zero and has_absent else extreme
