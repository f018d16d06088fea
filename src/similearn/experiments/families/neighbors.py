"""Nearest neighbours, weighted or not (JMLR §5 and §7)."""

from sklearn.pipeline import Pipeline

from similearn.estimators import NeighborsClassifier, RowRBFSimilarity
from similearn.experiments.registry import NEIGHBORS, Method


def _row_rbf_neighbors(kind: str) -> Pipeline:
    """RowRBFSimilarity takes either kind and gives similarities."""
    return Pipeline([("rows", RowRBFSimilarity()), ("neighbors", NeighborsClassifier())])


METHODS = (
    Method(
        name="knn",
        summary="votes of the k nearest neighbours",
        source="JMLR §5, eq. 9",
        family="nearest neighbours",
        build=lambda kind: NeighborsClassifier(kind=kind),
        grid={"n_neighbors": NEIGHBORS},
    ),
    Method(
        name="affinity-knn",
        summary="neighbours weighted by their similarity",
        source="JMLR §7",
        family="nearest neighbours",
        build=lambda kind: NeighborsClassifier(weights="affinity", kind=kind),
        grid={"n_neighbors": NEIGHBORS},
        needs="similarity",
    ),
    Method(
        name="rbf-sim-knn",
        summary="neighbours among rows of similarities that look alike",
        source="JMLR §7.1, RBF-sim",
        family="nearest neighbours",
        build=_row_rbf_neighbors,
        grid={"neighbors__n_neighbors": NEIGHBORS},
    ),
)
