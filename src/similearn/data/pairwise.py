"""`Pairwise`: one block of similarities or dissimilarities that knows what near means."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.data.checks import require_finite, require_flag, require_integer, require_kind
from similearn.data.stored import fields
from similearn.data.stored.directions import is_symmetric, mean_of, rows_of
from similearn.data.stored_search import search_stored
from similearn.data.values import (
    INCOMPLETE,
    Floats,
    Indices,
    Kind,
    Values,
    arrays_of,
    as_values,
    contiguous,
    cut,
    is_full,
    known_values,
    split_index,
    transposed,
)
from similearn.errors import InputError, InputTypeError
from similearn.numerics.linalg.diagnosis import entries_at
from similearn.numerics.neighbors.gather import gather_csr
from similearn.upward import notebook_page


@dataclass(frozen=True, eq=False)
class Pairwise:
    """A block: rows are queries, columns are reference samples.

    Parameters
    ----------
    values : (m, n) array or CSR
        ``values[i, j]`` is ψ(query i, reference j). In a sparse similarity an entry that
        is not stored is zero; in a sparse dissimilarity it is unknown, and far.
    kind : {"similarity", "dissimilarity"}
        Whether large or small values mean near.
    reverse : (m, n) array or CSR, optional
        The other direction, ``reverse[i, j]`` = ψ(reference j, query i), for asymmetric
        data. A block of samples with themselves knows it without being told.
    self_values : (m,) array, optional
        ψ(query i, query i). A block of samples with themselves knows these too.
    row_ids, column_ids : sequences of length m and n, optional
        Names of the samples, without repetition; by default those that a frame has.
    same_samples : bool, optional
        Whether row i and column i are the same sample; by default, whether the block is
        square and no names say otherwise. Say False for a square block of queries against other
        references.
    one_way : bool, default=False
        Whether of new samples only ψ(query, reference) will be known, though the block is
        asymmetric: then cross-validation does not show ψ(reference, query) of held-out samples
        either. `SimilarityClassifier` takes a plain array so, whose queries have one direction.
        Of a block of queries it says that nothing is missing, of which predictions would warn.

    Notes
    -----
    ``X[np.ix_(rows, columns)]`` cuts a block the way scikit-learn's cross-validation
    does. A cut from a block of samples with themselves carries the reverse direction and
    the self-similarities along. The block is not copied and must not be changed in place.

    Estimators ask a block questions rather than read its values: `nearest`, `among`, `rows`
    and `columns` (dense values of some of them), `self_values`. What near means, and what an
    entry that is not stored means, is decided here alone.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import Pairwise
    >>> D = Pairwise([[0.0, 2.0, 1.0], [2.0, 0.0, 3.0], [4.0, 3.0, 0.0]], kind="dissimilarity")
    >>> test = D[np.ix_([2], [0, 1])]
    >>> test.values, test.reverse
    (array([[4., 3.]]), array([[1., 3.]]))
    >>> D.nearest(2)[0]
    array([[0, 1],
           [1, 0],
           [2, 0]])
    """

    values: Values
    kind: Kind
    reverse: Values | None = None
    self_values: Floats | None = None
    row_ids: NDArray[Any] | None = None
    column_ids: NDArray[Any] | None = None
    same_samples: bool | None = None
    one_way: bool = False

    def __post_init__(self) -> None:
        require_kind(self.kind)
        values = as_values(self.values, "values")
        (m, n), (rows, columns) = values.shape, fields.names_of_frame(self.values)
        require_flag("one_way", self.one_way)
        rows = fields.checked_ids(self.row_ids, m, "row_ids", rows)
        columns = fields.checked_ids(self.column_ids, n, "column_ids", columns)
        same = fields.checked_same_samples(self.same_samples, values.shape, rows, columns)
        self.__dict__.update(
            values=contiguous(values) if same else values,
            same_samples=same,
            reverse=fields.checked_reverse(self.reverse, values.shape, rows, columns),
            self_values=fields.checked_self_values(self.self_values, m),
            row_ids=rows,
            column_ids=columns,
        )

    @classmethod
    def unchecked(cls, **given: Any) -> "Pairwise":
        """Make a block of fields that were checked before; the fields left out are None."""
        block = object.__new__(cls)
        block.__dict__.update(given)
        return block

    @property
    def shape(self) -> tuple[int, int]:
        """Number of queries and of references."""
        return self.values.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values, always float64."""
        return self.values.dtype

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the values and the reverse direction occupy."""
        parts = [self.values, self.reverse]
        return sum(sum(a.nbytes for a in arrays_of(part)) for part in parts if part is not None)

    @property
    def T(self) -> "Pairwise":
        """The block of ψ'(a, b) = ψ(b, a): rows and columns exchanged, with their ids."""
        return self.unchecked(
            values=transposed(self.values),
            kind=self.kind,
            reverse=None if self.reverse is None else transposed(self.reverse),
            self_values=self.self_values if self.same_samples else None,
            row_ids=self.column_ids,
            column_ids=self.row_ids,
            same_samples=self.same_samples,
            one_way=self.one_way,
            **self._what_was_seen(),
        )

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator["Pairwise"]:
        return (self[i] for i in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the values of a dense block, without kind and reverse direction."""
        if self.is_sparse:
            raise InputTypeError(
                "A sparse Pairwise cannot be read as an array: use its .values, where an entry "
                "that is not stored is zero in a similarity and unknown in a dissimilarity."
            )
        return np.array(self.values, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        m, n = self.shape
        storage = "sparse " if self.is_sparse else ""
        extras = [name for name in ("reverse", "self_values") if getattr(self, name) is not None]
        told = f", with {' and '.join(extras)}" if extras else ""
        return f"<Pairwise: {storage}{self.kind}, {m} × {n}{told}>"

    def _repr_html_(self) -> str | None:
        return notebook_page(self)

    def __getitem__(self, index: Any) -> "Pairwise":
        rows, columns = split_index(index, self.shape)
        reverse = self.reverse
        if reverse is not None:
            reverse = cut(reverse, rows, columns)
        elif self.same_samples and not self.one_way:
            reverse = transposed(cut(self.values, columns, rows))
        same = bool(self.same_samples) and np.array_equal(rows, columns)
        self_values = self._known_self_values()
        return self.unchecked(
            values=cut(self.values, rows, columns),
            kind=self.kind,
            reverse=None if same else reverse,
            self_values=None if self_values is None or same else self_values[rows],
            row_ids=None if self.row_ids is None else self.row_ids[rows],
            column_ids=None if self.column_ids is None else self.column_ids[columns],
            same_samples=same,
            one_way=self.one_way,
            **self._what_was_seen(),
        )

    @property
    def is_sparse(self) -> bool:
        """Whether the values are stored as CSR."""
        return sparse.issparse(self.values)

    @property
    def is_lazy(self) -> bool:
        """Whether values are computed when they are asked for; see `LazyPairwise`."""
        return False

    @property
    def knows_reverse(self) -> bool:
        """Whether ψ(reference, query) of queries is another value, and known."""
        return self.reverse is not None

    @property
    def large_is_near(self) -> bool:
        """The sign of "near": decided here, and nowhere else."""
        return self.kind == "similarity"

    @property
    def absent(self) -> float:
        """What an entry that is not stored stands for: no similarity, or unknown and far (inf)."""
        return 0.0 if self.large_is_near else np.inf

    @property
    def is_complete(self) -> bool:
        """Whether every value is known: all but a sparse dissimilarity that leaves some out."""
        return self.large_is_near or not self.is_sparse or is_full(self.values)

    def nearest(
        self, k: int, rows: slice = slice(None), *, skip_self: bool = False
    ) -> tuple[Indices, Floats]:
        """Columns (m, k) and values (m, k) of the k nearest references, nearest first.

        Near is by the mean of both directions wherever the reverse is known (JMLR §7.2).
        Equally near references come in column order. `skip_self` leaves out the sample
        itself, as leave-one-out does, and needs a block of samples with themselves.

        Notes
        -----
        Only the chosen `rows` are looked at; see `similearn.data.chunks` for many rows. The
        search itself notices NaN and infinite entries of a dense block, and refuses them.
        A sparse dissimilarity may not know k references: the values of the rest are inf.
        """
        k = self._checked_k(k, skip_self=skip_self)
        if self.is_sparse or sparse.issparse(self.reverse):
            self.require_finite()
        rows = rows if isinstance(rows, slice) else split_index(rows, self.shape)[0]
        return search_stored(self, rows, k, skip_self=skip_self)

    def _checked_k(self, k: int, *, skip_self: bool) -> int:
        if skip_self:
            self._require_same_samples("Leaving out the sample itself")
        most = self.shape[1] - bool(skip_self)
        told = "number of other samples" if skip_self else "number of references"
        return require_integer("k", k, high=most, high_means=told)

    def knowing_neighbors(
        self, k: int, *, skip_self: bool = False, along: Indices | None = None
    ) -> "Pairwise":
        """Return the block, ready for questions about the k nearest of all its rows."""
        return self

    def representative(self, codes: Indices | None = None) -> tuple["Pairwise", Indices]:
        """Return a stored block that tells what all values are like, and which samples it holds."""
        return self, np.arange(len(self))

    def among(self, near: Indices) -> Floats:
        """Values (m, k, k) among the samples at `near`, (m, k), both directions averaged.

        It needs a block of samples with themselves. What a sparse similarity does not store
        is zero, what a dissimilarity does not know is inf. Cost: O(m k²) if the block is
        symmetric; make it so once by `symmetrized` if it is asked often.
        """
        self._require_same_samples("Asking for the values among neighbours")
        near = fields.checked_places(near, len(self))
        both = self.both_directions()
        if sparse.issparse(both):
            return gather_csr(both, near, self.absent)
        return both[near[:, :, None], near[:, None, :]]

    def rows(
        self, rows: Any = slice(None), *, both: bool = False, unknown: float | None = None
    ) -> Floats:
        """Dense values (m, n) of some rows, in C order.

        Parameters
        ----------
        rows : slice or positions
        both : whether to take the mean of both directions where the reverse is known
        unknown : what stands for the entries that a sparse dissimilarity does not know;
            without it, such a block is refused
        """
        self.require_finite()
        values = self._mean(rows) if both else self.values[rows]
        return known_values(values, self.absent, unknown)

    def columns(
        self,
        columns: Indices,
        rows: Any = slice(None),
        *,
        both: bool = False,
        unknown: float | None = None,
    ) -> Floats:
        """Dense values (m, p) of some rows to some references, such as prototypes; see `rows`."""
        self.require_finite()
        if both:  # that new samples show one direction says nothing of what is known of these
            part = self._with(one_way=False)[(rows, columns)]
            return part.rows(both=True, unknown=unknown)
        return known_values(self.values[rows][:, columns], self.absent, unknown)

    def at(self, columns: Indices, rows: Any = slice(None)) -> Floats:
        """Values (m, r) of each of some rows to r references of its own; `absent` if not stored."""
        self.require_finite()
        places = np.arange(len(columns))[:, None]
        values = self.values[rows]
        if not sparse.issparse(values):
            return values[places, columns]
        places = np.broadcast_to(places, columns.shape).ravel()
        return entries_at(values, places, columns.ravel(), self.absent).reshape(columns.shape)

    def both_directions(self, rows: Any = slice(None)) -> Values:
        """½(ψ(x, xᵢ) + ψ(xᵢ, x)) where the reverse direction is known, else ψ(x, xᵢ)."""
        self.require_finite()
        return self._mean(rows)

    def _mean(self, rows: Any) -> Values:
        values, reverse = rows_of(self.values, rows), self.reverse
        if reverse is not None:
            return mean_of(values, rows_of(reverse, rows), self.absent)
        if self._averages:
            columns = values if values is self.values else self.values[:, rows]
            return mean_of(values, transposed(columns), self.absent)
        return values

    def symmetrized(self) -> "Pairwise":
        """Return the block of the means of both directions, of samples with themselves."""
        self._require_same_samples("Symmetrizing")
        if not self._averages:
            return self
        return self._with(values=self.both_directions(), reverse=None, is_symmetric=True)

    @property
    def _averages(self) -> bool:
        """Whether the two directions are known and differ."""
        return self.knows_reverse or bool(self.same_samples and not self.is_symmetric)

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether ψ(a, b) = ψ(b, a) for all pairs of a block of samples with themselves."""
        return bool(self.same_samples) and is_symmetric(self.values, self.absent)

    def with_values(self, values: Any, **changes: Any) -> "Pairwise":
        """Return the same block with other values, and other fields as named."""
        return replace(self, values=values, **changes)

    def of_same_samples(self, same: bool) -> "Pairwise":
        """Return the block with row i and column i taken as the same sample, or not."""
        if same == self.same_samples:
            return self
        changes: dict[str, Any] = {"values": contiguous(self.values)} if same else {}
        return self._with(same_samples=same, **changes)

    def require_finite(self, name: str = "X", *, n_jobs: int | None = None) -> None:
        """Refuse NaN and infinite entries, of the reverse direction too; looked at once."""
        if "_is_finite" not in self.__dict__:
            require_finite(self.values, name, n_jobs=n_jobs)
            if self.reverse is not None:
                require_finite(self.reverse, f"The reverse direction of {name}", n_jobs=n_jobs)
            self.__dict__["_is_finite"] = True

    def require_complete(self) -> "Pairwise":
        """Return the block, unless it leaves values unknown."""
        if not self.is_complete:
            raise InputError(INCOMPLETE)
        return self

    def _what_was_seen(self) -> dict[str, bool]:
        """What holds for every part of the block."""
        return {"_is_finite": True} if "_is_finite" in vars(self) else {}

    def _with(self, **changes: Any) -> "Pairwise":
        """Return the block with other fields, unchecked."""
        kept = {name: value for name, value in vars(self).items() if name != "is_symmetric"}
        return self.unchecked(**kept | changes)

    def _require_same_samples(self, what: str) -> None:
        if not self.same_samples:
            m, n = self.shape
            raise InputError(
                f"{what} needs a block of samples with themselves, got {m} queries against {n} "
                "references. Pass a square block, or same_samples=True where it is made."
            )

    def _known_self_values(self) -> Floats | None:
        if self.self_values is not None or not self.same_samples:
            return self.self_values
        return np.asarray(self.values.diagonal(), dtype=np.float64)
