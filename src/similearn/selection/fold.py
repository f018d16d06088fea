"""One fold of a search: every candidate fitted by paths where there are, and scored."""

import time
from dataclasses import dataclass, field
from numbers import Number
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import _check_method_params

from similearn.data.chunks import run_tasks
from similearn.data.spread.clusters import active_cluster
from similearn.errors import InputError, gathered_warnings
from similearn.selection.held_out import HeldOut, accuracy, log_losses, response, tally_of
from similearn.selection.paths import Path, cut, hides_reverse


@dataclass
class Outcome:
    """What became of one candidate on one fold; the scores are None where it failed."""

    fit_time: float
    score_time: float = 0.0
    test_scores: Any = None
    train_scores: Any = None
    fit_error: Exception | None = None
    score_error: str | None = None
    response: Any = None
    log_loss: float | None = None


@dataclass
class Fold:
    """Samples of one fold; with `split` None, each sample is left out in turn."""

    X: Any
    y: np.ndarray
    split: tuple[np.ndarray, np.ndarray] | None
    pairwise: bool
    score_params: dict[str, Any]
    told: list[tuple[type[Warning], str]] = field(default_factory=list)

    def __post_init__(self):
        self.leave_one_out = self.split is None
        everything = np.arange(len(self.y))
        self.train_rows, self.rows = self.split or (everything, everything)
        if self.leave_one_out:
            self.train = self.test = self.X
        else:
            self.train = self._cut(self.train_rows)
            self.test = self._cut(self.rows)
        self.known, self.truth = self.y[self.train_rows], self.y[self.rows]

    def _cut(self, rows):
        return cut(self.X, rows, self.train_rows, pairwise=self.pairwise)

    def params(self, rows):
        """Metadata for the scorer, cut like the samples."""
        return _check_method_params(self.X, self.score_params, indices=rows)


@dataclass(frozen=True)
class SomeFolds:
    """How the samples are split; see `Fold` for each field."""

    y: np.ndarray
    splits: list
    pairwise: bool
    score_params: dict[str, Any]

    def fold(self, X, number):
        """One of the folds of samples X."""
        return Fold(X, self.y, self.splits[number], self.pairwise, self.score_params)


