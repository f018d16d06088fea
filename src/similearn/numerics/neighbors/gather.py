"""Blocks among neighbours, cut from a CSR matrix without filling it in."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from similearn.numerics.compiling import compiled

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def gather_csr(values: sparse.csr_array, near: Indices, absent: float = 0.0) -> Floats:
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
