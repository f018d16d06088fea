"""The declared state of transformers, and of what compares objects."""

from typing import Any

import numpy as np

from similearn.data.values import KINDS
from similearn.estimators import (
    DissimilarityToSimilarity,
    GaussianSimilarity,
    NystromFeatures,
    PairwiseSimilarity,
    PrototypeFeatures,
    PseudoEuclideanEmbedding,
    RowRBFSimilarity,
    SimilaritySources,
)
from similearn.estimators.transformers.nystrom_features import CHOICES as CHOSEN_COLUMNS
from similearn.estimators.transformers.nystrom_features import SPECTRA as COLUMN_SPECTRA
from similearn.experiments.models.classes import Part
from similearn.experiments.models.declarations import (
    Each,
    Either,
    Flag,
    Mapped,
    Number,
    Row,
    Sizes,
    Whole,
    Word,
    maybe,
)
from similearn.experiments.models.declared_arrays import Array, Sparse
from similearn.experiments.models.declared_objects import Compared, ComparedOrAuto, Objects
from similearn.experiments.models.states.shared_states import (
    NOT_NEGATIVE,
    POSITIVE,
    SQUARE,
    enter,
    needs,
)
from similearn.similarities.shell.choosing import AUTO
from similearn.similarities.shell.objects import as_objects
from similearn.similarities.shell.registering import get_similarity

# Transformers.
enter(
    RowRBFSimilarity,
    SQUARE
    | {
        "rows_": Either((Array(("n", "_p")), Sparse(("n", "_p")))),
        "squares_": Array(("n",)),
        "unit_": POSITIVE,
        "unit_gamma_": NOT_NEGATIVE,
    },
    {"gamma": Either((Word(("scale",)), POSITIVE)), "most_columns": maybe(Whole(1))},
    optional=("squares_",),
    check=lambda model, sizes: needs(
        model.rows_.shape[1] == min(model.most_columns or sizes["n"], sizes["n"]),
        "rows_ have other columns",
    ),
)
enter(DissimilarityToSimilarity, SQUARE | {"maximum_": NOT_NEGATIVE})
enter(
    GaussianSimilarity,
    SQUARE | {"maximum_": maybe(Number()), "scale_": POSITIVE, "unit_": POSITIVE},
    check=lambda model, sizes: needs(
        (model.maximum_ is None) == (model.kind_ == "dissimilarity"), "maximum_ does not fit kind_"
    ),
)
enter(
    PrototypeFeatures,
    SQUARE
    | {
        "prototypes_": Array(("n_out",), "index", 0, "n"),
        "root_mean_square_": maybe(POSITIVE),
        "maximum_": Number(),
    },
    optional=("maximum_",),
    check=lambda model, sizes: needs(
        model.sigma is None or (model.root_mean_square_ and hasattr(model, "maximum_")),
        "root_mean_square_ is missing",
    ),
)
enter(
    NystromFeatures,
    SQUARE
    | {
        "prototypes_": Array(("p",), "index", 0, "n"),
        "eigenvalues_": Array(("n_out",)),
        "map_": Array(("p", "n_out")),
        "unit_": POSITIVE,
    },
    {
        "prototypes": Word(CHOSEN_COLUMNS),
        "spectrum": Word(COLUMN_SPECTRA),
        "tolerance": NOT_NEGATIVE,
    },
)
enter(
    PseudoEuclideanEmbedding,
    SQUARE
    | {
        "unit_": POSITIVE,
        "centre_": maybe(Array(("n",))),
        "eigenvalues_": Array(("n_out",)),
        "map_": Array(("n", "n_out")),
        "signature_": Row((Whole(), Whole())),
        "n_components_": Whole(size="n_out"),
    },
    check=lambda model, sizes: needs(
        model.kind_ != "dissimilarity" or model.centre_ is not None, "centre_ is missing"
    ),
)


# What compares objects. What a similarity learns is learned again from the objects when a file is
# read, by the same checks as at first.
def _compares(model: Any, sizes: Sizes) -> None:
    """Objects are of the form that the similarity takes, and labels are there if it learns."""
    function = _compared_by(model)
    objects = model.references_
    if function.accepts == "objects":
        needs(type(as_objects(objects, function)) is type(objects), "references_ are no objects")
    else:
        shape = (len(objects), getattr(model, "n_features_in_", -1))
        numbers = function.accepts == "table" or getattr(objects, "dtype", None) == np.float64
        needs(numbers and getattr(objects, "shape", None) == shape, "references_ are no table")
    needs(not function.learned or hasattr(model, "labels_"), "labels_ is missing")


def _compared_by(model: Any) -> Any:
    given = getattr(model, "chosen_", model.function)
    needs(given != AUTO, "chosen_ is missing")
    return get_similarity(given, kind=model.kind, symmetric=model.symmetric)


def _learned_again(model: Any) -> None:
    model.function_ = _compared_by(model).fit(model.references_, getattr(model, "labels_", None))


enter(
    PairwiseSimilarity,
    {
        "references_": Objects(),
        "n_features_in_": Whole(1, size="d"),
        "labels_": Array(("n",), "label"),
        "feature_names_in_": Array(("d",), "label"),
        "chosen_": Compared(),
        "notes_": Each(Word()),
    },
    {
        "function": ComparedOrAuto(),
        "kind": maybe(Word(KINDS)),
        "symmetric": maybe(Flag()),
        "lazy": maybe(Flag()),
        "progress": maybe(Flag(), Word(("auto",))),
    },
    optional=("n_features_in_", "feature_names_in_", "labels_", "chosen_", "notes_"),
    left_out=("function_",),
    check=_compares,
    finish=_learned_again,
)


def _compares_all(model: Any, sizes: Sizes) -> None:
    counts = {one._n_features_out for one in model.comparisons_.values()}
    needs(len(counts) == 1, "comparisons_ are of other objects")
    given = model.functions
    names = list(given) if isinstance(given, dict) else [None] * len(given)
    fits = len(names) == len(model.comparisons_)
    needs(fits and (None in names or names == list(model.comparisons_)), "comparisons_ are others")


enter(
    SimilaritySources,
    {"comparisons_": Mapped(Word(), Part(("PairwiseSimilarity",)))},
    {
        "functions": Either((Mapped(Word(), Compared()), Each(Compared()))),
        "progress": maybe(Flag(), Word(("auto",))),
    },
    check=_compares_all,
)
