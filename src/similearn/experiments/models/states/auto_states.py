"""The declared state of `SimilarityClassifier` and of its members."""

from typing import Any

import numpy as np

from similearn.data.values import KINDS
from similearn.estimators import PairwiseSimilarity
from similearn.experiments.models.classes import Part
from similearn.experiments.models.declarations import (
    Each,
    Flag,
    Mapped,
    Number,
    Record,
    Sizes,
    Whole,
    Word,
    maybe,
)
from similearn.experiments.models.declared_arrays import Array
from similearn.experiments.models.declared_objects import ComparedOrAuto
from similearn.experiments.models.declared_steps import Steps
from similearn.experiments.models.states.shared_states import (
    CLASSIFIER,
    CODES,
    NOT_NEGATIVE,
    PLAIN,
    POSITIVE,
    PRIORS,
    enter,
    needs,
)
from similearn.numerics.scores.calibration import Calibration
from similearn.selection import SimilarityClassifier
from similearn.selection.auto.inputs import ONLY
from similearn.selection.auto.leaderboard import Leaderboard
from similearn.selection.auto.members import FittedMember
from similearn.selection.auto.portfolio import EFFORTS

# Of all that the portfolio builds; to build it would load every method.
MEMBERS = (
    "DBoostClassifier",
    "IndefiniteFisherClassifier",
    "LocalSDAClassifier",
    "LocalSVC",
    "NeighborsClassifier",
    "Pipeline",
    "ProximityForestClassifier",
    "SimilaritySVC",
)
CALIBRATION = Record(
    Calibration,
    {"inverse_temperature": POSITIVE, "smoothing": Number(low=5e-324, high=1.0)},
)
MEMBER = Record(
    FittedMember,
    {
        "name": Word(),
        "source": Word(),
        "estimator": Steps(MEMBERS),
        "conversion": maybe(Part(("DissimilarityToSimilarity",))),
        "calibration": CALIBRATION,
    },
    make=lambda estimator, **rest: FittedMember(steps=estimator, **rest),
)
_POINT = Mapped(Word(), PLAIN)  # of a grid
LEADERBOARD = Record(
    Leaderboard,
    {
        "rows": Each(Mapped(Word(), maybe(PLAIN, _POINT, Each(PLAIN), Each(_POINT)))),
        "combined": maybe(Mapped(Word(), NOT_NEGATIVE)),
    },
    optional=("combined",),
)


def _fits_together(model: Any, sizes: Sizes) -> None:
    codes = np.arange(sizes["n_classes"])
    for member in model.members_:
        (_, first), (_, last) = member.steps[0], member.steps[-1]
        needs(np.array_equal(last.classes_, codes), "members_ have other classes")
        needs(first.n_features_in_ == sizes["n"], "members_ have other samples")
        needs(
            member.conversion is None or member.conversion.n_features_in_ == sizes["n"],
            "members_ convert other samples",
        )
    needs(abs(model.weights_.sum() - 1.0) < 1e-6, "weights_ do not sum to one")
    _fits_input(model, sizes["n"])


def _fits_input(model: Any, n: int) -> None:
    """What was learned of the input is complete, and of the same samples."""
    comparisons = [] if model.comparison_ is None else [model.comparison_]
    comparisons += [table.steps[-1][1] for table in model.tables_.values()]
    for comparison in comparisons:
        needs(isinstance(comparison, PairwiseSimilarity), "tables_ are not compared")
        needs(comparison._n_features_out == n, "references_ are other samples")
    names = [ONLY] if model.kind_ is not None else getattr(model, "source_names_", [])
    needs(all(member.source in names for member in model.members_), "members_ have other sources")
    needs(all(name in names for name in model.tables_), "tables_ have other names")
    if model.kind_ is not None and model.comparison_ is None:
        needs(hasattr(model, "n_features_in_"), "n_features_in_ is missing")
        needs(hasattr(model, "asymmetric_"), "asymmetric_ is missing")


enter(
    SimilarityClassifier,
    CLASSIFIER
    | {
        "comparison_": maybe(Part(("PairwiseSimilarity",))),
        "tables_": Mapped(Word(), Part(("Pipeline",))),
        "table_columns_": Mapped(Word(), Each(Word())),
        "source_names_": Each(Word()),
        "kind_": maybe(Word(KINDS)),
        "notes_": Each(Word()),
        "priors_": PRIORS,
        "codes_": CODES,
        "members_": Each(MEMBER, "n_members"),
        "weights_": Array(("n_members",), low=0.0, high=1.0),
        "calibration_": CALIBRATION,
        "held_out_": Array(("n",), finite=False),
        "leaderboard_": LEADERBOARD,
    },
    {
        "similarity": maybe(ComparedOrAuto()),
        "kind": maybe(Word(KINDS)),
        "effort": Word(tuple(EFFORTS)),
        "time_limit": maybe(POSITIVE),
        "random_state": Whole(),
        "progress": maybe(Flag(), Word(("auto",))),
    },
    optional=("n_features_in_", "asymmetric_", "source_names_", "table_columns_", "held_out_"),
    check=_fits_together,
)
