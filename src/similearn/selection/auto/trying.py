"""Every member on the same folds: held-out scores, the best point, its calibration."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from similearn.data.chunks import n_workers, run_tasks
from similearn.data.spread.clusters import active_cluster
from similearn.errors import SimilearnError
from similearn.estimators.shell.threads import one_blas_thread
from similearn.numerics.scores.calibration import (
    SPREAD,
    Calibration,
    best_calibration,
    evidence_of,
)
from similearn.selection.auto.folding import scored_samples
from similearn.selection.auto.portfolio import Member
from similearn.selection.auto.sharing import SharedInput, SharedTables
from similearn.selection.candidates import grouped_by_fit, seeded
from similearn.selection.paths import Path

MOST_CALIBRATED = 8
"""Points of one member that are calibrated before the best of them is taken."""


@dataclass(frozen=True, eq=False)
class Tried:
    """What is known of a member after all folds.

    Parameters
    ----------
    member, source : which method, on which source
    parameters : those chosen
    calibration : learned from held-out scores
    held_out : (n, n_classes), probabilities of held-out samples
    truth : (n,), their classes
    right : (n,), whether the largest score was theirs
    seconds : processor time of the search
    errors : of all points of the grid on held-out samples: their parameters and the error
    weights : (n,), how much each held-out sample counts, one on average; None if all count alike
    failure : why it is left out, or None
    """

    member: Member
    source: str
    parameters: dict[str, Any]
    calibration: Calibration | None
    held_out: np.ndarray | None
    truth: np.ndarray | None
    right: np.ndarray | None
    seconds: float
    failure: str | None = None
    errors: tuple[tuple[dict[str, Any], float], ...] = ()
    weights: np.ndarray | None = None

    @property
    def own(self) -> np.ndarray:
        """Probabilities (n,) of the true classes of held-out samples."""
        assert self.held_out is not None and self.truth is not None  # it has not failed
        own: np.ndarray = self.held_out[np.arange(len(self.truth)), self.truth]
        return own


def failed(member: Member, source: str, reason: str, seconds: float = 0.0) -> Tried:
    """A member that is left out."""
    return Tried(member, source, {}, None, None, None, None, seconds, reason)


def candidates_of(member: Member, n_training: int, unit: float = 1.0) -> list[dict[str, Any]]:
    """All points of a member's grid, for similarities of a unit.

    Neighbours and prototypes are no more than training samples.
    """
    grid = {
        name: list(dict.fromkeys(min(v, n_training) for v in values))
        if name.endswith(("n_neighbors", "n_prototypes"))
        else [_measured(v, unit, member.powers.get(name, 0)) for v in values]
        for name, values in member.grid.items()
    }
    from sklearn.model_selection import ParameterGrid

    return list(ParameterGrid(grid))


def _measured(value: Any, unit: float, power: int) -> Any:
    """A parameter times unit**power to ten digits, within what is a number and has a reciprocal."""
    if unit == 1.0 or power == 0:
        return value
    with np.errstate(over="ignore", under="ignore"):
        measured = np.clip(np.float64(value) * np.float64(unit) ** power, 1e-300, 1e300)
        return float(f"{measured:.10g}")  # 10 * 0.8 is 8


def held_out_evidence(
    member: Member, shared: SharedInput, codes: np.ndarray, n_classes: int, points: Any, seed: int
) -> np.ndarray:
    """Evidence (n_points, m, n_classes) of all points of a grid for the queries of one fold."""
    train, queries = shared[member.takes]
    found = np.empty((len(points), len(queries), n_classes))
    estimator = seeded(member.build(train.kind), seed)
    for fixed, positions in grouped_by_fit(points, Path.of(estimator).names):
        path = Path.of(clone(estimator).set_params(**fixed))
        group = [points[p] for p in positions]
        (scores,), _ = path.scores(group, train, codes, [queries], leave_one_out=False)
        found[positions] = evidence(path.last, scores, n_classes)
    return found


def evidence(model: Any, scores: np.ndarray, n_classes: int) -> np.ndarray:
    """Finite evidence (..., n_classes) of a classifier's own scores; it may know fewer classes."""
    shares = model._link == "shares"
    complete = np.full((*scores.shape[:-1], n_classes), 0.0 if shares else -np.inf)
    complete[..., model.classes_] = scores
    return evidence_of(complete, shares=shares)


def reason_of(error: Exception) -> str:
    """Why a member is left out, in one line."""
    told = " ".join(str(error).split())
    ours = isinstance(error, SimilearnError) and told
    return told if ours else f"{type(error).__name__}: {told}".removesuffix(": ")


