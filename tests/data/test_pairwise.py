import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import config_context

from similearn import NeighborsClassifier, Pairwise, Sources
from similearn.data.chunks import map_chunks
from similearn.errors import InputError, InputIndexError, InputTypeError


def asymmetric(n=6, density=1.0, seed=0):
    rng = np.random.default_rng(seed)
    return np.where(rng.random((n, n)) < density, rng.random((n, n)) + 0.1, 0.0)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_a_cut_knows_the_other_direction_and_itself(store):
    S = asymmetric()
    block = Pairwise(store(S), "similarity", row_ids=list("abcdef"), column_ids=list("abcdef"))
    cut = block[np.ix_([1, 4], [0, 2, 5])]
    filled = cut.values.toarray() if cut.is_sparse else cut.values
    reverse = cut.reverse.toarray() if cut.is_sparse else cut.reverse
    assert_array_equal(filled, S[np.ix_([1, 4], [0, 2, 5])])
    assert_array_equal(reverse, S.T[np.ix_([1, 4], [0, 2, 5])])
    assert_array_equal(cut.self_values, S.diagonal()[[1, 4]])
    assert cut.row_ids.tolist() == ["b", "e"] and cut.column_ids.tolist() == ["a", "c", "f"]
    assert cut.shape == (2, 3) and len(cut) == 2 and not cut.same_samples


def test_a_training_cut_stays_a_block_of_samples_with_themselves():
    cut = Pairwise(asymmetric(), "similarity")[np.ix_([3, 1], [3, 1])]
    assert cut.same_samples and cut.reverse is None
    again = cut[np.ix_([0], [1])]
    assert again.reverse.shape == (1, 1)


def test_rows_alone_masks_and_slices():
    S = asymmetric()
    block = Pairwise(S, "similarity")
    assert_array_equal(block[[2, 0]].values, S[[2, 0]])
    mask = np.array([True, False, False, True, False, False])
    assert_array_equal(block[np.ix_(mask, ~mask)].values, S[np.ix_(mask, ~mask)])
    assert_array_equal(block[1:3].values, S[1:3])
    with pytest.raises(InputError, match="boolean index has length 2; expected 6"):
        block[np.array([True, False])]


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_neighbours_by_the_mean_of_both_directions(kind, store):
    S = asymmetric()
    mean = (S + S.T) / 2
    expected = np.argsort(-mean if kind == "similarity" else mean, axis=1, kind="stable")
    block = Pairwise(store(S), kind)
    assert_array_equal(block.nearest(6)[0], expected)
    cut = block[np.ix_([0, 1], [2, 3, 4, 5])]
    expected = np.argsort((-mean if kind == "similarity" else mean)[:2, 2:], axis=1, kind="stable")
    assert_array_equal(cut.nearest(4)[0], expected)
    assert_array_equal(block.nearest(2, slice(1, 3))[0], block.nearest(2)[0][1:3])
    assert not (block.nearest(5, skip_self=True)[0] == np.arange(6)[:, None]).any()


def test_sparse_dissimilarities_keep_stored_zeros_and_known_directions():
    D = sparse.csr_array(
        (np.array([0.0, 4.0, 2.0]), np.array([1, 2, 0]), np.array([0, 2, 2, 3])), shape=(3, 3)
    )
    both = Pairwise(D, "dissimilarity").both_directions()
    assert both[0].toarray().tolist() == [0.0, 0.0, 3.0]
    columns, values = Pairwise(D, "dissimilarity").nearest(2)
    assert columns.tolist() == [[1, 2], [0, 1], [0, 1]]
    assert values.tolist() == [[0.0, 3.0], [0.0, np.inf], [3.0, np.inf]]


def test_symmetry_is_seen_up_to_rounding():
    S = asymmetric()
    mean = (S + S.T) / 2
    assert Pairwise(mean, "similarity").is_symmetric
    assert not Pairwise(S, "similarity").is_symmetric
    assert Pairwise(sparse.csr_array(mean), "similarity").is_symmetric
    assert not Pairwise(sparse.csr_array(S), "similarity").is_symmetric
    assert not Pairwise(mean, "similarity", same_samples=False).is_symmetric


