"""`Pairwise`: one block of similarities or dissimilarities that knows what near means."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.errors import InputError, InputTypeError
from similearn.numerics.linalg.symmetry import equals_transpose
from similearn.numerics.neighbors.topk import top_k, top_k_csr

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
Values: TypeAlias = Any  # an array or sparse.csr_array; SciPy carries no types
Kind: TypeAlias = Literal["similarity", "dissimilarity"]
KINDS = ("similarity", "dissimilarity")


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
        Names of the samples, without repetition.
    same_samples : bool, optional
        Whether row i and column i are the same sample; by default, whether the block is
        square. Say False for a square block of queries against other references.

    Notes
    -----
    ``X[np.ix_(rows, columns)]`` cuts a block the way scikit-learn's cross-validation
    does. A cut from a block of samples with themselves carries the reverse direction and
    the self-similarities along. The block is not copied and must not be changed in place.

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

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise InputError(
                f"kind={self.kind!r} is unknown; expected 'similarity' or 'dissimilarity'."
            )
        values = as_values(self.values, "values")
        m, n = values.shape
        same = m == n if self.same_samples is None else self.same_samples
        if same and m != n:
            raise InputError(f"same_samples=True needs a square block, got {values.shape}.")
        checked = {
            "values": values,
            "same_samples": same,
            "reverse": _checked_reverse(self.reverse, values.shape),
            "self_values": _checked_self_values(self.self_values, m),
            "row_ids": checked_ids(self.row_ids, m, "row_ids"),
            "column_ids": checked_ids(self.column_ids, n, "column_ids"),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of queries and of references."""
        return self.values.shape

    def __len__(self) -> int:
        return self.values.shape[0]

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

    def __getitem__(self, index: Any) -> "Pairwise":
        rows, columns = split_index(index, self.shape)
        reverse = self.reverse
        if reverse is not None:
            reverse = _cut(reverse, rows, columns)
        elif self.same_samples:
            reverse = transposed(_cut(self.values, columns, rows))
        cut = object.__new__(Pairwise)  # what is cut from a checked block needs no checks
        same = bool(self.same_samples) and np.array_equal(rows, columns)
        self_values = self._known_self_values()
        fields = {
            "values": _cut(self.values, rows, columns),
            "kind": self.kind,
            "reverse": None if same else reverse,
            "self_values": None if self_values is None or same else self_values[rows],
            "row_ids": None if self.row_ids is None else self.row_ids[rows],
            "column_ids": None if self.column_ids is None else self.column_ids[columns],
            "same_samples": same,
        }
        for name, value in fields.items():
            object.__setattr__(cut, name, value)
        return cut

    @property
    def is_sparse(self) -> bool:
        """Whether the values are stored as CSR."""
        return sparse.issparse(self.values)

    @property
    def large_is_near(self) -> bool:
        """The sign of "near": decided here, and nowhere else."""
        return self.kind == "similarity"

    def nearest(
        self, k: int, rows: slice = slice(None), *, skip_self: bool = False
    ) -> tuple[Indices, Floats]:
        """Columns (m, k) and values (m, k) of the k nearest references, nearest first.

        Near is by the mean of both directions wherever the reverse is known (JMLR §7.2).
        Equally near references come in column order. `skip_self` leaves out the sample
        itself, as leave-one-out does, and needs a block of samples with themselves.

        Notes
        -----
        Only the chosen `rows` are looked at; see `similearn.data.chunks` for many rows.
        A sparse dissimilarity may not know k references: the values of the rest are inf.
        """
        both = self.both_directions(rows)
        skip = np.arange(len(self), dtype=np.intp)[rows] if skip_self else None
        search = top_k_csr if sparse.issparse(both) else top_k
        return search(both, k, largest=self.large_is_near, skip=skip)

    def both_directions(self, rows: slice = slice(None)) -> Values:
        """½(ψ(x, xᵢ) + ψ(xᵢ, x)) where the reverse direction is known, else ψ(x, xᵢ)."""
        values = self.values[rows]
        if self.reverse is not None:
            return _mean(values, self.reverse[rows], self.kind)
        if self.same_samples and not self.is_symmetric:
            return _mean(values, transposed(self.values[:, rows]), self.kind)
        return values

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether ψ(a, b) = ψ(b, a) for all pairs of a block of samples with themselves."""
        if not self.same_samples:
            return False
        return is_symmetric(self.values)

    def with_values(self, values: Any, **changes: Any) -> "Pairwise":
        """Return the same block with other values, and other fields as named."""
        return replace(self, values=values, **changes)

    def _known_self_values(self) -> Floats | None:
        if self.self_values is not None or not self.same_samples:
            return self.self_values
        return np.asarray(self.values.diagonal(), dtype=np.float64)


def as_values(values: Any, name: str) -> Values:
    """Return a two-dimensional float64 array (C order) or CSR with sorted indices."""
    if sparse.issparse(values):
        _refuse_dtype(values.dtype, name)
        matrix = sparse.csr_array(values, dtype=np.float64)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return matrix
    array = np.asarray(values)
    _refuse_dtype(array.dtype, name)
    if array.ndim != 2:
        raise InputError(
            f"{name} has {array.ndim} dimension(s); expected two: rows are queries, columns are "
            "reference samples."
        )
    return np.ascontiguousarray(array, dtype=np.float64)


def _refuse_dtype(dtype: np.dtype[Any], name: str) -> None:
    """Numbers only: nothing is guessed from objects, strings or complex values."""
    if dtype.kind == "c":
        raise InputError(
            f"Complex data not supported: {name} holds {dtype} numbers, similarities must be "
            "real. Pass the real part or the modulus, whichever you mean."
        )
    if dtype.kind not in "buif":
        raise InputError(
            f"{name} holds values of type {dtype}; expected numbers. Convert them with "
            ".astype(float), or compare objects with PairwiseSimilarity."
        )


def checked_ids(ids: Any, n: int, name: str) -> NDArray[Any] | None:
    """Return ids as an array of length n without repetition."""
    if ids is None:
        return None
    array = np.asarray(ids)
    if array.shape != (n,):
        raise InputError(f"{name} has shape {array.shape}; expected one id for each of {n}.")
    unique, counts = np.unique(array, return_counts=True)
    if len(unique) < n:
        twice = unique[counts > 1][0]
        raise InputError(
            f"{name} repeats {twice!s} ({counts.max()} times at most); ids must be unique. "
            "Rename the samples or drop the repeated ones."
        )
    return array


def _checked_reverse(reverse: Any, shape: tuple[int, int]) -> Values | None:
    if reverse is None:
        return None
    values = as_values(reverse, "reverse")
    if values.shape != shape:
        hint = " Did you mean its transpose?" if values.shape == shape[::-1] else ""
        raise InputError(f"reverse has shape {values.shape}, but values have {shape}.{hint}")
    return values


def _checked_self_values(self_values: Any, m: int) -> Floats | None:
    if self_values is None:
        return None
    array = np.asarray(self_values)
    _refuse_dtype(array.dtype, "self_values")
    if array.shape != (m,):
        raise InputError(f"self_values has shape {array.shape}; expected one for each of {m} rows.")
    return array.astype(np.float64)


def split_index(index: Any, shape: tuple[int, int]) -> tuple[Indices, Indices]:
    """Rows and columns meant by an index: np.ix_(rows, columns), or rows alone."""
    rows, columns = index if isinstance(index, tuple) else (index, slice(None))
    return _positions(rows, shape[0]), _positions(columns, shape[1])


def _positions(part: Any, n: int) -> Indices:
    if part is Ellipsis:  # scikit-learn takes rows as X[rows, ...]
        return np.arange(n)
    if isinstance(part, slice):
        return np.arange(n)[part]
    array = np.atleast_1d(np.asarray(part)).ravel()
    if array.dtype == bool and len(array) != n:
        raise InputError(f"A boolean index has length {len(array)}; expected {n}.")
    return np.arange(n)[array]


def _cut(values: Values, rows: Indices, columns: Indices) -> Values:
    if sparse.issparse(values):
        cut = values[rows][:, columns]
        cut.sort_indices()
        return cut
    return values[np.ix_(rows, columns)]


def transposed(values: Values) -> Values:
    """Return the transpose in C order or CSR."""
    if sparse.issparse(values):
        flipped = values.T.tocsr()
        flipped.sort_indices()
        return flipped
    return np.ascontiguousarray(values.T)


def is_symmetric(values: Values) -> bool:
    """Whether a square block equals its transpose, up to rounding."""
    if sparse.issparse(values):
        difference = abs(values - values.T)
        return bool(difference.nnz == 0 or difference.max() <= 1e-12 * abs(values).max())
    scale = 1e-12 * max(abs(values.max(initial=0.0)), abs(values.min(initial=0.0)))
    return equals_transpose(values, scale)


def _mean(forward: Values, backward: Values, kind: Kind) -> Values:
    """Mean of both directions; where a sparse dissimilarity knows one only, that one."""
    if not sparse.issparse(forward):
        return (forward + (backward.toarray() if sparse.issparse(backward) else backward)) / 2
    # Coordinates by hand: SciPy's sum would drop stored zeros, which mean "the same" here.
    one, other = forward.tocoo(), sparse.csr_array(backward).tocoo()
    m, n = forward.shape
    places = np.concatenate([c.row.astype(np.int64) * n + c.col for c in (one, other)])
    places, inverse, known = np.unique(places, return_inverse=True, return_counts=True)
    total = np.bincount(inverse, np.concatenate([one.data, other.data]), minlength=len(places))
    mean = total / (2 if kind == "similarity" else known)
    return sparse.csr_array((mean, (places // n, places % n)), shape=(m, n))
