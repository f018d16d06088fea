"""From scores to probabilities: as a method has them, or calibrated on samples held out."""

from numbers import Integral

import numpy as np
from sklearn.base import clone

from similearn.data.chunks import map_chunks
from similearn.errors import InputError, gathered_warnings
from similearn.estimators.names.old_names import renamed
from similearn.estimators.shell.parameters import require_choice
from similearn.numerics.scores.calibration import (
    SPREAD,
    Calibration,
    best_calibration,
    evidence_of,
)
from similearn.numerics.scores.decide import log_softmax, normalized, projected, softmax
from similearn.numerics.scores.temperature import inverse_temperature

CALIBRATIONS = ("temperature", "none")
N_FOLDS = 3
MOST_LEFT_OUT = 1000
"""Training samples that are scored without themselves; of more, every so-many-th is."""
FEWEST_HELD_OUT = 10
"""Below so many held-out samples there is nothing to learn a temperature from."""

_LINKS = {"shares": normalized, "log": softmax, "indicators": projected}


@renamed(attributes={"calibrations_": ("calibration_", lambda model: model._calibrations)})
class Calibrated:
    """Mixin of `ScoreClassifier`: probabilities of scores, decisions left as they are.

    With ``calibration="temperature"`` two numbers are learned from scores of samples that the
    scores were not learned from: P = (1 - e) softmax(a z) + e · class shares, where z are the
    scores, or the logarithms of shares of votes. In a row where that would make another class
    more probable than the decided one, both share their probability, so that `predict` is always
    the most probable class, and the same as without a calibration.

    Hooks
    -----
    ``_leaves_each_out`` tells that the fitted model can score its own samples, each as if it
    had not been in training, by ``_path_scores(..., skip_self=True)``. Otherwise three models
    are fitted to two thirds of the samples each.

    ``_as_queries(data)`` makes queries of checked training data, for such scores.

    ``_natural`` tells that scores are log-probabilities or shares already, so that the
    temperature stays near one where the samples are too few to learn it.

    ``_far_out`` tells that log-scores may be far out, or -inf: their probabilities, none
    below 1e-4, are then better evidence than they are.
    """

    _sets: tuple[str, ...] = (
        "calibration_",
        "calibration_priors_",
    )

    calibration = "none"
    _calibrations = None  # (n_candidates, 2), or None where nothing is calibrated
    _leaves_each_out = False
    _natural = True
    _far_out = False

    @property
    def calibration_(self):
        """Inverse temperature and smoothing; None without a calibration."""
        return None if self._calibrations is None else Calibration(*self._calibrations[0].tolist())

    @property
    def _enough_for_decisions(self):
        """Parameters that leave decisions as they are; costs weigh probabilities."""
        without = self.costs is not None or str(self.calibration) == "none"
        return {} if without else {"calibration": "none"}

    def _calibrate(self, data, codes, candidates):
        """Learn ``_calibrations`` (n_candidates, 2): inverse temperatures and smoothings."""
        for name in ("_calibrations", "calibration_priors_"):
            vars(self).pop(name, None)  # of a fit before
        if require_choice("calibration", self.calibration, CALIBRATIONS) == "none":
            return
        self.calibration_priors_ = self._calibration_priors(codes)
        evidence, *known = self._held_out_evidence(data, codes, candidates)
        self._calibrations = np.array([self._calibrated(e, *known) for e in evidence])

    def _calibration_priors(self, codes):
        """Class shares that probabilities are drawn to: those of the method, or of training."""
        own = getattr(self, "priors_", None)
        shares = self._shares(codes)
        return shares if own is None or np.shape(own) != shares.shape else np.asarray(own)

    def _calibrated(self, evidence, codes, weights=None):
        """The best calibration; where samples are few, near a method's own probabilities."""
        if len(codes) < FEWEST_HELD_OUT:
            a = 1.0 if self._natural else inverse_temperature(evidence, codes, weights)
            return Calibration(a, 1.0 / (len(codes) + len(self.classes_)))
        spread = SPREAD if self._natural else np.inf
        options = {"natural": self._natural, "spread": spread}
        return best_calibration(evidence, codes, self.calibration_priors_, weights, **options)

    def calibration_losses(self, X, y, candidates):
        """Log-losses (n_candidates,) of the samples that the calibration learns from.

        `similearn.PathSearchCV` asks for them where candidates decide equally well. The
        candidates are dicts of `_path` parameters. NaN without a calibration, or where no
        sample can be held out, as classes of one sample cannot.
        """
        if self.calibration == "none":
            return np.full(len(candidates), np.nan)
        model = clone(self).set_params(calibration="none", costs=None)
        data, codes = model._checked_training(X, y)
        model.candidates_ = list(candidates)
        if model._leaves_each_out:
            model._fit_path(data, codes, candidates)
        priors = model._calibration_priors(codes)
        self.classes_, self.calibration_priors_ = model.classes_, priors
        evidence, known, weights = model._held_out_evidence(data, codes, candidates)
        if not len(known):
            return np.full(len(candidates), np.nan)
        own = np.arange(len(known)), known
        told = [self._calibrated(e, known, weights).probabilities(e, priors)[own] for e in evidence]
        losses = -np.log(np.maximum(told, np.finfo(np.float64).eps))
        return np.average(losses, axis=1, weights=weights)

    def _held_out_evidence(self, data, codes, candidates):
        """Evidence (n_candidates, r, n_classes) of samples not learned from; classes, weights."""
        held_out = self._left_out_scores if self._leaves_each_out else self._folded_scores
        with gathered_warnings([]):  # the fit to all samples has told the same
            scores, rows = held_out(data, codes, candidates)
        weights = None if self._weights is None else self._weights[rows]
        return self._evidence(scores), codes[rows], weights

    def _left_out_scores(self, data, codes, candidates):
        """Scores of training samples, up to 1000, by a model without each; their positions."""
        queries, step = self._as_queries(data), -(-len(codes) // MOST_LEFT_OUT)
        fewer = [self._with_fewer_neighbors(c, len(codes) - 1) for c in candidates]
        rows = np.arange(0, len(codes), step)

        def scored(some):
            every = slice(some.start * step, some.stop * step, step)
            return self._scores_without_self(queries, every, fewer)

        parts = map_chunks(
            scored, len(rows), row_bytes=self._row_bytes(queries), n_jobs=self.n_jobs
        )
        # A class of one sample is gone with it: nobody could have known.
        kept = np.bincount(codes)[codes[rows]] > 1
        return np.concatenate(parts, axis=1)[:, kept], rows[kept]

    def _scores_without_self(self, queries, rows, candidates):
        return self._path_scores(queries, rows, candidates, skip_self=True)

    def _folded_scores(self, data, codes, candidates):
        """Scores of samples by models of the other two thirds; the samples' positions."""
        scores = np.full((len(candidates), len(codes), len(self.classes_)), -np.inf)
        known = np.zeros(len(codes), dtype=bool)
        for train, held_out in stratified_folds(codes):
            seen = np.unique(codes[train])
            if len(seen) < 2 or not len(held_out):
                continue
            try:
                found = self._fold_scores(data, codes, candidates, train, held_out)
            except InputError:  # too few samples of a class, say, for what the method needs
                continue
            scores[:, held_out[:, None], seen] = found
            known[held_out] = np.isin(codes[held_out], seen)
        rows = np.flatnonzero(known)
        return scores[:, rows], rows

    def _fold_scores(self, data, codes, candidates, train, held_out):
        model = self._unweighted()
        model._given_weights = None if self._weights is None else self._weights[train]
        model.set_params(**self._with_fewer_neighbors(model.get_params(), len(train)))
        part, queries = (_cut(data, rows, train) for rows in (train, held_out))
        if candidates == [{}]:
            model.fit(part, codes[train])
            return model._all_scores(model._queries(queries))[None]
        fewer = [self._with_fewer_neighbors(c, len(train)) for c in candidates]
        return model.fit_path(part, codes[train], fewer).path_scores(queries)

    def _unweighted(self):
        """A copy for parts of the samples, whose scores are asked for."""
        return clone(self).set_params(calibration="none", costs=None)

    def _with_fewer_neighbors(self, parameters, largest):
        """Parameters whose neighbourhoods are at most so large; of a candidate, or changes."""
        names = [n for n in parameters if n.rsplit("__", 1)[-1] == "n_neighbors"]
        own = {} if "n_neighbors" in parameters or "n_neighbors" not in self._path else {
            "n_neighbors": self.n_neighbors
        }  # fmt: skip
        changes = {n: parameters[n] for n in names} | own
        changes = {n: v for n, v in changes.items() if isinstance(v, Integral) and v > largest}
        return parameters | dict.fromkeys(changes, largest)

    def _as_queries(self, data):
        return data

    def _evidence(self, scores):
        if self._link == "indicators" or self._far_out:
            scores = self._own_probabilities(scores)
            return evidence_of(scores, shares=True)
        return evidence_of(scores, shares=self._link == "shares")

    def _probabilities(self, scores, candidate=0):
        """Probabilities (m, n_classes) of the scores of one candidate of a path."""
        if self._calibrations is None:
            return self._own_probabilities(scores)
        calibration = Calibration(*self._calibrations[candidate])
        winners = scores.argmax(axis=1)
        return calibration.decided(self._evidence(scores), self.calibration_priors_, winners)

    def _log_probabilities(self, scores, candidate=0):
        if self._calibrations is None:
            return self._own_log_probabilities(scores)
        with np.errstate(divide="ignore"):
            return np.log(self._probabilities(scores, candidate))

    def _own_probabilities(self, scores):
        return _LINKS[self._link](scores)

    def _own_log_probabilities(self, scores):
        if self._link == "log":
            return log_softmax(scores)
        with np.errstate(divide="ignore"):
            return np.log(self._own_probabilities(scores))


def stratified_folds(codes):
    """(training, held-out) positions of each fold; members of a class take turns."""
    turns = np.empty(len(codes), dtype=np.intp)
    for g in np.unique(codes):
        members = np.flatnonzero(codes == g)
        turns[members] = (np.arange(len(members)) + g) % N_FOLDS
    positions = np.arange(len(codes))
    return [(positions[turns != f], positions[turns == f]) for f in range(N_FOLDS)]


def _cut(data, rows, columns):
    """Part of checked training data: blocks by rows and columns, tables by rows."""
    return data[rows] if isinstance(data, np.ndarray) else data[np.ix_(rows, columns)]
