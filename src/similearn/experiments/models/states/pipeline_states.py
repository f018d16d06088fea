"""The declared state of pipelines."""

from typing import Any

from sklearn.pipeline import Pipeline

from similearn.estimators import NystromFeatures, PairwiseSimilarity, SimilaritySources
from similearn.experiments.models.classes import TABLE, Part, Stored
from similearn.experiments.models.declarations import (
    Each,
    Row,
    Sizes,
    Word,
)
from similearn.experiments.models.states.shared_states import needs


def _chained(model: Any, sizes: Sizes) -> None:
    """Each step takes as many columns as the one before gives."""
    needs(model.steps, "steps are none")
    width = None
    for name, step in model.steps:
        taken = getattr(step, "n_features_in_", None)
        needs(width is None or taken is None or taken == width, f"{name} takes other columns")
        width = _given(step, taken)


def _given(step: Any, taken: int | None) -> int | None:
    if hasattr(step, "classes_"):
        return -1  # nothing comes after a classifier
    if hasattr(step, "n_components_"):
        return int(step.n_components_)
    if isinstance(step, NystromFeatures | PairwiseSimilarity):
        return int(step._n_features_out)
    if isinstance(step, SimilaritySources):
        return int(next(iter(step.comparisons_.values()))._n_features_out)
    prototypes = getattr(step, "prototypes_", None)
    return taken if prototypes is None else len(prototypes)


TABLE.add(
    Stored(Pipeline, {"steps": Each(Row((Word(), Part())))}, {}, foreign=True, check=_chained)
)
