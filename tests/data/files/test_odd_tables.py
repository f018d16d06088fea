"""Tables as people have them: remarks, separators at the end, blanks, commas, further columns."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from similearn import read_objects, read_pairwise
from similearn.errors import FileError, SimilearnError
from similearn.experiments.things.samples_read import read_samples

D = np.array([[0, 1.5, 2], [1.5, 0, 3], [2, 3, 0]])
TABLES = {
    "remarks": "# made by R\n# on Monday\nid,a,b,c\na,0,1.5,2\nb,1.5,0,3\nc,2,3,0\n",
    "remark before lsmat": "# a remark\n\ta\tb\tc\na\t0\t1.5\t2\nb\t1.5\t0\t3\nc\t2\t3\t0\n",
    "a hash is a title": "#SampleID,a,b,c\na,0,1.5,2\nb,1.5,0,3\nc,2,3,0\n",
    "tabs at the end": "\ta\tb\tc\t\na\t0\t1.5\t2\t\nb\t1.5\t0\t3\t\nc\t2\t3\t0\t\n",
    "write.table of R": '"a" "b" "c"\n"a" 0 1.5 2\n"b" 1.5 0 3\n"c" 2 3 0\n',
    "write.csv of R": '"","a","b","c"\n"a",0,1.5,2\n"b",1.5,0,3\n"c",2,3,0\n',
    "decimal commas in quotes": 'id,a,b,c\na,0,"1,5",2\nb,"1,5",0,3\nc,2,3,0\n',
    "decimal commas": "id;a;b;c\na;0;1,5;2\nb;1,5;0;3\nc;2;3;0\n",
    "another order": "id,c,a,b\na,2,0,1.5\nb,3,1.5,0\nc,0,2,3\n",
    "words beside": "id,a,remark,b,c\na,0,good,1.5,2\nb,1.5,bad,0,3\nc,2,,3,0\n",
}


@pytest.fixture
def write(tmp_path):
    def written(text, name="t.csv", encoding="utf-8"):
        (tmp_path / name).write_bytes(text.encode(encoding))
        return tmp_path / name

    return written


@pytest.mark.parametrize("layout", TABLES)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_what_is_meant_is_read(write, layout, ends):
    X, _ = read_pairwise(write(TABLES[layout].replace("\n", ends)))
    assert_array_equal(X.values, D)
    assert_array_equal(X.row_ids, ["a", "b", "c"])
    assert X.kind == "dissimilarity" and X.same_samples


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_encodings(write, encoding):
    text = TABLES["another order"].replace("b", "bé")
    assert read_pairwise(write(text, encoding=encoding)).block.row_ids[1] == "bé"


def test_numbers_alone_as_numpy_writes_them(tmp_path):
    np.savetxt(tmp_path / "t.txt", D, header="distances of three")
    X, _ = read_pairwise(tmp_path / "t.txt")
    assert_array_equal(X.values, D)
    assert X.kind == "dissimilarity" and X.row_ids is None


def test_a_thousand_is_no_decimal(write):
    with pytest.raises(FileError, match=r"line 2, column 3: '1,500' is not a number"):
        read_pairwise(write('id,a,b\na,0,"1,500"\nb,"1,500",0\n'))


def test_columns_that_name_no_sample(write):
    text = "id,a,b,age\na,0,1,33\nb,1,0,44\n"
    wide = read_pairwise(write(text)).block
    assert wide.shape == (2, 3) and wide.kind == "dissimilarity"  # a block of two against three
    samples = read_samples([write(text)], labels=["x", "y"])
    assert_array_equal(samples.data.values, [[0, 1], [1, 0]])
    assert samples.notes[-1] == "Columns that name no sample were left out: age."


@pytest.mark.parametrize("y", [[1.0, np.nan, 2.0], ["1", "NA", "2"], ["1", "", "2"]])
def test_samples_without_a_label_in_arrays(tmp_path, y):
    np.savez(tmp_path / "t.npz", D=D, y=np.array(y))
    found = read_pairwise(tmp_path / "t.npz")
    assert [None if label is None else str(label) for label in found.labels] == ["1", None, "2"]
    assert "1 of 3 samples have no label." in found.notes
    np.savez(tmp_path / "u.npz", D=D, y=np.full(3, np.nan))
    with pytest.raises(FileError, match="no label for any sample"):
        read_pairwise(tmp_path / "u.npz")


def test_labels_are_named_plainly(write):
    labels = write("id,class\na,x\nb,NA\nc,y\nd,z\n", "labels.csv")
    found = read_pairwise(write(TABLES["remarks"]), labels=labels)
    assert found.labels.tolist() == ["x", None, "y"]
    assert "the first is 'd'; they were left out." in found.notes[-2]


# --- labels: what is taken for what


SQUARE = "0,1,2\n1,0,3\n2,3,0\n"
WITH_IDS = ",a,b,c\na,0,1,2\nb,1,0,3\nc,2,3,0\n"


def test_labels_in_the_order_of_the_lines_are_told(tmp_path):
    plain, named = tmp_path / "plain.csv", tmp_path / "named.csv"
    plain.write_text(SQUARE)
    named.write_text(WITH_IDS)
    by_id, in_order = tmp_path / "by-id.tsv", tmp_path / "order.txt"
    by_id.write_text("id\tkind of thing\nc\tz\nb\ty\na\tx\n")
    in_order.write_text("x\ny\nz\n")
    told = f"{by_id} has ids, but {plain} has none: labels were taken in the order of the lines."
    found = read_pairwise(plain, labels=by_id)
    assert_array_equal(found.labels, ["z", "y", "x"])  # and the heading is none of them
    assert told in found.notes
    found = read_pairwise(named, labels=in_order)
    assert f"{named} has ids, but {in_order} has none" in " ".join(found.notes)
    found = read_pairwise(named, labels=by_id)
    assert_array_equal(found.labels, ["x", "y", "z"])
    assert not any("order" in note for note in found.notes)


def test_labels_from_a_file_beside_are_told(tmp_path):
    (tmp_path / "s.csv").write_text(SQUARE)
    (tmp_path / "s.labels.txt").write_text("x\ny\nNA\n")
    found = read_pairwise(tmp_path / "s.csv")
    assert f"Labels from {tmp_path / 's.labels.txt'}." in found.notes
    assert "'NA' among the labels stands for no label." in found.notes
    assert list(found.labels) == ["x", "y", None]


def test_labels_are_joined_by_the_column_that_names_the_samples(tmp_path):
    (tmp_path / "s.csv").write_text(WITH_IDS)
    (tmp_path / "l.csv").write_text("name,accession,label\nAnna,c,z\nBob,b,y\nZoe,a,x\n")
    found = read_pairwise(tmp_path / "s.csv", labels=tmp_path / "l.csv")
    assert_array_equal(found.labels, ["x", "y", "z"])


def test_labels_in_a_column_of_a_matrix_by_its_name(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,species,a,b,c\na,x,0,1.5,2\nb,y,1.5,0,3\nc,x,2,3,0\n")
    found = read_pairwise(path, labels="species")
    assert_array_equal(found.labels, ["x", "y", "x"])
    assert_array_equal(found.block.values, D)
    with pytest.raises(FileError, match="genus does not exist"):
        read_pairwise(path, labels="genus")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("id,x,z,species\na,1,2,fox\nb,2,2,elk\nc,1,1,fox\n", "'fox' is not a number.* auto"),
        ("id,x,z,label\na,1,2,fox\nb,2,2,elk\nc,1,1,fox\n", "shape 3 × 2.*--similarity auto"),
        (";a;b;c\na;0;2;2\nb;3;0;5,498.1\nc;2;5;0\n", "'5,498.1' is not a number. Write numbers w"),
        (";a;b;c\na;0;2;2\nb;3;0;5.498,1\nc;2;5;0\n", "'5.498,1' is not a number. Write numbers w"),
        (",a,b,c\na,1%,2%,3%\nb,2%,1%,5%\nc,3%,5%,1%\n", "'1%' is not a number. Write perc"),
    ],
)
def test_tables_that_are_no_matrix_get_a_hint(tmp_path, text, told):
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(SimilearnError, match=told):
        read_samples([tmp_path / "a.csv"], format="table" if ";" in text else None)


def test_words_beside_a_matrix_get_a_hint(tmp_path):
    (tmp_path / "a.csv").write_text(WITH_IDS)
    (tmp_path / "b.csv").write_text("id,size,species\na,1,fox\nb,2,elk\nc,3,fox\n")
    with pytest.raises(SimilearnError, match="--features FILE"):
        read_samples([tmp_path / "a.csv", tmp_path / "b.csv"])


@pytest.mark.parametrize("mark", [";", "\t"])
def test_decimal_commas_beside_words(tmp_path, mark):
    rows = ["name;family;long, cm;wide", "Anna;it;1,5;2", "Bob;en;2,25;3", "Zoe;en;2;3"]
    (tmp_path / "a.csv").write_text("\n".join(rows).replace(";", mark))
    found = read_objects(tmp_path / "a.csv", labels="family")
    assert found.what == "numbers" and found.columns == ("long, cm", "wide")
    assert_array_equal(found.objects, [[1.5, 2], [2.25, 3], [2, 3]])


@pytest.mark.parametrize("cut", [np.tril, np.triu])
def test_a_triangle_filled_up_with_zeros_is_mirrored(tmp_path, cut):
    np.savetxt(tmp_path / "a.csv", cut(D), delimiter=",")
    np.save(tmp_path / "a.npy", cut(D))
    for name in ("a.csv", "a.npy"):
        found = read_pairwise(tmp_path / name)
        assert_array_equal(found.block.values, D)
        assert "read as a triangle, and mirrored" in found.notes[0]
    holes = cut(D) * (D != 1.5)
    np.save(tmp_path / "b.npy", holes)  # zeros on both sides: a sparse, directed similarity
    assert_array_equal(read_pairwise(tmp_path / "b.npy", kind="similarity").block.values, holes)


def test_line_breaks_within_quotation_marks(tmp_path):
    rows = 'id,text,label\n1,"two\nlines, a ""word""",x\n2,one,y\n3,"three\n\nlines",x\n'
    (tmp_path / "a.csv").write_text(rows)
    found = read_objects(tmp_path / "a.csv")
    assert found.objects == ['two\nlines, a "word"', "one", "three\nlines"]
    assert_array_equal(found.labels, ["x", "y", "x"])
    (tmp_path / "b.tsv").write_text('id\ttext\na\t5" wide\nb\t"open\nc\t"open too\nd\tno\n')
    found = read_objects(tmp_path / "b.tsv")
    assert found.objects == ['5" wide', "open", "open too", "no"]


