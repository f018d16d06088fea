"""The one list of methods: name → estimator, and the parameters tried in cross-validation.

A family of methods is a module of `similearn.experiments.families` with a tuple
``METHODS``; naming it and them in `_FAMILIES`, from which a family is loaded when one of its
methods is asked for, is all that the command line and the comparisons need.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Literal

from similearn.data import Pairwise, Sources
from similearn.errors import InputError, InputTypeError

_FAMILIES = {
    "auto": ("auto",),
    "neighbors": (
        "knn",
        "affinity-knn",
        "krr-knn",
        "kri-knn",
        "lime-knn",
        "rbf-sim-knn",
    ),
    "machines": (
        "svm-clip",
        "svm-flip",
        "svm-shift",
        "svm-square",
        "krein-svm",
        "svm-knn",
        "svm-knn-flip",
        "svm-knn-shift",
        "robust-svm",
        "pseudo-euclidean-lda",
        "indefinite-fisher",
    ),
    "features": (
        "features-linear-svm",
        "features-rbf-svm",
        "psvm",
        "lp-machine",
        "lsvm",
        "rlnc",
        "rqnc",
        "features-logistic",
        "features-boosting",
    ),
    "sda": (
        "sda",
        "local-sda",
        "local-sda-joint",
        "local-sda-marginal",
        "local-sda-global-rate",
        "local-sda-average-rate",
        "local-sda-mean",
        "local-sda-histogram",
        "local-sda-adaptive",
        "local-sda-dirichlet",
        "mixture-sda",
    ),
    "combine": (
        "local-bda",
        "local-means",
        "fusion",
        "fused-knn",
    ),
    "pairs": (
        "dboost",
        "dboost-few",
        "dboost-tree",
        "pair-vote",
        "proximity-forest",
    ),
}
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
    for family in _FAMILIES:
        _load(family)
    listed = [name for names in _FAMILIES.values() for name in names]
    place = {name: i for i, name in enumerate(listed)}
    return sorted(_METHODS.values(), key=lambda method: place.get(method.name, len(place)))


def known_method(name: str) -> Method | None:
    """Find a method by its name; None if there is none."""
    for family, names in _FAMILIES.items():
        if name in names:
            _load(family)
    return _METHODS.get(name)


def get_method(name: str) -> Method:
    """Find a method by its name, or say which may be meant."""
    if not isinstance(name, str):
        raise InputTypeError(
            f"A method is named {name!r}; expected a word. `similearn methods` lists them all."
        )
    found = known_method(name)
    if found is not None:
        return found
    known = ", ".join(method.name for method in methods())
    near = _near_names(name)
    hint = f"Did you mean {' or '.join(near)}?" if near else f"There are {known}."
    raise InputError(f"No method is named {name!r}. {hint} `similearn methods` lists them all.")


def _near_names(name: str) -> list[str]:
    """Methods that may be meant: other words for the same, then those spelled alike."""
    plain = name.strip().lower().replace("_", "-").replace(" ", "-")
    if plain in _METHODS:
        return [plain]
    known = _ALSO_CALLED.get(plain.replace("-", ""))
    if known:
        return [known]
    words = sorted(plain.split("-"))
    same = [method for method in _METHODS if sorted(method.split("-")) == words]
    return same or get_close_matches(plain, _METHODS, n=3, cutoff=0.5)


def input_of(method: Method, X: Any) -> Any:
    """Return the data as the method takes them; similarities serve as features too."""
    X = seen_by(method, X)
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


def seen_by(method: Method, X: Any) -> Any:
    """Return the one source that the method sees, or all that there is."""
    return X[method.only] if method.only is not None and isinstance(X, Sources) else X


def kind_of(X: Any) -> str:
    """Kind of a block, or of the block among sources; "features" where there is none."""
    block = X.get("pairs") if isinstance(X, Sources) else X
    return block.kind if isinstance(block, Pairwise) else "features"


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


def _load(family: str) -> None:
    """Register what a family holds, once."""
    for method in import_module(f"similearn.experiments.families.{family}").METHODS:
        _METHODS.setdefault(method.name, method)
