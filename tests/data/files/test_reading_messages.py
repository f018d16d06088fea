"""Whatever is wrong with a file, a sentence names the file and the place in it."""

import gzip
import pickle
import zipfile

import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmwrite, savemat

from similearn.data.files.reading import read_pairwise
from similearn.data.objects.object_files import read_objects
from similearn.data.objects.objects_or_block import holds_objects
from similearn.errors import FileError, InputError, SimilearnError

S = np.array([[1.0, 0.5, 0.25], [0.5, 1.0, 0.75], [0.25, 0.75, 1.0]])


@pytest.fixture
def refused(tmp_path):
    """Expect a message when this text (or these bytes) is read under this name."""

    def check(name, content, match, error=FileError, **options):
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        options.setdefault("kind", "similarity")
        with pytest.raises(error, match=match) as caught:
            read_pairwise(path, **options)
        assert name in str(caught.value)

    return check


@pytest.fixture
def saved(tmp_path):
    """Save arrays as .npz, and return the bytes."""

    def save(**arrays):
        np.savez(tmp_path / "saved.npz", **arrays)
        return (tmp_path / "saved.npz").read_bytes()

    return save


def test_ragged_line(refused):
    refused("a.csv", "1,2,3\n4,5,6\n7,8\n", r"line 3: got 2 cells, expected 3 as on line 1")
    refused("a.csv", "a,b,c\n\n1,2,3,4,5\n", r"line 3: got 5 cells, but the header .* has 3")


def test_cell_that_is_no_number(refused):
    refused("a.csv", "1,2\n3,x4\n", r"line 2, column 2: 'x4' is not a number")
    refused("a.csv", "id,a,b\na,1,2\nb,3,o\n", r"line 3, column 3: 'o' is not a number")
    refused("a.csv", f"1,2\n3,{'9x' * 50}\n", r"column 2: '9x9x.{23}\.\.\.' is not")


def test_missing_and_infinite_cells(refused):
    refused("a.csv", "1,2\n3,\n", r"line 2, column 2: an empty cell is NaN.*missing='zero'")
    refused("a.csv", "1,nan\n3,1\n", r"line 1, column 2: 'nan' is NaN")
    refused("a.csv", "1,2\ninf,1\n", r"line 2, column 1: 'inf' is infinity", missing="zero")
    refused("a.csv", "1,2\ninf,1\n", r"'inf' is infinity; .* leave the cell empty if nothing is")
    refused("a.phy", "2\na 0 inf\nb 1 0\n", r"'inf' is no finite number. Put one there")


def test_unknown_dissimilarities_are_not_zero(refused):
    refused(
        "a.csv",
        "1,2\n3,\n",
        r"missing='zero' is for similarities only.*not zero",
        kind="dissimilarity",
        missing="zero",
    )


def test_nan_in_arrays(refused, saved):
    bad = S.copy()
    bad[1, 2] = np.nan
    refused("a.npz", saved(S=bad), r"array 'S' contains NaN at row 1, column 2.*missing='zero'")
    bad[1, 2] = np.inf
    for missing in ("error", "zero", "fill", "unknown", "keep"):
        told = r"array 'S' contains infinity at row 1, .* Put a finite number there"
        refused("a.npz", saved(S=bad), told, missing=missing)


def test_empty_files(refused):
    for name in ("a.csv", "a.npz", "a.npy", "a.mat", "a.mtx"):
        refused(name, "", r"is empty \(0 bytes\)")
    refused("a.csv", "\n\n", "is empty")
    refused("a.csv", "a,b,c\n", r"header \(line 1\) but no rows")
    refused("a.csv.gz", gzip.compress(b""), "is empty")


