"""LocalSVC: paths, calibration, and the shell."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import GridSearchCV, LeaveOneOut, StratifiedKFold, cross_val_score

from similearn import LocalSVC, PathSearchCV, SimilaritySVC
from similearn.errors import ConvergenceWarning, InputError
from tests.estimators.machine_problems import labelled_block, split_block


@pytest.mark.parametrize("spectrum", ["clip", "flip"])
def test_with_all_samples_as_neighbours_it_is_the_global_machine(spectrum):
    S, y = labelled_block(50, 3)
    train, known, queries, _ = split_block(S, y, 36)
    everywhere = LocalSVC(36, spectrum=spectrum, calibration="none").fit(train, known)
    machine = SimilaritySVC(spectrum=spectrum, calibration="none", tol=1e-8).fit(train, known)
    expected = machine.decision_function(queries)
    assert_allclose(everywhere.decision_function(queries), expected, atol=1e-4)


@pytest.mark.parametrize("calibration", ["temperature", "none"])
def test_path_equals_refit(calibration):
    S, y = labelled_block(60, 3)
    grid = {"n_neighbors": [1, 4, 12], "C": [0.1, 10.0]}
    scoring = "neg_log_loss" if calibration == "temperature" else "accuracy"
    folds = list(StratifiedKFold(3).split(S, y))
    model = LocalSVC(calibration=calibration)
    by_path = PathSearchCV(model, grid, cv=folds, scoring=scoring).fit(S, y)
    by_point = GridSearchCV(model, grid, cv=folds, scoring=scoring).fit(S, y)
    assert by_path.searched_by_path_
    expected = by_point.cv_results_["mean_test_score"]
    assert_allclose(by_path.cv_results_["mean_test_score"], expected, rtol=1e-9)


def test_leave_one_out_by_path_is_leave_one_out():
    S, y = labelled_block(30, 2)
    model = LocalSVC(calibration="none")
    search = PathSearchCV(model, {"n_neighbors": [3, 7]}, cv="loo").fit(S, y)
    for k, found in zip([3, 7], search.cv_results_["mean_test_score"], strict=True):
        model = LocalSVC(k, calibration="none")
        assert_allclose(found, cross_val_score(model, S, y, cv=LeaveOneOut()).mean())


def test_probabilities_follow_decisions():
    S, y = labelled_block(80, 3)
    train, known, queries, _ = split_block(S, y, 60)
    model = LocalSVC(12).fit(train, known)
    probabilities = model.predict_proba(queries)
    assert_allclose(probabilities.sum(axis=1), 1.0)
    assert_array_equal(model.predict(queries), probabilities.argmax(axis=1))
    assert_array_equal(model.decision_function(queries).argmax(axis=1), model.predict(queries))


@pytest.mark.filterwarnings("ignore::similearn.errors.ConvergenceWarning")
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e5])
@pytest.mark.parametrize("spectrum", ["clip", "flip", "shift"])
def test_asymmetric_indefinite_input_ends(spectrum, C):
    rng = np.random.default_rng(0)
    S, y = rng.standard_normal((40, 40)), np.arange(40) % 3
    train, known, queries, _ = split_block(S, y, 32)
    model = LocalSVC(16, C, spectrum=spectrum).fit(train, known)
    assert np.isfinite(model.predict_proba(queries)).all()


def test_all_samples_as_neighbours_can_be_calibrated():
    S, y = labelled_block(20, 2)
    assert LocalSVC(20).fit(S, y).predict_proba(S).shape == (20, 2)
    with pytest.raises(InputError, match="n_neighbors=21"):
        LocalSVC(21).fit(S, y)


def test_a_hopeless_machine_is_told(monkeypatch):
    monkeypatch.setattr("similearn.estimators.machines.local_svc.MOST_STEPS", 1)
    S, y = labelled_block(20, 2)
    with pytest.warns(ConvergenceWarning, match="Lower C"):
        LocalSVC(10, 1e3, calibration="none").fit(S, y).predict(S)


def test_a_search_for_decisions_does_not_calibrate(monkeypatch):
    S, y = labelled_block(40, 2)
    grid = {"n_neighbors": [3, 7]}
    plain = PathSearchCV(LocalSVC(calibration="none"), grid, cv="loo").fit(S, y)
    asked = []
    held_out = LocalSVC._held_out_evidence
    monkeypatch.setattr(
        LocalSVC, "_held_out_evidence", lambda *a: asked.append(len(a[3])) or held_out(*a)
    )
    search = PathSearchCV(LocalSVC(), grid, cv="loo").fit(S, y)
    expected = plain.cv_results_["mean_test_score"]
    assert_array_equal(search.cv_results_["mean_test_score"], expected)
    assert asked == [1]  # the refitted model alone
    assert hasattr(search.best_estimator_, "predict_proba")
    PathSearchCV(LocalSVC(costs=[[0, 1], [2, 0]]), grid, cv=2).fit(S, y)
    assert asked == [1, 2, 2, 1]


@pytest.mark.parametrize("scale", [2.0**-996, 2.0**-60, 2.0**60, 2.0**996])
def test_decisions_do_not_depend_on_the_unit(scale):
    points = np.random.default_rng(0).standard_normal((40, 3))
    S = np.exp(-((points[:, None] - points) ** 2).sum(axis=2))
    y = (points[:, 0] > 0).astype(int)
    expected = LocalSVC(7, calibration="none").fit(S, y).decision_function(S)
    model = LocalSVC(7, C=1 / scale, calibration="none").fit(S * scale, y)
    np.testing.assert_allclose(model.decision_function(S * scale), expected, rtol=1e-12)
