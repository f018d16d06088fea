"""The declared state of what takes several sources, and of chains of estimators."""

from typing import Any

import numpy as np

from similearn.data.values import KINDS
from similearn.estimators import (
    FusedNeighborsClassifier,
    FusionClassifier,
    ProximityForestClassifier,
)
from similearn.estimators.shell.source_input import BlockNeighbors, TableNeighbors
from similearn.experiments.models.classes import Part
from similearn.experiments.models.declarations import (
    Each,
    Flag,
    Mapped,
    Number,
    Record,
    Row,
    Sizes,
    Whole,
    Word,
    maybe,
)
from similearn.experiments.models.declared_arrays import Array
from similearn.experiments.models.states.shared_states import (
    CODES,
    LABELS,
    PRIORS,
    ROWS,
    SQUARE,
    enter,
    needs,
)
from similearn.numerics.pairs.proximity_trees import ProximityTree

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


def _has_sound_trees(model: Any, sizes: Sizes) -> None:
    """Branches lead to later nodes, so that every way ends, and compare by sources there are."""
    for door in model.doors_:
        needs(door.n_features_in_ == sizes["n"], "doors_ are of other samples")
    for tree in model.trees_:
        n_nodes, n_branches = len(tree.sources), len(tree.exemplars)
        steps = np.diff(tree.starts)
        sound = tree.starts[0] == 0 and tree.starts[-1] == n_branches and (steps >= 0).all()
        needs(sound and (steps != 1).all(), "trees_ have strange branches")
        parents = np.repeat(np.arange(n_nodes), steps)
        later = (tree.children > parents).all() and (tree.children < n_nodes).all()
        needs(later and (tree.sources < len(model.sources_)).all(), "trees_ have strange nodes")
        needs((tree.counts.sum(axis=1) > 0).all(), "trees_ have empty nodes")


TREE = Record(
    ProximityTree,
    {
        "starts": Array(("_offsets",), "index"),
        "sources": Array(("_nodes",), "index"),
        "exemplars": Array(("_branches",), "index", 0, "n"),
        "children": Array(("_branches",), "index"),
        "counts": Array(("_nodes", "n_classes"), low=0.0),
    },
)
enter(
    ProximityForestClassifier,
    {
        "n_features_in_": Whole(1, size="n"),
        "asymmetric_": Flag(),
        "reference_ids_": maybe(Array(("n",), "label")),
        "kind_": maybe(Word(KINDS)),
        "conversion_maximum_": maybe(Number()),
        "sources_": Each(Word(), "n_sources"),
        "doors_": Each(Part(("BlockNeighbors",)), "n_sources"),
        "farthest_": Each(Number(), "n_sources"),
        "classes_": LABELS,
        "codes_": CODES,
        "priors_": PRIORS,
        "trees_": Each(TREE),
        "prototypes_": Array(("_p",), "index", 0, "n"),
    },
    {
        "max_depth": maybe(Whole(1)),
        "n_candidates": Whole(1),
        "min_samples_leaf": Whole(1),
        "split_samples": Whole(1),
    },
    optional=("asymmetric_",),
    check=_has_sound_trees,
)
