"""The portfolio: which methods are tried, in which order, and over which parameters.

The order is that of what pays first: cheap methods of different families, then dearer ones.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sklearn.pipeline import Pipeline

from similearn.estimators import (
    DBoostClassifier,
    IndefiniteFisherClassifier,
    LocalSDAClassifier,
    LocalSVC,
    NeighborsClassifier,
    RowRBFSimilarity,
    SimilaritySVC,
)

NEIGHBORS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64, 128)
COSTS = (0.01, 0.1, 1.0, 10.0, 100.0)
EFFORTS = {"quick": 3, "normal": 5, "thorough": 10}
"""Efforts, and their numbers of folds."""


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
    """

    name: str
    build: Callable[[str], Any]
    grid: Mapping[str, Sequence[Any]]
    takes: Literal["block", "similarity"] = "similarity"
    effort: str = "normal"
    stage: str = "neighbors"


def _svc(spectrum: str) -> Callable[[str], SimilaritySVC]:
    # Held-out scores calibrate all members alike: the machines need none of their own.
    options = {"multiclass": "coupled", "calibration": "none"}
    return lambda kind: SimilaritySVC(spectrum=spectrum, **options)


def _rows_svc(kind: str) -> Pipeline:
    options = {"multiclass": "coupled", "calibration": "none"}
    machine = SimilaritySVC(spectrum="none", consistency="none", **options)
    return Pipeline([("rows", RowRBFSimilarity()), ("svm", machine)])


PORTFOLIO = (
    Member(
        "knn",
        lambda kind: NeighborsClassifier(kind=kind),
        {"n_neighbors": NEIGHBORS},
        takes="block",
        effort="quick",
    ),
    Member(
        "krr-knn",
        lambda kind: NeighborsClassifier(weights="krr"),
        {"n_neighbors": NEIGHBORS, "ridge": (1e-3, 1e-2, 0.1, 1.0, 10.0)},
        effort="quick",
    ),
    Member(
        "indefinite-fisher",
        lambda kind: IndefiniteFisherClassifier(),
        {"ridge": (1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0)},
        effort="quick",
        stage="spectrum",
    ),
    Member("svm-flip", _svc("flip"), {"C": COSTS}, effort="quick", stage="spectrum"),
    Member(
        "kri-knn",
        lambda kind: NeighborsClassifier(weights="kri"),
        {"n_neighbors": NEIGHBORS, "ridge": (1e-4, 1e-2, 0.1, 1.0, 10.0)},
    ),
    Member("svm-clip", _svc("clip"), {"C": COSTS}, stage="spectrum"),
    Member(
        "features-rbf-svm",
        _rows_svc,
        {"rows__multiple": (0.1, 0.3, 1.0, 3.0), "svm__C": (0.1, 1.0, 10.0, 100.0)},
        stage="rows",
    ),
    Member(
        "dboost",
        lambda kind: DBoostClassifier(kind=kind),
        {"n_estimators": (10, 25, 50, 100, 200, 400)},
        takes="block",
        stage="pairs",
    ),
    Member(
        "local-sda-joint",
        lambda kind: LocalSDAClassifier(regularization="joint"),
        {"n_neighbors": NEIGHBORS, "alpha": (0.1, 0.5, 0.9)},
    ),
    Member(
        "svm-knn",
        lambda kind: LocalSVC(calibration="none"),
        {"n_neighbors": (8, 16, 32, 64, 128), "C": (0.1, 1.0, 10.0)},
        effort="thorough",
    ),
)


def stages_for(effort: str) -> list[list[Member]]:
    """Members that are tried at an effort, stage by stage: those that pay first come first.

    What is quick comes before what is not, so that a time limit finds something done.
    """
    levels = list(EFFORTS)
    tried = [m for m in PORTFOLIO if levels.index(m.effort) <= levels.index(effort)]
    groups: dict[tuple[bool, str], list[Member]] = {}
    for member in sorted(tried, key=lambda member: member.effort != "quick"):
        groups.setdefault((member.effort != "quick", member.stage), []).append(member)
    return list(groups.values())
