"""The robust support vector machine for indefinite similarities."""

import numpy as np

from similearn.estimators.machines.machine import warn_unconverged
from similearn.estimators.machines.pair_classifier import PairClassifier
from similearn.estimators.probabilities.sample_weights import WeightedSamples
from similearn.estimators.shell.parameters import require_integer, require_positive
from similearn.numerics.machines.robust_svc import RobustProblem, robust_svm


class RobustSVC(WeightedSamples, PairClassifier):
    r"""Support vector machine that is robust against the worst kernel near the similarities.

    JMLR eq. (2), after Luss and d'Aspremont: for each pair of classes, with S the
    symmetric part of the block of their samples,

    .. math:: \max_\alpha \min_{K \succeq 0} 1^T\alpha - \frac12 \alpha^T Y K Y \alpha
              + \rho \|K - S\|_F^2

    Parameters
    ----------
    C : float, default=1.0
        Cost of errors.
    rho : float, default=1.0
        Cost of a kernel that differs from S; the larger, the nearer to spectrum clip.
    calibration : {"temperature", "none"}, default="temperature"
        {calibration}
    class_weight : dict, "balanced" or None, default=None
        {class_weight}
    tol : float, default=1e-3
        Relative duality gap at which a machine is taken as solved.
    max_iter : int, default=5000
        Steps after which it is given up, with a `ConvergenceWarning`.
    costs : (n_classes, n_classes) array, dict or "balanced", optional
        {costs}
    n_jobs : int, optional
        {n_jobs}

    Attributes
    ----------
    classes_ : (n_classes,)
    coef_ : (n_pairs, n) see Notes
    unit_ : float, a power of two by which similarities are divided before they meet the
        coefficients; one unless their largest magnitude is beyond 1e±30
    intercept_ : (n_pairs,)
    prototypes_ : (n_prototypes_,) positions of the training samples that are used at all
    gaps_ : (n_pairs,) duality gaps, relative to the primal values of the machines with the worst
        kernel; they come from its own eigendecomposition, not from the solver
    n_iter_ : (n_pairs,)

    Notes
    -----
    The worst kernel is K = (S + v vᵀ/4ρ)₊ with v = Yα. The paper leaves the treatment of
    queries open. Here the similarities s of a query are projected onto the eigenvectors that
    K keeps, as spectrum clip does with those of S; a query has no coefficient, so that v vᵀ
    adds nothing to it. The decision is then linear in s, and its coefficients P v are
    what is stored.
    With similarities in another unit, c S, the parameters C / c and ρ / c³ give the same decisions.
    Cost of `fit`: two eigendecompositions per pair, O(n³), and O(n²) per step.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import RobustSVC
    >>> S = np.kron(np.eye(2), np.ones((3, 3)))
    >>> model = RobustSVC().fit(S, ["a", "a", "a", "b", "b", "b"])
    >>> model.predict([[0.8, 0.9, 0.7, 0.1, 0.2, 0.0]])
    array(['a'], dtype='<U1')
    """

    kind = "similarity"
    _path = ("C", "rho")
    _unit_powers = {"C": 1, "rho": 3}  # noqa: RUF012
    _simpler = ("-C", "rho")

    def __init__(
        self,
        C=1.0,
        rho=1.0,
        *,
        calibration="temperature",
        class_weight=None,
        tol=1e-3,
        max_iter=5000,
        costs=None,
        n_jobs=None,
    ):
        self.C = C
        self.rho = rho
        self.calibration = calibration
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.costs = costs
        self.n_jobs = n_jobs

    def _learn(self, block, codes, candidates):
        require_positive("tol", self.tol)
        require_integer("max_iter", self.max_iter)
        self.gaps_, self.n_iter_ = [], []
        super()._learn(block, codes, candidates)
        self.gaps_, self.n_iter_ = np.array(self.gaps_), np.array(self.n_iter_)[:, 0]
        n_failed = np.count_nonzero(self.gaps_ > self.tol)
        warn_unconverged(self, n_failed, self.gaps_.size, "Raise max_iter or tol, or lower C.")
        self.gaps_ = self.gaps_[:, 0]

    def _block_values(self, block, rows):
        return block.rows(rows, both=True)

    def _learn_pair(self, S, signs, parameters, weights):
        solutions, coefficients = [], []
        problem = RobustProblem(S, signs, 1.0)
        factors = 1.0 if weights is None else weights
        for p in parameters:
            problem.rho = p["rho"]
            solution = robust_svm(problem, p["C"] * factors, self.tol, self.max_iter)
            coefficients.append(solution.projected)
            solutions.append(solution)
        self.gaps_.append([s.relative_gap for s in solutions])
        self.n_iter_.append([max(s.n_iter, 1) for s in solutions])
        return np.array(coefficients), [s.intercept for s in solutions]
