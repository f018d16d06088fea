"""Similarities as features, for scikit-learn's classifiers and our own (JMLR §3)."""

from functools import partial

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from similearn.estimators import (
    LPMachineClassifier,
    NormalClassifier,
    PotentialSVC,
    PrototypeFeatures,
    RowRBFSimilarity,
    SimilaritySVC,
)
from similearn.experiments.families.calibrated_trees import BoostedTreesClassifier
from similearn.experiments.registry import Method

# JMLR Table 2.
LINEAR_COSTS = tuple(10.0**e for e in range(-3, 6))
RBF_COSTS = tuple(10.0**e for e in range(-3, 2))
PSVM_EPSILONS = tuple(10.0**e for e in range(-4, 2))
PSVM_COSTS = tuple(10.0**e for e in range(5))

RBF_MULTIPLES = tuple(10.0**e for e in range(-3, 3))
"""Of γ in units of the data, around "scale"."""
SHRINKAGES = (0.01, 0.1, 0.5, 0.9)

_FAMILY = "similarities as features"
_MOST_STEPS = 1_000_000
"""libsvm may hardly end where C is large and nothing separates the classes."""


def _logistic_on_features(kind: str) -> Pipeline:
    """Similarities and dissimilarities are features alike."""
    steps = [
        ("features", PrototypeFeatures()),
        ("scale", StandardScaler(with_mean=False)),
        ("logistic", LogisticRegression(max_iter=1000)),
    ]
    return Pipeline(steps)


def _boosting_on_features(kind: str) -> Pipeline:
    boosting = BoostedTreesClassifier()
    return Pipeline([("features", PrototypeFeatures(dense=True)), ("boosting", boosting)])


def _linear_svm(kind: str) -> Pipeline:
    """Inner products of rows as kernel (JMLR §2.1.5): the same machine, all C from one kernel."""
    if kind == "similarity":
        return Pipeline([("svm", SimilaritySVC(spectrum="square"))])
    svm = SVC(kernel="linear", max_iter=_MOST_STEPS)
    return Pipeline([("features", PrototypeFeatures()), ("svm", svm)])


def _rbf_svm(kind: str) -> Pipeline:
    """The Gaussian kernel of rows is a similarity, and one for all C."""
    svm = SimilaritySVC(spectrum="none", consistency="none")
    return Pipeline([("rows", RowRBFSimilarity()), ("svm", svm)])


def _few_gaussian_features(kind: str) -> Pipeline:
    """Balcan and Blum's machine: exp(-d² / σ) to random prototypes."""
    features = PrototypeFeatures("random", sigma=1.0)
    return Pipeline([("features", features), ("svm", SVC(kernel="linear", max_iter=_MOST_STEPS))])


def _normal_on_medoids(kind: str, covariance: str) -> Pipeline:
    features = PrototypeFeatures("k-medoids", dense=True)
    return Pipeline([("features", features), ("normal", NormalClassifier(covariance))])


METHODS = (
    Method(
        name="features-linear-svm",
        summary="linear SVM on similarities to all training samples",
        source="JMLR §3, eq. 4",
        family=_FAMILY,
        build=_linear_svm,
        grid={"svm__C": LINEAR_COSTS},
        slow=True,
    ),
    Method(
        name="features-rbf-svm",
        summary="Gaussian SVM on similarities to all training samples",
        source="JMLR §3 and §7; γ around what the units of the data ask for",
        family=_FAMILY,
        build=_rbf_svm,
        grid={"svm__C": RBF_COSTS, "rows__multiple": RBF_MULTIPLES},
        slow=True,
    ),
    Method(
        name="psvm",
        summary="potential SVM: least squares with few, bounded coefficients",
        source="JMLR §3, eq. 6",
        family=_FAMILY,
        build=lambda kind: PotentialSVC(),
        grid={"epsilon": PSVM_EPSILONS, "C": PSVM_COSTS},
        slow=True,
    ),
    Method(
        name="lp-machine",
        summary="linear programming machine: few prototypes",
        source="JMLR §3, eq. 5; the grid is ours",
        family=_FAMILY,
        build=lambda kind: LPMachineClassifier(),
        grid={"C": (0.01, 0.1, 1.0, 10.0, 100.0)},
        slow=True,
    ),
    Method(
        name="lsvm",
        summary="linear SVM on exp(-d²/σ) to few random prototypes",
        source="DBoost §4, Balcan and Blum; the grid is ours",
        family=_FAMILY,
        build=_few_gaussian_features,
        grid={
            "features__sigma": (0.1, 1.0, 10.0),
            "features__n_prototypes": (5, 10, 20),
            "svm__C": (0.1, 1.0, 10.0, 100.0),
        },
        slow=True,
    ),
    Method(
        name="rlnc",
        summary="regularized linear normal classifier on similarities to medoids",
        source="DBoost §4, Pekalska and Duin; the grid is ours",
        family=_FAMILY,
        build=partial(_normal_on_medoids, covariance="shared"),
        grid={
            "features__n_prototypes": (5, 10, 20),
            "normal__shrinkage": SHRINKAGES,
        },
    ),
    Method(
        name="rqnc",
        summary="regularized quadratic normal classifier on similarities to medoids",
        source="DBoost §4, Pekalska and Duin; the grid is ours",
        family=_FAMILY,
        build=partial(_normal_on_medoids, covariance="own"),
        grid={
            "features__n_prototypes": (5, 10, 20),
            "normal__shrinkage": SHRINKAGES,
        },
    ),
    Method(
        name="features-logistic",
        summary="logistic regression on similarities to all training samples",
        source="JMLR §3; the classifier is ours",
        family=_FAMILY,
        build=_logistic_on_features,
        grid={"logistic__C": tuple(10.0**e for e in range(-2, 2))},
        slow=True,
    ),
    Method(
        name="features-boosting",
        summary="gradient-boosted trees on similarities to all training samples",
        source="JMLR §3; the trees are scikit-learn's, with its settings; calibrated",
        family=_FAMILY,
        build=_boosting_on_features,
        slow=True,
    ),
)
