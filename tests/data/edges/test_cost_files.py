"""Files that say what mistakes cost."""

import numpy as np
import pytest

from similearn.data.edges.cost_files import read_costs
from similearn.errors import FileError

LABELS = np.array(["a", "b", "c"])


def written(tmp_path, text):
    path = tmp_path / "costs.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "decided,true,cost\na,b,5\nb , c, -1\n",
        "\ufeff# what it costs\na\tb\t5\n\nb\tc\t-1",
    ],
)
def test_pairs(tmp_path, text):
    assert read_costs(written(tmp_path, text), LABELS) == {("a", "b"): 5.0, ("b", "c"): -1.0}


def test_labels_keep_their_type(tmp_path):
    costs = read_costs(written(tmp_path, "1,2,3"), np.array([1, 2, 2]))
    assert costs == {(1, 2): 3.0} and type(next(iter(costs))[0]) is int


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b", "line 1: 2 columns"),
        ("a,b,1\na,x,1", "line 2: no sample has the label x; there are a, b, c"),
        ("a,b,much", "'much' is no finite number"),
        ("a,b,nan", "'nan' is no finite number"),
        ("a,b,1\na,b,2", "line 2: the pair a, b comes twice"),
        ("# nothing", "holds no costs"),
    ],
)
def test_faults(tmp_path, text, message):
    with pytest.raises(FileError, match=message):
        read_costs(written(tmp_path, text), LABELS)


def test_no_file_or_no_text(tmp_path):
    with pytest.raises(FileError):
        read_costs(tmp_path / "none.csv", LABELS)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FileError):
        read_costs(tmp_path / "bytes", LABELS)
