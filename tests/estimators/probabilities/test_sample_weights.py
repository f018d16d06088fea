"""`class_weight` and ``sample_weight``: what counts twice counts as if it were there twice."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import balanced_accuracy_score
from sklearn.svm import SVC
from sklearn.utils.validation import has_fit_parameter

from similearn import (
    BDAClassifier,
    DBoostClassifier,
    FusedNeighborsClassifier,
    IndefiniteFisherClassifier,
    LocalBDAClassifier,
    LocalSDAClassifier,
    LocalSVC,
    LPMachineClassifier,
    MixtureSDAClassifier,
    NeighborsClassifier,
    NormalClassifier,
    Pairwise,
    PathSearchCV,
    PotentialSVC,
    RobustSVC,
    SDAClassifier,
    SimilarityClassifier,
    SimilaritySVC,
    Sources,
    load,
    save,
)
from similearn.errors import InputError
from similearn.selection.auto.members import refitted

MODELS = [
    NeighborsClassifier(7),
    NeighborsClassifier(7, weights="affinity"),
    NeighborsClassifier(7, weights="krr", ridge=0.1),
    NeighborsClassifier(7, weights="kri", ridge=0.1),
    SimilaritySVC(C=1.0),
    LocalSVC(20),
    RobustSVC(C=0.1, rho=100.0),
    LPMachineClassifier(),
    PotentialSVC(fit_intercept=True),
    SDAClassifier(),
    LocalSDAClassifier(12, regularization="joint"),
    MixtureSDAClassifier(2, random_state=0),
    IndefiniteFisherClassifier(),
    DBoostClassifier(20, 10, random_state=0),
    FusedNeighborsClassifier(7),
    BDAClassifier(),
    LocalBDAClassifier(7),
    LocalBDAClassifier(20, priors="neighborhood"),
    NormalClassifier(),
]
OF_FEATURES = BDAClassifier, LocalBDAClassifier, NormalClassifier


def problem(seed=0, n=120):
    """Two overlapping classes, one of them rare."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.12, "rare", "usual")
    points = rng.standard_normal((n, 2)) + 1.3 * (y == "rare")[:, None]
    S = np.exp(-((points[:, None] - points) ** 2).sum(axis=2) / 2)
    return points, S, y


def data_for(model, points, S, rows=slice(None)):
    if isinstance(model, OF_FEATURES):
        return points[rows]
    block = Pairwise(S[rows], "similarity", same_samples=rows == slice(None))
    return Sources({"pairs": block}) if isinstance(model, FusedNeighborsClassifier) else block


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_balanced_classes_find_the_rare_one(model):
    points, S, y = problem()
    X = data_for(model, points, S)
    plain = clone(model).fit(X, y)
    balanced = clone(model).set_params(class_weight="balanced").fit(X, y)
    rare = np.count_nonzero(y == "rare")
    by_hand = clone(model).fit(X, y, sample_weight=np.where(y == "rare", len(y) - rare, rare))
    named = clone(model).set_params(class_weight={"rare": (len(y) - rare) / rare}).fit(X, y)
    assert np.count_nonzero(balanced.predict(X) == "rare") > np.count_nonzero(
        plain.predict(X) == "rare"
    )
    for same in (by_hand, named):
        assert_allclose(same.predict_proba(X), balanced.predict_proba(X), atol=2e-3)
    assert_allclose(balanced.calibration_priors_, 0.5)
    assert has_fit_parameter(model, "sample_weight")


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_weights_of_one_change_nothing(model):
    points, S, y = problem(1, 60)
    X = data_for(model, points, S)
    plain = clone(model).fit(X, y)
    weighted = clone(model).fit(X, y, sample_weight=np.full(len(y), 3.0))
    assert_allclose(weighted.predict_proba(X), plain.predict_proba(X), atol=1e-4)
    assert_array_equal(weighted.predict(X), plain.predict(X))
    assert not hasattr(plain, "_given_weights") or plain._given_weights is None


@pytest.mark.parametrize(
    "model",
    [
        NeighborsClassifier(20, weights="krr", ridge=0.1),
        SimilaritySVC(tol=1e-8),
        LocalSVC(20),
        RobustSVC(tol=1e-9, rho=1e6),
        LPMachineClassifier(),
        PotentialSVC(tol=1e-10),
    ],
    ids=lambda m: type(m).__name__,
)
def test_a_weight_of_two_is_a_sample_twice(model):
    _, S, y = problem(2, 20)
    y[:6] = "rare"
    twice = np.r_[np.arange(20), np.arange(0, 20, 3)]
    weights = np.ones(20)
    weights[::3] = 2
    model = clone(model).set_params(calibration="none")
    if hasattr(model, "n_neighbors"):  # all samples are neighbours
        more = clone(model).set_params(n_neighbors=len(twice))
    else:
        more = clone(model)
    # Weights are one on average: what is not scale-free needs the mean in its parameter.
    mean = weights.mean()
    scale = {"ridge": 1 / mean, "C": mean}
    own = {n: v * scale[n] for n, v in model.get_params().items() if n in scale}
    if isinstance(model, PotentialSVC):
        own = {"epsilon": model.epsilon / mean}
    weighted = clone(model).set_params(**own).fit(S, y, sample_weight=weights)
    repeated = more.fit(S[np.ix_(twice, twice)], y[twice])
    assert_allclose(
        weighted.decision_function(S), repeated.decision_function(S[:, twice]), atol=1e-5
    )


