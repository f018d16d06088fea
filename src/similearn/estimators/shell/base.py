"""The one shell of all pairwise classifiers."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from similearn.data.checks import as_labels
from similearn.data.chunks import map_chunks, n_threads
from similearn.data.conversions.to_similarity import told_conversion
from similearn.data.pairwise import Pairwise
from similearn.data.stored.whole_searches import bytes_of_a_row
from similearn.errors import InputError, SimilearnError
from similearn.estimators.names.attributes import forget_fitted
from similearn.estimators.probabilities.calibrated import Calibrated
from similearn.estimators.shell.blocks import PairwiseInput
from similearn.estimators.shell.columns_out import ReferenceColumns, block_or_frame
from similearn.estimators.shell.explanation import Explanation
from similearn.estimators.shell.labels import (
    class_codes,
    label_column,
    refuse_labels_in_other_order,
)
from similearn.estimators.shell.parameters import SharedDocs, require_costs
from similearn.numerics.scores.decide import bounded, least_cost
from similearn.upward import Reporting


def _has_probabilities(estimator):
    return estimator._link is not None


class ScoreClassifier(Calibrated, SharedDocs, Reporting, ClassifierMixin, BaseEstimator):
    """Label codes, chunks and decisions, whatever the samples are.

    Hooks
    -----
    ``_check_training(X, y)`` and ``_check_queries(X)`` check what the user passed, once, and
    return what the other hooks work on (it has a length).

    ``_fit(data, codes)`` learns from checked data and integer class codes.

    ``_scores(data, rows)`` returns (len(rows), n_classes) for a slice of the queries; the
    largest wins. It runs in threads, on chunks. A class with a path need not give these
    two: by default they are ``_fit_path`` and ``_path_scores`` for one candidate, ``{}``.

    ``_link`` tells what scores are: "shares" (nonnegative, normalized to probabilities),
    "log" (log-probabilities up to a constant), "indicators" (regressions on class
    indicators, projected on the simplex), or None (no probabilities).

    ``_row_bytes(data)`` bounds the temporary memory that one query needs.

    ``_explain(data)`` adds the neighbours and terms of a method to `explain`.

    ``_path`` names the parameters of which one fit can score many values at once; such a
    class also gives ``_path_scores(data, rows, candidates, skip_self)``, which returns
    (n_candidates, len(rows), n_classes), equal to the `_scores` of every candidate, and may
    prepare for them in ``_fit_path(data, codes, candidates)``. ``_path_leaves_one_out``
    tells that `_path_scores` can leave the sample itself out of its own training set.
    ``_simpler`` names the parameters whose larger values make a simpler model (with a
    minus before the name: smaller values), the most important first.
    ``_enough_for_decisions`` holds parameters with which a fit gives the same decisions
    for less work, such as no calibration; searches scored by decisions alone set them, and
    ask ``calibration_losses(X, y, candidates)`` for log-losses where decisions tie.
    """

    _sets: tuple[str, ...] = ("classes_",)

    _link: str | None = "shares"
    _path: tuple[str, ...] = ()
    _path_leaves_one_out = False
    _leaves_one_out = False
    _simpler: tuple[str, ...] = ()
    _weights = None  # of training samples while they are learned from, see `WeightedSamples`
    costs = None
    n_jobs = None

    def fit(self, X, y):
        """Learn from training samples and their labels.

        Parameters
        ----------
        X : the training samples, see the class
        y : (n,) class labels

        Returns
        -------
        self
        """
        self._leaves_one_out = False
        self.__dict__.pop("candidates_", None)  # of a path that was fitted before
        with self._whole_or_not_at_all():
            data, codes = self._checked_training(X, y)
            self._fit(data, codes)
            self._calibrate(data, codes, [{}])
        return self

    @contextmanager
    def _whole_or_not_at_all(self):
        """A fit that fails leaves no model: half of it would answer with the half of one before."""
        try:
            yield
        except BaseException:
            forget_fitted(self)
            raise

    def fit_path(self, X, y, candidates, *, leave_one_out=False):
        """Learn what `path_scores` needs for all candidates, dicts of ``_path`` parameters.

        `similearn.PathSearchCV` calls this; the model is then good for
        `path_scores` only. With `leave_one_out`, that is asked of the training samples
        themselves, each scored as if it had not been in training.
        """
        if leave_one_out and not self._path_leaves_one_out:
            raise InputError(
                f"{type(self).__name__} cannot leave each sample out of one fit; expected "
                "leave_one_out=False. PathSearchCV(cv='loo') fits it once for each sample."
            )
        self._leaves_one_out = leave_one_out
        self.candidates_ = list(candidates)
        if not self.candidates_:
            raise InputError("candidates is empty; expected at least one dict of parameters.")
        data, codes = self._checked_training(X, y)
        self._fit_path(data, codes, self.candidates_)
        self._calibrate(data, codes, self.candidates_)
        return self

    def path_scores(self, X, of_rows=None):
        """Scores (n_candidates, m, n_classes) of queries, for all candidates of `fit_path`.

        With `of_rows`, a function of the scores of consecutive rows and their slice, what it
        returns is joined along its second axis instead: all scores need never exist at once.
        """
        if not hasattr(self, "_path_scores"):
            name = type(self).__name__
            raise InputError(f"{name} has no path: fit every candidate by itself, by PathSearchCV.")
        skip_self = self._leaves_one_out
        data = self._check_own_block(X) if skip_self else self._queries(X)

        def scored(rows):
            scores = self._path_scores(data, rows, self.candidates_, skip_self=skip_self)
            return scores if of_rows is None else of_rows(scores, rows)

        return self._in_chunks(scored, data, axis=1)

    def _shares(self, codes):
        """Shares (n_classes,) of the classes among training samples, by their weights."""
        totals = np.bincount(codes, self._weights, minlength=len(self.classes_))
        return totals / totals.sum()

    def _values_of(self, name, candidates):
        """Values of one parameter in all candidates; our own where a candidate has none."""
        own = getattr(self, name)
        return [candidate.get(name, own) for candidate in candidates]

    def _n_training(self, data):
        """How many training samples a query can have as neighbours."""
        return len(data) - self._leaves_one_out

    def _checked_training(self, X, y):
        n_threads(self.n_jobs)
        refuse_labels_in_other_order(y, X)
        data, y = self._check_training(X, as_labels(y))
        self.classes_, codes = class_codes(y)
        if self.costs is not None:
            require_costs(self.costs, self.classes_, self._shares(codes))
        self._parameters_at_fit = self.get_params(deep=False)
        return data, codes

    def decision_function(self, X):
        """Scores of the classes, (m, n_classes), or of the second class if there are two.

        With two classes the score is that of the second minus that of the first. A class that
        is impossible, whose score would be -inf, has -1e300: all scores lie within ±1e300.
        """
        return self._decision_scores(self._all_scores(self._queries(X)))

    def predict(self, X):
        """Label of each query: the highest score or, given `costs`, the least expected cost."""
        scores = self._all_scores(self._queries(X))
        return self.classes_[self._decide(scores)]

    def score(self, X, y, sample_weight=None):
        """Share of the queries X that get their label y; `sample_weight` says what each counts."""
        from sklearn.metrics import accuracy_score  # takes long, and few ask for it

        predicted = self.predict(X)
        y = label_column(y, len(predicted))
        try:
            return accuracy_score(y, predicted, sample_weight=sample_weight)
        except (TypeError, ValueError) as error:
            raise InputError(f"predictions cannot be compared with y: {error}") from error

    @available_if(_has_probabilities)
    def predict_proba(self, X):
        """Probabilities of the classes, (m, n_classes), in the order of ``classes_``."""
        return self._probabilities(self._all_scores(self._queries(X)))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X):
        """Logarithms of `predict_proba`, also of what underflows there; -inf if impossible."""
        return self._log_probabilities(self._all_scores(self._queries(X)))

    def _labels_and_probabilities(self, X):
        """What `predict` and `predict_proba` give, from scores that are computed once."""
        scores = self._all_scores(self._queries(X))
        probabilities = self._probabilities(scores) if _has_probabilities(self) else None
        return self.classes_[self._decide(scores)], probabilities

    def explain(self, X):
        """Tell why each query is classified as it is.

        Returns
        -------
        Explanation
            Scores, decision and, for local methods, each neighbour with its weight.
        """
        data = self._queries(X)
        scores = self._all_scores(data)
        told = self._explain(data)
        told["terms"] = {
            name: bounded(term) if np.asarray(term).dtype.kind == "f" else term
            for name, term in told.get("terms", {}).items()
        }
        return Explanation(
            classes=self.classes_,
            scores=bounded(scores),
            decisions=self.classes_[self._decide(scores)],
            **told,
        )

    def _decision_scores(self, scores):
        scores = bounded(scores)
        return scores if len(self.classes_) > 2 else bounded(scores[:, 1] - scores[:, 0])

    def _decide(self, scores, candidate=0):
        """Integer classes from scores: the one decision rule of the library."""
        if self.costs is None:
            return scores.argmax(axis=1)
        if self._link is None:
            raise InputError(
                f"costs need probabilities, and {type(self).__name__} with these parameters has "
                "none. Choose weights that form probabilities, or drop costs."
            )
        shares = getattr(self, "calibration_priors_", getattr(self, "priors_", None))
        costs = require_costs(self.costs, self.classes_, shares)
        return least_cost(self._probabilities(scores, candidate), costs, scores)

    def _queries(self, X):
        if "classes_" not in vars(self):  # asked first: the check takes as long as a small query
            check_is_fitted(self)
        return self._as_fitted(lambda: self._check_queries(X))

    def _all_scores(self, data):
        return self._as_fitted(lambda: self._in_chunks(lambda rows: self._scores(data, rows), data))

    def _as_fitted(self, work):
        """Do work that trusts the parameters to be those that `fit` has checked."""
        try:
            return work()
        except SimilearnError:
            raise
        except Exception as error:  # of whatever library met what `fit` would have refused
            self._refuse_changed(error)
            raise

    def _in_chunks(self, function, data, axis=0):
        row_bytes = self._row_bytes(data)
        parts = map_chunks(function, len(data), row_bytes=row_bytes, n_jobs=self.n_jobs)
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=axis)

    def _refuse_changed(self, error):
        """Tell of parameters that were set after `fit`, which checks them, if there are any."""
        before, now = vars(self).get("_parameters_at_fit", {}), self.get_params(deep=False)
        changed = [name for name in now if name in before and now[name] is not before[name]]
        if changed:
            told = ", ".join(f"{name}={now[name]!r}" for name in changed)
            raise InputError(
                f"{type(self).__name__} was fitted with other parameters, and cannot answer with "
                f"{told}, set since then. Fit it again."
            ) from error

    def _fit(self, data, codes):
        self._fit_path(data, codes, [{}])

    def _fit_path(self, data, codes, candidates):
        self._fit(data, codes)

    def _scores(self, data, rows):
        return self._path_scores(data, rows, [{}], skip_self=False)[0]

    @property
    def _candidates(self):
        """The candidates that were fitted; one, with our own parameters, after a plain fit."""
        return getattr(self, "candidates_", [{}])

    def _row_bytes(self, data):
        return 8 * (8 * len(self.classes_) + 64)

    def _explain(self, data):
        return {}


class PairwiseClassifier(PairwiseInput, ScoreClassifier):
    """Classifiers of blocks. Subclasses give `_fit` and `_scores`, with ``data`` a `Pairwise`.

    ``fit(X, y)`` takes the square block of the training samples with themselves, as a
    `Pairwise`, array, CSR matrix or DataFrame; `predict` and its like take blocks of
    queries against the training samples. A plain matrix is read as the estimator's `kind`, by
    default as its diagonal tells.
    """

    _sets: tuple[str, ...] = ("reference_ids_",)

    def _check_training(self, X, y):
        block, y = self._training_block(X, y)
        self.reference_ids_ = block.column_ids
        return block, y

    def _check_queries(self, X):
        return self._query_block(X)

    def _check_own_block(self, X):
        return self._training_block(X)[0]

    def _row_bytes(self, data):
        both = bytes_of_a_row(data) if data.knows_reverse else 0
        return super()._row_bytes(data) + both

    def _explain(self, data):
        maximum = getattr(self, "conversion_maximum_", None)
        notes = () if maximum is None else (told_conversion(maximum),)
        return {"row_ids": data.row_ids, "reference_ids": self.reference_ids_, "notes": notes}


class PairwiseTransformer(ReferenceColumns, TransformerMixin, PairwiseInput, BaseEstimator):
    """Checks a block at the door; a `Pairwise` in gives a `Pairwise` out, an array an array.

    After ``set_output(transform="pandas")`` or "polars" the result is a frame instead.

    Hooks
    -----
    ``_fit(block)`` learns from a checked square block.

    ``_transform(block)`` returns the new values of queries, ``_transform_training(block)``
    those of the training samples where they differ.

    ``_new_kind`` is the kind of the result, or None where it is that of the input;
    where it is no block at all, `_wrap` and `get_feature_names_out` are overridden.
    """

    _sets: tuple[str, ...] = ("reference_ids_",)

    _new_kind: str | None = None

    def fit(self, X, y=None):
        """Learn from the square training block; `y` is ignored.

        Parameters
        ----------
        X : Pairwise, array, CSR matrix or DataFrame of shape (n, n)
        y : ignored

        Returns
        -------
        self
        """
        self._fit_block(X)
        return self

    def fit_transform(self, X, y=None):
        """Fit, and return the training block transformed."""
        block = self._fit_block(X)
        return self._wrap(X, block, self._transform_training(block))

    def transform(self, X):
        """Transform a block of queries, (m, n), against the n training samples."""
        if "n_features_in_" not in vars(self):
            check_is_fitted(self)
        block = self._query_block(X)
        return self._wrap(X, block, self._transform(block))

    def _fit_block(self, X):
        block, _ = self._training_block(X)
        self.reference_ids_ = block.column_ids
        self._fit(block)
        return block

    def _transform_training(self, block):
        return self._transform(block)

    def _wrap(self, X, block, values):
        if not isinstance(X, Pairwise):
            return values
        kind = self._new_kind or block.kind
        made = replace(block, values=values, kind=kind, reverse=None, self_values=None)
        return block_or_frame(self, made)
