"""Similarities of objects; each says its kind, its symmetry and whether it is learned."""

from similearn.similarities.alignment import SmithWaterman
from similearn.similarities.base import FunctionSimilarity, Similarity
from similearn.similarities.colour import ColourDifference94
from similearn.similarities.compression import Compression, NormalizedCompression
from similearn.similarities.edit import (
    DamerauLevenshtein,
    Indel,
    Jaro,
    JaroWinkler,
    Levenshtein,
    LongestCommonSubsequence,
    OptimalStringAlignment,
)
from similearn.similarities.euclidean import Euclidean
from similearn.similarities.evaluate import evaluate_block, evaluate_square
from similearn.similarities.images import FuzzyImageMetric, TangentDistance
from similearn.similarities.information import RelativeEntropy
from similearn.similarities.pyramid import PyramidMatch
from similearn.similarities.quantize import Quantized
from similearn.similarities.registering import get_similarity, register, registry
from similearn.similarities.series import DynamicTimeWarping
from similearn.similarities.sklearn_metrics import SklearnKernel, SklearnMetric
from similearn.similarities.text import TfidfCosine
from similearn.similarities.transport import EarthMover, EarthMoverSets
from similearn.similarities.tversky import TverskyContrast, TverskyRatio
from similearn.similarities.value_difference import ValueDifference

__all__ = [
    "ColourDifference94",
    "Compression",
    "DamerauLevenshtein",
    "DynamicTimeWarping",
    "EarthMover",
    "EarthMoverSets",
    "Euclidean",
    "FunctionSimilarity",
    "FuzzyImageMetric",
    "Indel",
    "Jaro",
    "JaroWinkler",
    "Levenshtein",
    "LongestCommonSubsequence",
    "NormalizedCompression",
    "OptimalStringAlignment",
    "PyramidMatch",
    "Quantized",
    "RelativeEntropy",
    "Similarity",
    "SklearnKernel",
    "SklearnMetric",
    "SmithWaterman",
    "TangentDistance",
    "TfidfCosine",
    "TverskyContrast",
    "TverskyRatio",
    "ValueDifference",
    "evaluate_block",
    "evaluate_square",
    "get_similarity",
    "register",
    "registry",
]
