"""Every format comes back as it was written; labels and kinds are found where they may be."""

import gzip
import shutil
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse
from scipy.io import mmread, mmwrite, savemat

from similearn import Pairwise
from similearn.data.files.reading import read_pairwise
from similearn.data.files.writing import write_pairwise
from similearn.errors import FileError, InputError
from tests.thinning import drawn

S = np.array([[1.0, 0.5, -0.25], [0.1, 1.0, 1e-300], [0.0, 2 / 3, 1.0]])
Y = np.array([3, 1, 3])
IDS = ["ann", "bob", "cid"]


def test_npz_with_labels_and_kind(tmp_path):
    np.savez(tmp_path / "a.npz", S=S, y=Y, kind="dissimilarity")
    found = read_pairwise(tmp_path / "a.npz")
    assert_array_equal(found.block.values, S)
    assert found.block.kind == "dissimilarity"
    assert_array_equal(found.labels, Y)
    assert found.name == "a"
    X, y = found
    assert X is found.block and y is found.labels


@pytest.mark.parametrize(("name", "kind"), [("S", "similarity"), ("D", "dissimilarity")])
def test_the_name_of_the_array_says_the_kind(tmp_path, name, kind):
    np.savez(tmp_path / "a.npz", **{name: S})
    assert read_pairwise(tmp_path / "a.npz").block.kind == kind
    assert read_pairwise(tmp_path / "a.npz", kind="similarity").block.kind == "similarity"


def test_the_only_table_is_the_block(tmp_path):
    np.savez(tmp_path / "a.npz", K=S.astype(np.float32), labels=np.array(["x", "y", "x"]))
    X, y = read_pairwise(tmp_path / "a.npz", kind="similarity")
    assert_array_equal(X.values, S.astype(np.float32))
    assert_array_equal(y, ["x", "y", "x"])


def test_train_and_test_parts(tmp_path):
    np.savez(
        tmp_path / "a.npz",
        S_train=S,
        S_test=S[:2],
        S_other=S * 2,
        y_train=Y,
        y_test=Y[:2] + 10,
        kind="similarity",
    )
    X, y = read_pairwise(tmp_path / "a.npz")
    assert X.same_samples and X.shape == (3, 3)
    assert_array_equal(y, Y)
    X, y = read_pairwise(tmp_path / "a.npz", part="test")
    assert not X.same_samples and X.shape == (2, 3)
    assert_array_equal(y, Y[:2] + 10)
    X, _ = read_pairwise(tmp_path / "a.npz", part="S_other")
    assert_array_equal(X.values, 2 * S)


def test_square_test_part_is_not_a_training_block(tmp_path):
    np.savez(tmp_path / "a.npz", S_train=S, S_test=S)
    assert not read_pairwise(tmp_path / "a.npz", part="test").block.same_samples


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_scipy_sparse_npz(tmp_path, form):
    sparse.save_npz(tmp_path / "a.npz", sparse.csr_array(S).asformat(form))
    X, y = read_pairwise(tmp_path / "a.npz", kind="similarity")
    assert X.is_sparse and y is None
    assert_array_equal(X.values.toarray(), S)


def test_npy(tmp_path):
    np.save(tmp_path / "a.npy", S)
    X, y = read_pairwise(str(tmp_path / "a.npy"), kind="similarity", labels=Y)
    assert_array_equal(X.values, S)
    assert_array_equal(y, Y)


def test_mat(tmp_path):
    words = np.array([["fox"], ["owl"], ["fox"]], dtype=object)
    savemat(tmp_path / "a.mat", {"S": S, "y": words, "kind": "similarity"})
    X, y = read_pairwise(tmp_path / "a.mat")
    assert_array_equal(X.values, S)
    assert X.kind == "similarity"
    assert_array_equal(y, ["fox", "owl", "fox"])


