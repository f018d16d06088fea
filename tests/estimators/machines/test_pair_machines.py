"""PotentialSVC, LPMachineClassifier and RobustSVC: pairs of classes, paths, the shell."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from similearn import LPMachineClassifier, PathSearchCV, PotentialSVC, RobustSVC, SimilaritySVC
from similearn.errors import ConvergenceWarning, InputError
from similearn.numerics.machines.potential_svc import GramProblem, potential_svm
from tests.estimators.machine_problems import labelled_block, split_block

MODELS = [PotentialSVC(), LPMachineClassifier(), RobustSVC(tol=1e-4)]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_it_learns_and_probabilities_follow_decisions(model, n_classes):
    S, y = labelled_block(90, n_classes)
    train, known, queries, truth = split_block(S, y, 70)
    model.fit(train, known)
    predicted = model.predict(queries)
    assert np.mean(predicted == truth) > 1.5 / n_classes
    probabilities = model.predict_proba(queries)
    assert_allclose(probabilities.sum(axis=1), 1.0)
    assert_array_equal(probabilities.argmax(axis=1), predicted)


def test_one_machine_for_each_pair_on_its_own_block():
    S, y = labelled_block(45, 3)
    model = PotentialSVC(0.5, 2.0, calibration="none").fit(S, y)
    members = np.flatnonzero(y != 1)
    signs = np.where(y[members] == 2, 1.0, -1.0)
    alone = potential_svm(GramProblem.of(S[np.ix_(members, members)], signs), 0.5, 2.0, 1e-6)
    assert_array_equal(model.coef_[1, members], alone.alpha)
    assert_array_equal(model.coef_[1, y == 1], 0.0)


@pytest.mark.parametrize("model", [PotentialSVC(2.0), LPMachineClassifier(0.5)])
def test_prediction_needs_only_the_prototypes(model):
    S, y = labelled_block(60, 3)
    train, known, queries, _ = split_block(S, y, 45)
    model.fit(train, known)
    assert 0 < model.n_prototypes_ < 45
    others = np.setdiff1d(np.arange(45), model.prototypes_)
    changed = queries.values.copy()
    changed[:, others] = 1e3
    expected = model.decision_function(queries.values)
    assert_array_equal(model.decision_function(changed), expected)


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (PotentialSVC(), {"epsilon": [0.01, 1.0], "C": [0.5, 100.0]}),
        (LPMachineClassifier(), {"C": [0.1, 10.0]}),
    ],
)
def test_path_equals_refit(model, grid):
    S, y = labelled_block(50, 3)
    folds = list(StratifiedKFold(2).split(S, y))
    by_path = PathSearchCV(model, grid, cv=folds, scoring="neg_log_loss").fit(S, y)
    by_point = GridSearchCV(model, grid, cv=folds, scoring="neg_log_loss").fit(S, y)
    assert by_path.searched_by_path_
    expected = by_point.cv_results_["mean_test_score"]
    assert_allclose(by_path.cv_results_["mean_test_score"], expected, rtol=1e-9)


def test_intercept_of_the_psvm_absorbs_a_constant():
    S, y = labelled_block(40, 2)
    plain = PotentialSVC(0.5, fit_intercept=True, calibration="none").fit(S, y)
    shifted = PotentialSVC(0.5, fit_intercept=True, calibration="none").fit(S + 3.0, y)
    expected = plain.decision_function(S)
    assert_allclose(shifted.decision_function(S + 3.0), expected, atol=1e-4)


@pytest.mark.filterwarnings("ignore::similearn.errors.ConvergenceWarning")
@pytest.mark.parametrize("S", [np.zeros((8, 8)), np.ones((8, 8)), np.eye(8)])
@pytest.mark.parametrize("model", MODELS)
def test_degenerate_blocks(model, S):
    assert np.isfinite(model.fit(S, np.arange(8) % 2).predict_proba(S)).all()


@pytest.mark.filterwarnings("ignore::similearn.errors.ConvergenceWarning")
@pytest.mark.parametrize("C", [1e-3, 1e5])
@pytest.mark.parametrize("model", MODELS)
def test_asymmetric_indefinite_input_ends(model, C):
    rng = np.random.default_rng(0)
    S, y = rng.standard_normal((30, 30)), np.arange(30) % 3
    train, known, queries, _ = split_block(S, y, 24)
    model = model.set_params(C=C).fit(train, known)
    assert np.isfinite(model.predict_proba(queries)).all()
    model.set_params(C=1.0)


def test_parameters_are_checked():
    S, y = labelled_block(12, 2)
    for model in (PotentialSVC(epsilon=0), LPMachineClassifier(C=-1), RobustSVC(rho=0)):
        with pytest.raises(InputError, match="out of range"):
            model.fit(S, y)


def test_robust_tells_when_it_gives_up():
    S, y = labelled_block(40, 2)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        RobustSVC(100.0, max_iter=2, calibration="none").fit(S, y)


def test_robust_with_a_stiff_penalty_is_the_clipped_machine():
    S, y = labelled_block(60, 2)
    train, known, queries, _ = split_block(S, y, 45)
    robust = RobustSVC(1.0, 1e8, tol=1e-7, max_iter=20_000, calibration="none").fit(train, known)
    clip = SimilaritySVC(calibration="none", tol=1e-7).fit(train, known)
    assert_allclose(robust.decision_function(queries), clip.decision_function(queries), atol=5e-3)
    assert (robust.gaps_ <= 1e-7).all()


def robust_problem():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(40, 40))
    y = rng.integers(0, 2, 40)
    S = A + A.T + 3.0 * (y[:, None] == y)
    return S[:30, :30], y[:30], S[30:34, :30]


@pytest.mark.parametrize("rho", [1e6, 1e14, 1e22, 1e80])
def test_robust_svc_tends_to_spectrum_clip(rho):
    S, y, queries = robust_problem()
    model = RobustSVC(rho=rho, calibration="none").fit(S, y)
    assert model.gaps_[0] <= 1e-3
    clip = SimilaritySVC(calibration="none").fit(S, y).decision_function(queries)
    assert_allclose(clip, [-0.779, -0.987, -1.467, -0.883], atol=1e-3)
    assert_allclose(model.decision_function(queries), clip, atol=5e-3)


@pytest.mark.parametrize("rho", [1e-6, 1.0, 1e14])
def test_robust_svc_in_other_units(rho):
    S, y, queries = robust_problem()
    expected = RobustSVC(rho=rho).fit(S, y).decision_function(queries)
    for c in (1e-8, 1e-4, 10.0, 1e8):
        model = RobustSVC(C=1.0 / c, rho=rho / c**3).fit(c * S, y)
        assert_allclose(model.decision_function(c * queries), expected, rtol=1e-6)


@pytest.mark.parametrize(
    "machine",
    [LPMachineClassifier(), PotentialSVC(0.5), RobustSVC()],
    ids=lambda m: type(m).__name__,
)
def test_coefficients_are_those_of_the_decision(machine):
    S, y = labelled_block(45, 3)
    two = np.isin(y, [0, 1])
    S, y = S[np.ix_(two, two)], y[two]
    model = machine.set_params(calibration="none").fit(S, y)
    assert model.coef_.shape == (1, len(y)) and model.intercept_.shape == (1,)
    decisions = (S @ model.coef_.T + model.intercept_)[:, 0]
    assert_array_equal(model.predict(S), np.where(decisions > 0, 1, 0))
    with pytest.warns(FutureWarning, match="coefficients_ was renamed to coef_"):
        assert model.coefficients_.shape == (1, len(y), 1)