@pytest.mark.parametrize(
    ("member", "match"),
    [
        ("[Content_Types].xml", "is an Excel workbook, or another .*Save the sheet as CSV"),
        ("content.xml", "or another document of an office program"),
        ("model.json", r"is a model, where data were expected. `similearn show .*a\.zip`"),
    ],
)
def test_archives_of_other_things(refused, tmp_path, member, match):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, "<xml>\u00e9" * 99)
    refused("a.zip", None, match)
    (tmp_path / "S.csv").write_text("1,0\n0,1\n")
    with pytest.raises(FileError, match=match):
        read_pairwise(tmp_path / "S.csv", kind="similarity", labels=tmp_path / "a.zip")
    with pytest.raises(FileError, match=match):
        read_objects(tmp_path / "a.zip")
    assert not holds_objects(tmp_path / "a.zip")


def test_empty_arrays(refused, saved):
    refused("a.npz", saved(S=np.zeros((0, 0))), r"array 'S' is empty, its shape is \(0, 0\)")
    refused("a.npz", saved(S=np.zeros((3, 0))), r"array 'S' is empty")


def test_repeated_ids(refused):
    text = "id,a,b\na,1,2\na,3,4\n"
    refused("a.csv", text, r"line 3: the id 'a' was on line 2 already", InputError)
    refused("a.csv", "a,a\n1,2\n3,4\n", r"column_ids repeats 'a'", InputError)


def test_kind_must_be_known(refused):
    refused("a.csv", "1,2\n3,4\n", r"kind='similarity' or.*--kind similarity", kind=None)


def test_options_are_checked_before_reading(tmp_path):
    np.save(tmp_path / "a.npy", S)
    with pytest.raises(InputError, match="kind='distance' is unknown"):
        read_pairwise(tmp_path / "a.npy", kind="distance")
    with pytest.raises(InputError, match="missing='drop' is unknown"):
        read_pairwise(tmp_path / "a.npy", kind="similarity", missing="drop")
    with pytest.raises(InputError, match=r"part='test' is for \.npz and \.mat"):
        read_pairwise(tmp_path / "a.npy", kind="similarity", part="test")


def test_kind_must_not_contradict_the_file(refused, saved):
    content = saved(S=S, kind="dissimilarity")
    refused("a.npz", content, r"holds a dissimilarity, but kind='similarity' was given")
    refused("a.npz", saved(S=S, kind="near"), r"array 'kind' says 'near'; expected", kind=None)
    refused("a.npz", saved(S=S, kind=3), r"array 'kind' has type int64.*expected one word")


def test_missing_file_suggests_near_names(refused, tmp_path):
    np.save(tmp_path / "sonar.npy", S)
    refused("sonra.npy", None, r"does not exist\. Did you mean sonar\.npy\?")
    refused("quite-other.npz", None, r"does not exist\.$")
    refused("nowhere/sonar.npy", None, r"There is no folder")
    (tmp_path / "folder.npz").mkdir()
    refused("folder.npz", None, "is a folder")


def test_unknown_ending(refused):
    refused("a.xlsx", "1", r"ending that is not known; expected one of \.npz, \.npy, \.mat, \.mtx")


def test_objects_are_never_loaded(refused, saved, tmp_path):
    words = np.array(["a", None, 3], dtype=object)
    refused("a.npz", saved(S=S, y=words), r"array 'y' holds Python objects.*astype\(str\)")
    np.save(tmp_path / "o.npy", words)
    refused("o.npy", None, "holds Python objects")
    refused("p.npy", pickle.dumps(S), "is no NumPy file")
    refused("p.npz", pickle.dumps(S), "is no NumPy file")


def test_arrays_that_are_no_block(refused, saved):
    refused("a.npz", saved(S=S + 1j), r"Complex data not supported: array 'S' holds complex128")
    refused("a.npz", saved(S=np.zeros((2, 2, 2))), r"array 'S' has 3 dimension")
    refused("a.npz", saved(S=np.array([["a", "b"]])), r"array 'S' holds values of type <U1")
    refused("a.npz", saved(A=S, B=S), r"several two-dimensional.*A \(3, 3\), B \(3, 3\).*part=")
    refused("a.npz", saved(y=np.arange(3)), r"no two-dimensional array.*y \(3,\)")
    refused("a.npz", saved(), r"It is empty")
    refused("a.npz", saved(S=S), r"has no part 'test'.*holds S \(3, 3\)", part="test")


