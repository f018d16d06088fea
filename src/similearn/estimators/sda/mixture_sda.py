"""Similarity discriminant analysis with several centroids for each class."""

from itertools import chain

import numpy as np
from scipy.special import logsumexp

from similearn.data.checks import require_random_state
from similearn.errors import ConvergenceWarning, warn
from similearn.estimators.names.old_names import renamed
from similearn.estimators.probabilities.sample_weights import WeightedSamples
from similearn.estimators.sda.global_sda import support_of
from similearn.estimators.shell.base import PairwiseClassifier
from similearn.estimators.shell.parameters import require_integer, require_positive
from similearn.numerics.neighbors.medoids import k_medoids
from similearn.numerics.sda.maxent import log_pmf, rate_table
from similearn.numerics.sda.mixture_sda import fit_mixtures
from similearn.numerics.sda.support import to_unit


@renamed(attributes={"support_": "pmf_support_", "weights_": "component_weights_"})
class MixtureSDAClassifier(WeightedSamples, PairwiseClassifier):
    """Classify by the similarity to several centroids of every class.

    Given class g, the similarities to the centroids μ_ml of class m have the likelihood
    Σ_l w_gml γ_gml exp(λ_gml ψ(x, μ_ml)); the classes m are taken as independent (JMLR §6.1).
    Centroids are found once, by k-medoids; weights and rates by expectation-maximization.

    Parameters
    ----------
    n_components : int, default=2
        Centroids of each class; a class of fewer samples has one for each. With one it is
        `SDAClassifier`.
    support : "observed" or int, default="observed"
        Ω, see `SDAClassifier`.
    n_init : int, default=3
        Starts of expectation-maximization, the best of which is kept: the first from each
        sample's nearest centroid, the others random.
    max_iter : int, default=1000
    tol : float, default=1e-6
        It has converged when the mean log-likelihood of a sample grows by no more.
    random_state : int, RandomState instance or None, default=None
        For the random starts.
    kind : {"similarity", "dissimilarity"}, optional
        {kind}
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
    pmf_support_ : Ω, the values that a similarity can take
    medoids_ : list of n_classes arrays, the centroids among the training samples
    component_weights_, rates_, log_norms_ : (n_classes, n_classes, n_components), weights, rates
        and log-normalizers of class g at centroid l of class m; weights are zero where a class has
        fewer centroids
    log_likelihoods_ : (n_classes, n_classes), of the training samples of class g at class m
    n_iter_ : int, the longest of the runs kept
    priors_ : (n_classes,) shares of the classes among the training samples

    Notes
    -----
    Values outside Ω, deltas, grouping and sparse blocks are treated as in `SDAClassifier`. A
    `ConvergenceWarning` tells when a run that is kept did not converge. Cost: fit O(c Σ_g n_g²)
    for the centroids and O(n G c) for each round; predict O(m G² c).

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import MixtureSDAClassifier
    >>> S = np.array([[9, 7, 2, 1], [7, 9, 3, 2], [2, 3, 9, 8], [1, 2, 8, 9.0]])
    >>> model = MixtureSDAClassifier(2, random_state=0).fit(S, ["a", "a", "b", "b"])
    >>> model.predict([[8, 6, 1, 2.0]])
    array(['a'], dtype='<U1')
    """

    _scalable_form = "LocalSDAClassifier()"
    _link = "log"
    _both_directions = False  # there are no neighbours to find

    def __init__(
        self,
        n_components=2,
        *,
        support="observed",
        n_init=3,
        max_iter=1000,
        tol=1e-6,
        random_state=None,
        kind=None,
        calibration="temperature",
        class_weight=None,
        costs=None,
        n_jobs=None,
    ):
        self.n_components = n_components
        self.support = support
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.kind = kind
        self.calibration = calibration
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs

    def _fit(self, block, codes):
        require_integer("n_components", self.n_components)
        require_integer("n_init", self.n_init)
        require_integer("max_iter", self.max_iter)
        require_positive("tol", self.tol, zero=True)
        self.pmf_support_ = support_of(block, self.support)
        self.priors_ = self._shares(codes)
        members = [np.flatnonzero(codes == g) for g in range(len(self.classes_))]
        self.medoids_ = [self._medoids(block, rows) for rows in members]
        self._fit_mixtures(block, members)

    def _medoids(self, block, rows):
        units = self._units(block, rows, rows)
        nearness = units if block.large_is_near else 1.0 - units
        return rows[k_medoids(nearness, min(self.n_components, len(rows)))]

    def _units(self, block, rows, columns):
        """Unit similarities of some rows of a block to some columns."""
        return to_unit(self.pmf_support_, block.columns(columns, rows, unknown=np.inf))

    def _fit_mixtures(self, block, members):
        n_classes, table = len(members), rate_table(self.pmf_support_)
        shape = (n_classes, n_classes, max(len(medoids) for medoids in self.medoids_))
        self.component_weights_, self.rates_, self.log_norms_ = np.zeros((3, *shape))
        self.log_likelihoods_ = np.empty(shape[:2])
        rng, self.n_iter_, n_unfinished = require_random_state(self.random_state), 0, 0
        all_units = [self._units(block, slice(None), medoids) for medoids in self.medoids_]
        for g, rows in enumerate(members):
            starts = [self._starts(units[rows], block.large_is_near, rng) for units in all_units]
            for m, best in enumerate(self._best_mixtures(table, all_units, rows, starts)):
                self.component_weights_[g, m] = best.weights
                self.rates_[g, m], self.log_norms_[g, m] = best.rates, best.log_norms
                self.log_likelihoods_[g, m] = best.history[-1]
                self.n_iter_ = max(self.n_iter_, len(best.history))
                n_unfinished += not best.converged
        if n_unfinished:
            warn(
                f"{n_unfinished} of {n_classes**2} mixtures did not converge within "
                f"max_iter={self.max_iter} rounds to tol={self.tol}; raise either.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _starts(self, units, large_is_near, rng):
        """Shares (n, c) of samples in components to begin with, for each start."""
        n, c = units.shape
        nearest = (units if large_is_near else 1.0 - units).argmax(axis=1)
        starts = [0.9 * np.eye(c)[nearest] + 0.1 / c]
        if c > 1:
            starts += [rng.dirichlet(np.ones(c), n) for _ in range(self.n_init - 1)]
        return starts

    def _best_mixtures(self, table, all_units, rows, starts):
        """Mixtures of the samples in `rows` at the centroids of every class: the best starts."""
        owners = np.repeat(np.arange(len(starts)), [len(some) for some in starts])
        units, shares = np.zeros((2, len(owners), len(rows), self.component_weights_.shape[2]))
        for i, (m, start) in enumerate(zip(owners, chain.from_iterable(starts), strict=True)):
            units[i, :, : start.shape[1]], shares[i, :, : start.shape[1]] = (
                all_units[m][rows],
                start,
            )
        fitted = fit_mixtures(table, units, shares, max_iter=self.max_iter, tol=self.tol)
        for m in range(len(starts)):
            runs = [fitted[i] for i in np.flatnonzero(owners == m)]
            yield max(runs, key=lambda run: run.history[-1])

    def _scores(self, block, rows):
        return np.log(self.priors_) + self._log_likelihoods(block, rows).sum(axis=2)

    def _log_likelihoods(self, block, rows):
        """Logarithms of Σ_l w_gml γ_gml exp(λ_gml ψ(x, μ_ml)), (queries, g, m)."""
        m = len(range(*rows.indices(len(block))))
        out = np.empty((m, len(self.classes_), len(self.classes_)))
        for h, medoids in enumerate(self.medoids_):
            c = len(medoids)
            units = self._units(block, rows, medoids)
            logs = log_pmf(self.rates_[:, h, :c], self.log_norms_[:, h, :c], units[:, None, :])
            out[:, :, h] = logsumexp(logs, axis=2, b=self.component_weights_[:, h, :c])
        return out

    def _row_bytes(self, data):
        n_classes = len(self.classes_)
        return super()._row_bytes(data) + 64 * n_classes * (n_classes + self.rates_.shape[2])

    def _explain(self, block):
        logs = self._log_likelihoods(block, slice(None))
        terms = {"log prior": np.broadcast_to(np.log(self.priors_), logs.shape[:2])}
        for m, label in enumerate(self.classes_):
            terms[f"log P at the centroids of {label}"] = logs[:, :, m]
        return super()._explain(block) | {"terms": terms}
