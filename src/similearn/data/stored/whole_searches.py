"""Neighbours of all rows of a block, chunk by chunk."""

import numpy as np
from scipy import sparse

from similearn.data.chunks import map_chunks
from similearn.data.pairwise import Pairwise
from similearn.data.values import Floats, Indices


def all_nearest(
    block: Pairwise, k: int, *, skip_self: bool = False, n_jobs: int | None = None
) -> tuple[Indices, Floats]:
    """Columns (m, k) and values (m, k) of the k nearest of every row; see `Pairwise.nearest`."""
    k = block._checked_k(k, skip_self=skip_self)
    found = map_chunks(
        lambda rows: block.nearest(k, rows, skip_self=skip_self),
        len(block),
        row_bytes=bytes_of_a_row(block) + 64 * k,
        n_jobs=n_jobs,
    )
    columns, values = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return columns, values


def bytes_of_a_row(block: Pairwise) -> int:
    """Temporary bytes of one row whose directions are averaged: of CSR those of what is stored."""
    if block.is_lazy:  # its tiles do not grow with it
        return 0
    stored = [part for part in (block.values, block.reverse) if part is not None]
    if not all(sparse.issparse(part) for part in stored):
        return 16 * block.shape[1]
    return 64 * (1 + sum(part.nnz for part in stored) // max(len(block), 1))
