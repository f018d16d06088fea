"""A lazy block answers every question with the bits of the dense one, and is cut like it."""

import pickle

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_array_equal

from benchmarks.names import make_names
from similearn import PairwiseSimilarity, neighbor_table
from similearn.data.lazy import allowed_memory, lazy_block, tile_search
from similearn.errors import InputError, InputTypeError
from similearn.similarities import Levenshtein

NAMES = make_names(120)[0]


def shifted_gap(a, b):
    """An asymmetric function with ties."""
    return abs(len(a) - len(b)) + (0.5 if a < b else 0.0)


def shared_letters(a, b):
    return len(set(a) & set(b)) / 3


FUNCTIONS = {
    "matrix": ("levenshtein", {}),
    "asymmetric matrix": (Levenshtein(insertion=2), {}),
    "asymmetric function": (shifted_gap, {"kind": "dissimilarity", "symmetric": False}),
    "function": (shared_letters, {"kind": "similarity", "symmetric": True}),
    "similarity": ("jaro_winkler", {}),
}


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch):
    monkeypatch.setattr(tile_search, "_ENTRIES_AT_ONCE", 700)
    monkeypatch.setattr(tile_search, "_ROWS_OF_A_TILE", 16)
    monkeypatch.setattr(tile_search, "_PAIRS_OF_A_TASK", 2000)


@pytest.fixture(params=FUNCTIONS)
def blocks(request):
    """The same training and query blocks, dense and lazy."""
    function, told = FUNCTIONS[request.param]
    made = []
    for lazy in (False, True):
        compare = PairwiseSimilarity(function, **told, lazy=lazy)
        made.append((compare.fit_transform(NAMES[:80]), compare.transform(NAMES[80:])))
    return made


def require_same_answers(dense, lazy):
    m, n = dense.shape
    assert lazy.is_lazy and lazy.shape == dense.shape and lazy.kind == dense.kind
    assert len(lazy) == m and lazy.knows_reverse <= dense.knows_reverse
    assert lazy.same_samples == dense.same_samples
    some = np.array([3, 0, m - 1])
    for rows in (slice(None), slice(2, 9), some):
        for skip_self in (False, True) if dense.same_samples else (False,):
            for one, other in zip(
                dense.nearest(5, rows, skip_self=skip_self),
                lazy.nearest(5, rows, skip_self=skip_self),
                strict=True,
            ):
                assert_array_equal(other, one)
        for both in (False, True):
            assert_array_equal(lazy.rows(rows, both=both), dense.rows(rows, both=both))
            columns = np.array([4, 1, n - 1])
            assert_array_equal(
                lazy.columns(columns, rows, both=both), dense.columns(columns, rows, both=both)
            )
    own = np.random.default_rng(0).integers(n, size=(3, 4))
    assert_array_equal(lazy.at(own, some), dense.at(own, some))
    if dense.same_samples:
        assert_array_equal(lazy.among(own), dense.among(own))
    assert_array_equal(lazy.both_directions(some), dense.both_directions(some))


def test_answers_are_those_of_the_dense_block(blocks):
    (dense, dense_queries), (lazy, queries) = blocks
    require_same_answers(dense, lazy)
    require_same_answers(dense_queries, queries)
    assert "values" not in vars(lazy)  # nothing has asked for all of them


def test_cuts_are_those_of_the_dense_block(blocks):
    (dense, _), (lazy, _) = blocks
    rng = np.random.default_rng(1)
    order = rng.permutation(80)
    train, test = order[:50], order[50:]
    for rows, columns in ((train, train), (test, train), (np.sort(train), np.sort(train))):
        require_same_answers(dense[np.ix_(rows, columns)], lazy[np.ix_(rows, columns)])
    few = np.ix_(test[:9] % 50, train[:7] % 50)
    require_same_answers(dense[np.ix_(train, train)][few], lazy[np.ix_(train, train)][few])


def test_all_values_are_those_of_the_dense_block(blocks):
    for dense, lazy in zip(*blocks, strict=True):
        computed = lazy.computed()
        assert_array_equal(computed.values, dense.values)
        assert not computed.is_lazy
        assert (computed.reverse is None) == (dense.reverse is None)
        if dense.reverse is not None:
            assert_array_equal(computed.reverse, dense.reverse)
        if dense.self_values is not None:
            assert_array_equal(computed.self_values, dense.self_values)
        assert_array_equal(np.asarray(lazy), dense.values)
        assert_array_equal(lazy.T.values, dense.T.values)


@pytest.mark.parametrize("skip_self", [False, True])
def test_known_neighbours_are_those_of_the_search(blocks, skip_self, monkeypatch):
    (dense, dense_queries), (lazy, queries) = blocks
    lazy.knowing_neighbors(6, skip_self=skip_self)
    monkeypatch.setattr(lazy_block, "search_rows", None)  # what is known is read
    for k in (6, 2):
        for one, other in zip(
            dense.nearest(k, slice(5, 30), skip_self=skip_self),
            lazy.nearest(k, slice(5, 30), skip_self=skip_self),
            strict=True,
        ):
            assert_array_equal(other, one)
    queries.knowing_neighbors(4)
    assert_array_equal(queries.nearest(4)[0], dense_queries.nearest(4)[0])


