"""Tables whose cells are codes, and tables of numbers in which one cell is a slip."""

import pytest

from similearn import read_objects
from similearn.errors import FileError


def table(path, columns, slips):
    """Twelve rows; `slips` are the cells of the first column that are no numbers."""
    first = [*(f"{i}.5" for i in range(12 - len(slips))), *slips]
    rows = [[f"s{i}", one, *["2"] * (len(columns) - 1)] for i, one in enumerate(first)]
    path.write_text("\n".join(",".join(row) for row in [["id", *columns], *rows]))
    return path


@pytest.mark.parametrize("slip", ["abc", "-", "1.2 cm"])
@pytest.mark.parametrize("columns", [("width",), ("width", "height")])
def test_a_slip_makes_no_words_of_a_column_of_numbers(tmp_path, slip, columns):
    file = table(tmp_path / "a.csv", columns, [slip])
    other = "strings" if len(columns) == 1 else "categories"
    with pytest.raises(FileError, match=f"line 13, column 'width': '{slip}' .*what='{other}'"):
        read_objects(file)
    assert read_objects(file, what=other).what == other


def test_codes_of_which_some_are_numbers_are_words(tmp_path):
    codes = table(tmp_path / "a.csv", ["code", "height"], ["A1", "B2", "C3"])
    assert read_objects(codes).what == "categories"
    texts = table(tmp_path / "b.csv", ["text"], ["abc"])
    assert read_objects(texts).what == "strings"
    beside_words = tmp_path / "c.csv"
    rows = [f"{i},{'red' if i % 2 else 'blue'}" for i in range(11)]
    beside_words.write_text("\n".join(["size,colour", *rows, "x,red"]))
    assert read_objects(beside_words).what == "categories"


def test_numbers_are_codes_if_it_is_said(tmp_path):
    file = table(tmp_path / "a.csv", ["q1", "q2"], [""])
    found = read_objects(file, what="categories")
    assert found.what == "categories" and found.columns == ("q1", "q2")
    assert found.objects[0].tolist() == ["0.5", "2"] and found.objects[11, 0] == ""
    assert not any("count as categories" in note for note in found.notes)
