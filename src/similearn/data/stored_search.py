"""The nearest columns of some rows of a block whose values are stored, dense or CSR."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from similearn.data.values import Floats, Indices
from similearn.numerics.neighbors.topk import top_k, top_k_csr

if TYPE_CHECKING:
    from similearn.data.pairwise import Pairwise

# Entries that are made contiguous, or averaged, at once: few enough to stay in the cache.
_ENTRIES_AT_ONCE = 1 << 17


def search_stored(
    block: "Pairwise", rows: Any, k: int, *, skip_self: bool
) -> tuple[Indices, Floats]:
    """Columns and values (m, k) of the k nearest, see `Pairwise.nearest`; the k is checked."""
    values = block.values[rows]
    if block.is_sparse or (values.flags.c_contiguous and not block._averages):
        return _top_k(block, rows, k, skip_self=skip_self)
    # By pieces that stay in the cache: the block is never copied as a whole.
    chosen = np.arange(len(block), dtype=np.intp)[rows]
    columns, nearest = np.empty((len(chosen), k), dtype=np.intp), np.empty((len(chosen), k))
    at_once = max(_ENTRIES_AT_ONCE // block.shape[1], 1)
    for start in range(0, len(chosen), at_once):
        part = slice(start, start + at_once)
        columns[part], nearest[part] = _top_k(block, chosen[part], k, skip_self=skip_self)
    return columns, nearest


def rows_to_search(block: "Pairwise", rows: slice) -> Floats:
    """`Pairwise.rows` of both directions, for a search that sees NaN and infinity by itself.

    A look at a dense block beforehand would take a third of the time of the search.
    """
    if block.is_lazy or block.is_sparse or sparse.issparse(block.reverse):
        return block.rows(rows, both=True)
    return np.ascontiguousarray(block._mean(rows))


def _top_k(block: "Pairwise", rows: Any, k: int, *, skip_self: bool) -> tuple[Indices, Floats]:
    both = block._mean(rows)
    skip = np.arange(len(block), dtype=np.intp)[rows] if skip_self else None
    if sparse.issparse(both):
        return top_k_csr(both, k, largest=block.large_is_near, absent=block.absent, skip=skip)
    both = np.ascontiguousarray(both)
    columns, nearest = top_k(both, k, largest=block.large_is_near, skip=skip)
    if np.isnan(nearest[:, 0]).any():
        block.require_finite()  # says which entry it is
    return columns, nearest