def test_training_block_must_be_square(refused, saved):
    refused("a.npz", saved(S_train=S[:2]), r"array 'S_train' has shape \(2, 3\); expected a square")


def test_labels_of_wrong_length(refused, saved, tmp_path):
    refused("a.npz", saved(S=S, y=[1, 2]), r"has 3 rows, but there are 2 labels")
    refused("a.npz", saved(S=S[:2], y=[1, 2, 3]), r"fit its columns: is the block transposed\?")
    refused("b.csv", "1,2\n3,4\n", r"2 rows, but there are 1 labels \(labels\)", labels=[1])
    (tmp_path / "c.labels.txt").write_text("kind of fish\n1\n2\n")
    refused("c.csv", "1,2\n3,4\n", r"there are 3 labels .*Is the first of them a heading")


def test_labels_that_are_missing_or_odd(refused, saved, tmp_path):
    refused("a.npz", saved(S=S, y=[1, np.inf, 2]), r"array 'y' has inf for sample 1 ")
    refused("a.npz", saved(S=S, y=S), r"array 'y' has shape \(3, 3\); expected one label")
    refused("a.npz", saved(S=S, y=[1j, 2, 3]), r"array 'y' holds values of type complex128")
    refused("a.csv", "a,b,label\n1,2,?\n3,4,\n", r"line 2: there is no label, nor on any other")
    labels = tmp_path / "labels.csv"
    labels.write_text("a,b,c\n1,2,3\n")
    with pytest.raises(FileError, match=r"labels\.csv has 3 columns; expected one label per line"):
        read_pairwise(tmp_path / "saved.npz", labels=labels)
    labels.write_text("label\n")
    with pytest.raises(FileError, match=r"header \(line 1\) but no labels"):
        read_pairwise(tmp_path / "saved.npz", labels=labels)
    with pytest.raises(FileError, match=r"nothing\.csv does not exist"):
        read_pairwise(tmp_path / "saved.npz", labels=tmp_path / "nothing.csv")
    (tmp_path / "labels.npy").write_bytes(b"no numpy")
    with pytest.raises(FileError, match=r"labels\.npy is no NumPy file"):
        read_pairwise(tmp_path / "saved.npz", labels=tmp_path / "labels.npy")


def test_labels_beside_must_be_one_file_and_know_every_id(refused, tmp_path):
    (tmp_path / "a.labels.csv").write_text("id,label\nz,1\n")
    text = "id,a,b\na,1,2\nb,3,4\n"
    refused("a.csv", text, r"no label for any sample of .*a\.csv: it names 'z', .*such as 'a'")
    (tmp_path / "a-labels.csv").write_text("1\n2\n")
    refused("a.csv", None, r"two files of labels beside it, a\.labels\.csv and a-labels\.csv")


def test_matlab_files(refused, tmp_path):
    refused("a.mat", b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + b"0" * 100, "save.*'-v7'")
    refused("a.mat", b"nothing of the kind" * 20, "is no MATLAB file")
    savemat(tmp_path / "b.mat", {"S": np.array([[1, "x"]], dtype=object)})
    refused("b.mat", None, "array 'S' holds values of type object|no two-dimensional")
    cells = np.empty(3, dtype=object)
    cells[:] = ["a", S, "b"]
    savemat(tmp_path / "c.mat", {"S": S, "y": cells})
    refused("c.mat", None, "array 'y' holds cells that are not single words or numbers")


