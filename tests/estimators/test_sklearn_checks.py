"""scikit-learn's own checks, on every public estimator."""

import pytest
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from similearn import (
    BDAClassifier,
    DissimilarityToSimilarity,
    LocalBDAClassifier,
    LocalNearestMeansClassifier,
    NeighborsClassifier,
    PrototypeFeatures,
    RowRBFSimilarity,
    SimilaritySVC,
    SpectrumTransformer,
)

ESTIMATORS = [
    BDAClassifier(),
    LocalBDAClassifier(),
    LocalBDAClassifier(priors="neighborhood"),
    LocalNearestMeansClassifier(),
    DissimilarityToSimilarity(),
    NeighborsClassifier(),
    NeighborsClassifier(weights="affinity"),
    NeighborsClassifier(kind="dissimilarity"),
    *(NeighborsClassifier(weights=weights) for weights in ("krr", "kri", "lime")),
    PrototypeFeatures(),
    PrototypeFeatures("random", n_prototypes=1),
    RowRBFSimilarity(),
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
