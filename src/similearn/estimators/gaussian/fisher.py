"""Fisher's discriminant on indefinite similarities."""

import numpy as np

from similearn.data.memory import symmetric_spectrum
from similearn.estimators.probabilities.sample_weights import WeightedSamples
from similearn.estimators.shell.base import PairwiseClassifier
from similearn.estimators.shell.parameters import require_positive
from similearn.estimators.shell.scale_free import InUnits
from similearn.numerics.gaussian.fisher import FisherDiscriminant


class IndefiniteFisherClassifier(WeightedSamples, InUnits, PairwiseClassifier):
    r"""Fisher's discriminant on indefinite similarities.

    After Haasdonk and Pekalska's kernel version (see JMLR §2.1.3 and §3): the scatter
    within classes is that of the rows of the symmetric part of S, which is positive
    semidefinite however indefinite S may be, and a ridge makes it invertible. With means
    m_g of the rows of class g and the scatter N, the score of a query with row s is
    :math:`s^T N^{-1} m_g - \frac12 m_g^T N^{-1} m_g + \log \pi_g`.

    Parameters
    ----------
    ridge : float, default=0.1
        Added to N, in units of its mean eigenvalue.
    kind : {"similarity", "dissimilarity"}, optional
        {kind}
        Rows are features, so both kinds can be used.
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
    discriminant_ : weights N⁻¹ m_g of the rows of queries, and offsets

    Notes
    -----
    Probabilities are those of normal distributions of the rows with one covariance. In the
    pseudo-Euclidean space without a ridge, the discriminant does not depend on the signs of
    the eigenvalues, and is that of `PseudoEuclideanEmbedding` followed by Fisher's.
    Cost: one eigendecomposition, O(n³), shared by all ridges; O(n) for a query and class.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import IndefiniteFisherClassifier
    >>> points = np.array([0.0, 1.0, 2.0, 6.0, 7.0, 8.0])
    >>> S = 8.0 - abs(points[:, None] - points)
    >>> model = IndefiniteFisherClassifier().fit(S, ["a", "a", "a", "b", "b", "b"])
    >>> model.predict(8.0 - abs(np.array([[1.5], [6.5]]) - points))
    array(['a', 'b'], dtype='<U1')
    """

    _scalable_form = (
        "make_pipeline(NystromFeatures(500, spectrum='flip'), LinearDiscriminantAnalysis())"
    )
    _link = "log"
    _path = ("ridge",)
    _simpler = ("ridge",)

    def __init__(
        self,
        ridge=0.1,
        *,
        kind=None,
        calibration="temperature",
        class_weight=None,
        costs=None,
        n_jobs=None,
    ):
        self.ridge = ridge
        self.kind = kind
        self.calibration = calibration
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs

    def _fit_path(self, block, codes, candidates):
        for ridge in self._values_of("ridge", candidates):
            require_positive("ridge", ridge)
        data = self._set_unit(block)
        self.priors_ = self._shares(codes)
        self.discriminant_ = FisherDiscriminant.of(
            data.rows(both=True),
            symmetric_spectrum(data),
            codes,
            len(self.classes_),
            np.array(self._values_of("ridge", candidates), dtype=np.float64),
        )

    def _path_scores(self, block, rows, candidates, skip_self=False):
        def scores(data):
            return self.discriminant_.scores(data.rows(rows, both=True))

        return self._bounded_scores(scores, block) + np.log(self.priors_)

    def _row_bytes(self, block):
        return super()._row_bytes(block) + 8 * 4 * block.shape[1]
