"""Similarities of objects; each says its kind, its symmetry and whether it is learned."""

from similearn.similarities.base import FunctionSimilarity, Similarity
from similearn.similarities.euclidean import Euclidean
from similearn.similarities.evaluate import evaluate_block, evaluate_square
from similearn.similarities.registering import get_similarity, register, registry
from similearn.similarities.tversky import TverskyContrast, TverskyRatio
from similearn.similarities.value_difference import ValueDifference

__all__ = [
    "Euclidean",
    "FunctionSimilarity",
    "Similarity",
    "TverskyContrast",
    "TverskyRatio",
    "ValueDifference",
    "evaluate_block",
    "evaluate_square",
    "get_similarity",
    "register",
    "registry",
]
