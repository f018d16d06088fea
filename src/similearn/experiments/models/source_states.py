"""The declared state of what takes several sources, and of chains of estimators."""

from typing import Any

import numpy as np

from similearn.estimators import FusedNeighborsClassifier, FusionClassifier
from similearn.estimators.shell.source_input import BlockNeighbors, TableNeighbors
from similearn.experiments.models.classes import Part
from similearn.experiments.models.declarations import Each, Mapped, Row, Sizes, Whole, Word, maybe
from similearn.experiments.models.declared_arrays import Array
from similearn.experiments.models.shared_states import (
    CODES,
    LABELS,
    PRIORS,
    ROWS,
    SQUARE,
    enter,
    needs,
)

COMPONENTS = ("LocalSDAClassifier", "LocalBDAClassifier", "NeighborsClassifier")

enter(BlockNeighbors, SQUARE, optional=("reference_ids_",))
enter(TableNeighbors, {"n_features_in_": Whole(1, size="d"), "table_": ROWS})


def _searches_all(model: Any, sizes: Sizes) -> None:
    for search in model.searches_:
        length = len(search.table_.rows) if hasattr(search, "table_") else search.n_features_in_
        needs(length == sizes["n"], "searches_ are of other samples")


enter(
    FusedNeighborsClassifier,
    {
        "n_features_in_": Whole(1, size="n"),
        "sources_": Each(Word(), "n_sources"),
        "searches_": Each(Part(("BlockNeighbors", "TableNeighbors")), "n_sources"),
        "classes_": LABELS,
        "codes_": CODES,
        "priors_": PRIORS,
    },
    check=_searches_all,
)


def _has_components(model: Any, sizes: Sizes) -> None:
    names = [name for name, _, _ in model.components]
    needs(list(model.components_) == names, "components_ have other names")
    for part in model.components_.values():
        needs(np.array_equal(part.classes_, model.classes_), "components_ have other classes")


enter(
    FusionClassifier,
    {
        "n_features_in_": Whole(1),
        "classes_": LABELS,
        "priors_": PRIORS,
        "components_": Mapped(Word(), Part(COMPONENTS)),
        "exponents_": Array(("n_components",), low=0.0),
    },
    {
        "components": Each(Row((Word(), Part(COMPONENTS, fitted=False), Word())), "n_components"),
        "prior": Word(("once", "each")),
        "temper": maybe(Whole(2)),
    },
    check=_has_components,
)
