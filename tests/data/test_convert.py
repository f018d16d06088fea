"""Conversions: the formulas, both directions, sparse blocks and every refusal."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from similearn import Pairwise, SimilarityClassifier, diagnose, read_pairwise
from similearn.data import convert
from similearn.errors import InputError
from tests.thinning import drawn

D = np.array([[0.0, 2.0, 4.0], [1.0, 0.0, 3.0], [4.0, 3.0, 0.0]])
S = np.array([[5.0, 1.0, 0.0], [2.0, 4.0, 0.5], [0.0, 0.5, 3.0]])
IDS = ["a", "b", "c"]

FROM_DISSIMILARITY = [
    (lambda X: convert.one_minus_scaled(X), lambda d: 1 - d / 4),
    (lambda X: convert.one_minus_scaled(X, maximum=8), lambda d: 1 - d / 8),
    (lambda X: convert.gaussian_similarity(X, sigma=3.0), lambda d: np.exp(-(d**2) / 3)),
    (lambda X: convert.exponential_similarity(X, scale=2.0), lambda d: np.exp(-d / 2)),
    (convert.negate, lambda d: -d),
    (lambda X: convert.max_minus(X), lambda d: 4 - d),
]


@pytest.mark.parametrize(("function", "formula"), FROM_DISSIMILARITY)
def test_similarity_from_dissimilarity(function, formula):
    expected = np.array([[formula(d) for d in row] for row in D])
    assert_allclose(function(D), expected)
    assert_allclose(function(D.astype(int)), expected)
    block = function(Pairwise(D, "dissimilarity", row_ids=IDS, column_ids=IDS))
    assert block.kind == "similarity"
    assert_allclose(block.values, expected)
    assert_array_equal(block.row_ids, IDS)
    assert_array_equal(block.column_ids, IDS)


@pytest.mark.parametrize(
    "function",
    [
        lambda X: convert.one_minus_scaled(X, maximum=4),
        lambda X: convert.gaussian_similarity(X, sigma=3.0),
        lambda X: convert.exponential_similarity(X, scale=3.0),
        convert.negate,
        lambda X: convert.max_minus(X, maximum=4),
        lambda X: convert.minmax_scale(X, minimum=0, maximum=4),
        convert.symmetrize,
    ],
)
def test_a_cut_is_converted_like_the_whole(function):
    whole = Pairwise(D, "dissimilarity")
    index = np.ix_([2], [0, 1])
    converted, expected = function(whole[index]), function(whole)[index]
    assert_allclose(converted.values, expected.values)
    assert_allclose(converted.reverse, expected.reverse)
    assert_allclose(converted.self_values, expected.self_values)
    assert converted.kind == expected.kind
    assert not converted.same_samples


def test_dissimilarity_from_similarity():
    block = convert.max_minus(Pairwise(S, "similarity"))
    assert block.kind == "dissimilarity"
    assert_array_equal(block.values, 5 - S)
    assert convert.negate(Pairwise(S, "similarity")).kind == "dissimilarity"


def test_distance_from_inner_products_is_euclidean():
    points = np.random.default_rng(0).normal(size=(6, 3))
    gram = points @ points.T
    expected = np.array([[np.linalg.norm(a - b) for b in points] for a in points])
    assert_allclose(convert.distance_from_inner_products(gram), expected, atol=1e-6)
    whole = Pairwise(gram, "similarity")
    queries = whole[np.ix_([4, 5], [0, 1, 2])]
    cut = convert.distance_from_inner_products(queries, column_self_values=np.diag(gram)[:3])
    assert cut.kind == "dissimilarity"
    assert_allclose(cut.values, expected[4:, :3])
    assert_allclose(cut.reverse, expected[4:, :3])
    assert_array_equal(cut.self_values, [0, 0])


def test_indefinite_similarities_are_no_inner_products():
    with pytest.raises(InputError, match=r"2 squared distances are negative.*SpectrumTransformer"):
        convert.distance_from_inner_products([[1.0, 3.0], [3.0, 1.0]])


def test_inner_products_of_queries_need_self_values():
    with pytest.raises(InputError, match="self-similarities of the queries"):
        convert.distance_from_inner_products(Pairwise(S[:2], "similarity"))
    block = Pairwise(S[:2], "similarity", self_values=[1, 1])
    with pytest.raises(InputError, match="one for each of 3 columns"):
        convert.distance_from_inner_products(block, column_self_values=[1, 1])


def test_symmetrize():
    expected = (S + S.T) / 2
    assert_array_equal(convert.symmetrize(S), expected)
    block = convert.symmetrize(Pairwise(S, "similarity", row_ids=IDS))
    assert_array_equal(block.values, expected)
    assert block.is_symmetric and list(block.row_ids) == IDS
    cut = Pairwise(S, "similarity")[np.ix_([2], [0, 1])]
    mean = convert.symmetrize(cut)
    assert_array_equal(mean.values, expected[2:, :2])
    assert_array_equal(mean.reverse, expected[2:, :2])


def test_symmetrize_sparse_keeps_zeros_and_what_is_known():
    similar = Pairwise(sparse.csr_array(S), "similarity")
    assert_array_equal(convert.symmetrize(similar).values.toarray(), (S + S.T) / 2)
    known = sparse.csr_array(([2.0, 3.0, 5.0], ([0, 1, 2], [1, 0, 0])), shape=(3, 3))
    mean = convert.symmetrize(Pairwise(known, "dissimilarity")).values.toarray()
    assert_array_equal(mean, [[0, 2.5, 5], [2.5, 0, 0], [5, 0, 0]])


@pytest.mark.parametrize("X", [S[:2], Pairwise(S[:2], "similarity")])
def test_symmetrize_needs_the_reverse(X):
    with pytest.raises(InputError, match="2 queries against 3 references whose reverse"):
        convert.symmetrize(X)


def test_minmax_scale():
    scaled = convert.minmax_scale(Pairwise(S - 1, "similarity"))
    assert scaled.kind == "similarity"
    assert_allclose(scaled.values, S / 5)
    assert_allclose(convert.minmax_scale(S[:2], minimum=0, maximum=10), S[:2] / 10)
    with pytest.raises(InputError, match="minimum < maximum, got 1 and 1"):
        convert.minmax_scale(np.ones((2, 2)))


@pytest.mark.parametrize("function", [convert.one_minus_scaled, convert.max_minus])
@pytest.mark.parametrize("wrap", [lambda D: Pairwise(D, "dissimilarity"), lambda D: D])
def test_queries_need_the_training_maximum(function, wrap):
    with pytest.raises(InputError, match=r"2 queries against 3 references without maximum="):
        function(wrap(D[:2]))
    assert function(wrap(D[:2]), maximum=4).shape == (2, 3)


def test_queries_need_the_training_minimum():
    with pytest.raises(InputError, match="without minimum="):
        convert.minmax_scale(D[:2])


def test_square_block_of_queries_is_not_a_training_block():
    with pytest.raises(InputError, match="3 queries against 3 references without maximum="):
        convert.max_minus(Pairwise(D, "dissimilarity", same_samples=False))


def test_wrong_kind():
    with pytest.raises(
        InputError, match=r"gaussian_similarity got a similarity; expected a dissim"
    ):
        convert.gaussian_similarity(Pairwise(S, "similarity"), sigma=1)
    with pytest.raises(InputError, match=r"products got a dissimilarity; expected a similarity"):
        convert.distance_from_inner_products(Pairwise(D, "dissimilarity"))


@pytest.mark.parametrize("bad", [0, -1.0, np.nan, np.inf])
def test_parameters_must_be_positive(bad):
    with pytest.raises(InputError, match=r"sigma=.* expected a positive number"):
        convert.gaussian_similarity(D, sigma=bad)
    with pytest.raises(InputError, match=r"scale=.* expected a positive number"):
        convert.exponential_similarity(D, scale=bad)


def test_negative_dissimilarities_are_refused():
    with pytest.raises(InputError, match=r"negative dissimilarities .the smallest is -1."):
        convert.gaussian_similarity(D - 1, sigma=1)
    reverse = Pairwise(D[:2], "dissimilarity", reverse=-D[:2])
    with pytest.raises(InputError, match=r"the smallest is -4."):
        convert.exponential_similarity(reverse, scale=1)


def test_zeros_that_rounding_made_negative_are_zeros():
    rounded = D - 1e-15 * (D == 0)
    assert_allclose(convert.one_minus_scaled(rounded), convert.one_minus_scaled(D))
    assert_allclose(convert.gaussian_similarity(rounded, sigma=1).diagonal(), 1.0)
    told = [f for f in diagnose(Pairwise(rounded, "dissimilarity")).findings if f.name == "Values"]
    assert "Negative" not in told[0].advice
    with pytest.raises(InputError, match="the smallest is -1e-05"):
        convert.one_minus_scaled(D - 1e-5)


def test_zero_maximum_is_refused():
    with pytest.raises(InputError, match="The largest dissimilarity is 0; expected more than 0"):
        convert.one_minus_scaled(np.zeros((2, 2)))


def test_nan_is_named():
    bad = D.copy()
    bad[1, 2] = np.nan
    for function in (convert.one_minus_scaled, convert.negate, convert.symmetrize):
        with pytest.raises(InputError, match="NaN at row 1, column 2"):
            function(bad)


def test_squares_do_not_wrap_around_or_warn():
    far = np.array([[0, 60_000], [60_000, 0]], dtype=np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        near = convert.gaussian_similarity(far, sigma=3.6e9)
        assert_allclose(near[0, 1], np.exp(-1))
        assert_array_equal(convert.gaussian_similarity([[0, 1e200]], sigma=1.0), [[1, 0]])


# --- sparse


SPARSE_D = sparse.csr_array(([0.0, 2.0, 4.0], ([0, 0, 2], [0, 1, 0])), shape=(3, 3))


@pytest.mark.parametrize(
    ("function", "stored"),
    [
        (convert.one_minus_scaled, [1, 0.5, 0]),
        (convert.max_minus, [4, 2, 0]),
        (lambda X: convert.gaussian_similarity(X, sigma=4), np.exp([0, -1, -4])),
        (lambda X: convert.exponential_similarity(X, scale=2), np.exp([0, -1, -2])),
    ],
)
def test_unknown_dissimilarity_becomes_zero_similarity(function, stored):
    block = function(Pairwise(SPARSE_D, "dissimilarity"))
    assert block.is_sparse and block.kind == "similarity"
    assert_allclose(block.values.data, stored)
    assert_array_equal(block.values.indices, SPARSE_D.indices)
    assert_allclose(SPARSE_D.data, [0, 2, 4])  # the caller's block is left alone


@pytest.mark.parametrize("function", [convert.one_minus_scaled, convert.max_minus])
def test_nothing_known_may_come_out_farther_than_unknown(function):
    with pytest.raises(InputError, match="entries above maximum=3"):
        function(Pairwise(SPARSE_D, "dissimilarity"), maximum=3)


@pytest.mark.parametrize(
    "function", [convert.negate, convert.max_minus, convert.distance_from_inner_products]
)
def test_what_would_fill_a_sparse_block_is_refused(function):
    with pytest.raises(InputError, match=r"cannot keep a block sparse: .*\.toarray\(\)"):
        function(Pairwise(sparse.csr_array(S), "similarity"))


def test_minmax_of_sparse_blocks():
    similar = convert.minmax_scale(Pairwise(sparse.csr_array(S), "similarity"))
    assert similar.is_sparse
    assert_allclose(similar.values.toarray(), S / 5)
    with pytest.raises(InputError, match="the minimum is -1, so zeros would"):
        convert.minmax_scale(Pairwise(sparse.csr_array(np.diag([-1.0, 2, 3])), "similarity"))
    known = convert.minmax_scale(Pairwise(SPARSE_D + 1 * (SPARSE_D > 0), "dissimilarity"))
    assert_allclose(known.values.data, [0, 1])


@pytest.mark.parametrize(
    "function", [convert.symmetrize, convert.minmax_scale, convert.negate, convert.max_minus]
)
def test_plain_sparse_needs_a_kind(function):
    with pytest.raises(InputError, match=r"Wrap it: Pairwise|cannot keep a block sparse"):
        function(sparse.csr_array(S))


blocks = arrays(float, (5, 5), elements=st.floats(0, 1e6, width=32))


@drawn(40)
@given(blocks.filter(lambda D: D.max() > 0))
def test_order_of_neighbours_survives(D):
    """Exact conversions are monotone: the same sample stays nearest."""
    nearest = Pairwise(D, "dissimilarity").nearest(1)[1]
    for function in (convert.negate, convert.max_minus, convert.one_minus_scaled):
        converted = function(Pairwise(D, "dissimilarity"))
        again = converted.nearest(1)[1]
        expected = function(
            Pairwise(nearest, "dissimilarity", same_samples=False),
            **({} if function is convert.negate else {"maximum": D.max()}),
        )
        assert_allclose(again, expected.values, atol=1e-9 * D.max())


@drawn(40)
@given(blocks)
def test_max_minus_twice_returns(D):
    once = convert.max_minus(Pairwise(D, "dissimilarity"))
    twice = convert.max_minus(once, maximum=D.max())
    assert twice.kind == "dissimilarity"
    assert_allclose(twice.values, D, atol=1e-9 * (1 + D.max()))


@pytest.mark.parametrize("scale", [5e-324, 1e-300, 1e300, 1.7e308])
@pytest.mark.parametrize(
    "function",
    [
        convert.one_minus_scaled,
        lambda X: convert.one_minus_scaled(X, maximum=5e-324),
        *(lambda X, s=s: convert.gaussian_similarity(X, sigma=s) for s in (5e-324, 1.0, 1e308)),
        *(lambda X, s=s: convert.exponential_similarity(X, scale=s) for s in (5e-324, 1e308)),
        convert.negate,
        convert.max_minus,
        lambda X: convert.max_minus(X, maximum=-1.7e308),
        convert.symmetrize,
        convert.minmax_scale,
        lambda X: convert.minmax_scale(X, minimum=0.0, maximum=5e-324),
        lambda X: convert.minmax_scale(X, minimum=-1.7e308, maximum=1.7e308),
    ],
)
@pytest.mark.filterwarnings("error")
def test_finite_numbers_of_any_scale_stay_finite(function, scale):
    assert np.isfinite(function(np.round(D) / 4 * scale)).all()


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e300, 8e307])
def test_scaled_and_distances_of_any_scale(scale):
    signed = scale * np.array([[-1.0, 1.0], [1.0, 0.5]])
    assert_allclose(convert.minmax_scale(signed), [[0.0, 1.0], [1.0, 0.75]])
    found = convert.distance_from_inner_products(scale * np.array([[2.0, 1.0], [1.0, 2.0]]))
    assert_allclose(found, np.sqrt(2.0 * scale) * (1 - np.eye(2)))


def test_missing_values_are_filled_and_counted(tmp_path):
    S = np.array([[9, np.nan, 1], [8, 9, np.nan], [1, np.nan, 9.0]])
    found = convert.fill_missing(S)
    assert (found.n_missing, found.n_reverse, found.n_means) == (3, 1, 2)
    assert found.values[0, 1] == 8 and found.values[1, 2] == found.values[2, 1] == 4.5
    np.savetxt(tmp_path / "s.csv", S, delimiter=",")
    read = read_pairwise(tmp_path / "s.csv", kind="similarity", missing="fill")
    np.testing.assert_array_equal(read.block.values, found.values)
    assert "3 of 9 values were missing" in " ".join(read.notes)
    far = convert.fill_missing(np.where(np.eye(3) == 1, np.nan, S), kind="dissimilarity").values
    assert (far.diagonal() == 0).all()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[np.nan, 1], [1, np.nan]], "say kind="),
        ([[np.inf, 1]], "infinite"),
        (["a"], "cannot be read as numbers"),
        ([1.0, np.nan], "1 dimensions"),
        (sparse.csr_array(np.eye(2)), "sparse block has no holes"),
        (Pairwise(np.eye(2), "similarity"), "X is a Pairwise. Fill its .values"),
        (np.full((2, 3), np.nan), r"2 queries against 3 references without like="),
    ],
)
def test_what_cannot_be_filled(values, message):
    with pytest.raises(InputError, match=message):
        convert.fill_missing(values)


def test_holes_of_queries_are_filled_like_the_training_block_alone():
    rng = np.random.default_rng(0)
    train, queries = rng.random((8, 8)), rng.random((5, 8))
    train[rng.random(train.shape) < 0.2] = np.nan
    queries[rng.random(queries.shape) < 0.4] = np.nan
    queries[2] = np.nan
    found = convert.fill_missing(queries, like=train)
    whole = convert.fill_missing(train).values
    block = Pairwise(whole, "dissimilarity")
    for like in (whole, block, train.tolist(), Pairwise(train, "similarity")):
        np.testing.assert_array_equal(convert.fill_missing(queries, like=like).values, found.values)
    for i, row in enumerate(queries):
        alone = convert.fill_missing(row[None], like=train).values[0]
        np.testing.assert_array_equal(alone, found.values[i])
    means = (whole.sum(axis=0) - whole.diagonal()) / 7
    assert_allclose(found.values[2], means)
    known = ~np.isnan(queries[0])
    guess = queries[0, known].mean() + means - means[known].mean()
    ends = np.append(queries[0, known], means)
    assert_allclose(found.values[0, ~known], guess[~known].clip(ends.min(), ends.max()))
    assert found.n_empty == 1 and "Of 1 row nothing was known" in found.told()
    assert found.n_means == found.n_missing == np.isnan(queries).sum()


def test_means_of_sparse_training_blocks():
    values = np.array([[0.0, 2, 0], [4, 0, 0], [0, 6, 0]])
    rows = [[1.0, np.nan, np.nan]]
    similar = Pairwise(sparse.csr_array(values), "similarity")
    assert_allclose(convert.fill_missing(rows, like=similar).values, [[1, 3, 0]])
    known = Pairwise(sparse.csr_array(values), "dissimilarity")  # of the last column nothing
    assert_allclose(convert.fill_missing(rows, like=known).values, [[1, 1, 1]])


@pytest.mark.parametrize(
    ("like", "message"),
    [
        (np.eye(3), r"like has the shape \(3, 3\), but X has 2 columns"),
        ([[np.inf, 1], [1, 0]], "like holds infinite values"),
        (sparse.csr_array(np.eye(2)), "sparse block"),
    ],
)
def test_blocks_that_are_no_training_block_of_queries(like, message):
    with pytest.raises(InputError, match=message):
        convert.fill_missing([[1.0, np.nan]], like=like)


def test_distances_in_single_precision_have_zeros_below_zero():
    """1 - cosine of float32, as of embeddings: -7e-7 was refused by six of ten members."""
    rows = np.random.default_rng(1).normal(size=(100, 384)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    D = 1 - rows @ rows.T
    assert -1e-5 < D.min() < -1e-7
    block = Pairwise(D, "dissimilarity")
    assert convert.one_minus_scaled(block).values.max() < 1.0 + 1e-5
    model = SimilarityClassifier(effort="quick").fit(D, np.arange(100) % 2)
    assert not any(row["failure"] for row in model.leaderboard_.rows)


def test_queries_that_are_all_rounding_are_zeros():
    tiny = np.array([[-2.2e-16]])
    assert_allclose(convert.gaussian_similarity(tiny, sigma=1.0), 1.0)
    assert_allclose(convert.exponential_similarity(tiny, scale=1.0), 1.0)