@dataclass
class FoldSearch:
    """Scores all candidates on one fold.

    Parameters
    ----------
    estimator : what is searched
    candidates : list of dicts
    groups : list of (fixed parameters, positions of the candidates that share them)
    scorer : called with a model, samples and labels; None counts right decisions
    raises : whether the first failure is raised
    train_scores : whether training samples are scored, too
    keeps : whether responses are kept
    losses : whether log-losses are told where there are probabilities
    """

    estimator: Any
    candidates: list
    groups: list
    scorer: Any
    raises: bool
    train_scores: bool
    keeps: bool
    losses: bool

    @property
    def _uncalibrated(self):
        """Whether probabilities are not those that the models will have."""
        path = Path.of(self.estimator)
        return self.decisions_only and path is not None and bool(path.last._enough_for_decisions)

    @property
    def decisions_only(self):
        """Whether nothing but decisions is asked for."""
        return self.scorer is None and not self.keeps

    def leaves_one_out(self, X):
        """Whether each path can leave every sample of X out in turn, from one fit.

        That fit knows both directions of all pairs, and X may hide one of held-out samples.
        """
        paths = all(self._can_leave_one_out(*group) for group in self.groups)
        return paths and not (get_tags(self.estimator).input_tags.pairwise and hides_reverse(X))

    def _can_leave_one_out(self, fixed, positions):
        path = self._path(fixed, [self.candidates[position] for position in positions])
        return path is not None and not path.steps and path.last._path_leaves_one_out

    def outcomes(self, fold, advance):
        """One `Outcome` for each candidate, in their order."""
        found = [None] * len(self.candidates)
        with gathered_warnings(fold.told):
            for fixed, positions in self.groups:
                group = [self.candidates[position] for position in positions]
                outcomes = self._group(fixed, group, fold)
                for position, outcome in zip(positions, outcomes, strict=True):
                    found[position] = outcome
                advance(1)
        return found

    def _group(self, fixed, group, fold):
        """Outcomes of candidates that share a fit; if it fails, the two halves are tried."""
        start = time.perf_counter()
        try:
            path = self._path(fixed, group)
            if self._only_counts(path):
                found, seconds = self._counted(path, group, fold)
            else:
                found, seconds = self._fitted(path, group, fold)
        except Exception as error:
            if len(group) > 1:
                half = len(group) // 2
                parts = group[:half], group[half:]
                return [o for part in parts for o in self._group(fixed, part, fold)]
            if self.raises:
                raise
            return [Outcome(time.perf_counter() - start, fit_error=error)]
        outcomes = found if self._only_counts(path) else self._scored(found, fold)
        each = (time.perf_counter() - start - seconds) / len(group)
        for outcome in outcomes:
            outcome.fit_time, outcome.score_time = seconds / len(group), each
        return outcomes

    def _only_counts(self, path):
        """Whether nothing need be kept of scores but how many of each candidate are right."""
        counts = self.decisions_only and not self.train_scores
        return counts and path is not None and path.last.costs is None

    def _counted(self, path, group, fold):
        """Outcomes of the group, counted while scores are made, and the seconds of the fit."""
        losses = self.losses and not self._uncalibrated
        found, seconds = path.scores(
            group,
            fold.train,
            fold.known,
            [fold.test],
            leave_one_out=fold.leave_one_out,
            of_rows=tally_of(path.last, fold.truth, losses=losses),
        )
        means = found[0].sum(axis=1) / len(fold.truth)
        return [
            Outcome(0.0, test_scores=float(right), log_loss=None if np.isnan(lost) else float(lost))
            for right, lost in means
        ], seconds

    def _fitted(self, path, group, fold):
        """Models of the group, as (for the held-out, for the training samples), and seconds."""
        if path is None:
            return self._fitted_alone(group, fold)
        parts = [fold.test, fold.train] if self.train_scores else [fold.test]
        scores, seconds = path.scores(
            group, fold.train, fold.known, parts, leave_one_out=fold.leave_one_out
        )
        models = [
            [
                HeldOut(path.last, scores_of_part[i], part, i, lambda c=c: self._whole(c, fold))
                for part, scores_of_part in zip(parts, scores, strict=True)
            ]
            for i, c in enumerate(group)
        ]
        return models, seconds

    def _path(self, fixed, group):
        """The path that the candidates of a group share, if they have one."""
        path = Path.of(clone(self.estimator).set_params(**clone(fixed, safe=False)))
        if path is None or not all(path.names >= set(c) - set(fixed) for c in group):
            return None  # the grid put another estimator in the place of the one with a path
        if self.decisions_only:  # leave out what only probabilities need
            path.last.set_params(**path.last._enough_for_decisions)
        return path

    def _fitted_alone(self, group, fold):
        start = time.perf_counter()
        models = [[self._whole(candidate, fold)] * 2 for candidate in group]
        return models, time.perf_counter() - start

    def _whole(self, candidate, fold):
        """The model itself, where no path tells what is asked of it."""
        if fold.leave_one_out:
            raise InputError(
                "With cv='loo' no model is fitted per fold, but this scoring or grid needs one. "
                "Use cv=LeaveOneOut()."
            )
        model = clone(self.estimator).set_params(**clone(candidate, safe=False))
        return model.fit(fold.train, fold.known)

    def _scored(self, models, fold):
        outcomes = [Outcome(0.0) for _ in models]
        self._score("test_scores", outcomes, [m[0] for m in models], fold, fold.rows)
        if self.train_scores:
            self._score("train_scores", outcomes, [m[1] for m in models], fold, fold.train_rows)
        if any(outcome.score_error for outcome in outcomes):
            return outcomes  # who cannot be scored may have no answers either
        if self.keeps:
            for outcome, (model, *_) in zip(outcomes, models, strict=True):
                outcome.response = response(model, fold.test)
        if self.losses and not self._uncalibrated:
            told = log_losses([m[0] for m in models], fold.test, fold.truth)
            for outcome, loss in zip(outcomes, told, strict=True):
                outcome.log_loss = loss
        return outcomes

    def _score(self, name, outcomes, models, fold, rows):
        X, truth = (fold.test, fold.truth) if name == "test_scores" else (fold.train, fold.known)
        params = {} if self.scorer is None else fold.params(rows)
        for outcome, model in zip(outcomes, models, strict=True):
            setattr(outcome, name, self._one(outcome, model, X, truth, params))

    def _one(self, outcome, model, X, truth, params):
        scorer = accuracy if self.scorer is None else self.scorer
        try:
            value = scorer(model, X, truth, **params)
        except Exception as error:
            if self.raises or hasattr(scorer, "_scorers"):  # of several: not one metric's fault
                raise
            outcome.score_error = f"{error}" or type(error).__name__
            return None
        if not isinstance(value, dict):
            return _number(value)
        failed = {name: told for name, told in value.items() if isinstance(told, str)}
        if failed:  # scikit-learn puts the traceback of a failed metric in place of its score
            outcome.score_error = next(iter(failed.values())).strip().splitlines()[-1]
        return {name: None if name in failed else _number(score) for name, score in value.items()}


