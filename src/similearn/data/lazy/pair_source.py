"""What computes pairs when they are asked for, whatever it compares."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from similearn.data.values import Floats, Indices, Kind


class PairSource(Protocol):
    """M row objects and N column objects, and ψ of any of their pairs.

    Positions are arrays of integers that were checked before. Answers are finite: a source
    refuses what is not. The value of a pair does not depend on which other pairs are asked for
    with it.

    Attributes
    ----------
    name : what messages call it
    kind : whether large or small values mean near
    symmetric : whether ψ(a, b) = ψ(b, a)
    shape : (M, N)
    same : whether rows and columns are the same objects
    one_way : whether of new rows ψ(row, column) alone will be known, as of a stored matrix
    releases_lock : whether threads can compute side by side
    """

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def kind(self) -> Kind:
        """Whether large or small values mean near."""

    @property
    def symmetric(self) -> bool:
        """Whether ψ(a, b) = ψ(b, a)."""

    @property
    def one_way(self) -> bool:
        """Whether of new rows ψ(row, column) alone will be known."""

    @property
    def releases_lock(self) -> bool:
        """Whether threads can compute side by side."""

    @property
    def shape(self) -> tuple[int, int]:
        """How many row and column objects there are."""

    @property
    def same(self) -> bool:
        """Whether row i and column i are the same object."""

    def forward(self, rows: Indices, columns: Indices) -> Floats:
        """ψ(row object, column object), (len(rows), len(columns)), in C order."""

    def backward(self, rows: Indices, columns: Indices) -> Floats:
        """ψ(column object, row object), (len(rows), len(columns))."""

    def pairs(self, rows: Indices, columns: Indices, *, turned: bool = False) -> Floats:
        """ψ(row object, column object) of single pairs, (p,); with `turned` ψ(column, row)."""

    def square(self, columns: Indices) -> Floats:
        """ψ among column objects, (k, k)."""

    def self_values(self, rows: Indices) -> Floats:
        """ψ(a, a) of row objects."""

    def digest(self) -> str:
        """A name for the objects and the function by their content."""

    def only(self, rows: Indices) -> Any:
        """The source of some of its objects with themselves; it holds no others."""


def row_by_row(
    values: Callable[[Indices, Indices], Floats], rows: Indices, columns: Indices
) -> Floats:
    """ψ of single pairs, by blocks (1, c): the pairs of one row are computed at once.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn.data.lazy.pair_source import row_by_row
    >>> row_by_row(lambda i, j: 10.0 * i[:, None] + j, np.array([2, 1, 2]), np.array([5, 6, 7]))
    array([25., 16., 27.])
    """
    found = np.empty(len(rows))
    order = np.argsort(rows, kind="stable")
    ordered, columns = rows[order], columns[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1)).tolist()
    for start, stop in zip(starts, [*starts[1:], len(rows)], strict=True):
        found[start:stop] = values(ordered[start : start + 1], columns[start:stop])[0]
    values_of = np.empty_like(found)
    values_of[order] = found
    return values_of
