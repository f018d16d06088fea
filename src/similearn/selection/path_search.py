"""`PathSearchCV`: choose parameters by cross-validation, whole paths at once."""

import time
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import GridSearchCV, LeaveOneOut, ParameterGrid, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from similearn.errors import InputError, SimilearnWarning
from similearn.selection.candidates import grouped_by_fit, results_table, simplest_of_best


class PathSearchCV(GridSearchCV):
    """Search over a grid, scoring every point of a path from one fit a fold.

    A drop-in for scikit-learn's `GridSearchCV`. Estimators that declare a path (every
    number of neighbours from one neighbour search, every ridge from one factorization)
    are fitted once a fold for all points of it; all others are refitted point by point.
    Both give the same scores.

    Parameters
    ----------
    estimator : classifier, or a Pipeline that ends in one
    param_grid : dict or list of dicts, as for `GridSearchCV`
    scoring : str, callable, list or dict, optional
        As for `GridSearchCV`: accuracy by default, "neg_log_loss" for probabilities.
    n_jobs : int, optional
        Folds that are worked on at once, in threads.
    refit : bool or str, default=True
        Whether (with several metrics: by which) to fit the best candidate to all data.
    cv : int, splitter, iterable or "loo", default=10
        "loo" is leave-one-out. Where the method allows, it costs as much as one fold; the
        held-out predictions are then scored together, as one split.
    verbose : int, default=0
    error_score : "raise" or float, default=nan

    Attributes
    ----------
    best_params_, best_score_, best_index_, best_estimator_, cv_results_, scorer_, n_splits_
        As in `GridSearchCV`.
    searched_by_path_ : bool
        Whether paths were used at all.

    Notes
    -----
    Ties in the mean score go to the simplest model: the largest neighbourhood, then the
    strongest regularization; where an estimator does not say what is simpler, to the
    first in the grid, as in `GridSearchCV`.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import NeighborsClassifier, PathSearchCV
    >>> points = np.array([0.0, 0.1, 0.2, 0.9, 1.0, 1.1])[:, None]
    >>> S, y = -abs(points - points.T), [0, 0, 0, 1, 1, 1]
    >>> search = PathSearchCV(NeighborsClassifier(), {"n_neighbors": [1, 2, 3, 5]}, cv="loo")
    >>> search.fit(S, y).best_params_
    {'n_neighbors': 3}
    """

    pre_dispatch = "2*n_jobs"
    return_train_score = False

    def __init__(
        self,
        estimator,
        param_grid,
        *,
        scoring=None,
        n_jobs=None,
        refit=True,
        cv=10,
        verbose=0,
        error_score=np.nan,
    ):
        self.estimator = estimator
        self.param_grid = param_grid
        self.scoring = scoring
        self.n_jobs = n_jobs
        self.refit = refit
        self.cv = cv
        self.verbose = verbose
        self.error_score = error_score

    def fit(self, X, y=None, **params):
        """Score every candidate, and refit the best.

        Parameters
        ----------
        X : Pairwise, Sources, array, CSR matrix or DataFrame
        y : (n,) labels
        params : passed to the estimator's ``fit``; such a search goes point by point

        Returns
        -------
        self
        """
        X = np.asarray(X) if hasattr(X, "iloc") else X
        candidates = list(ParameterGrid(self.param_grid))
        path = _Path.of(self.estimator)
        self.searched_by_path_ = path is not None and not params and y is not None
        if self.searched_by_path_:
            self._search_paths(path, X, y, candidates)
        else:
            self._search_points(X, y, params)
        if self.refit:
            self._refit(X, y, params, path)
        return self

    def _search_points(self, X, y, params):
        """Leave it to scikit-learn, point by point."""
        settings = self.get_params(deep=False)
        settings |= {"refit": False, "cv": LeaveOneOut() if self.cv == "loo" else self.cv}
        inner = GridSearchCV(**settings).fit(X, y, **params)
        for name in ("cv_results_", "n_splits_", "scorer_", "multimetric_"):
            setattr(self, name, getattr(inner, name))

    def _search_paths(self, path, X, y, candidates):
        y = np.asarray(y)
        scorer = check_scoring(self.estimator, self.scoring)
        self.multimetric_ = not (self.scoring is None or isinstance(self.scoring, str)) and (
            not callable(self.scoring)
        )
        self.scorer_ = scorer._scorers if self.multimetric_ else scorer
        path.decisions_only = self._counts_errors()
        leave_one_out = self.cv == "loo" and path.can_leave_one_out(self.estimator)
        folds = [None] if leave_one_out else self._folds(X, y)
        self.n_splits_ = len(y) if leave_one_out else len(folds)
        score = _accuracies if self._counts_errors() else _Scoring(scorer, self.error_score)
        parts = Parallel(n_jobs=self.n_jobs, prefer="threads", require="sharedmem")(
            delayed(self._fold)(path, X, y, candidates, fold, score) for fold in folds
        )
        fold_scores, fit_times, score_times = zip(*parts, strict=True)
        scores = {m: np.stack([s[m] for s in fold_scores], axis=1) for m in fold_scores[0]}
        self.cv_results_ = results_table(
            candidates, scores, np.stack(fit_times, axis=1), np.stack(score_times, axis=1)
        )

    def _folds(self, X, y):
        cv = LeaveOneOut() if self.cv == "loo" else self.cv
        splitter = check_cv(cv, y, classifier=is_classifier(self.estimator))
        return list(splitter.split(X, y))

    def _counts_errors(self):
        """Plain accuracy of plain decisions is counted here, all candidates at once."""
        return self.scoring in (None, "accuracy")

    def _fold(self, path, X, y, candidates, fold, score):
        """Score all candidates on one fold, or on one sample after another if it is None."""
        n = len(candidates)
        results, fit_times, score_times = {}, np.empty(n), np.empty(n)
        for fixed, positions in grouped_by_fit(candidates, path.names):
            group = [candidates[position] for position in positions]
            start = time.perf_counter()
            try:
                scored = path.scored(self.estimator, fixed, group, X, y, fold)
            except InputError:  # one candidate may be at fault: find out which
                scored = [self._scored_alone(path, c, X, y, fold) for c in group]
            middle = time.perf_counter()
            truth = y if fold is None else y[fold[1]]
            for metric, values in score(scored, truth).items():
                results.setdefault(metric, np.empty(n))[positions] = values
            fit_times[positions] = (middle - start) / len(group)
            score_times[positions] = (time.perf_counter() - middle) / len(group)
        return results, fit_times, score_times

    def _scored_alone(self, path, candidate, X, y, fold):
        try:
            fixed = {n: v for n, v in candidate.items() if n not in path.names}
            return path.scored(self.estimator, fixed, [candidate], X, y, fold)[0]
        except InputError as error:
            if self.error_score == "raise":
                raise
            warnings.warn(f"{candidate} failed: {error}", SimilearnWarning, stacklevel=2)
            return FailedScores(self.error_score)

    def _refit(self, X, y, params, path):
        metric = self.refit if self.multimetric_ else "score"
        if self.multimetric_ and f"mean_test_{metric}" not in self.cv_results_:
            raise InputError(
                f"refit={self.refit!r} names none of the metrics; expected one of scoring's names "
                "or refit=False."
            )
        means = self.cv_results_[f"mean_test_{metric}"]
        if np.isnan(means).all():
            raise InputError("Every candidate failed; see the warnings above for the reasons.")
        simpler = path.simpler if path else _declared_simpler(self.estimator)
        self.best_index_ = simplest_of_best(means, self.cv_results_["params"], simpler)
        self.best_score_ = means[self.best_index_]
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        start = time.perf_counter()
        best = clone(self.estimator).set_params(**clone(self.best_params_, safe=False))
        self.best_estimator_ = best.fit(X, y, **params) if y is not None else best.fit(X, **params)
        self.refit_time_ = time.perf_counter() - start
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_


