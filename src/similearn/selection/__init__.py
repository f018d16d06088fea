"""Choosing parameters by cross-validation."""

from similearn.selection.auto.similarity_classifier import SimilarityClassifier
from similearn.selection.path_search import PathSearchCV

__all__ = ["PathSearchCV", "SimilarityClassifier"]
