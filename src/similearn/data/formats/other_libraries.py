"""Pairwise data of other libraries: taken by what they can do, never by importing the library."""

from importlib import import_module
from typing import Any

import numpy as np
from scipy import sparse

from similearn.data.pairwise import Pairwise
from similearn.data.values import Kind, as_array, kind_by_diagonal, refuse_masked
from similearn.errors import InputError, InputTypeError, MissingExtraError


def as_pairwise(
    data: Any, kind: Kind | None = None, *, part: str | None = None, weight: str = "weight"
) -> Pairwise:
    """Return a block of what holds pairwise data, with its ids.

    Parameters
    ----------
    data : a Pairwise; a scikit-bio `DistanceMatrix` or `PairwiseMatrix`; a NetworkX graph; an
        AnnData object; a pandas, polars or Arrow table; an array or a sparse matrix. None of these
        libraries is imported.
    kind : {"similarity", "dissimilarity"}, optional
        What scikit-bio's `DistanceMatrix` knows; otherwise, without it, the diagonal of a dense
        square block decides, and where that does not tell, it is asked for.
    part : of AnnData, the name of one of its `obsp`
    weight : of a graph, the attribute of the edges; an edge without it has weight 1

    Notes
    -----
    A graph and a sparse `obsp` become CSR. A pair that is no edge is not stored: no similarity,
    or an unknown dissimilarity. A frame's index and columns, or a first column of words and the
    names of the others, are ids.

    Examples
    --------
    >>> import pandas as pd
    >>> from similearn import as_pairwise
    >>> frame = pd.DataFrame([[0, 2], [2, 0]], index=["a", "b"], columns=["a", "b"])
    >>> as_pairwise(frame, "dissimilarity").row_ids.tolist()
    ['a', 'b']
    """
    if isinstance(data, Pairwise):
        if kind not in (None, data.kind):
            raise InputError(f"data is a {data.kind}, but kind={kind!r}; see similearn.convert.")
        return data
    refuse_masked(data, "data")
    if hasattr(data, "obsp"):
        return _of_anndata(data, kind, part)
    if hasattr(data, "adjacency") and hasattr(data, "is_directed"):
        return _of_graph(data, kind, weight)
    if hasattr(data, "ids") and hasattr(data, "data"):
        return _of_skbio(data, kind)
    if hasattr(data, "column_names") and hasattr(data, "to_pydict"):  # Arrow
        return _of_columns(data.to_pydict(), kind)
    if hasattr(data, "get_columns") and hasattr(data, "to_dict"):  # polars
        return _of_columns(data.to_dict(as_series=False), kind)
    if hasattr(data, "iloc") and hasattr(data, "columns"):  # pandas
        return _of_frame(data, kind)
    return _block(data, kind, None, None)


def holds_pairs(data: Any) -> bool:
    """Whether an object is a matrix with ids, a graph or AnnData of another library."""
    graph = hasattr(data, "adjacency") and hasattr(data, "is_directed")
    return graph or hasattr(data, "obsp") or (hasattr(data, "ids") and hasattr(data, "data"))


def to_skbio(X: Pairwise) -> Any:
    """Return scikit-bio's `DistanceMatrix` of a complete, symmetric dissimilarity with itself.

    Parameters
    ----------
    X : Pairwise of dissimilarities of samples with themselves; its ids are kept

    Returns
    -------
    skbio.DistanceMatrix

    Examples
    --------
    >>> from similearn import Pairwise, to_skbio
    >>> to_skbio(Pairwise([[0.0, 2.0], [2.0, 0.0]], "dissimilarity")).shape
    (2, 2)
    """
    _require_block(X)
    if X.kind != "dissimilarity" or not X.same_samples:
        raise InputError(
            f"X is {X!r}; scikit-bio's DistanceMatrix holds dissimilarities of samples with "
            "themselves. Convert similarities first: see similearn.convert."
        )
    if not len(X):
        raise InputError("X holds no samples; expected one or more.")
    values = X.rows()
    if not X.is_symmetric or np.diagonal(values).any():
        raise InputError(
            "X is asymmetric, or not zero on its diagonal, which scikit-bio's DistanceMatrix must "
            "be. Take X.symmetrized() first."
        )
    ids = [str(i) for i in range(len(X))] if X.row_ids is None else [str(i) for i in X.row_ids]
    return _imported("skbio", "scikit-bio").DistanceMatrix((values + values.T) / 2, ids)


def to_networkx(X: Pairwise) -> Any:
    """Return a NetworkX graph whose edges have the values as weights; directed if asymmetric.

    Every stored entry of a sparse block is an edge, and every entry of a dense one. Of a
    rectangular block, edges lead from rows to columns.

    Parameters
    ----------
    X : Pairwise; its ids, or else positions, name the nodes

    Returns
    -------
    networkx.Graph, or networkx.DiGraph of an asymmetric or rectangular block

    Examples
    --------
    >>> from similearn import Pairwise, to_networkx
    >>> graph = to_networkx(Pairwise([[0.0, 2.0], [2.0, 0.0]], "dissimilarity"))
    >>> graph.number_of_nodes()
    2
    """
    _require_block(X)
    networkx = _imported("networkx", "networkx")
    rows, columns = _names(X.row_ids, len(X)), _names(X.column_ids, X.shape[1])
    if not X.same_samples and set(rows) & set(columns):
        raise InputError("Rows and columns share names but are other samples; give them ids.")
    graph = networkx.Graph() if X.same_samples and X.is_symmetric else networkx.DiGraph()
    graph.add_nodes_from(rows)
    graph.add_nodes_from(columns)
    if X.is_sparse:
        stored = sparse.coo_array(X.values)
        entries = zip(stored.row.tolist(), stored.col.tolist(), stored.data.tolist(), strict=True)
    else:
        entries = ((i, j, float(v)) for (i, j), v in np.ndenumerate(X.values))  # type: ignore[assignment]
    graph.add_weighted_edges_from((rows[i], columns[j], value) for i, j, value in entries)
    return graph


