"""SimilaritySVC against scikit-learn's SVC, and the treatment of queries."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from similearn import (
    Pairwise,
    PathSearchCV,
    PrototypeFeatures,
    SimilaritySVC,
    SpectrumTransformer,
)
from similearn.errors import ConvergenceWarning, InputError
from similearn.estimators.probabilities.calibrated import stratified_folds
from tests.estimators.machine_problems import labelled_block, split_block
from tests.reference.machines import augmented_row


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("spectrum", ["clip", "flip", "shift", "krein", "none"])
def test_all_spectra_agree_with_svc_where_s_is_a_kernel(spectrum, n_classes):
    S, y = labelled_block(80, n_classes, spectrum="psd")
    train, known, queries, _ = split_block(S, y, 60)
    svc = SVC(kernel="precomputed", break_ties=True).fit(train.values, known)
    model = SimilaritySVC(spectrum=spectrum, calibration="none").fit(train, known)
    expected = svc.decision_function(queries.values)
    assert_allclose(model.decision_function(queries), expected, atol=1e-9)
    assert_array_equal(model.predict(queries), svc.predict(queries.values))
    assert_array_equal(model.support_, np.sort(svc.support_))


@pytest.mark.parametrize("spectrum", ["clip", "flip", "shift", "square"])
def test_same_as_a_pipeline_of_transformer_and_svc(spectrum):
    S, y = labelled_block(80, 3)
    train, known, queries, _ = split_block(S, y, 60)
    svc = SVC(kernel="precomputed", C=2.0)
    pipeline = make_pipeline(SpectrumTransformer(spectrum), svc).fit(train.values, known)
    model = SimilaritySVC(2.0, spectrum=spectrum, calibration="none").fit(train, known)
    expected = pipeline.decision_function(queries.values)
    assert_allclose(model.decision_function(queries), expected, atol=1e-8)


def test_krein_decides_as_flip_with_linear_consistency():
    S, y = labelled_block(80, 3)
    train, known, queries, _ = split_block(S, y, 60)
    krein = SimilaritySVC(spectrum="krein", calibration="none").fit(train, known)
    flip = SimilaritySVC(spectrum="flip", calibration="none").fit(train, known)
    assert_allclose(krein.decision_function(queries), flip.decision_function(queries), atol=1e-9)


def test_square_is_a_linear_svm_on_similarities_as_features():
    S, y = labelled_block(80, 2)
    train, known, queries, _ = split_block(S, y, 60)
    linear = make_pipeline(PrototypeFeatures(), SVC(kernel="linear")).fit(train.values, known)
    square = SimilaritySVC(spectrum="square", calibration="none").fit(train, known)
    expected = linear.decision_function(queries.values)
    assert_allclose(square.decision_function(queries), expected, atol=1e-3)


@pytest.mark.parametrize("spectrum", ["clip", "flip", "square"])
def test_a_query_equal_to_a_training_sample_is_treated_as_it(spectrum):
    S, y = labelled_block(40, 2)
    model = SimilaritySVC(spectrum=spectrum, calibration="none").fit(S, y)
    kernel = SpectrumTransformer(spectrum).fit_transform(S)
    queries = model._query_block(Pairwise(S, "similarity", same_samples=False))
    assert_allclose(model._kernel_rows(queries, slice(None)), kernel, atol=1e-9)


@pytest.mark.parametrize("spectrum", ["clip", "flip", "square", "shift"])
def test_augmented_borders_the_matrix_by_one_query(spectrum):
    S, y = labelled_block(40, 2)
    train, known, queries, _ = split_block(S, y, 30)
    model = SimilaritySVC(spectrum=spectrum, consistency="augmented", calibration="none")
    rows = model.fit(train, known)._kernel_rows(queries, slice(None))
    for i, s in enumerate(queries.values):
        own = queries.self_values[i]
        expected = {
            "shift": s,
            "square": train.values @ s + own * s,
        }.get(spectrum)
        if expected is None:
            expected = augmented_row(train.values, s, own, spectrum)
        assert_allclose(rows[i], expected, atol=1e-10)


def test_augmented_square_of_asymmetric_data():
    S, y = labelled_block(30, 2, asymmetric=True)
    train, known, queries, _ = split_block(S, y, 24)
    model = SimilaritySVC(spectrum="square", consistency="augmented").fit(train, known)
    rows = model._kernel_rows(queries, slice(None))
    whole = S[np.ix_([*range(24), 25], [*range(24), 25])]
    assert_allclose(rows[1], (whole @ whole.T)[:-1, -1], atol=1e-10)


def test_no_consistency_leaves_queries_alone():
    S, y = labelled_block(40, 2)
    model = SimilaritySVC(consistency="none").fit(S, y)
    queries = model._query_block(S[:5])
    assert_array_equal(model._kernel_rows(queries, slice(None)), S[:5])


def test_augmented_asks_for_self_similarities():
    S, y = labelled_block(20, 2)
    model = SimilaritySVC(consistency="augmented", calibration="none").fit(S, y)
    with pytest.raises(InputError, match="self_values"):
        model.predict(S[:3])
    with pytest.raises(InputError, match="krein"):
        SimilaritySVC(spectrum="krein", consistency="none").fit(S, y)


@pytest.mark.filterwarnings("ignore::similearn.errors.ConvergenceWarning")
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e5])
@pytest.mark.parametrize("spectrum", ["clip", "flip", "shift", "square", "krein", "none"])
def test_asymmetric_indefinite_input_ends(spectrum, C):
    rng = np.random.default_rng(0)
    S, y = rng.standard_normal((45, 45)), np.arange(45) % 3
    train, known, queries, _ = split_block(S, y, 36)
    model = SimilaritySVC(C, spectrum=spectrum, max_iter=20_000).fit(train, known)
    probabilities = model.predict_proba(queries)
    assert_allclose(probabilities.sum(axis=1), 1.0)
    assert_array_equal(model.classes_[probabilities.argmax(axis=1)], model.predict(queries))


def test_the_iteration_cap_is_told():
    S, y = labelled_block(60, 2)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        SimilaritySVC(1e5, calibration="none", max_iter=5).fit(S, y)


@pytest.mark.parametrize("S", [np.zeros((8, 8)), np.ones((8, 8)), np.eye(8)])
def test_degenerate_spectra(S):
    y = np.arange(8) % 2
    for spectrum in ("clip", "flip", "shift", "square", "krein"):
        model = SimilaritySVC(spectrum=spectrum).fit(S, y)
        assert np.isfinite(model.predict_proba(S)).all()


def test_path_equals_refit():
    S, y = labelled_block(90, 3)
    grid = {"C": [1e-2, 1.0, 100.0]}
    folds = list(StratifiedKFold(3).split(S, y))
    model = SimilaritySVC()
    by_path = PathSearchCV(model, grid, cv=folds, scoring="neg_log_loss").fit(S, y)
    by_point = GridSearchCV(model, grid, cv=folds, scoring="neg_log_loss").fit(S, y)
    assert by_path.searched_by_path_
    expected = by_point.cv_results_["mean_test_score"]
    assert_allclose(by_path.cv_results_["mean_test_score"], expected, rtol=1e-9)


def test_calibration_changes_no_decision_and_works_in_cross_validation():
    S, y = labelled_block(120, 3)
    train, known, queries, _ = split_block(S, y, 90)
    plain = SimilaritySVC(calibration="none").fit(train, known)
    calibrated = SimilaritySVC().fit(train, known)
    assert_array_equal(plain.predict(queries), calibrated.predict(queries))
    assert not hasattr(plain, "predict_proba")
    losses = -cross_val_score(SimilaritySVC(), S, y, scoring="neg_log_loss", cv=4)
    assert losses.mean() < 0.9 * np.log(3)


def test_calibration_sees_no_sample_that_it_scores():
    S, y = labelled_block(60, 2)
    model = SimilaritySVC().fit(S, y)
    block = Pairwise(S, "similarity")
    held_out = model._folded_scores(block, y, [{}])[0][0]
    train, test = stratified_folds(y)[0]
    assert not set(train) & set(test)
    altered = S.copy()
    altered[np.ix_(test, test)] += 100.0  # similarities among those left out
    again = model._folded_scores(Pairwise(altered, "similarity"), y, [{}])[0][0]
    assert_allclose(again[test], held_out[test], atol=1e-9)


def test_probabilities_of_classes_with_one_member():
    S, y = labelled_block(30, 2)
    y[-1] = 2
    probabilities = SimilaritySVC().fit(S, y).predict_proba(S)
    assert probabilities.shape == (30, 3) and np.isfinite(probabilities).all()


def test_sparse_equals_dense():
    from scipy import sparse

    S, y = labelled_block(40, 2)
    S[S < 0.6] = 0.0
    train, known = S[:30, :30], y[:30]
    dense = SimilaritySVC(calibration="none").fit(train, known).decision_function(S[30:, :30])
    model = SimilaritySVC(calibration="none").fit(sparse.csr_array(train), known)
    assert_allclose(model.decision_function(sparse.csr_array(S[30:, :30])), dense, atol=1e-9)
