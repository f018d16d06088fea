"""Bayesian discriminant analysis of features, over whole classes or near the query."""

import numpy as np

from similearn.estimators.probabilities.sample_weights import WeightedSamples
from similearn.estimators.shell.feature_tables import FeatureClassifier, LocalFeatureClassifier
from similearn.estimators.shell.parameters import require_priors
from similearn.numerics.gaussian.bda import (
    local_log_likelihoods,
    local_mean_distances,
    predictive_density,
)
from similearn.numerics.scores.decide import running_class_sums


class BDAClassifier(WeightedSamples, FeatureClassifier):
    r"""Bayesian quadratic discriminant analysis: Gaussian classes of uncertain parameters.

    Each class is a Gaussian of unknown mean and covariance, with a flat prior on the mean
    and an inverted Wishart prior on the covariance: q = d + 3 and
    :math:`B_g = 0.95\, q\, \mathrm{diag}(\hat\Sigma_{ML,g}) + 0.05\, I` (Fusing §2). Its
    samples then predict a Student t density for the next one, which stays well posed with
    fewer samples than features.

    Parameters
    ----------
    priors : (n_classes,) array, optional
        Probabilities of the classes; by default their shares among the training samples.
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
    priors_ : (n_classes,)
    densities_ : list of `similearn.numerics.gaussian.bda.PredictiveDensity`, one per class

    Notes
    -----
    Fusing eq. 1 with all samples of the class as its neighbours. As printed there the
    formula is (2π)^(d/2) times a density, and its sums run over all classes' samples; here
    it is the density, so that log-likelihoods can be compared across sources.
    0.05 I is in squared units of the features: standardize them first. A feature that never
    varies is harmless.
    Cost: O(n d min(n, d)) at fit, O(m G d min(n, d)) for m queries.

    See Also
    --------
    LocalBDAClassifier : the same near each query.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import BDAClassifier
    >>> X = np.array([[0.0], [1.0], [2.0], [5.0], [6.0], [7.0]])
    >>> model = BDAClassifier().fit(X, [0, 0, 0, 1, 1, 1])
    >>> model.predict_proba([[1.0], [3.5], [4.0]]).round(2)
    array([[0.94, 0.06],
           [0.5 , 0.5 ],
           [0.21, 0.79]])
    """

    _link = "log"

    def __init__(
        self, *, priors=None, calibration="temperature", class_weight=None, costs=None, n_jobs=None
    ):
        self.priors = priors
        self.calibration = calibration
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs

    @property
    def _far_out(self):
        """Priors of zero rule classes out."""
        return self.priors is not None

    def _fit(self, X, codes):
        shares = self._shares(codes)
        self.priors_ = shares if self.priors is None else require_priors(self.priors, shares)
        self.densities_ = [predictive_density(X[codes == g]) for g in range(len(self.classes_))]

    def _scores(self, X, rows):
        return self._log_likelihoods(X[rows]) + _logarithms(self.priors_)

    def _log_likelihoods(self, queries):
        return np.stack([density.log_density(queries) for density in self.densities_], axis=1)

    def _row_bytes(self, X):
        sizes = [len(density.factor) for density in self.densities_]
        return super()._row_bytes(X) + 8 * (4 * X.shape[1] + 2 * max(sizes))

    def _explain(self, X):
        likelihoods = self._in_chunks(lambda rows: self._log_likelihoods(X[rows]), X)
        priors = np.broadcast_to(_logarithms(self.priors_), likelihoods.shape)
        return {"terms": {"log-likelihood": likelihoods, "log-prior": priors}}