def all_outcomes(work, X, folds, workers, advance, tell):
    """Outcomes of all candidates and what was warned of, fold by fold.

    In threads; within ``similearn.on`` on the cluster, which is sent the samples once. One fold
    alone stays here, so that what it asks of a lazy block can be shared instead.

    Parameters
    ----------
    work : FoldSearch
    X : all samples
    folds : SomeFolds
    workers : dict of options of ``joblib.Parallel``
    advance : called with how many groups of candidates are done
    tell : called with the number and the outcomes of each fold, as they end
    """
    numbers = range(len(folds.splits))

    def here(number):
        fold = folds.fold(X, number)
        found = work.outcomes(fold, advance)
        tell(number, found)
        return found, fold.told

    if active_cluster() is None or len(numbers) == 1:
        parallel = Parallel(**workers, prefer="threads", require="sharedmem")
        try:
            return parallel(delayed(here)(number) for number in numbers)
        except ValueError as error:
            if "arithmetic expression" not in str(error):
                raise
            raise InputError(f"pre_dispatch cannot be used: {error}") from None
    done = {}
    for number, found in run_tasks(_fold_there, X, ((work, folds, i) for i in numbers)):
        done[number] = found
        advance(len(work.groups))
        tell(number, found[0])
    return [done[number] for number in numbers]


def _fold_there(X, work, folds, number):
    """One fold on a worker of a cluster."""
    fold = folds.fold(X, number)
    return work.outcomes(fold, lambda _: None), fold.told


def _number(value):
    number = value.item() if hasattr(value, "item") and np.size(value) == 1 else value
    if not isinstance(number, Number):
        raise InputError(
            f"scoring returned {type(value).__name__}; expected one number, or a dict of numbers."
        )
    return number


def as_results(outcomes, error_score, *, train_scores):
    """Outcomes in scikit-learn's form: dicts, candidate by candidate, failures filled in.

    Parameters
    ----------
    outcomes : list over the candidates of lists of `Outcome` over the folds
    error_score : the score of what failed
    """
    flat = [outcome for row in outcomes for outcome in row]
    scored = next((o.test_scores for o in flat if o.test_scores is not None), None)

    def filled(scores):
        if not isinstance(scored, dict):
            return error_score if scores is None else scores
        own = scores or dict.fromkeys(scored)
        return {name: error_score if v is None else v for name, v in own.items()}

    results = []
    for o in flat:
        times = {"fit_time": o.fit_time, "score_time": o.score_time}
        results.append(times | {"test_scores": filled(o.test_scores)})
        if train_scores:
            results[-1]["train_scores"] = filled(o.train_scores)
    return results
