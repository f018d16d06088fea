"""The one list of methods: name → estimator, and the parameters tried in cross-validation.

A family of methods is a module of `similearn.experiments.families` with a tuple
``METHODS``; naming it in `_FAMILIES` is all that the command line and the comparisons need.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Literal

from sklearn.pipeline import Pipeline

from similearn.data import Pairwise, Sources
from similearn.errors import InputError
from similearn.estimators import DissimilarityToSimilarity
from similearn.experiments.comparisons.scores import USUAL, Scoring
from similearn.experiments.comparisons.splitting import Indices, smallest_training_fold
from similearn.selection import PathSearchCV
from similearn.selection.candidates import seeded

_FAMILIES = ("auto", "neighbors", "machines", "features", "sda", "combine", "pairs")
_METHODS: dict[str, "Method"] = {}
OF_SEVERAL = ("auto", "fused-knn")
"""Methods that take any number of sources."""
_ALSO_CALLED = {
    "knearestneighbors": "knn",
    "knearestneighbours": "knn",
    "kneighborsclassifier": "knn",
    "1nn": "knn",
    "knearestneighbor": "knn",
    "knearestneighbour": "knn",
    "nearestneighbor": "knn",
    "nearestneighbors": "knn",
    "nearestneighbour": "knn",
    "nearestneighbours": "knn",
    "neighbours": "knn",
    "nn": "knn",
    "svc": "svm-clip",
    "svm": "svm-clip",
    "boosting": "dboost",
    "lda": "pseudo-euclidean-lda",
    "logistic": "features-logistic",
    "logisticregression": "features-logistic",
    "default": "auto",
    "automl": "auto",
}

# JMLR Table 2, all local methods.
NEIGHBORS = (*range(1, 17), 32, 64, 128)


def powers_of_ten(low: int, high: int) -> tuple[float, ...]:
    """10^low, ..., 10^high, as most grids of JMLR Table 2."""
    return tuple(10.0**exponent for exponent in range(low, high + 1))


@dataclass(frozen=True)
class Method:
    """One line of the papers' tables.

    Parameters
    ----------
    name : what is typed on the command line
    summary : one line for people
    source : where it is defined, such as "JMLR §5"
    family : the heading it is listed under
    build : makes the estimator for a block of the given kind. Whatever it leaves random
        is seeded by the comparison.
    grid : parameters of the estimator and the values tried; empty where nothing is chosen.
        Neighbourhoods (``n_neighbors``) larger than a training fold are cut down to the fold;
        sets of prototypes (``n_prototypes``) larger than a training fold are left out.
    needs : "block" takes a similarity or a dissimilarity as it is; "similarity" has a
        dissimilarity converted first, by an explicit step, and the tables say so;
        "sources" takes `Sources` with the block as "pairs" and its rows as "features";
        "features" takes the table of features alone.
    slow : whether choosing its parameters, or compiling it, takes so long that `similearn demo`
        leaves it out unless asked.
    only : of `Sources`, the one that it sees; None for all
    """

    name: str
    summary: str
    source: str
    family: str
    build: Callable[[str], Any]
    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    needs: Literal["block", "similarity", "sources", "features"] = "block"
    slow: bool = False
    only: str | None = None

    def converts(self, kind: str) -> bool:
        """Whether a block of this kind is turned into similarities first."""
        return self.needs == "similarity" and kind == "dissimilarity"


def register(method: Method) -> Method:
    """Add a method to the list and return it."""
    if method.name in _METHODS:
        raise InputError(f"A method named {method.name!r} is registered already; choose a name.")
    _METHODS[method.name] = method
    return method


def methods() -> list[Method]:
    """All methods, family by family."""
    _load_families()
    return list(_METHODS.values())


def known_method(name: str) -> Method | None:
    """Find a method by its name; None if there is none."""
    _load_families()
    return _METHODS.get(name)


def get_method(name: str) -> Method:
    """Find a method by its name, or say which may be meant."""
    found = known_method(name)
    if found is not None:
        return found
    near = _near_names(name)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {', '.join(_METHODS)}."
    raise InputError(f"No method is named {name!r}. {hint} `similearn methods` lists them all.")


def _near_names(name: str) -> list[str]:
    """Methods that may be meant: other words for the same, then those spelled alike."""
    plain = name.strip().lower().replace("_", "-").replace(" ", "-")
    if plain in _METHODS:
        return [plain]
    known = _ALSO_CALLED.get(plain.replace("-", ""))
    return [known] if known else get_close_matches(plain, _METHODS, n=3, cutoff=0.5)


def input_of(method: Method, X: Any) -> Any:
    """Return the data as the method takes them; similarities serve as features too."""
    X = _seen(method, X)
    if method.needs == "sources":
        return X if isinstance(X, Sources) else Sources({"pairs": X, "features": _rows(X)})
    if method.needs == "features":
        return X["features"] if isinstance(X, Sources) else _rows(X)
    return X["pairs"] if isinstance(X, Sources) and "pairs" in X else X


def on_each(chosen: Sequence[Method], names: Sequence[str]) -> list[Method]:
    """Methods for `Sources`: those of several sources as they are, others on each by itself."""
    found = []
    for method in chosen:
        if method.name in OF_SEVERAL:
            found.append(method)
        elif method.needs != "sources":
            found += [replace(method, name=f"{method.name} on {n}", only=n) for n in names]
    if not found:
        raise InputError(
            f"{', '.join(one.name for one in chosen)} cannot take {', '.join(names)}; methods of "
            f"several sources are {', '.join(OF_SEVERAL)}."
        )
    return found


def _seen(method: Method, X: Any) -> Any:
    return X[method.only] if method.only is not None and isinstance(X, Sources) else X


def kind_of(X: Any) -> str:
    """Kind of a block, or of the block among sources; "features" where there is none."""
    block = X.get("pairs") if isinstance(X, Sources) else X
    return block.kind if isinstance(block, Pairwise) else "features"


def tuned(
    method: Method,
    X: Any,
    folds: list[tuple[Indices, Indices]],
    seed: int = 0,
    ties: Literal["log-loss", "simplest"] = "log-loss",
    scoring: Scoring = USUAL,
) -> Any:
    """Return an unfitted estimator that chooses its parameters by cross-validation.

    Parameters
    ----------
    method : from this registry
    X : the training data; their kind decides what is built
    folds : (training, validation) positions, see `similearn.experiments.comparisons.splitting`
    seed : for every ``random_state`` that the method leaves open
    ties : as in `PathSearchCV`; the papers know decisions only, so that their tables are
        reproduced with "simplest"
    scoring : what parameters are chosen by, and costs of mistakes; classifiers of scikit-learn
        decide without them
    """
    X = _seen(method, X)
    grid = {
        name: _trimmed(name, values, smallest_training_fold(folds))
        for name, values in method.grid.items()
    }
    if method.converts(kind_of(X)):
        converted = ("similarity", DissimilarityToSimilarity())
        estimator = Pipeline([converted, ("method", method.build("similarity"))])
        grid = {f"method__{name}": values for name, values in grid.items()}
    else:
        estimator = method.build(kind_of(X))
    estimator = _with_costs(seeded(estimator, seed), scoring.costs)
    return _search(estimator, grid, folds, ties, scoring) if grid else estimator


def _with_costs(estimator: Any, costs: Any) -> Any:
    """Set the costs of the classifier, which may be the last step of a pipeline."""
    if costs is None:
        return estimator
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    if isinstance(last, Pipeline):
        _with_costs(last, costs)
    elif "costs" in last.get_params(deep=False):
        last.set_params(costs=costs)
    return estimator


def chosen_parameters(fitted: Any) -> dict[str, Any]:
    """Parameters that cross-validation chose, by their short names where those are clear."""
    best = getattr(fitted, "best_params_", {})
    short = Counter(name.rsplit("__", 1)[-1] for name in best)
    return {
        last if short[last := name.rsplit("__", 1)[-1]] == 1 else name: value
        for name, value in best.items()
    }


def _rows(X: Any) -> Any:
    """Rows of a block as a table of features; a table as it is."""
    if not isinstance(X, Pairwise):
        return X
    return X.rows()


def _search(
    estimator: Any,
    grid: dict[str, Any],
    folds: list[tuple[Indices, Indices]],
    ties: str,
    scoring: Scoring,
) -> Any:
    """The one place that says how parameters are searched."""
    options = {"scoring": scoring.scorer(), "ties": ties}
    return PathSearchCV(estimator, grid, cv=folds, error_score="raise", **options)


def _trimmed(name: str, values: Sequence[Any], largest: int) -> list[Any]:
    """What a training part has room for; neighbourhoods up to all of it (RegSDA: min(n, 128))."""
    if name.endswith("n_neighbors"):
        return list(dict.fromkeys(min(value, largest) for value in values))
    if name.endswith("n_prototypes"):
        return [value for value in values if value <= largest]
    return list(values)


def _load_families() -> None:
    """Register what the families hold, once."""
    for family in _FAMILIES:
        for method in import_module(f"similearn.experiments.families.{family}").METHODS:
            _METHODS.setdefault(method.name, method)
