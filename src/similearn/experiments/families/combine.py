"""Fusion of similarities and features (Fusing); the features are the similarities themselves.

As in Fusing §6.2.2: where there is only a block, its rows serve as Euclidean features too.
"""

from sklearn.pipeline import Pipeline

from similearn.estimators import (
    FusedNeighborsClassifier,
    FusionClassifier,
    LocalBDAClassifier,
    LocalNearestMeansClassifier,
    LocalSDAClassifier,
    PrototypeFeatures,
)
from similearn.experiments.families.sda import ALPHAS
from similearn.experiments.registry import NEIGHBORS, Method

_FAMILY = "features and fusion"


def _on_rows(classifier: LocalBDAClassifier | LocalNearestMeansClassifier) -> Pipeline:
    return Pipeline([("features", PrototypeFeatures()), ("local", classifier)])


def _fusion(kind: str) -> FusionClassifier:
    """Folds cut the rows of "pairs" to their own training samples, for both components."""
    sda = LocalSDAClassifier(regularization="joint", kind=kind, calibration="none")
    bda = LocalBDAClassifier(calibration="none")
    return FusionClassifier([("sda", sda, "pairs"), ("bda", bda, "pairs")])


METHODS = (
    Method(
        name="local-bda",
        summary="Bayesian discriminant analysis of the nearest rows of each class",
        source="Fusing §2, eq. 1",
        family=_FAMILY,
        build=lambda kind: _on_rows(LocalBDAClassifier()),
        grid={"local__n_neighbors": NEIGHBORS},
        slow=True,
    ),
    Method(
        name="local-means",
        summary="the nearest mean of the nearest rows of each class",
        source="Fusing §6.1, local nearest means",
        family=_FAMILY,
        build=lambda kind: _on_rows(LocalNearestMeansClassifier()),
        grid={"local__n_neighbors": NEIGHBORS},
    ),
    Method(
        name="fusion",
        summary="joint-regularized local SDA times local BDA, the prior counted once",
        source="Fusing §5, eq. 6",
        family=_FAMILY,
        build=_fusion,
        grid={
            "sda__n_neighbors": NEIGHBORS,
            "sda__alpha": ALPHAS,
            "bda__n_neighbors": NEIGHBORS,
        },
        needs="sources",
        slow=True,
    ),
    Method(
        name="fused-knn",
        summary="votes of the k nearest by similarity and the k nearest rows",
        source="Fusing §6.2, fused k-NN",
        family=_FAMILY,
        build=lambda kind: FusedNeighborsClassifier(),
        grid={"n_neighbors": NEIGHBORS},
        needs="sources",
    ),
)