def _require_block(X: Any) -> None:
    if not isinstance(X, Pairwise):
        raise InputTypeError(
            f"X is of type {type(X).__name__}; expected a Pairwise. Make one: Pairwise(X, kind)."
        )


def _names(ids: Any, n: int) -> list[Any]:
    return list(range(n)) if ids is None else ids.tolist()


def _imported(module: str, package: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(
            f"This needs the package {package}: pip install {package}."
        ) from None


def _block(values: Any, kind: Kind | None, rows: Any, columns: Any) -> Pairwise:
    if kind is None:
        dense = None if sparse.issparse(values) else np.asarray(values)
        numeric = dense is not None and dense.ndim == 2 and dense.dtype.kind in "buif"
        kind = kind_by_diagonal(dense) if numeric else None
        if kind is None:
            raise InputError(
                "The data do not say whether large values mean near: give kind='similarity' or "
                "kind='dissimilarity'."
            )
    same = None if rows is None or columns is None else list(rows) == list(columns)
    return Pairwise(values, kind, row_ids=rows, column_ids=columns, same_samples=same)


def _of_skbio(data: Any, kind: Kind | None) -> Pairwise:
    """A `DistanceMatrix` says its kind by its name; any other matrix with ids does not."""
    known: Kind | None = "dissimilarity" if "Distance" in type(data).__name__ else None
    values = np.asarray(data.data)
    if values.ndim == 1:  # condensed
        values = np.asarray(data.redundant_form())
    return _block(values, kind or known, np.array(data.ids), np.array(data.ids))


def _of_anndata(data: Any, kind: Kind | None, part: str | None) -> Pairwise:
    there = list(data.obsp.keys())
    if part is None and len(there) == 1:
        part = there[0]
    if part not in there:
        raise InputError(
            f"part={part!r} is not in obsp, which holds {', '.join(there) or 'nothing'}; name one."
        )
    known: Kind | None = "dissimilarity" if "dist" in str(part).lower() else None
    ids = np.array([str(name) for name in data.obs_names])
    return _block(data.obsp[part], kind or known, ids, ids)


def _of_graph(data: Any, kind: Kind | None, weight: str) -> Pairwise:
    if kind is None:
        raise InputError(
            "A graph does not say whether large weights mean near: give kind='similarity' or "
            "kind='dissimilarity'."
        )
    if data.is_multigraph():
        raise InputTypeError("data is a multigraph; expected at most one edge between two nodes.")
    place = {node: i for i, node in enumerate(data)}
    rows, columns, values = [], [], []
    for one, others in data.adjacency():
        for other, attributes in others.items():
            rows.append(place[one])
            columns.append(place[other])
            values.append(_weight(attributes.get(weight, 1.0), one, other))
    if kind == "dissimilarity":  # what a sample is to itself is known without an edge
        alone = [i for node, i in place.items() if not data.has_edge(node, node)]
        rows, columns, values = rows + alone, columns + alone, values + [0.0] * len(alone)
    matrix = sparse.csr_array((values, (rows, columns)), shape=(len(place), len(place)))
    ids = np.array([str(node) for node in place])
    return _block(matrix, kind, ids, ids)


def _weight(value: Any, one: Any, other: Any) -> float:
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        found = np.nan
    if not np.isfinite(found):
        raise InputTypeError(
            f"The edge of {one!r} and {other!r} has weight {value!r}; expected a finite number."
        )
    return found


def _of_columns(columns: dict[str, list[Any]], kind: Kind | None) -> Pairwise:
    """A table whose first column may hold ids."""
    names = list(columns)
    has_ids = bool(names) and all(isinstance(cell, str) for cell in columns[names[0]])
    rows = np.array(columns[names[0]]) if has_ids else None
    names = names[1:] if has_ids else names
    if not names:
        raise InputError("The table has no column of numbers; expected one for each sample.")
    values = np.column_stack([np.asarray(columns[name]) for name in names])
    return _ordered(values, kind, rows, names)


def _of_frame(data: Any, kind: Kind | None) -> Pairwise:
    if not data.shape[1]:
        raise InputError("The frame has no columns; expected one for each sample.")
    first = data.iloc[:, 0]
    if all(isinstance(cell, str) for cell in first):
        data = data.iloc[:, 1:].set_axis(list(first), axis=0)
    rows = None if type(data.index).__name__ == "RangeIndex" else np.array(data.index.map(str))
    return _ordered(as_array(data, "data"), kind, rows, [str(name) for name in data.columns])


def _ordered(values: Any, kind: Kind | None, rows: Any, names: list[str]) -> Pairwise:
    """Put columns that name the same samples as the rows into their order."""
    if rows is not None and list(rows) != names and sorted(rows) == sorted(names):
        place = {name: j for j, name in enumerate(names)}
        values, names = values[:, [place[one] for one in rows]], list(rows)
    return _block(values, kind, rows, np.array(names) if rows is not None else None)