class OutOfTimeError(Exception):
    """The clock ran out between two folds."""


class _Outcome:
    """Held-out evidence of all candidates of one member, filled fold by fold."""

    def __init__(self, n_candidates: int, n: int, n_classes: int) -> None:
        self.evidence = np.zeros((n_candidates, n, n_classes))
        self.seconds = 0.0
        self.failure: str | None = None

    def fill(
        self, member: Member, shared: SharedInput, codes: Any, held_out: Any, points: Any, seed: int
    ) -> None:
        """Score the held-out samples of one fold; a failure is kept, not raised."""
        start = time.thread_time()
        n_classes = self.evidence.shape[2]
        try:
            found = held_out_evidence(member, shared, codes, n_classes, points, seed)
            self.evidence[:, held_out] = found
        except Exception as error:  # whatever ails one member, the others go on
            self.failure = reason_of(error)
        self.seconds += time.thread_time() - start

    def take(self, evidence: Any, seconds: float, failure: str | None, held_out: Any) -> None:
        """Enter what a worker of a cluster found of the held-out samples of one fold."""
        self.evidence[:, held_out] = evidence
        self.seconds += seconds
        self.failure = self.failure or failure

    def failed(self, reason: str) -> "_Outcome":
        """Mark a member that was not tried to the end."""
        self.failure = self.failure or reason
        return self

    def tried(
        self, member: Member, source: str, points: Any, codes: Any, scored: Any, weights: Any
    ) -> Tried:
        """Choose the best point, and calibrate it."""
        if self.failure is not None:
            return failed(member, source, self.failure, self.seconds)
        start = time.thread_time()
        evidence, truth = self.evidence[:, scored], codes[scored]
        priors = np.bincount(codes, weights, minlength=evidence.shape[2]) / len(codes)
        weights = None if weights is None else weights[scored] / weights[scored].mean()
        best, calibration = chosen_point(evidence, truth, priors, weights)
        held_out = calibration.probabilities(evidence[best], priors)
        right = evidence.argmax(axis=2) == truth
        errors = tuple(zip(points, (1.0 - right.mean(axis=1)).tolist(), strict=True))
        seconds = self.seconds + time.thread_time() - start
        found = (points[best], calibration, held_out, truth, right[best], seconds)
        return Tried(member, source, *found, errors=errors, weights=weights)


def most_neighbors(members: list[Member]) -> int:
    """The largest neighbourhood that any of the members asks for."""
    return max((max(member.grid.get("n_neighbors", (0,))) for member in members), default=0)


class Clock:
    """Tells when the time limit, if there is one, is reached; `stopped` whether it ever told so."""

    def __init__(self, time_limit: float | None) -> None:
        self.begun = now()
        self.time_limit = time_limit
        self.runs = True
        self.stopped = False

    @property
    def limit_passed(self) -> bool:
        """Whether the limit, if there is one, has passed, whether it counts yet or not."""
        return self.time_limit is not None and now() - self.begun > self.time_limit

    def is_over(self) -> bool:
        """Whether the time is up."""
        over = self.runs and self.limit_passed
        self.stopped |= over
        return over


def now() -> float:
    """Seconds on the wall."""
    return time.perf_counter()


def chosen_point(
    evidence: np.ndarray, codes: np.ndarray, priors: np.ndarray, weights: np.ndarray | None = None
) -> tuple[int, Calibration]:
    """The candidate of lowest log-loss among those whose error is within one standard error.

    Log-loss alone prefers, where samples are few, a cautious candidate that errs more; error
    alone cannot tell many candidates apart. No more than `MOST_CALIBRATED` are calibrated: those of
    the lowest errors, of equal ones the first of the grid. (The lowest log-losses of equal ones
    changed means over twelve sets by 0.0005, for the worse.)
    """
    accuracy = np.average(evidence.argmax(axis=2) == codes, axis=1, weights=weights)
    best = accuracy.max()
    slack = np.sqrt(best * (1.0 - best) / len(codes)) + 1e-12
    near = np.flatnonzero(accuracy >= best - slack)
    near = near[np.argsort(-accuracy[near], kind="stable")][:MOST_CALIBRATED]
    calibrations = [
        best_calibration(evidence[i], codes, priors, weights, spread=SPREAD) for i in near
    ]
    own = [
        calibration.probabilities(evidence[i], priors)[np.arange(len(codes)), codes]
        for i, calibration in zip(near, calibrations, strict=True)
    ]
    lowest = int(np.argmin([np.average(-np.log(p), weights=weights) for p in own]))
    return int(near[lowest]), calibrations[lowest]


