"""scikit-learn's own checks, on every public estimator."""

import pytest
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from similearn import (
    BDAClassifier,
    DBoostClassifier,
    DissimilarityToSimilarity,
    DissimilarityVoteClassifier,
    IndefiniteFisherClassifier,
    LocalBDAClassifier,
    LocalNearestMeansClassifier,
    LocalSDAClassifier,
    LocalSVC,
    LPMachineClassifier,
    MixtureSDAClassifier,
    NeighborsClassifier,
    NormalClassifier,
    PotentialSVC,
    PrototypeFeatures,
    PseudoEuclideanEmbedding,
    RobustSVC,
    RowRBFSimilarity,
    SDAClassifier,
    SimilaritySVC,
    SpectrumTransformer,
)

ESTIMATORS = [
    BDAClassifier(),
    LocalBDAClassifier(),
    LocalBDAClassifier(priors="neighborhood"),
    LocalNearestMeansClassifier(),
    DBoostClassifier(n_rounds=20, kind="similarity"),
    DBoostClassifier(n_rounds=20, base="sign", kind="similarity"),
    DBoostClassifier(n_rounds=10, base="tree", max_prototypes=9, patience=5, kind="similarity"),
    DBoostClassifier(n_rounds=20),
    DissimilarityToSimilarity(),
    DissimilarityVoteClassifier(100, kind="similarity"),
    DissimilarityVoteClassifier(None, kind="similarity"),
    LocalSDAClassifier(),
    *(LocalSDAClassifier(regularization=name) for name in ("joint", "mean", "adaptive")),
    LocalSVC(),
    LocalSVC(spectrum="shift", calibration="none"),
    MixtureSDAClassifier(),
    NeighborsClassifier(),
    NeighborsClassifier(weights="affinity"),
    NeighborsClassifier(kind="dissimilarity"),
    *(NeighborsClassifier(weights=weights) for weights in ("krr", "kri", "lime")),
    IndefiniteFisherClassifier(),
    LPMachineClassifier(),
    NormalClassifier(),
    NormalClassifier("own"),
    PotentialSVC(),
    PrototypeFeatures(),
    PrototypeFeatures("random", n_prototypes=1),
    PrototypeFeatures("k-medoids", n_prototypes=1, sigma=1.0),
    PseudoEuclideanEmbedding(),
    RobustSVC(),
    RowRBFSimilarity(),
    SDAClassifier(),
    SDAClassifier(support="continuous"),
    SimilaritySVC(),
    SimilaritySVC(spectrum="krein"),
    SimilaritySVC(calibration="none"),
    *(SpectrumTransformer(method) for method in ("clip", "flip", "shift", "square")),
]


def expected_failures(estimator):
    """Every exclusion, with its reason."""
    excluded = {}
    if hasattr(estimator, "decision_function") and get_tags(estimator).input_tags.pairwise:
        excluded["check_decision_proba_consistency"] = (
            "feeds features, not a kernel, to pairwise estimators; test_neighbors.py and its "
            "like repeat the check on a kernel"
        )
    if isinstance(estimator, NeighborsClassifier) and estimator.kind == "dissimilarity":
        reason = "feeds a linear kernel, a similarity, and asks for accuracy"
        excluded["check_classifiers_train"] = reason
    return excluded


@pytest.mark.filterwarnings("ignore::similearn.errors.SimilearnWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)
