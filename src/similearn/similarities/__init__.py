"""Similarities of objects; each says its kind, its symmetry and whether it is learned."""

from similearn.similarities.categories.fingerprints import SorensenDice, Tanimoto
from similearn.similarities.categories.set_overlap import JaccardSets
from similearn.similarities.categories.tversky import TverskyContrast, TverskyRatio
from similearn.similarities.categories.value_difference import ValueDifference
from similearn.similarities.images.colour import ColourDifference94
from similearn.similarities.images.grey import FuzzyImageMetric, TangentDistance
from similearn.similarities.images.pyramid import PyramidMatch
from similearn.similarities.quantize import Quantized
from similearn.similarities.sequences.alignment import SmithWaterman
from similearn.similarities.sequences.compression import Compression, NormalizedCompression
from similearn.similarities.sequences.documents import TfidfCosine
from similearn.similarities.sequences.edit import (
    DamerauLevenshtein,
    Indel,
    Jaro,
    JaroWinkler,
    Levenshtein,
    LongestCommonSubsequence,
    OptimalStringAlignment,
)
from similearn.similarities.sequences.profiles import NgramProfile
from similearn.similarities.sequences.series import DynamicTimeWarping, EditRealPenalty
from similearn.similarities.shell.choosing import Choice, choose_similarity, what_objects_are
from similearn.similarities.shell.evaluate import evaluate_block, evaluate_square
from similearn.similarities.shell.naming import parse_similarity, spelled
from similearn.similarities.shell.registering import get_similarity, register, registry
from similearn.similarities.shell.similarity import FunctionSimilarity, Similarity
from similearn.similarities.vectors.euclidean import Euclidean
from similearn.similarities.vectors.information import RelativeEntropy
from similearn.similarities.vectors.sklearn_metrics import SklearnKernel, SklearnMetric
from similearn.similarities.vectors.transport import EarthMover, EarthMoverSets

__all__ = [
    "Choice",
    "ColourDifference94",
    "Compression",
    "DamerauLevenshtein",
    "DynamicTimeWarping",
    "EarthMover",
    "EarthMoverSets",
    "EditRealPenalty",
    "Euclidean",
    "FunctionSimilarity",
    "FuzzyImageMetric",
    "Indel",
    "JaccardSets",
    "Jaro",
    "JaroWinkler",
    "Levenshtein",
    "LongestCommonSubsequence",
    "NgramProfile",
    "NormalizedCompression",
    "OptimalStringAlignment",
    "PyramidMatch",
    "Quantized",
    "RelativeEntropy",
    "Similarity",
    "SklearnKernel",
    "SklearnMetric",
    "SmithWaterman",
    "SorensenDice",
    "TangentDistance",
    "Tanimoto",
    "TfidfCosine",
    "TverskyContrast",
    "TverskyRatio",
    "ValueDifference",
    "choose_similarity",
    "evaluate_block",
    "evaluate_square",
    "get_similarity",
    "parse_similarity",
    "register",
    "registry",
    "spelled",
    "what_objects_are",
]