def test_matrix_market_files(refused, tmp_path):
    refused("a.mtx", "1 2 3\n", "is no Matrix Market file")
    refused("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n", "damaged")
    head = "%%MatrixMarket matrix coordinate real general\n% remark\n"
    refused("a.mtx", head + "2 2 1\n1 3 1\n", r"entry 1 is at row 1, column 3, outside of the 2")
    refused("a.mtx", head + "2 2 2\n1 1 1\n2 2\n", r"line 5: got 2 numbers, expected 3")
    refused("a.mtx", head + "2 2 1\n1 1 x\n", r"line 4: 'x' is not a number")
    refused("a.mtx", head + "2 2\n1 1 1\n", r"line 3: expected 3 sizes before the entries")
    refused("a.mtx", head, r"expected 3 sizes before the entries")
    refused("a.mtx", head.replace("general", "hermitian"), r"line 1: 'hermitian' is not supported")
    mmwrite(tmp_path / "c.mtx", sparse.coo_array(S + 1j))
    refused("c.mtx", None, "Complex data not supported")


def test_text_that_is_not_utf8(refused):
    refused("a.csv", b"1,2\n3,\xff\xfe\n", r"is not UTF-8 text \(byte 6\)")


def test_sparse_npz_that_points_outside(refused, saved):
    parts = {"format": b"csr", "shape": [2, 2], "data": [1.0, 2.0], "indptr": [0, 1, 2]}
    refused("a.npz", saved(**parts, indices=[0, 9]), "the sparse block is damaged")
    refused("a.npz", saved(**parts), "the sparse block lacks array 'indices'")
    refused("a.npz", saved(**parts | {"format": b"dia"}), "'dia' is not supported; save it as CSR")


def intact_files(tmp_path):
    rng = np.random.default_rng(0)
    block = rng.random((30, 30))
    np.savez(tmp_path / "a.npz", S=block, y=np.arange(30))
    np.savez_compressed(tmp_path / "b.npz", S=block, y=np.arange(30))
    np.save(tmp_path / "c.npy", block)
    savemat(tmp_path / "d.mat", {"S": block, "y": np.arange(30)}, do_compression=True)
    savemat(tmp_path / "e.mat", {"S": block})
    sparse.save_npz(tmp_path / "f.npz", sparse.csr_array(block))
    with gzip.open(tmp_path / "g.csv.gz", "wt") as file:
        np.savetxt(file, block, delimiter=",")
    mmwrite(tmp_path / "h.mtx", sparse.coo_array(block))
    (tmp_path / "i.mtx.gz").write_bytes(gzip.compress((tmp_path / "h.mtx").read_bytes()))
    return sorted(path for path in tmp_path.iterdir())


def test_truncated_files(tmp_path):
    for path in intact_files(tmp_path):
        whole = path.read_bytes()
        read_pairwise(path, kind="similarity")
        for share in (0.02, 0.3, 0.7, 0.95):
            path.write_bytes(whole[: int(share * len(whole))])
            with pytest.raises(FileError, match=path.name):
                read_pairwise(path, kind="similarity")


def test_damaged_files_give_a_sentence_or_a_block(tmp_path):
    rng = np.random.default_rng(1)
    for path in intact_files(tmp_path):
        if path.name == "e.mat":  # bytes changed inside, without a checksum, may crash SciPy itself
            continue
        whole = np.frombuffer(path.read_bytes(), dtype=np.uint8)
        for _ in range(40):
            damaged = whole.copy()
            places = rng.integers(
                min(len(whole), 400 if rng.random() < 0.5 else len(whole)), size=3
            )
            damaged[places] = rng.integers(256, size=3)
            path.write_bytes(damaged.tobytes())
            try:
                read_pairwise(path, kind="similarity")
            except SimilearnError as error:
                assert path.name in str(error)


def test_labels_beyond_integers_stay_apart(tmp_path):
    np.savez(tmp_path / "x.npz", S=S, y=np.array([1e300, -1e300, 2e300]))
    assert len(set(read_pairwise(tmp_path / "x.npz").labels)) == 3


@pytest.mark.filterwarnings("error::SyntaxWarning", "error::DeprecationWarning")
def test_headers_that_python_would_warn_of(refused):
    header = b"{'descr': '<f8\\d', 'fortran_order': False, 'shape': (2or 2, 2)}\n"
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"\0" * 32
    refused("x.npy", content, "truncated or damaged")
