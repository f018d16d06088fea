"""First lines that may be headers."""

import pytest
from numpy.testing import assert_array_equal

from similearn import read_objects
from similearn.errors import FileError


@pytest.fixture
def write(tmp_path):
    def writer(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return writer


def test_a_first_line_whose_label_stands_alone_may_be_a_header(write):
    path = write("a.csv", "nome,lingua\nAnna,it\nBob,en\nZoe,en\nYan,it\nEve,it\n")
    found = read_objects(path)
    assert len(found) == 6 and found.notes[1] == (
        f"{path}: its first line (`nome`, `lingua`) was taken as a sample; its label, `lingua`, "
        "occurs nowhere else. If it is a header, name its columns: column='nome' labels='lingua'."
    )
    found = read_objects(path, column="nome", labels="lingua")
    assert found.objects == ["Anna", "Bob", "Zoe", "Yan", "Eve"] and len(found.notes) == 1
    for text in ("Ann,it\nBob,en\nZoe,en\nYan,it\n", "Ann,it\nBob,en\n", "Ann,1\nBob,2\nZoe,2\n"):
        assert not any("first line" in note for note in read_objects(write("b.csv", text)).notes)


@pytest.mark.parametrize("name", ["a.csv", "a.txt"])
def test_headers_of_objects_and_of_labels_are_named_apart(write, name):
    labels = write("y.csv", "lingua\nit\nen\nen\nit\n")
    path = write(name, "nome\nAnna\nBob\nZoe\nYan\n")
    told = f"columns: column='nome' labels=(Path('{labels}'), 'lingua')."
    assert read_objects(path, labels=labels).notes[-1].endswith(told)
    found = read_objects(path, column="nome", labels=(labels, "lingua"))
    assert found.objects == ["Anna", "Bob", "Zoe", "Yan"] and found.column == "nome"
    assert_array_equal(found.labels, ["it", "en", "en", "it"])
    with pytest.raises(FileError, match=r"the first of them a heading, 'lingua'\? .*or name it"):
        read_objects(path, column="nome", labels=labels)
    with pytest.raises(FileError, match="Is the first sample a heading"):
        read_objects(path, labels=(labels, "lingua"))


def test_a_usual_heading_above_one_column_is_told(write):
    path = write("a.csv", "surname\nRossi\nRusso\n")
    assert read_objects(path).notes[-1] == (
        f"{path}: its first line (`surname`) was taken as a sample. If it is a header, name the "
        "column: column='surname'."
    )
    with_header = read_objects(write("b.csv", "surname,language\nRossi,it\nRusso,it\n"))
    assert with_header.columns == ("surname", "language")


def test_unknown_columns_are_refused_with_the_first_line(write):
    path = write("a.csv", "nome,lingua\nAnna,it\nBob,en\nZoe,en\n")
    with pytest.raises(FileError, match="1, 2, without a header: its first line is `nome`, `ling"):
        read_objects(path, column="name")
    with pytest.raises(FileError, match=r"its first line is `nome`, `lingua`\) nor a file"):
        read_objects(path, labels="language")
    path = write("a.txt", "nome\nAnna\n")
    with pytest.raises(FileError, match="an object on each line, and the first is `nome`"):
        read_objects(path, column="name")
    with pytest.raises(FileError, match=r"a header .line 1. but no objects"):
        read_objects(write("b.txt", "nome\n"), column="nome")
