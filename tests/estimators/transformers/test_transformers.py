import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from similearn import (
    DissimilarityToSimilarity,
    NeighborsClassifier,
    Pairwise,
    PrototypeFeatures,
    RowRBFSimilarity,
    SpectrumTransformer,
)
from similearn.errors import InputError


def indefinite(n=12, seed=0):
    A = np.random.default_rng(seed).standard_normal((n, n))
    return A + A.T


@pytest.mark.parametrize("method", ["clip", "flip", "square"])
@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_array])
def test_a_query_equal_to_a_training_sample_is_treated_as_it(method, wrap):
    S = indefinite()
    model = SpectrumTransformer(method)
    K = model.fit_transform(wrap(S))
    assert_allclose(model.transform(wrap(S)), K, atol=1e-9)
    assert np.linalg.eigvalsh(K).min() > -1e-9


def test_both_readings_of_zero_eigenvalues():
    """M_clip as printed is diag(λ >= 0) in the eigenvectors; Proposition 1 has λ > 0."""
    A = np.random.default_rng(0).standard_normal((6, 3))
    S = A * [1, -1, 1] @ A.T  # of rank three: two positive eigenvalues, one negative
    values, vectors = np.linalg.eigh(S)
    zero = np.abs(values) < 1e-9
    s = np.random.default_rng(1).standard_normal((4, 6))
    for zeros, kept in (("drop", (values > 0) & ~zero), ("keep", (values > 0) | zero)):
        model = SpectrumTransformer("clip", zeros=zeros).fit(S)
        assert_allclose(model.transform(s), s @ (vectors * kept) @ vectors.T, atol=1e-9)
        assert_allclose(model.fit_transform(S), (vectors * np.maximum(values, 0)) @ vectors.T)
    flipped = [SpectrumTransformer("flip", zeros=z).fit(S).transform(s) for z in ("drop", "keep")]
    assert_array_equal(*flipped)
    with pytest.raises(InputError, match="zeros='none'"):
        SpectrumTransformer(zeros="none").fit(S)


def test_shift_moves_self_similarities_alone():
    S = indefinite()
    model = SpectrumTransformer("shift")
    K = model.fit_transform(S)
    assert_allclose(K - S, -np.linalg.eigvalsh(S)[0] * np.eye(12))
    assert_array_equal(model.transform(S), S)


def test_square_of_an_asymmetric_block_is_the_product_of_rows():
    S = np.random.default_rng(0).random((5, 5))
    K = SpectrumTransformer("square").fit_transform(Pairwise(S, "similarity"))
    assert_allclose(K.values, S @ S.T)
    assert K.kind == "similarity" and K.same_samples


def test_asymmetric_blocks_use_the_symmetric_part():
    S = np.random.default_rng(0).random((7, 7))
    mean = (S + S.T) / 2
    ours = SpectrumTransformer("clip").fit_transform(Pairwise(S, "similarity"))
    assert_allclose(ours.values, SpectrumTransformer("clip").fit_transform(mean))
    cut = Pairwise(S, "similarity")[np.ix_([5, 6], range(5))]
    model = SpectrumTransformer("flip").fit(Pairwise(S[:5, :5], "similarity"))
    expected = SpectrumTransformer("flip").fit(mean[:5, :5]).transform(mean[5:, :5])
    assert_allclose(model.transform(cut).values, expected)


def test_row_rbf_is_the_formula():
    rng = np.random.default_rng(0)
    S, T = rng.random((6, 6)), rng.random((2, 6))
    model = RowRBFSimilarity(gamma=0.5).fit(S)
    expected = [[np.exp(-0.5 * np.sum((t - s) ** 2)) for s in S] for t in T]
    assert_allclose(model.transform(T), expected)
    block = RowRBFSimilarity().fit_transform(Pairwise(S, "dissimilarity"))
    assert block.kind == "similarity"
    assert_array_equal(block.values.diagonal(), np.ones(6))
    assert RowRBFSimilarity().fit(S).gamma_ == pytest.approx(1 / (6 * S.var()))
    sparser = sparse.csr_array(np.where(S > 0.5, S, 0.0))
    assert RowRBFSimilarity().fit(sparser).gamma_ == pytest.approx(
        1 / (6 * sparser.toarray().var())
    )


