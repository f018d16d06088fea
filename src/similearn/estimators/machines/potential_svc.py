"""The potential support vector machine."""

import numpy as np

from similearn.estimators.machines.machine import warn_unconverged
from similearn.estimators.machines.pair_classifier import PairClassifier
from similearn.estimators.probabilities.sample_weights import WeightedSamples
from similearn.estimators.shell.parameters import require_positive
from similearn.numerics.machines.potential_svc import GramProblem, potential_svm


class PotentialSVC(WeightedSamples, PairClassifier):
    r"""Potential support vector machine (P-SVM): similarities as features, few of them used.

    JMLR eq. (6), after Hochreiter and Obermayer: for each pair of classes, on the block S of their
    samples with signs y, minimize
    :math:`\frac12\|y - S\alpha\|^2 + \epsilon\|\alpha\|_1` subject to
    :math:`\|\alpha\|_\infty \le C`. S may be asymmetric and indefinite.

    Parameters
    ----------
    epsilon : float, default=1.0
        The larger, the fewer samples are used.
    C : float, default=100.0
        Largest coefficient.
    fit_intercept : bool, default=False
        Equation (6) has no intercept. With one, columns and signs are centred
        first, as Hochreiter and Obermayer do.
    calibration : {"temperature", "none"}, default="temperature"
        {calibration}
    tol : float, default=1e-6
        Duality gap relative to the objective, at which a machine is taken as solved.
    class_weight : dict, "balanced" or None, default=None
        {class_weight}
    costs : (n_classes, n_classes) array, dict or "balanced", optional
        {costs}
    n_jobs : int, optional
        {n_jobs}

    Attributes
    ----------
    classes_ : (n_classes,)
    coef_ : (n_pairs, n) α of each pair (0, 1), (0, 2), ... of classes
    intercept_ : (n_pairs,)
    unit_ : float, a power of two by which similarities are divided before they meet the
        coefficients; one unless their largest magnitude is beyond 1e±30
    prototypes_ : (n_prototypes_,) positions of the training samples that are used at all
    gaps_ : (n_pairs,) duality gaps, relative to the objectives

    Notes
    -----
    The rows ψ(x, ·) are used as they are, of similarities and dissimilarities alike. Scores
    count the pairs that a class wins; a tie goes to the larger sum of decisions. Cost of
    `fit`: O(n³) for each pair, the Gram matrix shared by all ε and C in `PathSearchCV`.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import PotentialSVC
    >>> S = np.kron(np.eye(2), np.ones((3, 3)))
    >>> model = PotentialSVC(epsilon=0.5).fit(S, ["a", "a", "a", "b", "b", "b"])
    >>> model.predict([[0.8, 0.9, 0.7, 0.1, 0.2, 0.0]])
    array(['a'], dtype='<U1')
    """

    _scalable_form = (
        "make_pipeline(PrototypeFeatures('random', n_prototypes=500), LinearSVC(penalty='l1'))"
    )
    _both_directions = False
    _path = ("epsilon", "C")
    _unit_powers = {"epsilon": -1, "C": 1}  # noqa: RUF012
    _simpler = ("epsilon", "-C")

    def __init__(
        self,
        epsilon=1.0,
        C=100.0,
        *,
        fit_intercept=False,
        calibration="temperature",
        class_weight=None,
        tol=1e-6,
        costs=None,
        n_jobs=None,
    ):
        self.epsilon = epsilon
        self.C = C
        self.fit_intercept = fit_intercept
        self.calibration = calibration
        self.class_weight = class_weight
        self.tol = tol
        self.costs = costs
        self.n_jobs = n_jobs

    def _learn(self, block, codes, candidates):
        require_positive("tol", self.tol)
        self.gaps_ = []
        super()._learn(block, codes, candidates)
        self.gaps_ = np.array(self.gaps_)
        n_failed = np.count_nonzero(self.gaps_ > self.tol)
        remedy = "Scale the similarities, or raise epsilon or tol."
        warn_unconverged(self, n_failed, self.gaps_.size, remedy)
        self.gaps_ = self.gaps_[:, 0]

    def _learn_pair(self, S, signs, parameters, weights):
        centre, level = np.zeros(len(signs)), 0.0
        if self.fit_intercept:
            centre, level = (np.average(part, axis=0, weights=weights) for part in (S, signs))
        rows, targets = S - centre, signs - level
        if weights is not None:  # squares count so many times
            rows, targets = np.sqrt(weights)[:, None] * rows, np.sqrt(weights) * targets
        problem = GramProblem.of(rows, targets)
        solutions = self._solutions(problem, parameters)
        self.gaps_.append([s.gap / max(s.objective, np.finfo(float).tiny) for s in solutions])
        alphas = np.array([solution.alpha for solution in solutions])
        return alphas, level - alphas @ centre

    def _solutions(self, problem, parameters):
        """Solve for all candidates; a bound that no coefficient reached may as well be larger."""
        wanted = [(p["epsilon"], p["C"]) for p in parameters]
        found, free = {}, {}
        for epsilon, C in sorted(set(wanted)):
            solution = potential_svm(problem, epsilon, C, self.tol, guess=free.get(epsilon))
            found[epsilon, C] = solution
            if np.abs(solution.alpha).max() < C:
                free.setdefault(epsilon, solution.alpha)
        return [found[pair] for pair in wanted]
