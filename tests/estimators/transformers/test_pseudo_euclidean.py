"""Pseudo-Euclidean coordinates, the indefinite Fisher discriminant, and prototypes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from similearn import (
    Pairwise,
    PathSearchCV,
    PrototypeFeatures,
    PseudoEuclideanEmbedding,
    SimilaritySVC,
    SpectrumTransformer,
)
from similearn.errors import InputError
from tests.estimators.machine_problems import labelled_block, split_block
from tests.uncalibrated import IndefiniteFisherClassifier


@pytest.mark.parametrize("asymmetric", [False, True])
def test_inner_products_with_the_signature_are_the_similarities(asymmetric):
    S, _ = labelled_block(30, 2, asymmetric=asymmetric)
    model = PseudoEuclideanEmbedding()
    X = model.fit_transform(S)
    signs = np.sign(model.eigenvalues_)
    assert model.signature_ == (np.sum(signs > 0), np.sum(signs < 0))
    assert_allclose((X * signs) @ X.T, (S + S.T) / 2, atol=1e-9)


@pytest.mark.parametrize("spectrum", ["psd", "indefinite"])
def test_proposition_1(spectrum):
    """The embedded query is the least-squares one, and its inner products are P s."""
    S, y = labelled_block(40, 2, spectrum=spectrum)
    train, _, queries, _ = split_block(S, y, 30)
    model = PseudoEuclideanEmbedding(positive_only=True)
    X = model.fit_transform(train.values)
    Z = model.transform(queries.values)
    expected = SpectrumTransformer("clip").fit(train.values).transform(queries.values)
    assert_allclose(Z @ X.T, expected, atol=1e-8)
    nearest = np.linalg.lstsq(X, queries.values.T, rcond=1e-10)[0].T
    assert_allclose(Z @ X.T, nearest @ X.T, atol=1e-8)


def test_dissimilarities_of_points_give_the_points_back():
    points = np.random.default_rng(0).standard_normal((25, 3))
    D = np.linalg.norm(points[:, None] - points, axis=2)
    model = PseudoEuclideanEmbedding(3, kind="dissimilarity").fit(D[:20, :20])
    Z = np.vstack([model.transform(D[:20, :20]), model.transform(D[20:, :20])])
    assert model.signature_ == (3, 0)
    assert_allclose(np.linalg.norm(Z[:, None] - Z, axis=2), D, atol=1e-9)
    with pytest.raises(InputError, match="sparse"):
        PseudoEuclideanEmbedding(kind="dissimilarity").fit(sparse.csr_array(D))


def test_a_linear_svm_on_the_embedding_is_the_flipped_machine():
    S, y = labelled_block(60, 2)
    train, known, queries, _ = split_block(S, y, 45)
    steps = (PseudoEuclideanEmbedding(), SVC(kernel="linear", tol=1e-8))
    linear = make_pipeline(*steps).fit(train.values, known)
    flip = SimilaritySVC(spectrum="flip", calibration="none", tol=1e-8).fit(train, known)
    expected = linear.decision_function(queries.values)
    assert_allclose(flip.decision_function(queries), expected, atol=1e-4)


def test_degenerate_and_short_embeddings():
    assert_array_equal(PseudoEuclideanEmbedding().fit_transform(np.zeros((4, 4))), np.zeros((4, 1)))
    S, _ = labelled_block(10, 2)
    assert PseudoEuclideanEmbedding(2).fit_transform(S).shape == (10, 2)
    assert PseudoEuclideanEmbedding(99).fit(S).n_components_ <= 10


def reference_fisher(S, y, s, ridge):
    """Scores as the docstring prints them."""
    means = [S[y == g].mean(axis=0) for g in range(y.max() + 1)]
    centred = S - np.array(means)[y]
    N = centred.T @ centred / (len(y) - len(means))
    N = N + ridge * np.trace(N) / len(N) * np.eye(len(N))
    inverse = np.linalg.inv(N)
    return [
        s @ inverse @ m - 0.5 * m @ inverse @ m + np.log(np.mean(y == g))
        for g, m in enumerate(means)
    ]


def test_fisher_is_its_formula_and_a_regularized_lda_of_rows():
    S, y = labelled_block(50, 3)
    train, known, queries, _ = split_block(S, y, 40)
    model = IndefiniteFisherClassifier(0.3).fit(train, known)
    scores = model.decision_function(queries)
    expected = [reference_fisher(train.values, known, s, 0.3) for s in queries.values]
    assert_allclose(scores, expected, rtol=1e-7)
    centred = train.values - np.array([train.values[known == g].mean(0) for g in range(3)])[known]
    N = centred.T @ centred / (len(known) - 3)
    lda = LinearDiscriminantAnalysis(solver="lsqr")
    lda.covariance_estimator = _Fixed(N + 0.3 * np.trace(N) / 40 * np.eye(40))
    lda.fit(train.values, known)
    assert_allclose(model.predict_proba(queries), lda.predict_proba(queries.values), atol=1e-6)


class _Fixed:
    """A covariance estimator that knows its answer."""

    def __init__(self, covariance):
        self.covariance_ = covariance

    def fit(self, X):
        return self


def test_fisher_path_equals_refit():
    S, y = labelled_block(60, 3)
    grid = {"ridge": [1e-3, 0.1, 10.0]}
    model = IndefiniteFisherClassifier()
    by_path = PathSearchCV(model, grid, cv=3, scoring="neg_log_loss").fit(S, y)
    by_point = GridSearchCV(model, grid, cv=3, scoring="neg_log_loss").fit(S, y)
    expected = by_point.cv_results_["mean_test_score"]
    assert_allclose(by_path.cv_results_["mean_test_score"], expected, rtol=1e-6)


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array])
def test_medoids_stand_for_the_groups(kind, stored):
    near = np.kron(np.eye(3), np.full((5, 5), 0.8)) + 0.2 * np.eye(15)
    values = near if kind == "similarity" else np.where(near > 0, 1.1 - near, 0.0)
    if kind == "dissimilarity" and stored is np.asarray:
        values = 1.1 - near
    block = Pairwise(stored(values), kind)
    model = PrototypeFeatures("k-medoids", n_prototypes=3).fit(block)
    assert_array_equal(model.prototypes_ // 5, [0, 1, 2])


def test_balcan_and_blum_features():
    S, _ = labelled_block(20, 2)
    D = 1.0 - S
    model = PrototypeFeatures(sigma=0.5).fit(Pairwise(D, "dissimilarity"))
    width = 0.5 * np.mean(D**2)
    expected = np.exp(-(D**2) / width)
    assert_allclose(model.transform(Pairwise(D, "dissimilarity")), expected)
    from_similarity = PrototypeFeatures(sigma=0.5).fit(S).transform(S)
    far = S.max() - S
    assert_allclose(from_similarity, np.exp(-(far**2) / (0.5 * np.mean(far**2))))


def test_balcan_and_blum_features_of_sparse_dissimilarities():
    D = sparse.csr_array(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]]))
    model = PrototypeFeatures(sigma=1.0).fit(Pairwise(D, "dissimilarity"))
    features = model.transform(Pairwise(D, "dissimilarity")).toarray()
    assert_allclose(features[0], [0.0, np.exp(-1.0 / 2.5), 0.0])


@pytest.mark.parametrize("kind", ["similarity", "dissimilarity"])
def test_queries_beyond_all_numbers_get_finite_coordinates_and_change_no_others(kind):
    D = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
    block = D if kind == "dissimilarity" else 6.0 - D
    model = PseudoEuclideanEmbedding(3, kind=kind).fit(block)
    near, far = block[:2] + 0.5, np.full((1, 6), 1e305)
    both = model.transform(np.r_[near, far])
    assert np.isfinite(both).all()
    assert_allclose(both[:2], model.transform(near), rtol=1e-12)


def test_coordinates_beyond_all_numbers_keep_their_direction():
    points = np.random.default_rng(0).normal(size=(6, 3))
    D = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    usual = PseudoEuclideanEmbedding(3, kind="dissimilarity").fit_transform(D)
    with np.errstate(all="raise", under="ignore"):
        found = PseudoEuclideanEmbedding(3, kind="dissimilarity").fit_transform(D * 2.0**1021)
    assert np.abs(found).max() <= 1e300
    directions = usual / np.abs(usual).max(axis=1, keepdims=True)
    assert_allclose(np.abs(found / 1e300), np.abs(directions), atol=1e-9)
