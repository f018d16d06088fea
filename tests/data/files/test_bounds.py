"""What a file announces is compared with what it can hold before memory is asked for."""

import gzip
import io
import tracemalloc
import zipfile

import numpy as np
import pytest
from scipy import sparse

from similearn.data.files import compressed_text
from similearn.data.files.reading import read_pairwise
from similearn.errors import FileError, SimilearnError
from tests.thinning import some


@pytest.fixture(autouse=True)
def little_memory():
    tracemalloc.start()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5e8


def refused(path, match, **options):
    with pytest.raises(SimilearnError, match=match) as caught:
        read_pairwise(path, kind="similarity", **options)
    assert str(path.name) in str(caught.value)


def header(shape, dtype="<f8"):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        stream, {"descr": dtype, "fortran_order": False, "shape": shape}
    )
    return stream.getvalue()


@pytest.mark.parametrize("shape", [(10**9, 10**9), (10**6, 10**6), (-1, -5), (10**30, 2)])
def test_npy(tmp_path, shape):
    path = tmp_path / "a.npy"
    path.write_bytes(header(shape) + b"\0" * 100)
    refused(path, "truncated or damaged")
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("S.npy", header(shape) + b"\0" * 100)
    refused(path, "truncated or damaged")


@pytest.mark.parametrize("form", ["coo", "csc", "csr"])
def test_sparse_npz(tmp_path, form):
    path = tmp_path / "a.npz"
    sparse.save_npz(path, sparse.eye_array(3).asformat(form))
    with np.load(path) as loaded:
        arrays = dict(loaded)
    np.savez(path, **(arrays | {"shape": np.array([10**9, 10**9])}))
    refused(path, "announces a sparse block")
    positions = "row" if form == "coo" else "indices"
    np.savez(path, **(arrays | {positions: np.array([0.5, 1.5, 2.5])}))
    refused(path, "damaged")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("coordinate real general\n1000000000 1000000000 1\n1 1 1\n", "announces a sparse block"),
        ("array real general\n1000000000 1000000000\n1\n", "announces"),
        ("array real symmetric\n1000000000 1000000000\n1\n", "announces"),
        ("coordinate real general\n3 3 1\n1.5 1 1\n", "row 1.5, column 1; expected whole"),
        ("coordinate real general\n3 3 1\nnan 1 1\n", "expected whole"),
        (f"coordinate real general\n{'9' * 5000} 3 1\n1 1 1\n", "expected 3 sizes"),
    ],
)
def test_matrix_market(tmp_path, text, match):
    path = tmp_path / "a.mtx"
    path.write_text("%%MatrixMarket matrix " + text)
    refused(path, match)


@pytest.mark.parametrize("line", [b"0" * 1000, b"1,1,1,1\n" * 1000, b"1\n" * 1000])
def test_gzip_bombs(tmp_path, line, monkeypatch):
    monkeypatch.setattr(compressed_text, "_ALWAYS_ALLOWED", 1 << 18)
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(line * (1_000_000 // len(line))))
    refused(path, "unpacks to|more than")


def test_cells_and_labels(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("1,2\n" + "3" * 131_073 + ",4\n")
    refused(path, "line 2: a cell has more than 131,072 characters")
    path.write_text('1,2\n"' + "3" * 131_073 + '",4\n')
    refused(path, "line 2: a cell has more than 131,072 characters")
    path.write_text("1," * 1_100_000 + "\n")
    refused(path, "more than 1,000,000 cells")
    path = tmp_path / "a.npz"
    np.savez(path, S=np.eye(2), y=np.array([b"\xff\xfe", b"a"]))
    refused(path, "not UTF-8")
    path = tmp_path / "a.csv"
    path.write_text("1,2\n3,4\n")
    (tmp_path / "labels.txt").write_bytes(b"\xff\n\xfe\n")
    with pytest.raises(FileError, match=r"labels\.txt is not UTF-8"):
        read_pairwise(path, kind="similarity", labels=tmp_path / "labels.txt")
    (tmp_path / "labels.txt").write_text("1\n" + "9" * 5000 + "\n")
    assert (
        read_pairwise(path, kind="similarity", labels=tmp_path / "labels.txt").labels.dtype != int
    )


@pytest.mark.parametrize("suffix", [".npz", ".npy", ".csv", ".csv.gz", ".mtx", ".mtx.gz"])
def test_damaged_files_are_sentences(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    text = "id,a,b,label\na,1,2,x\nb,3,4,y\n"
    if suffix == ".npz":
        np.savez_compressed(path, S=np.eye(4), y=np.array(["a", "b", "c", "d"]), kind="similarity")
    elif suffix == ".npy":
        np.save(path, np.eye(4))
    else:
        if "mtx" in suffix:
            text = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 2.5\n2 3 1\n"
        data = text.encode()
        path.write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)
    whole, rng = bytearray(path.read_bytes()), np.random.default_rng(2)
    for _ in range(some(300)):
        damaged = whole.copy()
        if rng.random() < 0.2:
            del damaged[rng.integers(len(damaged)) :]
        for place in rng.integers(max(len(damaged), 1), size=rng.integers(1, 5)):
            if len(damaged):
                damaged[place] = rng.choice([0, 10, 34, 44, 255, rng.integers(256)])
        path.write_bytes(damaged)
        try:
            read_pairwise(path, kind="similarity")
        except ValueError as error:
            assert type(error).__module__ == "similearn.errors"
