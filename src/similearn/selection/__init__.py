"""Choosing parameters by cross-validation."""

from similearn.lazily import names_of

__getattr__, __dir__, __all__ = names_of(
    __name__,
    {
        "auto.similarity_classifier": ["SimilarityClassifier"],
        "label_sets": ["conformal_sets"],
        "path_search": ["PathSearchCV"],
        "suspicion": ["SuspiciousLabels", "suspicious_labels"],
    },
)
