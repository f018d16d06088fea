"""The linear programming machine."""

import numpy as np

from similearn.estimators.machines.machine import warn_unconverged
from similearn.estimators.machines.pair_classifier import PairClassifier
from similearn.estimators.probabilities.sample_weights import WeightedSamples
from similearn.numerics.machines.lp_machine import lp_machine_path


class LPMachineClassifier(WeightedSamples, PairClassifier):
    r"""Linear classifier on similarities that keeps few of them, by linear programming.

    JMLR eq. (5), after Graepel et al.: for each pair of classes minimize
    :math:`\|w\|_1 + C \sum_i \max(0, 1 - y_i (w^T s_i + b))` over the similarities of their
    samples to each other, which may be asymmetric and indefinite.

    Parameters
    ----------
    C : float, default=1.0
        Cost of errors; the smaller, the fewer samples are kept.
    calibration : {"temperature", "none"}, default="temperature"
        {calibration}
    class_weight : dict, "balanced" or None, default=None
        {class_weight}
    costs : (n_classes, n_classes) array, dict or "balanced", optional
        {costs}
    n_jobs : int, optional
        {n_jobs}

    Attributes
    ----------
    classes_ : (n_classes,)
    coef_ : (n_pairs, n) w of each pair (0, 1), (0, 2), ... of classes
    intercept_ : (n_pairs,)
    unit_ : float, a power of two by which similarities are divided before they meet the
        coefficients; one unless their largest magnitude is beyond 1e±30
    prototypes_ : (n_prototypes_,) positions of the training samples that are kept; the
        similarities of queries to others are never looked at
    n_prototypes_ : int
    objectives_ : (n_pairs,)

    Notes
    -----
    Solved by HiGHS (SciPy). The rows ψ(x, ·) are used as they are, of similarities and
    dissimilarities alike. Scores count the pairs that a class wins; a
    tie goes to the larger sum of decisions.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import LPMachineClassifier
    >>> S = np.kron(np.eye(2), np.ones((3, 3)))
    >>> model = LPMachineClassifier(C=10.0).fit(S, ["a", "a", "a", "b", "b", "b"])
    >>> model.predict([[0.8, 0.9, 0.7, 0.1, 0.2, 0.0]]), model.n_prototypes_
    (array(['a'], dtype='<U1'), 1)
    """

    _scalable_form = (
        "make_pipeline(PrototypeFeatures('random', n_prototypes=500), LinearSVC(penalty='l1'))"
    )
    _both_directions = False
    _path = ("C",)
    _unit_powers = {"C": 1}  # noqa: RUF012
    _simpler = ("-C",)

    def __init__(
        self, C=1.0, *, calibration="temperature", class_weight=None, costs=None, n_jobs=None
    ):
        self.C = C
        self.calibration = calibration
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs

    def _learn(self, block, codes, candidates):
        self.objectives_, self._solved = [], []
        super()._learn(block, codes, candidates)
        self.objectives_ = np.array(self.objectives_)[:, 0] / self.unit_
        n_failed = np.count_nonzero(~np.array(self._solved))
        del self._solved
        remedy = "Scale the similarities, or lower C."
        warn_unconverged(self, n_failed, self._intercepts.size, remedy)

    def _learn_pair(self, S, signs, parameters, weights):
        solutions = lp_machine_path(S, signs, [p["C"] for p in parameters], weights)
        self.objectives_.append([s.objective for s in solutions])
        self._solved.append([s.solved for s in solutions])
        return np.array([s.weights for s in solutions]), [s.intercept for s in solutions]
