"""Pairs of samples as base classifiers: boosted, or simply counted (DBoost)."""

from similearn.estimators import (
    DBoostClassifier,
    DissimilarityVoteClassifier,
    ProximityForestClassifier,
)
from similearn.experiments.registry import Method

_ROUNDS = (10, 25, 50, 100, 200, 400)
_FEW_PROTOTYPES = 20

METHODS = (
    Method(
        name="dboost",
        summary="boosted stumps on pairs of training samples",
        source="DBoost §3, Strategy I",
        family="boosting",
        build=lambda kind: DBoostClassifier(kind=kind),
        grid={"n_estimators": _ROUNDS},
        slow=True,
    ),
    Method(
        name="dboost-few",
        summary=f"the same with at most {_FEW_PROTOTYPES + 1} prototypes",
        source="DBoost §3, Strategy II",
        family="boosting",
        build=lambda kind: DBoostClassifier(kind=kind, max_prototypes=_FEW_PROTOTYPES),
        grid={"n_estimators": _ROUNDS},
        slow=True,
    ),
    Method(
        name="dboost-tree",
        summary="boosted trees of such stumps, two levels deep",
        source="DBoost §5",
        family="boosting",
        build=lambda kind: DBoostClassifier(kind=kind, base="tree"),
        grid={"n_estimators": _ROUNDS},
        slow=True,
    ),
    Method(
        name="pair-vote",
        summary="votes of all pairs of training samples for the nearer one",
        source="DBoost, Theorem 3",
        family="boosting",
        build=lambda kind: DissimilarityVoteClassifier(None, kind=kind),
    ),
    Method(
        name="proximity-forest",
        summary="forest that compares with exemplars of the classes, for slow similarities",
        source="Lucas et al. 2019",
        family="boosting",
        build=lambda kind: ProximityForestClassifier(kind=kind),
        slow=True,
    ),
)
