"""The portfolio: which methods are tried, in which order, and over which parameters.

The order is that of what pays first: cheap methods of different families, then slower ones.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

# Of this package a class is loaded when it is taken: a model that was fitted loads its own.
import similearn.estimators as estimators

NEIGHBORS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64, 128)
COSTS = (1.0, 10.0, 100.0)
EFFORTS = {"quick": 3, "normal": 5, "thorough": 10}
"""Efforts, and their numbers of folds."""
MANY, FOLDS_OF_MANY = 2000, 3
"""More samples than these are dealt to fewer folds, but with a thorough effort; some members
try fewer neighbours."""
MOST_DECOMPOSED = {"quick": 2000, "normal": 6000, "thorough": 100_000}
"""Samples whose eigenvectors an effort has time for."""


@dataclass(frozen=True)
class Member:
    """One method of the portfolio.

    Parameters
    ----------
    name : as in the leaderboard; where it can be, that of the registered method
    build : makes the estimator for a block of the given kind
    grid : parameters and the values tried
    takes : "block" as it is, or "similarity": a dissimilarity is converted first
    effort : the least effort at which it is tried
    stage : members of one stage share what costs, fold by fold: a neighbour search, an
        eigendecomposition
    decomposes : whether it takes O(n³) to decompose a matrix of all training samples
    most_of_many : the largest neighbourhood that is tried above `MANY` samples
    most_rounds : rounds of boosting times classes; more rounds are not tried
    powers : by name, the power of the unit of similarities that a parameter has; it is tried times
        that, so that the member is the same in whatever unit they are measured
    """

    name: str
    build: Callable[[str], Any]
    grid: Mapping[str, Sequence[Any]]
    takes: Literal["block", "similarity"] = "similarity"
    effort: str = "normal"
    stage: str = "neighbors"
    decomposes: bool = False
    most_of_many: int | None = None
    most_rounds: int | None = None
    powers: Mapping[str, int] = field(default_factory=dict)

    def at_size(self, n: int, n_classes: int) -> "Member":
        """The member as it is tried with n samples of so many classes."""
        if self.most_of_many is not None and n > MANY:
            return self._up_to("n_neighbors", self.most_of_many)
        if self.most_rounds is not None:
            return self._up_to("n_estimators", self.most_rounds // n_classes)
        return self

    def _up_to(self, name: str, most: int) -> "Member":
        """The member without larger values of a parameter; the smallest one stays."""
        first, *others = self.grid[name]
        kept = (first, *(value for value in others if value <= most))
        return replace(self, grid={**self.grid, name: kept})

    def with_weights(self, class_weight: Mapping[int, float] | None) -> "Member":
        """The member with weights of the classes, if it has a place for them."""
        if class_weight is None:
            return self
        return replace(self, build=partial(_weighed, self.build, class_weight))


def weighing(estimator: Any, class_weight: Mapping[int, float] | None) -> Any:
    """Set `class_weight` where an estimator, or the last step of a pipeline, takes it."""
    names = [n for n in estimator.get_params() if n.rsplit("__", 1)[-1] == "class_weight"]
    return estimator.set_params(**dict.fromkeys(names, class_weight))


def _weighed(build: Callable[[str], Any], class_weight: Mapping[int, float], kind: str) -> Any:
    return weighing(build(kind), class_weight)


# Held-out scores calibrate all members alike: they need no calibration of their own.
_MACHINE = {"multiclass": "coupled", "calibration": "none"}


def _pipeline(steps: list[tuple[str, Any]]) -> Any:
    from sklearn.pipeline import Pipeline

    return Pipeline(steps)


def _krein(kind: str) -> Any:
    # It decides as "flip" does, without a product with a matrix for every query.
    return estimators.SimilaritySVC(spectrum="krein", **_MACHINE)


def _gaussian_svc(kind: str) -> Any:
    return _pipeline([("gaussian", estimators.GaussianSimilarity()), ("svm", _krein(kind))])


def _rows_svc(kind: str) -> Any:
    machine = estimators.SimilaritySVC(spectrum="none", consistency="none", **_MACHINE)
    # All columns of a large block would take longer for a query than all other members.
    return _pipeline([("rows", estimators.RowRBFSimilarity(most_columns=400)), ("svm", machine)])


def _normal_on_medoids(kind: str) -> Any:
    features = estimators.PrototypeFeatures("k-medoids", dense=True)
    return _pipeline(
        [("features", features), ("normal", estimators.NormalClassifier("own", calibration="none"))]
    )


def _normal_in_few_dimensions(kind: str) -> Any:
    embedding = estimators.PseudoEuclideanEmbedding(30, kind=kind)
    normal = estimators.NormalClassifier("shared", calibration="none")
    return _pipeline([("embedding", embedding), ("normal", normal)])


PORTFOLIO = (
    Member(
        "knn",
        lambda kind: estimators.NeighborsClassifier(kind=kind, calibration="none"),
        {"n_neighbors": NEIGHBORS},
        takes="block",
        effort="quick",
    ),
    Member(
        "krr-knn",
        lambda kind: estimators.NeighborsClassifier(weights="krr", calibration="none"),
        {"n_neighbors": NEIGHBORS, "ridge": (1e-3, 1e-2, 0.1, 1.0, 10.0)},
        effort="quick",
        powers={"ridge": 1},
    ),
    Member(
        "indefinite-fisher",
        lambda kind: estimators.IndefiniteFisherClassifier(calibration="none"),
        {"ridge": (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0)},
        effort="quick",
        stage="spectrum",
        decomposes=True,
    ),
    Member(
        "krein-svm",
        _krein,
        {"C": (0.1, *COSTS, 1000.0)},
        effort="quick",
        stage="spectrum",
        decomposes=True,
        powers={"C": -1},
    ),
    Member(
        "gaussian-svm",
        _gaussian_svc,
        {"gaussian__multiple": (0.1, 0.5, 2.0, 8.0), "svm__C": (*COSTS, 1000.0)},
        takes="block",
        stage="gaussian kernel",
        decomposes=True,
    ),
    Member(
        "features-rbf-svm",
        _rows_svc,
        {"rows__multiple": (0.1, 0.3, 1.0, 3.0), "svm__C": COSTS},
        stage="kernel of rows",
    ),
    Member(
        "rqnc",
        _normal_on_medoids,
        {"features__n_prototypes": (5, 10, 20), "normal__shrinkage": (0.01, 0.1, 0.5, 0.9)},
        takes="block",
        stage="medoids",
    ),
    Member(
        "pseudo-euclidean-lda",
        _normal_in_few_dimensions,
        {"normal__shrinkage": (1e-4, 1e-3, 1e-2, 0.1, 0.5, 0.9)},
        takes="block",
        stage="coordinates",
        decomposes=True,
    ),
    Member(
        "kri-knn",
        lambda kind: estimators.NeighborsClassifier(weights="kri", calibration="none"),
        {"n_neighbors": NEIGHBORS, "ridge": (1e-4, 1e-2, 0.1, 1.0, 10.0)},
        stage="more neighbors",
        # Of 128 neighbours, whose block must be decomposed, one query takes as long as by all
        # other members together.
        most_of_many=64,
        powers={"ridge": 1},
    ),
    Member(
        "local-sda-joint",
        lambda kind: estimators.LocalSDAClassifier(regularization="joint", calibration="none"),
        {"n_neighbors": NEIGHBORS, "alpha": (0.1, 0.5, 0.9)},
        effort="thorough",
        stage="more neighbors",
    ),
    Member(
        "dboost",
        lambda kind: estimators.DBoostClassifier(kind=kind, calibration="none"),
        {"n_estimators": (10, 25, 50, 100, 200, 400)},
        takes="block",
        stage="pairs",
        # A round takes as long as there are classes: of 139, 400 rounds took three times as long
        # as all other members together.
        most_rounds=24_000,
    ),
    Member(
        "svm-knn",
        lambda kind: estimators.LocalSVC(calibration="none"),
        {"n_neighbors": (8, 16, 32, 64, 128), "C": (0.1, 1.0, 10.0)},
        effort="thorough",
        stage="local machines",
        powers={"C": -1},
    ),
)


OF_SLOW_PAIRS = (
    Member(
        "proximity-forest",
        lambda kind: estimators.ProximityForestClassifier(20, kind=kind, calibration="none"),
        {"n_estimators": (20,), "min_samples_leaf": (1, 5)},
        takes="block",
        effort="quick",
        stage="forest",
    ),
)
"""What is tried instead where all pairs of a lazy block would take too long."""
FOR_SLOW_PAIRS = frozenset(member.name for member in OF_SLOW_PAIRS)


RULE = (
    "mixture, prior of one sample, calibrated once more, temperatures near what is expected, "
    "smoothed once"
)
"""The rule of combination in words; part of the name of stored results, so that it is kept true.

