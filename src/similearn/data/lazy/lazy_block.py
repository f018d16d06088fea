"""`LazyPairwise`: a block whose values are computed when they are asked for."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.data.graphs.query_search import search_along
from similearn.data.lazy.allowed_memory import require_room, working_bytes
from similearn.data.lazy.known_neighbors import Found, in_order, spread_out, with_selves
from similearn.data.lazy.neighbor_tables import NeighborTable
from similearn.data.lazy.pair_source import PairSource
from similearn.data.lazy.pair_views import ChosenPairs, MappedPairs
from similearn.data.lazy.table_building import build_table
from similearn.data.lazy.tile_search import search_all, search_rows, squares
from similearn.data.lazy.whole_blocks import all_values
from similearn.data.pairwise import Pairwise
from similearn.data.progress_bar import Show
from similearn.data.stored.cached_pairs import CachedPairs
from similearn.data.stored.fields import checked_ids, checked_places
from similearn.data.values import Floats, Indices, Kind, split_index
from similearn.errors import InputError

SAMPLE = 2048
"""Objects that tell what all values are like, where there are too many for working memory."""

ON_FEW_COLUMNS = "make_pipeline(NystromFeatures(500), LinearSVC())"


def _without(form: str = ON_FEW_COLUMNS) -> str:
    """What works without all values; `form` does on few columns of them."""
    return (
        "Local methods (NeighborsClassifier, LocalSDAClassifier, LocalSVC) work without them; on "
        f"few columns of them {form}."
    )


class LazyPairwise(Pairwise):
    """A block of objects and a function: no value exists before somebody asks for it.

    ``PairwiseSimilarity(function, lazy=True)`` makes it. It answers the questions of `Pairwise`
    (`nearest`, `among`, `rows`, `columns`, `at`) tile by tile with bounded memory, with the values
    that the dense block has, and is cut like it. Estimators that ask no other questions need no
    matrix; for others `values` is computed once, if half of the machine's memory holds it.

    Parameters
    ----------
    source : what computes pairs, see `similearn.data.lazy.pair_source`
    row_ids, column_ids : names of the samples, without repetition
    n_jobs : workers that find the neighbours of all rows
    show : the progress bar, see `PairwiseSimilarity`

    Examples
    --------
    >>> from similearn import PairwiseSimilarity
    >>> names = ["bat", "cat", "cart", "dog"]
    >>> block = PairwiseSimilarity("levenshtein", lazy=True).fit_transform(names)
    >>> block
    <Pairwise: lazy dissimilarity, 4 × 4>
    >>> block.nearest(2)[0]
    array([[0, 1],
           [1, 0],
           [2, 1],
           [3, 0]])
    """

    def __init__(
        self,
        source: PairSource,
        *,
        row_ids: Any = None,
        column_ids: Any = None,
        n_jobs: int | None = None,
        show: Show = "auto",
    ) -> None:
        m, n = source.shape
        self.__dict__.update(
            source=source,
            row_ids=checked_ids(row_ids, m, "row_ids"),
            column_ids=checked_ids(column_ids, n, "column_ids"),
            same_samples=source.same,
            n_jobs=n_jobs,
            show=show,
        )

    source: PairSource
    n_jobs: int | None
    show: Show

    @property
    def kind(self) -> Kind:
        """Whether large or small values mean near."""
        return self.source.kind

    @property
    def shape(self) -> tuple[int, int]:
        """Number of queries and of references."""
        return self.source.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values, always float64."""
        return np.dtype(np.float64)

    @property
    def nbytes(self) -> int:
        """Bytes that the values would occupy."""
        m, n = self.shape
        return 8 * m * n * (2 if self.knows_reverse else 1)

    @property
    def is_lazy(self) -> bool:
        """Whether values are computed when they are asked for."""
        return True

    @property
    def is_sparse(self) -> bool:
        """Whether the values are stored as CSR: they are not stored at all."""
        return False

    @property
    def is_complete(self) -> bool:
        """Whether every value is known: it can be computed."""
        return True

    @property
    def knows_reverse(self) -> bool:
        """Whether ψ(reference, query) of queries is another value, and known."""
        return not (self.source.symmetric or self.source.same or self.one_way)

    @property
    def one_way(self) -> bool:
        """Whether parts of the block do not know the reverse direction, see `Pairwise`."""
        return self.source.one_way

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether ψ(a, b) = ψ(b, a), as the function says, of samples with themselves."""
        return bool(self.same_samples) and self.source.symmetric

    @cached_property
    def values(self) -> Floats:
        """All values (m, n), computed once; refused beyond half of the machine's memory."""
        return self._everything("The values of this block", "forward")

    @cached_property
    def reverse(self) -> Floats | None:
        """All values of the other direction, computed once."""
        if not self.knows_reverse:
            return None
        return self._everything("The reverse direction of this block", "backward")

    @cached_property
    def self_values(self) -> Floats | None:
        """ψ(query, query), computed once; None of samples with themselves."""
        return None if self.same_samples else self.source.self_values(np.arange(len(self)))

    def _everything(self, what: str, direction: str) -> Floats:
        m, n = self.shape
        require_room(8 * m * n, f"{what}, {m} × {n},", _without())
        return all_values(self.source, direction, n_jobs=self.n_jobs, show=self.show)

    def computed(self, owner: str = "", form: str = ON_FEW_COLUMNS) -> Pairwise:
        """Return the dense block; beyond memory, say who needs it, and its form on few columns."""
        m, n = self.shape
        if "values" not in vars(self):
            needs = f"{owner} needs all values: {m} × {n}" if owner else f"All {m} × {n} values"
            require_room(self.nbytes, needs, _without(form))
        return Pairwise.unchecked(
            values=self.values,
            kind=self.kind,
            reverse=self.reverse,
            self_values=self.self_values,
            row_ids=self.row_ids,
            column_ids=self.column_ids,
            same_samples=self.same_samples,
            one_way=self.one_way,
            _is_finite=True,
        )

    def representative(self, codes: Indices | None = None) -> tuple[Pairwise, Indices]:
        """Return a dense block of some samples that tell what all values are like, and which.

        All of them where the block fits in scikit-learn's ``working_memory``, else 2048, evenly
        spaced within each class if their `codes` are given, so that each class has some.
        """
        n = len(self)
        if n <= SAMPLE or "values" in vars(self) or self.nbytes <= working_bytes():
            return self.computed(), np.arange(n)
        places = spread_out(n, codes, SAMPLE)
        part: Any = self[np.ix_(places, places)] if self.same_samples else self[places]
        return part.computed(), places

    @property
    def T(self) -> Pairwise:
        """The block with rows and columns exchanged, computed."""
        return self.computed().T

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the values, computed."""
        return np.array(self.values, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        m, n = self.shape
        return f"<Pairwise: lazy {self.kind}, {m} × {n}>"

    def __getitem__(self, index: Any) -> "LazyPairwise":
        rows, columns = split_index(index, self.shape)
        same = bool(self.same_samples) and np.array_equal(rows, columns)
        return self._over(
            ChosenPairs(self.source, rows, columns, same=same),
            row_ids=None if self.row_ids is None else self.row_ids[rows],
            column_ids=None if self.column_ids is None else self.column_ids[columns],
            same_samples=same,
        )

    def nearest(
        self, k: int, rows: Any = slice(None), *, skip_self: bool = False
    ) -> tuple[Indices, Floats]:
        """Columns (m, k) and values (m, k) of the k nearest references; see `Pairwise.nearest`.

        Read from what `knowing_neighbors` found, else computed tile by tile.
        """
        k = self._checked_k(k, skip_self=skip_self)
        places = split_index(rows, self.shape)[0]
        known = self._known(k, skip_self=skip_self)
        if known is not None:
            return known[0][places, :k], known[1][places, :k]
        return search_rows(self.source, places, k, averages=self._averages, skip_self=skip_self)

    def knowing_neighbors(
        self, k: int, *, skip_self: bool = False, along: Indices | None = None
    ) -> "LazyPairwise":
        """Find the k nearest of all rows at once, shared among workers, for later questions.

        Of samples with themselves each pair is compared once. Of queries, `along` is a graph
        (n, K) of near neighbours among the references: nearly all are found along its edges.
        """
        k = self._checked_k(k, skip_self=skip_self)
        if self._known(k, skip_self=skip_self) is None:
            shared: dict[str, Any] = {"n_jobs": self.n_jobs, "show": self.show}
            if along is not None and not self.same_samples and not self.source.same:
                self._neighbors[False] = search_along(self.source, along, k, **shared)
                return self
            if self.same_samples and self.source.same and len(self) > 1:
                most = min(k, len(self) - 1)
                table = build_table(self.source, most, **shared)
                self._neighbors.clear()
                self._neighbors[True] = table.neighbors, table.values
                return self
            self._neighbors[False] = search_all(self.source, k, averages=self._averages, **shared)
        return self

    def with_table(self, table: NeighborTable) -> "LazyPairwise":
        """Return the block, which from now on knows the neighbours that `neighbor_table` found.

        Parameters
        ----------
        table : of the same samples in the same order
        """
        self._require_same_samples("A table of neighbours")
        table.require_of(self)
        self._neighbors.clear()
        self._neighbors[True] = table.neighbors, table.values
        graph = None if table.is_exact else (table.neighbors, table.recall_)
        self.__dict__.update(_was_given=True, graph=graph)
        return self

    graph: tuple[Indices, float] | None = None
    """Neighbours (n, K) of a table that is not exact, and its recall."""

    def cached(self, folder: Any) -> "LazyPairwise":
        """Return the block with its values kept on disk: what was computed once is read again.

        Parameters
        ----------
        folder : str or path
            Made if it is not there. The file is named by the content of the objects and of the
            function, takes 8 m n bytes of disk at once, and serves every later process, also after
            a kill; some of its values are computed again to see that they are still the same.
        """
        return self._over(CachedPairs(self.source, folder))

    @property
    def knows_others(self) -> bool:
        """Whether the nearest others of all samples are known already."""
        return True in self._neighbors

    @cached_property
    def _neighbors(self) -> dict[bool, Found]:
        """Neighbours that are known already, without and with the sample itself left out."""
        return {}

    def _known(self, k: int, *, skip_self: bool) -> Found | None:
        others, found = self._neighbors.get(True), self._neighbors.get(skip_self)
        if found is None and others is not None:
            selves = self.source.self_values(np.arange(len(self)))
            found = self._neighbors[False] = with_selves(others, selves, self.large_is_near)
        return found if found is not None and found[0].shape[1] >= k else None

    def among(self, near: Indices) -> Floats:
        """Values (m, k, k) among the samples at `near`; see `Pairwise.among`."""
        self._require_same_samples("Asking for the values among neighbours")
        return self.among_columns(near, both=True)

    def among_columns(self, near: Indices, *, both: bool = False) -> Floats:
        """Values (m, k, k) among the references at `near`, ψ(row, column) or both directions."""
        near = checked_places(near, self.shape[1])
        averages = both and not self.source.symmetric
        return squares(self.source, near, averages=averages, n_jobs=self.n_jobs)

    def rows(
        self, rows: Any = slice(None), *, both: bool = False, unknown: float | None = None
    ) -> Floats:
        """Values (m, n) of some rows; see `Pairwise.rows`."""
        return self.columns(np.arange(self.shape[1]), rows, both=both)

    def columns(
        self,
        columns: Indices,
        rows: Any = slice(None),
        *,
        both: bool = False,
        unknown: float | None = None,
    ) -> Floats:
        """Values (m, p) of some rows to some references; see `Pairwise.columns`."""
        places, columns = split_index((rows, columns), self.shape)
        if "values" in vars(self) and not both:
            return np.ascontiguousarray(self.values[np.ix_(places, columns)])
        m, p = len(places), len(columns)
        require_room(8 * m * p, f"The values of {m} rows to {p} references", _without())
        part = ChosenPairs(self.source, places, columns, same=False)
        direction = "both" if both and self._averages else "forward"
        return all_values(part, direction, n_jobs=self.n_jobs, show=self.show)

    def at(self, columns: Indices, rows: Any = slice(None)) -> Floats:
        """Values (m, r) of each of some rows to r references of its own; see `Pairwise.at`."""
        places = split_index(rows, self.shape)[0]
        found = [
            self.source.forward(places[i : i + 1], own)[0]
            for i, own in enumerate(np.asarray(columns, dtype=np.intp))
        ]
        return np.array(found).reshape(np.shape(columns))

    def both_directions(self, rows: Any = slice(None)) -> Floats:
        """Mean of both directions where the reverse is known, of some rows."""
        return self.rows(rows, both=True)

    def symmetrized(self) -> Pairwise:
        """Return the block itself if the function is symmetric, else computed means."""
        self._require_same_samples("Symmetrizing")
        return self if self.source.symmetric else self.computed().symmetrized()

    def with_values(self, values: Any, **changes: Any) -> Pairwise:
        """Return a dense block with other values, and other fields as named."""
        return self.computed().with_values(values, **changes)

    def of_same_samples(self, same: bool) -> "LazyPairwise":
        """Return the block with row i and column i taken as the same sample, or not."""
        if same == self.same_samples:
            return self
        m, n = self.shape
        if same and not self.source.same:
            raise InputError(
                f"A lazy block of {m} queries against {n} references is not of samples with "
                "themselves; compare the training objects by fit_transform."
            )
        return self._over(self.source, same_samples=same)

    def changed(
        self, change: Callable[[Floats], Floats], kind: Kind | None = None
    ) -> "LazyPairwise":
        """Return the block with every value changed by a function of values that keeps order.

        A table of neighbours is changed with it. Of an asymmetric function the mean of changed
        values is not the changed mean to the last bit, so that only a table that was given is kept.
        """
        made = self._over(MappedPairs(self.source, change, kind or self.kind))
        if not (self.source.symmetric or self.__dict__.get("_was_given")):
            return made
        for skip_self, (near, values) in self._neighbors.items():
            made._neighbors[skip_self] = in_order(near, change(values), made.large_is_near)
        made.__dict__["graph"] = self.graph
        return made

    def require_finite(self, name: str = "X", *, n_jobs: int | None = None) -> None:
        """What computes the values refuses those that are not finite."""

    def _over(self, source: PairSource, **changes: Any) -> "LazyPairwise":
        kept = ("row_ids", "column_ids", "same_samples", "n_jobs", "show")
        fields = {name: getattr(self, name) for name in kept}
        made: Any = self.unchecked(**fields | changes, source=source)
        return made

    def _known_self_values(self) -> Floats | None:
        return self.source.self_values(np.arange(len(self))) if self.same_samples else None
