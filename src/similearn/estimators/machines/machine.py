"""What the kernel and feature machines share: scores, their calibration, their paths."""

import numpy as np
from sklearn.base import clone

from similearn.errors import ConvergenceWarning, warn
from similearn.estimators.shell.base import PairwiseClassifier
from similearn.estimators.shell.parameters import require_choice, require_positive
from similearn.estimators.shell.scale_free import InUnits
from similearn.numerics.scores.decide import softmax
from similearn.numerics.scores.temperature import inverse_temperature

CALIBRATIONS = ("temperature", "none")
N_FOLDS = 3


class MachineClassifier(InUnits, PairwiseClassifier):
    """Classifiers whose own scores are no probabilities, and become so by calibration.

    With ``calibration="temperature"`` the model is refitted on three parts of the
    training block, each time leaving one third of rows *and* columns out, and one number
    is learned from the scores of those left out; scores are multiplied by it and are
    then log-probabilities up to a constant. Decisions are the same with or without.

    Hooks
    -----
    ``_learn(block, codes, candidates)`` learns all candidates, dicts of `_path` parameters.

    ``_machine_scores(block, rows, candidates, skip_self)`` returns (n_candidates,
    len(rows), n_classes), uncalibrated.

    Both see blocks divided by ``unit_``, and take parameters from `_parameters`, see `InUnits`.
    """

    calibration = "none"

    @property
    def _link(self):
        return None if self.calibration == "none" else "log"

    @property
    def _enough_for_decisions(self):
        """Parameters that leave decisions as they are; costs weigh probabilities."""
        return {"calibration": "none"} if self.costs is None else {}

    def _fit_path(self, block, codes, candidates):
        require_choice("calibration", self.calibration, CALIBRATIONS)
        self._learn(self._set_unit(block), codes, candidates)
        self.inverse_temperatures_ = np.ones(len(candidates))
        if self.calibration == "temperature":
            held_out = self._held_out_scores(block, codes, candidates)
            found = [inverse_temperature(scores, codes) for scores in held_out]
            self.inverse_temperatures_ = np.array(found)

    def calibration_losses(self, X, y, candidates):
        """Log-losses (n_candidates,) of the samples that the calibration learns from.

        `similearn.PathSearchCV` asks for them where candidates decide equally well. The
        candidates are dicts of `_path` parameters; nothing of the model itself changes but
        ``classes_`` and its like. NaN without a calibration.
        """
        block, codes = self._checked_training(X, y)
        if self._link is None:
            return np.full(len(candidates), np.nan)
        held_out = self._held_out_scores(block, codes, candidates)
        own = np.arange(len(codes)), codes
        told = [softmax(inverse_temperature(s, codes) * s)[own] for s in held_out]
        return -np.log(np.maximum(told, np.finfo(np.float64).eps)).mean(axis=1)

    def _path_scores(self, block, rows, candidates, skip_self=False):
        scores = self._bounded_scores(
            lambda data: self._machine_scores(data, rows, candidates, skip_self=skip_self), block
        )
        return scores * self.inverse_temperatures_[:, None, None]

    def _held_out_scores(self, block, codes, candidates):
        """Scores (n_candidates, n, n_classes) of samples by models that never saw them."""
        scores = np.full((len(candidates), len(codes), len(self.classes_)), -np.inf)
        for train, held_out in stratified_folds(codes):
            seen = np.unique(codes[train])
            if len(seen) < 2 or not len(held_out):
                continue
            model = clone(self).set_params(calibration="none", costs=None)
            model.fit_path(block[np.ix_(train, train)], codes[train], candidates)
            part = model.path_scores(block[np.ix_(held_out, train)])
            scores[:, held_out[:, None], seen] = part
        return scores

    def _parameters(self, candidates):
        """For each candidate a dict of its positive parameters, checked, in units of the data."""
        return [
            {
                name: self._parameter(name, require_positive(name, c.get(name, value)))
                for name, value in ((name, getattr(self, name)) for name in self._unit_powers)
            }
            for c in candidates
        ]


def stratified_folds(codes):
    """(training, held-out) positions of each fold; members of a class take turns."""
    turns = np.empty(len(codes), dtype=np.intp)
    for g in np.unique(codes):
        members = np.flatnonzero(codes == g)
        turns[members] = (np.arange(len(members)) + g) % N_FOLDS
    positions = np.arange(len(codes))
    return [(positions[turns != f], positions[turns == f]) for f in range(N_FOLDS)]


def warn_unconverged(estimator, n_failed, n_problems, remedy):
    """One warning for all problems that were given up before their tolerance.

    `remedy` names parameters that the estimator has.
    """
    if n_failed:
        limit = getattr(estimator, "max_iter", None)
        where = "their limit of steps" if limit is None else f"max_iter={limit}"
        warn(
            f"{type(estimator).__name__}: {n_failed} of {n_problems} optimizations stopped at "
            f"{where} before reaching their tolerance. {remedy}",
            ConvergenceWarning,
            stacklevel=2,
        )
