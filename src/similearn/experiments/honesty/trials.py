"""What is run for the evidence of probabilities: parts, their problems and their methods."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from similearn.errors import InputError
from similearn.estimators import NeighborsClassifier
from similearn.experiments.comparisons.forecast import slow_last
from similearn.experiments.comparisons.problems import Problem
from similearn.experiments.comparisons.reliability_bins import reliability
from similearn.experiments.comparisons.runner import Unit
from similearn.experiments.comparisons.scores import Scoring
from similearn.experiments.evidence.standing import AUTO
from similearn.experiments.honesty.altered import (
    WAYS,
    VotesWithWrongLabels,
    with_holes,
    with_rare_class,
    with_wrong_labels,
)
from similearn.experiments.honesty.further_measures import sets_of_labels, wrong_labels
from similearn.experiments.registry import Method, get_method, methods
from similearn.selection.auto.portfolio import weighing

RESULTS = "probabilities"
"""The name under which results are stored."""

PARTS = ("calibration", "sets", "wrong-labels", "imbalance", "holes")
FLIPPED = (0.02, 0.05, 0.1)
HOLES = (0.1, 0.3, 0.5)
RARE = 0.04
BALANCED = ", balanced"
SET_METHOD = Method(
    "sets",
    "conformal sets of five nearest neighbours",
    "",
    "",
    lambda kind: NeighborsClassifier(kind=kind, calibration="none"),
)
_WEIGHED = ("knn", "krr-knn", "indefinite-fisher", "svm-clip", "svm-knn")
_HOLED = {"fill": ("knn", "svm-clip"), "zero": ("knn", "svm-clip"), "unknown": ("knn",)}
_FEW_OF_MANY = ("protein-fold-blosum62",)  # most of its 27 classes are below 5 %


def units_of(
    problems: Sequence[Problem], n_splits: int, names: Sequence[str] | None, seed: int
) -> list[Unit]:
    """All units: set after set, partition after partition.

    Parameters
    ----------
    problems : of the sets, in the order in which they are worked on
    n_splits : how many partitions of each
    names : parts that are wanted, or methods of the part "calibration"; None for all parts
    seed : which partitions are drawn
    """
    known = {method.name: method for method in with_probabilities()}
    unknown = [name for name in names or () if name not in known and name not in PARTS]
    if unknown:
        raise InputError(
            f"There is no part or method {unknown[0]!r}. There are the parts {', '.join(PARTS)} "
            f"and the methods {', '.join(known)}."
        )
    parts = [name for name in names or PARTS if name in PARTS]
    chosen = [known[name] for name in names or () if name in known]
    if "calibration" in parts:
        chosen = list(known.values())
    made = {"calibration": _before(slow_last(chosen))} if chosen else {}
    made |= {part: _MAKERS[part] for part in parts if part in _MAKERS}
    return [
        unit
        for make in made.values()
        for problem in problems
        for number in range(n_splits)
        for unit in make(problem, seed, number)
    ]


def with_probabilities() -> list[Method]:
    """All registered methods that have probabilities."""
    return [one for one in methods() if hasattr(one.build("similarity"), "predict_proba")]


def uncalibrated(build: Callable[[str], Any], kind: str) -> Any:
    """Build a method without calibration where its own scores are probabilities.

    Machines have none of their own: they are calibrated before and after.
    """
    estimator = build(kind)
    parameters = estimator.get_params()
    owners = {
        name: parameters[name.rsplit("__", 1)[0]] if "__" in name else estimator
        for name, value in parameters.items()
        if name.rsplit("__", 1)[-1] == "calibration" and value == "temperature"
    }
    natural = [name for name, owner in owners.items() if owner._natural]
    return estimator.set_params(**dict.fromkeys(natural, "none"))


def calibrated_since() -> set[str]:
    """Names of methods that have probabilities of their own, which calibration changes."""
    return {
        method.name
        for method in with_probabilities()
        if _calibrations(method.build("similarity"))
        != _calibrations(uncalibrated(method.build, "similarity"))
    }


def _calibrations(estimator: Any) -> dict[str, Any]:
    return {n: v for n, v in estimator.get_params().items() if n.endswith("calibration")}


def _before(chosen: Sequence[Method]) -> Callable[[Problem, int, int], Iterator[Unit]]:
    """What there was before calibration; what there is after it is run for the default's page."""

    def make(problem: Problem, seed: int, number: int) -> Iterator[Unit]:
        for method in chosen:
            if method.name != AUTO:  # it has calibrated what it combines all along
                old = replace(method, build=partial(uncalibrated, method.build))
                # As a unit of a table it takes the simplest of equally accurate parameters.
                yield Unit(problem, old, seed, number, RESULTS, part="before", also=reliability)

    return make


def _sets(problem: Problem, seed: int, number: int) -> Iterator[Unit]:
    yield Unit(problem, SET_METHOD, seed, number, part="sets", also=sets_of_labels)


def _wrong_labels(problem: Problem, seed: int, number: int) -> Iterator[Unit]:
    for share in FLIPPED:
        if problem.name in ("voting", "protein-true"):
            spoiled: Problem = with_wrong_labels(problem, share)
        elif problem.name == "voting-strict":
            spoiled = VotesWithWrongLabels(share)
        else:
            return
        auto = get_method(AUTO)
        yield Unit(spoiled, auto, seed, number, part="wrong-labels", also=wrong_labels)


def _imbalance(problem: Problem, seed: int, number: int) -> Iterator[Unit]:
    if problem.name in ("voting", "protein-true"):
        problem = with_rare_class(problem, RARE)
    elif problem.name not in _FEW_OF_MANY:
        return
    scoring = Scoring("balanced-error")
    for method in map(get_method, _WEIGHED):
        for ending, weights in (("", None), (BALANCED, "balanced")):
            build = partial(_weighed, method.build, weights)
            one = replace(method, name=method.name + ending, build=build)
            yield Unit(problem, one, seed, number, scoring=scoring, part="imbalance")


def _weighed(build: Callable[[str], Any], class_weight: Any, kind: str) -> Any:
    """Decisions are the same without a calibration, which would take most of the time."""
    return weighing(build(kind), class_weight).set_params(calibration="none")


def _holes(problem: Any, seed: int, number: int) -> Iterator[Unit]:
    if problem.name not in ("aural-sonar", "voting"):
        return
    for method in map(get_method, ("knn", "svm-clip")):
        yield Unit(problem, method, seed, number, part="holes")
        for share in HOLES:
            for way in WAYS:
                if method.name in _HOLED[way]:
                    spoiled = with_holes(problem, share, way)
                    yield Unit(spoiled, method, seed, number, part="holes")


_MAKERS = {
    "sets": _sets,
    "wrong-labels": _wrong_labels,
    "imbalance": _imbalance,
    "holes": _holes,
}