def similar_rows():
    """Rows of one class are alike, though its members are not similar."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=90)
    S = rng.normal(size=(3, 90))[y] + 0.7 * rng.normal(size=(90, 90))
    return S - S.min(), y


@pytest.mark.parametrize("unit", [1e-300, 1e-3, 1e3, 1e300])
def test_row_rbf_follows_the_units_of_the_data(unit):
    S, _ = similar_rows()
    model, same = RowRBFSimilarity().fit(unit * S), RowRBFSimilarity().fit(S)
    assert_allclose(model.transform(unit * S[:9]), same.transform(S[:9]), rtol=1e-9, atol=1e-300)
    fixed = RowRBFSimilarity(gamma=1.0).fit_transform(unit * S)
    assert np.isfinite(fixed).all() and (fixed.diagonal() == 1).all()


def test_row_rbf_learns_in_any_units():
    S, y = similar_rows()
    model = make_pipeline(RowRBFSimilarity(), NeighborsClassifier(5))
    scores = [cross_val_score(model, unit * S, y).mean() for unit in (1e-3, 1.0, 1e3)]
    assert scores[0] == scores[1] == scores[2] > 0.9
    fixed = make_pipeline(RowRBFSimilarity(gamma=1.0), NeighborsClassifier(5))
    assert cross_val_score(fixed, 1e3 * S, y).mean() < 0.5


@pytest.mark.parametrize("unit", [1e-300, 1e300])
def test_gaussian_features_follow_the_units_of_the_data(unit):
    S, _ = similar_rows()
    expected = PrototypeFeatures(sigma=1.0).fit_transform(S)
    assert_allclose(PrototypeFeatures(sigma=1.0).fit_transform(unit * S), expected, rtol=1e-9)


def test_rows_of_sparse_dissimilarities_are_refused():
    D = Pairwise(sparse.csr_array(np.eye(3)), "dissimilarity")
    with pytest.raises(InputError, match="unknown"):
        RowRBFSimilarity().fit(D)


def test_prototypes():
    S = np.arange(16.0).reshape(4, 4)
    assert_array_equal(PrototypeFeatures().fit_transform(S), S)
    assert_array_equal(PrototypeFeatures([2, 0]).fit_transform(S), S[:, [2, 0]])
    some = PrototypeFeatures("random", n_prototypes=2, random_state=0).fit(S)
    assert len(set(some.prototypes_)) == 2
    assert_array_equal(some.transform(S[:1]), S[:1, some.prototypes_])
    again = PrototypeFeatures("random", n_prototypes=2, random_state=0).fit(S)
    assert_array_equal(again.prototypes_, some.prototypes_)
    assert isinstance(PrototypeFeatures().fit_transform(Pairwise(S, "similarity")), np.ndarray)


def test_features_for_any_classifier():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    S = rng.random((60, 60)) + (y[:, None] == y)
    model = make_pipeline(PrototypeFeatures(), LogisticRegression())
    assert cross_val_score(model, Pairwise((S + S.T) / 2, "similarity"), y).mean() > 0.9


@pytest.mark.parametrize("wrap", [np.asarray, sparse.csr_array])
def test_conversion_is_learned_from_training(wrap):
    D = np.array([[0.0, 1, 2], [1, 0, 4], [3, 4, 0]])
    block = Pairwise(wrap(D), "dissimilarity")
    model = DissimilarityToSimilarity().fit(block)
    assert model.maximum_ == 4
    train = model.fit_transform(block)
    assert train.kind == "similarity"
    neighbors = NeighborsClassifier(1).fit(train, [0, 1, 2])
    held_out = train[np.ix_([2], [0, 1, 2])]
    # A dense block knows that a sample is near itself; CSR here does not store that zero.
    assert neighbors.predict(held_out).tolist() == ([0] if block.is_sparse else [2])
    query = Pairwise(wrap([[8.0, 2.0, 1.0]]), "dissimilarity", reverse=wrap([[4.0, 2.0, 2.0]]))
    values = model.transform(query)
    if not query.is_sparse:
        assert_allclose(values.values, [[-1.0, 0.5, 0.75]])
        assert_allclose(values.reverse, [[0.0, 0.5, 0.5]])
    else:
        assert_allclose(values.values.toarray(), [[0.0, 0.5, 0.75]])
    assert_allclose(DissimilarityToSimilarity("max-minus").fit_transform(D), 4 - D)


def test_a_multiple_of_the_width():
    S = 2.0 * np.eye(6) + 1.0
    assert RowRBFSimilarity(multiple=3.0).fit(S).gamma_ == 3 * RowRBFSimilarity().fit(S).gamma_
    assert RowRBFSimilarity(gamma=0.5, multiple=2.0).fit(S).gamma_ == 1.0
    with pytest.raises(InputError, match="multiple"):
        RowRBFSimilarity(multiple=0.0).fit(S)


def test_rows_are_compared_on_few_columns():
    S = np.random.default_rng(0).normal(size=(7, 7))
    S = S + S.T
    model = RowRBFSimilarity(gamma=0.3, most_columns=3).fit(S)
    few = S[:, [0, 2, 4]]
    squared = ((few[:2, None] - few) ** 2).sum(axis=2)
    assert_allclose(model.transform(S[:2]), np.exp(-0.3 * squared))
    assert_allclose(model.fit_transform(S)[:2], np.exp(-0.3 * squared), atol=1e-12)
    assert RowRBFSimilarity(most_columns=9).fit(S).rows_.shape == (7, 7)
    with pytest.raises(InputError, match="most_columns"):
        RowRBFSimilarity(most_columns=0).fit(S)
