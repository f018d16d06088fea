"""Thin shells over `similearn.numerics`, one file a family."""

from similearn.estimators.conversion import DissimilarityToSimilarity
from similearn.estimators.neighbors import NeighborsClassifier
from similearn.estimators.pairwise_similarity import PairwiseSimilarity
from similearn.estimators.rows import PrototypeFeatures, RowRBFSimilarity
from similearn.estimators.spectrum import SpectrumTransformer

__all__ = [
    "DissimilarityToSimilarity",
    "NeighborsClassifier",
    "PairwiseSimilarity",
    "PrototypeFeatures",
    "RowRBFSimilarity",
    "SpectrumTransformer",
]
