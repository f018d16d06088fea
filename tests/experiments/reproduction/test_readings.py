import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from similearn import SimilaritySVC
from similearn.experiments.reproduction.columns.readings import (
    GlobalPriorLocalSDA,
    LeftOutLocalSDA,
    LinearlyShiftedSVC,
    OwnClassLocalSDA,
    ShiftedRidgeNeighbors,
)
from similearn.numerics.scores.one_vs_one import vote_scores
from tests.experiments.data import small_problem
from tests.reference.local_sda import Literal
from tests.uncalibrated import LocalSDAClassifier, NeighborsClassifier


def test_shifted_weights_are_those_of_footnote_5():
    block, y = small_problem(30, 3)
    S = block.values
    plain = NeighborsClassifier(6, weights="krr", ridge=0.5).fit(S, y)
    shifted = ShiftedRidgeNeighbors(6, weights="krr", ridge=0.5).fit(S, y)
    found = plain.explain(S)
    weights = found.weights - found.weights.mean(axis=1, keepdims=True) + 1 / 6
    expected = np.array([(weights * (found.labels == c)).sum(axis=1) for c in plain.classes_]).T
    assert_allclose(shifted.decision_function(S), expected, atol=1e-8)


def test_shifted_weights_under_a_large_ridge_are_votes():
    block, y = small_problem(30, 3)
    S = block.values
    votes = NeighborsClassifier(5).fit(S, y).predict(S)
    shifted = ShiftedRidgeNeighbors(5, weights="krr", ridge=1e9).fit(S, y)
    assert_array_equal(shifted.predict(S), votes)


def test_a_linearly_shifted_machine_treats_training_samples_as_themselves():
    block, y = small_problem(30, 3)
    S = block.values
    machine = LinearlyShiftedSVC(spectrum="shift").fit(S, y)
    lowest = np.linalg.eigvalsh((S + S.T) / 2)[0]
    assert lowest < 0
    expected = (S + S.T) / 2 - lowest * np.eye(30)
    assert_allclose((S + S.T) / 2 @ machine.linear_map_, expected, atol=1e-8)
    coefficients, intercepts = machine._machines[0]
    plain = SimilaritySVC(spectrum="shift").fit(S, y)
    assert_allclose(plain._machines[0][0].toarray(), coefficients.toarray())
    scores = vote_scores(expected @ coefficients + intercepts, 3)
    assert_array_equal(machine.predict(S), machine.classes_[scores.argmax(axis=1)])


def levels(n=24, seed=0):
    """Similarities of ten levels, the largest of a sample to itself."""
    block, y = small_problem(n, 2, seed)
    S = np.clip(np.round(8 * block.values), 0, 8)
    np.fill_diagonal(S, 9)
    return S, np.unique(y, return_inverse=True)[1]


def posteriors(literal, S):
    return np.array([literal.posterior("marginal", row) for row in S])


def test_a_global_prior_takes_the_place_of_the_local_one():
    S, y = levels()
    local = LocalSDAClassifier(12, regularization="marginal").fit(S, y)
    other = GlobalPriorLocalSDA(12, regularization="marginal", calibration="none").fit(S, y)
    counts = np.array(
        [np.bincount(row, minlength=2) for row in y[np.argsort(-S, kind="stable")][:, :12]]
    )
    both = (counts > 0).all(axis=1)
    assert 10 < both.sum() < len(S)
    moved = local.predict_log_proba(S)[both] - np.log(counts[both]) + np.log(np.bincount(y))
    moved -= np.logaddexp(*moved.T)[:, None]
    assert_allclose(other.predict_log_proba(S)[both], moved, atol=1e-9)


def test_left_out_samples_are_not_in_their_own_neighbourhood():
    S, y = levels()

    class LeftOut(Literal):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            hoods = [self.hood(np.where(np.arange(len(S)) == z, -1, S[z])) for z in range(len(S))]
            self.all_means = [self.model(hood)[1] for hood in hoods]

    model = LeftOutLocalSDA(12, regularization="marginal", alpha=0.5, calibration="none").fit(S, y)
    expected = posteriors(LeftOut(S, y, 12, 0.5, True), S)
    assert_allclose(model.predict_proba(S), expected, atol=1e-4)


def test_own_class_averages_over_its_members_only():
    S, y = levels()

    class OwnClass(Literal):
        def regularizer(self, name, g, h, row):
            everybody = self.all_means
            self.all_means = [m if c == g else {} for m, c in zip(everybody, y, strict=True)]
            pmf = super().regularizer(name, g, h, row)
            self.all_means = everybody
            return pmf

    model = OwnClassLocalSDA(12, regularization="marginal", alpha=0.5, calibration="none").fit(S, y)
    assert_allclose(model.predict_proba(S), posteriors(OwnClass(S, y, 12, 0.5, True), S), atol=1e-4)
