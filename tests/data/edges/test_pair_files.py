"""Lists of pairs become blocks: by ids, sparse, and never with a silent guess."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from similearn import read_pairwise
from similearn.data.edges import pair_lines
from similearn.data.edges.query_blocks import against
from similearn.data.objects.objects_or_block import holds_objects
from similearn.data.pairwise import Pairwise
from similearn.errors import FileError, InputError
from tests.thinning import drawn


@pytest.fixture
def write(tmp_path):
    def writer(name, text):
        (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
        return tmp_path / name

    return writer


def dense(block):
    return block.values.toarray() if block.is_sparse else block.values


# --- layouts

SYMMETRIC = [[0, 0.5, 0], [0.5, 0, 0.25], [0, 0.25, 0]]
LISTS = {
    "mothur column": "ann bob 0.5\nbob cid 0.25\n",
    "tabs, windows": "ann\tbob\t0.5\r\nbob\tcid\t0.25\r\n",
    "commas": "ann,bob,0.5\nbob,cid,0.25\n",
    "header": "source,target,distance\nann,bob,0.5\nbob,cid,0.25\n",
    "names that say nothing": "x\ty\tz\nann\tbob\t0.5\nbob\tcid\t0.25\n",
    "quoted": '"ann","bob",0.5\n"bob","cid",0.25\n',
    "no end of line": "ann bob 0.5\nbob cid 0.25",
    "mash triangle -E": "ann\tbob\t0.5\t0\t12/1000\nbob\tcid\t0.25\t1e-5\t9/1000\n",
    "decimal commas": "ann;bob;0,5\nbob;cid;0,25\n",
    "aligned": "ann   bob  0.5\nbob   cid  0.25\n",
    "remarks and blank lines": "# by hand\nann bob 0.5\n\nbob cid 0.25\n\n",
}


def test_ids_texts_and_labels_are_no_pairs_whatever_their_columns_are_called(write):
    rows = [f"w{i},word{i},{'NA' if i == 4 else 'AB'[i % 2]}" for i in range(9)]
    assert holds_objects(write("a.csv", "\n".join(["id,word,group", *rows])))
    assert not holds_objects(write("b.csv", "a,b,c\n" + "ann,bob,0.5\nbob,cid,x\ncid,ann,1\n"))


@pytest.mark.parametrize("layout", LISTS)
def test_lists_are_recognized(write, layout):
    text = LISTS[layout]
    for name, content in (
        ("a.txt", text),
        ("a", text),
        ("a.csv", text),
        ("a.txt.gz", gzip.compress(text.encode())),
        ("b.txt", text.encode("utf-16")),
    ):
        found = read_pairwise(write(name, content), kind="dissimilarity")
        X = found.block
        assert X.is_sparse and X.same_samples and X.is_symmetric, name
        assert_array_equal(X.row_ids, ["ann", "bob", "cid"])
        assert_array_equal(X.values.toarray(), SYMMETRIC)
        assert X.values.nnz == 7  # the three zeros of samples with themselves
        assert found.notes == ("3 of 3 samples are not listed with themselves; taken as 0.",)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (LISTS["header"], "dissimilarity"),
        (LISTS["mash triangle -E"], "dissimilarity"),
        (LISTS["header"].replace("distance", "weight"), "similarity"),
        ("a.fna\tb.fna\t97.5\t100\t120\nb.fna\ta.fna\t97.1\t99\t120\n", "similarity"),  # FastANI
    ],
)
def test_header_or_program_say_the_kind(write, text, kind):
    assert read_pairwise(write("a.tsv", text)).block.kind == kind


def test_kind_is_asked_for(write):
    with pytest.raises(FileError, match="does not say whether large values mean near"):
        read_pairwise(write("a.tsv", "a\tb\t1\nb\tc\t2\n"))
    assert read_pairwise(write("a.dist", "a\tb\t1\nb\tc\t2\n")).block.kind == "dissimilarity"


def test_numbers_as_ids(write):
    pairs = "0 1 0.5\n0 2 0.25\n1 2 0.75\n2 3 0.1\n"
    X, _ = read_pairwise(write("a.edgelist", pairs), kind="similarity")
    assert_array_equal(X.row_ids, ["0", "1", "2", "3"])
    X, _ = read_pairwise(write("a.csv", "1,2,3\n2,1,0\n3,0,1\n"), kind="similarity")
    assert X.shape == (3, 3) and X.row_ids is None  # a square block stays one


def test_networkx_writes_edge_lists(tmp_path):
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph()
    graph.add_weighted_edges_from([("ann", "bob", 0.5), ("bob", "cid", 0.25)])
    networkx.write_weighted_edgelist(graph, tmp_path / "a.edgelist")
    X, _ = read_pairwise(tmp_path / "a.edgelist", kind="similarity")
    expected = networkx.to_numpy_array(graph) + np.diag([0.5, 0.5, 0.25])
    assert_array_equal(dense(X), expected)


# --- what a list means


def test_missing_self_similarity_is_the_largest_there_is(write):
    X, _ = read_pairwise(write("a.tsv", "a\tb\t3\nb\tc\t2\nb\tb\t9\n"), kind="similarity")
    assert_array_equal(dense(X), [[3, 3, 0], [3, 9, 2], [0, 2, 2]])


def test_pairs_in_both_directions_are_asymmetric(write):
    path = write("a.tsv", "a\tb\t3\nb\ta\t2\nb\tc\t1\n")
    X, _ = read_pairwise(path, kind="similarity")
    assert_array_equal(dense(X), [[3, 3, 0], [2, 3, 1], [0, 0, 1]])
    with pytest.raises(FileError, match=r"line 2: the pair .*was on line 1 already, with another"):
        read_pairwise(path, kind="similarity", directed=False)
    path = write("b.tsv", "a\tb\t3\nb\tc\t1\n")
    X, _ = read_pairwise(path, kind="similarity", directed=True)
    assert_array_equal(dense(X), [[3, 3, 0], [0, 3, 1], [0, 0, 1]])


def test_other_ids_on_either_side_make_a_rectangle(write):
    X, _ = read_pairwise(write("a.tsv", "n\ta\t3\nm\tb\t2\nn\tb\t1\n"), kind="similarity")
    assert_array_equal(dense(X), [[3, 1], [0, 2]])
    assert_array_equal(X.row_ids, ["n", "m"])
    assert_array_equal(X.column_ids, ["a", "b"])
    assert not X.same_samples


def test_every_pair_known_is_dense(write):
    X, _ = read_pairwise(write("a.tsv", "a\tb\t3\na\tc\t1\nb\tc\t2\n"), kind="dissimilarity")
    assert not X.is_sparse
    assert_array_equal(X.values, [[0, 3, 1], [3, 0, 2], [1, 2, 0]])


def test_blank_scores_are_unknown(write):
    found = read_pairwise(write("a.tsv", "a\tb\tNA\na\tc\t1\nc\tb\t2\n"), kind="dissimilarity")
    assert found.block.values.nnz == 7
    assert "1 pairs have no score, and are unknown." in found.notes


def test_labels_are_joined_by_id(write, tmp_path):
    write("a.labels.tsv", "cid\tfox\nann\towl\n")
    found = read_pairwise(write("a.tsv", LISTS["tabs, windows"]), kind="similarity")
    assert found.labels.tolist() == ["owl", None, "fox"]


@drawn(30)
@given(st.integers(1, 9), st.integers(0, 40), st.integers(0, 99), st.sampled_from([None, True]))
def test_any_list_is_what_a_dictionary_says(tmp_path_factory, n, size, seed, directed):
    rng = np.random.default_rng(seed)
    pairs = {tuple(pair): rng.integers(1, 9) for pair in rng.integers(n, size=(size, 2)).tolist()}
    pairs = pairs or {(0, 0): 1}
    path = tmp_path_factory.mktemp("pairs") / "a.tsv"
    path.write_text("".join(f"s{i}\ts{j}\t{v}\n" for (i, j), v in pairs.items()))
    X, _ = read_pairwise(path, kind="similarity", format="pairs", directed=directed)
    both = directed or any((j, i) in pairs for i, j in pairs if i != j)
    for i, one in enumerate(X.row_ids):
        for j, other in enumerate(X.column_ids):
            pair = int(one[1:]), int(other[1:])
            expected = pairs.get(
                pair, 0 if both or not X.same_samples else pairs.get(pair[::-1], 0)
            )
            if pair[0] != pair[1] or pair in pairs:
                assert dense(X)[i, j] == expected


@pytest.mark.parametrize("size", [7, 64, 1 << 20])
def test_blocks_of_any_size_give_the_same(write, monkeypatch, size):
    rng = np.random.default_rng(0)
    lines = [f"s{i}\ts{j}\t{v}\n" for i, j, v in rng.integers(50, size=(300, 3))]
    path = write("a.tsv", "".join(dict.fromkeys(lines)))
    monkeypatch.setattr(pair_lines, "_BYTES_AT_ONCE", size)
    layout = pair_lines.PairLayout("\t", 3)
    found = pair_lines.read_pair_lines(path, layout)
    got = [f"{found.ids[i]}\t{found.ids[j]}\t{v:.0f}\n"
           for i, j, v in zip(found.first, found.second, found.scores, strict=True)]  # fmt: skip
    assert got == list(dict.fromkeys(lines))


# --- hits of searches

HITS = [
    ("p1", "p1", 100.0, 90, 0, 0, 1, 90, 1, 90, 0.0, 180.5),
    ("p1", "p2", 50.0, 80, 40, 1, 1, 80, 3, 82, 1e-20, 70.0),
    ("p1", "p2", 75.0, 20, 5, 0, 70, 90, 60, 80, 1e-3, 20.0),
    ("p2", "p1", 50.0, 80, 40, 1, 3, 82, 1, 80, 1e-19, 68.0),
    ("p3", "p1", 30.0, 70, 49, 2, 1, 70, 1, 70, 5.0, 12.0),
]
FIELDS = (
    "# BLASTP 2.15.0+\n# Query: p1\n# Database: all\n# Fields: query acc.ver, subject acc.ver, "
    "% identity, alignment length, mismatches, gap opens, q. start, q. end, s. start, s. end, "
    "evalue, bit score\n# 5 hits found\n"
)
MMSEQS = (
    "query\ttarget\tfident\talnlen\tmismatch\tgapopen\tqstart\tqend\ttstart\ttend\tevalue\tbits\n"
)


def hits(rows=HITS, share=False):
    rows = [(a, b, i / 100 if share else i, *more) for a, b, i, *more in rows]
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)


@pytest.mark.parametrize(
    "text",
    [hits(), FIELDS + hits() + "# BLAST processed 1 queries\n", hits(share=True),
     MMSEQS + hits(share=True)],
    ids=["outfmt 6", "outfmt 7", "mmseqs", "mmseqs with header"],
)  # fmt: skip
def test_hits(write, text):
    path = write("a.out", text)
    X, _ = read_pairwise(path)
    assert X.kind == "similarity" and X.is_sparse and not X.is_symmetric
    assert_array_equal(dense(X), [[180.5, 70, 0], [68, 70, 0], [12, 0, 12]])
    X, _ = read_pairwise(path, score="identity")
    assert_allclose(dense(X), [[1, 0.75, 0], [0.5, 0.75, 0], [0.3, 0, 0.3]])
    X, _ = read_pairwise(path, score="evalue")
    assert_allclose(dense(X), [[200, 20, 0], [19, 20, 0], [0, 0, 0]])
    X, _ = read_pairwise(path, score=4)  # the length of the alignment
    assert dense(X)[0, 1] == 80


def test_hits_are_similarities(write):
    with pytest.raises(FileError, match="bits are similarities"):
        read_pairwise(write("a.m8", hits()), kind="dissimilarity")
    with pytest.raises(FileError, match="has no column 'qcov'; it has query, target"):
        read_pairwise(write("a.m8", hits()), score="qcov")
    with pytest.raises(InputError, match="score=13 is no column of scores"):
        read_pairwise(write("a.m8", hits()), score=13)


def test_a_matrix_of_counts_is_no_search(write):
    counts = np.arange(144).reshape(12, 12)
    text = "\n".join(",".join(map(str, row)) for row in counts)
    assert_array_equal(read_pairwise(write("a.csv", text), kind="similarity").block.values, counts)


# --- queries against references


def test_queries_in_the_order_of_the_references(write):
    path = write("a.tsv", "n\ta\t3\nm\tb\t2\nn\tb\t1\nb\tm\t7\na\tb\t5\nn\tn\t9\n")
    X, _ = read_pairwise(path, kind="similarity", references=["b", "z", "a"])
    assert_array_equal(X.row_ids, ["n", "m"])
    assert_array_equal(X.column_ids, ["b", "z", "a"])
    assert_array_equal(dense(X), [[1, 0, 3], [2, 0, 0]])
    assert_array_equal(X.reverse.toarray(), [[0, 0, 0], [7, 0, 0]])
    assert not X.same_samples


def test_pairs_from_known_to_new(write):
    path = write("a.tsv", "a\tn\t3\nb\tm\t2\n")
    X, _ = read_pairwise(path, kind="similarity", references=["a", "b"])
    assert_array_equal(X.row_ids, ["n", "m"])
    assert_array_equal(dense(X), [[3, 0], [0, 2]])


def test_query_that_is_no_reference(write):
    path = write("a.tsv", "n\ta\t3\nm\tb\t2\nn\tx\t1\n")
    with pytest.raises(FileError, match=r"a\.tsv, line 3: 'x' is no reference \(1 such\)"):
        read_pairwise(path, kind="similarity", references=["a", "b"])
    with pytest.raises(FileError, match="is no reference"):
        read_pairwise(path, kind="similarity", references=["u", "v"])
    with pytest.raises(FileError, match="lists references alone"):
        read_pairwise(path, kind="similarity", references=["n", "m", "a", "b", "x"])


def test_matrices_against_references(write):
    path = write("a.csv", ",c,a,b,extra\nn,3,1,2,9\nm,6,4,5,9\n")
    X, _ = read_pairwise(path, kind="similarity", references=["a", "b", "c"])
    assert_array_equal(X.values, [[1, 2, 3], [4, 5, 6]])
    with pytest.raises(InputError, match="no column for the reference 'z'"):
        read_pairwise(path, kind="similarity", references=["a", "z"])
    path = write("b.csv", "7,2\n3,4\n5,6\n")
    assert read_pairwise(path, kind="similarity", references=["a", "b"]).block.shape == (3, 2)
    with pytest.raises(InputError, match="has 2 columns without ids, but there are 3 references"):
        read_pairwise(path, kind="similarity", references=["a", "b", "c"])


def test_new_among_all_samples():
    ids = ["n", "a", "b"]
    S = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9.0]])
    rows, X = against(Pairwise(S, "similarity", row_ids=ids, column_ids=ids), ["b", "a"])
    assert_array_equal(rows, [0])
    assert_array_equal(X.values, [[3, 2]])
    assert_array_equal(X.reverse, [[7, 4]])
    assert_array_equal(X.self_values, [1])
    all_of = Pairwise(sparse.csr_array(S), "similarity", row_ids=ids, column_ids=ids)
    _, X = against(all_of, ["z", "a"])
    assert_array_equal(dense(X), [[0, 2], [0, 8]])


# --- what is wrong


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("a\tb\t1\n" * 300 + "a\tb\n", "line 301: got 2 cells, expected 3"),
        ("a\tb\t1\n" * 300 + "a\tb\tx\n", "line 301, column 3: 'x' is not a finite number"),
        ("a\tb\t1\n" * 300 + "a\tc\tinf\n", "line 301, column 3: 'inf' is not a finite"),
        ("a\tb\t1\n" * 300 + "\tb\t1\n", "line 301: an id is blank"),
        ("a\tb\t1\n" * 300 + "b\ta\t2\na\tb\t3\n", r"line \d+: the pair 'a', 'b' was on line 1"),
        ("a\tb\t1\n" * 300 + "\udcff\tb\t1\n", "not UTF-8"),
    ],
)
def test_errors_name_the_line(write, text, match):
    path = write("a.tsv", text.encode("utf-8", "surrogateescape"))
    with pytest.raises(FileError, match=match):
        read_pairwise(path, kind="similarity")


def test_what_is_no_list(write):
    with pytest.raises(FileError, match="is no list of pairs: expected two ids and a number"):
        read_pairwise(write("a.txt", "one\ntwo\n"), kind="similarity", format="pairs")
    with pytest.raises(InputError, match="format='edges' is unknown"):
        read_pairwise(write("a.txt", "one\ntwo\n"), kind="similarity", format="edges")


@pytest.mark.parametrize("score", [4, "similarity"])
def test_the_score_that_is_said_stands_below_any_names(write, score):
    rows = "g1\tg2\t7\t0.5\ng2\tg3\t8\t0.25\ng1\tg3\t8\t0.75\n"
    path = write("a.tsv", "gene1\tgene2\tn\tsimilarity\n" + rows)
    found = read_pairwise(path, kind="similarity", format="pairs", score=score)
    assert_allclose(dense(found.block)[0], [0.75, 0.5, 0.75])
    with pytest.raises(FileError, match=r"If there are more columns, say which .* score=4"):
        read_pairwise(path, kind="similarity", format="pairs")
    numbers = write("b.tsv", "a\tb\tc\td\n1\t2\t3\t4\n2\t3\t4\t5\n")
    with pytest.raises(FileError, match=r"a header at most\.$"):  # no word of what was just said
        read_pairwise(numbers, kind="similarity", format="pairs", score=score)


def test_nothing_at_all_is_refused(tmp_path):
    path = tmp_path / "a.edgelist"
    path.write_text("a b 1\nb c 2\n")
    with pytest.raises(InputError, match="references is empty"):
        read_pairwise(path, kind="similarity", references=[])
    path.write_text("# nothing\nsource\ttarget\tdistance\n#a\tb\t1\n")
    with pytest.raises(FileError):
        read_pairwise(path, missing="unknown", format="pairs")


def test_numbers_as_ids_below_a_header(write):
    rows = [f"{i},{j},{abs(i - j)}" for i in range(1, 6) for j in range(i + 1, 6)]
    found = read_pairwise(write("a.csv", "\n".join(["i,j,distance", *rows])))
    assert found.block.shape == (5, 5) and found.block.kind == "dissimilarity"


def test_pairs_that_are_known_in_one_direction_alone_are_told(write):
    rows = ["a,b,0.5", "a,c,0.2", "b,c,0.3", "b,a,0.5"]
    found = read_pairwise(write("a.csv", "\n".join(["from,to,similarity", *rows])))
    assert "1 are listed in both directions and 2 in one" in found.notes[-1]
    for some, directed in ((rows, False), (rows[:3], None), ([*rows, "c,a,1", "c,b,2"], None)):
        path = write("b.csv", "\n".join(["from,to,similarity", *some]))
        assert not any("direction" in n for n in read_pairwise(path, directed=directed).notes)


def test_a_column_of_scores_makes_it_a_list_of_pairs(write):
    rows = ["p1\tp2\t1e-9\t55", "p1\tp3\t1e-3\t20", "p2\tp3\t1e-4\t22"]
    found = read_pairwise(write("a.tsv", "\n".join(rows)), score=4, kind="similarity")
    assert found.block.shape == (3, 3) and found.block.values.max() == 55