class _Path:
    """How the parameters of an estimator, or of the last step of a pipeline, form a path."""

    def __init__(self, steps, prefix, last):
        self.steps, self.prefix = steps, prefix
        self.names = {prefix + name for name in last._path}
        self.simpler = _prefixed(last._simpler, prefix)
        self.decisions_only = False

    @classmethod
    def of(cls, estimator):
        """The path that an estimator declares, or None."""
        steps = estimator.steps if isinstance(estimator, Pipeline) else [("", estimator)]
        name, last = steps[-1]
        if not getattr(last, "_path", ()):
            return None
        return cls([name for name, _ in steps[:-1]], f"{name}__" if name else "", last)

    def can_leave_one_out(self, estimator):
        """Steps before the last would have seen the sample that is left out."""
        return not self.steps and self._ready(clone(estimator))._path_leaves_one_out

    def _ready(self, last):
        """Where decisions alone count, leave out what only probabilities need."""
        if self.decisions_only:
            last.set_params(**getattr(last, "_enough_for_decisions", {}))
        return last

    def scored(self, estimator, fixed, group, X, y, fold):
        """Fit once, and return what each candidate of the group says of the held-out samples."""
        estimator = clone(estimator).set_params(**fixed)
        last = self._ready(estimator.steps[-1][1] if self.prefix else estimator)
        strip = len(self.prefix)
        own = [{n[strip:]: v for n, v in c.items() if n in self.names} for c in group]
        train, test = (X, X) if fold is None else _cut(X, fold, get_tags(estimator))
        known = y if fold is None else y[fold[0]]
        for step in self.steps:
            transformer = estimator.named_steps[step]
            if transformer is None or transformer == "passthrough":
                continue
            train = transformer.fit_transform(train, known)
            test = transformer.transform(test)
        last.fit_path(train, known, own, leave_one_out=fold is None)
        return [HeldOutScores(last, part) for part in last.path_scores(test)]


