"""Thin shells over `similearn.numerics`, one file a family."""

from similearn.estimators.bda import (
    BDAClassifier,
    LocalBDAClassifier,
    LocalNearestMeansClassifier,
)
from similearn.estimators.cdnn import CDNNClassifier, generalization_bound
from similearn.estimators.combiner import DissimilarityCombiner
from similearn.estimators.conversion import DissimilarityToSimilarity
from similearn.estimators.dboost import DBoostClassifier
from similearn.estimators.embedding import (
    IndefiniteFisherClassifier,
    PseudoEuclideanEmbedding,
)
from similearn.estimators.fused_neighbors import FusedNeighborsClassifier
from similearn.estimators.fusion import FusionClassifier
from similearn.estimators.goodness import goodness, pairs_needed, weighted_goodness
from similearn.estimators.kernel_combiner import KernelCombiner
from similearn.estimators.local_sda import LocalSDAClassifier
from similearn.estimators.local_svc import LocalSVC
from similearn.estimators.lp_machine import LPMachineClassifier
from similearn.estimators.mixture_sda import MixtureSDAClassifier
from similearn.estimators.neighbors import NeighborsClassifier
from similearn.estimators.normal import NormalClassifier
from similearn.estimators.pair_votes import DissimilarityVoteClassifier
from similearn.estimators.pairwise_similarity import PairwiseSimilarity
from similearn.estimators.psvm import PotentialSVC
from similearn.estimators.robust_svc import RobustSVC
from similearn.estimators.rows import PrototypeFeatures, RowRBFSimilarity
from similearn.estimators.sda import SDAClassifier
from similearn.estimators.spectrum import SpectrumTransformer
from similearn.estimators.svm import SimilaritySVC
from similearn.estimators.weight_functions import kri_weights, krr_weights, lime_weights

__all__ = [
    "BDAClassifier",
    "CDNNClassifier",
    "DBoostClassifier",
    "DissimilarityCombiner",
    "DissimilarityToSimilarity",
    "DissimilarityVoteClassifier",
    "FusedNeighborsClassifier",
    "FusionClassifier",
    "IndefiniteFisherClassifier",
    "KernelCombiner",
    "LPMachineClassifier",
    "LocalBDAClassifier",
    "LocalNearestMeansClassifier",
    "LocalSDAClassifier",
    "LocalSVC",
    "MixtureSDAClassifier",
    "NeighborsClassifier",
    "NormalClassifier",
    "PairwiseSimilarity",
    "PotentialSVC",
    "PrototypeFeatures",
    "PseudoEuclideanEmbedding",
    "RobustSVC",
    "RowRBFSimilarity",
    "SDAClassifier",
    "SimilaritySVC",
    "SpectrumTransformer",
    "generalization_bound",
    "goodness",
    "kri_weights",
    "krr_weights",
    "lime_weights",
    "pairs_needed",
    "weighted_goodness",
]