def test_mat_numeric_labels_and_sparse(tmp_path):
    savemat(tmp_path / "a.mat", {"A": sparse.csc_array(S), "class": Y[:, None].astype(float)})
    X, y = read_pairwise(tmp_path / "a.mat", kind="similarity")
    assert X.is_sparse
    assert_array_equal(X.values.toarray(), S)
    assert_array_equal(y, Y)
    assert y.dtype.kind == "i"


def test_mat_char_matrix_of_labels(tmp_path):
    savemat(tmp_path / "a.mat", {"S": S, "y": np.array(["a", "bcd", "a"])})
    assert_array_equal(read_pairwise(tmp_path / "a.mat").labels, ["a", "bcd", "a"])


@pytest.mark.parametrize("compressed", [False, True])
def test_mtx(tmp_path, compressed):
    mmwrite(tmp_path / "a.mtx", sparse.coo_array(S), precision=17)
    path = tmp_path / "a.mtx"
    if compressed:
        path = tmp_path / "a.mtx.gz"
        with open(tmp_path / "a.mtx", "rb") as plain, gzip.open(path, "wb") as out:
            shutil.copyfileobj(plain, out)
    X, _ = read_pairwise(path, kind="similarity")
    assert X.is_sparse
    assert_array_equal(X.values.toarray(), S)


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "skew-symmetric"])
@pytest.mark.parametrize(
    ("field", "dense"),
    [("real", False), ("real", True), ("integer", False), ("integer", True), ("pattern", False)],
)
def test_mtx_is_read_as_scipy_reads_it(tmp_path, symmetry, field, dense):
    values = np.array([[0, 2, -3], [-2, 0, 5], [3, -5, 0]]) * (1.0 if field == "real" else 1)
    if symmetry == "symmetric":
        values = abs(values) + np.eye(3, dtype=values.dtype)
    matrix = values if dense else sparse.coo_array(values)
    mmwrite(tmp_path / "a.mtx", matrix, field=field, symmetry=symmetry)
    expected = mmread(tmp_path / "a.mtx")
    X, _ = read_pairwise(tmp_path / "a.mtx", kind="similarity")
    assert X.is_sparse == (not dense)
    found, expected = (m if dense else m.toarray() for m in (X.values, expected))
    assert_array_equal(found, expected)


def frame(**options):
    return pd.DataFrame(S, **options)


# Without a header: numeric ids, and labels.
UNTOLD_FROM_NUMBERS = [
    (False, index, named, labelled)
    for index, named, labelled in product([False, True], repeat=3)
    if labelled or (index and not named)
]


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".tsv.gz"])
@pytest.mark.parametrize(
    ("header", "index", "named", "labelled"),
    [options for options in product([False, True], repeat=4) if options not in UNTOLD_FROM_NUMBERS],
)
def test_tables_as_pandas_writes_them(tmp_path, ending, header, index, named, labelled):
    table = frame(index=IDS, columns=IDS) if named else frame()
    if labelled:
        table["Label"] = ["b", "a", "b"]
    path = tmp_path / f"a{ending}"
    table.to_csv(path, sep="\t" if "tsv" in ending else ",", header=header, index=index)
    X, y = read_pairwise(path, kind="similarity")
    assert_array_equal(X.values, S)
    assert X.same_samples
    if labelled:
        assert_array_equal(y, ["b", "a", "b"])
    else:
        assert y is None
    if index and named:
        assert_array_equal(X.row_ids, IDS)
    if header and named:
        assert_array_equal(X.column_ids, IDS)


def write(path, text):
    path.write_text(text)
    return path


def test_table_as_r_writes_it(tmp_path):
    path = write(tmp_path / "a.csv", '"ann","bob"\n"ann",1,0.5\n"bob",0.25,1\n')
    X, _ = read_pairwise(path, kind="similarity")
    assert_array_equal(X.values, [[1, 0.5], [0.25, 1]])
    assert_array_equal(X.row_ids, ["ann", "bob"])


