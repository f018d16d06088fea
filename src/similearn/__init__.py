"""Class labels, with probabilities, from pairwise similarities of any kind.

The public names are loaded when first used, so that ``import similearn`` is quick.
"""

from importlib import import_module
from typing import Any

from similearn.version import __version__

_HOMES = {
    "NeighborTable": "data",
    "Pairwise": "data",
    "Sources": "data",
    "convert": "data",
    "datasets": "data",
    "diagnose": "data",
    "as_pairwise": "data",
    "read_objects": "data",
    "read_pairwise": "data",
    "stored_pairwise": "data",
    "to_networkx": "data",
    "to_skbio": "data",
    "write_pairwise": "data",
    "write_report": "report",
    "on": "data",
    "compare": "experiments.things.comparing_samples",
    "load": "experiments.things.keeping",
    "save": "experiments.things.keeping",
    "kri_weights": "estimators",
    "krr_weights": "estimators",
    "lime_weights": "estimators",
    "neighbor_table": "estimators",
    "DBoostClassifier": "estimators",
    "DissimilarityCombiner": "estimators",
    "DissimilarityToSimilarity": "estimators",
    "DissimilarityVoteClassifier": "estimators",
    "BDAClassifier": "estimators",
    "CDNNClassifier": "estimators",
    "FusedNeighborsClassifier": "estimators",
    "FusionClassifier": "estimators",
    "GaussianSimilarity": "estimators",
    "IndefiniteFisherClassifier": "estimators",
    "LPMachineClassifier": "estimators",
    "KernelCombiner": "estimators",
    "LocalBDAClassifier": "estimators",
    "LocalNearestMeansClassifier": "estimators",
    "LocalSDAClassifier": "estimators",
    "LocalSVC": "estimators",
    "MixtureSDAClassifier": "estimators",
    "NeighborsClassifier": "estimators",
    "NormalClassifier": "estimators",
    "NystromFeatures": "estimators",
    "PairwiseSimilarity": "estimators",
    "PathSearchCV": "selection",
    "PotentialSVC": "estimators",
    "PrototypeFeatures": "estimators",
    "ProximityForestClassifier": "estimators",
    "PseudoEuclideanEmbedding": "estimators",
    "RobustSVC": "estimators",
    "RowRBFSimilarity": "estimators",
    "SDAClassifier": "estimators",
    "SimilarityClassifier": "selection",
    "SimilaritySVC": "estimators",
    "SimilaritySources": "estimators",
    "SpectrumTransformer": "estimators",
    "explain": "estimators",
    "cdnn_generalization_bound": "estimators",
    "conformal_sets": "selection",
    "generalization_bound": "estimators",
    "goodness": "estimators",
    "jmlr_features_bound": "estimators",
    "jmlr_kernel_bound": "estimators",
    "pairs_needed": "estimators",
    "suspicious_labels": "selection",
    "truncated_hinge_risk": "estimators",
    "weighted_goodness": "estimators",
}

__all__ = ["__version__", "plots", *_HOMES]


def __getattr__(name: str) -> Any:
    if name == "plots":
        return import_module("similearn.plots")
    if name in _HOMES:
        return getattr(import_module(f"similearn.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'similearn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