def test_all_samples_can_be_neighbours():
    dense = PairwiseSimilarity("levenshtein").fit_transform(NAMES[:9])
    lazy = PairwiseSimilarity("levenshtein", lazy=True).fit_transform(NAMES[:9])
    assert_array_equal(lazy.knowing_neighbors(9).nearest(9)[0], dense.nearest(9)[0])
    with pytest.raises(InputError, match="k=9 is larger than 8"):
        lazy.nearest(9, skip_self=True)


def test_a_table_is_taken_if_it_is_of_the_same_objects(tmp_path):
    compare = PairwiseSimilarity("levenshtein", lazy=True)
    lazy = compare.fit_transform(NAMES[:40])
    table = neighbor_table(lazy, 5, path=tmp_path / "t.npz")
    assert lazy.with_table(table).nearest(5, skip_self=True)[0] is not None
    assert_array_equal(lazy.nearest(5, skip_self=True)[0], table.neighbors)
    with pytest.raises(InputError, match="other objects"):
        compare.fit_transform(NAMES[1:41]).with_table(table)
    with pytest.raises(InputError, match="same samples"):
        compare.fit_transform(NAMES[:41]).with_table(table)
    with pytest.raises(InputError, match="samples with themselves"):
        compare.transform(NAMES[:40]).with_table(table)


@pytest.mark.parametrize("permuted", [False, True])
def test_pickles_hold_the_objects_that_are_asked_for(permuted):
    lazy = PairwiseSimilarity("levenshtein", lazy=True).fit_transform(NAMES[:40])
    rows = np.array([7, 3, 9, 1]) if permuted else np.array([1, 3, 7, 9])
    part = lazy[np.ix_(rows, rows)]
    packed = pickle.dumps(part)
    assert_array_equal(pickle.loads(packed).rows(), part.rows())
    assert permuted or NAMES[30].encode() not in packed


def test_lazy_by_itself_where_the_block_exceeds_working_memory():
    compare = PairwiseSimilarity("levenshtein")
    with sklearn.config_context(working_memory=0.02):
        assert compare.fit_transform(NAMES).is_lazy
        assert not compare.transform(NAMES[:2]).is_lazy
    assert not compare.fit_transform(NAMES).is_lazy
    assert compare.set_params(lazy=True).fit_transform(NAMES).is_lazy
    with pytest.raises(InputTypeError, match="lazy='yes'"):
        compare.set_params(lazy="yes").fit_transform(NAMES)


def test_frames_are_computed():
    pd = pytest.importorskip("pandas")
    compare = PairwiseSimilarity("levenshtein", lazy=True).set_output(transform="pandas")
    frame = compare.fit_transform(NAMES[:6])
    assert isinstance(frame, pd.DataFrame) and frame.shape == (6, 6)


def test_beyond_memory_a_sentence_names_what_works(monkeypatch):
    monkeypatch.setattr(allowed_memory, "machine_bytes", lambda: 1000)
    lazy = PairwiseSimilarity("levenshtein", lazy=True).fit_transform(NAMES)
    with pytest.raises(InputError, match=r"120 × 120.*half of this machine.*NystromFeatures"):
        _ = lazy.values
    assert lazy.nearest(3)[0].shape == (120, 3)


def test_what_tells_of_all_values_has_members_of_every_class(monkeypatch):
    monkeypatch.setattr(lazy_block, "SAMPLE", 30)
    lazy = PairwiseSimilarity("levenshtein", lazy=True).fit_transform(NAMES)
    codes = (np.arange(120) % 40 == 0).astype(np.intp)
    with sklearn.config_context(working_memory=0.001):
        block, places = lazy.representative(codes)
    assert len(places) < 40 and codes[places].sum() == 3
    assert_array_equal(block.values, lazy.values[np.ix_(places, places)])
    assert lazy.representative()[0].shape == (120, 120)


def test_bad_functions_are_named():
    def broken(a, b):
        return np.nan if a > "K" else 1.0

    def raises(a, b):
        raise ZeroDivisionError

    told = {"kind": "similarity", "symmetric": True, "lazy": True}
    block = PairwiseSimilarity(broken, **told).fit_transform(NAMES)
    with pytest.raises(InputError, match="broken returned nan for objects"):
        block.nearest(3)
    with pytest.raises(InputError, match="broken returned nan for objects"):
        block.knowing_neighbors(3)
    block = PairwiseSimilarity(raises, **told).fit_transform(NAMES)
    with pytest.raises(ZeroDivisionError) as error:
        block.among(np.array([[0, 1]]))
    assert "raises failed on objects 0 and" in error.value.__notes__[0]
    with pytest.raises(InputError, match="outside of 0 to 119"):
        block.among(np.array([[0, 120]]))
