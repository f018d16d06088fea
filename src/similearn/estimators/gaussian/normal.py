"""Normal densities of the classes: regularized linear and quadratic classifiers."""

import numpy as np

from similearn.errors import InputError
from similearn.estimators.probabilities.sample_weights import WeightedSamples
from similearn.estimators.shell.feature_tables import FeatureClassifier
from similearn.estimators.shell.parameters import require_choice, require_positive
from similearn.estimators.shell.scale_free import InUnits
from similearn.numerics.gaussian.normal import ShrunkNormal
from similearn.numerics.linalg.units import in_units

COVARIANCES = ("shared", "own")


class NormalClassifier(WeightedSamples, InUnits, FeatureClassifier):
    r"""Regularized linear or quadratic normal density classifier (RLNC, RQNC).

    Pekalska and Duin's classifiers of similarities as features (JMLR §3, DBoost §4): put
    `PrototypeFeatures` before it. Each class is a normal density with covariance
    :math:`(1 - r)\,\Sigma + r\,\frac{\mathrm{tr}\Sigma}{d} I`, so that there may be
    fewer samples than features.

    Parameters
    ----------
    covariance : {"shared", "own"}, default="shared"
        One covariance for all classes makes it linear (RLNC), one for each quadratic (RQNC).
    shrinkage : float, default=0.1
        r, between 0 (excluded) and 1.
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
    priors_ : (n_classes,) shares of the classes among the training samples
    densities_ : list of `similearn.numerics.gaussian.normal.ShrunkNormal`, one per class

    Notes
    -----
    A class of one sample, or of equal ones, has covariance I. Covariances are maximum likelihood
    estimates. Cost: O(n d² + G d³) at fit, shared by all shrinkages; O(d²) for a query and class.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from similearn import NormalClassifier, PrototypeFeatures
    >>> points = np.array([0.0, 1.0, 2.0, 6.0, 7.0, 8.0])
    >>> D = abs(points[:, None] - points)
    >>> model = make_pipeline(PrototypeFeatures([0, 5]), NormalClassifier())
    >>> model.fit(D, ["a", "a", "a", "b", "b", "b"]).predict(D)
    array(['a', 'a', 'a', 'b', 'b', 'b'], dtype='<U1')
    """

    _link = "log"
    _path = ("shrinkage",)
    _simpler = ("shrinkage",)

    def __init__(
        self,
        covariance="shared",
        *,
        shrinkage=0.1,
        calibration="temperature",
        class_weight=None,
        costs=None,
        n_jobs=None,
    ):
        self.covariance = covariance
        self.shrinkage = shrinkage
        self.calibration = calibration
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs

    def _fit_path(self, X, codes, candidates):
        require_choice("covariance", self.covariance, COVARIANCES)
        for share in self._shrinkages(candidates):
            if require_positive("shrinkage", share) > 1:
                raise InputError(f"shrinkage={share} is out of range; expected at most 1.")
        X = self._set_unit(X)
        counts = np.bincount(codes)
        self.priors_ = self._shares(codes)
        means = [X[codes == g].mean(axis=0) for g in range(len(counts))]
        scatters = [_scatter(X[codes == g] - means[g]) for g in range(len(counts))]
        if self.covariance == "shared":
            shared = ShrunkNormal.of(means[0], sum(scatters), len(codes))
            self.densities_ = [shared._replace(mean=mean) for mean in means]
        else:
            self.densities_ = [
                ShrunkNormal.of(mean, scatter, n)
                for mean, scatter, n in zip(means, scatters, counts, strict=True)
            ]

    def _shrinkages(self, candidates):
        return [c.get("shrinkage", self.shrinkage) for c in candidates]

    def _path_scores(self, X, rows, candidates, skip_self=False):
        shares = np.array(self._shrinkages(candidates))
        flat = in_units(1.0, self.unit_, -2)

        def scores(data):
            parts = [density.log_density(data[rows], shares, flat) for density in self.densities_]
            return np.stack(parts, axis=2)

        return self._bounded_scores(scores, X) + np.log(self.priors_)

    def _row_bytes(self, X):
        return super()._row_bytes(X) + 8 * 4 * X.shape[1]


def _scatter(centred):
    return centred.T @ centred
