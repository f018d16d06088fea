"""Sparse matrices in every format, sound and unsound."""

from typing import Any

import numpy as np
from scipy import sparse

from tests.fuzz.drawing import Draw


def _malformed(d: Draw, values: Any) -> Any:
    """CSR with a structure that would lead compiled code out of bounds."""
    matrix = sparse.csr_array(np.asarray(values, dtype=float))
    if matrix.nnz == 0:
        return matrix
    place = int(d.rng.integers(matrix.nnz))
    row = int(d.rng.integers(len(matrix.indptr)))
    fault = d.pick(["large", "negative", "huge", "unsorted", "double", "indptr", "end", "short"])
    d.tell(fault)
    far = {"large": matrix.shape[1], "negative": -1, "huge": 2**31 - 1}
    if fault in far:
        matrix.indices[place] = far[fault]
    elif fault == "unsorted":
        matrix.indices[:] = matrix.indices[::-1].copy()
    elif fault == "double":
        matrix.indices[:] = matrix.indices[0]
    elif fault == "indptr":
        matrix.indptr[row] = d.pick([-1, 2**31 - 1, matrix.nnz + 1])
    elif fault == "end":
        matrix.indptr[-1] += d.pick([-1, 1, 1000])
    else:
        matrix.data = matrix.data[:place]
    return matrix


def _malformed_otherwise(d: Draw, values: Any) -> Any:
    """Sparse matrices of other formats that lead SciPy out of bounds on the way to CSR."""
    form = d.pick(["coo", "csc", "bsr", "lil", "dok", "dia"])
    d.tell(form)
    matrix = sparse.coo_array(np.asarray(values, dtype=float)).asformat(form)
    far = d.pick([-5, 1000, 2**31 - 1])
    if matrix.nnz == 0:
        return matrix
    if form == "coo":
        matrix.coords = (matrix.coords[0] + far, matrix.coords[1])
    elif form in ("csc", "bsr"):
        matrix.indices = matrix.indices + far
    elif form == "lil":
        matrix.rows[0] = d.pick([[far], ["x"], [0, 0, 0], None])
    elif form == "dok":
        matrix._dict[(far, 0)] = 1.0
    else:
        matrix.offsets = matrix.offsets + far
    return matrix


def _some_left_out(d: Draw, values: Any) -> Any:
    return np.where(d.rng.random(np.shape(values)) < 0.5, values, 0.0)


def _flag_that_lies(d: Draw, values: Any) -> Any:
    """CSR out of order, that says of itself to be sorted."""
    matrix = sparse.csr_array(_some_left_out(d, values))
    matrix.indices, matrix.data = matrix.indices[::-1].copy(), matrix.data[::-1].copy()
    if matrix.nnz and (abs(np.diff(matrix.indptr)) == matrix.indptr[1]).all():
        matrix.indices = np.concatenate(
            [part[::-1] for part in np.split(matrix.indices, matrix.indptr[1:-1])]
        )
    matrix.has_sorted_indices = matrix.has_canonical_format = True
    return matrix


def _with_parts(d: Draw, values: Any) -> Any:
    """CSR whose parts are of types that no constructor lets through."""
    matrix = sparse.csr_array(np.asarray(values, dtype=float))
    part = d.pick(["data", "indices", "indptr"])
    array = getattr(matrix, part)
    makers = {
        "a list": array.tolist(),
        "floats": array.astype(float),
        "objects": array.astype(object),
        "words": array.astype(str),
        "two axes": array[None],
        "nothing": None,
        "short": array[:-1],
        "unsigned": array.astype(np.uint8),
        "read-only": np.broadcast_to(array[:1], array.shape),
    }
    fault = d.pick(list(makers))
    d.tell(f"{part}: {fault}")
    setattr(matrix, part, makers[fault])
    return matrix


def _repeated(d: Draw, values: Any) -> Any:
    """COO in which some places come twice, in no order."""
    matrix = sparse.coo_array(_some_left_out(d, values))
    order = d.rng.permutation(np.repeat(np.arange(matrix.nnz), 2))
    places = matrix.coords[0][order], matrix.coords[1][order]
    return sparse.coo_array((matrix.data[order] / 2, places), shape=matrix.shape)


def _of(form: str, kind: Any = float) -> Any:
    return lambda d, v: sparse.coo_array(_some_left_out(d, v).astype(kind)).asformat(form)


SOUND = {
    "csr": lambda d, v: sparse.csr_array(_some_left_out(d, v)),
    "csr matrix": lambda d, v: sparse.csr_matrix(v),
    "csr float32": lambda d, v: sparse.csr_array(_some_left_out(d, v).astype(np.float32)),
    "csc": lambda d, v: sparse.csc_array(_some_left_out(d, v)),
    "coo": lambda d, v: sparse.coo_array(_some_left_out(d, v)),
    "csr with zeros": lambda d, v: _all_stored(v),
    "csr of 64 bits": lambda d, v: _wide(sparse.csr_array(_some_left_out(d, v))),
    "empty csr": lambda d, v: sparse.csr_array(v.shape),
    "coo, places twice": _repeated,
    "bsr": _of("bsr"),
    "dia": _of("dia"),
    "lil": _of("lil"),
    "dok": _of("dok"),
    "coo of booleans": _of("coo", bool),
    "csc of small integers": _of("csc", np.int8),
}
UNSOUND = {
    "csr with NaN": lambda d, v: _csr_with(d, v, np.nan),
    "csr with infinity": lambda d, v: _csr_with(d, v, -np.inf),
    "malformed csr": _malformed,
    "malformed otherwise": _malformed_otherwise,
    "csr of strange parts": _with_parts,
    "csr with a flag that lies": _flag_that_lies,
    "sparse complex": _of("csr", complex),
    "sparse long doubles": _of("csr", np.longdouble),
    "sparse vector": lambda d, v: sparse.coo_array(np.ravel(v)),
    "sparse, three axes": lambda d, v: sparse.coo_array(np.asarray(v, dtype=float)[None]),
    "sparse and huge": lambda d, v: sparse.coo_array(([1.0], ([0], [0])), shape=(10**9, 10**9)),
    "sparse, huge rows": lambda d, v: sparse.coo_array(
        ([1.0], ([0], [0])), (10**12, max(v.shape[1], 1))
    ),
}


def _csr_with(d: Draw, values: Any, entry: float) -> Any:
    matrix = sparse.csr_array(np.asarray(values, dtype=float))
    if matrix.nnz:
        matrix.data[int(d.rng.integers(matrix.nnz))] = entry
    return matrix


def _wide(matrix: Any) -> Any:
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


def _all_stored(values: Any) -> Any:
    m, n = values.shape
    structure = np.tile(np.arange(n), m), np.arange(m + 1) * n
    return sparse.csr_array((values.ravel(), *structure), shape=values.shape)
