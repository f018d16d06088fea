"""Nearest neighbours, weighted or not (JMLR §5 and §7)."""

from typing import Any

import similearn.estimators as estimators
from similearn.experiments.registry import NEIGHBORS, Method, powers_of_ten


def _row_rbf_neighbors(kind: str) -> Any:
    """RowRBFSimilarity takes either kind, in any units, and gives similarities."""
    from sklearn.pipeline import Pipeline

    rows, neighbors = estimators.RowRBFSimilarity(), estimators.NeighborsClassifier()
    return Pipeline([("rows", rows), ("neighbors", neighbors)])


METHODS = (
    Method(
        name="knn",
        summary="votes of the k nearest neighbours",
        source="JMLR §5, eq. 9",
        family="nearest neighbours",
        build=lambda kind: estimators.NeighborsClassifier(kind=kind),
        grid={"n_neighbors": NEIGHBORS},
    ),
    Method(
        name="affinity-knn",
        summary="neighbours weighted by their similarity",
        source="JMLR §7",
        family="nearest neighbours",
        build=lambda kind: estimators.NeighborsClassifier(weights="affinity", kind=kind),
        grid={"n_neighbors": NEIGHBORS},
        needs="similarity",
    ),
    Method(
        name="krr-knn",
        summary="neighbours weighted by kernel ridge regression: affinity and diversity",
        source="JMLR §5.2.1, eq. 15 (pinv)",
        family="nearest neighbours",
        build=lambda kind: estimators.NeighborsClassifier(weights="krr", kind=kind),
        grid={"n_neighbors": NEIGHBORS, "ridge": powers_of_ten(-3, 1)},
        needs="similarity",
    ),
    Method(
        name="kri-knn",
        summary="neighbours weighted by kernel ridge interpolation, as probabilities",
        source="JMLR §5.2, eq. 12 (clip)",
        family="nearest neighbours",
        build=lambda kind: estimators.NeighborsClassifier(weights="kri", kind=kind),
        grid={"n_neighbors": NEIGHBORS, "ridge": (*powers_of_ten(-6, 1), 1e6)},
        needs="similarity",
    ),
    Method(
        name="lime-knn",
        summary="neighbours weighted by interpolation of maximum entropy",
        source="JMLR §5.2, eq. 10 (clip)",
        family="nearest neighbours",
        build=lambda kind: estimators.NeighborsClassifier(weights="lime", kind=kind),
        grid={"n_neighbors": (1, 2, 4, 8, 16, 32), "ridge": powers_of_ten(-2, 1)},
        needs="similarity",
        slow=True,
    ),
    Method(
        name="rbf-sim-knn",
        summary="neighbours among rows of similarities that look alike",
        source="JMLR §7.1, RBF-sim; γ follows the units of the data",
        family="nearest neighbours",
        build=_row_rbf_neighbors,
        grid={"neighbors__n_neighbors": NEIGHBORS},
    ),
)
