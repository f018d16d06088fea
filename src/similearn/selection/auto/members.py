"""Members of the combination, fitted to all training samples."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from similearn.estimators import DissimilarityToSimilarity, NeighborsClassifier
from similearn.numerics.scores.calibration import Calibration
from similearn.numerics.scores.decide import normalized
from similearn.selection.auto.inputs import ONLY
from similearn.selection.auto.trying import Tried, evidence
from similearn.selection.candidates import seeded


@dataclass(frozen=True, eq=False)
class FittedMember:
    """A fitted method, what is done to its input before, and to its scores after.

    Parameters
    ----------
    name, source : which method, on which source
    estimator : fitted to integer classes
    conversion : from dissimilarities to similarities, or None
    calibration : from scores to probabilities
    """

    name: str
    source: str
    estimator: Any
    conversion: DissimilarityToSimilarity | None
    calibration: Calibration

    @classmethod
    def of(cls, tried: Tried, X: Any, codes: np.ndarray, seed: int) -> "FittedMember":
        """Fit a member with its chosen parameters to all training samples."""
        block, conversion, calibration = X[tried.source], None, tried.calibration
        assert calibration is not None  # only members without a failure are fitted
        if tried.member.takes == "similarity" and block.kind == "dissimilarity":
            conversion = DissimilarityToSimilarity().fit(block)
            block = conversion.transform(block)
        estimator = seeded(tried.member.build(block.kind), seed)
        estimator.set_params(**tried.parameters).fit(block, codes)
        return cls(tried.member.name, tried.source, estimator, conversion, calibration)

    def refitted(self, X: Any, codes: np.ndarray) -> "FittedMember":
        """The same method, parameters and calibration, fitted to other samples."""
        block, conversion = X[self.source], self.conversion
        if conversion is not None:
            conversion = clone(conversion).fit(block)
            block = conversion.transform(block)
        estimator = clone(self.estimator).fit(block, codes)
        return replace(self, estimator=estimator, conversion=conversion)

    def probabilities(self, X: Any, priors: np.ndarray) -> np.ndarray:
        """Calibrated probabilities (m, n_classes)."""
        block, last = self.input(X), self.estimator
        if isinstance(last, Pipeline):
            block, last = last[:-1].transform(block), last.steps[-1][1]
        scores = last._all_scores(last._queries(block))
        return self.calibration.probabilities(evidence(last, scores, len(priors)), priors)

    @property
    def told(self) -> str:
        """Its name for people."""
        return self.name if self.source == ONLY else f"{self.name} of {self.source}"

    def neighbor_shares(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Neighbours (m, k) and their shares of the votes; k is 0 where the method has none."""
        if not isinstance(self.estimator, NeighborsClassifier):
            return np.zeros((len(X), 0), dtype=np.intp), np.zeros((len(X), 0))
        found = self.estimator._explain(self.estimator._queries(self.input(X)))
        return found["neighbors"], normalized(np.abs(found["weights"]))

    def input(self, X: Any) -> Any:
        """The queries as the estimator takes them."""
        block = X[self.source]
        return block if self.conversion is None else self.conversion.transform(block)


def refitted(model: Any, X: Any, y: Any) -> Any:
    """A `SimilarityClassifier` of the same members and weights, fitted to other samples.

    Nothing is chosen or calibrated anew: it costs one fit of each member. What it says of samples
    that it did not see is what the model would have said, had it not seen them, but for the
    choices, in which they took part.
    """
    new = clone(model)
    data, codes = new._checked_training(X, y)
    for name in ("weights_", "leaderboard_", "notes_"):
        setattr(new, name, getattr(model, name))
    new.priors_, new.codes_ = np.bincount(codes) / len(codes), codes
    with threadpool_limits(1):
        new.members_ = [member.refitted(data, codes) for member in model.members_]
    return new