def all_tried(
    X: Any, codes: np.ndarray, stages: dict[str, list[list[Member]]], folds: Any, *, seed: int,
    clock: Clock,
    n_jobs: int | None = None, advance: Any = None, weights: np.ndarray | None = None,
) -> Iterator[Tried]:  # fmt: skip
    """Yield what is known of every member on every source, as soon as all folds are done.

    Parameters
    ----------
    X : `similearn.selection.auto.named_blocks.Blocks` of training samples
    codes : (n,) classes
    stages : by source, members, those together that share work
    folds : list of (training, held-out) positions
    seed : for members that draw at random
    clock : no fold is begun after its end
    n_jobs : folds at once, in threads
    advance : called with 1 after each fold of a stage
    weights : (n,) how much each sample counts where points are chosen and calibrated
    """
    tables: dict[str, list[SharedTables]] = {source: [{} for _ in folds] for source in X}
    most = most_neighbors([m for own in stages.values() for stage in own for m in stage])
    for number, stage in enumerate(zip_longest(*(stages[source] for source in X))):
        for source, members in zip(X, stage, strict=True):
            if members is None:  # other sources have more stages
                continue
            clock.runs = number > 0  # the first stage is quick, and always done
            shared = partial(SharedInput, n_nearest=most)
            yield from _stage(
                X, source, codes, members, folds, seed, clock, n_jobs, advance, shared,
                tables[source], weights,
            )  # fmt: skip


def _stage(  # type: ignore[no-untyped-def]
    X, source, codes, members, folds, seed, clock, n_jobs, advance, shared_input, tables, weights
):  # fmt: skip
    n_classes = int(codes.max()) + 1
    smallest = min(len(train) for train, _ in folds)
    candidates = [
        candidates_of(member, smallest, X.unit(source) if member.powers else 1.0)
        for member in members
    ]
    outcomes = [_Outcome(len(c), len(codes), n_classes) for c in candidates]

    def one_fold(number):  # type: ignore[no-untyped-def]
        if clock.is_over():
            raise OutOfTimeError
        train, held_out = folds[number]
        shared = shared_input(*X.cut(source, train, held_out), tables=tables[number])
        with one_blas_thread():  # each thread has a number of its own, with some libraries
            for member, points, outcome in zip(members, candidates, outcomes, strict=True):
                if outcome.failure is None:
                    outcome.fill(member, shared, codes[train], held_out, points, seed)
        shared.close()
        if advance is not None:
            advance(1)

    def folds_there():  # type: ignore[no-untyped-def]
        works = ((source, members, candidates, codes, fold, seed, shared_input) for fold in folds)
        for done, (number, found) in enumerate(run_tasks(_fold_there, X, works), start=1):
            for outcome, part in zip(outcomes, found, strict=True):
                outcome.take(*part, folds[number][1])
            if advance is not None:
                advance(1)
            if done < len(folds) and clock.is_over():
                raise OutOfTimeError

    try:
        if active_cluster() is not None:
            folds_there()
        else:
            Parallel(n_jobs=n_workers(n_jobs), prefer="threads", require="sharedmem")(
                delayed(one_fold)(number) for number in range(len(folds))
            )
    except OutOfTimeError:
        reason = f"the time limit of {clock.time_limit:g} s came first"
        outcomes = [outcome.failed(reason) for outcome in outcomes]
    scored = scored_samples(folds)
    for member, points, outcome in zip(members, candidates, outcomes, strict=True):
        try:
            found = outcome.tried(member, source, points, codes, scored, weights)
        except Exception as error:  # as in a fold: memory may run out here, too
            found = failed(member, source, reason_of(error), outcome.seconds)
        yield found


def _fold_there(  # type: ignore[no-untyped-def]
    X, source, members, candidates, codes, fold, seed, shared_input
):
    """All members on one fold, by a worker of a cluster: evidence, seconds, failure of each."""
    train, held_out = fold
    n_classes, found = int(codes.max()) + 1, []
    shared = shared_input(*X.cut(source, train, held_out), tables={})
    for member, points in zip(members, candidates, strict=True):
        outcome = _Outcome(len(points), len(codes), n_classes)
        outcome.fill(member, shared, codes[train], held_out, points, seed)
        found.append((outcome.evidence[:, held_out], outcome.seconds, outcome.failure))
    shared.close()
    return found
