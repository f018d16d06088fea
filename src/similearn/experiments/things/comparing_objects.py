"""How a model compares objects: by one similarity, or by several."""

from collections.abc import Mapping
from typing import Any

from similearn.estimators import PairwiseSimilarity, SimilaritySources
from similearn.estimators.shell.explanation import is_pipeline
from similearn.similarities.shell.naming import spelled
from similearn.similarities.shell.similarity import Similarity


def comparison_of(compare: Mapping[str, Similarity]) -> Any:
    """Return the unfitted transformer that compares objects: a block, or `Sources` of several."""
    if len(compare) == 1:
        return PairwiseSimilarity(next(iter(compare.values())))
    return SimilaritySources(dict(compare))


def comparisons_in(estimator: Any) -> dict[str, PairwiseSimilarity]:
    """Names and fitted comparisons of the objects that an estimator holds; empty without any."""
    first = estimator
    while is_pipeline(first):
        first = first.steps[0][1]
    first = getattr(first, "comparison_", None) or first
    if isinstance(first, SimilaritySources):
        return dict(first.comparisons_)
    return {spelled(first.function_): first} if isinstance(first, PairwiseSimilarity) else {}