class LocalBDAClassifier(WeightedSamples, LocalFeatureClassifier):
    """Bayesian discriminant analysis of the query's k nearest samples *of each class*.

    Every query has its own Gaussians, one per class. Their parameters are not estimated but
    averaged over, since few neighbours leave them uncertain (Fusing §2, eq. 1). The boundary
    between classes can be curved where a single Gaussian per class is too rigid.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours of each class, by Euclidean distance. A class with fewer samples gives
        all it has.
    priors : "neighborhood" or (n_classes,) array, optional
        Probabilities of the classes; by default their shares among the training samples.
        "neighborhood" takes their shares among the k nearest samples of any class, as
        Fusing eq. 6 does: a class that is not among them is then impossible.
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
    codes_ : (n,) positions in ``classes_`` of the training labels
    counts_ : (n_classes,) training samples of each class
    mean_weights_ : (n_classes,) mean weights of the training samples of each class

    Notes
    -----
    q = d + 3 and B_g = 0.95 q diag(Σ_ML,g) + 0.05 I of the neighbourhood. As printed, eq. 1
    is (2π)^(d/2) times a density, and its sums run over all samples; here the sums run over
    the k neighbours of the class, and the result is the Student t density, which integrates
    to one, so that log-likelihoods can be compared across sources. 0.05 I is in squared
    units of the features: standardize them first.
    With all samples as neighbours this is `BDAClassifier`.
    Cost for m queries: O(m n d) for the neighbours and O(m G k d min(k, d)) for the
    densities. Every k is scored from one neighbour search by `PathSearchCV`.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import LocalBDAClassifier
    >>> X = np.array([[0.0], [0.3], [0.4], [1.0], [1.1], [1.3]])
    >>> model = LocalBDAClassifier(n_neighbors=2).fit(X, list("aabbba"))
    >>> model.predict([[0.2], [1.0]])
    array(['a', 'b'], dtype='<U1')
    >>> model.predict_proba([[0.2], [1.0]]).round(2)
    array([[0.77, 0.23],
           [0.22, 0.78]])
    """

    _link = "log"

    def __init__(
        self,
        n_neighbors=5,
        *,
        priors=None,
        calibration="temperature",
        class_weight=None,
        costs=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.priors = priors
        self.calibration = calibration
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs

    @property
    def _far_out(self):
        """A class without a neighbour, or a prior of zero, is ruled out."""
        return self.priors is not None

    def _fit_path(self, X, codes, candidates):
        super()._fit_path(X, codes, candidates)
        self._keep_weights()
        self.mean_weights_ = self._shares(codes) * len(codes) / self.counts_
        if self.priors is not None and not self._by_neighborhood():
            require_priors(self.priors, self.counts_)

    def _by_neighborhood(self):
        return isinstance(self.priors, str) and self.priors == "neighborhood"

    def _class_scores(self, queries, rows, near, ks):
        return local_log_likelihoods(queries, rows, near, ks)

    def _log_priors(self, found, ks, own):
        if self._by_neighborhood():
            positions, distances = found.nearest_first()
            known = np.isfinite(distances) * self._weights_of(positions)
            codes = self.codes_[positions]
            sizes = np.minimum(ks, positions.shape[1])
            sums = running_class_sums(known, codes, len(self.classes_), sizes)
            sums[sums.sum(axis=2) == 0] = self.counts_ * self.mean_weights_
            return _logarithms(np.moveaxis(sums / sums.sum(axis=2, keepdims=True), 1, 0))
        if self.priors is not None:
            return _logarithms(require_priors(self.priors, self.counts_))
        counts = self.counts_[None, :]
        if own is not None:
            counts = counts - np.eye(len(self.classes_))[self.codes_[own]]
        counts = counts * self.mean_weights_
        return _logarithms(counts / counts.sum(axis=1, keepdims=True))

    def _terms(self, likelihoods, log_priors):
        priors = np.broadcast_to(log_priors, (1, *likelihoods.shape))[0]
        return {"log-likelihood": likelihoods, "log-prior": priors}


class LocalNearestMeansClassifier(LocalFeatureClassifier):
    """Classify to the nearest of the classes' local means (Mitani and Hamamoto).

    The local mean of a class is that of its k samples nearest to the query. Fusing compares
    local BDA to it (§6.1).

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours of each class, by Euclidean distance. A class with fewer samples gives
        all it has.
    n_jobs : int, optional
        {n_jobs}

    Attributes
    ----------
    classes_ : (n_classes,)
    codes_ : (n,) positions in ``classes_`` of the training labels
    counts_ : (n_classes,) training samples of each class

    Notes
    -----
    Scores are negative distances; the method defines no probabilities. With
    ``n_neighbors=1`` it is the nearest neighbour rule, with all samples the nearest class
    mean. Cost for m queries: O(m n d). Every k is scored from one neighbour search by
    `PathSearchCV`.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import LocalNearestMeansClassifier
    >>> X = np.array([[0.0], [0.3], [0.4], [1.0], [1.1], [1.3]])
    >>> LocalNearestMeansClassifier(n_neighbors=2).fit(X, list("aabbba")).predict([[0.2], [1.0]])
    array(['a', 'b'], dtype='<U1')
    """

    _link = None

    def __init__(self, n_neighbors=5, *, n_jobs=None):
        self.n_neighbors = n_neighbors
        self.n_jobs = n_jobs

    def _class_scores(self, queries, rows, near, ks):
        return -local_mean_distances(queries, rows, near, ks)


def _logarithms(probabilities):
    with np.errstate(divide="ignore"):
        return np.log(probabilities)