def test_pickle_and_repr():
    block = Pairwise(np.eye(2), "similarity", self_values=[1.0, 1.0])
    again = pickle.loads(pickle.dumps(block))
    assert_array_equal(again.values, block.values)
    assert repr(again) == "<Pairwise: similarity, 2 × 2, with self_values>"
    assert repr(Pairwise(sparse.eye_array(3), "dissimilarity")) == (
        "<Pairwise: sparse dissimilarity, 3 × 3>"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "distance"}, "kind='distance' is unknown; expected 'similarity'"),
        ({"values": np.ones(3)}, "values has 1 dimension.*expected two"),
        ({"values": np.eye(2) * 1j}, "Complex data not supported.*similarities must be real"),
        ({"values": [["a", "b"], ["c", "d"]]}, "type <U1; expected numbers"),
        ({"values": np.array([[None, 1]])}, "type object; expected numbers"),
        ({"reverse": np.ones((2, 3))}, r"reverse has shape \(2, 3\), but values have \(2, 2\)"),
        (
            {"values": np.ones((3, 2)), "reverse": np.ones((2, 3))},
            "Did you mean its transpose",
        ),
        ({"self_values": [1.0]}, r"self_values has shape \(1,\); expected one for each of 2"),
        ({"row_ids": ["a", "a"]}, "row_ids repeats 'a' .*ids must be unique"),
        ({"column_ids": ["a"]}, r"column_ids has shape \(1,\); expected one id for each of 2"),
        (
            {"values": np.ones((1, 2)), "same_samples": True},
            "same_samples=True needs a square block",
        ),
    ],
)
def test_messages(arguments, message):
    with pytest.raises(InputError, match=message):
        Pairwise(**({"values": np.eye(2), "kind": "similarity"} | arguments))


def test_integers_are_widened_before_anything_is_squared():
    block = Pairwise(np.full((2, 2), 127, dtype=np.int8), "similarity")
    assert block.values.dtype == np.float64
    assert_allclose(block.values * block.values, 127.0**2)


def test_sources_are_cut_together():
    S, table = asymmetric(), np.arange(12).reshape(6, 2)
    sources = Sources({"pairs": Pairwise(S, "similarity"), "table": table})
    assert sources.shape == (6, 6) and list(sources) == ["pairs", "table"]
    cut = sources[np.ix_([0, 3], [1, 2, 4])]
    assert cut.shape == (2, 3) and len(cut) == 2
    assert_array_equal(cut["table"], table[[0, 3]])
    assert_array_equal(cut["pairs"].values, S[np.ix_([0, 3], [1, 2, 4])])
    assert "pairs (2 × 3 similarity)" in repr(cut)
    again = pickle.loads(pickle.dumps(cut))
    assert_array_equal(again["table"], table[[0, 3]])


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ({}, "got nothing"),
        ({"a": np.ones((3, 1)), "b": np.ones((4, 1))}, "'b' has 4 rows, but 'a' has 3"),
        ({"a": np.ones(3)}, "a table with 1 dimension"),
        (
            {"a": Pairwise(np.eye(3), "similarity"), "b": Pairwise(np.ones((3, 2)), "similarity")},
            "Blocks differ in shape",
        ),
    ],
)
def test_sources_messages(sources, message):
    with pytest.raises(InputError, match=message):
        Sources(sources)
    with pytest.raises(KeyError, match="no source named 'z'; there are a"):
        _ = Sources({"a": np.ones((2, 1))})["z"]


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 3])
@pytest.mark.parametrize("n_rows", [0, 1, 2, 10])
def test_chunks_cover_the_rows_in_order(n_jobs, n_rows):
    rows = np.arange(n_rows)
    with config_context(working_memory=1):
        parts = map_chunks(lambda s: rows[s], n_rows, row_bytes=300_000, n_jobs=n_jobs)
    assert_array_equal(np.concatenate(parts), rows)
    assert max(len(part) for part in parts) * 300_000 <= 2**20


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_questions_agree_with_the_values(kind, store):
    S = asymmetric(8, seed=3)
    block, mean = Pairwise(store(S), kind), (S + S.T) / 2
    near, _ = block.nearest(3)
    assert_allclose(block.among(near), mean[near[:, :, None], near[:, None, :]])
    assert_allclose(block.symmetrized().among(near), block.among(near))
    assert_array_equal(block.rows(slice(2, 5)), S[2:5])
    assert_allclose(block.rows(slice(2, 5), both=True), mean[2:5])
    assert_array_equal(block.columns(np.array([4, 1]), slice(2, 5)), S[2:5][:, [4, 1]])
    assert_allclose(block.columns(np.array([4, 1]), both=True), mean[:, [4, 1]])
    assert_array_equal(block.at(near[:2], slice(3, 5)), S[[[3], [4]], near[:2]])


