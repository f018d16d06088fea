"""PHYLIP and MEGA matrices in the layouts of the programs that write them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from similearn import read_pairwise
from similearn.errors import FileError, InputError

D = np.array([[0, 0.1, 0.25], [0.1, 0, 0.5], [0.25, 0.5, 0]])
IDS = ["ann", "bob", "cid"]

LAYOUTS = {
    "square": "3\nann 0 0.1 0.25\nbob 0.1 0 0.5\ncid 0.25 0.5 0\n",
    "square, padded": "    3\nann         0.0000  0.1000  0.2500\nbob         0.1 0 0.5\n"
    "cid         0.25    0.5     0\n",
    "mash triangle": "\t3\nann\nbob\t0.1\ncid\t0.25\t0.5\n",
    "lower with diagonal": "3\nann 0\nbob 0.1 0\ncid 0.25 0.5 0\n",
    "upper": "3\nann 0.1 0.25\nbob 0.5\ncid\n",
    "wrapped": "3\nann   0 0.1\n   0.25\nbob  0.1 0\n  0.5\ncid  0.25 0.5\n  0\n",
    "windows, blank lines": "3\r\nann 0 0.1 0.25\r\n\r\nbob 0.1 0 0.5\r\ncid 0.25 0.5 0\r\n\r\n",
}


@pytest.fixture
def write(tmp_path):
    def writer(name, text):
        (tmp_path / name).write_text(text, newline="")
        return tmp_path / name

    return writer


@pytest.mark.parametrize("layout", LAYOUTS)
def test_phylip(write, layout):
    X, y = read_pairwise(write("a.phy", LAYOUTS[layout]))
    assert_array_equal(X.values, D)
    assert_array_equal(X.row_ids, IDS)
    assert X.kind == "dissimilarity" and X.same_samples and y is None


@pytest.mark.parametrize("layout", ["square", "mash triangle"])
@pytest.mark.parametrize("name", ["a", "a.txt", "a.dist", "a.out"])
def test_phylip_is_recognized_by_content(write, layout, name):
    assert_array_equal(read_pairwise(write(name, LAYOUTS[layout])).block.values, D)


def test_strict_names_have_ten_characters(write):
    text = "2\nHomo sapie0.0  0.5\nPan trogl 0.5  0.0\n"
    X, _ = read_pairwise(write("a.phy", text))
    assert_array_equal(X.row_ids, ["Homo sapie", "Pan trogl"])
    assert_array_equal(X.values, [[0, 0.5], [0.5, 0]])


def test_names_with_blanks_end_at_a_tab(write):
    X, _ = read_pairwise(write("a.phy", "2\nHomo sapiens\t0\t0.5\nPan\t0.5\t0\n"))
    assert_array_equal(X.row_ids, ["Homo sapiens", "Pan"])


def test_identities_of_fastani_need_their_kind(write):
    path = write("a.matrix", "3\na.fna\nb.fna\t97.5\nc.fna\t80.25\tNA\n")
    with pytest.raises(FileError, match="does not say whether large values mean near"):
        read_pairwise(path, missing="unknown")
    with pytest.raises(FileError, match=r"line 4: 'NA' is no finite number.*missing='unknown'"):
        read_pairwise(path, kind="similarity")
    found = read_pairwise(path, kind="similarity", missing="unknown")
    expected = [[97.5, 97.5, 80.25], [97.5, 97.5, 0], [80.25, 0, 80.25]]
    assert_array_equal(found.block.values.toarray(), expected)
    assert "leaves out what samples are to themselves" in found.notes[0]


def test_holes_of_a_dissimilarity_stay_unknown(write):
    X, _ = read_pairwise(write("a.phy", "3\na\nb 0\nc NA 0.5\n"), missing="unknown")
    assert X.is_sparse and not X.is_complete
    assert X.values.nnz == 7  # zeros are stored: they mean "the same"
    assert X.nearest(3)[1][0].tolist() == [0, 0, np.inf]


MEGA = """#mega
!Title: three people;
!Format DataType=Distance DataFormat=LowerLeft NTaxa=3;
!Description
    made by hand;

[1] #ann
[2] #bob
[3] #cid

[                 1          2          3 ]
[1]
[2]      0.1000
[3]      0.2500     0.5000
"""


def test_mega(write):
    X, _ = read_pairwise(write("a.meg", MEGA))
    assert_array_equal(X.values, D)
    assert_array_equal(X.row_ids, IDS)
    upper = "#mega\n!Title x;\n#ann\n#bob\n#cid\n\n 0.1 0.25\n 0.5\n"
    assert_array_equal(read_pairwise(write("b.txt", upper)).block.values, D)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("3\nann 0 1 2\nbob 1 0\ncid 2 3 0\n", r"line 3: got 2 numbers after the name 'bob'"),
        ("3\nann 0 1 2\nbob 1 0 3\n", r"announces 3 samples, but 2 lines follow"),
        ("2\nann 0 x\nbob 1 0\n", r"line 2: 'x' is not a number"),
        ("two\nann 0\n", r"line 1: expected the number of samples, got 'two'"),
        ("2\nann 0 1\nbob 1 0\ncid 1 1\n", r"line \d"),
    ],
)
def test_what_is_wrong_with_phylip(write, text, match):
    with pytest.raises(FileError, match=match):
        read_pairwise(write("a.phy", text))


def test_repeated_names(write):
    with pytest.raises(InputError, match=r"line 3: the id 'ann' was on line 2 already"):
        read_pairwise(write("a.phy", "2\nann 0 1\nann 1 0\n"))


def test_what_is_wrong_with_mega(write):
    with pytest.raises(FileError, match="got 2 numbers in 1 rows for 3 samples; expected 3"):
        read_pairwise(write("a.meg", MEGA.replace("[2]      0.1000\n", "")))
    with pytest.raises(FileError, match="names no samples"):
        read_pairwise(write("a.meg", "#mega\n!Title x;\n0.5\n"))


def test_biopython_writes_phylip(tmp_path):
    matrix = pytest.importorskip("Bio.Phylo.TreeConstruction").DistanceMatrix
    lower = [[0], [0.1, 0], [0.25, 0.5, 0]]
    with open(tmp_path / "a.phy", "w") as file:
        matrix(IDS, lower).format_phylip(file)
    assert_allclose(read_pairwise(tmp_path / "a.phy").block.values, D)
