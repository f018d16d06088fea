"""Sparse matrices of R's package Matrix."""

import gzip

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from similearn import read_pairwise
from similearn.errors import FileError
from tests.data.formats.r_bytes import s4_bytes

pytest.importorskip("rdata")
A = np.array([[1, 0.5, 0], [0.5, 1, 0.25], [0, 0.25, 1]])
IDS = ["a", "b", "c"]
DIM = np.array([3, 3])


def of_columns(matrix):
    stored = sparse.csc_array(matrix)
    return {"i": stored.indices, "p": stored.indptr, "x": stored.data}


def of_rows(matrix):
    stored = sparse.csr_array(matrix)
    return {"j": stored.indices, "p": stored.indptr, "x": stored.data}


def of_places(matrix):
    stored = sparse.coo_array(matrix)
    return {"i": stored.row, "j": stored.col, "x": stored.data}


CASES = {
    "dgCMatrix": of_columns(A),
    "dgRMatrix": of_rows(A),
    "dgTMatrix": of_places(A),
    "dsCMatrix": of_columns(np.triu(A)) | {"uplo": "U"},
    "dsTMatrix": of_places(np.tril(A)) | {"uplo": "L"},
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_read_as_sparse(tmp_path, name, pack):
    names = [None, IDS] if name[1] == "s" else [IDS, IDS]
    written = s4_bytes(name, **CASES[name], Dim=DIM, Dimnames=names, factors=[])
    (tmp_path / "m.rds").write_bytes(pack(written))
    X, _ = read_pairwise(tmp_path / "m.rds")
    assert X.is_sparse and X.kind == "similarity"
    assert_array_equal(X.values.toarray(), A)
    assert_array_equal(X.row_ids, IDS)


def test_patterns_and_unit_triangles(tmp_path):
    stored = of_columns(np.triu(A, 1))
    written = s4_bytes("dtCMatrix", **stored, Dim=DIM, Dimnames=[None, None], uplo="U", diag="U")
    (tmp_path / "m.rds").write_bytes(written)
    X, _ = read_pairwise(tmp_path / "m.rds", kind="similarity")
    assert_array_equal(X.values.toarray(), np.triu(A))
    del stored["x"]
    (tmp_path / "n.rds").write_bytes(s4_bytes("ngCMatrix", **stored, Dim=DIM))
    X, _ = read_pairwise(tmp_path / "n.rds", kind="similarity")
    assert_array_equal(X.values.toarray(), np.triu(A, 1) > 0)


@pytest.mark.parametrize(
    "change",
    [{"p": np.array([0, 9, 9, 9])}, {"i": np.array([0, 1, 7, 1, 2, 1, 2])}, {"x": np.ones(2)},
     {"p": np.array([0, -1, 5, 7])}, {"Dim": np.array([3, 2**31 - 1])}],
)  # fmt: skip
def test_damaged_matrices_are_told(tmp_path, change):
    slots = CASES["dgCMatrix"] | {"Dim": DIM} | change
    (tmp_path / "m.rds").write_bytes(s4_bytes("dgCMatrix", **slots))
    with pytest.raises(FileError, match=r"m\.rds: matrix 'm\.rds' is no complete dgCMatrix"):
        read_pairwise(tmp_path / "m.rds", kind="similarity")