FOUR = "0,1,5,6\n1,0,6,5\n5,6,0,1\n6,5,1,0\n"
BELOW_EACH_OTHER = "dog,0,1,5,6\ndog,1,0,6,5\ncat,5,6,0,1\ncat,6,5,1,0\n"
NAMED = {
    "columns": "dog,dog,cat,cat\n" + FOUR,
    "rows": BELOW_EACH_OTHER,
    "both": ",dog,dog,cat,cat\n" + BELOW_EACH_OTHER,
}


@pytest.mark.parametrize("named", NAMED)
def test_names_that_repeat_are_labels(write, named):
    found = read_pairwise(write(NAMED[named]))
    assert_array_equal(found.labels, ["dog", "dog", "cat", "cat"])
    assert found.block.row_ids is None and found.block.shape == (4, 4)
    assert "no ids but labels" in " ".join(found.notes)
    given = read_pairwise(write(NAMED[named]), labels=[1, 2, 1, 2])
    assert_array_equal(given.labels, [1, 2, 1, 2])


def test_queries_below_names_of_classes(write):
    found = read_pairwise(write("dog,dog,cat,cat\n1,2,6,6\n"), kind="dissimilarity", labels=None)
    assert found.block.shape == (1, 4) and found.block.column_ids is None
    assert "in the order of the file" in " ".join(found.notes)


@pytest.mark.parametrize(
    "text", ["a,a,b,c\n" + FOUR, NAMED["both"].replace("cat,5", "dog,5"), "a,1\na,2\nb,1\nb,2\n"]
)
def test_ids_that_repeat_by_mistake_are_refused(write, text):
    with pytest.raises(SimilearnError, match="unique"):
        read_pairwise(write(text), kind="dissimilarity")