A test keeps it together with the constants that it stands for.
"""


def recipe_for(effort: str, kind: str) -> list[str]:
    """All that the result of an effort depends on besides parameters, for stored results."""
    members = [member for stage in stages_for(effort) for member in stage]
    return [f"{RULE}; {EFFORTS[effort]} folds", *(_told(member, kind) for member in members)]


def _told(member: Member, kind: str) -> str:
    parameters = sorted(member.build(kind).get_params().items())
    told = f"{member.name} of {member.takes}, {dict(member.grid)}, {parameters}"
    limits = {"neighbors": member.most_of_many, "rounds": member.most_rounds}
    known = {name: most for name, most in limits.items() if most is not None}
    told += f", at most {known} of many" if known else ""
    measured = kind == "similarity" and member.powers
    return f"{told}, times units to {dict(member.powers)}" if measured else told


def stages_for(effort: str) -> list[list[Member]]:
    """Members that are tried at an effort, stage by stage: those that pay first come first."""
    levels = list(EFFORTS)
    groups: dict[str, list[Member]] = {}
    for member in PORTFOLIO:
        if levels.index(member.effort) <= levels.index(effort):
            groups.setdefault(member.stage, []).append(member)
    return list(groups.values())


def n_folds(effort: str, n: int) -> int:
    """How many folds n samples are dealt to: many samples judge as well from fewer folds."""
    most = EFFORTS[effort]
    return min(most, FOLDS_OF_MANY) if n > MANY and effort != "thorough" else most


def why_not(member: Member, effort: str, n: int) -> str | None:
    """Why a member is not tried with n samples, or None if it is."""
    most = MOST_DECOMPOSED[effort]
    if not member.decomposes or n <= most:
        return None
    return f"{n} samples are more than the {most} that effort={effort!r} has time for"
