"""Pairs of objects, computed when they are asked for: what lazy blocks are made of."""

from functools import cached_property, partial
from typing import Any, NoReturn

import joblib
import numpy as np

from similearn.data.lazy.pair_source import row_by_row
from similearn.data.values import Floats, Indices, Kind
from similearn.errors import InputError
from similearn.similarities.shell.evaluate import evaluate_row, name_of, pair_told
from similearn.similarities.shell.objects import count, taken
from similearn.similarities.shell.similarity import FunctionSimilarity, Similarity

_SELVES_AT_ONCE = 8  # the pairs beside the diagonal cost less than a call for each object


class ObjectPairs:
    """ψ of any pairs of row objects and column objects; a `similearn.data.lazy` source.

    Parameters
    ----------
    similarity : fitted, if it is learned
    rows : M objects: a list, rows of an array, or CSR
    columns : N objects; without them, the row objects are compared with themselves

    Notes
    -----
    Of objects with themselves a symmetric similarity is computed as ψ(lower, higher position),
    as `evaluate_square` does it: the values are those of the dense block to the last bit,
    wherever those of a pair do not depend on which other pairs are computed with it.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn.similarities import get_similarity
    >>> from similearn.similarities.shell.object_pairs import ObjectPairs
    >>> pairs = ObjectPairs(get_similarity("levenshtein"), ["bat", "cat", "cab"])
    >>> pairs.forward(np.array([0]), np.array([1, 2]))
    array([[1., 2.]])
    """

    def __init__(self, similarity: Similarity, rows: Any, columns: Any = None) -> None:
        self.similarity, self.rows = similarity, rows
        self.columns = rows if columns is None else columns
        self.same = columns is None
        self.name, self.kind = name_of(similarity), similarity.kind
        self.symmetric = bool(similarity.symmetric)
        self.one_way = False  # any object can be compared either way
        self.releases_lock = similarity.has_matrix and similarity.releases_lock

    name: str
    kind: Kind

    @property
    def shape(self) -> tuple[int, int]:
        """How many row and column objects there are."""
        return count(self.rows), count(self.columns)

    def forward(self, rows: Indices, columns: Indices) -> Floats:
        """Return ψ(row object, column object), (len(rows), len(columns))."""
        if not (self.same and self.symmetric) or not len(rows):
            return self._values(rows, columns)
        if (columns[1:] < columns[:-1]).any():
            order = np.argsort(columns, kind="stable")
            values = np.empty((len(rows), len(columns)))
            values[:, order] = self.forward(rows, columns[order])
            return values
        below, above = np.searchsorted(columns, [rows.min(), rows.max()])
        parts = [
            self._values(columns[:below], rows).T,
            self._mixed(rows, columns[below:above]),
            self._values(rows, columns[above:]),
        ]
        parts = [part for part in parts if part.shape[1]]
        return np.ascontiguousarray(parts[0] if len(parts) == 1 else np.hstack(parts))

    def backward(self, rows: Indices, columns: Indices) -> Floats:
        """Return ψ(column object, row object), (len(rows), len(columns))."""
        if self.symmetric and self.same:
            return self.forward(rows, columns)
        return np.ascontiguousarray(self._values(columns, rows, turned=True).T)

    def pairs(self, rows: Indices, columns: Indices, *, turned: bool = False) -> Floats:
        """Return ψ of single pairs, (p,); with `turned` ψ(column object, row object)."""
        if self.same and self.symmetric:
            rows, columns, turned = np.minimum(rows, columns), np.maximum(rows, columns), False
        if turned:
            rows, columns = columns, rows
        values = row_by_row(partial(self._unchecked, turned=turned), rows, columns)
        bad = np.flatnonzero(~np.isfinite(values))  # once for all rows, which are short
        if len(bad):
            self._refuse_value(values[bad[0]], rows[bad[0]], columns[bad[0]])
        return values

    def square(self, columns: Indices) -> Floats:
        """Return ψ among column objects, (k, k); of a symmetric function each pair once."""
        if not self.same:
            return self._among_columns.square(columns)
        if not self.symmetric:
            return self._values(columns, columns)
        order = np.argsort(columns, kind="stable")
        ordered = columns[order]
        if self.similarity.has_matrix:
            found = self._values(ordered, ordered)
        else:
            found = np.empty((len(columns), len(columns)))
            for i in range(len(columns)):
                found[i, i:] = self._values(ordered[i : i + 1], ordered[i:])[0]
        found = np.where(np.tri(len(columns), k=-1, dtype=bool), found.T, found)
        places = np.argsort(order)
        return found[places[:, None], places]

    def self_values(self, rows: Indices) -> Floats:
        """Return ψ(a, a) of row objects."""
        if self.same:  # as the diagonal of the dense block has them
            found = np.empty(len(rows))
            at_once = _SELVES_AT_ONCE if self.similarity.has_matrix else 1
            for start in range(0, len(rows), at_once):
                part = rows[start : start + at_once]
                found[start : start + at_once] = np.diagonal(self._values(part, part))
            return found
        return np.asarray(self.similarity.self_values(taken(self._prepared[0], rows)), dtype=float)

    def digest(self) -> str:
        """Return a name for the objects and the function by their content."""
        function: Any = self.similarity
        if isinstance(function, FunctionSimilarity):
            code = getattr(function.function, "__code__", None)
            known = [getattr(function.function, "__qualname__", self.name)]
            known += [] if code is None else [code.co_code.hex(), repr(code.co_names)]
            function = [*known, function.kind, function.symmetric]
        return str(joblib.hash([function, self.rows, None if self.same else self.columns]))

    @property
    def indexed(self) -> tuple[Any, str] | None:
        """Rows of numbers and what usearch calls their metric; None where it knows none."""
        metric = self.similarity.index_metric
        return None if metric is None or not self.same else (self.rows, metric)

    def only(self, rows: Indices) -> "ObjectPairs":
        """Return the source of some row objects with themselves; it holds no others."""
        return ObjectPairs(self.similarity, taken(self.rows, rows))

    @cached_property
    def _among_columns(self) -> "ObjectPairs":
        """The column objects with themselves, prepared once."""
        among = ObjectPairs(self.similarity, self.columns)
        among.__dict__["_prepared"] = (self._prepared[1], self._prepared[1])
        return among

    def _mixed(self, rows: Indices, columns: Indices) -> Floats:
        """Columns on both sides of the rows: each pair in the order of its positions."""
        if not self.similarity.has_matrix or not len(columns):
            return self._values(rows, columns, ordered=True)
        one, other = self._values(rows, columns), self._values(columns, rows).T
        return np.where(rows[:, None] <= columns, one, other)

    def _values(
        self, rows: Indices, columns: Indices, *, turned: bool = False, ordered: bool = False
    ) -> Floats:
        """Return ψ(row, column), or with `turned` ψ(column object, row object)."""
        if not len(rows) or not len(columns):
            return np.empty((len(rows), len(columns)))
        values = self._unchecked(rows, columns, turned=turned, ordered=ordered)
        if self.similarity.has_matrix:  # else each value was looked at
            self._require_finite(values, rows, columns)
        return values

    def _unchecked(
        self, rows: Indices, columns: Indices, *, turned: bool = False, ordered: bool = False
    ) -> Floats:
        """Return what `_values` returns, of at least one pair; it may not be finite."""
        a, b = self._prepared[::-1] if turned else self._prepared
        if self.similarity.has_matrix:
            first = taken(a, rows)
            second = first if a is b and rows is columns else taken(b, columns)
            return np.asarray(self.similarity.matrix(first, second))
        roles = ("object", "object") if self.same else ("query", "reference")
        roles = roles[::-1] if turned else roles
        found = np.empty((len(rows), len(columns)))
        for place, i in enumerate(rows.tolist()):
            lower = columns < i if ordered else np.zeros(len(columns), dtype=bool)
            higher = columns[~lower].tolist()
            found[place, ~lower] = evaluate_row(self.similarity, a[i], b, higher, i, roles)
            found[place, lower] = [
                evaluate_row(self.similarity, a[j], b, [i], j, roles)[0]
                for j in columns[lower].tolist()
            ]
        return found

    def _require_finite(self, values: Floats, rows: Indices, columns: Indices) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(values.sum()):
                return
        bad = np.argwhere(~np.isfinite(values))
        if len(bad):
            i, j = bad[0]
            self._refuse_value(values[i, j], rows[i], columns[j])

    def _refuse_value(self, value: Any, row: Any, column: Any) -> NoReturn:
        told = pair_told(("object", "object"), int(row), int(column))
        raise InputError(
            f"{self.name} gave {value} for {told} (counting from 0); expected one finite number "
            "for every pair."
        )

    @cached_property
    def _prepared(self) -> tuple[Any, Any]:
        """What is compared of each object, computed once."""
        if not self.similarity.has_matrix:
            return self.rows, self.columns
        a = self.similarity.prepare(self.rows)
        return a, a if self.same else self.similarity.prepare(self.columns)

    def __getstate__(self) -> dict[str, Any]:
        found = ("_prepared", "_among_columns")
        return {name: value for name, value in vars(self).items() if name not in found}
