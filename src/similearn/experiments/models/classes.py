"""Estimators as model files hold them: a public name, parameters, and the declared state."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from typing import Any

from similearn.experiments.models.declarations import (
    Declaration,
    Members,
    Mismatch,
    Sizes,
    read_fields,
    require,
    told,
    write_fields,
)

# How scikit-learn wraps what it gives, and what searches over parameters leave: nothing learned.
IGNORED = (
    "_sklearn_output_config",
    "_leaves_one_out",
    "_parameters_at_fit",
    "candidates_",
    "_training",
    "_strangeness",
)


@dataclass(frozen=True)
class Stored:
    """How one class of estimators is stored.

    Parameters
    ----------
    kind : the class
    parameters : of its constructor, all of them
    state : what `fit` learns, in an order in which sizes are known before they are needed
    optional : names of the state that not every fit leaves
    left_out : attributes that are not stored: nothing that predicts needs them, or `finish`
        makes them again
    check : raises a `Mismatch` where parts do not fit together in ways that no shape tells
    finish : makes what follows from the rest
    formerly : names that parts of the state had in older files, and what they are called now
    foreign : whether the class is scikit-learn's, which may have further attributes
    """

    kind: type
    parameters: dict[str, Declaration]
    state: dict[str, Declaration]
    optional: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    check: Callable[[Any, Sizes], None] | None = None
    finish: Callable[[Any], None] | None = None
    formerly: dict[str, str] = field(default_factory=dict)
    foreign: bool = False


# Modules of `states`, and the classes that each of them declares.
_HOMES = {
    "auto_states": ("SimilarityClassifier",),
    "boosted_states": ("BoostedTreesClassifier", "HistGradientBoostingClassifier"),
    "gaussian_states": (
        "IndefiniteFisherClassifier",
        "LocalBDAClassifier",
        "LocalNearestMeansClassifier",
        "NormalClassifier",
    ),
    "machine_states": (
        "LPMachineClassifier",
        "LocalSVC",
        "PotentialSVC",
        "RobustSVC",
        "SimilaritySVC",
    ),
    "neighbor_states": ("NeighborsClassifier",),
    "pair_states": ("DBoostClassifier", "DissimilarityVoteClassifier"),
    "pipeline_states": ("Pipeline",),
    "sda_states": ("LocalSDAClassifier", "MixtureSDAClassifier", "SDAClassifier"),
    "sklearn_states": ("LinearDiscriminantAnalysis", "LogisticRegression", "SVC", "StandardScaler"),
    "source_states": (
        "BlockNeighbors",
        "FusedNeighborsClassifier",
        "FusionClassifier",
        "ProximityForestClassifier",
        "TableNeighbors",
    ),
    "transformer_states": (
        "DissimilarityToSimilarity",
        "GaussianSimilarity",
        "NystromFeatures",
        "PairwiseSimilarity",
        "PrototypeFeatures",
        "PseudoEuclideanEmbedding",
        "RowRBFSimilarity",
        "SimilaritySources",
    ),
}


class Table:
    """All classes that a model file may name: nothing else is ever looked up or imported.

    What declares a class is imported when a file names it, so that reading a model does not
    wait for the other methods.
    """

    def __init__(self) -> None:
        self._homes = {name: home for home, names in _HOMES.items() for name in names}
        self._entered: dict[str, Stored] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._homes

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __getitem__(self, name: str) -> Stored:
        import_module(f"{__package__}.states.{self._homes[name]}")
        return self._entered[name]

    def add(self, stored: Stored) -> None:
        """Enter a class under its own name."""
        self._entered[stored.kind.__name__] = stored

    @property
    def layout(self) -> str:
        """A word for what files hold: another one as soon as a class stores something else."""
        classes = {name: self[name] for name in self}
        held = {
            name: [sorted(one.parameters), sorted(one.state), sorted(one.optional)]
            for name, one in classes.items()
        }
        return sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()[:16]


TABLE = Table()


@dataclass(frozen=True)
class Part(Declaration):
    """An estimator of the table, or only of some classes of it; `fitted` or not."""

    names: tuple[str, ...] = ()
    fitted: bool = True
    table: Table = field(default_factory=lambda: TABLE)

    def write(self, value: Any, members: Members) -> Any:  # noqa: D102
        name = type(value).__name__
        stored = self.table[name] if name in self.table else None
        if stored is None or type(value) is not stored.kind:
            raise Mismatch(
                f"is a {name}, of which nothing declares how it is stored; "
                "joblib.dump keeps any class, to be loaded by you alone"
            )
        parameters, state = _dismantled(value, stored)
        try:
            return {
                "class": name,
                "parameters": write_fields(stored.parameters, parameters, members),
                "state": write_fields(stored.state, state, members) if self.fitted else None,
            }
        except Mismatch as mismatch:
            raise Mismatch(f"of {name}: {mismatch}") from None

    def read(self, stored: Any, sizes: Sizes, members: Members) -> Any:  # noqa: D102
        require(isinstance(stored, dict) and set(stored) == KEYS, stored)
        name = stored["class"]
        if not isinstance(name, str) or name not in self.table:
            raise Mismatch(f"is {told(name)}, which is no class of a model")
        require(not self.names or name in self.names, name)
        try:
            return self._restored(self.table[name], stored, members)
        except Mismatch as mismatch:
            raise Mismatch(f"of {name}: {mismatch}") from None

    def _restored(self, declared: Stored, stored: Any, members: Members) -> Any:
        sizes = Sizes()
        state: dict[str, Any] = {}
        if self.fitted:
            # Read first: it decides the sizes that bound parameters such as n_neighbors.
            known = _under_new_names(stored["state"], declared.formerly)
            state = read_fields(declared.state, known, sizes, members, declared.optional)
        estimator = declared.kind(
            **read_fields(declared.parameters, stored["parameters"], sizes, members)
        )
        vars(estimator).update(state)
        if self.fitted and declared.check is not None:
            declared.check(estimator, sizes)
        if self.fitted and declared.finish is not None:
            declared.finish(estimator)
        return estimator


KEYS = {"class", "parameters", "state"}
"""What a file holds of every estimator."""


def _under_new_names(state: Any, formerly: dict[str, str]) -> Any:
    if not isinstance(state, dict):
        return state
    return {formerly.get(name, name): value for name, value in state.items()}


def _dismantled(value: Any, stored: Stored) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters and state of an estimator; of a foreign one, what is declared."""
    parameters = value.get_params(deep=False)
    state = value.__getstate__()  # without what a class itself leaves out of files
    state = {n: v for n, v in state.items() if n not in {*parameters, *IGNORED}}
    if stored.foreign:
        parameters = {n: v for n, v in parameters.items() if n in stored.parameters}
        state = {n: v for n, v in state.items() if n in stored.state}
    return parameters, {n: v for n, v in state.items() if n not in stored.left_out}
