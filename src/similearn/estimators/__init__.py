"""Thin shells over `similearn.numerics`, one file a family."""

from similearn.estimators.bda import (
    BDAClassifier,
    LocalBDAClassifier,
    LocalNearestMeansClassifier,
)
from similearn.estimators.conversion import DissimilarityToSimilarity
from similearn.estimators.fused_neighbors import FusedNeighborsClassifier
from similearn.estimators.fusion import FusionClassifier
from similearn.estimators.neighbors import NeighborsClassifier
from similearn.estimators.pairwise_similarity import PairwiseSimilarity
from similearn.estimators.rows import PrototypeFeatures, RowRBFSimilarity
from similearn.estimators.sda import SDAClassifier
from similearn.estimators.spectrum import SpectrumTransformer
from similearn.estimators.svm import SimilaritySVC

__all__ = [
    "BDAClassifier",
    "DissimilarityToSimilarity",
    "FusedNeighborsClassifier",
    "FusionClassifier",
    "LocalBDAClassifier",
    "LocalNearestMeansClassifier",
    "NeighborsClassifier",
    "PairwiseSimilarity",
    "PrototypeFeatures",
    "RowRBFSimilarity",
    "SDAClassifier",
    "SimilaritySVC",
    "SpectrumTransformer",
]
