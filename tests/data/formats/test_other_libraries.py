"""Blocks from and to the objects of other libraries, and text that other programs read."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from similearn import (
    NeighborsClassifier,
    Pairwise,
    as_pairwise,
    read_pairwise,
    to_networkx,
    to_skbio,
    write_pairwise,
)
from similearn.data.formats.table_outputs import write_columns
from similearn.errors import FileError, InputError, InputTypeError

D = np.array([[0, 0.1, 0.25], [0.1, 0, 2 / 3], [0.25, 2 / 3, 0]])
S = np.array([[1, 0.5, 0.25], [0.1, 1, 0.75], [0.2, 0.3, 1]])
IDS = ["ann", "bob", "cid"]
X = Pairwise(D, "dissimilarity", row_ids=IDS, column_ids=IDS)
ASYMMETRIC = Pairwise(S, "similarity", row_ids=IDS, column_ids=IDS)


def same(one, other):
    assert one.kind == other.kind and one.same_samples == other.same_samples
    for name in ("values", "row_ids", "column_ids"):
        assert_array_equal(getattr(one, name), getattr(other, name))


def test_scikit_bio_and_back():
    pytest.importorskip("skbio")
    matrix = to_skbio(X)
    assert matrix.ids == tuple(IDS)
    same(as_pairwise(matrix), X)
    with pytest.raises(InputError, match="holds dissimilarities of samples with themselves"):
        to_skbio(ASYMMETRIC)
    with pytest.raises(InputError, match="X is asymmetric"):
        to_skbio(Pairwise(S, "dissimilarity"))


def test_networkx_and_back():
    networkx = pytest.importorskip("networkx")
    graph = to_networkx(X)
    assert not graph.is_directed() and graph["bob"]["cid"]["weight"] == 2 / 3
    back = as_pairwise(graph, "dissimilarity")
    assert back.is_sparse
    same(back.with_values(back.values.toarray()), X)
    graph = to_networkx(ASYMMETRIC)
    assert graph.is_directed()
    assert_array_equal(as_pairwise(graph, "similarity").values.toarray(), S)
    path = networkx.path_graph(["a", "b", "c"])
    assert as_pairwise(path, "dissimilarity").values.nnz == 7
    with pytest.raises(InputError, match="A graph does not say"):
        as_pairwise(path)
    with pytest.raises(InputTypeError, match="is a multigraph"):
        as_pairwise(networkx.MultiGraph([(1, 2)]), "similarity")
    wide = to_networkx(Pairwise(S[:2], "similarity", row_ids=["n", "m"], column_ids=IDS))
    assert wide.has_edge("n", "ann") and not wide.has_edge("ann", "n")


class LikeAnnData:
    """What AnnData offers of what is asked."""

    obs_names = pd.Index(IDS)
    obsp = {"distances": sparse.csr_matrix(D), "connectivities": S}  # noqa: RUF012


def test_anndata_by_what_it_offers():
    block = as_pairwise(LikeAnnData(), part="distances")
    assert block.is_sparse and block.kind == "dissimilarity"
    assert_array_equal(block.row_ids, IDS)
    same(as_pairwise(LikeAnnData(), "similarity", part="connectivities"), ASYMMETRIC)
    with pytest.raises(InputError, match="holds distances, connectivities; name one"):
        as_pairwise(LikeAnnData())


def test_frames():
    frame = pd.DataFrame(D, IDS, IDS)
    same(as_pairwise(frame), X)
    same(as_pairwise(frame[["cid", "ann", "bob"]]), X)
    same(as_pairwise(frame.reset_index(names="id"), "dissimilarity"), X)
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"id": IDS, **{name: D[:, j] for j, name in enumerate(IDS)}})
    same(as_pairwise(table), X)
    pytest.importorskip("pyarrow")
    same(as_pairwise(table.to_arrow()), X)


def test_plain_arrays_and_blocks():
    assert as_pairwise(X) is X
    assert as_pairwise(D).kind == "dissimilarity"
    assert as_pairwise(S).kind == "similarity"
    with pytest.raises(InputError, match=r"data is a dissimilarity, but kind='similarity'"):
        as_pairwise(X, "similarity")
    with pytest.raises(InputError, match="do not say whether large values mean near"):
        as_pairwise(np.ones((3, 3)))
    with pytest.raises(InputError, match="holds values of type"):
        as_pairwise(np.array([["a"]]), "similarity")


# --- text


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".lsmat", ".phy", ".edges", ".edgelist"])
@pytest.mark.parametrize("block", [X, ASYMMETRIC], ids=["symmetric", "asymmetric"])
def test_text_comes_back(tmp_path, ending, block):
    path = write_pairwise(tmp_path / f"a{ending}", block)
    same(read_pairwise(path, kind=block.kind).block, block)


def test_sparse_pairs_come_back(tmp_path):
    values = sparse.csr_array(([0.0, 2, 0, 1, 0], ([0, 0, 1, 1, 2], [0, 1, 1, 2, 2])))
    block = Pairwise(values, "dissimilarity", row_ids=IDS, column_ids=IDS)
    back = read_pairwise(write_pairwise(tmp_path / "a.edges", block), directed=True).block
    assert back.kind == "dissimilarity" and back.values.nnz == 5
    assert_array_equal(back.values.toarray(), values.toarray())


def test_labels_in_text(tmp_path):
    path = write_pairwise(tmp_path / "a.csv", X, labels=[3, 1, 3])
    assert_array_equal(read_pairwise(path).labels, [3, 1, 3])
    with pytest.raises(InputError, match="cannot hold labels"):
        write_pairwise(tmp_path / "a.phy", X, labels=[3, 1, 3])


def test_scikit_bio_and_biopython_read_it(tmp_path):
    skbio = pytest.importorskip("skbio")
    matrix = skbio.DistanceMatrix.read(str(write_pairwise(tmp_path / "a.tsv", X)), format="lsmat")
    assert_array_equal(matrix.data, D)
    assert matrix.ids == tuple(IDS)


def test_what_text_cannot_hold(tmp_path):
    spaced = Pairwise(D, "dissimilarity", row_ids=["a b", "c", "d"])
    with pytest.raises(InputError, match="'a b' has blanks in it"):
        write_pairwise(tmp_path / "a.phy", spaced)
    with pytest.raises(InputError, match="PHYLIP holds samples against themselves"):
        write_pairwise(tmp_path / "a.phy", Pairwise(D[:2], "dissimilarity"))
    with pytest.raises(FileError, match="written unpacked"):
        write_pairwise(tmp_path / "a.csv.gz", X)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_columns(tmp_path, ending):
    columns = {"id": ["a", "b"], "label": ["x,y", "é"], "probability of x,y": [0.1, 2 / 3]}
    path = tmp_path / f"a{ending}"
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    write_columns(path, columns)
    read = {
        ".csv": pd.read_csv,
        ".tsv": lambda p: pd.read_csv(p, sep="\t"),
        ".jsonl": lambda p: pd.read_json(p, lines=True, precise_float=True),
        ".parquet": pd.read_parquet,
    }[ending]
    assert read(path).to_dict("list") == columns


@pytest.mark.parametrize("library", ["skbio", "networkx", "anndata"])
def test_estimators_take_them_as_they_are(library):
    module = pytest.importorskip(library)
    values = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    if library == "skbio":
        data = module.DistanceMatrix(values, list("abcd"))
    elif library == "networkx":
        data = module.from_numpy_array(values)
    else:
        data = module.AnnData(np.ones((4, 1)))
        data.obsp["distances"] = values
    model = NeighborsClassifier(1, kind="dissimilarity").fit(data, [0, 0, 1, 1])
    assert model.kind_ == "dissimilarity"
    assert_array_equal(model.predict(data), [0, 0, 1, 1])
    if library == "skbio":
        assert NeighborsClassifier(1).fit(data, [0, 0, 1, 1]).kind_ == "dissimilarity"
    elif library == "networkx":
        with pytest.raises(InputError, match=r"A graph does not say .* give kind="):
            NeighborsClassifier(1).fit(data, [0, 0, 1, 1])
