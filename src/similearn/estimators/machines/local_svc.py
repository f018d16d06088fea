"""SVM-KNN: a support vector machine among the neighbours of each query."""

import numpy as np

from similearn.estimators.machines.machine import MachineClassifier, warn_unconverged
from similearn.estimators.names.old_names import renamed
from similearn.estimators.probabilities.sample_weights import WeightedSamples
from similearn.estimators.shell.neighbor_search import NeighborSearch, among_or_whole
from similearn.estimators.shell.parameters import (
    require_choice,
    require_neighbors,
    require_positive,
)
from similearn.estimators.shell.threads import one_blas_thread
from similearn.numerics.machines.local_svc import local_svm_scores

SPECTRA = ("clip", "flip", "shift")
MOST_STEPS = 100_000


@renamed(attributes={"references_": "similarities_"})
class LocalSVC(WeightedSamples, NeighborSearch, MachineClassifier):
    """Support vector machine on the nearest neighbours of each query (SVM-KNN).

    JMLR §2.1.4, after Zhang et al. The block among the neighbours is made positive
    semidefinite by itself, with the query's similarities treated consistently, and a
    machine is trained for each pair of classes among them.

    Parameters
    ----------
    n_neighbors : int, default=10
    C : float, default=1.0
        Cost of errors, eq. (1).
    spectrum : {"clip", "flip", "shift"}, default="clip"
        As in `SpectrumTransformer`, done to each neighbourhood alone.
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
    similarities_ : (n, n) symmetric part of the training block; the block itself if it is lazy
    codes_ : (n,) positions in ``classes_`` of the training labels

    Notes
    -----
    Where all neighbours are of one class, that class is the answer. Otherwise a class among
    the neighbours beats one that is not, and pairs of those present are decided by their
    machines; scores count the pairs that a class wins, and a tie goes to the
    larger sum of decisions. Weights of samples multiply their C. The machines are solved to
    a violation of 1e-6, with libsvm's rule for the intercept, so that labels are those of
    ``SVC(kernel="precomputed", break_ties=True)`` trained on each neighbourhood.
    A machine that takes more than 100000 steps is given up, with a `ConvergenceWarning`.
    Cost of a query: O(n) to find its neighbours, O(k³) for the spectrum, and the machines.

    Examples
    --------
    >>> import numpy as np
    >>> from similearn import LocalSVC
    >>> points = np.array([0.0, 1.0, 2.0, 6.0, 7.0, 8.0])
    >>> S = 8.0 - abs(points[:, None] - points)
    >>> model = LocalSVC(n_neighbors=4).fit(S, ["a", "a", "a", "b", "b", "b"])
    >>> model.predict(8.0 - abs(np.array([[2.5], [5.0]]) - points))
    array(['a', 'b'], dtype='<U1')
    """

    kind = "similarity"
    _path = ("n_neighbors", "C")
    _unit_powers = {"C": 1}  # noqa: RUF012
    _simpler = ("n_neighbors", "-C")
    _leaves_each_out = True

    def __init__(
        self,
        n_neighbors=10,
        C=1.0,
        *,
        spectrum="clip",
        calibration="temperature",
        class_weight=None,
        costs=None,
        n_jobs=None,
    ):
        self.n_neighbors = n_neighbors
        self.C = C
        self.spectrum = spectrum
        self.calibration = calibration
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs

    @property
    def _path_leaves_one_out(self):
        """A temperature learned from all samples would know the one left out."""
        return self.calibration == "none"

    def _learn(self, block, codes, candidates):
        require_choice("spectrum", self.spectrum, SPECTRA)
        for C in self._values_of("C", candidates):
            require_positive("C", C)
        for c in candidates:
            require_neighbors(c.get("n_neighbors", self.n_neighbors), self._n_training(block))
        self.similarities_ = block if block.is_lazy else block.symmetrized().values
        self.codes_ = codes
        self._keep_weights()

    def _in_chunks(self, function, data, axis=0):
        # Blocks are small: threads of LAPACK's own would mostly wait for each other.
        with one_blas_thread():
            return super()._in_chunks(function, data, axis)

    def _machine_scores(self, block, rows, candidates, skip_self):
        ks = np.array(self._values_of("n_neighbors", candidates))
        Cs = np.array([parameters["C"] for parameters in self._parameters(candidates)], dtype=float)
        near, values = block.nearest(ks.max(), rows, skip_self=skip_self)
        S, places = among_or_whole(self.similarities_, near)
        scores, n_failed = local_svm_scores(
            S,
            places,
            values,
            self.codes_[near],
            len(self.classes_),
            ks,
            Cs,
            self.spectrum,
            MOST_STEPS,
            None if self.sample_weights_ is None else self.sample_weights_[near],
        )
        warn_unconverged(self, n_failed, "the local", "Lower C.")
        return scores

    def _row_bytes(self, block):
        k = int(max(self._values_of("n_neighbors", self._candidates)))
        gathered = isinstance(getattr(self, "similarities_", None), np.ndarray)
        return super()._row_bytes(block) + 8 * (4 * k + (0 if gathered else k * k))
