"""scikit-learn's own checks, on every public estimator."""

import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import similearn
from similearn import (
    BDAClassifier,
    CDNNClassifier,
    DBoostClassifier,
    DissimilarityCombiner,
    DissimilarityToSimilarity,
    DissimilarityVoteClassifier,
    FusedNeighborsClassifier,
    FusionClassifier,
    GaussianSimilarity,
    IndefiniteFisherClassifier,
    KernelCombiner,
    LocalBDAClassifier,
    LocalNearestMeansClassifier,
    LocalSDAClassifier,
    LocalSVC,
    LPMachineClassifier,
    MixtureSDAClassifier,
    NeighborsClassifier,
    NormalClassifier,
    NystromFeatures,
    PairwiseSimilarity,
    PotentialSVC,
    PrototypeFeatures,
    ProximityForestClassifier,
    PseudoEuclideanEmbedding,
    RobustSVC,
    RowRBFSimilarity,
    SDAClassifier,
    SimilarityClassifier,
    SimilaritySVC,
    SpectrumTransformer,
)

ESTIMATORS = [
    BDAClassifier(),
    CDNNClassifier(DissimilarityCombiner(ridge=0.1)),
    LocalBDAClassifier(),
    LocalBDAClassifier(priors="neighborhood"),
    LocalNearestMeansClassifier(),
    DBoostClassifier(n_estimators=20, kind="similarity"),
    DBoostClassifier(n_estimators=20, base="sign", kind="similarity"),
    DBoostClassifier(
        n_estimators=10, base="tree", max_prototypes=9, n_iter_no_change=5, kind="similarity"
    ),
    DBoostClassifier(n_estimators=20),
    DissimilarityCombiner(ridge=0.1),
    DissimilarityCombiner("pythagorean"),
    DissimilarityToSimilarity(),
    DissimilarityVoteClassifier(100, kind="similarity"),
    DissimilarityVoteClassifier(None, kind="similarity"),
    FusedNeighborsClassifier(),
    FusionClassifier([("votes", NeighborsClassifier(), "pairs")]),
    FusionClassifier(
        [
            ("votes", NeighborsClassifier(), "pairs"),
            ("rows", LogisticRegression(C=1e-3, max_iter=1000), "pairs"),
        ]
    ),
    GaussianSimilarity(),
    KernelCombiner(),
    LocalSDAClassifier(),
    *(LocalSDAClassifier(regularization=name) for name in ("joint", "mean", "adaptive")),
    LocalSVC(),
    LocalSVC(spectrum="shift", calibration="none"),
    MixtureSDAClassifier(n_init=1, tol=1e-3),
    NeighborsClassifier(),
    NeighborsClassifier(weights="affinity"),
    NeighborsClassifier(kind="dissimilarity"),
    *(NeighborsClassifier(weights=weights) for weights in ("krr", "kri", "lime")),
    IndefiniteFisherClassifier(),
    LPMachineClassifier(),
    NormalClassifier(),
    NormalClassifier("own"),
    NystromFeatures(),
    NystromFeatures(2, prototypes="k-medoids", random_state=0),
    PairwiseSimilarity(),
    PotentialSVC(),
    ProximityForestClassifier(2),
    ProximityForestClassifier(5, calibration="none", max_depth=4),
    PrototypeFeatures(),
    PrototypeFeatures("random", n_prototypes=1),
    PrototypeFeatures("k-medoids", n_prototypes=1, sigma=1.0),
    PseudoEuclideanEmbedding(),
    RobustSVC(),
    RowRBFSimilarity(),
    SDAClassifier(),
    SDAClassifier(support="continuous"),
    SimilarityClassifier(effort="quick"),
    SimilaritySVC(),
    SimilaritySVC(spectrum="krein"),
    SimilaritySVC(calibration="none"),
    *(SpectrumTransformer(method) for method in ("clip", "flip", "shift", "square")),
]

ELSEWHERE = {
    "PathSearchCV": "needs an estimator and its grid: tests/selection runs the checks on it",
    "SimilaritySources": "needs functions, takes objects alone and gives Sources",
}


def test_every_public_estimator_is_checked():
    public = {name: getattr(similearn, name) for name in similearn.__all__}
    classes = {n for n, c in public.items() if isinstance(c, type) and issubclass(c, BaseEstimator)}
    assert classes == {type(estimator).__name__ for estimator in ESTIMATORS} | set(ELSEWHERE)


def expected_failures(estimator):
    """Every exclusion, with its reason."""
    excluded = {}
    if hasattr(estimator, "decision_function") and get_tags(estimator).input_tags.pairwise:
        excluded["check_decision_proba_consistency"] = (
            "feeds features, not a kernel, to pairwise estimators; tests/estimators/neighbors "
            "and its like repeat the check on a kernel"
        )
    if isinstance(estimator, (NeighborsClassifier, CDNNClassifier)):
        if estimator.kind == "dissimilarity":
            reason = "feeds a linear kernel, a similarity, and asks for accuracy"
            excluded["check_classifiers_train"] = reason
    if isinstance(estimator, (CDNNClassifier, DissimilarityCombiner)):
        excluded["check_fit2d_1feature"] = (
            "takes labels from a kernel with a row of zeros, so that all labels are the same"
        )
    if isinstance(estimator, (NeighborsClassifier, FusedNeighborsClassifier)):
        excluded["check_class_weight_classifiers"] = (
            "a class that is not among the neighbours gets no vote, whatever its weight"
        )
    if isinstance(estimator, LocalSDAClassifier) and estimator.regularization != "joint":
        excluded["check_class_weight_classifiers"] = (
            "a pmf of one value rules classes out, and the nearest centroid asks for no priors"
        )
    if isinstance(estimator, (BDAClassifier, LocalBDAClassifier, NormalClassifier)):
        excluded["check_sample_weight_equivalence_on_dense_data"] = (
            "weights enter by the priors; densities are those of the samples as they are"
        )
    return excluded


@pytest.mark.filterwarnings("ignore::similearn.errors.SimilearnWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)
