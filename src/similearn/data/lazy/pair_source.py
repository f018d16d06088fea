"""What computes pairs when they are asked for, whatever it compares."""

from typing import Any, Protocol

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

    def square(self, columns: Indices) -> Floats:
        """ψ among column objects, (k, k)."""

    def self_values(self, rows: Indices) -> Floats:
        """ψ(a, a) of row objects."""

    def digest(self) -> str:
        """A name for the objects and the function by their content."""

    def only(self, rows: Indices) -> Any:
        """The source of some of its objects with themselves; it holds no others."""
