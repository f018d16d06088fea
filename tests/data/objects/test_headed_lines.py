"""A first line of names is no object: it tells the order of the others."""

import pytest

from similearn.data.objects.single_objects import LineReader
from similearn.errors import InputError


def test_a_header_without_a_column_is_no_sample():
    reader = LineReader("categories", ["q1", "q2", "q3"], 0)
    with pytest.raises(InputError, match=r"without the column 'q3' \(1 of 3 are missing\)"):
        list(reader.objects(["q2,q1,q9\n"]))
    numbered = LineReader("categories", ["1", "2"], 0)  # whose names may be data as well
    assert [row.tolist() for _, row in numbered.objects(["2,1", "1,1"])] == [["2", "1"], ["1", "1"]]
    sets = LineReader("sets", None, 0, ["items"])  # of which a first one may hold any word
    assert [one for _, one in sets.objects(["beer,items"])] == [{"beer", "items"}]


def test_the_header_of_a_matrix_names_its_columns():
    reader = LineReader(None, None, 3, ["s0", "s1", "s2"])
    (found,) = reader.objects([",s2,s0,s1\n", "new,3,1,2\n"])
    assert found[0] == "new" and found[1].tolist() == [1, 2, 3]
