"""scikit-learn's boosted trees, with the calibration and the decisions of our own classifiers."""

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from similearn.estimators.shell.feature_tables import FeatureClassifier


class BoostedTreesClassifier(FeatureClassifier):
    """Gradient-boosted trees on a table of features, by scikit-learn and with its settings.

    Their own probabilities are far too sure of themselves where samples are few.

    Parameters
    ----------
    calibration : {"temperature", "none"}, default="temperature"
        {calibration}
    costs : (n_classes, n_classes) array, dict or "balanced", optional
        {costs}
    n_jobs : int, optional
        {n_jobs}

    Attributes
    ----------
    classes_ : (n_classes,)
    trees_ : the fitted `HistGradientBoostingClassifier`, of positions in ``classes_``
    """

    _link = "log"

    def __init__(
        self, *, calibration: str = "temperature", costs: Any = None, n_jobs: Any = None
    ) -> None:
        self.calibration = calibration
        self.costs = costs
        self.n_jobs = n_jobs

    def _fit(self, X: Any, codes: Any) -> None:
        self.trees_ = HistGradientBoostingClassifier().fit(X, codes)

    def _scores(self, X: Any, rows: slice) -> Any:
        """Sums of the trees: log-probabilities up to a constant of each row."""
        sums = self.trees_.decision_function(X[rows])
        return np.column_stack([-sums / 2, sums / 2]) if sums.ndim == 1 else sums
