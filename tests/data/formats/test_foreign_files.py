"""Files of scikit-bio, QIIME 2, R, HDF5, Zarr and AnnData, written by the libraries themselves."""

import bz2
import gzip
import json
import lzma
import os
import pickle
import zipfile
from itertools import product

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from similearn import read_pairwise
from similearn.data.formats import trees_apart
from similearn.errors import FileError

D = np.array([[0, 0.1, 0.25], [0.1, 0, 0.5], [0.25, 0.5, 0]])
IDS = ["ann", "bob", "cid"]


def is_d(found):
    assert_array_equal(found.block.values, D)
    assert_array_equal(found.block.row_ids, IDS)
    assert_array_equal(found.block.column_ids, IDS)
    assert found.block.kind == "dissimilarity" and found.block.same_samples


def lsmat():
    return pd.DataFrame(D, IDS, IDS).to_csv(sep="\t")


def test_scikit_bio(tmp_path):
    skbio = pytest.importorskip("skbio")
    skbio.DistanceMatrix(D, IDS).write(str(tmp_path / "a.tsv"), format="lsmat")
    assert (tmp_path / "a.tsv").read_text().splitlines() == lsmat().splitlines()
    is_d(read_pairwise(tmp_path / "a.tsv"))


def test_qiime(tmp_path):
    path = tmp_path / "a.qza"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("uuid/VERSION", "QIIME 2\narchive: 5\n")
        archive.writestr("uuid/metadata.yaml", "type: DistanceMatrix\n")
        archive.writestr("uuid/data/distance-matrix.tsv", lsmat())
    is_d(read_pairwise(path))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("uuid/metadata.yaml", "type: FeatureTable\n")
    with pytest.raises(FileError, match="artifact without a distance matrix"):
        read_pairwise(path)


def packed(text):
    yield ".gz", gzip.compress(text)
    yield ".bz2", bz2.compress(text)
    yield ".xz", lzma.compress(text)
    try:
        from zstandard import compress
    except ImportError:
        return
    yield ".zst", compress(text)


def test_packed_files_are_known_by_content(tmp_path):
    for ending, content in packed(lsmat().encode()):
        for name in (f"a.tsv{ending}", "a.tsv"):
            (tmp_path / name).write_bytes(content)
            is_d(read_pairwise(tmp_path / name))
            (tmp_path / name).write_bytes(content[:-9])
            with pytest.raises(FileError, match=r"truncated or damaged|cannot be read"):
                read_pairwise(tmp_path / name)


# --- trees of arrays


