"""The declared state of Gaussian classifiers."""

from typing import Any

import numpy as np

from similearn.estimators import (
    IndefiniteFisherClassifier,
    LocalBDAClassifier,
    LocalNearestMeansClassifier,
    NormalClassifier,
)
from similearn.experiments.models.declarations import (
    Each,
    Record,
    Sizes,
)
from similearn.experiments.models.declared_arrays import Array
from similearn.experiments.models.states.shared_states import (
    CLASSIFIER,
    CODES,
    FEATURES,
    POSITIVE,
    PRIORS,
    ROWS,
    enter,
    needs,
)
from similearn.numerics.gaussian.fisher import FisherDiscriminant
from similearn.numerics.gaussian.normal import ShrunkNormal

# Gaussians.
FISHER = Record(
    FisherDiscriminant,
    {
        "weights": Array(("_r", "n", "n_classes")),
        "offsets": Array(("_r", "n_classes")),
    },
)
enter(
    IndefiniteFisherClassifier,
    CLASSIFIER | {"unit_": POSITIVE, "priors_": PRIORS, "discriminant_": FISHER},
)
NORMAL = Record(
    ShrunkNormal,
    {"mean": Array(("d",)), "vectors": Array(("d", "d")), "spread": Array(("d",), low=0.0)},
)
enter(
    NormalClassifier,
    FEATURES | {"unit_": POSITIVE, "priors_": PRIORS, "densities_": Each(NORMAL, "n_classes")},
)


def _has_members(model: Any, sizes: Sizes) -> None:
    sizes_of = [len(table.rows) for table in model.class_tables_]
    needs(
        model.counts_.tolist() == sizes_of == list(map(len, model.class_members_)), "counts_ differ"
    )
    codes = np.repeat(np.arange(len(sizes_of)), sizes_of)
    members = np.concatenate(model.class_members_)
    needs(len(members) == len(model.codes_), "class_members_ are not all samples")
    needs((model.codes_[members] == codes).all(), "class_members_ are of other classes")


LOCAL_TABLES = FEATURES | {
    "codes_": CODES,
    "counts_": Array(("n_classes",), "index", 1),
    "class_members_": Each(Array(("_members",), "index", 0, "n"), "n_classes"),
    "class_tables_": Each(ROWS, "n_classes"),
}
_FORMERLY = {"members_": "class_members_", "tables_": "class_tables_"}
enter(
    LocalBDAClassifier,
    LOCAL_TABLES | {"mean_weights_": Array(("n_classes",), low=5e-324)},
    check=_has_members,
    formerly=_FORMERLY,
)
enter(LocalNearestMeansClassifier, LOCAL_TABLES, check=_has_members, formerly=_FORMERLY)