def test_what_is_not_stored_is_zero_or_unknown():
    S = sparse.csr_array(np.array([[0.0, 2.0], [3.0, 1.0]]))
    similar, apart = Pairwise(S, "similarity"), Pairwise(S, "dissimilarity")
    assert similar.absent == 0 and similar.is_complete
    assert apart.absent == np.inf and not apart.is_complete
    assert_array_equal(similar.rows(), S.toarray())
    assert_array_equal(apart.rows(unknown=9.0), [[9, 2], [3, 1]])
    assert_array_equal(apart.rows(slice(1, 2)), [[3, 1]])  # all of these are known
    assert_array_equal(apart.at(np.array([[0, 1]]), slice(0, 1)), [[np.inf, 2]])
    assert_array_equal(apart.among(np.array([[0, 1]])), [[[np.inf, 2.5], [2.5, 1]]])
    for ask in (apart.rows, apart.require_complete, lambda: apart.columns([0])):
        with pytest.raises(InputError, match=r"leaves entries unknown.*Fill them in, or convert"):
            ask()


def test_a_known_zero_differs_from_the_unknown():
    places = (np.array([0.0, 1.0, 1.0]), ([0, 0, 1], [1, 0, 1]))
    block = Pairwise(sparse.csr_array(places, shape=(2, 2)), "dissimilarity")
    assert not block.is_symmetric
    assert_array_equal(block.rows(both=True), [[1, 0], [0, 1]])


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_one_direction_sparse_the_other_dense(kind):
    S, T = np.array([[0.0, 2.0]]), np.array([[4.0, 0.0]])
    expected = [[2.0, 1.0]] if kind == "similarity" else [[4.0, 1.0]]
    block = Pairwise(sparse.csr_array(S), kind, reverse=T)
    assert_array_equal(block.rows(both=True), expected)
    assert_array_equal(Pairwise(T, kind, reverse=sparse.csr_array(S)).rows(both=True), expected)


@pytest.mark.parametrize(
    ("k", "message"),
    [
        (0, "k=0 is too small"),
        (-2, "k=-2 is too small"),
        (4, "k=4 is larger than 3, the number of references"),
        (2.0, "k=2.0 must be an integer"),
        (True, "k=True must be an integer"),
        ("2", "k='2' must be an integer"),
        pytest.param(10**5000, "k is an integer beyond 64 bits", id="huge"),
    ],
)
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_how_many_neighbours_can_be_asked_for(k, message, store):
    block = Pairwise(store(np.ones((2, 3))), "similarity")
    with pytest.raises((InputError, InputTypeError), match=message):
        block.nearest(k)


def test_questions_that_need_samples_with_themselves():
    block, square = Pairwise(np.ones((2, 3)), "similarity"), Pairwise(np.eye(3), "similarity")
    with pytest.raises(InputError, match="itself needs a block of samples with themselves"):
        block.nearest(1, skip_self=True)
    with pytest.raises(InputError, match="among neighbours needs a block of samples"):
        block.among(np.array([[0]]))
    with pytest.raises(InputError, match="k=3 is larger than 2, the number of other samples"):
        square.nearest(3, skip_self=True)
    for near, message in (([[3]], "outside of 0 to 2"), ([[-1]], "outside"), ([[0.5]], "type")):
        with pytest.raises(InputError, match=message):
            square.among(near)


def test_nothing_that_is_not_finite_is_searched():
    values = np.ones((2, 3))
    values[1, 2] = np.nan
    with pytest.raises(InputError, match="X contains NaN at row 1, column 2"):
        Pairwise(values, "similarity").nearest(2)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_views_are_searched_as_their_copies_are(order, kind):
    big = np.asarray(np.random.default_rng(0).random((700, 900)), order=order)
    view = big[::2, 1::3]
    expected = Pairwise(view.copy(), kind).nearest(4)
    block = Pairwise(view, kind)
    assert np.shares_memory(block.values, big)
    for found, right in zip(block.nearest(4), expected, strict=True):
        assert_array_equal(found, right)
    for found, right in zip(block.nearest(4, slice(300, 0, -7)), expected, strict=True):
        assert_array_equal(found, right[300:0:-7])


