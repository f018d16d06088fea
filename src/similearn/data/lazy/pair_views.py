"""Views of what computes pairs: some of its rows and columns, or its values changed."""

from collections.abc import Callable
from typing import Any

import joblib
import numpy as np

from similearn.data.lazy.pair_source import PairSource
from similearn.data.values import Floats, Indices, Kind


class _View:
    """What a view has of the source that it looks at."""

    source: PairSource

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.source.name

    @property
    def symmetric(self) -> bool:
        """Whether ψ(a, b) = ψ(b, a)."""
        return self.source.symmetric

    @property
    def one_way(self) -> bool:
        """Whether of new rows ψ(row, column) alone will be known."""
        return self.source.one_way

    @property
    def releases_lock(self) -> bool:
        """Whether threads can compute side by side."""
        return self.source.releases_lock


class ChosenPairs(_View):
    """Some rows and some columns of another source: how cross-validation cuts objects.

    Parameters
    ----------
    source : what is cut
    rows, columns : positions in it
    same : whether row i and column i are the same object
    """

    rows: Indices
    columns: Indices

    def __init__(self, source: PairSource, rows: Indices, columns: Indices, *, same: bool) -> None:
        if isinstance(source, ChosenPairs):
            chosen = source.rows, source.columns
            rows, columns, source = chosen[0][rows], chosen[1][columns], source.source
        self.source, self.rows, self.columns, self.same = source, rows, columns, same

    @property
    def kind(self) -> Kind:
        """Whether large or small values mean near."""
        return self.source.kind

    @property
    def shape(self) -> tuple[int, int]:
        """How many row and column objects there are."""
        return len(self.rows), len(self.columns)

    def forward(self, rows: Indices, columns: Indices) -> Floats:
        """ψ(row object, column object)."""
        return self.source.forward(self.rows[rows], self.columns[columns])

    def backward(self, rows: Indices, columns: Indices) -> Floats:
        """ψ(column object, row object)."""
        return self.source.backward(self.rows[rows], self.columns[columns])

    def pairs(self, rows: Indices, columns: Indices, *, turned: bool = False) -> Floats:
        """ψ of single pairs."""
        return self.source.pairs(self.rows[rows], self.columns[columns], turned=turned)

    def square(self, columns: Indices) -> Floats:
        """ψ among column objects."""
        return self.source.square(self.columns[columns])

    def self_values(self, rows: Indices) -> Floats:
        """ψ(a, a) of row objects."""
        return self.source.self_values(self.rows[rows])

    def digest(self) -> str:
        """A name for the objects and the function by their content."""
        return str(joblib.hash([self.source.digest(), self.rows, self.columns, self.same]))

    def only(self, rows: Indices) -> Any:
        """The source of some of its objects with themselves; it holds no others."""
        return self.source.only(self.rows[rows])

    def __reduce__(self) -> Any:
        # What is sent or kept holds no object that nobody asks for; the order decides which of
        # two objects comes first in a symmetric function, so it must be the same.
        if self.same and (np.diff(self.rows) > 0).all() and len(self.rows) < self.source.shape[0]:
            everything = np.arange(len(self.rows))
            return _chosen, (self.source.only(self.rows), everything, everything, True)
        return _chosen, (self.source, self.rows, self.columns, self.same)


def _chosen(source: PairSource, rows: Indices, columns: Indices, same: bool) -> ChosenPairs:
    return ChosenPairs(source, rows, columns, same=same)


class WholeView(_View):
    """A view of all pairs of its source."""

    @property
    def same(self) -> bool:
        """Whether row i and column i are the same object."""
        return self.source.same

    @property
    def shape(self) -> tuple[int, int]:
        """How many row and column objects there are."""
        return self.source.shape


class MappedPairs(WholeView):
    """All pairs of another source, every value changed by a function of values alone.

    Parameters
    ----------
    source : what computes the values
    change : called with an array of values; picklable, so that processes can call it
    kind : of the changed values
    """

    def __init__(self, source: PairSource, change: Callable[[Floats], Floats], kind: Kind) -> None:
        self.source, self.change, self.kind = source, change, kind

    def forward(self, rows: Indices, columns: Indices) -> Floats:
        """ψ(row object, column object)."""
        return self.change(self.source.forward(rows, columns))

    def backward(self, rows: Indices, columns: Indices) -> Floats:
        """ψ(column object, row object)."""
        return self.change(self.source.backward(rows, columns))

    def pairs(self, rows: Indices, columns: Indices, *, turned: bool = False) -> Floats:
        """ψ of single pairs."""
        return self.change(self.source.pairs(rows, columns, turned=turned))

    def square(self, columns: Indices) -> Floats:
        """ψ among column objects."""
        return self.change(self.source.square(columns))

    def self_values(self, rows: Indices) -> Floats:
        """ψ(a, a) of row objects."""
        return self.change(self.source.self_values(rows))

    def digest(self) -> str:
        """A name for the objects and the function by their content."""
        return str(joblib.hash([self.source.digest(), repr(self.change), self.kind]))

    def only(self, rows: Indices) -> Any:
        """The source of some of its objects with themselves; it holds no others."""
        return MappedPairs(self.source.only(rows), self.change, self.kind)

    def __reduce__(self) -> Any:
        return MappedPairs, (self.source, self.change, self.kind)


def slice_of(positions: Indices) -> Any:
    """A slice where positions are consecutive, which reads without a copy."""
    if len(positions) and int(positions[-1]) - int(positions[0]) == len(positions) - 1:
        if (np.diff(positions) == 1).all():
            return slice(int(positions[0]), int(positions[-1]) + 1)
    return positions
