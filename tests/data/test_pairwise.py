import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import config_context

from similearn import Pairwise, Sources
from similearn.data.chunks import map_chunks
from similearn.errors import InputError


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
        ({"row_ids": ["a", "a"]}, "row_ids repeats a .*ids must be unique"),
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
