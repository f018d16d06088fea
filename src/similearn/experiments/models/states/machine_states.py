"""The declared state of support vector machines and their kin."""

from typing import Any

from similearn.estimators import (
    LocalSVC,
    LPMachineClassifier,
    PotentialSVC,
    RobustSVC,
    SimilaritySVC,
)
from similearn.estimators.machines.local_svc import SPECTRA as LOCAL_SPECTRA
from similearn.estimators.machines.similarity_svc import (
    CONSISTENCIES,
    MULTICLASS,
    SPECTRA,
    PairMachines,
)
from similearn.experiments.models.declarations import (
    Each,
    Either,
    Number,
    Record,
    Sizes,
    Word,
    maybe,
)
from similearn.experiments.models.declared_arrays import Array, Sparse
from similearn.experiments.models.states.shared_states import (
    BLOCK_OR_OBJECTS,
    CODES,
    COMBINATION,
    MACHINE,
    enter,
    needs,
)
from similearn.numerics.linalg.spectrum import Spectrum, SpectrumMap

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
        needs(
            model.spectrum_map_ is not None or model.spectrum_ is not None,
            "spectrum_map_ is missing",
        )


enter(
    SimilaritySVC,
    MACHINE
    | {
        "spectrum_map_": maybe(MAP),
        "spectrum_": maybe(SPECTRUM),
        "rows_": maybe(Array(("n", "n"))),
        "eigenvalues_": maybe(Array(("n",))),
        "n_iter_": Array(("n_pairs",), "int"),
        "support_": Array(("_support",), "index", 0, "n"),
        "_machines": Each(MACHINES, 1),
    },
    {
        "spectrum": Word(SPECTRA),
        "consistency": Word(CONSISTENCIES),
        "multiclass": Word(tuple(MULTICLASS)),
    },
    check=_has_kernel,
    formerly={"map_": "spectrum_map_", "machines_": "_machines"},
)
enter(
    LocalSVC,
    MACHINE | {"similarities_": BLOCK_OR_OBJECTS, "codes_": CODES},
    {"spectrum": Word(LOCAL_SPECTRA)},
    formerly={"references_": "similarities_"},
)
enter(
    RobustSVC,
    COMBINATION
    | {"gaps_": Array(("n_pairs",), finite=False), "n_iter_": Array(("n_pairs",), "int")},
)
enter(PotentialSVC, COMBINATION | {"gaps_": Array(("n_pairs",), finite=False)})
enter(LPMachineClassifier, COMBINATION | {"objectives_": Array(("n_pairs",), finite=False)})