def test_hdf5(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["D"], file["y"] = D, ["x", "y", "x"]
        file["row_ids"], file["column_ids"] = IDS, IDS
    found = read_pairwise(tmp_path / "a.h5")
    is_d(found)
    assert_array_equal(found.labels, ["x", "y", "x"])
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file["one/a"], file["one/b"] = D, D * 2
    with pytest.raises(FileError, match=r"several two-dimensional.*one/a \(3, 3\)"):
        read_pairwise(tmp_path / "b.h5", kind="similarity")
    X, _ = read_pairwise(tmp_path / "b.h5", kind="similarity", part="one/b")
    assert_array_equal(X.values, 2 * D)
    (tmp_path / "c.h5").write_bytes((tmp_path / "b.h5").read_bytes()[:600])
    with pytest.raises(FileError, match=r"c\.h5"):
        read_pairwise(tmp_path / "c.h5", kind="similarity")


def anndata_group(root, form):
    """Lay out what anndata writes: obs with an index and a category, and pairwise arrays."""
    root.attrs["encoding-type"] = "anndata"
    obs = root.create_group("obs")
    obs.attrs["_index"] = "_index"
    categories = obs.create_group("cell_type")
    graph = root.create_group("obsp").create_group("distances")
    matrix = sparse.csr_array(D).asformat(form)
    graph.attrs["encoding-type"], graph.attrs["shape"] = f"{form}_matrix", list(D.shape)
    return {
        (obs, "_index"): np.array(IDS, dtype="S3"),
        (categories, "categories"): np.array([b"B", b"T"]),
        (categories, "codes"): np.array([1, 0, 1], dtype=np.int8),
        (graph, "data"): matrix.data,
        (graph, "indices"): matrix.indices,
        (graph, "indptr"): matrix.indptr,
    }


@pytest.mark.parametrize("form", ["csr", "csc"])
def test_anndata_by_its_layout(tmp_path, form):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5ad", "w") as file:
        for (group, name), array in anndata_group(file, form).items():
            group[name] = array
    found = read_pairwise(tmp_path / "a.h5ad", labels="cell_type")
    assert found.block.is_sparse and found.block.kind == "dissimilarity"
    assert_array_equal(found.block.values.toarray(), D)
    assert_array_equal(found.block.row_ids, IDS)
    assert_array_equal(found.labels, ["T", "B", "T"])
    with pytest.raises(FileError, match=r"no column 'cell'.*it has _index, cell_type"):
        read_pairwise(tmp_path / "a.h5ad", labels="cell")
    with pytest.raises(FileError, match="has no part 'x'; its obsp holds distances"):
        read_pairwise(tmp_path / "a.h5ad", part="x")


def test_anndata_by_itself(tmp_path):
    anndata = pytest.importorskip("anndata")
    obs = pd.DataFrame({"cell_type": pd.Categorical(["T", "B", "T"])}, index=IDS)
    data = anndata.AnnData(np.ones((3, 2)), obs=obs)
    data.obsp["distances"] = sparse.csr_matrix(D)
    data.obsp["similarity"] = 1 - D
    data.write_h5ad(tmp_path / "a.h5ad")
    data.write_zarr(tmp_path / "a.zarr")
    for name in ("a.h5ad", "a.zarr"):
        found = read_pairwise(tmp_path / name, part="distances", labels="cell_type")
        assert_array_equal(found.block.values.toarray(), D)
        assert_array_equal(found.labels, ["T", "B", "T"])
        found = read_pairwise(tmp_path / name, part="obsp/similarity")
        assert found.block.kind == "similarity" and not found.block.is_sparse
        with pytest.raises(FileError, match="its obsp holds distances, similarity"):
            read_pairwise(tmp_path / name)


@pytest.mark.filterwarnings("ignore:Writing zarr v2")
def test_observations_without_a_label(tmp_path):
    anndata = pytest.importorskip("anndata")
    columns = {
        "category": pd.Categorical(["1", None, "2"]),
        "integer": pd.array([1, None, 2], dtype="Int64"),
        "float": [1.0, np.nan, 2.0],
        "string": pd.array(["1", None, "2"], dtype="string"),
    }
    data = anndata.AnnData(np.ones((3, 2)), obs=pd.DataFrame(columns, index=IDS))
    data.obsp["distances"] = sparse.csr_matrix(D)
    with anndata.settings.override(allow_write_nullable_strings=True):
        data.write_h5ad(tmp_path / "a.h5ad")
        data.write_zarr(tmp_path / "a.zarr")
    for name, column in product(("a.h5ad", "a.zarr"), columns):
        labels = read_pairwise(tmp_path / name, labels=column).labels
        assert [None if one is None else str(one) for one in labels] == ["1", None, "2"], column


def test_zarr(tmp_path):
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(str(tmp_path / "a.zarr"), mode="w")
    group.create_array("S", data=D)
    zarr.save_array(str(tmp_path / "b"), D)
    X, _ = read_pairwise(tmp_path / "a.zarr")
    assert X.kind == "similarity"
    assert_array_equal(X.values, D)
    assert_array_equal(read_pairwise(tmp_path / "b", kind="dissimilarity").block.values, D)


def test_a_packed_zarr_store(tmp_path):
    zarr = pytest.importorskip("zarr")
    store = zarr.storage.ZipStore(tmp_path / "a.zip", mode="w")
    zarr.open_group(store, mode="w").create_array("D", data=D)
    store.close()
    (tmp_path / "a.zip").rename(tmp_path / "a.zarr")
    assert_array_equal(read_pairwise(tmp_path / "a.zarr").block.values, D)


class Harm:
    def __reduce__(self):
        return open, ("harmed", "w")


def test_no_codec_of_a_zarr_store_is_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    array = {"zarr_format": 2, "shape": [2, 2], "chunks": [2, 2], "dtype": "|O", "order": "C",
             "fill_value": 0, "compressor": None, "filters": [{"id": "pickle"}]}  # fmt: skip
    store = tmp_path / "a.zarr"
    (store / "S").mkdir(parents=True)
    (store / ".zgroup").write_text('{"zarr_format": 2}')
    (store / "S" / ".zarray").write_text(json.dumps(array))
    (store / "S" / "0.0").write_bytes(pickle.dumps(Harm()))
    with pytest.raises(FileError, match=r"packed by 'pickle', which is not read"):
        read_pairwise(store, kind="similarity")
    assert not (tmp_path / "harmed").exists()
    (store / "S" / ".zarray").unlink()
    os.mkfifo(store / "S" / "1.0")
    with pytest.raises(FileError, match=r"holds 1\.0, a link or a device"):
        read_pairwise(store, kind="similarity")


def test_hdf5_files_lead_nowhere_else(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        group = file.create_group("g")
        for i in range(10):
            group[f"again {i}"] = group
        file["D"] = h5py.ExternalLink("b.h5", "D")
        file.create_dataset("z", (3, 3), "u1", external=[("/etc/passwd", 0, 9)])
        file.create_dataset("huge", (10**9, 10**9), "f8", chunks=(9, 9))
    for part, told in (("z", "in other files"), ("huge", "too small for it"), ("D", "no part|no")):
        with pytest.raises(FileError, match=told):
            read_pairwise(tmp_path / "a.h5", kind="dissimilarity", part=part)


@pytest.mark.parametrize("death", ["os.kill(os.getpid(), 11)", "os._exit(0)", "print('{')"])
def test_a_reader_that_dies_is_a_sentence(tmp_path, monkeypatch, death):
    pytest.importorskip("h5py")
    (tmp_path / "child.py").write_text(f"import os\n{death}\n")
    monkeypatch.setattr(trees_apart, "_CHILD", tmp_path / "child.py")
    (tmp_path / "a.h5").write_bytes(b"\x89HDF\r\n\x1a\n")
    with pytest.raises(FileError, match=r"a\.h5 is (truncated or )?damaged"):
        read_pairwise(tmp_path / "a.h5")


def test_one_long_word_does_not_widen_all(tmp_path):
    (tmp_path / "labels.txt").write_text("a\n" * 30_000 + "b" * 100_000 + "\n")
    np.save(tmp_path / "S.npy", np.ones((30_001, 1)))
    with pytest.raises(FileError, match="a word of 100,000 characters among 30,001"):
        read_pairwise(tmp_path / "S.npy", kind="similarity", labels=tmp_path / "labels.txt")


# --- R


@pytest.fixture
def rdata():
    return pytest.importorskip("rdata")


# R: saveRDS(as.dist(D), "a.rds", ascii = FALSE, compress = FALSE), with D as above.
DIST = """
58 0a 00 00 00 03 00 04 03 01 00 03 05 00 00 00 00 05 55 54 46 2d 38
00 00 03 0e 00 00 00 03
3f b9 99 99 99 99 99 9a 3f d0 00 00 00 00 00 00 3f e0 00 00 00 00 00 00
00 00 04 02 00 00 00 01 00 04 00 09 00 00 00 04 53 69 7a 65
00 00 00 0d 00 00 00 01 00 00 00 03
00 00 04 02 00 00 00 01 00 04 00 09 00 00 00 06 4c 61 62 65 6c 73
00 00 00 10 00 00 00 03 00 04 00 09 00 00 00 03 61 6e 6e
00 04 00 09 00 00 00 03 62 6f 62 00 04 00 09 00 00 00 03 63 69 64
00 00 04 02 00 00 00 01 00 04 00 09 00 00 00 05 63 6c 61 73 73
00 00 00 10 00 00 00 01 00 04 00 09 00 00 00 04 64 69 73 74
00 00 00 fe
"""


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_dist_of_r(tmp_path, rdata, pack):
    (tmp_path / "a.rds").write_bytes(pack(bytes.fromhex(DIST)))
    is_d(read_pairwise(tmp_path / "a.rds"))


def test_matrix_of_r(tmp_path, rdata):
    rdata.write_rds(tmp_path / "a.rds", D)
    assert_array_equal(read_pairwise(tmp_path / "a.rds", kind="dissimilarity").block.values, D)
    rdata.write_rda(tmp_path / "b.rda", {"first": D, "second": 2 * D, "word": "x"})
    with pytest.raises(FileError, match=r"holds 2 matrices \(first, second\).*part="):
        read_pairwise(tmp_path / "b.rda", kind="dissimilarity")
    X, _ = read_pairwise(tmp_path / "b.rda", kind="dissimilarity", part="second")
    assert_array_equal(X.values, 2 * D)
    rdata.write_rds(tmp_path / "c.rds", "a word")
    with pytest.raises(FileError, match="holds 0 matrices"):
        read_pairwise(tmp_path / "c.rds", kind="dissimilarity")
