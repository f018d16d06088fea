"""Class labels, with probabilities, from pairwise similarities of any kind.

The public names are loaded when first used, so that ``import similearn`` is quick.
"""

from importlib import import_module
from typing import Any

from similearn.version import __version__

_HOMES = {
    "Pairwise": "data",
    "Sources": "data",
    "convert": "data",
    "datasets": "data",
    "diagnose": "data",
    "read_pairwise": "data",
    "write_pairwise": "data",
    "kri_weights": "numerics.kri",
    "krr_weights": "numerics.krr",
    "lime_weights": "numerics.lime",
    "DissimilarityToSimilarity": "estimators",
    "BDAClassifier": "estimators",
    "FusedNeighborsClassifier": "estimators",
    "FusionClassifier": "estimators",
    "LocalBDAClassifier": "estimators",
    "LocalNearestMeansClassifier": "estimators",
    "NeighborsClassifier": "estimators",
    "PairwiseSimilarity": "estimators",
    "PathSearchCV": "selection",
    "PrototypeFeatures": "estimators",
    "RowRBFSimilarity": "estimators",
    "SDAClassifier": "estimators",
    "SimilaritySVC": "estimators",
    "SpectrumTransformer": "estimators",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"similearn.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'similearn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
