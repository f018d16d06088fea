"""What the kernel and feature machines share: scores, their calibration, their paths."""

from similearn.errors import ConvergenceWarning, warn
from similearn.estimators.shell.base import PairwiseClassifier
from similearn.estimators.shell.parameters import require_positive
from similearn.estimators.shell.scale_free import InUnits


class MachineClassifier(InUnits, PairwiseClassifier):
    """Classifiers whose own scores are no probabilities, and become so by calibration.

    Hooks
    -----
    ``_learn(block, codes, candidates)`` learns all candidates, dicts of `_path` parameters.

    ``_machine_scores(block, rows, candidates, skip_self)`` returns (n_candidates,
    len(rows), n_classes), uncalibrated.

    Both see blocks divided by ``unit_``, and take parameters from `_parameters`, see `InUnits`.
    """

    _natural = False

    @property
    def _link(self):
        return None if self.calibration == "none" else "log"

    def _fit_path(self, block, codes, candidates):
        self._learn(self._set_unit(block), codes, candidates)

    def _path_scores(self, block, rows, candidates, skip_self=False):
        return self._bounded_scores(
            lambda data: self._machine_scores(data, rows, candidates, skip_self=skip_self), block
        )

    def _parameters(self, candidates):
        """For each candidate a dict of its positive parameters, checked, in units of the data."""
        return [
            {
                name: self._parameter(name, require_positive(name, c.get(name, value)))
                for name, value in ((name, getattr(self, name)) for name in self._unit_powers)
            }
            for c in candidates
        ]


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
