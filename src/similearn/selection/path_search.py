"""`PathSearchCV`: choose parameters by cross-validation, whole paths at once."""

import time
from copy import copy

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV, LeaveOneOut, check_cv
from sklearn.utils import get_tags
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_method_params, _num_samples, check_is_fitted

from similearn.data.checks import as_labels
from similearn.data.chunks import n_workers
from similearn.data.progress_bar import progress
from similearn.data.values import as_array
from similearn.errors import InputError, gathered_warnings
from similearn.estimators.names.attributes import forget_fitted
from similearn.estimators.shell.explanation import can_explain, explain
from similearn.estimators.shell.labels import label_column, require_labels
from similearn.estimators.shell.splits import checked_splits
from similearn.selection.candidates import (
    checked_candidates,
    checked_samples,
    chosen_place,
    grouped_by_fit,
)
from similearn.selection.failures import refused_as_ours, tell_failures, tell_once, told_as_ours
from similearn.selection.fold import FoldSearch, SomeFolds, all_outcomes, as_results
from similearn.selection.held_out import out_of_fold, response
from similearn.selection.label_sets import PredictsSets
from similearn.selection.paths import Path, cut, declared_simpler
from similearn.selection.telling import tell_none_best, tell_plan, tell_scores
from similearn.selection.ties import held_out_losses, simplest_of_best
from similearn.upward import Reporting, SearchPage


def _explains(search):
    return search.refit and can_explain(getattr(search, "best_estimator_", search.estimator))


