"""The declared state of our own estimators, one entry each.

What a fit learns is named here with its shape and with the range of every index, so that no index
of a file's choosing reaches compiled code. What follows from the rest is made again instead of
being stored. A class or attribute that is not declared cannot be saved, and a test says so.
"""

from typing import Any

import numpy as np

from similearn.data.values import KINDS
from similearn.estimators import (
    DBoostClassifier,
    DissimilarityToSimilarity,
    DissimilarityVoteClassifier,
    GaussianSimilarity,
    IndefiniteFisherClassifier,
    LocalBDAClassifier,
    LocalNearestMeansClassifier,
    LocalSVC,
    LPMachineClassifier,
    NeighborsClassifier,
    NormalClassifier,
    NystromFeatures,
    PairwiseSimilarity,
    PotentialSVC,
    PrototypeFeatures,
    PseudoEuclideanEmbedding,
    RobustSVC,
    RowRBFSimilarity,
    SimilaritySources,
    SimilaritySVC,
)
from similearn.estimators.machines.local_svc import SPECTRA as LOCAL_SPECTRA
from similearn.estimators.machines.similarity_svc import (
    CONSISTENCIES,
    MULTICLASS,
    SPECTRA,
    PairMachines,
)
from similearn.estimators.neighbors.weighting import WEIGHTINGS
from similearn.estimators.transformers.nystrom_features import CHOICES as CHOSEN_COLUMNS
from similearn.estimators.transformers.nystrom_features import SPECTRA as COLUMN_SPECTRA
from similearn.experiments.models.classes import Part
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
from similearn.experiments.models.declared_arrays import Array, Sparse
from similearn.experiments.models.declared_objects import Compared, ComparedOrAuto, Objects
from similearn.experiments.models.shared_states import (
    BLOCK_OR_OBJECTS,
    CLASSIFIER,
    CODES,
    COMBINATION,
    FEATURES,
    MACHINE,
    NOT_NEGATIVE,
    POSITIVE,
    PRIORS,
    ROWS,
    SQUARE,
    enter,
    needs,
)
from similearn.numerics.gaussian.fisher import FisherDiscriminant
from similearn.numerics.gaussian.normal import ShrunkNormal
from similearn.numerics.linalg.spectrum import Spectrum, SpectrumMap
from similearn.similarities import get_similarity
from similearn.similarities.shell.choosing import AUTO
from similearn.similarities.shell.objects import as_objects

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


# Neighbours.
def _has_references(model: Any, sizes: Sizes) -> None:
    weighting = WEIGHTINGS[model.weights]
    needs(weighting.of_blocks is None or hasattr(model, "references_"), "references_ is missing")
    needs(model.spectrum is None or model.spectrum in weighting.spectra, "spectrum is unknown")
    needs(model.ridge > 0 or model.weights not in ("kri", "lime"), "ridge is zero")


enter(
    NeighborsClassifier,
    CLASSIFIER | {"codes_": CODES, "priors_": PRIORS, "references_": BLOCK_OR_OBJECTS},
    {"weights": Word(tuple(WEIGHTINGS)), "spectrum": maybe(Word())},
    optional=("references_",),
    check=_has_references,
)


# Machines.
MACHINES = Record(
    PairMachines,
    {
        "duals": Either((Sparse(("n", "n_pairs")), Array(("n", "n_pairs")))),
        "intercepts": Array(("n_pairs",)),
    },
)
MAP = Record(
    SpectrumMap,
    {
        "identity": Number(0.0, 1.0),
        "basis": Array(("n", "_r")),
        "factors": Array(("_r",)),
        "levels": Array(("_r",)),
        "eigenvalues": Array(("n",)),
        "shift": Number(),
    },
)
SPECTRUM = Record(Spectrum, {"eigenvalues": Array(("n",)), "vectors": Array(("n", "n"))})


def _has_kernel(model: Any, sizes: Sizes) -> None:
    if model.spectrum == "square":
        needs(model.rows_ is not None, "rows_ is missing")
    elif model.spectrum not in ("krein", "none") and model.consistency != "none":
        needs(model.map_ is not None or model.spectrum_ is not None, "map_ is missing")


enter(
    SimilaritySVC,
    MACHINE
    | {
        "map_": maybe(MAP),
        "spectrum_": maybe(SPECTRUM),
        "rows_": maybe(Array(("n", "n"))),
        "eigenvalues_": maybe(Array(("n",))),
        "n_iter_": Array(("n_pairs",), "int"),
        "support_": Array(("_support",), "index", 0, "n"),
        "machines_": Each(MACHINES, 1),
    },
    {
        "spectrum": Word(SPECTRA),
        "consistency": Word(CONSISTENCIES),
        "multiclass": Word(tuple(MULTICLASS)),
    },
    check=_has_kernel,
)
enter(
    LocalSVC,
    MACHINE | {"references_": BLOCK_OR_OBJECTS, "codes_": CODES},
    {"spectrum": Word(LOCAL_SPECTRA)},
)
enter(
    RobustSVC,
    COMBINATION
    | {"gaps_": Array(("n_pairs",), finite=False), "n_iter_": Array(("n_pairs",), "int")},
)
enter(PotentialSVC, COMBINATION | {"gaps_": Array(("n_pairs",), finite=False)})
enter(LPMachineClassifier, COMBINATION | {"objectives_": Array(("n_pairs",), finite=False)})

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
    sizes_of = [len(table.rows) for table in model.tables_]
    needs(model.counts_.tolist() == sizes_of == list(map(len, model.members_)), "counts_ differ")
    codes = np.repeat(np.arange(len(sizes_of)), sizes_of)
    members = np.concatenate(model.members_)
    needs(len(members) == len(model.codes_), "members_ are not all samples")
    needs((model.codes_[members] == codes).all(), "members_ are of other classes")


LOCAL_TABLES = FEATURES | {
    "codes_": CODES,
    "counts_": Array(("n_classes",), "index", 1),
    "members_": Each(Array(("_members",), "index", 0, "n"), "n_classes"),
    "tables_": Each(ROWS, "n_classes"),
}
enter(
    LocalBDAClassifier,
    LOCAL_TABLES | {"mean_weights_": Array(("n_classes",), low=5e-324)},
    check=_has_members,
)
enter(LocalNearestMeansClassifier, LOCAL_TABLES, check=_has_members)

# Pairs.
FARNESS = Row((Number(-1.0, 1.0), POSITIVE, Flag()))
PAIRS = CLASSIFIER | {"farthest_": Number(), "prototypes_": Array(("p",), "index", 0, "n")}


def _has_rounds(model: Any, sizes: Sizes) -> None:
    needs(sizes["n_leaves"] == sizes["n_nodes"] + 1, "votes_ do not fit cuts_")
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
        "votes_": Array(("n_kept", "n_leaves", "n_classes")),
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
