import io
import struct
import zlib

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from scipy.io import loadmat, savemat

from similearn.data.files.matlab import read_matlab
from similearn.data.files.reading import read_pairwise
from similearn.errors import FileError
from tests.thinning import some

RNG = np.random.default_rng(0)
ARRAYS = {
    "doubles": RNG.normal(size=(5, 3)),
    "singles": RNG.normal(size=(2, 4)).astype(np.float32),
    "bytes": np.arange(6, dtype=np.uint8).reshape(2, 3),
    "shorts": np.arange(-3, 3, dtype=np.int16).reshape(3, 2),
    "longs": np.array([[2**60, -(2**60)]]),
    "flags": np.array([[True, False, True]]),
    "complex": np.array([[1 + 2j, 3.0]]),
    "cube": RNG.normal(size=(2, 3, 4)),
    "empty": np.zeros((0, 3)),
}


def same(ours, theirs):
    if sparse.issparse(theirs):
        assert_array_equal(ours.toarray(), theirs.toarray())
    else:
        assert_array_equal(ours, theirs)


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("name", ARRAYS)
def test_as_scipy_reads_them(tmp_path, name, compressed):
    path = tmp_path / "a.mat"
    savemat(path, {"first": [[1.0]], name: ARRAYS[name]}, do_compression=compressed)
    same(read_matlab(path)[name], loadmat(path)[name])


@pytest.mark.parametrize("format", ["4", "5"])
def test_words_sparse_matrices_and_numbers_of_both_versions(tmp_path, format):
    path = tmp_path / "a.mat"
    S = sparse.random_array((6, 4), density=0.4, rng=0)
    savemat(path, {"S": S, "word": "similarity", "x": np.eye(3)}, format=format)
    found = read_matlab(path)
    same(found["S"], S)
    assert found["word"].tolist() == ["similarity"]
    same(found["x"], np.eye(3))


def test_labels_in_cells_and_rows_of_characters(tmp_path):
    path = tmp_path / "a.mat"
    words = np.array(["red", "grün", "blue"], dtype=object)
    savemat(path, {"S": np.eye(3), "y": words, "rows": ["ab", "cde"]})
    X, y = read_pairwise(path)
    assert X.kind == "similarity"
    assert y.tolist() == ["red", "grün", "blue"]
    assert read_matlab(path)["rows"].tolist() == ["ab", "cde"]


def test_structures_are_left_out(tmp_path):
    savemat(tmp_path / "a.mat", {"S": np.eye(2), "info": {"author": "x", "n": 3}})
    assert list(read_matlab(tmp_path / "a.mat")) == ["S"]


def test_the_other_byte_order(tmp_path):
    def element(kind, data):
        return struct.pack(">II", kind, len(data)) + data + b"\0" * (-len(data) % 8)

    values = np.arange(6.0).reshape(2, 3)
    inside = element(6, struct.pack(">II", 6, 0)) + element(5, struct.pack(">ii", 2, 3))
    inside += element(1, b"S") + element(9, values.astype(">f8").tobytes(order="F"))
    header = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack(">H", 0x0100) + b"MI"
    path = tmp_path / "a.mat"
    path.write_bytes(header + element(14, inside))
    same(read_matlab(path)["S"], values)
    same(loadmat(path)["S"], values)


def test_version_7_3_has_a_sentence(tmp_path):
    path = tmp_path / "a.mat"
    path.write_bytes(b"MATLAB 7.3 MAT-file".ljust(512) + b"\x89HDF\r\n\x1a\n")
    with pytest.raises(FileError, match=r"7\.3 \(HDF5\) .* save it again with save"):
        read_matlab(path)


def test_elements_that_unpack_without_end(tmp_path):
    path, stream = tmp_path / "a.mat", io.BytesIO()
    savemat(stream, {"S": np.zeros((6000, 6000))})
    whole = stream.getbuffer()
    packed = zlib.compress(whole[128:], level=1)  # as SciPy packs, but quicker
    path.write_bytes(bytes(whole[:128]) + struct.pack("II", 15, len(packed)) + packed)
    with pytest.raises(FileError, match="unpacks to"):
        read_matlab(path)


@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("format", ["4", "5"])
def test_damage_is_a_sentence(tmp_path, compressed, format):
    stream = io.BytesIO()
    arrays = {"S": np.eye(4), "y": "abcd", "sparse": sparse.eye_array(5).tocsc()}
    if format == "5":
        arrays["cells"] = np.array(["a", "b"], dtype=object)
    savemat(stream, arrays, format=format, do_compression=compressed and format == "5")
    whole, path = bytearray(stream.getvalue()), tmp_path / "a.mat"
    rng = np.random.default_rng(1)
    for _ in range(some(400)):
        damaged = whole.copy()
        if rng.random() < 0.2:
            del damaged[rng.integers(len(damaged)) :]
        for place in rng.integers(max(len(damaged), 1), size=rng.integers(1, 6)):
            if len(damaged):
                damaged[place] = rng.choice([0, 1, 255, rng.integers(256)])
        path.write_bytes(damaged)
        try:
            read_pairwise(path, kind="similarity")
        except ValueError as error:
            assert type(error).__module__ == "similearn.errors"
            assert "\n" not in str(error)
