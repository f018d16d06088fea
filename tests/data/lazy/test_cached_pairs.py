"""Values of lazy blocks that are kept on disk."""

import os
import pickle
import signal

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from similearn import NeighborsClassifier, PairwiseSimilarity, neighbor_table
from similearn.errors import FileError

NAMES = ["bat", "cat", "cart", "dog", "dodge", "cab", "tab", "table", "god", "art"]
LABELS = [0, 0, 0, 1, 1, 0, 0, 0, 1, 0]


class Counting:
    """Differences of lengths, and how often they were asked for."""

    def __init__(self):
        self.calls = 0

    def __call__(self, a, b):
        self.calls += 1
        return float(len(a) - len(b)) if self.signed else abs(len(a) - len(b)) + 0.25

    signed = False


def lazy(function, symmetric=True):
    compare = PairwiseSimilarity(
        function, kind="dissimilarity", symmetric=symmetric, lazy=True, progress=False
    )
    return compare.fit(NAMES)


def test_values_are_those_of_the_function_and_computed_once(tmp_path):
    function = Counting()
    compare = lazy(function)
    plain = compare.fit_transform(NAMES).values
    function.calls = 0
    block = compare.fit_transform(NAMES).cached(tmp_path / "kept")
    assert_array_equal(block.values, plain)
    assert 55 <= function.calls <= 100
    again = compare.fit_transform(NAMES).cached(tmp_path / "kept")
    function.calls = 0
    assert_array_equal(again.values, plain)
    assert_array_equal(
        again.among(np.array([[3, 1, 7]])), plain[np.ix_([3, 1, 7], [3, 1, 7])][None]
    )
    assert function.calls == 0
    assert len(list((tmp_path / "kept").iterdir())) == 1


def test_of_some_values_the_missing_are_computed(tmp_path):
    function = Counting()
    block = lazy(function).fit_transform(NAMES).cached(tmp_path)
    first = block.columns(np.array([5, 2]), np.array([1, 2, 7]))
    function.calls = 0
    more = block.columns(np.array([2, 3, 5]), np.array([7, 1]))
    assert function.calls == 2
    assert_array_equal(more[:, [2, 0]], first[[2, 0]])


def test_both_directions_and_queries(tmp_path):
    function = Counting()
    function.signed = True
    compare = lazy(function, symmetric=False)
    block, kept = compare.fit_transform(NAMES), compare.fit_transform(NAMES).cached(tmp_path)
    for _ in range(2):
        assert_array_equal(kept.nearest(3)[0], block.nearest(3)[0])
        queries = compare.transform(["dot", "carts"])
        assert_array_equal(queries.cached(tmp_path).nearest(3)[1], queries.nearest(3)[1])
    assert len(list(tmp_path.iterdir())) == 2


def test_classifiers_and_tables_take_it(tmp_path):
    block = lazy("levenshtein").fit_transform(NAMES)
    model = NeighborsClassifier(3, weights="krr")
    plain = model.fit(block, LABELS).predict_proba(block)
    kept = block.cached(tmp_path)
    assert_array_equal(model.fit(kept, LABELS).predict_proba(kept), plain)
    table = neighbor_table(NAMES, 3, "levenshtein", cache=tmp_path)
    assert_array_equal(table.neighbors, block.nearest(3, skip_self=True)[0])
    assert_array_equal(neighbor_table(kept, 3, cache=tmp_path).values, table.values)
    assert len(list(tmp_path.iterdir())) == 1
    assert pickle.loads(pickle.dumps(kept)).source.path == kept.source.path


def test_without_its_file_a_copy_computes(tmp_path):
    block = lazy("levenshtein").fit_transform(NAMES).cached(tmp_path)
    stored = pickle.dumps(block)
    values = block.values
    next(tmp_path.iterdir()).unlink()
    assert_array_equal(pickle.loads(stored).values, values)


def test_other_values_and_damaged_files_are_refused(tmp_path):
    function = Counting()
    block = lazy(function).fit_transform(NAMES).cached(tmp_path)
    assert block.values.shape == (10, 10)
    path = block.source.path
    Counting.__call__, old = lambda self, a, b: 7.0, Counting.__call__
    try:
        with pytest.raises(FileError, match="gives as 7: the function has changed"):
            block.source.__class__.__init__(block.source, block.source.source, tmp_path)
    finally:
        Counting.__call__ = old
    np.save(path, np.zeros((3, 3)))
    with pytest.raises(FileError, match="expected uint64"):
        lazy(function).fit_transform(NAMES).cached(tmp_path)
    path.write_bytes(b"no array")
    with pytest.raises(FileError, match="Remove it to begin anew"):
        lazy(function).fit_transform(NAMES).cached(tmp_path)


def test_a_full_disk_is_a_sentence(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(FileError, match="the disk is full"):
        lazy("levenshtein").fit_transform(NAMES).cached(tmp_path)
    assert not list(tmp_path.iterdir())


class Killed(Counting):
    """Ends its process at the thirtieth pair."""

    def __call__(self, a, b):
        if self.calls == 30:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(a, b)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_killed_process_leaves_what_it_had(tmp_path):
    child = os.fork()
    if not child:
        block = lazy(Killed()).fit_transform(NAMES).cached(tmp_path)
        for row in range(len(NAMES)):
            block.rows([row])
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    function = Killed()
    block = lazy(function).fit_transform(NAMES).cached(tmp_path)
    known = np.count_nonzero(block.source.bits)
    assert 0 < known < 100
    function.calls = -1000
    assert_array_equal(block.values, lazy(Counting()).fit_transform(NAMES).values)
    assert function.calls + 1000 <= 100 - known