def test_semicolons_byte_order_mark_blank_lines_and_windows_ends(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbf1;0.5\r\n\r\n0.25;1\r\n\r\n")
    X, _ = read_pairwise(path, kind="similarity")
    assert_array_equal(X.values, [[1, 0.5], [0.25, 1]])


def test_numeric_ids(tmp_path):
    path = write(tmp_path / "a.csv", "id,101,205\n101,1,0.5\n205,0.25,1\n")
    X, _ = read_pairwise(path, kind="similarity")
    assert_array_equal(X.values, [[1, 0.5], [0.25, 1]])
    assert_array_equal(X.row_ids, ["101", "205"])
    assert X.same_samples


def test_queries_against_other_samples(tmp_path):
    path = write(tmp_path / "a.csv", ",ann,bob\nzoe,1,0.5\nyan,0.25,1\n")
    X, _ = read_pairwise(path, kind="similarity")
    assert not X.same_samples
    assert_array_equal(X.column_ids, ["ann", "bob"])


def test_a_sample_called_y_is_no_label_column(tmp_path):
    path = write(tmp_path / "a.csv", ",x,y\nx,1,0.5\ny,0.25,1\n")
    X, y = read_pairwise(path, kind="similarity")
    assert y is None
    assert_array_equal(X.values, [[1, 0.5], [0.25, 1]])


def test_one_sample(tmp_path):
    X, _ = read_pairwise(write(tmp_path / "a.csv", "5"), kind="similarity")
    assert_array_equal(X.values, [[5]])


@pytest.mark.parametrize(
    ("beside", "text"),
    [
        ("a.labels.csv", "3\n1\n3\n"),
        ("a-labels.txt", "label\n3\n1\n3"),
        ("a_labels.tsv", "1\t3\n2\t1\n3\t3\n"),
        ("a.labels.txt", "id,class\nann,3\nbob,1\ncid,3\n"),
    ],
)
def test_labels_beside_the_file(tmp_path, beside, text):
    np.save(tmp_path / "a.npy", S)
    write(tmp_path / beside, text)
    assert_array_equal(read_pairwise(tmp_path / "a.npy", kind="similarity").labels, Y)


def test_labels_beside_as_npy_and_by_path(tmp_path):
    np.save(tmp_path / "a.npy", S)
    np.save(tmp_path / "a-labels.npy", Y)
    np.savez(tmp_path / "b.npz", y=Y + 1)
    assert_array_equal(read_pairwise(tmp_path / "a.npy", kind="similarity").labels, Y)
    other = read_pairwise(tmp_path / "a.npy", kind="similarity", labels=tmp_path / "b.npz")
    assert_array_equal(other.labels, Y + 1)


def test_labels_are_matched_by_id(tmp_path):
    frame(index=IDS, columns=IDS).to_csv(tmp_path / "a.csv")
    write(tmp_path / "a.labels.csv", "id,label\ncid,fox\nann,owl\nbob,elk\nzoe,ant\n")
    found = read_pairwise(tmp_path / "a.csv", kind="similarity")
    assert_array_equal(found.labels, ["owl", "elk", "fox"])
    assert found.labelled.all()
    assert "labels for 1 that are no samples" in found.notes[1] and "'zoe'" in found.notes[1]


def test_samples_without_a_label_are_for_prediction(tmp_path):
    frame(index=IDS, columns=IDS).to_csv(tmp_path / "a.csv")
    write(tmp_path / "a.labels.csv", "sample\tfamily\ncid\t3\nann\tNA\n".replace("\t", ","))
    found = read_pairwise(tmp_path / "a.csv", kind="similarity")
    assert found.labels.tolist() == [None, None, 3]
    assert_array_equal(found.labelled, [False, False, True])
    assert found.notes == (
        f"Labels from {tmp_path / 'a.labels.csv'}.",
        "'NA' among the labels stands for no label.",
        "2 of 3 samples have no label.",
    )


def test_labels_of_a_column_of_a_large_table_and_separated_by_blanks(tmp_path):
    frame(index=IDS, columns=IDS).to_csv(tmp_path / "a.csv")
    meta = write(tmp_path / "m.tsv", "age\tname\tsex\n3\tcid\tm\n4\tbob\tm\n5\tann\tf\n")
    labels = read_pairwise(tmp_path / "a.csv", kind="similarity", labels=(meta, "sex")).labels
    assert_array_equal(labels, ["f", "m", "m"])
    blanks = write(tmp_path / "b.txt", "cid red fox\nbob   elk\nann owl\n")
    labels = read_pairwise(tmp_path / "a.csv", kind="similarity", labels=blanks).labels
    assert_array_equal(labels, ["owl", "elk", "red fox"])


def test_rows_and_columns_in_another_order_are_matched_by_id(tmp_path):
    path = write(tmp_path / "a.csv", "id,b,a\na,1,2\nb,3,4\n")
    found = read_pairwise(path, kind="similarity")
    assert_array_equal(found.block.values, [[2, 1], [4, 3]])
    assert_array_equal(found.block.column_ids, ["a", "b"])
    assert "another order" in found.notes[0]


def test_decimal_commas_and_utf16(tmp_path):
    text = ";ann;bob\nann;1;0,5\nbob;0,25;1\n"
    for encoding in ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"):
        path = tmp_path / f"{encoding}.csv"
        path.write_bytes(text.replace("\n", "\r\n").encode(encoding))
        X, _ = read_pairwise(path, kind="similarity")
        assert_array_equal(X.values, [[1, 0.5], [0.25, 1]])
        assert_array_equal(X.row_ids, ["ann", "bob"])
    X, _ = read_pairwise(write(tmp_path / "b.csv", "1;0,5\n0,25;1\n"), kind="similarity")
    assert_array_equal(X.values, [[1, 0.5], [0.25, 1]])


def test_a_header_alone_names_rows_and_columns(tmp_path):
    path = write(tmp_path / "a.csv", "ann.sig,bob.sig\n1.0,0.5\n0.5,1.0\n")  # sourmash compare
    X, _ = read_pairwise(path, kind="similarity")
    assert_array_equal(X.row_ids, ["ann.sig", "bob.sig"])


def test_labels_in_the_file_come_before_those_beside(tmp_path):
    np.savez(tmp_path / "a.npz", S=S, y=Y)
    write(tmp_path / "a.labels.txt", "7\n8\n9\n")
    assert_array_equal(read_pairwise(tmp_path / "a.npz").labels, Y)


def test_leading_zeros_are_kept_in_labels(tmp_path):
    np.save(tmp_path / "a.npy", S)
    write(tmp_path / "a.labels.txt", "007\n01\n2\n")
    labels = read_pairwise(tmp_path / "a.npy", kind="similarity").labels
    assert_array_equal(labels, ["007", "01", "2"])


# --- missing
@pytest.mark.parametrize("missing", ["fill", "zero", "unknown"])
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_holes_are_first_taken_from_the_other_direction(tmp_path, missing, form):
    S = np.array([[9, np.nan, 1], [8, 9, np.nan], [1, np.nan, 9.0]])
    if form == "sparse" and missing == "fill":
        pytest.skip("a sparse block is not filled")
    values = sparse.csr_array(S) if form == "sparse" else S
    if form == "sparse":
        sparse.save_npz(tmp_path / "s.npz", values)
    else:
        np.savez(tmp_path / "s.npz", S=S)
    found = read_pairwise(tmp_path / "s.npz", kind="similarity", missing=missing)
    block = found.block.values if missing == "fill" else found.block.values.toarray()
    assert block[0, 1] == 8
    assert "3 of 9 values were missing; filled from the other direction: 1, " in found.notes[0]
    if missing != "fill":
        assert found.notes[0].endswith("counted as similarity zero: 2.")
        assert_array_equal(block, [[9, 8, 1], [8, 9, 0], [1, 0, 9]])
        assert found.block.is_symmetric


def test_holes_of_new_samples_are_filled_from_their_rows_alone(tmp_path):
    np.savetxt(tmp_path / "a.csv", [[1, np.nan, 3], [7, 8, 9.0]], delimiter=",")
    for references in (None, ["a", "b", "c"]):
        found = read_pairwise(
            tmp_path / "a.csv", kind="similarity", missing="fill", references=references
        )
        assert_array_equal(found.block.values, [[1, 2, 3], [7, 8, 9]])
        assert "from its row alone: 1" in " ".join(found.notes)


# --- missing="zero"


def test_missing_cells_of_a_similarity_become_absent(tmp_path):
    path = write(tmp_path / "a.csv", ",0.5,NA\n0.25,1,\n0,nan,1\n")
    X, _ = read_pairwise(path, kind="similarity", missing="zero")
    assert X.is_sparse
    assert_array_equal(X.values.toarray(), [[0, 0.5, 0], [0.25, 1, 0], [0, 0, 1]])
    assert X.values.nnz == 4


def test_missing_entries_of_arrays_become_absent(tmp_path):
    holed = S.copy()
    holed[0, 2] = np.nan
    np.save(tmp_path / "a.npy", holed)
    mmwrite(tmp_path / "b.mtx", sparse.coo_array(holed))
    for name in ("a.npy", "b.mtx"):
        X, _ = read_pairwise(tmp_path / name, kind="similarity", missing="zero")
        assert X.is_sparse
        assert_array_equal(X.values.toarray()[0], [1, 0.5, 0])


# --- writing


def test_written_blocks_come_back_whole(tmp_path):
    X = Pairwise(S[:2], "dissimilarity", S[:2] / 2, [1.0, 2.0], IDS[:2], IDS)
    path = write_pairwise(tmp_path / "a.npz", X, labels=np.array(["p", "q"], dtype=object))
    Z, y = read_pairwise(path)
    assert_array_equal(y, ["p", "q"])
    assert Z.kind == X.kind and Z.same_samples == X.same_samples
    for name in ("values", "reverse", "self_values", "row_ids", "column_ids"):
        assert_array_equal(getattr(Z, name), getattr(X, name))
    assert [p.name for p in tmp_path.iterdir()] == ["a.npz"]


@drawn(25)
@given(
    kind=st.sampled_from(["similarity", "dissimilarity"]),
    n=st.integers(1, 6),
    seed=st.integers(0, 99),
    square_queries=st.booleans(),
)
def test_sparse_round_trip(tmp_path_factory, kind, n, seed, square_queries):
    rng = np.random.default_rng(seed)
    values, reverse = (
        sparse.random_array((n, n), density=0.4, rng=rng, format="csr") for _ in range(2)
    )
    X = Pairwise(values, kind, reverse, same_samples=not square_queries)
    path = write_pairwise(tmp_path_factory.mktemp("sparse") / "a.npz", X, labels=np.arange(n))
    Z, y = read_pairwise(path)
    assert Z.is_sparse and Z.kind == kind and Z.same_samples == X.same_samples
    assert_array_equal(Z.values.toarray(), values.toarray())
    assert_array_equal(Z.reverse.toarray(), reverse.toarray())
    assert_array_equal(y, np.arange(n))
    assert_array_equal(sparse.load_npz(path).toarray(), values.toarray())


def test_what_cannot_be_written(tmp_path):
    X = Pairwise(S, "similarity")
    with pytest.raises(FileError, match=r"should end in \.npz"):
        write_pairwise(tmp_path / "a.xlsx", X)
    with pytest.raises(InputError, match="got ndarray; expected a Pairwise"):
        write_pairwise(tmp_path / "a.npz", S)
    with pytest.raises(InputError, match="one for each of 3 rows"):
        write_pairwise(tmp_path / "a.npz", X, labels=[1, 2])
    with pytest.raises(InputError, match="labels hold values of type object"):
        write_pairwise(tmp_path / "a.npz", X, labels=np.array([1, "a", None], dtype=object))
    with pytest.raises(FileError, match="cannot be written"):
        write_pairwise(tmp_path / "nowhere" / "a.npz", X)
    assert not list(tmp_path.iterdir())