def test_transpose_dtype_and_bytes():
    S = asymmetric(4)
    block = Pairwise(S[:2], "similarity", reverse=S.T[:2], row_ids=["a", "b"])
    turned = block.T
    assert_array_equal(turned.values, S[:2].T)
    assert_array_equal(turned.reverse, S.T[:2].T)
    assert turned.column_ids.tolist() == ["a", "b"] and turned.row_ids is None
    assert turned.shape == (4, 2) and block.dtype == np.float64 and block.nbytes == 128
    assert_array_equal(Pairwise(sparse.csr_array(S), "dissimilarity").T.rows(), S.T)


def test_html_shows_the_corner_and_escapes_ids():
    ids = ["<script>alert(1)</script>", "\x1b[31m", *"cdefg"]
    block = Pairwise(sparse.csr_array(np.eye(7)), "dissimilarity", row_ids=ids)
    page = block._repr_html_()
    assert "<script>" not in page and "\x1b" not in page
    assert "&lt;script&gt;" in page and "sparse dissimilarity, 7 × 7" in page
    assert page.count("<tr>") == 6


@pytest.mark.parametrize("index", [(), (0, 0, 0), 4, [9], "x", 1.5, {}, (0, [7])])
def test_an_index_that_a_block_does_not_have(index):
    block = Pairwise(np.eye(4), "similarity")
    with pytest.raises(InputIndexError):
        block[index]
    with pytest.raises(IndexError):  # as sequences do
        block[index]


def _questions(block):
    near = np.zeros((len(block), 2), dtype=np.intp)
    return {
        "nearest": lambda: block.nearest(2),
        "rows": lambda: block.rows(),
        "rows of both": lambda: block.rows(slice(0, 1), both=True),
        "columns": lambda: block.columns(np.array([0])),
        "columns of both": lambda: block.columns(np.array([0]), both=True),
        "at": lambda: block.at(near),
        "both directions": lambda: block.both_directions(slice(0, 1)),
    }


def test_a_block_whose_queries_have_one_direction():
    S = np.random.default_rng(0).normal(size=(6, 6))
    block = Pairwise(S, "similarity", one_way=True)
    for same in (block, block.T.T, block[np.ix_([0, 2, 5], [0, 2, 5])]):
        assert same.one_way and same.is_symmetric == block.is_symmetric
        cut = same[np.ix_([1], [0, 2])]
        assert cut.reverse is None and cut.one_way
        assert_array_equal(cut.both_directions(), cut.values)
    assert Pairwise(S, "similarity")[np.ix_([1], [0, 2])].reverse is not None


@pytest.mark.parametrize("question", list(_questions(Pairwise(np.eye(3), "similarity"))))
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", ["dense", "view", "csr", "reverse", "square"])
def test_every_question_refuses_what_is_not_finite(form, bad, question):
    values = np.random.default_rng(0).random((4, 4 if form == "square" else 6))
    values[2, 3] = bad
    sound = np.ones_like(values)
    block = {
        "dense": lambda: Pairwise(values, "similarity"),
        "view": lambda: Pairwise(np.repeat(values, 2, axis=1)[:, ::2], "similarity"),
        "csr": lambda: Pairwise(sparse.csr_array(values), "similarity"),
        "reverse": lambda: Pairwise(sound, "dissimilarity", reverse=values),
        "square": lambda: Pairwise(values, "dissimilarity"),
    }[form]()
    what = "NaN" if np.isnan(bad) else "infinity"
    name = "The reverse direction of X" if form == "reverse" else "X"
    with pytest.raises(InputError, match=rf"^{name} contains {what} at row 2, column 3 \("):
        _questions(block)[question]()


def test_the_search_looks_at_the_chosen_rows_alone():
    values = np.random.default_rng(0).random((4, 6))
    values[2, 3] = np.nan
    columns, nearest = Pairwise(values, "similarity").nearest(2, slice(0, 2))
    assert np.isfinite(nearest).all() and columns.shape == (2, 2)