class HeldOutScores(ClassifierMixin, BaseEstimator):
    """A fitted model as scorers see it, whose scores of the held-out samples are known."""

    def __init__(self, model, scores):
        self.model = model
        self.scores = scores
        self.classes_ = model.classes_

    def __sklearn_is_fitted__(self):
        return True

    def predict(self, X=None):
        """Labels of the held-out samples."""
        return self.classes_[self.model._decide(self.scores)]

    def predict_proba(self, X=None):
        """Probabilities of the held-out samples."""
        return self.model._probabilities(self.scores)

    def decision_function(self, X=None):
        """Scores of the held-out samples."""
        return self.model._decision_scores(self.scores)


class FailedScores:
    """Stands for a candidate that could not be fitted."""

    def __init__(self, error_score):
        self.error_score = error_score


class _Scoring:
    """Calls scikit-learn's scorers, one candidate after the other."""

    def __init__(self, scorer, error_score):
        self.scorer, self.error_score = scorer, error_score

    def __call__(self, scored, truth):
        rows = [self._one(candidate, truth) for candidate in scored]
        metrics = next((row for row in rows if isinstance(row, dict)), {"score": None})
        return {m: [r[m] if isinstance(r, dict) else r for r in rows] for m in metrics}

    def _one(self, candidate, truth):
        if isinstance(candidate, FailedScores):
            return candidate.error_score
        try:
            value = self.scorer(candidate, np.empty((len(truth), 0)), truth)
        except Exception as error:
            if self.error_score == "raise":
                raise
            warnings.warn(f"Scoring failed: {error}", SimilearnWarning, stacklevel=2)
            return self.error_score
        return value if isinstance(value, dict) else {"score": value}


def _accuracies(scored, truth):
    """Shares of right decisions; all candidates of one fit are decided together."""
    model = getattr(scored[0], "model", None)
    if model is None or any(getattr(s, "model", None) is not model for s in scored):
        return {"score": [_accuracy_alone(s, truth) for s in scored]}
    together = HeldOutScores(model, np.concatenate([s.scores for s in scored]))
    right = together.predict().reshape(len(scored), -1) == truth
    return {"score": right.mean(axis=1)}


def _accuracy_alone(scored, truth):
    if isinstance(scored, FailedScores):
        return scored.error_score
    return np.mean(scored.predict() == truth)


def _cut(X, fold, tags):
    """Training and held-out part of X, the way scikit-learn cuts it."""
    train, test = fold
    X = X if hasattr(X, "shape") else np.asarray(X)
    if tags.input_tags.pairwise:
        if isinstance(X, np.ndarray):  # the same as below, in half the time
            return np.take(X[train], train, axis=1), np.take(X[test], train, axis=1)
        return X[np.ix_(train, train)], X[np.ix_(test, train)]
    return X[train], X[test]


def _declared_simpler(estimator):
    if isinstance(estimator, Pipeline):
        name, last = estimator.steps[-1]
        return _prefixed(getattr(last, "_simpler", ()), f"{name}__")
    return getattr(estimator, "_simpler", ())


def _prefixed(simpler, prefix):
    return tuple(f"-{prefix}{n[1:]}" if n.startswith("-") else prefix + n for n in simpler)
