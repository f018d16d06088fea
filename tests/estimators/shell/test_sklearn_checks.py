"""scikit-learn's own checks, on every public estimator."""

from functools import cache, partial
from itertools import groupby

import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

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
from tests.library_checks import check_or_fail, name_of

# Every class once, all checks; without a calibration where that takes three more fits of what is
# slow, and whose calibrated form is among the variants.
PLAIN = {"calibration": "none"}
ESTIMATORS = [
    BDAClassifier(),
    CDNNClassifier(DissimilarityCombiner(ridge=0.1, n_passes=1)),
    DBoostClassifier(n_estimators=5, kind="similarity"),
    DissimilarityCombiner(ridge=0.1),
    DissimilarityToSimilarity(),
    DissimilarityVoteClassifier(100, kind="similarity"),
    FusedNeighborsClassifier(),
    FusionClassifier([("votes", NeighborsClassifier(), "pairs")]),
    GaussianSimilarity(),
    IndefiniteFisherClassifier(),
    KernelCombiner(),
    LPMachineClassifier(**PLAIN),
    LocalBDAClassifier(),
    LocalNearestMeansClassifier(),
    LocalSDAClassifier(),
    LocalSVC(),
    MixtureSDAClassifier(n_init=1, tol=1e-3, **PLAIN),
    NeighborsClassifier(),
    NormalClassifier(),
    NystromFeatures(),
    PairwiseSimilarity(),
    PotentialSVC(**PLAIN),
    PrototypeFeatures(),
    ProximityForestClassifier(2),
    PseudoEuclideanEmbedding(),
    RobustSVC(**PLAIN),
    RowRBFSimilarity(),
    SDAClassifier(**PLAIN),
    SimilarityClassifier(effort="quick"),
    SimilaritySVC(**PLAIN),
    SpectrumTransformer("clip"),
]

VARIANTS = [  # other mathematics behind the same door: the checks that see numbers
    DBoostClassifier(n_estimators=10, base="sign", kind="similarity"),
    DBoostClassifier(
        n_estimators=10, base="tree", max_prototypes=9, n_iter_no_change=5, kind="similarity"
    ),
    DBoostClassifier(n_estimators=10),
    DissimilarityCombiner("pythagorean"),
    DissimilarityVoteClassifier(None, kind="similarity"),
    FusionClassifier(
        [
            ("votes", NeighborsClassifier(), "pairs"),
            ("rows", LogisticRegression(C=1e-3, max_iter=1000), "pairs"),
        ]
    ),
    LPMachineClassifier(),
    LocalBDAClassifier(priors="neighborhood"),
    *(LocalSDAClassifier(regularization=name) for name in ("joint", "mean", "adaptive")),
    LocalSVC(spectrum="shift", calibration="none"),
    NeighborsClassifier(kind="dissimilarity"),
    *(NeighborsClassifier(weights=weights) for weights in ("affinity", "krr", "kri", "lime")),
    MixtureSDAClassifier(n_init=1, tol=1e-3),
    NormalClassifier("own"),
    NystromFeatures(2, prototypes="k-medoids", random_state=0),
    PotentialSVC(),
    PrototypeFeatures("random", n_prototypes=1),
    PrototypeFeatures("k-medoids", n_prototypes=1, sigma=1.0),
    ProximityForestClassifier(5, calibration="none", max_depth=4),
    RobustSVC(),
    *(SDAClassifier(support=support) for support in ("observed", "continuous")),
    SimilaritySVC(spectrum="krein"),
    SimilaritySVC(),
    *(SpectrumTransformer(method) for method in ("flip", "shift", "square")),
]
SEEING_NUMBERS = {
    "check_class_weight_classifiers",
    "check_classifiers_one_label",
    "check_classifiers_train",
    "check_decision_proba_consistency",
    "check_dict_unchanged",
    "check_estimators_dtypes",
    "check_fit2d_1feature",
    "check_fit2d_1sample",
    "check_fit_idempotent",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_sample_weight_equivalence_on_dense_data",
    "check_transformer_general",
}

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
    both = all(hasattr(estimator, name) for name in ("decision_function", "predict_proba"))
    if both and get_tags(estimator).input_tags.pairwise:
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
    affine = getattr(estimator, "weights", None) in ("affinity", "krr")
    if isinstance(estimator, NeighborsClassifier) and (affine or estimator.kind is not None):
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


@cache  # an estimator is written out once, not for each of its checks
def told(one):
    return name_of(one) if isinstance(one, partial) else repr(one)[:60]


def subject(pair):
    """What is checked: sparse arrays and sparse matrices are two inputs of one check."""
    return name_of(pair[1]).replace("sparse_matrix", "sparse_array")


def of_classes():
    """Every check of every class; where one is made with several inputs, they take turns."""
    for turn, model in enumerate(ESTIMATORS):
        checks = estimator_checks_generator(model)
        for _, same in groupby(checks, key=subject):
            pairs = list(same)
            for place, (estimator, check) in enumerate(pairs):
                marks = () if place == turn % len(pairs) else pytest.mark.exhaustive
                yield pytest.param(estimator, check, marks=marks)


@pytest.mark.filterwarnings("ignore::similearn.errors.SimilearnWarning")
@pytest.mark.parametrize(("estimator", "check"), list(of_classes()), ids=told)
def test_scikit_learn_check(estimator, check):
    check_or_fail(estimator, check, expected_failures(estimator))


def of_variants():
    for variant in VARIANTS:
        for estimator, check in estimator_checks_generator(variant):
            # Layouts and precisions of the input are checked on every class above.
            other_input = isinstance(check, partial) and check.keywords
            if name_of(check) in SEEING_NUMBERS and not other_input:
                yield estimator, check


@pytest.mark.thinned
@pytest.mark.filterwarnings("ignore::similearn.errors.SimilearnWarning")
@pytest.mark.parametrize(("estimator", "check"), list(of_variants()), ids=told)
def test_scikit_learn_check_of_variants(estimator, check):
    check_or_fail(estimator, check, expected_failures(estimator))
