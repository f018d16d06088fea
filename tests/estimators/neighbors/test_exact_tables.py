"""The table of neighbours equals the search in the dense block, whoever computes it."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from benchmarks.names import make_names
from similearn import NeighborTable, Pairwise, PairwiseSimilarity, neighbor_table
from similearn.data.lazy import table_building
from similearn.errors import FileError, InputError, InputTypeError
from similearn.similarities import Levenshtein

NAMES = make_names(300)[0]


@pytest.fixture(autouse=True)
def several_tasks(monkeypatch):
    monkeypatch.setattr(table_building, "_FEWEST_FAST_ROWS", 64)


def shifted_gap(a, b):
    """An asymmetric function with ties."""
    return abs(len(a) - len(b)) + (0.5 if a < b else 0.0)


def shared_letters(a, b):
    return len(set(a) & set(b)) / 3


FUNCTIONS = {
    "by a matrix": ("levenshtein", {}),
    "asymmetric matrix": (Levenshtein(insertion=2), {}),
    "asymmetric function": (shifted_gap, {"kind": "dissimilarity", "symmetric": False}),
    "similarity": (shared_letters, {"kind": "similarity", "symmetric": True}),
}


def require_equal(table, block, k):
    near, values = block.nearest(k, skip_self=True)
    assert table.kind == block.kind
    assert_array_equal(table.neighbors, near)
    assert_array_equal(table.values, values)


@pytest.mark.parametrize(
    ("case", "n_jobs"),
    [*((case, 1) for case in FUNCTIONS), ("by a matrix", 2), ("asymmetric function", 2)],
)
def test_equals_the_dense_search(case, n_jobs):
    function, told = FUNCTIONS[case]
    names = NAMES if case.endswith("matrix") else NAMES[:150]
    block = PairwiseSimilarity(function, **told).fit_transform(names)
    require_equal(neighbor_table(names, 7, function, **told, n_jobs=n_jobs), block, 7)


def test_rows_of_numbers_and_blocks():
    X = np.random.default_rng(0).integers(4, size=(130, 3)).astype(float)
    block = PairwiseSimilarity("euclidean").fit_transform(X)
    require_equal(neighbor_table(X, 9), block, 9)
    require_equal(neighbor_table(block, 9), block, 9)


def test_goes_on_after_a_stop_without_comparing_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(table_building, "SECONDS_BETWEEN_SAVES", 0.0)
    compared = []

    def gap(a, b):
        compared.append((a, b))
        if stop_after and len(compared) > stop_after:
            raise KeyboardInterrupt
        return abs(len(a) - len(b))

    def table():
        return neighbor_table(
            names, 5, gap, kind="dissimilarity", symmetric=True, path=tmp_path / "t.npz"
        )

    names, stop_after = NAMES[:200], 9000
    with pytest.raises(KeyboardInterrupt):
        table()
    assert [file.name for file in tmp_path.iterdir()] == ["t.npz.part"]
    before, stop_after = len(compared), 0
    found = table()
    pairs = len(names) * (len(names) - 1) // 2
    own_squares = 7 * 32 * 33 // 2
    assert len(compared) - before < pairs + own_squares - 0.4 * before
    assert [file.name for file in tmp_path.iterdir()] == ["t.npz"]
    count = len(compared)
    again = table()
    assert len(compared) == count
    assert_array_equal(again.neighbors, found.neighbors)
    gaps = PairwiseSimilarity(gap, kind="dissimilarity", symmetric=True).fit_transform(names)
    require_equal(found, gaps, 5)


def test_a_file_of_other_work_is_refused(tmp_path):
    path = tmp_path / "table.npz"
    table = neighbor_table(NAMES[:50], 4, "levenshtein", path=path)
    assert_array_equal(NeighborTable.load(path).neighbors, table.neighbors)
    fewer = neighbor_table(NAMES[:50], 3, "levenshtein", path=path)
    assert_array_equal(fewer.neighbors, table.neighbors[:, :3])
    for X, function in ((NAMES[:51], "levenshtein"), (NAMES[:50], "indel")):
        with pytest.raises(InputError, match="other objects, or by another function"):
            neighbor_table(X, 4, function, path=path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(FileError, match="damaged"):
        neighbor_table(NAMES[:50], 4, "levenshtein", path=path)


def test_refusals(tmp_path):
    with pytest.raises(InputError, match="k=50 is larger than 49"):
        neighbor_table(NAMES[:50], 50, "levenshtein")
    with pytest.raises(InputError, match="no neighbours"):
        neighbor_table(NAMES[:1], 1, "levenshtein")
    with pytest.raises(InputTypeError, match="k='2'"):
        neighbor_table(NAMES[:5], "2", "levenshtein")
    with pytest.raises(InputError, match="objects 0 and 0"):
        neighbor_table(NAMES, 2, lambda a, b: np.nan, kind="similarity", symmetric=True)
    with pytest.raises(InputError, match="samples with themselves"):
        neighbor_table(Pairwise(np.ones((2, 3)), "similarity"), 1)
    (tmp_path / "no").touch()
    with pytest.raises(FileError, match="cannot be written"):  # before anything is compared
        neighbor_table(NAMES[:5], 2, lambda a, b: 1 / 0, kind="similarity", symmetric=True,
                       path=tmp_path / "no" / "table.npz")  # fmt: skip


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"neighbors": [[1], [0], [3]]}, "outside of 0 to 2"),
        ({"neighbors": [[0], [0], [1]]}, "its own neighbour"),
        ({"values": [[1.0], [np.nan], [2.0]]}, "NaN"),
        ({"values": [1.0, 2.0, 3.0]}, "shape"),
        ({"kind": "distance"}, "unknown"),
        (
            {"neighbors": [[1, 2], [0, 2], [0, 1]], "values": [[2.0, 1.0]] * 3},
            "not in order",
        ),
    ],
)
def test_a_table_that_is_not_sound_is_refused(change, told):
    sound = {"neighbors": [[1], [0], [1]], "values": [[1.0], [1.0], [2.0]], "kind": "dissimilarity"}
    NeighborTable(**sound)
    with pytest.raises(InputError, match=told):
        NeighborTable(**sound | change)
