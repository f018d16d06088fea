"""The declared steps of a pipeline, with and without scikit-learn's class around them."""

from typing import Any

from similearn.estimators import NystromFeatures, PairwiseSimilarity, SimilaritySources
from similearn.experiments.models.classes import KEYS, Part
from similearn.experiments.models.declarations import (
    Declaration,
    Each,
    Members,
    Mismatch,
    Row,
    Sizes,
    Word,
    read_fields,
    require,
)
from similearn.experiments.models.states.shared_states import needs

PIPELINE: dict[str, Declaration] = {"steps": Each(Row((Word(), Part())))}


class Steps(Part):
    """An estimator of some classes, read as its named steps; one that is no pipeline has one.

    scikit-learn's pipelines import parts of SciPy that take longer than a prediction: what needs
    the steps alone does not wait for them.
    """

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        if not isinstance(stored, dict) or stored.get("class") != "Pipeline":
            return [("", super().read(stored, sizes, members))]
        require(set(stored) == KEYS and "Pipeline" in self.names, stored)
        try:
            read_fields({}, stored["state"], Sizes(), members)
            steps = read_fields(PIPELINE, stored["parameters"], Sizes(), members)["steps"]
            require_chained(steps)
        except Mismatch as mismatch:
            raise Mismatch(f"of Pipeline: {mismatch}") from None
        return steps


def require_chained(steps: Any) -> None:
    """Raise unless each step takes as many columns as the one before gives."""
    needs(steps, "steps are none")
    width = None
    for name, step in steps:
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
