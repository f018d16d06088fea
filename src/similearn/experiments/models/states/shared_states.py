"""Declarations that the states of several classes share.

Shapes are in terms of ``n`` (training samples), ``d`` (features), ``n_classes`` and ``n_pairs`` (of
classes).
"""

from functools import partial
from typing import Any

from similearn.data.values import KINDS
from similearn.estimators.neighbors.classifier import DIRECTIONS
from similearn.estimators.shell.neighbor_search import NeighborSearch
from similearn.estimators.shell.source_input import SourcesInput
from similearn.experiments.models.classes import TABLE, Stored
from similearn.experiments.models.declarations import (
    Declaration,
    Each,
    Either,
    Flag,
    Mapped,
    Mismatch,
    Number,
    Record,
    Row,
    Sizes,
    Whole,
    Word,
    maybe,
)
from similearn.experiments.models.declared_arrays import Array, Sparse
from similearn.experiments.models.declared_objects import LazyBlock
from similearn.numerics.neighbors.row_search import RowTable, row_table
from similearn.numerics.sda.support import Support

PLAIN = maybe(Flag(), Whole(-(2**63)), Number(finite=False), Word())
NOT_NEGATIVE = Number(low=0.0)
POSITIVE = Number(low=5e-324)
SHARE = Number(low=0.0, high=1.0)
CODES = Array(("n",), "index", 0, "n_classes")
PRIORS = Array(("n_classes",), low=0.0, high=1.0, shares=True)
PER_CLASS = Array(("n_classes", "n_classes"))
BLOCK = Either((Array(("n", "n")), Sparse(("n", "n"))))
BLOCK_OR_OBJECTS = Either((Array(("n", "n")), Sparse(("n", "n")), LazyBlock()))
LABELS = Array(("n_classes",), "label")
SEED = maybe(Whole())
JOBS = maybe(Whole(low=-(2**31)))

# What a parameter of this name must be, whatever class has it.
PARAMETERS: dict[str, Declaration] = {
    "C": POSITIVE,
    "alpha": SHARE,
    "calibration": Word(("temperature", "none")),
    "class_weight": maybe(Word(("balanced",)), Mapped(PLAIN, NOT_NEGATIVE)),
    "costs": maybe(PER_CLASS, Word(("balanced",)), Mapped(Row((PLAIN, PLAIN)), Number())),
    "covariance": Word(("own", "shared")),
    "dense": Flag(),
    "direction": Word(DIRECTIONS),
    "epsilon": NOT_NEGATIVE,
    "fit_intercept": Flag(),
    "gamma": NOT_NEGATIVE,
    "kind": maybe(Word(KINDS)),
    "max_depth": Whole(1),
    "max_iter": Whole(1),
    "max_prototypes": maybe(Whole(1)),
    "n_references": maybe(Whole(1)),
    "method": Word(("one-minus-scaled", "max-minus")),
    "multiple": POSITIVE,
    "n_components": maybe(Whole(1)),
    "n_init": Whole(1),
    "n_jobs": JOBS,
    "n_neighbors": Whole(1, "n"),
    "n_pairs": maybe(Whole(1)),
    "n_prototypes": Whole(1),
    "n_estimators": Whole(1),
    "n_iter_no_change": maybe(Whole(1)),
    "positive_only": Flag(),
    "priors": maybe(Word(("neighborhood",)), Array(("n_classes",), low=0.0)),
    "prototypes": Either((Word(("all", "random", "k-medoids")), Array(("_p",), "index", 0, "n"))),
    "random_state": SEED,
    "rho": NOT_NEGATIVE,
    "ridge": NOT_NEGATIVE,
    "self_similarity": Flag(),
    "shrinkage": SHARE,
    "sigma": maybe(POSITIVE),
    "sources": maybe(Each(Word())),
    "support": Either((Word(), Whole(1))),
    "tol": NOT_NEGATIVE,
    "validation_fraction": SHARE,
}
# What every estimator that takes blocks has learned, and every classifier of them.
SQUARE = {
    "n_features_in_": Whole(1, size="n"),
    "asymmetric_": Flag(),
    "reference_ids_": maybe(Array(("n",), "label")),
    "kind_": maybe(Word(KINDS)),
    "conversion_maximum_": maybe(POSITIVE),
}
CLASSIFIER = SQUARE | {"classes_": LABELS}
FEATURES = {"n_features_in_": Whole(1, size="d"), "classes_": LABELS}
MACHINE = CLASSIFIER | {"unit_": POSITIVE}
# What a calibration learns: one inverse temperature and smoothing, and class shares.
CALIBRATED = {"_calibrations": Array((1, 2), low=0.0), "calibration_priors_": PRIORS}
# What a table of neighbours that is not exact leaves.
NEARLY_EXACT = {"graph_": Array(("n", "_near"), "index", 0, "n"), "recall_": SHARE}
# Weights of training samples, where predictions need them.
WEIGHTED = {"sample_weights_": Array(("n",), low=0.0)}
COMBINATION = MACHINE | {
    "_coefficients": Array((1, "n", "n_pairs")),
    "_intercepts": Array((1, "n_pairs")),
    "prototypes_": Array(("n_prototypes",), "index", 0, "n"),
    "n_prototypes_": Whole(size="n_prototypes"),
}

