"""The declared state of similarity discriminant analysis."""

from typing import Any

import numpy as np

from similearn.estimators import (
    LocalSDAClassifier,
    MixtureSDAClassifier,
    SDAClassifier,
)
from similearn.estimators.sda.local_queries import References
from similearn.estimators.sda.local_sda import DEGENERATE
from similearn.estimators.sda.regularizations import REGULARIZATIONS
from similearn.experiments.models.declarations import (
    Each,
    Either,
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
    BLOCK_OR_OBJECTS,
    CLASSIFIER,
    CODES,
    PER_CLASS,
    PRIORS,
    SUPPORT,
    enter,
    needs,
)
from similearn.numerics.sda.average_pmf import AveragePmfs
from similearn.numerics.sda.local_sda import RateList
from similearn.numerics.sda.maxent import rate_table

RATES = Array(("n_classes", "n_classes"), finite=False)
enter(
    SDAClassifier,
    CLASSIFIER
    | {
        "pmf_support_": SUPPORT,
        "priors_": PRIORS,
        "centroids_": Array(("n_classes",), "index", 0, "n"),
        "means_": PER_CLASS,
        "rates_": RATES,
        "log_norms_": RATES,
    },
)
MIXTURES = Array(("n_classes", "n_classes", "n_components"), finite=False)


def _has_components(model: Any, sizes: Sizes) -> None:
    needs(all(0 < len(m) <= sizes["n_components"] for m in model.medoids_), "medoids_ are too many")


enter(
    MixtureSDAClassifier,
    CLASSIFIER
    | {
        "pmf_support_": SUPPORT,
        "priors_": PRIORS,
        "medoids_": Each(Array(("_medoids",), "index", 0, "n"), "n_classes"),
        "component_weights_": Array(("n_classes", "n_classes", "n_components"), low=0.0),
        "rates_": MIXTURES,
        "log_norms_": MIXTURES,
        "log_likelihoods_": RATES,
        "n_iter_": Whole(),
    },
    check=_has_components,
    formerly={"weights_": "component_weights_"},
)
AVERAGE = Record(
    AveragePmfs,
    {
        "levels": Array(("_levels",), low=0.0, high=1.0, rising=True),
        "log_values": Array(("n_classes", "n_classes", "_levels"), finite=False),
    },
)
MASSES = Array(("n_classes", "n_classes", "n_intervals"), finite=False)
EDGES = Array(("n_edges",), low=0.0, high=1.0, rising=True)
RATE_LIST = Record(
    RateList,
    {
        "rates": Array(("n", "n_classes", "n_classes"), finite=False),
        "log_norms": Array(("n", "n_classes", "n_classes"), finite=False),
        "interior": Array(("n", "n_classes", "n_classes"), "flag"),
    },
)
REFERENCES = Record(
    References,
    {
        "values": BLOCK_OR_OBJECTS,
        "absent": Number(finite=False),
        "large_is_near": Flag(),
        "codes": CODES,
        "n_classes": Whole(size="n_classes"),
        "support": SUPPORT,
    },
)


# How many values these regularizations learn, and of which class the first is.
_LEARNED = {"histogram": (2, np.ndarray), "dirichlet": (3, AveragePmfs)}


def _has_regularizer(model: Any, sizes: Sizes) -> None:
    name = model.regularization
    needs("n_edges" not in sizes or sizes["n_intervals"] == sizes["n_edges"] + 1, "edges differ")
    needs(len(model.pmf_support_.levels) > 0, "pmf_support_ is empty")
    if name is None or REGULARIZATIONS[name].learn is None:
        return
    needs(model.n_neighbors in model.regularizers_, "regularizers_ lack n_neighbors")
    learned = model.regularizers_[model.n_neighbors]
    if name == "adaptive":
        needs(isinstance(learned, RateList), "regularizers_ are no rates")
        return
    length, first = _LEARNED.get(name, (1, AveragePmfs))
    fits = type(learned) is tuple and len(learned) == length and isinstance(learned[0], first)
    needs(fits, "regularizers_ are of another kind")
    needs(first is np.ndarray or len(learned[0].levels) > 0, "regularizers_ are empty")


def _with_table(model: Any) -> None:
    model.rate_table_ = rate_table(model.pmf_support_)


enter(
    LocalSDAClassifier,
    CLASSIFIER
    | {
        "codes_": CODES,
        "priors_": PRIORS,
        "pmf_support_": SUPPORT,
        "samples_": REFERENCES,
        "global_means_": PER_CLASS,
        "global_rates_": RATES,
        "global_log_norms_": RATES,
        "regularizers_": Mapped(
            Whole(1, "n"),
            Either(
                (Row((AVERAGE,)), Row((AVERAGE, MASSES, EDGES)), Row((RATES, RATES)), RATE_LIST)
            ),
        ),
    },
    {"regularization": maybe(Word(tuple(REGULARIZATIONS))), "degenerate": Word(DEGENERATE)},
    left_out=("rate_table_",),
    check=_has_regularizer,
    finish=_with_table,
    formerly={"references_": "samples_"},
)