class PathSearchCV(PredictsSets, SearchPage, Reporting, GridSearchCV):
    """Search over a grid, scoring every point of a path from one fit per fold.

    A drop-in for scikit-learn's `GridSearchCV`, with all of its parameters, attributes and
    methods. Estimators that declare a path (every number of neighbours from one neighbour
    search, every ridge from one factorization) are fitted once per fold for all points of
    it; all others are refitted point by point, by scikit-learn. Both give the same scores.

    Parameters
    ----------
    estimator : classifier, or a Pipeline that ends in one
    param_grid : dict or list of dicts
        Names of parameters, and lists of values to try.
    scoring : str, callable, list, tuple or dict, optional
        What is maximized: accuracy by default, "neg_log_loss" for probabilities. Several
        metrics by a list of names, a dict, or a callable that returns a dict.
    n_jobs : int, optional
        How many folds are worked on at once: in threads where there is a path, otherwise in
        processes.
    refit : bool, str or callable, default=True
        Whether to fit the best candidate to all data; with several metrics, the name of
        the one that decides. A callable gets ``cv_results_`` and returns the best index.
    cv : int, splitter, iterable of (train, test) positions, "loo" or None, default=10
        "loo" is leave-one-out. Where the method allows, it costs as much as one fold, and
        the predictions of all left-out samples are scored together, as one split. None is
        five folds, as in scikit-learn.
    verbose : int, default=0
        1 prints what is to be done, 2 a line for each candidate and fold, 3 its scores too.
    pre_dispatch : int or str, default="2*n_jobs"
        How many folds are handed to the workers ahead of time.
    error_score : "raise" or number, default=nan
        The score of a candidate that could not be fitted or scored on a fold; one warning
        tells how many there were, and why. If no fit succeeds at all, an error is raised.
    return_train_score : bool, default=False
        Whether the training samples of each fold are scored as well.
    keep_out_of_fold : bool, default=False
        Whether to keep what the best candidate said of each sample when it was held out.
        By paths this needs no further fit, but 8 × n × n_classes bytes per candidate
        until the best is known; point by point, the best is fitted once more per fold.
    ties : {"log-loss", "simplest"}, default="log-loss"
        Which of several candidates with the same mean score is taken: that of the lowest
        held-out log-loss where all of them have probabilities, then the simplest; or the
        simplest at once, as in the papers. See the notes.
    progress : {"auto", True, False}, default="auto"
        A progress bar for searches by paths: by default for those of over two seconds, on
        a terminal, where rich is installed.

    Attributes
    ----------
    cv_results_ : dict of arrays
        One entry per candidate, in the layout of `GridSearchCV`. Times of candidates that
        were fitted together are shared equally.
    best_estimator_ : estimator
        The best candidate, fitted to all data; only if `refit` is not False.
    best_index_, best_params_ : int, dict
        Place of the best candidate in ``cv_results_``, and its parameters. Missing only for
        several metrics with ``refit=False``.
    best_score_ : float
        Its mean score; missing also if `refit` is a callable.
    scorer_ : callable, or dict of callables
    n_splits_ : int
    refit_time_ : float
        Seconds.
    multimetric_ : bool
    classes_ : (n_classes,) labels
    n_features_in_ : int
    feature_names_in_ : (n_features_in_,), if X had names
    searched_by_path_ : bool
        Whether paths were used at all.
    oof_proba_ : masked array (n, n_classes)
        With `keep_out_of_fold`, if the best candidate has probabilities: those of each
        sample by the models that did not see it, in the order of ``np.unique(y)``, which
        is that of ``classes_``. A class that is missing in the training part of a fold has
        probability zero. Samples that were held out several times have the mean. Those
        that no fold held out are masked, and hold equal probabilities beneath.
    oof_scores_ : masked array (n, n_classes)
        The same for candidates without probabilities: scores of the classes.

    Notes
    -----
    What differs from `GridSearchCV`:

    - Ties in the mean score (within 1e-12) go to the lowest log-loss on the held-out
      samples, and among equals to the simplest model: the largest neighbourhood, then the
      strongest regularization; where an estimator does not say what is simpler, to the first
      in the grid, as in `GridSearchCV`. Accuracies of a few hundred samples tie often. The
      first of a grid is then usually the one that fits noise best, such as one neighbour,
      and the simplest may know next to nothing, such as 128 neighbours of 150: both are
      right as often, but the log-loss tells whose probabilities mean something. Ranks in
      ``cv_results_`` are scikit-learn's.
    - The log-loss costs next to nothing where the scores of a path are probabilities. Machines
      that make them by a calibration are searched without it, and calibrated once, with all
      data, for the tied candidates alone. In searches point by point the simplest is taken.
    - ``cv=10`` is the default, as in the papers, and "loo" is known.
    - Warnings of single fits are given once per search, with their number.

    Candidates that differ in other parameters than those of the path, say in `weights`, are
    searched group by group. Metadata that is routed to the estimator's ``fit``, and
    scikit-learn's callbacks, make a search go point by point. Scoring functions of any kind
    may be used; one that asks more of a model than predictions of the held-out samples has
    it fitted for that.

    Cost: one fit and one scoring of all candidates per group and fold, where `GridSearchCV`
    fits each candidate; see ``python -m benchmarks``.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import NeighborsClassifier, PathSearchCV
    >>> points = np.array([0.0, 0.1, 0.2, 0.9, 1.0, 1.1])[:, None]
    >>> S, y = -abs(points - points.T), [0, 0, 0, 1, 1, 1]
    >>> search = PathSearchCV(NeighborsClassifier(), {"n_neighbors": [1, 2, 3, 5]}, cv="loo")
    >>> search.fit(S, y).best_params_
    {'n_neighbors': 2}

    What it said of each sample without having seen it:

    >>> search = PathSearchCV(
    ...     NeighborsClassifier(), {"n_neighbors": [1, 3]}, cv=3, keep_out_of_fold=True
    ... )
    >>> search.fit(S, y).oof_proba_.round(2)[:2].tolist()
    [[0.92, 0.08], [0.92, 0.08]]
    """

    _parameter_constraints: dict = {  # noqa: RUF012 - the name is scikit-learn's
        **GridSearchCV._parameter_constraints,
        "cv": ["cv_object", StrOptions({"loo"})],
        "keep_out_of_fold": ["boolean"],
        "ties": [StrOptions({"log-loss", "simplest"})],
        "progress": ["boolean", StrOptions({"auto"})],
    }

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
        pre_dispatch="2*n_jobs",
        error_score=np.nan,
        return_train_score=False,
        keep_out_of_fold=False,
        ties="log-loss",
        progress="auto",
    ):
        super().__init__(
            estimator,
            param_grid,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.keep_out_of_fold = keep_out_of_fold
        self.ties = ties
        self.progress = progress

    def fit(self, X, y=None, **params):
        """Score every candidate, and refit the best.

        Parameters
        ----------
        X : Pairwise, Sources, array, CSR matrix or DataFrame
        y : (n,) labels
        params : metadata, as in `GridSearchCV`
            ``groups`` for the splitter, others for the estimator's ``fit`` and the scorer;
            with ``enable_metadata_routing``, whatever these ask for.

        Returns
        -------
        self
        """
        forget_fitted(self)  # as what a fit before found would answer for this one
        X, y, params = checked_samples(self, X, y, params)
        candidates = checked_candidates(self.estimator, self.param_grid)
        require_labels(self.estimator, y)
        routed = self._get_routed_params_for_fit(params)
        by_points = y is None or routed.estimator.fit or getattr(self, "_skl_callbacks", ())
        self.searched_by_path_ = not by_points and Path.of(self.estimator) is not None
        uncut = self._pairwise and (hasattr(X, "iloc") or not hasattr(X, "shape"))
        samples = as_array(X, "X") if uncut else X
        if self._pairwise and (len(samples.shape) != 2 or samples.shape[0] != samples.shape[1]):
            self._refuse(X, y, routed.estimator.fit)
        search = self._search_paths if self.searched_by_path_ else self._search_points
        search(samples, y, candidates, params, routed)
        if self.refit and (self.searched_by_path_ or uncut):
            self._refit(X, y, routed.estimator.fit)
        return self

    def score(self, X, y=None, **params):
        """Score of the best estimator on labelled samples, by the search's own scoring."""
        with refused_as_ours():
            return super().score(X, as_labels(y), **params)

    @available_if(_explains)
    def explain(self, X):
        """Tell why the best estimator classifies each query as it does, see `similearn.explain`."""
        check_is_fitted(self)
        return explain(self.best_estimator_, X)

    @property
    def _pairwise(self):
        return get_tags(self.estimator).input_tags.pairwise

    def _refuse(self, X, y, fit_params):
        """Cutting would hide that a block is not square, so the estimator tells what is wrong."""
        clone(self.estimator).fit(X, y, **fit_params)
        raise InputError(f"A search cuts square blocks of samples with themselves, got {X.shape}.")

    @property
    def _leaves_one_out(self):
        return isinstance(self.cv, str)  # there is no other word

    def _splitter(self, y):
        cv = LeaveOneOut() if self._leaves_one_out else self.cv
        return check_cv(cv, y, classifier=is_classifier(self.estimator))

    def _search_points(self, X, y, candidates, params, routed):
        """Leave it to scikit-learn, point by point."""
        search, told = copy(self), []
        search.n_jobs = n_workers(self.n_jobs)
        if np.iterable(self.cv):  # the word, or splits of the user's own
            search.cv = LeaveOneOut() if self._leaves_one_out else self._splits(X, y, {})
        with told_as_ours(), gathered_warnings(told), refused_as_ours():
            GridSearchCV.fit(search, X, y, **params)
        vars(self).update(vars(search) | {"cv": self.cv, "n_jobs": self.n_jobs})
        tell_once(told)
        if self.keep_out_of_fold and hasattr(self, "best_params_"):
            self._keep(self._responses(X, np.asarray(y), self._checked_cv_orig, routed), y)

    def _responses(self, X, y, splitter, routed):
        """What the best candidate says of each held-out part, by one more fit each."""
        for train, test in splitter.split(X, y, **routed.splitter.split):
            own = _check_method_params(X, routed.estimator.fit, indices=train)
            part, held_out = (cut(X, r, train, pairwise=self._pairwise) for r in (train, test))
            yield test, response(self._best().fit(part, y[train], **own), held_out)

    def _search_paths(self, X, y, candidates, params, routed):
        y = label_column(y, _num_samples(X))
        with refused_as_ours():
            scorer, _ = self._get_scorers()
        counts = self.scoring in (None, "accuracy") and not routed.scorer.score
        work = FoldSearch(
            estimator=self.estimator,
            candidates=candidates,
            groups=grouped_by_fit(candidates, Path.of(self.estimator).names),
            scorer=None if counts else scorer,
            raises=isinstance(self.error_score, str),
            train_scores=self.return_train_score,
            keeps=self.keep_out_of_fold,
            losses=self.ties == "log-loss",
        )
        together = self._leaves_one_out and not self.return_train_score and work.leaves_one_out(X)
        splits = [None] if together else self._splits(X, y, routed.splitter.split)
        self.n_splits_ = len(y) if together else len(splits)
        outcomes = self._outcomes(work, X, y, splits, routed.scorer.score)
        self.scorer_ = getattr(scorer, "_scorers", scorer)
        self._tabulate(candidates, outcomes)
        self._choose(lambda tied: held_out_losses(work, outcomes, X, y, tied))
        if self.keep_out_of_fold and hasattr(self, "best_index_"):
            rows = [np.arange(len(y)) if split is None else split[1] for split in splits]
            best = zip(rows, outcomes[self.best_index_], strict=True)
            self._keep([(r, o.response) for r, o in best if o.response is not None], y)

    def _splits(self, X, y, split_params):
        try:
            with told_as_ours(), np.errstate(invalid="ignore"):  # of labels that are infinite
                splits = list(self._splitter(y).split(X, y, **split_params))
        except (TypeError, ValueError) as error:
            hint = " Pass them as fit(X, y, groups=...)." if "groups" in str(error) else ""
            raise InputError(f"cv={self.cv!r} cannot split X: {error}{hint}") from error
        return checked_splits(splits, _num_samples(X))

    def _outcomes(self, work, X, y, splits, score_params):
        """Outcomes (n_candidates, n_splits) of all candidates and folds."""

        def tell(number, found):
            tell_scores(self, work.candidates, found, number, len(splits))

        tell_plan(self, len(splits), len(work.candidates), len(work.groups))
        folds = SomeFolds(y, splits, self._pairwise, score_params)
        workers = {"n_jobs": n_workers(self.n_jobs), "pre_dispatch": self.pre_dispatch}
        with progress(len(splits) * len(work.groups), "Searching", show=self.progress) as advance:
            found = all_outcomes(work, X, folds, workers, advance, tell)
        by_fold, told = zip(*found, strict=True)
        tell_once([warning for part in told for warning in part])
        return list(zip(*by_fold, strict=True))

    def _tabulate(self, candidates, outcomes):
        tell_failures(candidates, outcomes)
        results = as_results(outcomes, self.error_score, train_scores=self.return_train_score)
        first = results[0]["test_scores"]
        self.multimetric_ = isinstance(first, dict)
        if self.multimetric_ and callable(self.scoring):
            self._check_refit_for_multimetric(first)
        with told_as_ours():
            self.cv_results_ = self._format_results(candidates, len(outcomes[0]), results)

    def _format_results(self, *arguments, **more):
        with np.errstate(invalid="ignore"):  # of scores that are infinite
            return super()._format_results(*arguments, **more)

    def _choose(self, losses_of):
        if self.multimetric_ and self.refit is False:
            return
        metric = self.refit if self.multimetric_ else "score"
        self.best_index_ = self._select_best_index(
            self.refit, metric, self.cv_results_, losses_of if self.ties == "log-loss" else None
        )
        if not callable(self.refit):
            self.best_score_ = self.cv_results_[f"mean_test_{metric}"][self.best_index_]
        self.best_params_ = self.cv_results_["params"][self.best_index_]

    def _check_refit_for_multimetric(self, scores):
        try:
            super()._check_refit_for_multimetric(scores)
        except ValueError:
            raise InputError(
                f"refit={self.refit!r} names none of the metrics; expected one of "
                f"{', '.join(map(repr, scores))}, a callable, or refit=False."
            ) from None

    def _select_best_index(self, refit, refit_metric, results, losses_of=None):
        """Place of the best candidate; scikit-learn calls this in searches by points, too."""
        if callable(refit):
            return chosen_place(refit, results)
        means = results[f"mean_test_{refit_metric}"]
        if np.isnan(means).all():
            tell_none_best(refit_metric)
            return 0
        simpler, own = declared_simpler(self.estimator), self.estimator.get_params()
        return simplest_of_best(means, results["params"], simpler, own, losses_of)

    def _keep(self, parts, y):
        """Keep responses (rows, (classes, values, whether probabilities)) of all folds."""
        parts, classes = list(parts), np.unique(y)
        probabilities = all(part[2] for _, part in parts)
        name, self._held_out_y = "oof_proba_" if probabilities else "oof_scores_", y
        setattr(self, name, out_of_fold(parts, classes, len(y)))

    def _best(self):
        return clone(self.estimator).set_params(**clone(self.best_params_, safe=False))

    def _refit(self, X, y, fit_params):
        start = time.time()
        self.best_estimator_ = self._best()
        self.best_estimator_.fit(X, *(() if y is None else (y,)), **fit_params)
        self.refit_time_ = time.time() - start
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_
