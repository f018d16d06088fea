"""Choosing parameters by cross-validation."""

from similearn.selection.auto.similarity_classifier import SimilarityClassifier
from similearn.selection.label_sets import conformal_sets
from similearn.selection.path_search import PathSearchCV
from similearn.selection.suspicion import SuspiciousLabels, suspicious_labels

__all__ = [
    "PathSearchCV",
    "SimilarityClassifier",
    "SuspiciousLabels",
    "conformal_sets",
    "suspicious_labels",
]