def test_the_machine_is_that_of_scikit_learn():
    _, S, y = problem(3, 50)
    rng = np.random.default_rng(0)
    weights = rng.uniform(0.2, 3.0, 50)
    weights /= weights.mean()
    theirs = SVC(kernel="precomputed", class_weight={"rare": 2.0}, tol=1e-8)
    theirs.fit(S, y, sample_weight=weights)
    total = np.where(y == "rare", 2.0, 1.0) * weights
    ours = SimilaritySVC(total.mean(), class_weight={"rare": 2.0}, calibration="none", tol=1e-8)
    ours.fit(S, y, sample_weight=weights)
    assert_allclose(ours.decision_function(S), theirs.decision_function(S), atol=1e-5)


def test_a_search_takes_both():
    _, S, y = problem(4)
    grid = {"n_neighbors": [1, 5, 15]}
    by_path = PathSearchCV(NeighborsClassifier(class_weight="balanced"), grid, cv=3).fit(S, y)
    assert by_path.searched_by_path_
    by_points = PathSearchCV(NeighborsClassifier(), grid, cv=3)
    by_points.fit(S, y, sample_weight=np.where(y == "rare", 9.0, 1.0))
    assert by_points.best_estimator_.sample_weights_.max() > 1
    plain = PathSearchCV(NeighborsClassifier(), grid, cv=3, scoring="balanced_accuracy").fit(S, y)
    found = balanced_accuracy_score(y, by_path.predict(S))
    assert found >= balanced_accuracy_score(y, plain.predict(S))


def test_paths_weigh_as_single_fits_do():
    _, S, y = problem(5, 40)
    model = NeighborsClassifier(weights="krr", class_weight="balanced", calibration="none")
    candidates = [{"n_neighbors": k, "ridge": r} for k in (3, 8) for r in (0.1, 1.0)]
    path = clone(model).fit_path(S, y, candidates).path_scores(S)
    for scores, candidate in zip(path, candidates, strict=True):
        alone = clone(model).set_params(**candidate).fit(S, y).decision_function(S)
        assert_allclose(scores[:, 1] - scores[:, 0], alone, atol=1e-9)


@pytest.mark.parametrize("weights", [{"rare": 1e-12}, {"usual": 1e9}])
@pytest.mark.parametrize("model", [LocalSVC(7), RobustSVC()], ids=lambda m: type(m).__name__)
def test_weights_may_be_very_unequal(model, weights):
    _, S, y = problem(3, 40)
    said = clone(model).set_params(class_weight=weights).fit(S, y).predict_proba(S)
    assert np.isfinite(said).all() and (said[:, 1] > 0.5).all()


def test_the_default_passes_them_on(tmp_path):
    _, S, y = problem(9, 150)
    plain = SimilarityClassifier(effort="quick").fit(S, y)
    balanced = clone(plain).set_params(class_weight="balanced").fit(S, y)
    found, before = (np.count_nonzero(m.predict(S) == "rare") for m in (balanced, plain))
    assert found > before
    assert_allclose(balanced.priors_, 0.5)
    assert_allclose(plain.priors_, [np.mean(y == "rare"), np.mean(y == "usual")])
    for member in balanced.members_:
        assert_allclose(member.estimator.class_weight[0] * np.mean(y == "rare"), 0.5)
    other = refitted(balanced, S[:100, :100], y[:100])
    assert_allclose(other.priors_, 0.5)
    save(balanced, tmp_path / "default.model")
    again = load(tmp_path / "default.model")
    assert_array_equal(again.predict_proba(S), balanced.predict_proba(S))


def test_a_fit_after_a_path_has_weights_of_its_own():
    _, S, y = problem(5, 40)
    costs = [[0.0, 1.0], [2.0, 0.0]]
    model = NeighborsClassifier(3, class_weight="balanced", costs=costs, calibration="none")
    model.fit_path(S[:30, :30], y[:30], [{"n_neighbors": 3}])
    again = clone(model).fit(S, y).predict_proba(S)
    assert_array_equal(model.fit(S, y).predict_proba(S), again)


def test_models_keep_their_weights(tmp_path):
    _, S, y = problem(6, 40)
    model = NeighborsClassifier(5, class_weight={"rare": 4.0}).fit(S, y)
    save(model, tmp_path / "one.model")
    again = load(tmp_path / "one.model")
    assert_array_equal(again.predict_proba(S), model.predict_proba(S))
    assert "_weights" not in vars(model)


@pytest.mark.parametrize(
    ("parameter", "weights", "told"),
    [
        ("fair", None, "class_weight='fair' is unknown"),
        ([1, 2], None, "class_weight is of type list"),
        ({"none": 2.0}, None, "names 'none', which is no class"),
        ({"rare": -1.0}, None, "out of range"),
        ({"rare": 0.0}, None, "All samples of class 'rare' have sample_weight 0"),
        (None, np.ones(3), "sample_weight cannot be used"),
        (None, -np.ones(40), "sample_weight cannot be used"),
        (None, np.full(40, np.nan), "sample_weight cannot be used"),
    ],
)
def test_what_cannot_be_meant_is_refused(parameter, weights, told):
    _, S, y = problem(7, 40)
    with pytest.raises(InputError, match=told):
        NeighborsClassifier(class_weight=parameter).fit(S, y, sample_weight=weights)
    NeighborsClassifier().fit(S, y)  # nothing of it is left


def test_twelve_classes_of_two_samples():
    rng = np.random.default_rng(8)
    y = np.repeat(np.arange(12), 2)
    points = np.c_[y, rng.normal(0, 0.1, 24)]
    S = -np.abs(points[:, None] - points).sum(axis=2)
    for model in (NeighborsClassifier(1), SimilaritySVC(), SDAClassifier()):
        fitted = model.set_params(class_weight="balanced").fit(S, y)
        said = fitted.predict_proba(S)
        assert np.isfinite(said).all() and said.shape == (24, 12)
