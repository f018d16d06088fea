"""Blocks among neighbours, cut from a dense matrix or from a CSR matrix without filling it in."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.numerics.compiling import as_input, compiled

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def gather_dense(values: Floats, near: Indices, blocks: Floats) -> None:
    """Similarities among each query's neighbours into (m, k, k) `blocks`, from an (n, n) matrix.

    Notes
    -----
    O(m k²). Assumes checked input; NumPy's own indexing takes twice as long.
    """
    _gather_dense(as_input(values), as_input(near, np.intp), blocks)


def gather_csr(values: sparse.csr_array, near: Indices, absent: float) -> Floats:
    """Similarities among each query's neighbours, (m, k, k), from a sparse (n, n) matrix.

    `absent` stands for what is not stored.

    Notes
    -----
    O(m k² log r) with r stored entries per row. Assumes checked input with sorted indices.
    """
    m, k = near.shape
    blocks = np.full((m, k, k), absent)
    _gather(values.data, values.indices, values.indptr, near, blocks)
    return blocks


@compiled
def _gather(data, indices, indptr, near, blocks):  # type: ignore[no-untyped-def]
    for query in range(near.shape[0]):
        for a in range(near.shape[1]):
            start, end = indptr[near[query, a]], indptr[near[query, a] + 1]
            stored = indices[start:end]
            for b in range(near.shape[1]):
                position = np.searchsorted(stored, near[query, b])
                if position < end - start and stored[position] == near[query, b]:
                    blocks[query, a, b] = data[start + position]


@compiled
def _gather_dense(values, near, blocks):  # type: ignore[no-untyped-def]
    k = np.uintp(near.shape[1])
    for query in range(np.uintp(near.shape[0])):
        for a in range(k):
            row = np.uintp(near[query, a])
            for b in range(k):
                blocks[query, a, b] = values[row, np.uintp(near[query, b])]
