"""The declared state of neighbour classifiers."""

from typing import Any

from similearn.estimators import (
    NeighborsClassifier,
)
from similearn.estimators.neighbors.weighting import WEIGHTINGS
from similearn.experiments.models.declarations import (
    Sizes,
    Word,
    maybe,
)
from similearn.experiments.models.states.shared_states import (
    BLOCK_OR_OBJECTS,
    CLASSIFIER,
    CODES,
    PRIORS,
    enter,
    needs,
)


# Neighbours.
def _has_references(model: Any, sizes: Sizes) -> None:
    weighting = WEIGHTINGS[model.weights]
    needs(
        weighting.of_blocks is None or hasattr(model, "similarities_"), "similarities_ is missing"
    )
    needs(model.spectrum is None or model.spectrum in weighting.spectra, "spectrum is unknown")
    needs(model.ridge > 0 or model.weights not in ("kri", "lime"), "ridge is zero")


enter(
    NeighborsClassifier,
    CLASSIFIER | {"codes_": CODES, "priors_": PRIORS, "similarities_": BLOCK_OR_OBJECTS},
    {"weights": Word(tuple(WEIGHTINGS)), "spectrum": maybe(Word())},
    optional=("similarities_",),
    formerly={"references_": "similarities_"},
    check=_has_references,
)
