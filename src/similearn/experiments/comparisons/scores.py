"""Scores of decisions and of probabilities, and what parameters are chosen by."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from similearn.errors import InputError
from similearn.estimators.shell.parameters import require_costs
from similearn.selection.held_out import mean_log_loss

__all__ = ["Scoring", "balanced_error", "brier_score", "mean_cost", "mean_log_loss"]

SCORINGS = ("error", "log-loss", "balanced-error", "cost")

Floats = NDArray[np.float64]


def brier_score(
    probabilities: Floats | None, classes: NDArray[Any], y: NDArray[Any]
) -> float | None:
    """Mean of Σ_g (P(g) - [g is true])², between 0 and 2; None without probabilities."""
    if probabilities is None:
        return None
    truth = _truth(classes, y)
    unseen = 1.0 - truth.sum(axis=1)  # a class that was not there to be learned is missed
    return float((((probabilities - truth) ** 2).sum(axis=1) + unseen).mean())


def _truth(classes: NDArray[Any], y: NDArray[Any]) -> Floats:
    """(m, G) indicators of the true class; zero rows for classes never seen."""
    return (np.asarray(y)[:, None] == classes[None]).astype(np.float64)


def balanced_error(predicted: NDArray[Any], y: NDArray[Any]) -> float:
    """Share of mistakes in each class, averaged over the classes that there are."""
    y = np.asarray(y)
    return float(np.mean([np.mean(predicted[y == label] != label) for label in np.unique(y)]))


def mean_cost(predicted: NDArray[Any], classes: NDArray[Any], y: NDArray[Any], costs: Any) -> float:
    """Mean of C(decided, true); a class that was not there to be learned costs the most."""
    matrix = require_costs(costs, classes, np.full(len(classes), 1.0 / len(classes)))
    places = {label: i for i, label in enumerate(classes.tolist())}
    most = float(matrix.max())
    pairs = zip(predicted.tolist(), np.asarray(y).tolist(), strict=True)
    each = [matrix[places[d], places[t]] if t in places else most for d, t in pairs]
    return float(np.mean(each))


@dataclass(frozen=True)
class Scoring:
    """What parameters are chosen by, and what mistakes cost.

    Parameters
    ----------
    name : "error", "log-loss", "balanced-error" or "cost"
    costs : as the parameter of classifiers; decisions then minimize the expected cost
    """

    name: str = "error"
    costs: Any = None

    def __post_init__(self) -> None:
        if self.name not in SCORINGS:
            known = ", ".join(map(repr, SCORINGS))
            raise InputError(f"scoring={self.name!r} is unknown; expected one of {known}.")
        if self.name == "cost" and self.costs is None:
            raise InputError("scoring='cost' needs costs; without them every mistake costs one.")

    @property
    def is_usual(self) -> bool:
        """Whether parameters are chosen by the error, and every mistake costs the same."""
        return self.name == "error" and self.costs is None

    def scorer(self) -> Any:
        """What `PathSearchCV` takes as ``scoring``: the larger, the better."""
        return None if self.name == "error" else self._score

    def _score(self, model: Any, X: Any, y: Any) -> float:
        if self.name == "log-loss":
            if not hasattr(model, "predict_proba"):
                raise InputError(
                    "The method gives no probabilities, so that log-loss cannot choose its "
                    "parameters; choose another scoring."
                )
            return -float(mean_log_loss(model.predict_proba(X), model.classes_, y) or 0.0)
        predicted = model.predict(X)
        if self.name == "balanced-error":
            return -balanced_error(predicted, y)
        return -mean_cost(predicted, model.classes_, y, self.costs)


USUAL = Scoring()
