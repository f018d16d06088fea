"""Members of the combination, fitted to all training samples."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from similearn.errors import InputError
from similearn.estimators import DissimilarityToSimilarity, NeighborsClassifier
from similearn.estimators.shell.threads import one_blas_thread
from similearn.numerics.scores.calibration import SPREAD, Calibration, best_calibration
from similearn.numerics.scores.decide import normalized
from similearn.numerics.scores.ensemble import mixture_weights
from similearn.selection.auto.inputs import ONLY
from similearn.selection.auto.portfolio import weighing
from similearn.selection.auto.sharing import SharedInput, SharedQueries
from similearn.selection.auto.trying import Tried, evidence, reason_of
from similearn.selection.candidates import seeded, with_few_samples
from similearn.selection.paths import Path, named_steps

INTERRUPTED = "the search was interrupted first"
LEAST_WEIGHT = 0.02
"""Members of less weight are dropped: they would cost more than they change."""


@dataclass(frozen=True, eq=False)
class FittedMember:
    """A fitted method, what is done to its input before, and to its scores after.

    Parameters
    ----------
    name, source : which method, on which source
    steps : names and estimators, fitted to integer classes: transformers and a classifier
    conversion : from dissimilarities to similarities, or None
    calibration : from scores to probabilities
    """

    name: str
    source: str
    steps: list[tuple[str, Any]]
    conversion: DissimilarityToSimilarity | None
    calibration: Calibration

    @classmethod
    def of(cls, tried: Tried, shared: SharedInput, codes: np.ndarray, seed: int) -> "FittedMember":
        """Fit a member with its chosen parameters to all training samples."""
        calibration = tried.calibration
        assert calibration is not None  # only members without a failure are fitted
        (block,) = shared[tried.member.takes]
        conversion = shared.conversion if tried.member.takes == "similarity" else None
        estimator = seeded(tried.member.build(block.kind), seed)
        Path.of(estimator.set_params(**tried.parameters)).fit(block, codes)
        steps = named_steps(estimator)
        return cls(tried.member.name, tried.source, steps, conversion, calibration)

    def refitted(
        self, shared: SharedInput, codes: np.ndarray, class_weight: Any = None
    ) -> "FittedMember":
        """The same method, parameters and calibration, fitted to other samples."""
        converts = self.conversion is not None
        (block,) = shared["similarity" if converts else "block"]
        estimator = weighing(clone(self.estimator), class_weight)
        estimator = with_few_samples(estimator, len(codes)).fit(block, codes)
        conversion = shared.conversion if converts else None
        return replace(self, steps=named_steps(estimator), conversion=conversion)

    def evidence(self, X: SharedQueries, n_classes: int) -> np.ndarray:
        """Evidence (m, n_classes), of which `calibration` makes probabilities."""
        path = Path.along(self.steps)
        block, last = path.transformed(self._input(X)), path.last
        return evidence(last, last._all_scores(last._queries(block)), n_classes)

    @property
    def estimator(self) -> Any:
        """The classifier; where transformers come before it, a pipeline of the fitted steps."""
        if len(self.steps) == 1:
            return self.steps[0][1]
        from sklearn.pipeline import Pipeline

        return Pipeline(self.steps)

    @property
    def told(self) -> str:
        """Its name for people."""
        return self.name if self.source == ONLY else f"{self.name} of {self.source}"

    @property
    def n_neighbors(self) -> int:
        """How many neighbours it asks for; 0 where the method has none."""
        return getattr(self.steps[0][1], "n_neighbors", 0)

    def neighbor_shares(self, X: SharedQueries) -> tuple[np.ndarray, np.ndarray]:
        """Neighbours (m, k) and their shares of the votes; k is 0 where they do not vote.

        A negative weight is a vote against the own class: such a neighbour supports nothing.
        """
        if not isinstance(self.steps[0][1], NeighborsClassifier):
            return np.zeros((len(X), 0), dtype=np.intp), np.zeros((len(X), 0))
        found = self.estimator._explain(self.estimator._queries(self._input(X)))
        return found["neighbors"], normalized(np.maximum(found["weights"], 0.0))

    def _input(self, X: SharedQueries) -> Any:
        """The queries as the estimator takes them."""
        take = X.searched if self.n_neighbors else X.of
        return take(self.source, self.conversion)


def member_probabilities(
    members: list[FittedMember], X: SharedQueries, priors: np.ndarray
) -> np.ndarray:
    """Calibrated probabilities (n_members, m, n_classes)."""
    found = np.stack([member.evidence(X, len(priors)) for member in members])
    numbers: Any = np.array([member.calibration for member in members])[:, :, None, None]
    # All at once: of one query, calls take longer than what they work out.
    together = Calibration(*np.moveaxis(numbers, 1, 0))
    return together.probabilities(found, priors)


def fitted_combination(
    tried: list[Tried], X: Any, codes: np.ndarray, seed: int
) -> tuple[list[Tried], list[FittedMember | None], np.ndarray]:
    """Weigh what was tried, and fit what has a weight to all training samples.

    A member that fails now, as memory may run out with all samples, is left out like one that
    failed before, and the others are weighed anew.

    Returns
    -------
    tried : with the failures, fitted members (None without a weight), and weights (n_tried,)
    """
    shared = {source: SharedInput(X[source]) for source in X}
    members: list[FittedMember | None] = [None] * len(tried)
    failures: dict[int, str] = {}
    try:
        while True:
            weights = _weights(tried)
            for i in _sharing_order(tried, weights):
                source = shared[tried[i].source]
                if tried[i].member.stage != "spectrum":
                    source.close()  # eigenvectors take as much memory as the block
                try:
                    members[i] = members[i] or FittedMember.of(tried[i], source, codes, seed)
                except Exception as error:  # as in the search
                    failures[i] = reason_of(error)
                except KeyboardInterrupt:  # those that are fitted do without the others
                    if not any(members):
                        raise
                    left = {j: INTERRUPTED for j, m in enumerate(members) if m is None}
                    failures = left | failures
                    break
            if all(weights[i] == 0 for i in failures):
                kept = [m if w else None for m, w in zip(members, weights, strict=True)]
                return tried, kept, weights
            tried = [replace(t, failure=t.failure or failures.get(i)) for i, t in enumerate(tried)]
    finally:
        for source in shared.values():
            source.close()


def _weights(tried: list[Tried]) -> np.ndarray:
    """Weights (n_tried,) that sum to one; zero for failures, and for what hardly counts."""
    usable = [i for i, t in enumerate(tried) if t.failure is None]
    if not usable:
        reasons = "; ".join(f"{t.member.name}: {t.failure}" for t in tried)
        raise InputError(f"No method could be fitted. {reasons}")
    own = np.stack([tried[i].own for i in usable])
    found = mixture_weights(own, counts=tried[usable[0]].weights)
    found = np.where(found >= min(LEAST_WEIGHT, found.max()), found, 0.0)
    weights = np.zeros(len(tried))
    weights[usable] = found / found.sum()
    return weights


def mean_calibration(
    tried: list[Tried], weights: np.ndarray, priors: np.ndarray
) -> tuple[Calibration, np.ndarray, np.ndarray]:
    """Calibrate the weighted mean of the members on what they said of held-out samples.

    Returns
    -------
    calibration
    own : (n_held_out,) probabilities of the true classes by it
    right : (n_held_out,) whether these are the largest
    """
    mean: Any = 0.0
    first: Any = None
    for one, weight in zip(tried, weights, strict=True):
        if weight > 0:
            mean, first = mean + weight * one.held_out, first or one
    truth, counts = first.truth, first.weights
    scores = np.log(mean)
    # The members are log-probabilities, and smoothed, so that their mean is both.
    found = best_calibration(
        scores, truth, priors, counts, natural=True, smoothed=True, spread=SPREAD
    )
    said = found.probabilities(scores, priors)
    return found, said[np.arange(len(truth)), truth], said.argmax(axis=1) == truth


def _sharing_order(tried: list[Tried], weights: np.ndarray) -> list[int]:
    """What has a weight, members that share an eigendecomposition first."""
    kept = np.flatnonzero(weights).tolist()
    return sorted(kept, key=lambda i: tried[i].member.stage != "spectrum")


def refitted(model: Any, X: Any, y: Any) -> Any:
    """A `SimilarityClassifier` of the same members and weights, fitted to other samples.

    Nothing is chosen or calibrated anew: it costs one fit of each member. What it says of samples
    that it did not see is what the model would have said, had it not seen them, but for the
    choices, in which they took part.
    """
    new = clone(model)
    if model.comparison_ is not None:
        new.set_params(similarity=model.comparison_.function)  # what "auto" chose of all
    data, codes = new._checked_training(X, y)
    for name in ("weights_", "calibration_", "leaderboard_", "notes_"):
        setattr(new, name, getattr(model, name))
    weights, of_classes = new._weights_of_classes(codes)
    new.priors_, new.codes_ = np.bincount(codes, weights) / len(codes), codes
    data.settle()
    shared = {source: SharedInput(data[source]) for source in data}
    with one_blas_thread():
        new.members_ = [m.refitted(shared[m.source], codes, of_classes) for m in model.members_]
    for source in shared.values():
        source.close()
    return new
