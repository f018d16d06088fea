"""`Sources`: several aligned blocks and feature tables under names, cut together."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from similearn.data.pairwise import Pairwise
from similearn.data.stored.fields import distinct_words, names_of_frame
from similearn.data.values import as_array, as_values, split_index
from similearn.errors import InputError, InputTypeError, readable


class Sources(Mapping[str, Any]):
    """Blocks and feature tables that speak of the same samples.

    Parameters
    ----------
    sources : mapping of names to `Pairwise` blocks or feature tables
        All blocks have one shape (m, n); a table has m rows. Anything that is not a
        `Pairwise` is taken as a table of features and cut by rows only. Where several know the
        names of their samples, as ``row_ids``, ``column_ids`` or the index of a frame, these must
        agree.

    Notes
    -----
    ``X[np.ix_(rows, columns)]`` cuts every block by rows and columns and every table by
    rows, so scikit-learn's cross-validation works on it; ``X["name"]`` is one source.
    Tables alone have shape (m, m).

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import Pairwise, Sources
    >>> X = Sources({"votes": Pairwise(np.eye(4), "similarity"), "age": np.arange(8).reshape(4, 2)})
    >>> X[np.ix_([3], [0, 1])]
    <Sources: votes (1 × 2 similarity), age (table, 1 × 2)>
    """

    def __init__(self, sources: Mapping[str, Any]) -> None:
        if not isinstance(sources, Mapping):
            raise InputTypeError(
                f"Sources takes names and what they stand for, {{'name': X, ...}}; got "
                f"{type(sources).__name__}."
            )
        if not len(list(sources)):
            raise InputError("Sources got nothing; expected at least one block or feature table.")
        self._sources = {name: _checked(name, source) for name, source in sources.items()}
        self.shape = _common_shape(self._sources)
        columns = {name: _columns_of_table(source) for name, source in sources.items()}
        self.table_columns = {name: own for name, own in columns.items() if own is not None}
        names = {name: names_of_samples(source) for name, source in sources.items()}
        for i, what in enumerate(("row", "column")):
            _require_one_order({name: ids[i] for name, ids in names.items()}, what)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self._sources:
                told = f"no source named {key!r}; there are {', '.join(self._sources)}"
                raise KeyError(readable(told))
            return self._sources[key]
        rows, columns = split_index(key, self.shape)
        cut = object.__new__(Sources)
        cut._sources = {
            name: source[np.ix_(rows, columns)] if isinstance(source, Pairwise) else source[rows]
            for name, source in self._sources.items()
        }
        cut.shape, cut.table_columns = (len(rows), len(columns)), self.table_columns
        return cut

    def with_columns(self, known: Mapping[str, list[str]]) -> "Sources":
        """Return the sources with tables in the order of known columns, found by their names.

        Tables without names go by position; a column that is missing is refused.
        """
        if all(self.table_columns.get(name) in (None, columns) for name, columns in known.items()):
            return self
        made = object.__new__(Sources)
        made.shape, made.table_columns = self.shape, {**self.table_columns, **known}
        made._sources = {
            name: _in_order(name, source, self.table_columns.get(name), known.get(name))
            for name, source in self._sources.items()
        }
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        """Count the samples (rows), as scikit-learn expects; the names are `list(X)`."""
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<Sources: {', '.join(_told(n, s) for n, s in self._sources.items())}>"


def _checked(name: str, source: Any) -> Any:
    if not isinstance(name, str):
        raise InputTypeError(f"Source names must be strings, got {name!r}.")
    if isinstance(source, Pairwise):
        return source
    if sparse.issparse(source):
        return as_values(source, f"Source {name!r}")
    table = as_array(source, f"Source {name!r}")
    if table.ndim != 2:
        raise InputError(
            f"Source {name!r} is a table with {table.ndim} dimension(s); expected two: one row per "
            "sample. Wrap similarities in Pairwise."
        )
    return table


def _columns_of_table(source: Any) -> list[str] | None:
    """Names of the columns of a frame, of pandas or not; None where it has none of its own."""
    if isinstance(source, Pairwise) or not hasattr(source, "columns"):
        return None
    return distinct_words(source.columns)


def _in_order(name: str, table: Any, columns: list[str] | None, known: Any) -> Any:
    """A table of features with the columns that are known."""
    if known is None or columns is None or columns == list(known):
        return table
    missing = [column for column in known if column not in columns]
    if missing:
        raise InputError(
            f"The source {name!r} has no column {missing[0]!r}, which it had at fit; it has "
            f"{', '.join(columns[:8])}{', ...' * (len(columns) > 8)}. Name them as at fit."
        )
    return table[:, [columns.index(column) for column in known]]


def _common_shape(sources: Mapping[str, Any]) -> tuple[int, int]:
    blocks = {name: s.shape for name, s in sources.items() if isinstance(s, Pairwise)}
    rows = {name: s.shape[0] for name, s in sources.items()}
    first = next(iter(rows))
    for name, count in rows.items():
        if count != rows[first]:
            raise InputError(
                f"Source {name!r} has {count} rows, but {first!r} has {rows[first]}; all sources "
                "must hold the same samples in the same order."
            )
    if len(set(blocks.values())) > 1:
        raise InputError(f"Blocks differ in shape: {blocks}; expected one shape for all.")
    n_columns = next(iter(blocks.values()))[1] if blocks else rows[first]
    return rows[first], n_columns


def names_of_samples(source: Any) -> tuple[Any, Any]:
    """Names of the rows and of the columns of a source; None where it has none."""
    if isinstance(source, Pairwise):
        return source.row_ids, source.column_ids
    return names_of_frame(source)[0], None  # its columns are features


_PUT_IN_ORDER = {
    "row": "a frame is frame.loc[ids], a block of queries block[order]",
    "column": "a block of queries is block[np.ix_(np.arange(len(block)), order)]",
}


def _require_one_order(names: Mapping[str, Any], what: str) -> None:
    """Refuse sources of other samples, or of the same in another order, where both are named."""
    known = {
        source: np.asarray(ids).astype(str) for source, ids in names.items() if ids is not None
    }
    first = next(iter(known), "")
    for source, ids in known.items():
        other = np.flatnonzero(ids != known[first])
        if not len(other):
            continue
        i = other[0]
        told = (
            f"Source {source!r} has {ids[i]!r} as {what} {i}, but {first!r} has {known[first][i]!r}"
        )
        if set(ids) == set(known[first]):
            raise InputError(
                f"{told}: the same samples in another order. Put all in one order, ids: "
                f"{_PUT_IN_ORDER[what]} with order = [list(block.{what}_ids).index(i) for i in "
                "ids]; a block of samples with themselves is block[np.ix_(order, order)]."
            )
        raise InputError(f"{told}; all sources must hold the same samples in the same order.")


def _told(name: str, source: Any) -> str:
    m, n = source.shape
    if isinstance(source, Pairwise):
        return f"{name} ({m} × {n} {source.kind})"
    return f"{name} (table, {m} × {n})"
