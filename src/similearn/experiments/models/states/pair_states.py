"""The declared state of classifiers of pairs."""

from typing import Any

from similearn.estimators import (
    DBoostClassifier,
    DissimilarityVoteClassifier,
)
from similearn.experiments.models.declarations import (
    Flag,
    Number,
    Row,
    Sizes,
    Whole,
    Word,
)
from similearn.experiments.models.declared_arrays import Array
from similearn.experiments.models.states.shared_states import (
    CLASSIFIER,
    CODES,
    POSITIVE,
    enter,
    needs,
)

# Pairs.
FARNESS = Row((Number(-1.0, 1.0), POSITIVE, Flag()))
PAIRS = CLASSIFIER | {"farthest_": Number(), "prototypes_": Array(("p",), "index", 0, "n")}


def _has_rounds(model: Any, sizes: Sizes) -> None:
    needs(sizes["n_leaves"] == sizes["n_nodes"] + 1, "votes_ do not fit cuts_")
    scores = 1 if sizes["n_classes"] == 2 else sizes["n_classes"]
    needs(sizes["n_scores"] == scores, "votes_ do not fit the classes")
    needs(sizes["n_leaves"] in [2**depth for depth in range(1, 12)], "cuts_ are no full trees")


enter(
    DBoostClassifier,
    PAIRS
    | {
        "farness_": FARNESS,
        "losses_": Array(("_losses",), finite=False),
        "validation_losses_": Array(("_held_out",), finite=False),
        "n_estimators_": Whole(size="n_kept"),
        "cuts_": Array(("n_kept", "n_nodes"), finite=False),
        "votes_": Array(("n_kept", "n_leaves", "n_scores")),
        "pairs_": Array(("n_kept", "n_nodes", 2), "index", 0, "n"),
        "places_": Array(("n_kept", "n_nodes", 2), "index", 0, "p"),
    },
    {"base": Word(("stump", "sign", "tree"))},
    check=_has_rounds,
)


def _has_pairs(model: Any, sizes: Sizes) -> None:
    enough = model.n_pairs is not None or sizes["p"] == sizes["n"]
    needs(enough and (model.n_pairs or 0) <= sizes["n_drawn"], "pairs_ are too few")


enter(
    DissimilarityVoteClassifier,
    PAIRS
    | {
        "codes_": CODES,
        "large_is_near_": Flag(),
        "pairs_": Array(("n_drawn", "n_pairs", 2), "index", 0, "n"),
        "places_": Array(("n_drawn", "n_pairs", 2), "index", 0, "p"),
    },
    check=_has_pairs,
)