SUPPORT = Record(
    Support,
    {
        "low": Number(),
        "width": POSITIVE,
        "factor": POSITIVE,
        "levels": Array(("n_levels",), low=0.0, high=1.0, rising=True),
        "log_counts": Array(("n_levels",)),
        "continuous": Flag(),
    },
)
ROWS = Record(RowTable, {"rows": Array(("_rows", "d"))}, make=row_table)


def enter(
    kind: Any,
    state: dict[str, Declaration],
    parameters: dict[str, Declaration] | None = None,
    **more: Any,
) -> None:
    """Enter a class; its parameters are declared by their names unless they are given."""
    known = PARAMETERS | (parameters or {})
    # One that is not declared is named when a model is saved, not when this module is imported.
    names = [name for name in kind._get_param_names() if name in known]
    # Where blocks come as sources, each is asked for its kind by whoever reads it.
    optional = (*more.pop("optional", ()), "kind_", "conversion_maximum_")
    columns = getattr(state.get("n_features_in_"), "size", None)
    if columns is not None:  # X may have been a frame
        state = {"feature_names_in_": Array((columns,), "label")} | state
        optional = (*optional, "feature_names_in_")
    if issubclass(kind, SourcesInput):
        state = state | {"table_columns_": Mapped(Word(), Each(Word()))}
        optional = (*optional, "table_columns_")
    if issubclass(kind, NeighborSearch):
        state, optional = state | NEARLY_EXACT, (*optional, *NEARLY_EXACT)
    if "calibration" in names:
        state, optional = state | CALIBRATED, (*optional, *CALIBRATED)
        more["check"] = partial(_calibrated, more.get("check"))
        more["formerly"] = {"calibrations_": "_calibrations"} | more.get("formerly", {})
    if "class_weight" in names and "codes_" in state:
        state, optional = state | WEIGHTED, (*optional, *WEIGHTED)
    TABLE.add(Stored(kind, {name: known[name] for name in names}, state, optional, **more))


def _calibrated(check: Any, model: Any, sizes: Sizes) -> None:
    """What is to be calibrated is, and the smoothing is a share."""
    known = [hasattr(model, name) and getattr(model, name) is not None for name in CALIBRATED]
    wanted = model.calibration != "none"
    needs(known == [wanted, wanted], "_calibrations do not fit calibration")
    needs(not wanted or model._calibrations[0, 1] <= 1.0, "_calibrations are no calibration")
    if check is not None:
        check(model, sizes)


def needs(condition: Any, sentence: str) -> None:
    """Raise a `Mismatch` with the sentence unless the condition holds."""
    if not condition:
        raise Mismatch(sentence)
