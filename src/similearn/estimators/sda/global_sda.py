"""Similarity discriminant analysis: exponential pmfs of similarities to class centroids."""

from numbers import Integral

import numpy as np

from similearn.errors import InputError, InputTypeError
from similearn.estimators.names.old_names import renamed
from similearn.estimators.probabilities.sample_weights import WeightedSamples
from similearn.estimators.shell.base import PairwiseClassifier
from similearn.estimators.shell.parameters import require_integer
from similearn.numerics.sda.centroids import entries_of, whole
from similearn.numerics.sda.maxent import capped_rates, log_pmf, rate_table
from similearn.numerics.sda.support import (
    MAX_LEVELS,
    continuous_support,
    from_unit,
    observed_support,
    spaced_support,
    to_unit,
)


def support_of(block, choice, *, continuous=False):
    """The support Ω that the parameter `support` means."""
    absent, name = block.absent, choice if isinstance(choice, str) else None
    if name == "observed":
        symmetric = block.same_samples and block.is_symmetric
        return observed_support(block.values, symmetric=symmetric, absent=absent)
    if name == "continuous" and continuous:
        return continuous_support(block.values, absent=absent)
    if not isinstance(choice, Integral):
        known = "'observed', 'continuous'" if continuous else "'observed'"
        raise InputError(f"support={choice!r} is unknown; expected {known} or a number of levels.")
    n_levels = require_integer(
        "support", choice, low=2, high=MAX_LEVELS, high_means="largest number of levels"
    )
    return spaced_support(block.values, n_levels, absent=absent)


@renamed(attributes={"support_": "pmf_support_"})
class SDAClassifier(WeightedSamples, PairwiseClassifier):
    """Classify by how similar a sample is to the centroid of every class.

    The centroid of a class is its training sample of largest sum-similarity (least
    sum-dissimilarity) to the class. Given class g, the similarity to the centroid of class h
    has the pmf of maximum entropy on Ω with the mean observed in training, an exponential
    γ e^{λs}; the G similarities are taken as independent (JMLR eq. 17-20).

    Parameters
    ----------
    support : {"observed", "continuous"} or int, default="observed"
        Ω. "observed": all distinct training values; where there are more than 1024 they are
        grouped, see Notes. An integer: so many evenly spaced levels from the least to the
        greatest training value. "continuous": the interval between these, with densities.
    self_similarity : bool, default=True
        Whether a sample's similarity to itself counts in the sum that makes it the centroid
        of its class. RegSDA eq. 1 sums over the whole class, which is the default; JMLR §6
        over "the other training samples of its class". They differ where self-similarities do.
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
    centroids_ : (n_classes,) positions of the centroids among the training samples
    means_ : (n_classes, n_classes), mean similarity of class g to the centroid of class h
    rates_ : (n_classes, n_classes), λ in units of 1 / (max Ω - min Ω)
    priors_ : (n_classes,) shares of the classes among the training samples
    log_norms_ : log-normalizers of pmfs

    Notes
    -----
    *Outside Ω.* A value beyond the ends of Ω counts as the nearer end; between levels the
    exponential is evaluated at the value itself, so that probabilities are smooth.

    *Deltas.* A mean at an end of Ω makes a Kronecker delta. It is kept to machine precision
    (2^-52 for the next level) with finite logarithms, so that no class is impossible.

    *Grouping.* More than 1024 distinct values are rounded to 2^-27 of the range and
    collected in 1022 cells between the ends; log-probabilities at rate λ change by at most
    (λ / 1022)² / 8, with λ as in ``rates_``.

    *Sparse blocks.* An entry that is not stored is zero in a similarity; in a
    dissimilarity it is unknown and counts as the farthest value.

    Cost: fit O(Σ_g n_g² + n G) after one pass over the block; predict O(m G²).

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import SDAClassifier
    >>> S = np.array([[9, 7, 2, 1], [7, 9, 3, 2], [2, 3, 9, 8], [1, 2, 8, 9.0]])
    >>> model = SDAClassifier().fit(S, ["a", "a", "b", "b"])
    >>> model.predict([[8, 6, 1, 2.0]])
    array(['a'], dtype='<U1')
    >>> model.predict_proba([[5, 5, 5, 5.0]]).round(2)
    array([[0.88, 0.12]])
    """

    _scalable_form = "LocalSDAClassifier()"
    _link = "log"
    _both_directions = False  # there are no neighbours to find

    def __init__(
        self,
        support="observed",
        *,
        self_similarity=True,
        kind=None,
        calibration="temperature",
        class_weight=None,
        costs=None,
        n_jobs=None,
    ):
        self.support = support
        self.self_similarity = self_similarity
        self.kind = kind
        self.calibration = calibration
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs

    def _fit(self, block, codes):
        if not isinstance(self.self_similarity, (bool, np.bool_)):
            raise InputTypeError(f"self_similarity={self.self_similarity!r} must be True or False.")
        self.pmf_support_ = support_of(block, self.support, continuous=True)
        n_classes = len(self.classes_)
        model = whole(
            entries_of(block.values, block.absent),
            self.pmf_support_,
            codes,
            n_classes,
            large_is_near=block.large_is_near,
            own=bool(self.self_similarity),
        )
        self.priors_ = self._shares(codes)
        self.centroids_ = model.centroids[0]
        self.means_ = from_unit(self.pmf_support_, model.means[0])
        table = rate_table(self.pmf_support_)
        self.rates_, self.log_norms_ = capped_rates(self.pmf_support_, table, model.means[0])

    def _scores(self, block, rows):
        return np.log(self.priors_) + self._log_likelihoods(block, rows).sum(axis=2)

    def _log_likelihoods(self, block, rows):
        """Log-probability of the similarity to centroid h, given class g, (m, G, G)."""
        values = block.columns(self.centroids_, rows, unknown=np.inf)
        units = to_unit(self.pmf_support_, values)
        return log_pmf(self.rates_, self.log_norms_, units[:, None, :])

    def _row_bytes(self, data):
        return super()._row_bytes(data) + 48 * len(self.classes_) ** 2

    def _explain(self, block):
        n_classes = len(self.classes_)
        terms = {
            "log prior": np.broadcast_to(np.log(self.priors_), (len(block), n_classes)),
            "centroid": np.broadcast_to(self.centroids_, (len(block), n_classes)),
        }
        logs = self._log_likelihoods(block, slice(None))
        for h, label in enumerate(self.classes_):
            terms[f"log P at centroid {label}"] = logs[:, :, h]
        return super()._explain(block) | {"terms": terms}