@pytest.mark.parametrize("rows", ["abc", None, 1.5, [99], {"a": 1}])
def test_nearest_of_rows_that_are_none_is_a_sentence(rows):
    with pytest.raises(InputError, match="index"):
        Pairwise(np.eye(4), "similarity").nearest(2, rows)


def test_sources_that_name_their_samples_name_them_alike():
    ids = np.array(["a", "b", "c"])
    one = Pairwise(np.eye(3), "similarity", row_ids=ids, column_ids=ids)
    nameless = Pairwise(np.eye(3), "similarity")
    turned = one[np.ix_([2, 1, 0], [2, 1, 0])]
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0]}, index=ids)
    assert Sources({"one": one, "no names": nameless, "frame": frame}).shape == (3, 3)
    with pytest.raises(InputError, match="'turned' has 'c' as row 0, but 'one' has 'a': the same"):
        Sources({"one": one, "nameless": nameless, "turned": turned})
    with pytest.raises(InputError, match="has 'c' as row 0"):
        Sources({"one": one, "frame": frame[::-1]})
    with pytest.raises(InputError, match=r"'d' as row 2.*the same samples in the same order"):
        Sources({"one": one, "frame": frame.rename({"c": "d"})})
    with pytest.raises(InputError, match="has 'c' as column 0"):
        Sources({"one": one[:2], "two": one[np.ix_([0, 1], [2, 1, 0])]})


def test_a_frame_names_its_samples():
    ids = ["a", "b", "c"]
    frame = pd.DataFrame(np.eye(3), index=ids, columns=ids)
    block = Pairwise(frame, "similarity")
    assert_array_equal(block.row_ids, ids)
    assert_array_equal(block.column_ids, ids)
    assert_array_equal(Pairwise(frame, "similarity", row_ids=list("xyz")).row_ids, list("xyz"))
    model = NeighborsClassifier(1).fit(block, ids)
    with pytest.raises(InputError, match="Column 0 of X is 'c'"):
        model.predict(Pairwise(frame[["c", "b", "a"]], "similarity"))
    classes = pd.DataFrame(np.eye(3), index=["u", "u", "v"])
    assert Pairwise(classes, "similarity").row_ids is None  # called by their classes


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_questions_about_references_know_both_directions_though_queries_have_one(make):
    """Nyström features of a plain asymmetric matrix missed the kernel by 0.47."""
    S, some = np.random.default_rng(0).random((6, 6)), np.arange(3)
    block = Pairwise(make(S), "similarity", one_way=True)
    both = (S + S.T) / 2.0
    assert_allclose(block.columns(some, both=True), both[:, some])
    assert_allclose(block.columns(some, np.arange(3, 6), both=True), both[3:, :3])
    with pytest.raises(InputTypeError, match="one_way='no' must be True or False"):
        Pairwise(S, "similarity", one_way="no")


def test_the_other_direction_names_the_same_samples():
    ids = ["a", "b", "c"]
    values = pd.DataFrame([[1.0, 2.0, 6.0]], index=["q"], columns=ids)
    turned = pd.DataFrame([[9.0, 8.0, 7.0]], index=["q"], columns=ids[::-1])
    with pytest.raises(InputError, match=r"Column 0 of reverse is 'c', but that of the values is"):
        Pairwise(values, "dissimilarity", reverse=turned)
    block = Pairwise(values, "dissimilarity", reverse=turned[ids])
    assert_array_equal(block.reverse, [[7.0, 8.0, 9.0]])
    with pytest.raises(InputError, match=r"Row 0 of reverse is 'p'"):
        Pairwise(values, "dissimilarity", reverse=turned[ids].rename(index={"q": "p"}))


def test_a_square_block_whose_rows_are_named_otherwise_is_of_other_samples():
    S = np.random.default_rng(0).random((3, 3))
    new = pd.DataFrame(S, index=["x", "y", "z"], columns=["a", "b", "c"])
    block = Pairwise(new, "similarity")
    assert not block.same_samples and not block.is_symmetric
    assert_array_equal(block.nearest(3)[1], -np.sort(-S, axis=1))
    assert Pairwise(new.set_axis(["a", "b", "c"]), "similarity").same_samples
    assert Pairwise(S, "similarity", row_ids=["x", "y", "z"]).same_samples
