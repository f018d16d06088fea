"""Thin shells over `similearn.numerics`, one room per family."""

from similearn.estimators.combine.cdnn import (
    CDNNClassifier,
    cdnn_generalization_bound,
    generalization_bound,
)
from similearn.estimators.combine.combiner import DissimilarityCombiner
from similearn.estimators.combine.fused_neighbors import FusedNeighborsClassifier
from similearn.estimators.combine.fusion import FusionClassifier
from similearn.estimators.combine.kernel_combiner import KernelCombiner
from similearn.estimators.gaussian.bda import (
    BDAClassifier,
    LocalBDAClassifier,
    LocalNearestMeansClassifier,
)
from similearn.estimators.gaussian.fisher import IndefiniteFisherClassifier
from similearn.estimators.gaussian.normal import NormalClassifier
from similearn.estimators.machines.bounds import (
    jmlr_features_bound,
    jmlr_kernel_bound,
    truncated_hinge_risk,
)
from similearn.estimators.machines.local_svc import LocalSVC
from similearn.estimators.machines.lp_machine import LPMachineClassifier
from similearn.estimators.machines.potential_svc import PotentialSVC
from similearn.estimators.machines.robust_svc import RobustSVC
from similearn.estimators.machines.similarity_svc import SimilaritySVC
from similearn.estimators.neighbors.classifier import NeighborsClassifier
from similearn.estimators.neighbors.exact_tables import neighbor_table
from similearn.estimators.neighbors.weight_functions import kri_weights, krr_weights, lime_weights
from similearn.estimators.pairs.dboost import DBoostClassifier
from similearn.estimators.pairs.good_dissimilarity import goodness, pairs_needed, weighted_goodness
from similearn.estimators.pairs.pair_votes import DissimilarityVoteClassifier
from similearn.estimators.pairs.proximity_forest import ProximityForestClassifier
from similearn.estimators.sda.global_sda import SDAClassifier
from similearn.estimators.sda.local_sda import LocalSDAClassifier
from similearn.estimators.sda.mixture_sda import MixtureSDAClassifier
from similearn.estimators.shell.explanation import explain
from similearn.estimators.transformers.conversion import DissimilarityToSimilarity
from similearn.estimators.transformers.gaussian_kernel import GaussianSimilarity
from similearn.estimators.transformers.nystrom_features import NystromFeatures
from similearn.estimators.transformers.pairwise_similarity import PairwiseSimilarity
from similearn.estimators.transformers.pseudo_euclidean import PseudoEuclideanEmbedding
from similearn.estimators.transformers.row_features import PrototypeFeatures, RowRBFSimilarity
from similearn.estimators.transformers.similarity_sources import SimilaritySources
from similearn.estimators.transformers.spectrum import SpectrumTransformer

__all__ = [
    "BDAClassifier",
    "CDNNClassifier",
    "DBoostClassifier",
    "DissimilarityCombiner",
    "DissimilarityToSimilarity",
    "DissimilarityVoteClassifier",
    "FusedNeighborsClassifier",
    "FusionClassifier",
    "GaussianSimilarity",
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
    "NystromFeatures",
    "PairwiseSimilarity",
    "PotentialSVC",
    "PrototypeFeatures",
    "ProximityForestClassifier",
    "PseudoEuclideanEmbedding",
    "RobustSVC",
    "RowRBFSimilarity",
    "SDAClassifier",
    "SimilaritySVC",
    "SimilaritySources",
    "SpectrumTransformer",
    "cdnn_generalization_bound",
    "explain",
    "generalization_bound",
    "goodness",
    "jmlr_features_bound",
    "jmlr_kernel_bound",
    "kri_weights",
    "krr_weights",
    "lime_weights",
    "neighbor_table",
    "pairs_needed",
    "truncated_hinge_risk",
    "weighted_goodness",
]
